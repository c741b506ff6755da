"""What is known of one code's statistics: the readings kept and made, and what is asked of them. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from linkdash.api.errors import LinkdashError
from linkdash.api.model import Unreadable
from linkdash.api.qr import QrCode
from linkdash.model import status_line
from linkdash.model.humanize import ago, counted
from linkdash.model.listing import STALE_AFTER, State
from linkdash.model.statistics.readings import has_statistics
from linkdash.model.status_line import KeyOf, Words
from linkdash.store.changes import Change, Since, Snapshot, Step, baseline, difference, in_order

SINCES: tuple[Since, ...] = ("last look", "last week", "yesterday")
"""What numbers are compared with, in the order one key goes through them."""
STEPS: tuple[Step, ...] = ("hour", "day", "week")

_HOURS_IN_SIGHT, _DAYS_IN_SIGHT = 3, 90  # days of history up to which hours, then days, are told apart


class Compared(NamedTuple):
    """What happened since a reading; `change` is None where there is none to compare with."""

    change: Change | None
    words: str
    """Since when, or that history begins now."""
    is_as_asked: bool = True
    """False where history does not reach back to the moment asked for."""


class CodeStatistics:
    """One code, its readings in the order of time, and how asking for the next one stands."""

    def __init__(self, code: QrCode) -> None:
        self.code = code
        self.readings: list[Snapshot] = []
        self.last_look: datetime | None = None
        """When a person looked before this time."""
        self.loading = False
        self.answered = False
        """Whether the service has answered since this was opened."""
        self.silent = False
        """Whether it had no statistics for this code, which is not the same as zero."""
        self.error: LinkdashError | None = None

    # ---- what happened ----

    def recalled(self, readings: Sequence[Snapshot], last_look: datetime | None) -> None:
        """What was kept of earlier runs came from the store."""
        self.readings = in_order([*readings, *self.readings])
        self.last_look = last_look

    def asked(self) -> None:
        """The service was asked."""
        self.loading = True

    def withdrawn(self) -> None:
        """The answer is not wanted any more."""
        self.loading = False

    def told(self, code: QrCode | Unreadable, snapshot: Snapshot | None) -> None:
        """The service answered; `snapshot` is None where it told no number at all."""
        self.loading = False
        self.answered = True
        self.silent = not has_statistics(snapshot)
        self.error = None
        if isinstance(code, QrCode):
            self.code = code
        if snapshot is not None:
            self.readings = in_order([*self.readings, snapshot])

    def failed(self, error: LinkdashError) -> None:
        """The answer did not come; what was there stays."""
        self.loading = False
        self.error = error

    # ---- what is known ----

    @property
    def latest(self) -> Snapshot | None:
        """The newest reading."""
        return self.readings[-1] if self.readings else None

    def compared(self, since: Since, now: datetime) -> Compared:
        """What happened from the reading at that time to the newest one."""
        found = baseline(self.readings[:-1], now, since, self.last_look)
        if found.snapshot is None or self.latest is None:
            return Compared(None, found.words)
        return Compared(difference(found.snapshot, self.latest), found.words, found.is_as_asked)

    def fitting_step(self) -> Step:
        """Hours for a few days of history, weeks for many months, else days."""
        days = (self.readings[-1].at - self.readings[0].at).days if self.readings else 0
        return "hour" if days < _HOURS_IN_SIGHT else "day" if days < _DAYS_IN_SIGHT else "week"

    # ---- what is shown ----

    def age(self, now: datetime) -> float | None:
        """Seconds since the newest reading."""
        return None if self.latest is None else max(0.0, (now - self.latest.at).total_seconds())

    def is_old(self, now: datetime) -> bool:
        """Whether the service should be asked when the screen is opened."""
        age = self.age(now)
        return not self.answered or age is None or age > STALE_AFTER

    def state(self, now: datetime) -> State:
        """The state a screen that shows this is in."""
        if self.latest is None:
            return State.ERROR if self.error else State.EMPTY if self.answered else State.LOADING
        age = self.age(now)
        if self.error or (age is not None and age > STALE_AFTER):
            return State.STALE
        return State.EMPTY if self.silent else State.READY

    def truth(self, now: datetime) -> str:
        """One line that says how old this is and how far back it goes."""
        age = self.age(now)
        old = "old, " if age is not None and age > STALE_AFTER else ""
        parts = [f"{old}as of {ago(age)}"] if age is not None else []
        if self.loading:
            parts.append("refreshing…" if parts else "loading…")
        elif self.error is not None:
            parts.append("not refreshed")
        if self.silent:
            parts.append("no statistics for this code")
        if self.readings:
            first = self.readings[0].at.astimezone(now.tzinfo)
            parts.append(f"{counted(len(self.readings), 'reading')} since {first:%Y-%m-%d}")
        return " · ".join(parts)


def words_for(statistics: CodeStatistics, now: datetime, key: KeyOf) -> Words | None:
    """What stands in the place of the numbers; None where there are numbers."""
    if statistics.latest is not None:
        return None
    if statistics.state(now) is State.EMPTY:
        return Words(
            "The service has no statistics for this code.",
            f"That is not the same as zero. {key('refresh')} asks again.",
        )
    return status_line.words_for(statistics.state(now), "QR code", statistics.error, key)
