"""History: every reading comes back, what changed nothing takes no room, and several may write at once."""
# ruff: noqa: ASYNC220  (nothing else runs in the loops of these tests)

import itertools
import random
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkdash.store import packed_readings as segments
from linkdash.store.database import Database, StoreUnavailable
from linkdash.store.history import History
from linkdash.store.packed_readings import Segment, pack, unpack, unpack_newest, unpack_values
from linkdash.store.reading import Reading
from linkdash.store.schemas import HISTORY_SCHEMA
from linkdash.store.sqlite import SqliteDatabase
from tests import prestarted
from tests.store.engines import Engine

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


many_times = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
new_profile = map(str, itertools.count())
"""A profile of its own for each example of a test, so that all of them can share a file."""


@pytest.fixture
async def database(engine: Engine) -> AsyncIterator[Database]:
    async with engine.open(HISTORY_SCHEMA) as database:
        yield database


@pytest.fixture
def short_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment is full after a few readings, so that few readings make many segments."""
    monkeypatch.setattr(segments, "_FULL_BYTES", 0)
    monkeypatch.setattr(segments, "_LEAST_STEPS", 2.4)


def scanned(at: datetime, scans: int) -> Reading:
    return Reading(at, clicks=scans, unique=None, scans=scans, breakdowns={"countries": {"Brazil": scans}})


# ---- packing: pure ----

counts = st.dictionaries(st.integers(-2, 6), st.integers(0, 3) | st.integers(0, 10**30), max_size=6)
moments = st.integers(1_700_000_000, 1_700_000_100)


@given(st.lists(st.tuples(moments, counts), min_size=1, max_size=12))
def test_a_segment_gives_back_its_readings(readings: list[tuple[int, dict[int, int]]]) -> None:
    """Also when moments go back; a reading that says nothing new prolongs the one before."""
    expected: list[tuple[int, int, dict[int, int]]] = []
    for at, numbers in readings:
        if expected and expected[-1][2] == numbers and at >= expected[-1][0]:
            first, until, _ = expected.pop()
            expected.append((first, max(until, at), numbers))
        else:
            expected.append((at, at, numbers))
    segment = Segment.begun(*readings[0])
    for at, numbers in readings[1:]:
        segment = segment.followed_by([(at, numbers)])
    newest, steps, values = pack(segment, 0)
    assert [*unpack_values(values)] == [*segment.values(0)]
    found = [(reading.at, reading.until, reading.counts) for reading in unpack(newest, steps).backwards()]
    assert found[::-1] == expected
    assert unpack_newest(newest) == segment.newest


def test_a_reading_costs_a_few_bytes() -> None:
    segment = Segment.begun(0, dict.fromkeys(range(60), 1000))
    for hour in range(1, 300):
        changed = {0: 1000 + hour, hour % 60: 1001 + hour}
        segment = segment.followed_by([(hour * 3600, {**segment.newest.counts, **changed})])
    assert len(segment.steps) == 299
    assert sum(map(len, pack(segment, 0))) < 300 * 16


# ---- round trip ----

totals = st.none() | st.integers(0, 5)
breakdowns = st.dictionaries(
    st.sampled_from(["countries", "browsers"]),
    st.dictionaries(st.sampled_from(["", "Brazil", "a\tb", "日本"]), st.integers(0, 5), max_size=3),
)
gaps = st.sampled_from([1, 3600, 86_400])


@st.composite
def histories(draw: st.DrawFn) -> list[Reading]:
    """Readings in the order of time, many like the one before."""
    at = NOON
    readings: list[Reading] = []
    for _ in range(draw(st.integers(1, 25))):
        at += timedelta(seconds=draw(gaps))
        unchanged = draw(st.booleans())
        if readings and unchanged:
            readings.append(replace(readings[-1], at=at))
        else:
            readings.append(Reading(at, draw(totals), draw(totals), draw(totals), draw(breakdowns)))
    return readings


def stretches(readings: Sequence[Reading]) -> Iterator[list[Reading]]:
    """Readings that say the same, one after another."""
    for _, same in itertools.groupby(readings, key=lambda reading: replace(reading, at=NOON)):
        yield list(same)


@pytest.mark.usefixtures("short_segments")
@many_times
@given(readings=histories())
async def test_every_change_comes_back_and_nothing_else(database: Database, readings: list[Reading]) -> None:
    full = [reading for reading in readings if not reading.tells_scans_only]
    listed = [reading for reading in readings if reading.tells_scans_only]
    expected = sorted([*ends(listed), *ends(full)], key=lambda reading: reading.at)
    history, at_once = History(database, next(new_profile)), History(database, next(new_profile))
    for reading in readings:
        await history.record(7, reading)
    await at_once.record_all({7: readings})
    middle = readings[len(readings) // 2].at
    for kept in (history, at_once):
        assert await kept.readings(7) == expected
        assert await kept.latest() == ({7: full[-1]} if full else {})
        assert await kept.latest_listed() == ({7: listed[-1]} if listed else {})
        assert await kept.readings(7, since=middle) == [one for one in expected if one.at >= middle]


def ends(readings: Sequence[Reading]) -> Iterator[Reading]:
    """The first and the last of each stretch that nothing changed in."""
    for same in stretches(readings):
        yield from [same[0], same[-1]] if len(same) > 1 else same


@pytest.mark.usefixtures("short_segments")
@many_times
@given(readings=histories(), near=st.integers(0, 24), seconds=st.integers(-10, 4_000))
async def test_the_scans_of_all_codes_are_those_of_their_readings(
    database: Database, readings: list[Reading], near: int, seconds: int
) -> None:
    since = readings[near % len(readings)].at + timedelta(seconds=seconds)
    history = History(database, next(new_profile))
    await history.record_all({7: readings, 8: readings[:1]})
    known = [(one.at, one.scans) for one in await history.readings(7) if one.scans is not None]
    before = [pair for pair in sorted(known) if pair[0] <= since]
    after = [pair for pair in sorted(known) if pair[0] > since]
    found = await history.scans(since)
    scans = list(found.get(7, ()))
    assert scans == after or (scans[0] in before and scans[1:] == after)
    if all(one.scans is not None for one in readings):
        assert scans in (after, before[-1:] + after)
    assert len(found.get(8, ())) == (readings[0].scans is not None)


# ---- behaviour ----


async def test_its_state_is_another_with_every_reading_of_this_profile(database: Database) -> None:
    history, others = History(database, "mine"), History(database, "another's")
    states = [await history.state()]
    same = scanned(NOON + HOUR, 3)
    for code_id, reading in ((7, scanned(NOON, 3)), (7, same), (8, same), (7, replace(same, clicks=None))):
        await history.record(code_id, replace(reading, at=reading.at + len(states) * HOUR))
        states.append(await history.state())
    assert len({*states}) == len(states)
    await others.record(9, same)
    assert await history.state() == states[-1]


async def test_readings_that_change_nothing_take_no_room(database: Database) -> None:
    history = History(database, "mine")
    for hour in range(500):
        await history.record(7, scanned(NOON + hour * HOUR, 3))
    assert await history.readings(7) == [scanned(NOON, 3), scanned(NOON + 499 * HOUR, 3)]
    (row,) = await database.select("SELECT length(newest) + length(steps) AS size FROM series")
    assert row["size"] < 80
    assert await database.select("SELECT * FROM segments") == []


async def test_a_full_segment_is_sealed_and_the_next_begun(database: Database) -> None:
    """Real sizes: enough readings for several segments, every one of them different."""
    history = History(database, "mine")
    chance = random.Random(1)
    readings = [
        Reading(
            NOON + hour * HOUR,
            breakdowns={"countries": {f"{n}": chance.randrange(10_000) for n in range(20)}},
        )
        for hour in range(250)
    ]
    for reading in readings:
        await history.record(7, reading)
    query = "SELECT length(newest) + length(steps) + length(scans) AS size FROM segments"
    sizes = await database.select(query)
    assert len(sizes) >= 2
    assert all(3_900 <= row["size"] < 4_060 for row in sizes)
    assert await history.readings(7) == readings
    assert await history.readings(7, since=readings[240].at) == readings[240:]


async def test_codes_and_profiles_are_kept_apart(database: Database) -> None:
    mine, other = History(database, "mine"), History(database, "another")
    await mine.record(7, scanned(NOON, 1))
    await mine.record(8, scanned(NOON, 2))
    await other.record(7, scanned(NOON, 3))
    assert await mine.latest() == {7: scanned(NOON, 1), 8: scanned(NOON, 2)}
    assert await other.latest() == {7: scanned(NOON, 3)}
    assert await mine.readings(9) == []
    assert await mine.scans(NOON) == {7: ((NOON, 1),), 8: ((NOON, 2),)}


async def test_no_statistics_is_not_zero(database: Database) -> None:
    history = History(database, "mine")
    said = [
        Reading(NOON),
        Reading(NOON + HOUR, clicks=0, breakdowns={"countries": {}}),
        Reading(NOON + 2 * HOUR, clicks=None, unique=0, breakdowns={"countries": {"Brazil": 0}}),
        Reading(NOON + 3 * HOUR),
    ]
    for snapshot in said:
        await history.record(7, snapshot)
    assert await history.readings(7) == said


@pytest.mark.usefixtures("short_segments")
async def test_a_clock_set_back_loses_no_reading(database: Database) -> None:
    """Readings come in the order of time; the latest is the one that was made last."""
    history = History(database, "mine")
    hours = [0, 1, 2, 3, 900, 4, 5, 6, 7, 8]
    for scans, hour in enumerate(hours):
        await history.record(7, scanned(NOON + hour * HOUR, scans))
    assert [snapshot.at for snapshot in await history.readings(7)] == [NOON + h * HOUR for h in sorted(hours)]
    assert (await history.latest())[7] == scanned(NOON + 8 * HOUR, 9)
    assert [scans for _, scans in (await history.scans(NOON + 7 * HOUR))[7]] == [8, 9, 4]


async def test_a_moment_in_another_zone_is_the_same_moment(database: Database) -> None:
    from zoneinfo import ZoneInfo

    history = History(database, "mine")
    zone = ZoneInfo("Europe/Berlin")
    before, after = (
        datetime(2026, 10, 25, 2, 30, tzinfo=zone),
        datetime(2026, 10, 25, 2, 30, tzinfo=zone, fold=1),
    )
    await history.record(7, scanned(before, 1))
    await history.record(7, scanned(after, 2))
    first, second = await history.readings(7)
    assert (first.at, second.at) == (before.astimezone(UTC), after.astimezone(UTC))
    assert second.at - first.at == HOUR


async def test_the_last_look_is_remembered(database: Database) -> None:
    history = History(database, "mine")
    assert await history.last_look(7) is None
    await history.mark_looked(7, NOON)
    await history.mark_looked(7, NOON + HOUR)
    assert await history.last_look(7) == NOON + HOUR
    assert await history.last_look(8) is None
    assert await History(database, "another").last_look(7) is None


async def test_a_full_disk_mixes_up_no_labels(tmp_path: Path) -> None:
    """Labels of a reading that was not kept leave nothing behind that later ones could be taken for."""
    database = SqliteDatabase.open(tmp_path / "history.db", HISTORY_SCHEMA)
    history = History(database, "mine")
    await history.record(7, scanned(NOON, 1))
    await database.select("PRAGMA max_page_count = 8")
    many = {f"country {number} {'x' * 60}": number for number in range(2000)}
    with pytest.raises(StoreUnavailable, match="full"):
        await history.record(7, Reading(NOON + HOUR, breakdowns={"countries": many}))
    await database.select("PRAGMA max_page_count = 100000")
    await history.record(7, Reading(NOON + HOUR, breakdowns={"countries": {"Chile": 4}}))
    assert await history.readings(7) == [
        scanned(NOON, 1),
        Reading(NOON + HOUR, breakdowns={"countries": {"Chile": 4}}),
    ]
    await database.close()


COLLECT = """
import asyncio, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from linkdash.store.reading import Reading
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.history import History
from linkdash.store.schemas import HISTORY_SCHEMA

async def main():
    path, name, offset = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    sys.stdin.readline()
    async with SqliteDatabase.open(path, HISTORY_SCHEMA) as database:
        history = History(database, "mine")
        for number in range(40):
            at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=2 * number + offset)
            snapshot = Reading(at, clicks=2 * number + offset, breakdowns={name: {f"{number}": 1}})
            await history.record(7, snapshot)

asyncio.run(main())
"""


async def test_a_running_app_and_a_collector_lose_no_reading(tmp_path: Path) -> None:
    """Both record the same code at once, each with labels that the other does not know."""
    path = tmp_path / "history.db"
    writers = [
        subprocess.Popen(
            [prestarted.program(COLLECT), str(path), name, offset],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name, offset in (("countries", "0"), ("browsers", "1"))
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=30)[1] for writer in writers] == [b"", b""]
    async with SqliteDatabase.open(path, HISTORY_SCHEMA) as database:
        kept = await History(database, "mine").readings(7)
    assert [snapshot.clicks for snapshot in kept] == list(range(80))
    assert [dict(snapshot.breakdowns) for snapshot in kept[:2]] == [
        {"countries": {"0": 1}},
        {"browsers": {"0": 1}},
    ]


async def test_segments_of_before_there_were_summaries_tell_their_scans(
    database: Database, short_segments: None
) -> None:
    history = History(database, "mine")
    readings = [scanned(NOON + hour * HOUR, hour) for hour in range(12)]
    await history.record_all({7: readings, 8: readings})
    before = await history.scans(NOON)
    await database.execute("UPDATE series SET scans = NULL")
    await database.execute("UPDATE segments SET scans = NULL")
    assert await history.scans(NOON) == before
    await history.record_all({7: [scanned(NOON + 12 * HOUR, 12), scanned(NOON + 13 * HOUR, 13)]})
    found = await history.scans(NOON)
    assert ([count for _, count in found[7]], found[8]) == ([*range(14)], before[8])


async def test_the_scans_of_many_codes_are_read_in_parts(database: Database) -> None:
    history = History(database, "mine")
    told = {code: [Reading(NOON, scans=code)] for code in (*range(1, 4_002), 10**9)}
    await history.record_all(told)
    assert {code: scans[0][1] for code, scans in (await history.scans(NOON)).items()} == {
        code: code for code in told
    }


# ---- a clock that was wrong ----


@many_times
@given(
    ahead=st.lists(st.integers(0, 2), min_size=1, max_size=12),
    also_listed=st.booleans(),
)
@pytest.mark.usefixtures("short_segments")
async def test_what_is_dated_later_than_now_hides_nothing(
    database: Database, ahead: list[int], also_listed: bool
) -> None:
    """Two programs read by turns, one with its clock a year ahead; then the time is `now`."""
    history = History(database, next(new_profile))
    now = NOON + HOUR * len(ahead)
    history.clock = lambda: now
    right = []
    for number, years in enumerate(ahead):
        reading = scanned(NOON + HOUR * number + timedelta(days=366 * years), number // 2)
        right += [reading] if not years else []
        await history.record(1, reading)
        if also_listed:
            await history.record(1, Reading(reading.at, scans=reading.scans))
    full = [reading for reading in await history.readings(1) if not reading.tells_scans_only]
    assert {reading.at for reading in full} <= {reading.at for reading in right}
    assert [reading.scans for reading in full][-1:] == [reading.scans for reading in right][-1:]
    assert (await history.readings_of([1])).get(1, []) == await history.readings(1)
    latest = (await history.latest()).get(1)
    assert latest == (full[-1] if full else None)
    assert all(at <= now for _, values in (await history.scans(NOON)).items() for at, _ in values)
    is_told = any("later than now" in notice for notice in database.notices)
    assert is_told or not any(ahead)


async def test_the_same_as_before_is_told_again_after_a_clock_was_ahead(database: Database) -> None:
    history = History(database, "mine")
    history.clock = lambda: NOON + 3 * HOUR
    for at in (NOON, NOON + timedelta(days=366), NOON + 2 * HOUR):
        await history.record(1, scanned(at, 5))
    assert (await history.latest())[1].at == NOON + 2 * HOUR
