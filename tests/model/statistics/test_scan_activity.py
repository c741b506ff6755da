"""The scans of every code from the history alone: sparklines, changes, risers and fallers."""

from linkdash.model.humanize import TELLING_PERCENT, CountChange
from linkdash.model.statistics.period import period
from linkdash.model.statistics.scan_activity import activities, movers, pulse, together
from linkdash.store.reading import Reading, Scans
from tests.model.statistics.test_period_comparison import DAY, HOUR, NOW, growing


def scans(readings: list[Reading]) -> Scans:
    return tuple((one.at, one.scans or 0) for one in readings)


def turned(before: float, after: float) -> Scans:
    """A code that is scanned so often a day until the last week, and since then."""
    start, count, found = period("week", NOW).start, 0.0, []
    for number in range(18 * 24):
        at = NOW - 18 * DAY + (number + 1) * HOUR
        count += (before if at <= start else after) / 24
        found.append((at, round(count)))
    return tuple(found)


def test_days_and_weeks_of_a_code() -> None:
    (one,) = activities({7: scans(growing(20))}, NOW).values()
    assert one.days == (24,) * 14
    assert (one.week.percent, one.day.percent) == (0, 0)
    assert one.scans == 480


def test_a_code_without_scans_in_the_last_week_tells_since_when() -> None:
    found = activities({1: turned(50, 0), 2: turned(50, 1), 3: turned(0, 0)}, NOW)
    told = period("week", NOW).start
    silent = found[1].quiet_since
    assert silent is not None
    assert told - 2 * HOUR < silent <= told
    assert found[1].quiet_days == 7
    assert found[1].change == CountChange(0, 348, quiet_days=7)
    assert found[2].quiet_since is found[3].quiet_since is None, "one is scanned, the other never was"


def test_a_code_that_was_not_read_is_not_said_to_have_no_scans() -> None:
    (one,) = activities({1: turned(50, 50)[: -5 * 24]}, NOW).values()
    assert (one.quiet_since, one.quiet_days) == (None, 0)


def test_what_no_reading_tells_is_unknown() -> None:
    (young,) = activities({7: scans(growing(2))}, NOW).values()
    assert young.days == (None,) * 13 + (24,)
    assert young.week.percent is None
    assert activities({7: ()}, NOW) == {}
    (lone,) = activities({7: scans(growing(0))}, NOW).values()
    assert lone.days == (None,) * 14


def test_risers_and_fallers_are_those_that_moved_most() -> None:
    found = activities({1: turned(50, 10), 2: turned(20, 60), 3: turned(30, 32), 4: scans(growing(2))}, NOW)
    moved = movers(found.values(), "week", most=5)
    assert [one.code_id for one in moved.fallers] == [1]
    assert [one.code_id for one in moved.risers] == [2, 3]
    assert moved.compared == 3
    assert [one.code_id for one in movers(found.values(), "week", most=5, telling=True).risers] == [2]
    assert [one.code_id for one in movers(found.values(), "week", most=1).risers] == [2]


def test_what_rises_from_nothing_is_a_riser_as_the_finding_has_it() -> None:
    readings = ((NOW - 18 * DAY, 0), (period("week", NOW).start, 0), (NOW, 520))
    (one,) = activities({1: readings}, NOW).values()
    told = pulse([one], most=5)
    assert told.rose == told.changed == (one,)
    assert told.compared == 1
    assert one.change is not None
    assert one.change.telling_percent > TELLING_PERCENT


def test_all_codes_together_are_those_that_are_known_in_both_times() -> None:
    known = [*activities({1: turned(50, 10), 2: turned(20, 60)}, NOW).values()]
    both = together(known, "week").comparison
    assert both.percent == 0
    made_since = [*activities({3: tuple((at, 0) for at, _ in scans(growing(1)))}, NOW).values()]
    assert together([*known, *made_since], "week") == (both, 2, 2), "what was never scanned adds nothing"
    scanned_since = [*activities({4: scans(growing(2))}, NOW).values()]
    assert together([*known, *scanned_since], "week") == (both, 2, 3)
    assert together(scanned_since, "week").comparison.percent is None
    assert together([], "day").comparison.now is None


def test_the_month_is_known_where_the_history_reaches_over_all_of_it() -> None:
    found = activities({1: scans(growing(40)), 2: scans(growing(20))}, NOW)
    assert found[1].month in (30 * 24, 30 * 24 + 1), "an hour more where clocks have changed"
    assert found[2].month is None, "what is partly known is no number"
