"""A code's statistics for a screen: the states, the words for them, and what is read when."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.errors import TimedOut
from linkdash.api.resources.qr import QrCode
from linkdash.model.lists.loaded_pages import State
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.model.statistics import code_statistics
from linkdash.model.statistics.chart_data import Bars
from linkdash.model.statistics.charts import breakdown_chart, fitting_step, totals_chart
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader, words_for
from linkdash.model.statistics.period import period
from linkdash.model.statistics.period_comparison import Track, breakdown
from linkdash.model.statistics.scan_activity import Activity, activities
from linkdash.store.reading import Reading, Scans
from linkdash.store.store import Store

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
CODE = QrCode(id=3, name="Table 4", link="https://go.example/3")
DAY = timedelta(days=1)


def reading(at: datetime, count: int, **countries: int) -> Reading:
    return Reading(at, clicks=count, unique=count // 2, scans=count, breakdowns={"countries": countries})


def known(*readings: Reading) -> CodeStatistics:
    code = CodeStatistics(CODE)
    code.recall(readings, None)
    return code


def chart(code: CodeStatistics, name: str) -> Bars | None:
    return breakdown_chart(name, breakdown([Track(code.readings)], name, None, NOW + 2 * DAY))


def test_the_states_in_the_order_they_come() -> None:
    code = CodeStatistics(CODE)
    code.loading = True
    assert code.state(NOW) is State.LOADING
    code.fail(TimedOut("No answer.", "Try again."))
    assert code.state(NOW) is State.ERROR
    words = words_for(code, NOW, {"refresh": "r"}.__getitem__)
    assert words is not None
    assert (words.headline, words.advice, words.failed) == ("No answer.", "r tries again.", True)
    code.apply(CODE, None)
    assert code.state(NOW) is State.EMPTY
    code.apply(CODE, reading(NOW, 5))
    assert code.state(NOW) is State.READY
    assert words_for(code, NOW, {"refresh": "r"}.__getitem__) is None
    assert code.state(NOW + timedelta(seconds=301)) is State.STALE
    code.fail(TimedOut("No answer."))
    assert code.state(NOW) is State.STALE


def test_old_numbers_say_how_old_they_are_and_how_far_back_they_go() -> None:
    code = known(reading(NOW - 9 * DAY, 1), reading(NOW - DAY, 5))
    code.loading = True
    assert code.status_line(NOW) == "○ as of 24 h ago · refreshing… · 2 readings since 1 Mar 2026"
    code.loading = False
    code.apply(CODE, reading(NOW, 6))
    assert code.status_line(NOW) == "● as of now · 3 readings since 1 Mar 2026"


def test_what_the_list_told_is_no_reason_not_to_ask() -> None:
    code = known(Reading(NOW, scans=5))
    assert code.is_old(NOW)
    code.apply(CODE, reading(NOW, 6))
    assert not code.is_old(NOW)
    later = known(reading(NOW - DAY, 5), Reading(NOW, scans=5))
    assert (later.latest, later.is_old(NOW)) == (later.readings[0], True)


def test_no_statistics_is_said_and_is_not_zero() -> None:
    code = CodeStatistics(CODE)
    code.apply(CODE, Reading(NOW, scans=0))
    assert "no statistics for this code" in code.status_line(NOW)
    assert chart(code, "countries") is None
    code.apply(CODE, Reading(NOW + DAY, clicks=0, scans=0, breakdowns={"countries": {}}))
    assert not code.silent
    assert chart(code, "countries") == Bars("", (), hue=1)
    assert chart(code, "browsers") is None


def test_a_track_reaches_back_to_the_last_full_reading_before_the_period() -> None:
    code = known(*(reading(NOW - days * DAY, 40 - days) for days in range(40)))
    code.recall([Reading(NOW - timedelta(days=14, hours=15), scans=25)], None)
    span = code.track(period("week", NOW)).span("clicks")
    assert span is not None
    assert span[0] == NOW - 15 * DAY


def test_hours_days_or_weeks_fit_the_length_of_history() -> None:
    spans = [timedelta(hours=5), timedelta(days=20), timedelta(days=300)]
    steps = [fitting_step([reading(NOW - span, 1), reading(NOW, 2)]) for span in spans]
    assert steps == ["hour", "day", "week"]


def test_totals_over_time() -> None:
    code = known(reading(NOW - 2 * DAY, 5), reading(NOW - DAY, 8), reading(NOW, 20))
    came_to = totals_chart([code], "clicks", "day", UTC)
    assert [value for _, value in came_to.series[0][1]] == [5, 8, 20]


async def test_how_much_codes_are_scanned_is_found_anew_when_something_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [NOW.timestamp()]
    store = Store(tmp_path / "state", tmp_path / "cache", "tests")
    settings = Settings("tests", "http://127.0.0.1:9", SecretStr("a-key"))
    session = Session(settings, store, clock=lambda: clock[0])
    sought: list[datetime] = []

    def seek(scans: Mapping[int, Scans], now: datetime) -> dict[int, Activity]:
        sought.append(now)
        return activities(scans, now)

    monkeypatch.setattr(code_statistics, "activities", seek)
    try:
        for scans in (40, 90):
            await store.history.record(3, Reading(NOW - DAY + timedelta(minutes=scans), scans=scans))
            for reader in (StatisticsReader(session), StatisticsReader(session)):
                assert (await reader.activities())[3].scans == scans
        assert len(sought) == 2
        clock[0] += DAY.total_seconds()
        await StatisticsReader(session).activities()
        assert len(sought) == 3, "the last whole days are others"
    finally:
        await session.close()


def test_a_screen_at_rest_looks_through_the_readings_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def latest(readings: Sequence[Reading]) -> Reading | None:
        looked.append(len(readings))
        return readings[-1]

    monkeypatch.setattr(code_statistics, "latest", latest)
    code = CodeStatistics(QrCode(id=1))
    code.readings = [reading(NOW - DAY, 1), reading(NOW, 2)]
    for _ in range(5):
        code.state(NOW)
        code.status_line(NOW)
    assert looked == [2]
    code.apply(QrCode(id=1), reading(NOW + DAY, 3))
    assert code.latest is not None
    assert (len(looked), code.latest.clicks or code.latest.scans) == (2, 3)
