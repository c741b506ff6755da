"""The demo's past, written into the files of its run, so that there is something to look back at."""

import asyncio
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path

from linkdash.api.http.address import profile_key
from linkdash.demo.past import (
    DAYS,
    LIST_OF_CODES,
    Codes,
    KeptPage,
    MadeChange,
    Past,
    history,
    kept_pages,
    listed,
    made_changes,
    opened_records,
    pages_of_channels,
    watched_codes,
)
from linkdash.demo.server import Running
from linkdash.store.belongings import Belongings
from linkdash.store.database import KnownAccount, Owner, StoreUnavailable
from linkdash.store.history import History
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Author, Outcome, WriteIntent
from linkdash.store.page_cache import Pages
from linkdash.store.preferences import Preferences
from linkdash.store.reading import Reading
from linkdash.store.recents import KeptRecents, RecentRecord, load, save
from linkdash.store.schemas import (
    CACHE_BELONGINGS,
    CACHE_SCHEMA,
    HISTORY_BELONGINGS,
    HISTORY_SCHEMA,
    STATE_BELONGINGS,
    STATE_SCHEMA,
)
from linkdash.store.sqlite import SqliteDatabase

_AT_ONCE = 8  # codes that are written together
_LATER = 2.0  # seconds: the first screen is there by then


class DemoHistory:
    """The history that a user of the demo would have: pages of every list, a journal, weeks of statistics.

    Where the store is not usable nothing more is written; the dashboard says that itself.
    """

    def __init__(self, running: Running, state: Path, cache: Path, author: Author | None = None) -> None:
        """`state` and `cache` are folders; `author` is who has changed something, without one this user."""
        self._running = running
        self._service = running.service
        self._state, self._cache = state, cache
        self._author = author or Author.here()
        self._key = profile_key(running.base_url, running.api_key)
        self._account = KnownAccount()
        self._stop = threading.Event()
        self._rest = threading.Thread(target=lambda: asyncio.run(self._write_rest(_LATER)), name="history")

    def write(self, *, history: bool = True) -> None:
        """Write all of it, or without `history` what the first screen shows."""
        asyncio.run(self._write_first())
        if history:
            asyncio.run(self._write_rest())

    def write_history(self, codes: Collection[int] = (), days: int = DAYS) -> None:
        """Write what looks back at codes alone: their list, and the last days of their statistics.

        Without `codes`, that of all.
        """
        only = {id: created for id, created in self._service.codes.items() if not codes or id in codes}
        asyncio.run(self._write_codes(only, days))

    def write_beside(self) -> None:
        """Write what the first screen shows, and begin to write the rest in a thread of its own."""
        asyncio.run(self._write_first())
        self._rest.start()

    def close(self) -> None:
        """End that thread."""
        self._stop.set()
        if self._rest.ident is not None:
            self._rest.join()

    async def _write_first(self) -> None:
        with suppress(StoreUnavailable):
            await self._write_pages()
            await self._write_state()
            await self._write_scans()

    async def _write_codes(self, codes: Codes, days: int) -> None:
        with suppress(StoreUnavailable):
            await self._write_pages(LIST_OF_CODES)
            await self._write_scans(codes)
        await self._write_rest(codes=codes, days=days)

    async def _write_scans(self, codes: Codes | None = None) -> None:
        """Write what the list told of every code, or of some, day by day."""
        owner = self._owner(HISTORY_BELONGINGS)
        async with SqliteDatabase.open(self._state / "history.db", HISTORY_SCHEMA, owner=owner) as database:
            past = listed(self._service.codes if codes is None else codes, *self._origin)
            readings = {code_id: [*map(_reading, of_code)] for code_id, of_code in past.items()}
            await History(database, owner.name).record_all(readings)

    async def _write_rest(self, later: float = 0.0, codes: Codes | None = None, days: int = DAYS) -> None:
        if await asyncio.to_thread(self._stop.wait, later):
            return
        if codes is None:
            with suppress(StoreUnavailable):
                await self._save(self._running.ask(lambda service: [*pages_of_channels(service)]))
        owner = self._owner(HISTORY_BELONGINGS)
        try:
            async with SqliteDatabase.open(
                self._state / "history.db", HISTORY_SCHEMA, owner=owner
            ) as database:
                kept = History(database, owner.name)
                made = history(self._service.codes if codes is None else codes, *self._origin, days)
                while some := dict(islice(made, _AT_ONCE)):
                    if self._stop.is_set():
                        return
                    await kept.record_all({code_id: [*map(_reading, of)] for code_id, of in some.items()})
        except StoreUnavailable:
            return

    def _owner(self, belongings: Belongings) -> Owner:
        return belongings.owner(self._key, self._account)

    @property
    def _origin(self) -> tuple[int, float, float]:
        return self._service.seed, self._service.made, self._service.settings.clock()

    async def _write_pages(self, only: str = "") -> None:
        await self._save(self._running.ask(lambda service: [*kept_pages(service, only)]))

    async def _save(self, found: Sequence[KeptPage]) -> None:
        owner = self._owner(CACHE_BELONGINGS)
        async with SqliteDatabase.open(self._cache / "cache.db", CACHE_SCHEMA, owner=owner) as database:
            pages = Pages(database, owner.name)
            for page in found:
                await pages.save(page.path, page.params, page.data, _moment(page.at), in_haste=True)
                if "limit" in page.params:
                    await pages.learn_page_size(page.path, int(page.params["limit"]))

    async def _write_state(self) -> None:
        """Write the journal and the recents, unless they were kept from an earlier run."""
        changes = self._running.ask(made_changes)
        recent = tuple(RecentRecord(**one._asdict()) for one in self._running.ask(opened_records))
        recents = KeptRecents(recent=recent, watched=self._running.ask(watched_codes))
        now = self._service.settings.clock()
        owner = self._owner(STATE_BELONGINGS)
        async with SqliteDatabase.open(self._state / "state.db", STATE_SCHEMA, owner=owner) as database:
            preferences = Preferences(database, owner.name)
            if await load(preferences) != KeptRecents():
                return
            for change in changes:
                clock = partial(_moment, now - change.seconds)
                await _record(Journal(database, owner.name, clock, self._author), change)
            await save(preferences, recents)


async def _record(journal: Journal, change: MadeChange) -> None:
    intent = WriteIntent(change.resource, change.action, change.ids, change.sent, change.names, change.before)
    entry = await journal.open_entry(intent, change.method, change.path)
    await journal.close_entry(entry, Outcome(change.outcome), change.message)
    if change.found:
        await journal.settle(entry.id, happened=True, message=change.found)


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _reading(past: Past) -> Reading:
    return Reading(_moment(past.at), past.clicks, past.unique, past.scans, past.breakdowns)
