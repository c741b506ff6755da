"""Copying a store: all of it arrives, once, however often it is begun, and back again."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linkdash.store import store_copy
from linkdash.store.alerts import Alert
from linkdash.store.database import StoreUnavailable, Work
from linkdash.store.history import History
from linkdash.store.journal_entry import Author, Outcome, WriteIntent
from linkdash.store.reading import Reading
from linkdash.store.store import Store
from linkdash.store.store_copy import Copied, copy_shared, open_shared
from tests.postgres import PostgresServer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DELETION = WriteIntent("pixels", "delete", (7,), {})
ALERT = Alert("quiet", "qr 7", "Nobody scanned it.", NOON)
READINGS = [
    Reading(NOON, 1, 2, 3, {"countries": {"Chile": 4, "": 1}}),
    Reading(NOON, 1, 2, 4, {"countries": {"Chile": 5, "": 1}}),
    Reading(NOON + HOUR, scans=9),
    Reading(NOON + 2 * HOUR, scans=9),
]


async def fill(folder: Path, profile: str) -> None:
    store = Store(folder, folder / "cache", profile)
    for outcome in Outcome:
        opened = await store.journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete")
        await store.journal.close_entry(opened, outcome, "said", answer={"error": 0})
        if outcome is Outcome.UNKNOWN:
            await store.journal.settle(opened.id, happened=True, message="It is gone.")
    job = await store.jobs.create("delete 3", [DELETION] * 3, NOON)
    opened = await store.journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete", f"w0 {profile}")
    assert await store.jobs.claim(job.id, job.items[0], f"w0 {profile}")
    await store.journal.close_entry(opened, Outcome.DONE)
    for reading in READINGS:
        await store.history.record(7, reading)
    await store.history.record(8, Reading(NOON, scans=1))
    await store.history.mark_looked(7, NOON)
    assert await store.claims.claim(7, NOON, None)
    await store.alerts.settle(lambda _: ([ALERT], ()))
    await store.close()


async def contents(store: Store) -> tuple[object, ...]:
    """All that the user can see of it, without the ids that each store gives."""
    entries = await store.journal.recent()
    jobs = await store.jobs.unfinished()
    return (
        [(entry.intent, entry.begun, entry.outcome, entry.message, entry.answer) for entry in entries],
        [(entry.settlement, entry.author, entry.ended) for entry in entries],
        [(job.title, job.created, job.items, job.author) for job in jobs],
        [await store.history.readings(code_id) for code_id in (7, 8)],
        (await store.history.last_look(7), await store.claims.last(), await store.alerts.raised()),
    )


async def contents_of(folder: Path, profile: str, team: str | None = None) -> tuple[object, ...]:
    store = Store(folder, folder / "cache", profile, team=team)
    try:
        return await contents(store)
    finally:
        await store.close()


def interrupted(run: Callable[..., Awaitable[object]], after: int) -> Callable[..., Awaitable[object]]:
    """The same, as long as there are so many left."""
    left = iter(range(after))

    async def limited(work: Work[object]) -> object:
        if next(left, None) is None:
            raise StoreUnavailable("interrupted")
        return await run(work)

    return limited


async def copied(source: str, target: str) -> Sequence[Copied]:
    async with open_shared(source, None, must_exist=True) as there, open_shared(target, None) as here:
        return await copy_shared(there, here, lambda _: None)


WHOLE = [
    Copied("journal entries", 10, 10),
    Copied("bulk jobs", 2, 2),
    Copied("readings", 10, 10),
    Copied("looks", 2, 2),
    Copied("turns", 2, 2),
    Copied("alerts", 2, 2),
]


async def test_a_store_goes_to_a_team_and_back_whole(
    postgresql: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_copy, "_COPIED_AT_ONCE", 2)
    mine, back, url = tmp_path / "mine", tmp_path / "back", postgresql.url(postgresql.new_database())
    for profile in ("one", "two"):
        await fill(mine, profile)
    for _ in range(2):
        assert await copied(str(mine), url) == WHOLE
    expected = [await contents_of(mine, profile) for profile in ("one", "two")]
    assert [await contents_of(tmp_path / "team", profile, url) for profile in ("one", "two")] == expected
    for _ in range(2):
        assert await copied(url, str(back)) == WHOLE
    assert [await contents_of(back, profile) for profile in ("one", "two")] == expected


async def test_what_is_there_already_stays_and_what_was_interrupted_is_completed(
    postgresql: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted after each of the first transactions, and between: the last one completes all."""
    monkeypatch.setattr(store_copy, "_COPIED_AT_ONCE", 2)
    mine, url = tmp_path / "mine", postgresql.url(postgresql.new_database())
    await fill(mine, "one")
    team = Store(tmp_path / "team", tmp_path / "cache", "one", team=url)
    await team.history.record(7, Reading(NOON + 3 * HOUR, scans=12))
    await team.history.mark_looked(7, NOON + HOUR)
    opened = await team.journal.open_entry(DELETION, "DELETE", "/api/pixel/7/delete")
    result: Sequence[Copied] = ()
    for left in range(6):
        async with open_shared(str(mine), None) as there, open_shared(url, None) as here:
            monkeypatch.setattr(here.history, "run", interrupted(here.history.run, left))
            try:
                result = await copy_shared(there, here, lambda _: None)
            except StoreUnavailable:
                continue
            break
    assert len(result) == 6
    assert all(one.is_complete for one in result)
    assert [reading.scans for reading in await team.history.readings(7)] == [3, 4, 9, 9, 12]
    assert await team.history.last_look(7) == NOON + HOUR
    assert len(await team.journal.recent()) == len(Outcome) + 2
    assert await team.journal.entry(opened.id) is not None
    await team.close()


async def test_entries_of_an_earlier_version_are_copied_once(tmp_path: Path) -> None:
    await fill(tmp_path / "mine", "one")
    async with open_shared(str(tmp_path / "mine"), None) as there:
        await there.state.execute("UPDATE journal SET origin = NULL, user_name = '', host = ''")
    for _ in range(2):
        (journal, *_) = await copied(str(tmp_path / "mine"), str(tmp_path / "other"))
        assert journal == Copied("journal entries", 5, 5)
    store = Store(tmp_path / "other", tmp_path / "cache", "one")
    assert [entry.author for entry in await store.journal.recent()] == [Author("", "")] * 5
    await store.close()


async def test_what_is_missing_in_the_end_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(tmp_path / "mine", "one")

    async def kept_nothing(*_: object) -> None:
        return

    monkeypatch.setattr(History, "record_all", kept_nothing)
    readings = (await copied(str(tmp_path / "mine"), str(tmp_path / "other")))[2]
    assert readings == Copied("readings", 5, 0)
    assert not readings.is_complete


async def test_a_folder_without_a_store_is_told_and_stays_empty(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="contains no store"):
        await copied(str(tmp_path / "nowhere"), str(tmp_path / "other"))
    assert not (tmp_path / "nowhere").exists()
