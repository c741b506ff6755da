"""The alerts that are raised: each is told once, and again only after it has ceased."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from linkdash.store.database import (
    Database,
    DatabaseConnection,
    DatabaseRow,
    Profile,
    read_moment,
    stored_moment,
)

SCHEMA = (
    """CREATE TABLE alerts (
        profile TEXT NOT NULL,
        rule TEXT NOT NULL,
        subject TEXT NOT NULL,
        message TEXT NOT NULL,
        since TEXT NOT NULL,
        PRIMARY KEY (profile, rule, subject)
    ) WITHOUT ROWID""",
)


class Alert(NamedTuple):
    """Something that a rule of the configuration has found."""

    rule: str
    """The name of the rule."""
    subject: str
    """Its subject: `qr 12`, `qr 12: Norway`, `user 7`, `requests`."""
    message: str
    """The finding, in a sentence."""
    since: datetime
    """When it was found first; aware."""

    @property
    def key(self) -> tuple[str, str]:
        """Return what makes it the same alert, whatever became of its numbers."""
        return self.rule, self.subject

    @property
    def members(self) -> dict[str, str]:
        """Return it as JSON takes it."""
        since = self.since.isoformat(timespec="seconds")
        return {"rule": self.rule, "subject": self.subject, "message": self.message, "since": since}


Settle = Callable[[Sequence[Alert]], tuple[Sequence[Alert], Iterable[Alert]]]
"""Of the alerts that are raised, those that stay or come, and those that have ceased."""


class Alerts:
    """The raised alerts of one profile. Every method raises StoreUnavailable."""

    def __init__(self, database: Database, profile: Profile) -> None:
        self._database = database
        self._profile = profile

    async def raised(self) -> list[Alert]:
        """Those that are raised, the latest first."""
        rows = await self._database.select(_RAISED, (self._profile,))
        return self._database.decoded(rows, _alert, "alerts")

    async def settle(self, settle: Settle) -> list[Alert]:
        """Keep what holds now; of two programs that find the same alert, only one is told it is new.

        Return the new ones. `settle` decides in one transaction what of the raised ones is new or has ceased.
        """

        def keep(connection: DatabaseConnection) -> list[Alert]:
            connection.lock("alerts", self._profile)
            rows = connection.execute(_RAISED, (self._profile,))
            raised = self._database.decoded(rows, _alert, "alerts")
            known = {alert.key for alert in raised}
            holding, ceased = settle(raised)
            for alert in ceased:
                connection.execute(_CEASE, (self._profile, *alert.key))
            for alert in holding:
                row = (self._profile, *alert.key, alert.message, stored_moment(alert.since))
                connection.execute(_RAISE, row)
            return [alert for alert in holding if alert.key not in known]

        return await self._database.run(keep)


_RAISED = "SELECT * FROM alerts WHERE profile = ? ORDER BY since DESC, rule, subject"
_CEASE = "DELETE FROM alerts WHERE profile = ? AND rule = ? AND subject = ?"
_RAISE = """
    INSERT INTO alerts (profile, rule, subject, message, since) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (profile, rule, subject) DO UPDATE SET message = excluded.message
"""


def _alert(row: DatabaseRow) -> Alert:
    """Raise what a spoilt value raises."""
    return Alert(row["rule"], row["subject"], row["message"], read_moment(row["since"]))
