"""Statistics of codes, asked for and kept: those of a code that is looked at, and of all codes in a sweep.

How often the service may be asked is the budget's business: questions nobody waits for go in the background
lane, which leaves room for whoever sits at the dashboard. What is left to say is whose turn it is, and how
soon asking again could tell anything new. Every answer is kept in the history.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from linkdash.api.budget import Lane
from linkdash.api.errors import AdminRequired, KeyRefused, LinkdashError, NotSent, ServiceError
from linkdash.api.exchange import Options
from linkdash.api.model import Unreadable
from linkdash.api.pages import Page, Pager
from linkdash.api.qr import QrCode, QrReading
from linkdash.model import listing
from linkdash.model.humanize import age_words, counted, local_moment
from linkdash.model.listing import STALE_AFTER, KeyOf, State, Words
from linkdash.model.session import Session
from linkdash.model.statistics.activity import REACH, Activity, activities, grown
from linkdash.model.statistics.periods import Amount, Period, Track
from linkdash.model.statistics.readings import Change, has_statistics, in_order, latest, reading_of, scans_of
from linkdash.store.database import StoreUnavailable
from linkdash.store.history import TOTALS, Reading, Scans, by_turn
from linkdash.store.pages import PageSnapshot

# ---- when to ask again ----

SOONEST = 10.0
"""Seconds after which a code whose numbers change is read again at the earliest."""
LATEST = 300.0
"""Seconds after which a code is read again however long nothing has changed."""


@dataclass
class _Code:
    """When a code was read, and how many seconds it then rests."""

    read_at: float | None = None
    rest: float = SOONEST


class WatchPace:
    """Goes round the codes; those that change come more often, those that stand still ever more seldom."""

    def __init__(self, code_ids: Iterable[int]) -> None:
        self._codes = {code_id: _Code() for code_id in code_ids}

    def due(self, now: float) -> int | None:
        """The code to read now, the one that waits longest; None while all of them rest."""
        code_id = min(self._codes, key=lambda code_id: self._due_at(code_id, now))
        return code_id if self._due_at(code_id, now) <= now else None

    def wait(self, now: float) -> float:
        """Seconds until the next code is due."""
        return max(0.0, min(self._due_at(code_id, now) for code_id in self._codes) - now)

    def note_read(self, code_id: int, now: float, *, changed: bool) -> None:
        """A code was read; where nothing changed, or nothing came, it rests twice as long as before."""
        code = self._codes[code_id]
        code.read_at = now
        code.rest = SOONEST if changed else min(LATEST, code.rest * 2)

    def hurry(self) -> None:
        """A person wants to know now: no code rests any more."""
        for code in self._codes.values():
            code.read_at = None

    def _due_at(self, code_id: int, now: float) -> float:
        code = self._codes[code_id]
        # Where the clock was set back, nobody knows how long a code has rested.
        if code.read_at is None or now < code.read_at:
            return float("-inf")
        return code.read_at + code.rest


# ---- what is known ----


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


def words_for(statistics: CodeStatistics, now: datetime, key: KeyOf) -> Words | None:
    """What stands in the place of the numbers; None where there are numbers."""
    if statistics.latest is not None:
        return None
    if statistics.state(now) is State.EMPTY:
        return Words(
            "The service has no statistics for this code.",
            f"That is not the same as zero. {key('refresh')} asks again.",
        )
    return listing.words_for(statistics.state(now), "QR code", statistics.error, key)


# ---- asking and keeping ----


class StatisticsReader:
    """The statistics of one session. Without a store that works it goes on, and remembers nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def now(self) -> datetime:
        """This moment in the zone of the person."""
        return local_moment(self._session.now())

    async def read(self, code: CodeStatistics, lane: Lane = Lane.READ) -> None:
        """Asks for a code (1 request), keeps the answer and applies it. Raises ServiceError."""
        answer = await self._session.client.qr.get(code.code.id, options=Options(lane=lane))
        reading = reading_of(answer, self.now)
        code.apply(answer.code, reading)
        if reading is not None:
            await self._keep({code.code.id: [reading]})

    def is_waiting(self, code: CodeStatistics) -> bool:
        """Whether the question about a code waits for its turn, so that it can be taken back for free."""
        request = str(self._session.client.qr.request(code.code.id))
        return any(waiting.label == request for waiting in self._session.gate.state.queued)

    async def recall(self, code: CodeStatistics) -> None:
        """Finds what was kept of a code; costs no request."""
        history = self._session.store.history
        try:
            readings = await history.readings(code.code.id)
            code.recall(readings, await history.last_look(code.code.id))
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def note_visit(self, code: CodeStatistics) -> None:
        """Keeps that a person sees the statistics of a code now."""
        try:
            await self._session.store.history.mark_looked(code.code.id, self.now)
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def keep_listed(self, codes: Iterable[QrCode], at: datetime) -> None:
        """Keeps the scans that a page of the list of codes told, which costs no request of its own."""
        await self._keep(scans_of(codes, at))

    async def _keep(self, readings: dict[int, list[Reading]]) -> None:
        try:
            await self._session.store.history.record_all(readings)
        except StoreUnavailable as error:
            self._session.store_trouble = error

    async def activities(self) -> Mapping[int, Activity]:
        """How much every code is scanned, by id, from what was kept; no request.

        That is found anew when something was recorded since, or another day has begun.
        """
        at_hand, now = self._session.at_hand, self.now
        of = now.date(), await self._session.kept(self._session.store.history.state(), (-1, -1))
        if of != at_hand.activities_of:
            scans = await self._scans(REACH)
            found = await asyncio.to_thread(activities, scans, now)  # a fifth of a second for 1,000 codes
            at_hand.activities, at_hand.activities_of = found, of
        return at_hand.activities

    async def grown(self, window: timedelta) -> dict[int, Amount]:
        """How much the scans of each code grew in the time up to now, from what was kept."""
        return grown(await self._scans(window), self.now - window, self.now)

    async def _scans(self, reach: timedelta) -> dict[int, Scans]:
        try:
            return await self._session.store.history.scans(self.now - reach)
        except StoreUnavailable as error:
            self._session.store_trouble = error
            return {}


# ---- a sweep over all codes, without the dashboard ----

SWEEP_LIST_AGE = 600.0
"""Seconds for which a kept page of the list of codes is good enough; less than cron's quarter of an hour."""
SWEEP_FRESH = 60.0
"""Seconds for which a code that was read, here or by another program, is not read again."""
SWEEP_READ_AGE = timedelta(days=1)
"""After which a code is read although its scans did not move."""
SWEEP_PAGE_SIZE = 100
"""Codes asked for at once, where the service's own cap is not known."""
MOST_FAILURES = 5
"""Failures one after the other that end a run: then it is not the codes that are at fault."""

_BACKGROUND = Options(lane=Lane.BACKGROUND)

Say = Callable[[str], None]


@dataclass
class Collected:
    """What a run did."""

    known: int = 0
    """Codes it could have read."""
    still: int = 0
    """Codes whose scans did not move, so that they need not be read."""
    read: int = 0
    failed: int = 0
    fresh: int = 0
    """Codes that somebody else has just read."""
    requests: int = 0
    ended_by: ServiceError | None = None
    """What ended the run before its time."""

    def __str__(self) -> str:
        parts = [f"{self.read} of {counted(self.known, 'code')} read"]
        parts += [f"{self.still} unchanged"] if self.still else []
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.fresh} already read a moment ago"] if self.fresh else []
        left = self.known - self.still - self.read - self.failed - self.fresh
        rest = f"; {left} left for the next run" if left > 0 else ""
        end = f". Stopped: {self.ended_by}" if self.ended_by else ""
        return f"{', '.join(parts)}, {counted(self.requests, 'request')}{rest}{end}"

    @property
    def is_good(self) -> bool:
        """Whether nothing went wrong."""
        return not self.failed and self.ended_by is None


class Collector:
    """One run. `budget` is how many requests it may send, pages of the list included; None for any number.

    The list tells the scans of a page of codes in one request. Only codes whose scans moved are read one by
    one, and each code at least once a day, because clicks can grow where scans do not. Whose turn it is lies
    in the history's database, so that runs go on from each other, and two at the same time share the codes.

    `list_age` is for how many seconds a kept page of the list is good enough.
    """

    def __init__(
        self, session: Session, say: Say, budget: int | None = None, *, list_age: float = SWEEP_LIST_AGE
    ) -> None:
        self._session = session
        self._history = session.store.history
        self._client = session.client
        self._say = say
        self._left = budget
        self._list_age = list_age
        self._failures = 0
        self.result = Collected()
        """What was done so far, also where the run is cancelled."""

    async def run(self, code_ids: Sequence[int] | None = None) -> Collected:
        """Reads these codes, or of all there are those that need it, in turn until the budget is spent.

        Says a line a code. A code that cannot be read is said and counted, and the run goes on; what
        concerns every code ends it. Raises StoreUnavailable.
        """
        kept, turns = await self._history.latest(), await self._session.store.turns.last()
        read_at = {code_id: reading.at for code_id, reading in kept.items()}
        try:
            wanted = code_ids if code_ids is not None else await self._sweep(kept, turns)
            waiting = by_turn(wanted, read_at, turns)
            self.result.known = len(waiting) + self.result.still
            for code_id in waiting:
                if self._left == 0:
                    break
                await self._take(code_id, kept.get(code_id), turns.get(code_id))
        except ServiceError as error:
            self.result.ended_by = error
        return self.result

    async def _take(self, code_id: int, last: Reading | None, turn: datetime | None) -> None:
        """Reads a code, unless somebody else just did."""
        is_fresh = self._is_younger(SWEEP_FRESH, last.at if last else None, turn)
        if is_fresh or not await self._session.store.turns.take(code_id, self._now, turn):
            self.result.fresh += 1
        else:
            await self._read(code_id, last)

    def _is_younger(self, seconds: float, *moments: datetime | None) -> bool:
        return any(moment and 0 <= (self._now - moment).total_seconds() < seconds for moment in moments)

    @property
    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._session.now(), UTC)

    def _spend(self) -> None:
        self.result.requests += 1
        if self._left is not None:
            self._left -= 1

    # ---- the sweep ----

    async def _sweep(self, kept: Mapping[int, Reading], turns: Mapping[int, datetime]) -> list[int]:
        """The codes that need to be read, out of the pages that are kept or can be asked for."""
        listed = await self._history.latest_listed()
        codes = {code.id: code for code in await self._all_codes()}
        needed = [
            code.id
            for code in codes.values()
            if has_moved(code, kept.get(code.id), listed.get(code.id))
            or not self._is_younger(
                SWEEP_READ_AGE.total_seconds(), _moment_of(kept.get(code.id)), turns.get(code.id)
            )
        ]
        self.result.still = len(codes) - len(needed)
        return needed

    async def _all_codes(self) -> list[QrCode]:
        """The codes as listed, with their scans kept; pages the budget has no room for come next time."""
        source = self._client.qr.source
        size = await self._session.page_size(source.request().path) or SWEEP_PAGE_SIZE
        kept = dict(await self._session.recall_all(source.request(1, size)))
        found: list[QrCode] = []
        pager, number = Pager(), 1
        while (page := await self._page(number, size, kept.get(number))) is not None:
            found.extend(page.items)
            following = pager.next_page(page)
            if following is None:
                break
            number = following
        return found

    async def _page(self, number: int, size: int, kept: PageSnapshot | None) -> Page[QrCode] | None:
        """A page that was kept just now, else one asked for; None where the budget is spent."""
        source = self._client.qr.source
        if kept is not None and self._is_younger(self._list_age, kept.at):
            return source.read(kept.payload)
        if self._left == 0:
            return None
        self._spend()
        page = await source.page(number, size, options=_BACKGROUND)
        await self._session.keep(source.request(number, size), page.raw, self._session.now())
        await self._history.record_all(scans_of(page.items, self._now))
        return page

    # ---- one code ----

    async def _read(self, code_id: int, before: Reading | None) -> None:
        self._spend()
        try:
            answer = await self._client.qr.get(code_id, options=_BACKGROUND)
        except (KeyRefused, AdminRequired, NotSent):
            raise
        except ServiceError as error:
            self._fail(code_id, error)
            return
        self._failures = 0
        reading = reading_of(answer, self._now)
        if reading is not None:
            await self._history.record(code_id, reading)
        self.result.read += 1
        self._say(read_line(code_id, answer, reading, before))

    def _fail(self, code_id: int, error: ServiceError) -> None:
        """Says that a code could not be read. Raises the error where it is the last straw."""
        self.result.failed += 1
        self._failures += 1
        self._say(f"{code_id}: not read: {error}")
        if self._failures >= MOST_FAILURES:
            raise error


def has_moved(code: QrCode, last: Reading | None, listed: Reading | None) -> bool:
    """Whether the list tells other scans than the last reading, or than the list before it. Pure."""
    before = last if last is not None and last.scans is not None else listed
    return code.scans is not None and (before is None or before.scans != code.scans)


def _moment_of(reading: Reading | None) -> datetime | None:
    return reading.at if reading else None


def read_line(code_id: int, answer: QrReading, reading: Reading | None, before: Reading | None) -> str:
    """One code in one line: its name, its totals, what is new since it was read before."""
    name = f" {answer.code.name}"
    if reading is None or not has_statistics(reading):
        return f"{code_id}:{name}: no statistics"
    change = Change(before, reading) if before else None
    parts = []
    for total in TOTALS:
        delta = change.total(total) if change else None
        new = f" ({delta.words()})" if delta else ""
        value = reading.total(total)
        parts.append(f"{total} {'not told' if value is None else f'{value:,}'}{new}")
    return f"{code_id}:{name}: {', '.join(parts)}"
