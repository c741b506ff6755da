"""Recents are kept from run to run, whatever is done first in a run."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar, cast

from linkdash.model.session_services import MOST, Recents, SessionServices
from linkdash.store.store import Store

T = TypeVar("T")


class Run:
    """As much of a run as remembers."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def kept(self, work: Awaitable[T], otherwise: T) -> T:
        return await work


@asynccontextmanager
async def run(folder: Path) -> AsyncIterator[Recents]:
    store = Store(folder, folder, "tests")
    try:
        yield Recents(cast("SessionServices", Run(store)))
    finally:
        await store.close()


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
    async with run(tmp_path) as recents:
        await recents._context.store.preferences.save("at hand", {"recent": "nothing of ours"})
        await recents.recall()
        assert not recents.recent
