"""Collects statistics without the dashboard, for a cron job: a sweep over the list of codes, within a budget.

The list tells the scans of a page of codes in one request. Only codes whose scans moved are read one by one,
and each code at least once a day, because clicks can grow where scans do not. Whose turn it is lies in the
history's database, so that runs go on from each other, and two at the same time share the codes. Requests go
in the background lane, which leaves room for whoever sits at the dashboard.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from linkdash.api.budget import Lane
from linkdash.api.errors import AdminRequired, KeyRefused, NotSent, ServiceError
from linkdash.api.exchange import Options
from linkdash.api.pages import Page, Pager
from linkdash.api.qr import QrCode, QrReading
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.statistics.readings import Change, has_statistics, reading_of, scans_of
from linkdash.store.history import TOTALS, Reading, by_turn
from linkdash.store.pages import PageSnapshot

LIST_AGE = 600.0
"""Seconds for which a kept page of the list of codes is good enough; less than cron's quarter of an hour."""
FRESH = 60.0
"""Seconds for which a code that was read, here or by another program, is not read again."""
READ_AGE = timedelta(days=1)
"""After which a code is read although its scans did not move."""
PAGE_SIZE = 100
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

    `list_age` is for how many seconds a kept page of the list is good enough.
    """

    def __init__(
        self, session: Session, say: Say, budget: int | None = None, *, list_age: float = LIST_AGE
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
        latest, turns = await self._history.latest(), await self._session.store.turns.last()
        read_at = {code_id: reading.at for code_id, reading in latest.items()}
        try:
            wanted = code_ids if code_ids is not None else await self._sweep(latest, turns)
            waiting = by_turn(wanted, read_at, turns)
            self.result.known = len(waiting) + self.result.still
            for code_id in waiting:
                if self._left == 0:
                    break
                await self._take(code_id, latest.get(code_id), turns.get(code_id))
        except ServiceError as error:
            self.result.ended_by = error
        return self.result

    async def _take(self, code_id: int, latest: Reading | None, turn: datetime | None) -> None:
        """Reads a code, unless somebody else just did."""
        is_fresh = self._is_younger(FRESH, latest.at if latest else None, turn)
        if is_fresh or not await self._session.store.turns.take(code_id, self._now, turn):
            self.result.fresh += 1
        else:
            await self._read(code_id, latest)

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

    async def _sweep(self, latest: Mapping[int, Reading], turns: Mapping[int, datetime]) -> list[int]:
        """The codes that need to be read, out of the pages that are kept or can be asked for."""
        listed = await self._history.latest_listed()
        codes = {code.id: code for code in await self._all_codes()}
        needed = [
            code.id
            for code in codes.values()
            if has_moved(code, latest.get(code.id), listed.get(code.id))
            or not self._is_younger(READ_AGE.total_seconds(), _at(latest.get(code.id)), turns.get(code.id))
        ]
        self.result.still = len(codes) - len(needed)
        return needed

    async def _all_codes(self) -> list[QrCode]:
        """The codes as listed, with their scans kept; pages the budget has no room for come next time."""
        source = self._client.qr.source
        size = await self._session.page_size(source.request().path) or PAGE_SIZE
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
        self._say(line(code_id, answer, reading, before))

    def _fail(self, code_id: int, error: ServiceError) -> None:
        """Says that a code could not be read. Raises the error where it is the last straw."""
        self.result.failed += 1
        self._failures += 1
        self._say(f"{code_id}: not read: {error}")
        if self._failures >= MOST_FAILURES:
            raise error


def has_moved(code: QrCode, latest: Reading | None, listed: Reading | None) -> bool:
    """Whether the list tells other scans than the last reading, or than the list before it. Pure."""
    before = latest if latest is not None and latest.scans is not None else listed
    return code.scans is not None and (before is None or before.scans != code.scans)


def _at(reading: Reading | None) -> datetime | None:
    return reading.at if reading else None


def line(code_id: int, answer: QrReading, reading: Reading | None, before: Reading | None) -> str:
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
