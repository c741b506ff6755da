"""Bars, gauges and changes in cells."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.cells import cell_len

from linkdash.api.fields import Kind
from linkdash.model.humanize import Badge, CountChange, CountedTrend, TermEnd, TimeLeft, Trend
from linkdash.widgets.charts.cell_pictures import (
    CHANGE_CELLS,
    gauge,
    time_left_words,
)
from linkdash.widgets.styled_text import Tone
from linkdash.widgets.table.cell_text import cell, cells_of

NOON = datetime(2026, 11, 24, 12)
numbers = some.integers(0, 10**7)
changes = some.builds(CountChange, numbers, numbers)


@given(
    some.one_of(
        some.builds(
            CountedTrend,
            some.none() | numbers,
            some.builds(
                Trend, some.lists(some.none() | numbers, max_size=20).map(tuple), some.none(), some.just(7)
            ),
        ),
        some.builds(CountChange, numbers, numbers),
        some.builds(
            Trend, some.lists(numbers, max_size=20).map(tuple), some.builds(CountChange, numbers, numbers)
        ),
    ),
    some.integers(1, 40),
)
def test_a_picture_takes_exactly_its_cells(value: CountedTrend | CountChange | Trend, width: int) -> None:
    assert sum(cell_len(piece.text) for piece in cell(value, Kind.COUNT, width)) == width


@given(numbers, numbers, some.integers(1, 40))
def test_a_gauge_is_full_or_empty_only_when_it_is(part: int, total: int, cells: int) -> None:
    heavy, light = gauge(part, total, cells)
    assert len(heavy + light) == cells
    assert (heavy == "━" * cells) == (0 < total <= part)
    assert (heavy == "") == (part == 0 or total == 0)


@pytest.mark.parametrize(
    ("now", "before", "words", "tone"),
    [
        (300, 1600, "▼ 81 %", Tone.BAD),
        (135, 100, "▲ 35 %", Tone.GOOD),
        (103, 100, "▲ 3 %", Tone.MUTED),
        (1003, 1000, "= 0 %", Tone.MUTED),
        (3, 7, "-4", Tone.MUTED),
        (9, 0, "+9", Tone.MUTED),
        (90, 0, "+90", Tone.GOOD),
        (7, 7, "= 0 %", Tone.MUTED),
        (0, 0, "none", Tone.MUTED),
        (0, 3, "-3", Tone.MUTED),
        (0, 324, "▼ 100 %", Tone.BAD),
    ],
)
def test_a_change_has_a_color_only_where_it_tells_something(
    now: int, before: int, words: str, tone: Tone
) -> None:
    assert CountChange(now, before).words == words
    (piece,) = cell(CountChange(now, before), Kind.COUNT, 10)
    assert (piece.text.strip(), piece.tone) == (words, tone)


@pytest.mark.parametrize(
    ("change", "words", "tone"),
    [
        (CountChange(618, 1_129, quiet_days=3), "none 3 d", Tone.BAD),
        (CountChange(90, 20, quiet_days=2), "none 2 d", Tone.BAD),
        (CountChange(0, 3, quiet_days=11), "none 11d", Tone.MUTED),
    ],
)
def test_that_there_is_nothing_any_more_says_for_how_long(
    change: CountChange, words: str, tone: Tone
) -> None:
    (piece,) = cell(change, Kind.COUNT, CHANGE_CELLS)
    assert (piece.text.strip(), piece.tone) == (words, tone)


@pytest.mark.parametrize(
    "value",
    [
        TermEnd("done after all", "done"),
        Badge("admin", "high"),
        TimeLeft(NOON - timedelta(days=3), NOON),
        TimeLeft(None, NOON),
        CountChange(60, 240),
        CountedTrend(12_345, Trend((1, 2, 3, 4, 5, 6, 7))),
    ],
)
def test_a_column_is_measured_by_what_it_draws(value: object) -> None:
    width = cells_of(value, Kind.TEXT)
    whole = "".join(piece.text for piece in cell(value, Kind.TEXT, 60)).split()
    assert "".join(piece.text for piece in cell(value, Kind.TEXT, width)).split() == whole
    assert width <= cell_len(" ".join(whole)) + 5, "and not by how it is written as a value"


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (datetime(2026, 11, 28, 0, 5), "! 3 d"),
        (datetime(2026, 11, 28, 23, 55), "! 4 d"),
        (datetime(2036, 11, 21, 9), "✓ 3,649 d"),
        (datetime(2026, 11, 24, 17, 59), "! 5 h"),
        (datetime(2026, 11, 24, 9, 30), "✗ 2 h ago"),
        (datetime(2026, 11, 26, 11), "! 47 h"),
        (datetime(2026, 11, 26, 12), "! 2 d"),
        (datetime(2026, 11, 23, 23, 55), "✗ 12 h ago"),
    ],
)
def test_what_is_left_is_told_in_whole_hours_below_two_days_and_in_whole_days_above(
    end: datetime, words: str
) -> None:
    left = TimeLeft(end, NOON)
    assert time_left_words(left) == words
    assert left.length.replace("days", "d") in words
    assert left.is_within(timedelta(days=2)) is (words.endswith(" h")), "as the filter `left<2d` finds it"
