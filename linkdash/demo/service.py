"""The service that is embedded: its records, keys, log and faults; without what serves it."""

from collections.abc import Mapping
from itertools import chain

from linkdash.demo import DemoSettings
from linkdash.demo.database import open_database, origin_of
from linkdash.demo.endpoint import ADMIN_ID, PLAIN_ID, Call, epoch
from linkdash.demo.faults import Faults
from linkdash.demo.request_log import RequestLog
from linkdash.demo.resources import RESOURCES

ENDPOINTS = tuple(chain.from_iterable(resource.ENDPOINTS for resource in RESOURCES))
"""The 34 endpoints of the reference."""


class DemoService:
    """An embedded service with records, keys, log and faults of its own.

    All keys see the same records; plans and users are for admins. It must be made, called and closed on one
    thread, since its database belongs to that.
    """

    def __init__(self, settings: DemoSettings | None = None) -> None:
        self.settings = settings or DemoSettings()
        self.log = RequestLog()
        self.faults = Faults()
        self.db = open_database(self.settings)
        """The records, for the thread that has made this."""
        self.seed, self.made = origin_of(self.db)
        self.codes = {row["id"]: epoch(row["date"]) for row in self.db.execute("SELECT id, date FROM qrs")}
        """The QR codes there were at the start, by id: when each was created, in epoch seconds."""
        self.admin_key = self._hand_out(ADMIN_ID, self.settings.admin_key)
        self.plain_key = self._hand_out(PLAIN_ID, self.settings.plain_key)

    def close(self) -> None:
        """Let go of the records."""
        self.db.close()

    def data(self, path: str, query: Mapping[str, object], at: float, **ids: int) -> object:
        """The `data` of what an admin was answered at a moment; no request, and in no log.

        `path` is that of an endpoint that reads, and `ids` what its parts in braces stand for; `at` is in
        epoch seconds.
        """
        endpoint = next(each for each in ENDPOINTS if (each.method, each.path) == ("GET", path))
        user = self.db.execute("SELECT * FROM users WHERE id = ?", (ADMIN_ID,)).fetchone()
        asked = {name: str(value) for name, value in query.items()}
        call = Call(self.db, self.settings, self.seed, self.made, at, user, ids, asked, {})
        return endpoint.handle(call)["data"]

    def _hand_out(self, user_id: int, given: str | None) -> str:
        """The key of a user: the one that was given, else the one made with the records."""
        with self.db as db:
            if given is not None:
                db.execute("UPDATE users SET apikey = ? WHERE id = ?", (given, user_id))
            key: str = db.execute("SELECT apikey FROM users WHERE id = ?", (user_id,)).fetchone()["apikey"]
        return key
