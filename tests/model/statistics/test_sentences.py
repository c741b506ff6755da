"""The sentence that answers: how much, against before, since when, where; and no more than is known."""

from dataclasses import replace
from datetime import timedelta

from linkdash.model.statistics.period import period
from linkdash.model.statistics.period_comparison import Track
from linkdash.model.statistics.readings import in_all
from linkdash.model.statistics.sentences import answer, figures, plain, rates
from linkdash.store.reading import Reading
from tests.model.statistics.test_period_comparison import DAY, HOUR, NOW, growing


def dropped(*, before: float = 1600 / 7, after: float = 300 / 7) -> list[Reading]:
    """A code that fell at the beginning of the last week, most of all in Germany."""
    start = period("week", NOW).start
    readings, scans, germany = [], 0.0, 0.0
    for number in range(20 * 24 + 14):
        at = start - 13 * DAY + number * HOUR
        is_late = at > start
        scans += (after if is_late else before) / 24
        germany += 0.3 if is_late else 6.0
        counts = {"Germany": round(germany), "Brazil": round(scans - germany)}
        readings.append(Reading(at, round(scans) + 9, round(scans / 2), round(scans), {"countries": counts}))
    return [one for one in readings if one.at <= NOW]


def after_days(days: int) -> list[Reading]:
    """The same code after so many days of 200 scans."""
    told, begun = dropped(), dropped()[0].at
    before = [Reading(begun - (days - day) * DAY, scans=200 * day) for day in range(days)]
    return [*before, *(replace(one, scans=(one.scans or 0) + 200 * days) for one in told)]


def said(readings: list[Reading], name: str = "week") -> str:
    over = period("week" if name == "week" else "day", NOW)
    return plain(answer([Track(readings)], "scans", over, NOW).sentence)


def test_the_support_question_is_answered_in_one_sentence() -> None:
    assert said(dropped()) == (
        "300 scans in the last 7 days, 1,600 in the 7 before: ▼ 81 %, "
        "falling since Sat 14 Nov; Germany ▼ 95 % from 1,008 clicks"
    )


def test_a_country_from_which_nothing_came_before_is_where_a_rise_was() -> None:
    start = period("week", NOW).start
    readings = [
        Reading(at, brazil + chile, 0, brazil + chile, {"countries": {"Brazil": brazil, "Chile": chile}})
        for at, brazil, chile in ((start - 8 * DAY, 0, 0), (start, 80, 0), (NOW, 160, 80))
    ]
    assert said(readings).endswith("; Chile +74 from 0 clicks")


def test_a_code_that_is_scanned_no_more_says_since_when() -> None:
    dead = dropped(after=0)
    assert said(dead) == (
        "No scans since Sat 14 Nov; 0 scans in the last 7 days, 1,600 in the 7 before: ▼ 100 %"
    )
    stopped = [replace(one, at=one.at + 4 * DAY) for one in dead]
    stopped = [one for one in stopped if one.at <= NOW]
    assert said(stopped).startswith("No scans since Wed 18 Nov; 914 scans in the last 7 days, 1,600 in")
    assert said([replace(one, scans=(one.scans or 0) // 100) for one in stopped]).startswith("9 scans"), (
        "two days without one may be chance"
    )
    later = [replace(one, at=one.at - 14 * DAY) for one in dead]
    long_dead = [*later, Reading(NOW, scans=later[-1].scans)]
    assert said(long_dead) == "No scans since Sat 31 Oct; 0 scans in the last 7 days and before"
    never = [replace(one, scans=0) for one in dead]
    assert said(never) == "No scans yet; 0 scans in the last 7 days and before"
    again = [*dead[:-1], replace(dead[-1], scans=(dead[-1].scans or 0) + 1)]
    assert said(again).startswith("0 scans in the last 7 days, 1,600 in the 7 before"), "it was today"


def test_codes_that_are_summed_each_say_since_when_they_fell() -> None:
    week = period("week", NOW)
    later = [
        one for reading in dropped(before=90) if (one := replace(reading, at=reading.at + 2 * DAY)).at <= NOW
    ]
    tracks = {"Poster": Track(later), "Menu": Track(growing(20)), "Table 4": Track(dropped())}

    def both(names: list[str]) -> str:
        found = answer([tracks[name] for name in names], "scans", week, NOW, names_label=False, names=names)
        return plain(found.sentence)

    assert both([*tracks]).endswith("; Table 4 falling since Sat 14 Nov, Poster since Mon 16 Nov")
    assert both(["Menu", "Table 4"]).endswith(", falling since Sat 14 Nov"), "the sum says it of the only one"
    tracks["Bus"] = Track(dropped(before=100))
    assert both([*tracks]).endswith("; 3 falling, most of all Table 4 since Sat 14 Nov")


def test_a_country_that_moved_like_all_others_is_not_where_it_was() -> None:
    alike = [
        replace(reading, breakdowns={"countries": {"Germany": reading.scans or 0, "Brazil": 3}})
        for reading in dropped()
    ]
    assert said(alike).endswith("falling since Sat 14 Nov")


def test_what_is_no_more_than_noise_is_not_explained() -> None:
    assert said(dropped(after=215)) == "1,505 scans in the last 7 days, 1,600 in the 7 before: ▼ 6 %"


def test_a_history_that_is_too_short_says_what_it_can_and_when_it_can_more() -> None:
    assert said([]) == "No scans are known."
    assert said(growing(0)) == (
        "First reading saved. Changes appear here next time. The last 7 days will be known from Sun 29 Nov, "
        "compared with the time before from Sun 6 Dec."
    )
    assert said(growing(2)).startswith(
        "48 scans since Thu 13:14, the earliest reading. The last 7 days will be known from"
    )
    assert (
        said(growing(10))
        == "168 scans in the last 7 days; no comparison with the time before until Thu 26 Nov"
    )
    assert said(growing(3), "day") == "24 scans in the last 24 hours, 24 in the 24 before: = 0 %"


def test_a_break_is_told_also_where_the_time_before_is_not_known_or_was_not_more() -> None:
    month = period("month", NOW)
    short = plain(answer([Track(dropped())], "scans", month, NOW).sentence)
    assert "the earliest reading, falling since Sat 14 Nov. The last 30 days will be known from" in short
    fallen = answer([Track(after_days(39))], "scans", month, NOW)
    assert plain(fallen.sentence).endswith(
        ", falling since Sat 14 Nov; no comparison with the time before until Mon 23 Nov"
    )
    assert fallen.turn is not None
    assert month.steps[fallen.turn.index][0] == fallen.turn.at, "where the chart marks it"
    compared = plain(answer([Track(after_days(60))], "scans", month, NOW).sentence)
    assert compared.endswith(" in the 30 before: ▼ 12 %, falling since Sat 14 Nov"), "no more than noise"


def test_a_period_of_one_day_is_the_last_full_one() -> None:
    one_day = period("own", NOW, days=1)
    sentence = plain(answer([Track(growing(10))], "scans", one_day, NOW).sentence)
    assert sentence == "24 scans in the last full day, 24 in the day before: = 0 %"


def test_a_gap_up_to_now_is_not_zero() -> None:
    old = growing(30, until=NOW - timedelta(days=3))
    assert said(old) == "No reading since Wed 13:14: 109 scans known of the last 7 days."


def test_nothing_before_is_said_in_words() -> None:
    start = period("week", NOW).start
    quiet = [Reading(NOW - 20 * DAY, scans=5), Reading(start, scans=5), Reading(NOW, scans=5)]
    assert said(quiet).startswith("No scans since Mon 2 Nov"), "as far as is known"
    woken = [*quiet[:2], Reading(period("week", NOW).end, scans=30)]
    assert said(woken) == "25 scans in the last 7 days, none in the 7 before"


def test_figures_are_of_the_period_or_of_all_there_is() -> None:
    readings, over = dropped(), period("week", NOW)
    latest = in_all([replace(readings[-1], unique=None)])
    found = figures([Track(readings)], over, latest, readings[0].at)
    assert [(one.title, one.value, one.change, one.note) for one in found[:2]] == [
        ("Scans, 7 days", "300", "▼ 81 %", "was 1,600"),
        ("Clicks, 7 days", "300", "▼ 81 %", "was 1,600"),
    ]
    assert (found[-1].title, found[-1].value) == ("Scans, all time", f"{readings[-1].scans:,}")
    short = figures([Track(growing(1))], over, latest, NOW - DAY)
    assert [one.title for one in short] == ["Scans, all time", "Clicks, all time", "Unique clicks, all time"]
    assert [one.note for one in short] == ["read since 20 Nov"] * 3
    assert short[-1].value == "–"


def test_rates_are_said_as_far_as_they_are_known() -> None:
    assert rates(Reading(NOW, 200, 138, 154)) == "Unique rate 69 % · 0.77 scans per click"
    assert rates(Reading(NOW, 200, None, 154)) == "0.77 scans per click"
    assert rates(Reading(NOW, 0, 0, 0)) == rates(None) == ""
