"""Page snapshots: what was answered comes back with its time, in bounded room, without secrets."""

import asyncio
import itertools
import os
import threading
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkdash.api.http.secrecy import MASK, is_secret
from linkdash.store import page_cache as pages_module
from linkdash.store.database import Database, StoreUnavailable
from linkdash.store.page_cache import SCHEMA, Pages, PageSnapshot, Params
from linkdash.store.sqlite import SqliteDatabase
from tests.waiting import DEADLINE

T = TypeVar("T")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    async with SqliteDatabase.open(tmp_path / "cache.db", SCHEMA) as database:
        yield database


def page(number: int) -> Params:
    return {"limit": 100, "page": number}


def noise(size: int) -> str:
    """Text that cannot be compressed to less than `size` bytes."""
    return os.urandom(size).hex()


async def test_the_last_answer_to_a_request_counts(database: Database) -> None:
    pages = Pages(database, "mine")
    await pages.save("pixels", page(1), {"pixels": [{"id": 1}]}, NOON)
    await pages.save("pixels", {"page": 1, "limit": 100}, {"pixels": []}, NOON + timedelta(hours=1))
    assert await pages.load("pixels", page(1)) == PageSnapshot(
        page(1), {"pixels": []}, NOON + timedelta(hours=1)
    )
    assert await pages.load("pixels", page(2)) is None
    assert await pages.load("qr", page(1)) is None
    assert await Pages(database, "another").load("pixels", page(1)) is None


async def test_pages_of_a_resource_come_in_their_order(database: Database) -> None:
    pages = Pages(database, "mine")
    for number in (10, 2, 1):
        await pages.save("pixels", page(number), {"currentpage": number}, NOON)
    await pages.save("qr", page(3), {}, NOON)
    assert [snapshot.params["page"] for snapshot in await pages.all_pages("pixels", None)] == [1, 2, 10]


async def test_what_is_kept_is_told_the_newest_first_and_can_be_forgotten(database: Database) -> None:
    pages, others = Pages(database, "mine"), Pages(database, "theirs")
    for number, hours in ((1, 1), (2, 3), (3, 2)):
        await pages.save("pixels", page(number), [], NOON + timedelta(hours=hours))
    await others.save("pixels", page(2), [], NOON)
    assert await pages.kept("pixels") == [page(2), page(3), page(1)]
    await pages.forget("pixels", page(2))
    assert (await pages.kept("pixels"), await others.kept("pixels")) == ([page(3), page(1)], [page(2)])


async def test_pages_from_before_a_moment_are_not_unpacked(database: Database) -> None:
    pages = Pages(database, "mine")
    for number in (1, 2, 3):
        await pages.save("pixels", page(number), {"currentpage": number}, NOON + timedelta(minutes=number))
    await database.execute("UPDATE pages SET payload = X'00' WHERE rowid < 3")
    later = await pages.all_pages("pixels", NOON + timedelta(minutes=2))
    assert [snapshot.params["page"] for snapshot in later] == [3]
    assert database.notices == (), "that the others cannot be read was not seen"


async def test_rows_of_any_kind_come_back_as_they_were(database: Database) -> None:
    alike = [{"id": number, "name": f"code {number}", "deep": [number, None]} for number in range(400)]
    odd = [{"id": 1, "more": "\ud800"}, "no row", 7, {"name": "a", "value": "b"}, {}]
    pages = Pages(database, "mine")
    for rows in (alike, [*alike, *odd], [*odd, *alike]):
        await pages.save("qr", page(1), rows, NOON)
        snapshot = await pages.load("qr", page(1))
        assert snapshot is not None
        assert snapshot.payload == rows


@pytest.mark.parametrize("name", ["code", "\ud800"])
async def test_many_rows_in_an_envelope_come_back_in_it(database: Database, name: str) -> None:
    """So the reference has a list, and so a page of more than a megabyte comes."""
    rows = [{"id": number, "name": name} for number in range(400)]
    pages = Pages(database, "mine")
    await pages.save("qr", page(1), {"result": 400, "qrs": rows}, NOON)
    snapshot = await pages.load("qr", page(1))
    assert snapshot is not None
    assert snapshot.payload == {"result": 400, "qrs": rows}


async def test_the_cap_of_a_page_is_learned(database: Database) -> None:
    pages = Pages(database, "mine")
    assert await pages.page_sizes() == {}
    await pages.learn_page_size("pixels", 50)
    await pages.learn_page_size("pixels", 25)
    assert await pages.page_sizes() == {"pixels": 25}
    assert await Pages(database, "another").page_sizes() == {}


async def test_a_page_that_cannot_be_read_is_left_out_and_told(database: Database) -> None:
    pages = Pages(database, "mine")
    spoilt = ["payload = X'00'", "payload = zeroblob(0)", "at = 'noon'", "params = '7'"]
    for number in range(len(spoilt) + 1):
        await pages.save("pixels", page(number), {"currentpage": number}, NOON)
    for number, change in enumerate(spoilt):
        await database.execute(f"UPDATE pages SET {change} WHERE rowid = {number + 1}")
    await pages.learn_page_size("pixels", 50)
    await pages.learn_page_size("qr", 25)
    await database.execute("UPDATE page_caps SET cap = 'many' WHERE resource = 'qr'")
    assert [snapshot.params["page"] for snapshot in await pages.all_pages("pixels", None)] == [4]
    assert await pages.load("pixels", page(0)) is None
    assert await pages.page_sizes() == {"pixels": 50}
    assert [notice.partition(": ")[2] for notice in database.notices] == [
        "some pages cannot be read and are left out.",
        "some page sizes cannot be read and are left out.",
    ]
    await pages.save("pixels", page(0), {"currentpage": 0}, NOON)
    assert await pages.load("pixels", page(0)) is not None


async def test_a_page_does_not_unpack_without_end(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file of another's making is given up at the bound, not unpacked and then found too large."""
    monkeypatch.setattr(pages_module, "_UNPACKED_BYTES", 6_000_000)
    pages = Pages(database, "mine")
    await pages.save("pixels", page(1), {}, NOON)
    bomb = zlib.compressobj(level=9)
    begin = bomb.compress(b"[") + bomb.flush(zlib.Z_FULL_FLUSH)
    million = bomb.compress(b"0," * 500_000) + bomb.flush(zlib.Z_FULL_FLUSH)  # the same whatever was before
    packed = begin + 24 * million
    assert len(packed) < 40_000
    await database.execute("UPDATE pages SET payload = ?", (packed,))
    tracemalloc.start()
    try:
        assert await pages.load("pixels", page(1)) is None
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()


async def test_what_unpacks_to_more_is_not_kept(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_module, "_UNPACKED_BYTES", 1_000)
    pages = Pages(database, "mine")
    await pages.save("pixels", page(1), {"text": "x" * 900}, NOON)
    await pages.save("qr", page(1), [{"text": "x" * 100}] * 20, NOON)
    assert await pages.load("pixels", page(1)) is not None
    assert await pages.load("qr", page(1)) is None
    await pages.save("pixels", page(1), {"text": "x" * 1_000}, NOON)
    assert await pages.load("pixels", page(1)) is None, "what was kept is not the last answer any more"
    assert database.notices == ()


async def test_secrets_never_go_in(database: Database) -> None:
    pages = Pages(database, "mine")
    await pages.save("users", {}, [{"id": 1, "apikey": "correct-horse"}], NOON)
    snapshot = await pages.load("users", {})
    assert snapshot is not None
    assert snapshot.payload == [{"id": 1, "apikey": MASK}]


async def test_what_was_least_recently_used_goes_first(database: Database) -> None:
    pages = Pages(database, "mine", capacity=40_000)
    for number in (1, 2, 3):
        await pages.save("pixels", page(number), {"text": noise(10_000)}, NOON)
    assert await pages.load("pixels", page(1)) is not None
    await pages.save("pixels", page(4), {"text": noise(10_000)}, NOON)
    assert [snapshot.params["page"] for snapshot in await pages.all_pages("pixels", None)] == [1, 3, 4]


async def test_a_snapshot_larger_than_all_room_drives_nothing_out(database: Database) -> None:
    pages = Pages(database, "mine", capacity=40_000)
    await pages.save("pixels", page(1), {"old": "answer"}, NOON)
    await pages.save("pixels", page(2), {"text": "small"}, NOON)
    await pages.save("pixels", page(1), {"text": noise(50_000)}, NOON)
    assert [snapshot.params["page"] for snapshot in await pages.all_pages("pixels", None)] == [2]


async def test_what_takes_all_the_room_there_is_is_kept(database: Database) -> None:
    payload = {"text": noise(10_000)}
    await Pages(database, "mine").save("pixels", page(1), payload, NOON)
    (_, size) = await Pages(database, "mine").size()
    for room, number in ((size, 1), (size - 1, 0)):
        pages = Pages(database, "mine", capacity=room)
        await pages.save("pixels", page(1), payload, NOON)
        assert (await pages.size())[0] == number


async def test_the_file_stays_bounded(database: SqliteDatabase) -> None:
    pages = Pages(database, "mine", capacity=200_000)
    for number in range(60):
        await pages.save("pixels", page(number), {"text": noise(10_000)}, NOON)
    await database.close()
    assert database.path.stat().st_size < 300_000


async def test_a_full_disk_takes_nothing_away(database: Database) -> None:
    pages = Pages(database, "mine")
    await pages.save("pixels", page(1), {"text": "kept"}, NOON)
    await database.select("PRAGMA max_page_count = 2")
    with pytest.raises(StoreUnavailable):
        await pages.save("pixels", page(1), {"text": noise(50_000)}, NOON)
    for _ in range(2):
        snapshot = await pages.load("pixels", page(1))
        assert snapshot is not None
        assert snapshot.payload == {"text": "kept"}


json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8).filter(lambda name: not is_secret(name)), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(payload=json_data)
async def test_any_answer_comes_back_as_it_was(database: Database, payload: object) -> None:
    pages = Pages(database, "mine")
    await pages.save("pixels", page(1), payload, NOON)
    snapshot = await pages.load("pixels", page(1))
    assert snapshot is not None
    assert snapshot.payload == payload


async def longest_turn(work: Coroutine[object, object, T]) -> tuple[T, float]:
    """The result of `work`, and the longest turn of the loop meanwhile as a share of the processor's time."""
    turns = [time.process_time()]
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.sleep(0)
        turns.append(time.process_time())
    longest = max(later - earlier for earlier, later in itertools.pairwise(turns))
    return await task, longest / (turns[-1] - turns[0])


async def test_a_huge_user_list_does_not_hold_the_loop(database: Database) -> None:
    """Long work is done beside the loop, in pieces that let it have its turn."""
    users = [{"id": n, "email": f"user{n}@example.org", "apikey": f"secret{n}"} for n in range(40_000)]
    pages = Pages(database, "mine")
    _, share = await longest_turn(pages.save("users", {}, users, NOON))
    assert share < 0.5
    snapshot, share = await longest_turn(pages.load("users", {}))
    assert share < 0.5
    assert snapshot is not None
    assert isinstance(snapshot.payload, list)
    assert len(snapshot.payload) == 40_000
    assert snapshot.payload[-1] == {**users[-1], "apikey": MASK}


async def test_between_two_parts_of_a_long_list_whoever_waits_has_a_turn(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pause ends here when the loop has had its turn, and not by the clock."""
    loop, pauses = asyncio.get_running_loop(), list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        had_its_turn = threading.Event()
        loop.call_soon_threadsafe(had_its_turn.set)
        assert had_its_turn.wait(DEADLINE), "the loop waits for what is packed"

    monkeypatch.setattr(pages_module, "time", SimpleNamespace(sleep=pause))
    rows = [{"id": number, "name": f"code {number}"} for number in range(1, 1_001)]
    pages = Pages(database, "mine")
    await pages.save("qr", page(1), rows, NOON)
    assert len(pauses) == -(-len(rows) // pages_module._ROWS_AT_ONCE) > 1
    assert min(pauses) > 0, "a pause of nothing would let nobody in"
    snapshot = await pages.load("qr", page(1))
    assert snapshot is not None
    assert snapshot.payload == rows
