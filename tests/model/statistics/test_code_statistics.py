"""What a screen knows of a code's statistics: its states, what is new, and the words for it. Pure."""

from datetime import UTC, datetime, timedelta

from linkdash.model.statistics.text import news, numbers, since_words
from linkdash.store.changes import RETENTION, Snapshot

from linkdash.api.errors import TimedOut
from linkdash.api.qr import QrCode
from linkdash.model.collection import State
from linkdash.model.statistics.chart_data import Bars
from linkdash.model.statistics.charts import NONE_SO_FAR, breakdown_chart, compared_breakdown, time_chart
from linkdash.model.statistics.code_statistics import SINCES, CodeStatistics, words_for

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
CODE = QrCode(id=3, name="Table 4", link="https://go.example/3")
DAY = timedelta(days=1)


def reading(at: datetime, count: int, **countries: int) -> Snapshot:
    return Snapshot(at, clicks=count, unique=count // 2, scans=count, breakdowns={"countries": countries})


def known(*readings: Snapshot, last_look: datetime | None = None) -> CodeStatistics:
    code = CodeStatistics(CODE)
    code.recalled(readings, last_look)
    return code


def test_the_states_in_the_order_they_come() -> None:
    code = CodeStatistics(CODE)
    code.asked()
    assert code.state(NOW) is State.LOADING
    code.failed(TimedOut("No answer.", "Try again."))
    assert code.state(NOW) is State.ERROR
    words = words_for(code, NOW)
    assert words is not None
    assert (words.headline, words.advice, words.failed) == ("No answer.", "Try again. r tries again.", True)
    code.told(CODE, None)
    assert code.state(NOW) is State.EMPTY
    code.told(CODE, reading(NOW, 5))
    assert code.state(NOW) is State.READY
    assert words_for(code, NOW) is None
    assert code.state(NOW + timedelta(seconds=301)) is State.STALE
    code.failed(TimedOut("No answer."))
    assert code.state(NOW) is State.STALE


def test_old_numbers_say_how_old_they_are_and_how_far_back_they_go() -> None:
    code = known(reading(NOW - 9 * DAY, 1), reading(NOW - DAY, 5))
    code.asked()
    assert code.truth(NOW) == "old, as of 24 h ago · refreshing… · 2 readings since 2026-03-01"
    code.told(CODE, reading(NOW, 6))
    assert code.truth(NOW) == "as of now · 3 readings since 2026-03-01"


def test_no_statistics_is_said_and_is_not_zero() -> None:
    code = CodeStatistics(CODE)
    code.told(CODE, Snapshot(NOW, scans=0))
    assert "no statistics for this code" in code.truth(NOW)
    assert breakdown_chart("countries", code.latest) is None
    code.told(CODE, Snapshot(NOW + DAY, clicks=0, scans=0, breakdowns={"countries": {}}))
    assert not code.silent
    assert breakdown_chart("countries", code.latest) == Bars("Countries", ((NONE_SO_FAR, 0),))
    assert breakdown_chart("browsers", code.latest) == Bars("Browsers", ())


def test_what_is_new_is_told_since_the_reading_that_was_asked_for() -> None:
    code = known(
        reading(NOW - 20 * DAY, 1, Brazil=1),
        reading(NOW - 7 * DAY, 10, Brazil=8),
        reading(NOW - 2 * DAY, 20, Brazil=15),
        reading(NOW - DAY, 25, Brazil=20),
        last_look=NOW - 2 * DAY,
    )
    code.told(CODE, reading(NOW, 30, Brazil=21, Japan=9))
    added = {since: code.compared(since, NOW) for since in ("last look", "yesterday", "last week")}
    assert {
        since: found.change.total("clicks").by  # type: ignore[union-attr]
        for since, found in added.items()
    } == {"last look": 10, "yesterday": 5, "last week": 20}
    assert since_words(added["last week"], "last week") == "new since last week (2026-03-03 12:00)"
    text = news(added["last week"], "last week").plain
    assert "clicks +20 (10 → 30)" in text
    assert "countries: Brazil +13" in text
    assert "countries: Japan +9, first seen" in text
    assert RETENTION not in text


def test_a_history_that_is_too_young_says_since_when_it_is_compared() -> None:
    code = known(reading(NOW - timedelta(hours=5), 10), reading(NOW, 30))
    words = {since: since_words(code.compared(since, NOW), since) for since in SINCES}
    begun = "new since 2026-03-10 07:00: "
    assert words["last week"] == f"{begun}the history is younger than a week"
    assert words["yesterday"] == f"{begun}the history is younger than a day"
    assert words["last look"] == f"{begun}no look before that is kept"


def test_the_first_look_says_that_history_begins_now() -> None:
    code = CodeStatistics(CODE)
    code.told(CODE, reading(NOW, 30))
    compared = code.compared("last week", NOW)
    assert compared.change is None
    assert since_words(compared, "last week").startswith("history begins now")
    assert "nothing to compare with yet" in news(compared, "last week").plain


def test_a_drop_is_a_drop_with_a_word_about_retention() -> None:
    code = known(reading(NOW - 8 * DAY, 30, Brazil=30, Japan=2))
    code.told(CODE, reading(NOW, 12, Brazil=12))
    compared = code.compared("last week", NOW)
    for text in (news(compared, "last week"), numbers(code, compared, "last week", NOW)):
        assert "−18, dropped" in text.plain
        assert "gone (was 2)" in text.plain
        assert RETENTION in text.plain


def test_numbers_leave_nothing_out() -> None:
    label = "https://a-very-long-referrer.example/" + "x" * 60
    snapshot = Snapshot(NOW, 3, None, 12_345_678_901, {"referrers": {label: 1, "": 2}, "browsers": {}})
    code = CodeStatistics(CODE)
    code.told(CODE, snapshot)
    text = numbers(code, code.compared("yesterday", NOW), "yesterday", NOW).plain
    assert label in text
    assert "12,345,678,901" in text
    assert "(blank)" in text
    assert text.count("no statistics") == 3


def test_hours_days_or_weeks_fit_the_length_of_history() -> None:
    spans = [timedelta(hours=5), timedelta(days=20), timedelta(days=300)]
    steps = [known(reading(NOW - span, 1), reading(NOW, 2)).fitting_step() for span in spans]
    assert steps == ["hour", "day", "week"]


def test_time_shows_totals_or_what_was_added() -> None:
    code = known(reading(NOW - 2 * DAY, 5), reading(NOW - DAY, 8), reading(NOW, 20))
    came_to = time_chart(code.readings, "day", UTC, added=False)
    added = time_chart(code.readings, "day", UTC, added=True)
    assert [value for _, value in came_to.series[0][1]] == [5, 8, 20]
    assert [value for _, value in added.series[0][1]] == [0, 3, 12]
    assert (came_to.title, added.title) == ("Over time, by day", "Added each day")


def test_a_comparison_tells_zero_from_what_is_not_known() -> None:
    one, silent = known(reading(NOW, 5, Brazil=5)), known(Snapshot(NOW, scans=1))
    other = known(reading(NOW, 9, Japan=9))
    chart = compared_breakdown("countries", [one, silent, other])
    assert dict(chart.rows) == {"Brazil": (5, None, 0), "Japan": (0, None, 9)}
