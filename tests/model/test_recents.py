"""Recents are kept from run to run, whatever is done first in a run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from linkdash.model.session_services import MOST, Recents, SessionServices
from linkdash.model.settings import Settings
from linkdash.store.preferences import LARGEST
from linkdash.store.store import Store

SETTINGS = Settings("tests", "https://links.example.org", SecretStr("a-key"))


@asynccontextmanager
async def run(folder: Path) -> AsyncIterator[Recents]:
    services = SessionServices(SETTINGS, Store(folder, folder, "tests"))
    try:
        yield Recents(services)
    finally:
        await services.close()


def ids(recents: Recents) -> list[tuple[str, int]]:
    return [(one.resource, one.id) for one in recents.recent]


async def test_what_is_opened_comes_before_what_earlier_runs_have_left(tmp_path: Path) -> None:
    async with run(tmp_path) as recents:
        await recents.opened("qr", 7, "Table 7")
        await recents.opened("users", 7, "ada")
        await recents.watch([(7, "Table 7")])
    async with run(tmp_path) as recents:
        await recents.opened("qr", 8, "Table 8")
        assert ids(recents) == [("qr", 8), ("users", 7), ("qr", 7)]
        await recents.opened("qr", 7, "Table 7")
    async with run(tmp_path) as recents:
        assert not recents.recent
        await recents.recall()
        assert ids(recents) == [("qr", 7), ("qr", 8), ("users", 7)], "each once, the latest first"
        assert recents.watched == {7: "Table 7"}
        await recents.watch([(9, "Table 9")])
    async with run(tmp_path) as recents:
        await recents.recall()
        assert recents.watched == {9: "Table 9"}, "and no others"


async def test_as_many_are_remembered_as_there_is_use_for(tmp_path: Path) -> None:
    async with run(tmp_path) as recents:
        for id in range(MOST + 3):
            await recents.opened("qr", id, f"Table {id}")
        assert ids(recents) == [("qr", id) for id in range(MOST + 2, 2, -1)]


async def test_what_another_version_has_left_is_let_go(tmp_path: Path) -> None:
    store = Store(tmp_path, tmp_path, "tests")
    await store.preferences.save("at hand", {"recent": "nothing of ours"})
    await store.close()
    async with run(tmp_path) as recents:
        await recents.recall()
        assert not recents.recent


async def test_a_record_of_a_resource_that_there_is_not_is_let_go(tmp_path: Path) -> None:
    store = Store(tmp_path, tmp_path, "tests")
    left = [{"resource": name, "id": 1, "name": "Left"} for name in ("stickers", "qr")]
    await store.preferences.save("at hand", {"recent": left})
    await store.close()
    async with run(tmp_path) as recents:
        await recents.recall()
        assert ids(recents) == [("qr", 1)]


async def test_what_is_larger_than_anything_that_is_kept_is_not_read(tmp_path: Path) -> None:
    store = Store(tmp_path, tmp_path, "tests")
    await store.preferences.save("filters/qr", ["x" * LARGEST])
    await store.preferences.save("filters/users", ["x"])
    assert await store.preferences.load("filters/qr") is None
    assert await store.preferences.load("filters/users") == ["x"]
    await store.close()
