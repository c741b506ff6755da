"""What is known of one code's statistics: the readings kept and made, and how asking stands. Pure."""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime

from linkdash.api.errors import LinkdashError
from linkdash.api.model import Unreadable
from linkdash.api.qr import QrCode
from linkdash.model import status_line
from linkdash.model.humanize import ago, counted
from linkdash.model.listing import STALE_AFTER, State
from linkdash.model.statistics.periods import Period, Track
from linkdash.model.statistics.readings import has_statistics, in_order, latest
from linkdash.model.status_line import KeyOf, Words
from linkdash.store.history import Reading


class CodeStatistics:
    """One code, its readings in the order of time, and how asking for the next one stands."""

    def __init__(self, code: QrCode) -> None:
        self.code = code
        self.readings: list[Reading] = []
        self.last_visit: datetime | None = None
        """When a person looked before this time."""
        self.loading = False
        self.recalled = False
        """Whether the history was asked since this was opened."""
        self.answered = False
        """Whether the service has answered since this was opened."""
        self.silent = False
        """Whether it had no statistics for this code, which is not the same as zero."""
        self.error: LinkdashError | None = None

    @property
    def name(self) -> str:
        """What a person calls the code."""
        return self.code.name or f"QR code {self.code.id}"

    # ---- what happened ----

    def recall(self, readings: Sequence[Reading], last_visit: datetime | None) -> None:
        """What was kept of earlier runs came from the store."""
        self.recalled = True
        self.readings = in_order([*readings, *self.readings])
        self.last_visit = last_visit

    def apply(self, code: QrCode | Unreadable, reading: Reading | None) -> None:
        """The service answered; `reading` is None where it told no number at all."""
        self.answered = True
        self.silent = not has_statistics(reading)
        self.error = None
        if isinstance(code, QrCode):
            self.code = code
        if reading is not None:
            self.readings = in_order([*self.readings, reading])

    def fail(self, error: LinkdashError) -> None:
        """The answer did not come; what was there stays."""
        self.error = error

    # ---- what is known ----

    @property
    def latest(self) -> Reading | None:
        """The newest reading, or the newest that tells more than scans if there is one."""
        return latest(self.readings)

    def track(self, period: Period | None = None) -> Track:
        """The numbers over time, as far back as a period and the one before it reach."""
        if period is None:
            return Track(self.readings)
        first = bisect_left(self.readings, period.start_before, key=lambda reading: reading.at)
        told = next((n for n in range(first - 1, -1, -1) if has_statistics(self.readings[n])), 0)
        return Track(self.readings[told:])

    # ---- what is shown ----

    def age(self, now: datetime) -> float | None:
        """Seconds since the newest reading."""
        return None if self.latest is None else max(0.0, (now - self.latest.at).total_seconds())

    def is_old(self, now: datetime) -> bool:
        """Whether the service should be asked when the screen is opened."""
        age = self.age(now)
        is_listed_only = not self.answered and not has_statistics(self.latest)
        return age is None or age > STALE_AFTER or is_listed_only

    def state(self, now: datetime) -> State:
        """The state a screen that shows this is in."""
        if self.latest is None:
            return State.ERROR if self.error else State.EMPTY if self.answered else State.LOADING
        if self.error or self.is_old(now):
            return State.STALE
        return State.EMPTY if self.silent else State.READY

    def status_line(self, now: datetime) -> str:
        """One line that says how old this is and how far back it goes."""
        age = self.age(now)
        parts = [f"{'○' if self.is_old(now) else '●'} as of {age_words(age)}"] if age is not None else []
        if self.loading:
            parts.append("refreshing…" if parts else "loading…")
        elif self.error is not None:
            parts.append("not refreshed")
        if self.silent:
            parts.append("no statistics for this code")
        if self.readings:
            first = self.readings[0].at.astimezone(now.tzinfo)
            parts.append(f"{counted(len(self.readings), 'reading')} since {first.day} {first:%b %Y}")
        return " · ".join(parts)


def age_words(seconds: float) -> str:
    """An age to the minute, so that a line that tells it changes no more often."""
    return "now" if seconds < 60 else ago(seconds)


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
