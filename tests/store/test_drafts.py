"""Drafts: what was typed comes back, except secrets."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkdash.store.database import Database
from linkdash.store.drafts import DRAFTS_SCHEMA, Drafts, SavedDraft
from linkdash.store.sqlite import SqliteDatabase
from tests.store.killed import can_kill, lines_until_killed

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PIXEL = {"name": "Ads", "tag": "", "type": "bing"}


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    async with SqliteDatabase.open(tmp_path / "state.db", DRAFTS_SCHEMA, durable=True) as database:
        yield database


async def test_a_draft_survives_the_program(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    async with SqliteDatabase.open(path, DRAFTS_SCHEMA, durable=True) as database:
        await Drafts(database, "mine").save("pixels/create", PIXEL, NOON)
    async with SqliteDatabase.open(path, DRAFTS_SCHEMA, durable=True) as database:
        drafts = Drafts(database, "mine")
        assert await drafts.load("pixels/create") == SavedDraft("pixels/create", PIXEL, (), NOON)
        assert await drafts.load("pixels/update/1") is None
        assert await Drafts(database, "another").load("pixels/create") is None


async def test_the_last_draft_of_a_form_counts(database: Database) -> None:
    drafts = Drafts(database, "mine")
    later = NOON + timedelta(seconds=1)
    await drafts.save("pixels/create", PIXEL, NOON)
    await drafts.save("campaigns/update/12", {"name": "Spring"}, NOON)
    await drafts.save("pixels/create", {**PIXEL, "tag": "T-1"}, later)
    assert await drafts.all() == [
        SavedDraft("pixels/create", {**PIXEL, "tag": "T-1"}, (), later),
        SavedDraft("campaigns/update/12", {"name": "Spring"}, (), NOON),
    ]


async def test_a_discarded_draft_is_gone_alone(database: Database) -> None:
    mine, other = Drafts(database, "mine"), Drafts(database, "another")
    for drafts in (mine, other):
        await drafts.save("pixels/create", PIXEL, NOON)
        await drafts.save("pixels/update/1", PIXEL, NOON)
    await mine.discard("pixels/create")
    await mine.discard("pixels/create")
    assert [draft.form for draft in await mine.all()] == ["pixels/update/1"]
    assert len(await other.all()) == 2


async def test_secrets_are_left_out_and_the_draft_says_so(database: SqliteDatabase) -> None:
    drafts = Drafts(database, "mine")
    typed = {"username": "ada", "password": "correct-horse", "apikey": "correct-horse", "token": ""}
    await drafts.save("users/create", typed, NOON)
    draft = await drafts.load("users/create")
    assert draft == SavedDraft("users/create", {"username": "ada"}, ("apikey", "password"), NOON)
    for file in database.path.parent.iterdir():
        assert b"correct-horse" not in file.read_bytes()


async def test_a_draft_larger_than_anybody_types_is_not_read(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linkdash.store.drafts.LARGEST", 1_000)
    drafts = Drafts(database, "mine")
    await drafts.save("pixels/create", {"name": "x" * 1_000}, NOON)
    await drafts.save("pixels/update/1", PIXEL, NOON)
    assert await drafts.load("pixels/create") is None
    assert [draft.form for draft in await drafts.all()] == ["pixels/update/1"]


async def test_a_draft_that_cannot_be_read_is_left_out_and_told(database: Database) -> None:
    drafts = Drafts(database, "mine")
    for number, change in enumerate(("fields = '{'", "fields = '[1]'", "left_out = '7'", "at = ''")):
        await drafts.save(f"pixels/update/{number}", PIXEL, NOON)
        await database.execute(f"UPDATE drafts SET {change} WHERE form = 'pixels/update/{number}'")
    await drafts.save("pixels/create", PIXEL, NOON)
    assert [draft.form for draft in await drafts.all()] == ["pixels/create"]
    assert await drafts.load("pixels/update/0") is None
    assert database.notices == ("state.db: some drafts cannot be read and are left out.",)


TYPIST = """
import asyncio, itertools, sys
from datetime import UTC, datetime
from pathlib import Path
from linkdash.store.database import Database
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.drafts import DRAFTS_SCHEMA, Drafts

async def main():
    async with SqliteDatabase.open(Path(sys.argv[1]), DRAFTS_SCHEMA, durable=True) as database:
        for length in itertools.count(1):
            await Drafts(database, "mine").save("qr/create", {"data": "x" * length}, datetime.now(UTC))
            print(length, flush=True)

asyncio.run(main())
"""


@can_kill
async def test_kill_9_loses_no_draft_that_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    said = lines_until_killed(TYPIST, str(path), after=30)
    async with SqliteDatabase.open(path, DRAFTS_SCHEMA, durable=True) as database:
        draft = await Drafts(database, "mine").load("qr/create")
        assert draft is not None
        assert int(said[-1]) <= len(draft.values["data"]) <= int(said[-1]) + 1
        assert database.notices == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.dictionaries(st.sampled_from(["name", "tag", "data"]), st.text(st.characters(), max_size=80))
)
async def test_any_text_comes_back_as_it_was_typed(database: Database, values: dict[str, str]) -> None:
    drafts = Drafts(database, "mine")
    await drafts.save("qr/create", values, NOON)
    draft = await drafts.load("qr/create")
    assert draft is not None
    assert draft.values == values
