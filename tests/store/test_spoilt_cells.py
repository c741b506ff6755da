"""Damage: whatever a cell of a store holds, what can be read is read, the rest is told, and nothing fails."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from linkdash.store.alerts import Alert
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal_entry import Author, JournalEntry, Outcome, WriteIntent, new_origin
from linkdash.store.reading import Reading
from linkdash.store.store import Store, prune

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
INTENT = WriteIntent("pixels", "update", (7,), {"name": "New"}, before={"name": "Old"})
SPOILT = ["nope", b"\xff\x00", 2**62, "[]", "0001-01-01T00:00:00+00:00"]

NEWS = {1: [Reading(NOON, 50, 50, 50), Reading(NOON, scans=50)]}

Read = Callable[[Store], Awaitable[object]]


async def shown(store: Store) -> list[str]:
    """The entries of the journal as they are told."""
    return [_shown(entry) for entry in await store.journal.recent(100)]


def _shown(entry: JournalEntry) -> str:
    texts = (*entry.intent.names, entry.message, entry.method, entry.path, entry.outcome_words)
    settled = entry.settlement.message.strip() if entry.settlement else ""
    moments = f"{entry.begun.astimezone():%H:%M} {entry.ended or entry.begun:%H:%M}"
    return (
        f"{moments} {entry.requests:,} {entry.record_id} {entry.author} {settled} {' '.join(texts).strip()}"
    )


STATE: dict[str, Read] = {
    "journal": lambda store: shown(store),
    "journal of a record": lambda store: store.journal.of_record("pixels", 7),
    "authors": lambda store: store.journal.authors(),
    "unknown": lambda store: store.journal.unknown(),
    "updates": lambda store: store.journal.updates_since("pixels", 7, NOON - timedelta(days=900)),
    "created": lambda store: store.journal.created("pixels"),
    "last change": lambda store: store.journal.last_change("pixels"),
    "jobs": lambda store: store.jobs.recent(9),
    "imports": lambda store: store.jobs.imports(),
    "jobs to go on": lambda store: store.jobs.to_go_on([INTENT]),
    "alerts": lambda store: store.alerts.raised(),
    "settled alerts": lambda store: store.alerts.settle(lambda raised: ([], [])),
    "draft": lambda store: store.drafts.load("pixels/create"),
    "preference": lambda store: store.preferences.load("columns/qr"),
    "what is deleted when it is old": lambda store: store._state.run(prune),
}
CACHE: dict[str, Read] = {
    "pages": lambda store: store.pages.all_pages("/api/pixels", None),
    "page sizes": lambda store: store.pages.page_sizes(),
}
HISTORY: dict[str, Read] = {
    "readings": lambda store: store.history.readings(1),
    "readings of all": lambda store: store.history.readings_of([1, 2]),
    "latest": lambda store: store.history.latest(),
    "latest listed": lambda store: store.history.latest_listed(),
    "scans": lambda store: store.history.scans(NOON - timedelta(days=30)),
    "last look": lambda store: store.history.last_look(1),
    "history's state": lambda store: store.history.state(),
    "claims": lambda store: store.claims.last(),
    "failed reads": lambda store: store.claims.failed(),
    "recording": lambda store: store.history.record_all(
        {1: [Reading(NOON, 50, 50, 50), Reading(NOON, scans=50)]}
    ),
    "claiming": lambda store: store.claims.claim(1, NOON, None),
}
READS = {"state.db": STATE, "history.db": HISTORY, "cache.db": CACHE}


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Store]:
    store = Store(folder, folder, "mine", author=Author("ann", "laptop"))
    try:
        yield store
    finally:
        await store.close()


async def fill(folder: Path) -> None:
    """Keep something of every kind."""
    async with opened(folder) as store:
        entry = await store.journal.open_entry(INTENT, "PUT", "/api/pixel/7/update", new_origin())
        await store.journal.close_entry(entry, Outcome.DONE)
        job = await store.jobs.create("rename", [INTENT], NOON)
        await store.jobs.hold(job.id)
        await store.alerts.settle(lambda raised: ([Alert("drop", "qr 1", "fell", NOON)], []))
        await store.drafts.save("pixels/create", {"name": "Half"}, NOON)
        await store.preferences.save("columns/qr", ["name"])
        await store.pages.save("/api/pixels", {"page": 1}, {"data": []}, NOON)
        await store.pages.learn_page_size("/api/pixels", 100)
        for day in range(40):
            at = NOON + timedelta(days=day - 40)
            countries = {f"land {number}": day * number for number in range(60)}
            full = Reading(at, day, day, day, {"countries": countries})
            await store.history.record_all({1: [full, Reading(at, scans=day)]})
        await store.history.mark_looked(1, NOON)
        await store.claims.claim(1, NOON, None)
        await store.claims.claim(2, NOON, None)
        await store.claims.release(2, NOON, None, failed=True)


def cells(file: sqlite3.Connection) -> list[tuple[str, str]]:
    """Table and column of each kind of cell."""
    tables = [row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return [
        (table, row[1])
        for table in tables
        for row in file.execute(f"PRAGMA table_info({table})")
        if row[1] != "profile" and not (row[5] and row[2] == "INTEGER")
    ]


async def test_no_spoilt_cell_makes_reading_fail(tmp_path: Path) -> None:
    """Each cell is spoilt before a store is opened, and then in another way in what is open."""
    await fill(tmp_path)
    failures = []
    for name in READS:
        with (
            closing(sqlite3.connect(":memory:")) as whole,
            closing(sqlite3.connect(tmp_path / name, isolation_level=None)) as file,
        ):
            file.execute("PRAGMA synchronous = OFF")
            file.backup(whole)
            for table, column in cells(file):
                _spoil(file, table, column, SPOILT[-1])
                async with opened(tmp_path) as store:
                    for spoilt in SPOILT[::-1]:
                        if spoilt is not SPOILT[-1]:
                            whole.backup(file)
                            _spoil(file, table, column, spoilt)
                        for what, read in READS[name].items():
                            try:
                                repr(await read(store))
                            except StoreUnavailable:  # told, and work goes on without it
                                pass
                            except Exception as error:  # noqa: BLE001  all of them are told together
                                failures.append(f"{table}.{column} = {spoilt!r}: {what}: {error!r}"[:150])
                whole.backup(file)
    assert not failures, "\n".join(failures)


def _spoil(file: sqlite3.Connection, table: str, column: str, spoilt: object) -> None:
    with suppress(sqlite3.IntegrityError):  # no such thing gets into it
        file.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (spoilt,))


async def test_readings_are_kept_beside_those_that_cannot_be_read_any_more(tmp_path: Path) -> None:
    await fill(tmp_path)
    with closing(sqlite3.connect(tmp_path / "history.db")) as file, file:
        file.execute("UPDATE series SET newest = ?", (b"damaged",))
    async with opened(tmp_path) as store:
        await store.history.record_all(NEWS)
        kept = await store.history.readings(1)
        assert [reading.at for reading in kept][-2:] == [NOON, NOON]
        assert (await store.history.latest())[1].clicks == 50
        assert store.notices == ("history.db: some readings cannot be read and are left out.",)
    with closing(sqlite3.connect(tmp_path / "history.db")) as file:
        assert (b"damaged",) in file.execute("SELECT newest FROM segments").fetchall()
