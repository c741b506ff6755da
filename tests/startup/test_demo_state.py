"""The state of a demo: kept beside its data file from run to run, gone with the run without one."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from linkdash.commands.parser import parser
from linkdash.model.session import Session
from linkdash.startup.run_context import open_session, run_context

pytestmark = pytest.mark.slow

T = TypeVar("T")


def in_a_run(look: Callable[[Session], Awaitable[T]], *flags: str) -> T:
    """The answer of `look` to the session of a demo with its past, as the dashboard opens it."""

    async def looked(session: Session) -> T:
        try:
            return await look(session)
        finally:
            await session.close()

    with run_context(parser().parse_args(["--demo", *flags]), {}) as place:
        assert place.past is not None
        place.past.write(history=False)
        return asyncio.run(looked(open_session(place)))


async def save(session: Session) -> tuple[bool, int]:
    await session.store.preferences.save("views/qr", ["velo"])
    await session.store.drafts.save("pixels/create", {"name": "Sp"}, session.local_time())
    return session.settings.keeps_state, len(await session.store.journal.recent(200))


async def find(session: Session) -> tuple[object, list[str], int]:
    drafts = [draft.form for draft in await session.store.drafts.all()]
    return (
        await session.store.preferences.load("views/qr"),
        drafts,
        len(await session.store.journal.recent(200)),
    )


def test_a_demo_with_a_data_file_keeps_beside_it_what_the_user_saved(tmp_path: Path) -> None:
    flags = ("--demo-data", str(tmp_path / "demo.db"))
    keeps_state, entries = in_a_run(save, *flags)
    assert keeps_state
    assert in_a_run(find, *flags) == (["velo"], ["pixels/create"], entries)
    assert in_a_run(find, *flags) == (["velo"], ["pixels/create"], entries)


def test_a_demo_without_a_data_file_keeps_nothing() -> None:
    keeps_state, entries = in_a_run(save)
    assert not keeps_state
    assert in_a_run(find) == (None, [], entries)
