"""The account that owns what is kept: whatever its key is, nothing is lost, and nothing is there twice."""

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linkdash.store import jobs
from linkdash.store.alerts import Alert
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal_entry import OpenEntry, Outcome, WriteIntent
from linkdash.store.page_cache import PAGES_SCHEMA
from linkdash.store.reading import Reading
from linkdash.store.store import Store
from tests.postgres import PostgresServer
from tests.store.killed import can_kill, lines_until_killed

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DELETION = WriteIntent("pixels", "delete", (7,), {}, ("Ads",))

Opened = Callable[[str], Store]


@pytest.fixture(params=["files", pytest.param("team", marks=pytest.mark.nightly)])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opened]:
    """A function that opens the store of a key, as another program would."""
    team: str | None = None
    if request.param == "team":
        server: PostgresServer = request.getfixturevalue("postgresql")
        team = server.url(server.new_database())
    stores: list[Store] = []

    def open_store(key: str) -> Store:
        stores.append(Store(tmp_path, tmp_path, key, team=team))
        return stores[-1]

    yield open_store
    for store in stores:
        await store.close()


async def written(store: Store) -> OpenEntry:
    """Begin one more write, and leave it on its way."""
    return await store.journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete")


async def fill(store: Store, scans: int, at: datetime) -> None:
    """Keep something of every kind."""
    await store.journal.close_entry(await written(store), Outcome.DONE)
    await store.jobs.create(f"delete {scans}", [DELETION], at)
    await store.drafts.save("pixels/create", {"name": f"{scans}"}, at)
    await store.preferences.save("views/qr", [{"name": f"{scans}"}, {"name": "same", "filter": f"{scans}"}])
    await store.preferences.save("filters/qr", [f"{scans}"])
    await store.pages.save("/api/qr", {"page": 1}, [{"id": scans}], at)
    await store.pages.learn_page_size("/api/qr", scans)
    for hours in range(2):
        await store.history.record(7, Reading(at + 2 * hours * HOUR, clicks=1, scans=scans + hours))
        await store.history.record(7, Reading(at + 2 * hours * HOUR, scans=scans + hours))
    await store.history.mark_looked(7, at)
    await store.claims.claim(7, at, None)
    await store.claims.release(8, at, None, failed=True)
    await store.alerts.settle(lambda _: ([Alert("quiet", "qr 7", f"{scans}", at)], ()))


async def test_what_two_keys_of_an_account_have_kept_is_the_accounts(opened: Opened) -> None:
    await fill(opened("key one"), 10, NOON)
    await fill(opened("key two"), 20, NOON + HOUR)
    one, two = opened("key one"), opened("key two")
    await one.belong_to("account")
    assert [reading.scans for reading in await one.history.readings(7)] == [10, 10, 11, 11]
    await two.belong_to("account")
    for store in (one, two, opened("key one"), opened("key two")):
        assert len(await store.journal.recent()) == 2
        assert {job.title for job in await store.jobs.unfinished()} == {"delete 10", "delete 20"}
        (draft,) = await store.drafts.all()
        assert draft.values == {"name": "20"}, "the later one of a form stays"
        views = await store.preferences.load("views/qr")
        assert views == [{"name": "10"}, {"name": "20"}, {"name": "same", "filter": "10"}]
        assert await store.preferences.load("filters/qr") == ["10"]
        (page,) = await store.pages.all_pages("/api/qr", None)
        assert page.payload == [{"id": 20}]
        readings = await store.history.readings(7)
        assert [reading.scans for reading in readings] == [10, 10, 20, 20, 11, 11, 21, 21]
        assert {id: reading.scans for id, reading in (await store.history.latest()).items()} == {7: 21}
        told = (await store.history.scans(NOON + 3 * HOUR))[7]
        assert [count for _, count in told][-1] == 21
        assert await store.history.last_look(7) == NOON + HOUR
        assert await store.claims.last() == {7: NOON + HOUR}
        assert await store.claims.failed() == {8: NOON + HOUR}
        assert [alert.message for alert in await store.alerts.raised()] == ["10"]


async def test_two_accounts_at_one_address_stay_apart(opened: Opened) -> None:
    for key in ("one", "two"):
        await fill(opened(key), 10, NOON)
        await opened(key).belong_to(f"account of {key}")
    for key in ("one", "two"):
        assert len(await opened(key).journal.recent()) == 1
        assert len(await opened(key).history.readings(7)) == 4


async def test_a_program_that_does_not_know_the_account_yet_goes_on_while_another_learns_it(
    opened: Opened,
) -> None:
    running, other, second = opened("key"), opened("key"), opened("second key")
    begun = await written(running)
    job = await running.jobs.create("delete 1", [DELETION], NOON)
    assert await running.jobs.hold(job.id)
    await other.belong_to("account")
    await second.belong_to("account")
    await running.journal.close_entry(begun, Outcome.DONE)
    assert await running.jobs.hold(job.id)
    await running.history.record(7, Reading(NOON, scans=1))
    await written(running)
    for store in (running, other, second):
        assert {entry.outcome for entry in await store.journal.recent()} >= {Outcome.DONE}
        assert len(await store.journal.recent()) == 2
        assert len(await store.history.readings(7)) == 1


async def test_programs_that_learn_it_at_the_same_time_lose_nothing(opened: Opened) -> None:
    stores = [opened(key) for key in ("one", "two", "one", "two")]

    async def busy(store: Store, number: int) -> None:
        for at in range(8):
            if at == number + 2:
                await store.belong_to("account")
            await written(store)
            await store.history.record(7, Reading(NOON + (4 * at + number) * HOUR, scans=4 * at + number))

    await asyncio.gather(*(busy(store, number) for number, store in enumerate(stores)))
    assert len(await stores[0].journal.recent()) == 32
    assert [one.scans for one in await stores[0].history.readings(7)] == [*range(32)]


async def test_a_key_that_is_another_accounts_now_leaves_what_was_kept_to_the_former(opened: Opened) -> None:
    store = opened("key")
    await store.belong_to("account")
    await written(store)
    await store.belong_to("another")
    assert await store.journal.recent() == []
    assert await opened("key").journal.recent() == []
    former = opened("former key")
    await former.belong_to("account")
    assert len(await former.journal.recent()) == 1


async def test_what_could_not_be_taken_over_is_when_the_account_is_told_again(tmp_path: Path) -> None:
    """Each database has it of its own: a program may be killed after the first."""

    async def fail() -> None:
        raise StoreUnavailable("history.db: the disk is full.")

    async with reopened(tmp_path, "key") as store:
        await store.history.record(7, Reading(NOON, scans=1))
        assert store._history is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store._history, "settle", fail)
            with pytest.raises(StoreUnavailable):
                await store.belong_to("account")
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        async with reopened(tmp_path, "key") as store:
            await store.history.readings(7)  # opened before the other is, which tells the account
            other.execute("ROLLBACK")
            await store.journal.recent()
            await store.belong_to("account")
    async with reopened(tmp_path, "new key") as store:
        await store.belong_to("account")
        assert len(await store.history.readings(7)) == 1


@pytest.mark.nightly
async def test_in_a_team_one_machine_learns_it_for_all(postgresql: PostgresServer, tmp_path: Path) -> None:
    team = postgresql.url(postgresql.new_database())
    first, second = (Store(tmp_path / name, tmp_path / name, "key", team=team) for name in ("desk", "laptop"))
    await second.drafts.save("pixels/create", {"name": "mine"}, NOON)
    await written(first)
    await first.belong_to("account")
    assert len(await second.journal.recent()) == 1
    assert len(await second.drafts.all()) == 1
    await second.close()
    third = Store(tmp_path / "laptop", tmp_path / "laptop", "new key", team=team)
    await third.belong_to("account")
    assert len(await third.drafts.all()) == 1, "what is kept on the machine is the account's, too"
    for store in (first, third):
        await store.close()


async def test_a_store_of_the_version_that_kept_all_under_the_key_is_taken_over(tmp_path: Path) -> None:
    store = Store(tmp_path, tmp_path, "key")
    await fill(store, 10, NOON)
    await store.close()
    since = [("journal", "facts"), ("journal", "kept"), ("job_items", "facts")]
    for name, table in (("cache", "accounts"), ("state", "accounts"), ("history", "history_accounts")):
        later = since if name == "state" else []
        by_the_journal = jobs.BY_THE_JOURNAL if name == "state" else ()
        exports = PAGES_SCHEMA if name == "state" else ()
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as file:
            file.execute(f"DROP TABLE {table}")
            for of, column in later:
                file.execute(f"ALTER TABLE {of} DROP COLUMN {column}")
            if exports:
                file.execute("DROP TABLE pages")
            if by_the_journal:
                file.execute("ALTER TABLE job_items DROP COLUMN row_key")
                file.execute("ALTER TABLE job_items ADD COLUMN state TEXT NOT NULL DEFAULT 'pending'")
                file.execute("ALTER TABLE job_items ADD COLUMN message TEXT NOT NULL DEFAULT ''")
                file.execute(jobs.PARTICIPANTS[0])
            (version,) = file.execute("PRAGMA user_version").fetchone()
            file.execute(
                f"PRAGMA user_version = {version - 1 - len(later) - len(by_the_journal) - len(exports)}"
            )
            file.commit()
    async with reopened(tmp_path, "key") as store:
        assert len(await store.journal.recent()) == 1
        await store.belong_to("account")
    async with reopened(tmp_path, "new key") as store:
        await store.belong_to("account")
        assert len(await store.journal.recent()) == 1
        assert len(await store.history.readings(7)) == 4
        assert store.notices == ()


@asynccontextmanager
async def reopened(folder: Path, key: str) -> AsyncIterator[Store]:
    store = Store(folder, folder, key)
    yield store
    await store.close()


# ---- kill -9 ----

LEARNING = """
import asyncio, sys
from datetime import UTC, datetime, timedelta
from linkdash.store.journal_entry import WriteIntent
from linkdash.store.reading import Reading
from linkdash.store.store import Store
from pathlib import Path

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DELETION = WriteIntent("pixels", "delete", (7,), {}, ("Ads",))

async def main():
    folder, key, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    store = Store(folder, folder, key)
    for at in range(30):
        moment = number * 100 + at
        entry = await store.journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete")
        print("entry", entry.id, flush=True)
        await store.history.record(7, Reading(NOON + timedelta(hours=moment), scans=moment))
        await store.preferences.save(f"columns/{moment}", [moment])
        print("kept", moment, flush=True)
        if at == 5:
            await store.belong_to("account")
            print("settled", flush=True)
    print("over", flush=True)
    sys.stdin.read()

asyncio.run(main())
"""


@can_kill
def test_whenever_a_program_is_killed_nothing_is_lost_and_nothing_there_twice(tmp_path: Path) -> None:
    chance = random.Random(7)
    entries: set[str] = set()
    kept: set[int] = set()
    for run in range(8):
        after = chance.choice((11, 12, 12, 13, 14, 20))  # most of them in or beside the taking over
        key = chance.choice(("one", "two", f"key {run}"))
        lines = lines_until_killed(LEARNING, str(tmp_path), key, str(run), after=after)
        entries |= {line.split()[1] for line in lines if line.startswith("entry")}
        kept |= {int(line.split()[1]) for line in lines if line.startswith("kept")}

    async def check() -> None:
        for key in ("one", "two", *(f"key {run}" for run in range(8))):
            async with reopened(tmp_path, key) as store:
                await store.belong_to("account")
        async with reopened(tmp_path, "two") as store:
            found = [f"{entry.id}" for entry in await store.journal.recent(1_000)]
            assert len(found) == len({*found})
            assert {*found} >= entries
            scans = [one.scans for one in await store.history.readings(7)]
            assert len(scans) == len({*scans})
            assert {*scans} >= kept
            assert all([await store.preferences.load(f"columns/{moment}") for moment in kept])

    asyncio.run(check())
