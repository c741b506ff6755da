"""The overview: what changed, what is nearly used up, what there is, as far as it is kept.

It asks for the account alone. All else is from the history, the journal and what is kept of the lists.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from linkdash.model.insight.allowances import PlanAllowance, allowances
from linkdash.model.insight.expiry import due, expiring, plan_names
from linkdash.model.resources import PLACES
from linkdash.model.session import Session
from linkdash.store.alerts import Alert
from linkdash.store.job import Job
from linkdash.store.journal_entry import JournalEntry

if TYPE_CHECKING:  # the first picture says what is kept of the account, and is not held up by all else
    from linkdash.api.resources.account import Account
    from linkdash.api.resources.plans import Plan
    from linkdash.api.resources.qr import QrCode
    from linkdash.api.resources.users import User
    from linkdash.model.insight.first_day import FirstDay
    from linkdash.model.statistics.code_statistics import StatisticsReader
    from linkdash.model.statistics.scan_activity import Pulse

MOST = 16
"""Codes or changes that are read for a list."""
_ALERTS_EVERY = 60.0  # seconds


class Overview:
    """A session's account, codes, users and changes, as far as they are known."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.collection = session.collection("account")
        self.pulse: Pulse | None = None
        """None before the history was read."""
        self.first_day: FirstDay | None = None
        """Facts that the list of codes alone tells, where no week of one can be compared yet."""
        self.terms: Sequence[tuple[str, int]] = ()
        """The numbers of known users by the time they have left."""
        self.changes: Sequence[JournalEntry] | None = None
        """The latest changes; None before they were read."""
        self.interrupted: Sequence[Job] = ()
        """Bulk jobs with something left that nobody runs."""
        self.alerts: Sequence[Alert] = ()
        self.unmatched: Sequence[str] = ()
        """Rules of alerts that are about no code, in sentences."""
        self.due: Sequence[User] | None = None
        """Users whose time is over or nearly so; None before it was looked for."""
        self.users_changed = True
        """True where users are known that `due` was not found among."""
        self._alerts_at = -_ALERTS_EVERY
        self._plan_id: int | None = None

    # ---- reading what is kept ----

    async def read_lists(self, turn: Callable[[], Awaitable[None]]) -> None:
        """Read what is kept of the lists, each at its turn, and the journal; no request."""
        session = self.session
        await session.recents.recall()
        for place in PLACES:
            await turn()
            await session.collection(place.id).recall()
        self.changes = await session.kept(session.store.journal.recent(MOST), [])

    async def read_scans(self) -> None:
        """Read what the history tells of all codes; no request."""
        from linkdash.model.statistics.scan_activity import pulse

        self.pulse = pulse((await self.statistics.activities()).values(), most=MOST)
        self.first_day = None
        if not self.pulse.compared:
            from linkdash.model.insight.first_day import first_day

            codes: list[QrCode] = await self.session.collection("qr").known_records()
            self.first_day = await asyncio.to_thread(first_day, codes, self.session.local_time(), MOST)

    async def read_jobs(self) -> None:
        """Read which bulk jobs were interrupted; no request."""
        self.interrupted = await self.session.interrupted_jobs()

    async def find_plan(self) -> None:
        """Find the account's plan, which only the list of users tells."""
        user = await self.session.own_user()
        self._plan_id = user.planid if user is not None else None

    async def read_users_and_alerts(self) -> None:
        """Read who expires soon, where users changed, and now and then which alerts stand."""
        from linkdash.model.insight.alerts import standing_alerts, unmatched
        from linkdash.model.insight.first_day import by_term

        session, now = self.session, time.monotonic()
        if not self.users_changed and now < self._alerts_at + _ALERTS_EVERY:
            return
        self.users_changed, self._alerts_at = False, now
        users: list[User] = await session.collection("users").known_records()
        self.due = await asyncio.to_thread(due, users, session.local_time())
        self.terms = await asyncio.to_thread(by_term, users, session.local_time())
        self.alerts = await session.kept(standing_alerts(session, users or None), [])
        self.unmatched = await session.kept(unmatched(session), [])

    @cached_property
    def statistics(self) -> "StatisticsReader":
        """The reader of the history."""
        from linkdash.model.statistics.code_statistics import StatisticsReader

        return StatisticsReader(self.session)

    # ---- account and plan ----

    @property
    def account(self) -> "Account | None":
        """The account as it is loaded."""
        return next(iter(self.collection.records), None)

    @property
    def plan(self) -> "Plan | None":
        """The account's plan; None where it is not known."""
        plans = self.session.collections.known("plans")
        return plans.listing.record(self._plan_id) if plans is not None else None

    def allowances(self, plan: "Plan") -> list[PlanAllowance]:
        """Return what a plan allows, against what is known to be used."""
        return allowances(plan, {place.id: self._total(place.id) for place in PLACES})

    def _total(self, id: str) -> int | None:
        known = self.session.collections.known(id)
        return None if known is None or known.listing.page is None else known.listing.total

    # ---- users ----

    @property
    def knows_users(self) -> bool:
        """Return whether any list of users is loaded."""
        users = self.session.collections.known("users")
        return users is not None and users.listing.page is not None

    def ending_within(self, time: timedelta) -> "list[User]":
        """Return the users who expire within a time from now on, the nearest first."""
        return expiring(self.due or (), self.session.local_time(), time)

    @property
    def plan_names(self) -> Mapping[int, str]:
        """The names of the plans that are loaded, by id."""
        plans = self.session.collections.known("plans")
        return plan_names(plans.records) if plans is not None else {}

    # ---- codes and changes ----

    def code(self, code_id: int) -> "QrCode":
        """Return a code as far as it is loaded; what asks for it learns the rest."""
        from linkdash.api.resources.qr import QrCode

        codes = self.session.collections.known("qr")
        found: QrCode | None = codes.listing.record(code_id) if codes is not None else None
        return found or QrCode(id=code_id)

    def name_of(self, code_id: int) -> str:
        """Return the name of a code, as far as it is known."""
        return self.code(code_id).shown_name

    @property
    def unknown_changes(self) -> int:
        """The number of changes whose outcome is not known."""
        return sum(entry.is_open for entry in self.changes or ())
