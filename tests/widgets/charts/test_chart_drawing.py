"""Charts as text: of exactly the size asked for and true, whatever the numbers and labels are."""

import re
import resource
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from linkdash.model.humanize import compact, exact, share
from linkdash.model.statistics.chart_data import (
    Bars,
    ChartColumn,
    ChartData,
    Columns,
    CurveChart,
    MultiBars,
    Note,
    Number,
)
from linkdash.widgets.charts import plotext_curves
from linkdash.widgets.charts.chart_text import SIGNS, Palette
from linkdash.widgets.charts.drawing import MOST_ROWS, draw_chart, natural_height
from linkdash.widgets.charts.grouped_bars import MINI_BAR
from linkdash.widgets.charts.plotext_curves import CanvasError, draw_curves
from linkdash.widgets.charts.ranked_bars import BAR
from tests.nightly import is_nightly

FUZZED_CHARTS = 2_500 if is_nightly() else 50
MOST_MEMORY = 1_000_000  # kB; plotext without limits on its axes takes 3.4 GB for one bar of 10,000

SIZES = [(10, 3), (30, 8), (60, 14), (100, 24)]
DARK = Palette(title=Style(bold=True), series=tuple(Style(color=f"color({n})") for n in range(9, 15)))
DARK_BOLD = Palette(number=Style(bold=True))
LIGHT = Palette(label=Style(color="#000000"), series=(Style(color="#004578"), Style(color="#aa3300")))

HOSTILE_LABELS = (
    "",
    " ",
    "日本語のとても長い名前",
    "e\u0301\u0301te\u0301",
    "\u0301begins with an accent",
    "ישראל",
    "المملكة العربية السعودية",
    "abc\u202edef\u2066ghi\u200b",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "\u2764\ufe0f heart",
    "\U0001f1e7\U0001f1f7 flag",
    "ends joined\u200d",
    "\x1b[2J\x9b31m\x00",
    "\x1b]52;c;aGVsbG8=\x07",
    "[/b][@click=app.quit]x[/]",
    "two\nlines\tand a tab",
    "\ud800 surrogate",
    "x" * 20_000,
)
HOSTILE_NUMBERS: tuple[Number, ...] = (
    0, -0.0, 1, -5, 0.37, 1e-300, 10**5, 10**16, -(10**16), 10**400, 1e300, -1e300, 1.7e308, 5e-324,
    float("nan"), float("inf"), float("-inf"), None,
)  # fmt: skip
CONSOLE = Console()
MONDAY = datetime(2026, 11, 2, tzinfo=ZoneInfo("Europe/Berlin"))

labels = st.sampled_from(HOSTILE_LABELS) | st.text(max_size=30)
numbers: st.SearchStrategy[Number] = (
    st.sampled_from(HOSTILE_NUMBERS) | st.integers(0, 2_000) | st.integers() | st.floats()
)
moments = st.datetimes(timezones=st.sampled_from([UTC, MONDAY.tzinfo, None])) | st.integers(0, 9_000).map(
    lambda hours: MONDAY + timedelta(hours=hours)
)
columns = st.builds(ChartColumn, st.just("Sat 14"), st.just("14"), numbers, st.booleans())
charts: st.SearchStrategy[ChartData] = st.one_of(
    st.builds(Bars, labels, st.lists(st.tuples(labels, numbers), max_size=40).map(tuple)),
    st.builds(
        MultiBars,
        labels,
        st.lists(labels, max_size=8).map(tuple),
        st.lists(st.tuples(labels, st.lists(numbers, max_size=8).map(tuple)), max_size=15).map(tuple),
        st.booleans(),
        st.booleans(),
    ),
    st.builds(
        Columns,
        st.just(""),
        st.lists(columns, max_size=90).map(tuple),
        st.lists(columns, max_size=90).map(tuple),
        st.just("7 before: 1,600"),
        st.just("last 7 days: 300 ▼"),
        st.sampled_from(["good", "bad", "muted"]),
        st.none() | st.integers(0, 200),
        st.sampled_from([(), ("▼ Sat 14 Nov: 216 → 84 in a day", "the mean fell")]),
        st.none() | columns,
    ),
    st.builds(
        CurveChart,
        labels,
        st.lists(
            st.tuples(labels, st.lists(st.tuples(moments, numbers), max_size=60).map(tuple)), max_size=8
        ).map(tuple),
    ),
)


def assert_sound(lines: Sequence[Text], width: int, height: int) -> None:
    """Exactly the size, measured as the screen measures it, and nothing a terminal would act on."""
    assert len(lines) == height
    for line in lines:
        assert line.cell_len == width
        assert sum(cell_len(segment.text) for segment in line.render(CONSOLE)) == width
        assert not [
            character for character in line.plain if unicodedata.category(character) in {"Cc", "Cf", "Cs"}
        ]


def plain(data: ChartData | None, width: int, height: int) -> list[str]:
    return [line.plain.rstrip() for line in draw_chart(data, width, height)]


def column_of(text: str, line: str) -> int:
    """The cell in which `text` begins."""
    return cell_len(line[: line.index(text)])


# ---- any chart ----


@settings(
    max_examples=FUZZED_CHARTS,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(charts, st.integers(1, 130), st.integers(1, 40))
@example(CurveChart("", (("", ((MONDAY, float("nan")),)),)), 1, 1)
@example(
    Columns("", (), (ChartColumn("Sat 14", "14", 0),), "", "", notes=("a note as wide as the chart", "two")),
    24,
    5,
)
def test_every_chart_has_its_size_and_is_inert(data: ChartData, width: int, height: int) -> None:
    assert_sound(draw_chart(data, width, height), width, height)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MOST_MEMORY


@pytest.mark.parametrize(("size", "palette"), [*zip(SIZES, [DARK, LIGHT] * 2, strict=True)])
def test_hostile_labels_with_any_number_in_four_sizes_and_two_themes(
    size: tuple[int, int], palette: Palette
) -> None:
    width, height = size
    for number in (*HOSTILE_NUMBERS, 7):
        some = tuple((label, number if index % 2 else 50) for index, label in enumerate(HOSTILE_LABELS))
        points = tuple((MONDAY + timedelta(hours=hour), number if hour % 3 else 50) for hour in range(12))
        for data in (
            Bars("\x1b[31mTitle", some),
            MultiBars("Title", ("日本", "\x1b[2J"), tuple((label, (value, 3)) for label, value in some)),
            CurveChart("Title", tuple((label, points) for label in HOSTILE_LABELS)),
        ):
            assert_sound(draw_chart(data, width, height, palette), width, height)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_no_statistics_is_not_zero(width: int, height: int) -> None:
    nothing: list[ChartData | None] = [
        None,
        Bars("", ()),
        MultiBars("", ("a",), ()),
        MultiBars("", (), (("x", ()),)),
        CurveChart("", (("a", ()),)),
        CurveChart("", (("a", ((MONDAY, None),)),)),
    ]
    for data in nothing:
        assert plain(data, width, height)[0] == "no statistics"[: width - 1] + ("…" if width < 13 else "")
    zeros = "\n".join(plain(Bars("", (("Brazil", 0), ("Chile", 0))), width, height))
    assert "statistics" not in zeros
    assert zeros.count("0") == 2
    assert BAR not in zeros


def test_colors_are_those_of_the_palette() -> None:
    first, second = draw_chart(MultiBars("", ("a", "b"), (("x", (1, 2)),)), 40, 2, LIGHT)
    for line, style in ((first, LIGHT.series[0]), (second, LIGHT.series[1])):
        drawn = [segment.style for segment in line.render(CONSOLE) if BAR in segment.text]
        assert [shown.color for shown in drawn if shown] == [style.color]


# ---- bars ----


def test_bars_are_ranked_aligned_and_say_their_numbers() -> None:
    data = Bars(
        "Countries", (("Brazil", 120), ("日本", 300), ("", 6), ("e\u0301te\u0301", 173), ("Unknown", None))
    )
    assert plain(data, 40, 7) == [
        "Countries                            599",
        "日本    ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 300 50 %",
        "e\u0301te\u0301     ▆▆▆▆▆▆▆▆▆▆▆▆▆           173 29 %",
        "Brazil  ▆▆▆▆▆▆▆▆▆               120 20 %",
        "(blank) ▆                         6  1 %",
        "Unknown                           –    –",
        "",
    ]


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=30), st.integers(30, 120))
def test_a_longer_bar_is_a_larger_number(values: list[int], width: int) -> None:
    lines = plain(
        Bars("", tuple((f"n{number}", value) for number, value in enumerate(values))), width, len(values)
    )
    cells = [line.count(BAR) for line in lines]
    ranked = sorted(values, reverse=True)
    assert cells == sorted(cells, reverse=True)
    for length, value in zip(cells, ranked, strict=True):
        assert (length > 0) == (value > 0)
        assert length == 1 or abs(length - cells[0] * value / max(1, ranked[0])) <= 0.5


def test_bars_begin_in_one_column_whatever_the_labels_are_written_in() -> None:
    data = Bars("", tuple((label, 50 - index) for index, label in enumerate(HOSTILE_LABELS)))
    lines = plain(data, 60, len(HOSTILE_LABELS))
    assert len({column_of(BAR, line) for line in lines}) == 1
    assert {cell_len(line) for line in lines} == {60}


def test_a_label_that_begins_with_an_accent_leaves_its_neighbours_alone() -> None:
    (line,) = plain(Bars("", (("\u0301e", 1),)), 12, 1)
    assert line.startswith("◌\u0301e ")


@pytest.mark.parametrize(
    ("width", "rest"), [(40, "and 37 more: 1,204"), (12, "+37: 1.2k"), (8, "+37 more"), (4, "+37")]
)
def test_what_there_is_no_room_for_is_counted_in_the_last_row(width: int, rest: str) -> None:
    items = [("Chile", 900), ("Peru", 800), *((f"c{n}", 32) for n in range(36)), ("last", 52)]
    lines = plain(Bars("", tuple(items)), width, 3)
    assert lines[-1] == rest


def test_thousands_of_items_are_cut_visibly() -> None:
    data = Bars("Referrers", tuple((f"site-{n}", 1) for n in range(5_000)))
    assert natural_height(data, 60) == MOST_ROWS
    lines = plain(data, 60, MOST_ROWS)
    assert lines[0].split() == ["Referrers", "5,000"]
    assert lines[-1] == "and 4,802 more: 4,802"


def test_several_series_can_be_told_apart_without_color() -> None:
    data = MultiBars("Browsers", ("Poster", "Bus"), (("Safari", (10, None)), ("Chrome", (20, 40))))
    assert plain(data, 32, 6) == [
        "Browsers",
        "Chrome ● ▆▆▆▆▆▆▆        20  67 %",
        "       ■ ▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 40 100 %",
        "Safari ● ▆▆▆▆           10  33 %",
        "       ■                 –     –",
        "",
    ]
    assert [line.split() for line in plain(data, 40, 3)] == [
        ["Browsers"],
        ["Chrome", "●", "━━━━━━", "20", "■", "━━━━━━━━━━━", "40"],
        ["Safari", "●", "━━━", "10", "■", "–"],
    ]


def test_shares_are_compared_with_shares_and_what_differs_stands_out() -> None:
    rows = (("Germany", (4_000, 30)), ("Brazil", (6_000, 10)), ("Peru", (2, 1)))
    lines = draw_chart(MultiBars("", ("large", "small"), rows, by_share=True), 40, 6, DARK_BOLD)
    said = [line.plain.split() for line in lines]
    assert [row[-1] for row in said] == ["40%", "73%", "60%", "24%", "<1%", "2%"]
    segments = [segment for line in lines for segment in line.render(CONSOLE)]
    bold = [one.text.strip() for one in segments if one.style and one.style.bold and "%" in one.text]
    assert bold == ["73%", "60%"]


def test_what_only_a_small_series_has_most_of_comes_before_what_large_ones_have_a_little_of() -> None:
    rows = (("Germany", (6_000, 0)), ("Spain", (4_000, 10)), ("France", (0, 15)))
    data = MultiBars("", ("large", "small"), rows, by_share=True)
    assert [line.split()[0] for line in plain(data, 60, 3)] == ["Germany", "France", "Spain"]


def test_bars_have_what_cells_are_left_beside_the_numbers() -> None:
    rows = (("forum.example/t/4711", (52, 62, 7)), ("Direct", (48, 38, 93)))
    lines = plain(MultiBars("", ("a", "b", "c"), rows, by_share=True), 53, 2)
    assert lines == [
        "Direct               ● ━━   48% ■ ━━   38% ◆ ━━━━ 93%",
        "forum.example/t/4711 ● ━━   52% ■ ━━━  62% ◆ ━     7%",
    ]


def test_changes_are_drawn_by_size_and_said_with_their_direction() -> None:
    data = MultiBars("", ("a", "b"), (("Germany", (-80, 35)), ("Brazil", (None, 0))), is_change=True)
    text = "\n".join(plain(data, 40, 4))
    assert all(words in text for words in ("▼ 80%", "▲ 35%", "= 0%", "–"))


@pytest.mark.parametrize("height", [5, 10, 3])
def test_the_largest_change_comes_first_and_what_has_none_last(height: int) -> None:
    rows = (
        ("Spain", (None, None)),
        ("Sweden", (-46, 20)),
        ("Germany", (None, -90)),
        ("Peru", (70, -65)),
        ("Chile", (0, None)),
    )
    text = "\n".join(plain(MultiBars("", ("a", "b"), rows, is_change=True), 40, height))
    shown = ["Germany", "Peru", "Sweden", "Chile", "Spain"][: 2 if height == 3 else 5]
    assert sorted((name for name, _ in rows if name in text), key=text.index) == shown


@pytest.mark.parametrize("width", [40, 60])
def test_no_value_is_cut_where_labels_can_be(width: int) -> None:
    rows = (("Samsung Internet", (-75, None, 120)), ("Chrome", (None, -8, 0)))
    data = MultiBars("", ("a", "b", "c"), rows, is_change=True)
    bare = str.maketrans("", "", f"%{MINI_BAR}")
    lines = [" ".join(line.plain.translate(bare).split()) for line in draw_chart(data, width, 2)]
    assert [line[line.index("●") :] for line in lines] == ["● ▼ 75 ■ – ◆ ▲ 120", "● – ■ ▼ 8 ◆ = 0"]


def test_percent_signs_stand_close() -> None:
    rows = (("Samsung Internet", (54, 7)), ("Chrome", (46, 93)))
    data = MultiBars("", ("a", "b"), rows, by_share=True)
    assert "Samsung Internet ● 54% ■  7%" in "\n".join(plain(data, 29, 2))
    assert "Samsung Internet ● ━━━━━━     54% ■ ━           7%" in "\n".join(plain(data, 50, 2))


def test_where_a_series_has_nothing_its_zero_steps_back() -> None:
    faint = Style(color="#333333")
    data = MultiBars("", ("a", "b"), (("Germany", (60, 0)), ("Peru", (None, 7))), by_share=True)
    lines = draw_chart(data, 40, 2, Palette(faint=faint))
    segments = [segment for line in lines for segment in line.render(CONSOLE)]
    assert [one.text.strip() for one in segments if one.style and one.style.color == faint.color] == [
        "0%",
        "–",
    ]


SIX = MultiBars(
    "",
    ("a", "b", "c", "d", "e", "f"),
    (("Samsung Internet", (-75, None, 4, None, 120, 8)), ("Chrome", (-9, None, None, None, 0, None))),
    is_change=True,
)


def test_numbers_of_many_series_stand_below_their_label_where_both_do_not_fit_beside_each_other() -> None:
    height = natural_height(SIX, 34)
    assert plain(SIX, 34, height) == [
        "Samsung Internet",
        " ●  ▼ 75% ■      – ◆   ▲ 4%",
        " ✚      – ◇ ▲ 120% ○   ▲ 8%",
        "Chrome",
        " ●   ▼ 9% ■      – ◆      –",
        " ✚      – ◇   = 0% ○      –",
    ]


@pytest.mark.parametrize("is_change", [True, False])
@pytest.mark.parametrize("width", range(24, 100, 5))
def test_a_label_can_be_read_and_no_series_is_missing(width: int, is_change: bool) -> None:
    rows = (("Samsung Internet", (-75, None, -4, None, -99, -8)), ("Chrome", (-9, -3, None, -1, -1, None)))
    data = replace(SIX, rows=rows, is_change=is_change)
    lines = plain(data, width, natural_height(data, width))
    assert all(any(line.startswith(label[:7]) for line in lines) for label, _ in SIX.rows)
    assert [mark for mark in "".join(lines) if mark in SIGNS] == [*SIGNS] * 2


@given(st.sampled_from(["", "Countries"]), st.integers(1, 30), st.integers(1, 8), st.integers(24, 130))
def test_a_chart_asks_for_the_rows_it_fills(title: str, items: int, series: int, width: int) -> None:
    labels = [f"label {number}" for number in range(items)]
    for data in (
        Bars(title, tuple((label, 7) for label in labels)),
        MultiBars(
            title,
            tuple(f"s{number}" for number in range(series)),
            tuple((label, (7,) * series) for label in labels),
        ),
    ):
        lines = plain(data, width, max(4, natural_height(data, width)))[: natural_height(data, width)]
        assert all(lines)
        assert "more:" not in "".join(lines)


def test_labels_that_are_new_or_gone_say_so() -> None:
    notes = (Note("Peru", "▲ new", "good"), Note("Chile", "▼ gone, was 38", "bad"))
    lines = plain(Bars("", (("Brazil", 90), ("Peru", 10), ("Chile", 0)), notes), 50, 3)
    assert lines[0].endswith("90 90 %")
    assert lines[1].endswith("10 10 % ▲ new")
    assert lines[2] == "Chile  ▼ gone, was 38"


def test_in_a_small_space_a_share_says_more_than_a_number() -> None:
    data = Bars("", (("Brazil", 90), ("Peru", 10)))
    assert [line.split()[-2:] for line in plain(data, 25, 2)] == [["90", "%"], ["10", "%"]]
    assert plain(data, 12, 2) == ["Brazil    90", "Peru      10"]


@pytest.mark.parametrize(
    ("width", "end"), [(29, "90 %"), (22, "90 %"), (37, "90 90 % ▼ 90 %"), (40, "90 90 % ▼ 90 % of 900")]
)
def test_a_share_has_its_room_before_a_change_at_every_label(width: int, end: str) -> None:
    data = Bars(
        "", (("United States", 90), ("Peru", 10)), (Note("United States", "▼ 90 %", "bad", " of 900"),)
    )
    first, _ = plain(data, width, 2)
    assert first.startswith("United States ▆")
    assert first.split("▆")[-1].strip() == end


def test_series_past_the_sixth_are_counted() -> None:
    data = MultiBars("", tuple(f"s{n}" for n in range(9)), (("x", (1,) * 9),))
    assert "and 3 more not shown" in "\n".join(plain(data, 60, 20))


def test_a_share_never_rounds_something_to_nothing() -> None:
    assert [share(part, 1_000.0) for part in (0.0, 1.0, 500.0, 999.0, 1_000.0)] == [
        "0 %", "<1 %", "50 %", ">99 %", "100 %",
    ]  # fmt: skip
    assert share(1.0, 0.0) == share(None, 5.0) == "–"


@pytest.mark.parametrize(
    ("value", "in_full", "short"),
    [
        (0.0, "0", "0"),
        (-0.0, "0", "0"),
        (0.375, "0.375", "0.375"),
        (999.6, "1,000", "1,000"),
        (1_204.0, "1,204", "1.2k"),
        (999_999.0, "999,999", "1.0M"),
        (-34_567.0, "-34,567", "-35k"),
        (1e13, "1.0e13", "10T"),
        (1e300, "1.0e300", "1e300"),
        (None, "–", "–"),
    ],
)
def test_numbers_as_they_are_written(value: float | None, in_full: str, short: str) -> None:
    assert (exact(value), compact(value)) == (in_full, short)


# ---- two periods side by side ----


def days(values: Sequence[Number], *, is_sure: bool = True) -> tuple[ChartColumn, ...]:
    return tuple(ChartColumn(f"Day {n}", f"{n}", value, is_sure) for n, value in enumerate(values, 1))


BLOCKS = tuple("▁▂▃▄▅▆▇█")


def test_large_numbers_leave_room_for_a_gap_between_bars_and_for_the_sums_of_both_periods() -> None:
    values = [18_000, 17_000, 26_000, 25_000, 26_000, 26_000, 26_000]
    data = Columns("", days(values), days(values), "7 days before: 163,325", "last 7 days: 154,572 ▼")
    lines = plain(data, 33, 9)
    assert [line.split("│")[0].strip(" ▔") for line in lines if "k" in line] == ["30k", "20k", "10k"]
    assert "163,325" in lines[-2]
    assert "154,572" in lines[-2]
    assert "█ █ █" in lines[-4]
    assert any(line.startswith("30,000▔") for line in plain(data, 60, 9)), (
        "where they have room they are whole"
    )


DROP = Columns(
    "",
    days([210, 200, 205]),
    days([84, 50, 10]),
    "3 before: 615",
    "last 3 days: 144 ▼",
    "bad",
    3,
    ("▼ fell here",),
    ChartColumn("now", "now", 4, is_sure=False),
)


def test_two_periods_stand_side_by_side_and_their_axis_names_them() -> None:
    lines = plain(DROP, 60, 10)
    assert lines[8].index("3 before: 615") < lines[8].index("│") < lines[8].index("last 3 days: 144 ▼")
    assert lines[9].split() == ["Day", "1", "Day", "2", "Day", "3", "Day", "1", "Day", "2", "Day", "3", "now"]
    assert "▼ fell here" in lines[0]
    heights = [sum(line[x : x + 1] in BLOCKS for line in lines[:8]) for x in columns_of(lines)]
    assert heights == [6, 6, 6, 3, 2, 1]


def test_the_bracket_of_a_period_ends_before_the_step_that_is_not_over() -> None:
    lines = plain(DROP, 60, 10)
    now = lines[9].index("now")
    assert [x for x, letter in enumerate(lines[8]) if letter == "│"][1:] == [now]
    assert lines[8][now + 1 :].strip("▔") == ""
    over = plain(replace(DROP, running=None), 60, 10)
    assert over[8].count("│") == 1


def columns_of(lines: Sequence[str]) -> list[int]:
    """The cells in which the labels, and so the columns, begin."""
    return [x for x, letter in enumerate(lines[-1]) if lines[-1][x : x + 4] == "Day " and letter == "D"]


def test_what_is_not_sure_looks_unlike_what_is() -> None:
    sure = plain(Columns("", days([5]), days([5]), "before", "now"), 40, 6)
    unsure = plain(Columns("", days([5]), days([5], is_sure=False), "before", "now"), 40, 6)
    unknown = plain(Columns("", days([5]), days([None]), "before", "now"), 40, 6)
    assert not any("▒" in line for line in sure)
    assert any("▒" in line for line in unsure)
    assert any("·" in line for line in unknown)


@pytest.mark.parametrize("value", [10, 100, 333, 800])
def test_a_step_that_is_not_over_is_as_high_as_one_that_is(value: int) -> None:
    running = ChartColumn("now", "now", value, is_sure=False)
    lines = plain(Columns("", days([800]), days([value]), "before", "now", running=running), 60, 8)
    over, now = columns_of(lines)[1], lines[-1].index("now")
    sure, unsure = ([line[x : x + 1] for line in lines[:-2]] for x in (over, now))
    assert [letter.replace("▒", "█") for letter in unsure] == sure


def test_more_columns_than_cells_are_added_up() -> None:
    data = Columns("", days([1] * 100), days([2] * 100), "before", "now", turn=150)
    text = "\n".join(plain(data, 60, 8))
    assert "100" not in text.splitlines()[-1]
    assert text.endswith(" 5 days a bar"), "each is the sum of them"
    assert max(map(len, plain(data, 60, 8))) <= 60
    assert "a bar" not in "\n".join(plain(data, 220, 8))


@given(st.integers(1, 100), st.integers(24, 130), st.integers(1, 10**9))
@example(31, 73, 1_500_000)
@example(90, 101, 1_500_000)
def test_as_many_columns_are_drawn_as_there_is_room_for_beside_the_numbers(
    steps: int, width: int, value: int
) -> None:
    running = ChartColumn("now", "now", value, is_sure=False)
    data = Columns("", days([value] * steps), days([value] * steps), "before", "now", running=running)
    assert max(map(len, plain(data, width, 8))) <= width


def test_no_room_for_columns_leaves_the_numbers() -> None:
    assert plain(DROP, 60, 2) == ["3 before: 615", "last 3 days: 144 ▼"]


# ---- axes are true ----


def ticks_of(lines: Sequence[str]) -> dict[int, int]:
    """The number that stands at an axis, by its row."""
    found = (re.match(r" *(-?[0-9,]+) ?%?(?:[┤└]|▔[│▔])", line) for line in lines)
    return {row: int(tick[1].replace(",", "")) for row, tick in enumerate(found) if tick}


def row_of(value: float, ticks: dict[int, int]) -> float:
    """The row of a number between the ticks."""
    (high, top), (low, bottom) = min(ticks.items()), max(ticks.items())
    return low - (value - bottom) / (top - bottom) * (low - high)


def assert_even(ticks: dict[int, int]) -> None:
    """As far apart as their numbers are."""
    apart = {(right - left, ticks[left] - ticks[right]) for left, right in pairwise(ticks)}
    assert len(apart) == 1


amounts = st.integers(0, 2_000) | st.integers(0, 99_999)


@given(st.lists(amounts, min_size=2, max_size=9), st.integers(4, 40))
@example([5_085, 0], 10)
def test_a_column_ends_where_the_tick_of_its_number_would_be(values: list[int], height: int) -> None:
    lines = plain(Columns("", days(values[:1]), days(values[1:]), "before", "now"), 90, height)
    ticks, axis = ticks_of(lines), height - 2
    assert_even(ticks)
    assert ticks[axis] == 0
    line = lines[axis].replace("before", "").replace("now", "")
    assert set(line) <= {*"0 ▔│"}, "columns stand on it"
    for x, value in zip(columns_of(lines), values, strict=True):
        filled = [BLOCKS.index(line[x]) + 1 for line in lines[:axis] if line[x : x + 1] in BLOCKS]
        least = 1 / 8 if value else 0
        assert sum(filled) / 8 == pytest.approx(max(least, axis - row_of(value, ticks)), abs=1 / 15)
    assert row_of(max(values), ticks) > -1e-9
    assert max(values) < 10 or row_of(max(values), ticks) < axis * 0.7


@given(st.integers(0, 5_000), st.integers(0, 5_000), st.integers(6, 40))
@example(0, 5_085, 12)
def test_a_curve_runs_where_the_tick_of_its_number_would_be(one: int, other: int, height: int) -> None:
    points = hourly([0, *[one] * 9, None, *[other] * 9])
    lines = plain(CurveChart("", (("scans", points),), has_legend=False), 60, height)
    ticks, drawn = ticks_of(lines), curve(lines)
    assert_even(ticks)
    assert ticks[height - 2] == 0
    for x, value in ((sorted(drawn)[len(drawn) // 4], one), (max(drawn), other)):
        (row,) = drawn[x]
        assert abs(row - row_of(value, ticks)) <= 0.5 + 1e-9


def test_the_axis_of_a_comparison_begins_with_its_period_however_late_it_is_known() -> None:
    points = hourly([5] * 10)
    first, last = points[0][0], points[-1][0]
    late = CurveChart("", (("code", points),), has_legend=False, start=first - (last - first))
    drawn = sorted(curve(plain(late, 60, 12)))
    whole = sorted(curve(plain(replace(late, start=None), 60, 12)))
    assert abs(drawn[0] - (whole[0] + whole[-1]) / 2) <= 1
    assert drawn[-1] == whole[-1]


@given(st.lists(st.integers(0, 400), min_size=2, max_size=6), st.integers(8, 40))
def test_every_curve_of_a_comparison_ends_where_the_tick_of_its_number_would_be(
    ends: list[int], height: int
) -> None:
    series = tuple((f"code {number}", hourly([0, *[end] * 9])) for number, end in enumerate(ends))
    lines = plain(CurveChart("", series, " %", has_legend=False), 70, height)
    ticks, drawn = ticks_of(lines), curve(lines)
    assert_even(ticks)
    assert ticks[height - 2] == 0
    wanted = [row_of(end, ticks) for end in ends]
    for row in wanted:
        assert min(abs(row - found) for found in drawn[max(drawn)]) <= 0.5 + 1e-9
    for found in drawn[max(drawn)]:
        assert min(abs(row - found) for row in wanted) <= 0.5 + 1e-9


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=6), st.integers(44, 120))
def test_a_bar_of_a_group_is_as_long_as_its_part_of_the_longest(values: list[int], width: int) -> None:
    names = tuple(f"code {number}" for number in range(len(values)))
    lines = plain(MultiBars("", names, (("Germany", tuple(values)),)), width, len(values))
    lengths = [line.count(BAR) for line in lines]
    for length, value in zip(lengths, values, strict=True):
        assert length == 1 or abs(length - max(lengths) * value / max(1, *values)) <= 0.5


@given(st.lists(amounts, min_size=14, max_size=14), st.integers(120, 180))
def test_the_bracket_parts_the_columns_that_it_sums(values: list[int], width: int) -> None:
    captions = f"7 days before: {sum(values[:7]):,}", f"last 7 days: {sum(values[7:]):,}"
    *_, axis, labels = lines = plain(Columns("", days(values[:7]), days(values[7:]), *captions), width, 9)
    turn = axis.index("│")
    assert turn == columns_of(lines)[7], labels
    assert captions[0] in axis[:turn]
    assert captions[1] in axis[turn:]


def test_a_scale_ends_at_the_next_round_number_above_the_highest_value() -> None:
    for height in range(8, 30):
        drawn = plain(Columns("", days([5_085]), days([9]), "", ""), 60, height)
        assert max(ticks_of(drawn).values()) > 5_085
    lines = plain(Columns("", days([5_085]), days([9]), "before", "now"), 60, 10)
    assert [*ticks_of(lines).values()] == [6_000, 3_000, 0]


# ---- time series ----


def hourly(values: Sequence[Number]) -> tuple[tuple[datetime, Number], ...]:
    return tuple((MONDAY + timedelta(hours=hour), value) for hour, value in enumerate(values))


def curve(lines: Sequence[str]) -> dict[int, list[int]]:
    """The rows in which each column has a piece of the curve."""
    columns: dict[int, list[int]] = {}
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            if "\u2800" <= character <= "\u28ff" or character == "•":
                columns.setdefault(column, []).append(row)
    return columns


def test_a_drop_is_drawn_as_a_drop_and_said() -> None:
    lines = plain(CurveChart("", (("scans", hourly([*range(0, 100, 5), *[20] * 20])),)), 60, 16)
    assert lines[0] == "scans 20 (+20)"
    columns = curve(lines)
    left, right = min(columns), max(columns)
    middle = max(column for column in columns if min(columns[column]) == min(map(min, columns.values())))
    assert max(columns[left]) > min(columns[middle]) < min(columns[right])
    fall = [column for column in columns if len(columns[column]) > 5]
    assert len(fall) in {1, 2}


def test_points_are_drawn_in_the_order_of_time() -> None:
    points = hourly(range(0, 300, 10))
    in_order = plain(CurveChart("", (("scans", points),)), 60, 12)
    assert plain(CurveChart("", (("scans", points[::-1]),)), 60, 12) == in_order


def test_a_gap_stays_a_gap() -> None:
    with_gap = curve(plain(CurveChart("", (("scans", hourly([5] * 20 + [None] * 20 + [9] * 20)),)), 70, 12))
    columns = sorted(with_gap)
    empty = [right - left for left, right in pairwise(columns) if right - left > 1]
    assert len(empty) == 1
    assert 18 <= empty[0] <= 26


def test_a_lone_reading_between_gaps_is_seen() -> None:
    lines = plain(CurveChart("", (("scans", hourly([5, 6, None, 9, None, 5, 6])),)), 60, 12)
    assert "\n".join(lines).count("•") == 1


def test_one_reading_is_told_as_one() -> None:
    lines = plain(CurveChart("Scans", (("scans", ((MONDAY, 1_204),)),)), 60, 10)
    assert lines[:3] == ["Scans", "scans 1,204", "no curve yet: it needs readings further apart"]


def test_many_points_make_the_same_picture_as_their_extremes() -> None:
    values = [100] * 20_000
    values[9_999] = 900
    minutes = tuple((MONDAY + timedelta(minutes=n), value) for n, value in enumerate(values))
    columns = curve(plain(CurveChart("", (("scans", minutes),)), 80, 20))
    assert min(map(min, columns.values())) < 5
    assert [column for column, rows in columns.items() if len(rows) > 5]


def test_a_space_too_small_for_curves_has_their_numbers() -> None:
    text = "\n".join(plain(CurveChart("", (("scans", hourly([5, 2, 11])),)), 60, 3))
    assert "scans 11 (+6)" in text
    assert "lowest 2, highest 11" in text
    assert "from 2026-11-02 00:00 to 2026-11-02 02:00" in text


def ends_of(lines: Sequence[str]) -> list[str]:
    """The signs beside the ends of the curves, row by row."""
    axis = next(row for row, line in enumerate(lines) if "└" in line)
    return [line.rpartition(" ")[2] if line[-1] in SIGNS else "" for line in lines[: axis + 1]]


def ending_at(*values: Number) -> CurveChart:
    """A series for each value, from 100 to it."""
    series = tuple((f"s{number}", hourly([100, 0, value])) for number, value in enumerate(values))
    return CurveChart("", series, has_legend=False)


@pytest.mark.parametrize("height", [8, 9, 12, 20])
def test_a_sign_stands_at_the_end_of_its_curve(height: int) -> None:
    for last in range(0, 101, 5):
        lines = plain(CurveChart("", (("a", hourly([100, 0, last])), ("b", ()))), 59, height)
        end = max(column for column in curve(lines))
        (row,) = [row for row, line in enumerate(lines) if line.endswith("●")]
        assert row in curve(lines)[end]


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ((0, 100), ["", "■", "", "", "", "", "", "●"]),
        ((18, 16, 61), ["", "", "", "◆", "", "●", "■", ""]),
        ((50, 52, 51, 49), ["", "", "■", "◆", "●", "✚", "", ""]),
        ((0, 0, 0, 0, 100), ["", "◇", "", "", "●", "■", "◆", "✚"]),
        ((100, 96, 92, 98, 94, 90), ["●", "✚", "■", "◇", "◆", "○", "", ""]),
    ],
)
def test_signs_at_the_ends_of_curves_are_ordered_as_the_ends_are(
    values: Sequence[Number], ends: list[str]
) -> None:
    assert ends_of(plain(ending_at(*values), 59, 9)) == ends


def test_signs_share_rows_where_there_are_more_of_them() -> None:
    assert ends_of(plain(ending_at(10, 60, 20, 50, 30, 40), 59, 5)) == ["■✚", "○", "◇◆", "●"]


@given(st.lists(st.integers(0, 100), min_size=2, max_size=6), st.integers(4, 20))
def test_no_sign_stands_above_that_of_a_higher_end(values: list[int], height: int) -> None:
    signs = "".join(ends_of(plain(ending_at(*values), 59, height)))
    from_the_top = [values[SIGNS.index(sign)] for sign in signs]
    assert from_the_top == sorted(values, reverse=True)


def test_what_each_curve_came_to_stands_at_its_end_where_there_is_room() -> None:
    told = re.compile(r"[●■◆] .*")

    def ends(data: CurveChart, width: int) -> list[str]:
        return [found[0].rstrip() for line in plain(data, width, 9) if (found := told.search(line))]

    assert ends(ending_at(1_018, 1_016, 610), 60) == ["● 1,018", "■ 1,016", "◆ 610"]
    assert ends(replace(ending_at(96.4, 51), unit=" %"), 60) == ["● 96 %", "■ 51 %"]
    assert ends(ending_at(96.4, 51), 59) == []


# ---- plotext behind its guard ----


@pytest.mark.parametrize("error", [MemoryError, OSError, ImportError, ValueError, TypeError, RuntimeError])
def test_when_plotext_fails_the_numbers_are_still_there(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_width: int, _height: int) -> None:
        raise error

    monkeypatch.setattr(plotext_curves, "_new_figure", fail)
    name = error.__name__  # so that no drawing of before is taken
    bars = draw_chart(Bars(name, (("Brazil", 120), ("Chile", 80))), 40, 4)
    assert_sound(bars, 40, 4)
    assert "120" in bars[1].plain
    lines = draw_chart(CurveChart(name, (("scans", hourly([5, 2, 11])),)), 60, 12)
    assert_sound(lines, 60, 12)
    assert "lowest 2, highest 11" in "\n".join(line.plain for line in lines)


def test_a_drawing_of_another_size_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = plotext_curves._new_figure
    monkeypatch.setattr(plotext_curves, "_new_figure", lambda width, height: figure(width + 1, height))
    with pytest.raises(CanvasError):
        draw_curves([[(0, 0), (1, 1)]], 20, 6)


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0), (100_000, 100_000)])
def test_sizes_that_cannot_be_drawn_are_refused(width: int, height: int) -> None:
    with pytest.raises(CanvasError):
        draw_curves([[(0, 0), (1, 1)]], width, height)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324])
def test_the_canvas_itself_survives_any_number(value: float) -> None:
    assert len(draw_curves([[(value, value), (1, 1)]], 30, 6)) == 6


def test_drawing_in_many_threads_gives_what_one_thread_gives() -> None:
    data: list[ChartData] = []
    for n in range(12):
        data.append(Bars(f"b{n}", tuple((f"x{m}", m * n) for m in range(10))))
        data.append(CurveChart(f"l{n}", (("scans", hourly(range(n, 30 + n))),)))
    draw = draw_chart.__wrapped__
    alone = [draw(one, 60, 12) for one in data]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda one: draw(one, 60, 12), data))
    assert together == alone


def test_plotext_is_imported_with_the_first_chart_and_not_before() -> None:
    program = (
        "import sys\n"
        "from linkdash.widgets.charts.drawing import draw_chart\n"
        "from datetime import UTC, datetime\n"
        "from linkdash.model.statistics.chart_data import Bars, CurveChart\n"
        "import linkdash.widgets.charts.chart\n"
        "draw_chart(Bars('', (('a', 1),)), 40, 4)\n"
        "print('plotext' in sys.modules)\n"
        "times = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2)]\n"
        "draw_chart(CurveChart('', (('a', tuple((at, 1) for at in times)),)), 40, 9)\n"
        "print('plotext' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "True"]


def test_curves_that_lie_on_one_another_take_turns_along_what_they_share() -> None:
    level = [(0.0, 0.5), (1.0, 0.5)]
    falls = [(0.0, 0.5), (0.5, 0.5), (1.0, 0.0)]
    shared = draw_curves([level, level, level], 24, 5)[2]
    assert [(len(text), series) for text, series in shared] == [(2, 0), (2, 1), (2, 2)] * 4, "each is seen"
    alone = draw_curves([level], 24, 5)[2]
    assert alone == [("".join(text for text, _ in shared), 0)]
    parted = draw_curves([level, falls], 24, 5)
    assert {series for _, series in parted[2][:-1]} == {0, 1}
    text, series = parted[2][-1]
    assert (len(text) > 4, series) == (True, 0), "what it has alone is its own"
    assert {series for _, series in parted[4]} == {1, None}


def test_where_curves_cross_no_dot_of_either_is_lost() -> None:
    up, down = [(0.0, 0.0), (1.0, 1.0)], [(0.0, 1.0), (1.0, 0.0)]

    def letters(curves: list[list[tuple[float, float]]]) -> str:
        return "".join(text for row in draw_curves([*curves], 11, 5) for text, _ in row).replace(
            " ", "\u2800"
        )

    both = [ord(one) | ord(other) for one, other in zip(letters([up]), letters([down]), strict=True)]
    assert [ord(letter) for letter in letters([up, down])] == both
