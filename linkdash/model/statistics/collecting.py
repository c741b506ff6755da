"""Collects statistics without the app, for a cron job: within a budget of requests, from where it stopped.

Whose turn it is lies in the history's database, so that runs go on from each other, and two at the same time
share the codes. Requests go in the background lane, which leaves room for whoever sits at the app.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from linkdash.api.budget import Lane
from linkdash.api.errors import Rejected
from linkdash.api.exchange import Options
from linkdash.api.pages import Page, Pager
from linkdash.api.qr import QrCode, QrReading
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.statistics.readings import has_statistics, snapshot_of
from linkdash.store.changes import TOTALS, Snapshot, difference
from linkdash.store.pages import PageSnapshot
from linkdash.store.turns import by_turn

LIST_AGE = 86_400.0
"""Seconds for which a kept page of the list of codes is good enough to know which codes there are."""
FRESH = 60.0
"""Seconds for which a code that was read, here or by another program, is not read again."""
PAGE_SIZE = 100
"""Codes asked for at once, where the service's own cap is not known."""

_BACKGROUND = Options(lane=Lane.BACKGROUND)

Say = Callable[[str], None]


@dataclass
class Collected:
    """What a run did."""

    known: int = 0
    """Codes it could have read."""
    read: int = 0
    failed: int = 0
    fresh: int = 0
    """Codes that somebody else has just read."""
    requests: int = 0

    def __str__(self) -> str:
        parts = [f"{self.read} of {counted(self.known, 'code')} read"]
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.fresh} read a moment ago already"] if self.fresh else []
        left = self.known - self.read - self.failed - self.fresh
        rest = "; the next run goes on from here" if left > 0 else ""
        return f"{', '.join(parts)}, {counted(self.requests, 'request')}{rest}"


class Collector:
    """One run. `budget` is how many requests it may send, pages of the list included; None for any number."""

    def __init__(self, session: Session, say: Say, budget: int | None = None) -> None:
        self._session = session
        self._client = session.client
        self._say = say
        self._left = budget
        self.result = Collected()

    async def run(self, code_ids: Sequence[int] | None = None) -> Collected:
        """Reads these codes, or all there are, in turn until the budget is spent; says a line a code.

        Raises ServiceError for what concerns more than one code, and StoreUnavailable.
        """
        store = self._session.store
        latest, turns = await store.history.latest(), await store.turns.last()
        if code_ids is None:
            code_ids = await self._all_codes()
        read_at = {code_id: snapshot.at for code_id, snapshot in latest.items()}
        waiting = by_turn(code_ids, read_at, turns)
        self.result.known = len(waiting)
        for code_id in waiting:
            if self._left == 0:
                break
            last = turns.get(code_id)
            if self._is_fresh(last, read_at.get(code_id)) or not await store.turns.take(
                code_id, self._now, last
            ):
                self.result.fresh += 1
            else:
                await self._read(code_id, latest)
        return self.result

    def _is_fresh(self, *moments: datetime | None) -> bool:
        return any(moment and 0 <= (self._now - moment).total_seconds() < FRESH for moment in moments)

    @property
    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._session.now(), UTC)

    def _spend(self) -> None:
        self.result.requests += 1
        if self._left is not None:
            self._left -= 1

    # ---- which codes there are ----

    async def _all_codes(self) -> list[int]:
        """The codes on the pages that are kept or can be asked for; the rest come with the next run."""
        source = self._client.qr.source
        size = await self._session.page_size(source.request().path) or PAGE_SIZE
        kept = dict(await self._session.recall_all(source.request(1, size)))
        found: dict[int, None] = {}
        pager, number = Pager(), 1
        while (page := await self._page(number, size, kept.get(number))) is not None:
            found.update((code.id, None) for code in page.items)
            following = pager.next_page(page)
            if following is None:
                break
            number = following
        return [*found]

    async def _page(self, number: int, size: int, kept: PageSnapshot | None) -> Page[QrCode] | None:
        """A page that was kept not long ago, else one asked for; None where the budget is spent."""
        source = self._client.qr.source
        if kept is not None and 0 <= (self._now - kept.at).total_seconds() < LIST_AGE:
            return source.read(kept.payload)
        if self._left == 0:
            return None
        self._spend()
        page = await source.page(number, size, options=_BACKGROUND)
        await self._session.keep(source.request(number, size), page.raw, self._session.now())
        return page

    # ---- one code ----

    async def _read(self, code_id: int, latest: Mapping[int, Snapshot]) -> None:
        self._spend()
        try:
            reading = await self._client.qr.get(code_id, options=_BACKGROUND)
        except Rejected as error:
            self.result.failed += 1
            self._say(f"{code_id}: not read: {error}")
            return
        snapshot = snapshot_of(reading, self._now)
        if snapshot is not None:
            await self._session.store.history.record(code_id, snapshot)
        self.result.read += 1
        self._say(line(code_id, reading, snapshot, latest.get(code_id)))


def line(code_id: int, reading: QrReading, snapshot: Snapshot | None, before: Snapshot | None) -> str:
    """One code in one line: its name, its totals, what is new since it was read before."""
    name = f" {reading.code.name}" if reading.code.name else ""
    if snapshot is None or not has_statistics(snapshot):
        return f"{code_id}:{name}: no statistics"
    change = difference(before, snapshot) if before else None
    parts = []
    for total in TOTALS:
        delta = change.total(total) if change else None
        new = f" ({delta.words()})" if delta else ""
        value = snapshot.total(total)
        parts.append(f"{total} {'not told' if value is None else f'{value:,}'}{new}")
    return f"{code_id}:{name}: {', '.join(parts)}"
