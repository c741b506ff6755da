"""Reading the statistics of many codes, the least known first."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import CONCERN_EVERYTHING, ServiceError
from linkdash.api.http.request import Options
from linkdash.api.paging import Page, Pager
from linkdash.api.records import as_sent
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import read_line
from linkdash.model.statistics.readings import (
    reading_of,
    scans_of,
)
from linkdash.store.database import StoreAway
from linkdash.store.page_cache import PageSnapshot
from linkdash.store.reading import TOTALS, Reading
from linkdash.store.reading_claims import LONG_AGO, longest_unread_first

SWEEP_LIST_AGE = 600.0
"""Seconds for which a kept page of the list of codes is good enough; less than cron's quarter of an hour."""
SWEEP_FRESH = 60.0
"""Seconds for which a code that was read, here or by another program, is not read again."""
SWEEP_READ_AGE = timedelta(days=1)
"""After which a code is read although its scans did not move."""
MOST_FAILURES = 5
"""Failures one after the other that end a run: then it is not the codes that are at fault."""

_BACKGROUND = Options(lane=Lane.BACKGROUND)


@dataclass(frozen=True)
class CodeRead:
    """The end of the read of one code."""

    code_id: int
    name: str = ""
    """As the service sent it."""
    reading: Reading | None = None
    """None where it had no statistics, or could not be read."""
    error: ServiceError | None = None
    line: str = ""
    """The same for people."""

    @property
    def members(self) -> Mapping[str, object]:
        """The same for a program."""
        if self.error is not None:
            return {"id": self.code_id, "outcome": "failed", "message": str(self.error)}
        told: dict[str, object] = {"id": self.code_id, "outcome": "read", "name": self.name}
        return told | {total: self.reading.total(total) if self.reading else None for total in TOTALS}


Say = Callable[[CodeRead], None]


@dataclass
class Collected:
    """The result of a run."""

    known: int = 0
    """Codes it could have read."""
    still: int = 0
    """Codes whose scans did not move, so that they need not be read."""
    read: int = 0
    failed: int = 0
    failed_before: int = 0
    """Codes whose last read had failed, of those that are tried again."""
    failed_by: ServiceError | None = None
    """Why the last of those that failed did."""
    fresh: int = 0
    """Codes that another program has just read."""
    requests: int = 0
    ended_by: ServiceError | None = None
    """The error that ended the run before its time."""

    def __str__(self) -> str:
        parts = [f"{self.read} of {counted(self.known, 'code')} read"]
        parts += [f"{self.still} unchanged"] if self.still else []
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.failed_before} failed before"] if self.failed_before else []
        parts += [f"{self.fresh} already read a moment ago"] if self.fresh else []
        left = self.known - self.still - self.read - self.failed - self.fresh
        rest = f"; {left} left for the next run" if left > 0 else ""
        end = f". Stopped: {self.ended_by}" if self.ended_by else ""
        return f"{', '.join(parts)}, {counted(self.requests, 'request')}{rest}{end}"


class Collector:
    """A run. `budget` is how many requests it may send, pages of the list included; None for any number.

    The list tells the scans of a page of codes in one request. Only codes whose scans moved are read one by
    one, and each code at least once a day, because clicks can grow where scans do not. The claims lie
    in the history's database, so that runs go on from each other, and two at the same time share the codes.

    `list_age` is for how many seconds a kept page of the list is good enough.
    """

    def __init__(
        self, session: Session, say: Say, budget: int | None, *, list_age: float = SWEEP_LIST_AGE
    ) -> None:
        self._session = session
        self._history = session.store.history
        self._client = session.client
        self._say = say
        self._left = budget
        self._list_age = list_age
        self._failures = 0
        self.result = Collected()
        """The result so far, also where the run is cancelled."""

    async def run(self, code_ids: Sequence[int] | None = None) -> Collected:
        """Read these codes, or of all there are those that need it, one by one until the budget is spent.

        Says how each code ended. A code that cannot be read is said and counted, and the run goes on; what
        concerns every code ends it. Raises StoreUnavailable.
        """
        known = await self._known()
        try:
            wanted = code_ids if code_ids is not None else await self._sweep(known)
            waiting = longest_unread_first(wanted, known.read_at, known.claimed, known.failed)
            self.result.known = len(waiting) + self.result.still
            for code_id in waiting:
                if self._left == 0:
                    break
                await self._take(code_id, known)
        except ServiceError as error:
            self.result.ended_by = error
        return self.result

    async def _known(self) -> "_KnownReadings":
        """The earlier readings. While a team's database is away, those that wait here for it."""
        history, claims = self._history, self._session.store.claims
        try:
            kept, listed = await history.latest(), await history.latest_listed()
            return _KnownReadings(kept, listed, await claims.last(), await claims.failed())
        except StoreAway:
            return _KnownReadings(*await history.latest_in_outbox())

    async def _take(self, code_id: int, known: "_KnownReadings") -> None:
        """Read a code, unless another program just did. A claim of which no reading came is released."""
        claims, at = self._session.store.claims, self._now
        last, claim = known.kept.get(code_id), known.claimed.get(code_id)
        is_fresh = self._is_younger(SWEEP_FRESH, last.at if last else None, claim)
        if is_fresh or not await claims.claim(code_id, at, claim):
            self.result.fresh += 1
            return
        try:
            await self._read(code_id, known)
        except ServiceError as error:
            concerns_all = isinstance(error, CONCERN_EVERYTHING)
            await claims.release(code_id, at, claim, failed=not concerns_all)
            if concerns_all:
                raise
            self._fail(code_id, error)
        except BaseException:
            await asyncio.shield(claims.release(code_id, at, claim, failed=False))
            raise

    def _is_younger(self, seconds: float, *moments: datetime | None) -> bool:
        return any(moment and 0 <= (self._now - moment).total_seconds() < seconds for moment in moments)

    @property
    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._session.now(), UTC)

    @contextmanager
    def _spending(self) -> Iterator[None]:
        """Count the requests that leave in the block: a read that fails in passing is asked again."""
        exchanges = self._client.connection.exchanges
        before = exchanges.begun
        try:
            yield
        finally:
            sent = exchanges.begun - before
            self.result.requests += sent
            if self._left is not None:
                self._left = max(0, self._left - sent)

    # ---- the sweep ----

    async def _sweep(self, known: "_KnownReadings") -> list[int]:
        """The codes that need to be read, out of the pages that are kept or can be asked for."""
        codes = {code.id: code for code in await self._all_codes()}
        needed = [
            code.id
            for code in codes.values()
            if has_moved(code, known.kept.get(code.id), known.listed.get(code.id))
            or known.has_failed(code.id)
            or not self._is_younger(
                SWEEP_READ_AGE.total_seconds(), known.read_at.get(code.id), known.claimed.get(code.id)
            )
        ]
        self.result.still = len(codes) - len(needed)
        return needed

    async def _all_codes(self) -> list[QrCode]:
        """The codes as listed, with their scans kept; pages the budget has no room for come next time."""
        source = self._client.qr.source
        size = await self._session.page_size(source.request().path)
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
            return await source.read(kept.payload)
        if self._left == 0:
            return None
        with self._spending():
            page = await source.page(number, size, options=_BACKGROUND)
        await self._session.keep(source.request(number, size), page.raw, self._session.now())
        at = self._session.moment_of_answer(self._session.now())
        await self._history.record_all(scans_of(page.items, at))
        return page

    # ---- one code ----

    async def _read(self, code_id: int, known: "_KnownReadings") -> None:
        """Raise ServiceError."""
        self.result.failed_before += known.has_failed(code_id)
        with self._spending():
            answer = await self._client.qr.get(code_id, options=_BACKGROUND)
        self._failures = 0
        reading = reading_of(answer, self._session.moment_of_answer(self._session.now()))
        if reading is not None:
            await self._history.record(code_id, reading)
        self.result.read += 1
        line = read_line(code_id, answer, reading, known.kept.get(code_id))
        line = f"{line} (failed before)" if known.has_failed(code_id) else line
        self._say(CodeRead(code_id, as_sent(answer.code).name, reading, line=line))

    def _fail(self, code_id: int, error: ServiceError) -> None:
        """Say that a code could not be read. Raises the error where it is the last straw."""
        self.result.failed += 1
        self.result.failed_by = error
        self._failures += 1
        self._say(CodeRead(code_id, error=error, line=f"{code_id}: not read: {error}"))
        if self._failures >= MOST_FAILURES:
            raise error


@dataclass(frozen=True)
class _KnownReadings:
    """The readings of each code before a run, by id."""

    kept: Mapping[int, Reading]
    listed: Mapping[int, Reading]
    claimed: Mapping[int, datetime] = field(default_factory=dict)
    failed: Mapping[int, datetime] = field(default_factory=dict)

    @cached_property
    def read_at(self) -> Mapping[int, datetime]:
        """The moment at which each code was read last."""
        return {code_id: reading.at for code_id, reading in self.kept.items()}

    def has_failed(self, code_id: int) -> bool:
        """Return whether the last read of a code failed."""
        read = max(known.get(code_id, LONG_AGO) for known in (self.read_at, self.claimed))
        return self.failed.get(code_id, LONG_AGO) > read


def has_moved(code: QrCode, last: Reading | None, listed: Reading | None) -> bool:
    """Return whether the list tells other scans than the last reading, or than the list before it. Pure."""
    before = last if last is not None and last.scans is not None else listed
    return code.scans is not None and (before is None or before.scans != code.scans)
