"""The statistics of a code: asked for, kept and told.

How often the service may be asked is the budget's business: questions that can wait go in the background
lane, which leaves room for whoever sits at the dashboard. What is left to say is whose turn it is, and how
soon asking again could tell anything new. Every answer is kept in the history.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import LinkdashError
from linkdash.api.http.request import Options
from linkdash.api.records import Unreadable
from linkdash.api.resources.qr import QrCode, QrReading
from linkdash.model.humanize import age_words, counted
from linkdash.model.lists import list_status
from linkdash.model.lists.list_status import KeyOf, Words
from linkdash.model.lists.loaded_pages import STALE_AFTER, State
from linkdash.model.local_time import local_moment
from linkdash.model.resources.qr import RESOURCE as CODES
from linkdash.model.session import Session
from linkdash.model.statistics.period import Period
from linkdash.model.statistics.period_comparison import Track
from linkdash.model.statistics.readings import (
    ReadingChange,
    has_statistics,
    in_order,
    latest,
    reading_of,
    scans_of,
)
from linkdash.model.statistics.scan_activity import (
    REACH,
    Activity,
    activities,
)
from linkdash.store.database import StoreUnavailable
from linkdash.store.reading import TOTALS, Reading

# ---- what is known ----


class CodeStatistics:
    """A code, its readings in the order of time, and how asking for the next one stands."""

    def __init__(self, code: QrCode) -> None:
        self.code = code
        self.readings: list[Reading] = []
        self.last_visit: datetime | None = None
        """When the user looked before this time."""
        self.loading = False
        self.recalled = False
        """True if the history was asked since this was opened."""
        self.answered = False
        """True if the service has answered since this was opened."""
        self.silent = False
        """True if it had no statistics for this code, which is not the same as zero."""
        self.error: LinkdashError | None = None
        self._latest: Reading | None = None
        self._latest_of: tuple[int, Reading | None] = (0, None)

    @property
    def name(self) -> str:
        """Return the name of the code, for the user."""
        return self.code.shown_name

    # ---- what happened ----

    def recall(self, readings: Sequence[Reading], last_visit: datetime | None) -> None:
        """Add what was kept, by earlier runs or since, as it came from the store."""
        if not self.recalled:  # a look of this visit is none before it
            self.last_visit = last_visit
        self.recalled = True
        self.readings = in_order([*readings, *self.readings])

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
        """The newest reading, or the newest that tells more than scans if there is one.

        A screen at rest asks for it several times a second: many readings are looked through once.
        """
        known = len(self.readings), self.readings[-1] if self.readings else None
        if known != self._latest_of:
            self._latest_of, self._latest = known, latest(self.readings)
        return self._latest

    @property
    def last_counted(self) -> Reading | None:
        """The newest reading that tells scans, also where it tells nothing else."""
        return next((one for one in reversed(self.readings) if one.scans is not None), None)

    @property
    def moments(self) -> Sequence[tuple[datetime, bool]]:
        """The moments of the readings, each with whether it tells scans only."""
        return [(reading.at, reading.tells_scans_only) for reading in self.readings]

    def track(self, period: Period) -> Track:
        """The numbers over time, as far back as a period and the one before it reach."""
        first = bisect_left(self.readings, period.start_before, key=lambda reading: reading.at)
        told = next((n for n in range(first - 1, -1, -1) if has_statistics(self.readings[n])), 0)
        return Track(self.readings[told:])

    # ---- what is shown ----

    def age(self, now: datetime) -> float | None:
        """Seconds since the newest reading."""
        return None if self.latest is None else max(0.0, (now - self.latest.at).total_seconds())

    def is_old(self, now: datetime) -> bool:
        """Return whether the service should be asked when the screen is opened."""
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
        """Return one line that says how old this is and how far back it goes."""
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


async def codes_of(session: Session, ids: Iterable[int]) -> list[CodeStatistics]:
    """Codes with the name and the link that the list told when it was last read."""
    collection = session.collections.of(CODES)
    await collection.recall()
    known = {record.id: record for record in collection.records}
    return [CodeStatistics(known.get(id) or QrCode(id=id)) for id in ids]


async def kept_codes(session: Session) -> list[CodeStatistics]:
    """Every code that anything is kept of, by id. Raises StoreUnavailable."""
    history = session.store.history
    return await codes_of(session, sorted({**await history.latest_listed(), **await history.latest()}))


def words_for(statistics: CodeStatistics, now: datetime, key: KeyOf) -> Words | None:
    """Return the words in the place of the numbers; None where there are numbers."""
    if statistics.latest is not None:
        return None
    if statistics.state(now) is State.EMPTY:
        return Words(
            "The service has no statistics for this code.",
            f"That is not the same as zero. {key('refresh')} refreshes.",
        )
    return list_status.words_for(statistics.state(now), "QR code", statistics.error, key)


# ---- asking and keeping ----


class StatisticsReader:
    """The statistics of one session. Without a store that works it goes on, and remembers nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def now(self) -> datetime:
        """This moment in the user's zone."""
        return local_moment(self._session.now())

    async def read(self, code: CodeStatistics, lane: Lane = Lane.READ) -> None:
        """Ask for a code (1 request), keep the answer and apply it. Raises ServiceError."""
        answer = await self._session.client.qr.get(code.code.id, options=Options(lane=lane))
        reading = reading_of(answer, self._session.moment_of_answer(self._session.now()))
        code.apply(answer.code, reading)
        if reading is not None:
            await self._keep({code.code.id: [reading]})

    def is_waiting(self, code: CodeStatistics) -> bool:
        """Return whether the question about a code waits for its turn, so that cancelling it is free."""
        request = str(self._session.client.qr.request(code.code.id))
        return any(waiting.label == request for waiting in self._session.gate.state.queued)

    async def recall(self, code: CodeStatistics, since: datetime | None = None) -> None:
        """Find what was kept of a code, all or `since` a moment; costs no request."""
        history = self._session.store.history
        try:
            readings = await history.readings(code.code.id, since)
            code.recall(readings, await history.last_look(code.code.id))
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def kept_state(self) -> tuple[int, ...]:
        """Return a value that changes when readings are kept, also by another program."""
        return await self._session.kept(self._session.store.history.state(), ())

    async def note_visit(self, code: CodeStatistics) -> None:
        """Keep that the user sees the statistics of a code now."""
        await self._session.kept(self._session.store.history.mark_looked(code.code.id, self.now), None)

    async def keep_listed(self, codes: Iterable[QrCode], at: datetime) -> None:
        """Keep the scans that a page of the list of codes told, which costs no request of its own."""
        await self._keep(scans_of(codes, at))

    async def _keep(self, readings: dict[int, list[Reading]]) -> None:
        await self._session.kept(self._session.store.history.record_all(readings), None)

    async def activities(self) -> Mapping[int, Activity]:
        """Return how much every code is scanned, by id, from what was kept; no request.

        That is found anew when something was recorded since, or another day has begun.
        """
        recents, now = self._session.recents, self.now
        of = now.date(), await self.kept_state()
        if of != recents.activities_of:
            scans = await self._session.kept(self._session.store.history.scans(now - REACH), {})
            found = await asyncio.to_thread(activities, scans, now)  # a fifth of a second for 1,000 codes
            recents.activities, recents.activities_of = found, of
        return recents.activities


def read_line(code_id: int, answer: QrReading, reading: Reading | None, before: Reading | None) -> str:
    """Return a code in one line: its name, its totals, what is new since it was read before."""
    name = f" {answer.code.name}"
    if reading is None or not has_statistics(reading):
        return f"{code_id}:{name}: no statistics"
    change = ReadingChange(before, reading) if before else None
    parts = []
    for total in TOTALS:
        delta = change.total(total) if change else None
        new = f" ({delta.words()})" if delta else ""
        value = reading.total(total)
        parts.append(f"{total} {'not reported' if value is None else f'{value:,}'}{new}")
    return f"{code_id}:{name}: {', '.join(parts)}"
