"""Sparklines: how high each column is."""

from hypothesis import example, given
from hypothesis import strategies as some

from linkdash.model.humanize import CountedTrend, ScanStrip, Trend
from linkdash.widgets.charts.sparkline import (
    BEGAN,
    LEAST_SCALE,
    STEPS,
    UNTOLD,
    counted_pieces,
    sparkline,
    strip_pieces,
    trend_pieces,
)
from linkdash.widgets.styled_text import Tone

numbers = some.integers(0, 10**7)


@given(some.lists(numbers, min_size=1, max_size=40))
def test_a_step_of_a_sparkline_is_the_one_nearest_to_its_number(values: list[int]) -> None:
    most = max(*values, 1)
    for step, value in zip(sparkline(values, 40), values, strict=True):
        assert abs(STEPS.index(step) / (len(STEPS) - 1) - value / most) <= 0.5 / (len(STEPS) - 1) + 1e-9


@given(some.lists(some.none() | some.integers(0, 10**9), max_size=40))
def test_a_sparkline_has_a_cell_a_value_and_rises_with_it(values: list[int | None]) -> None:
    drawn = sparkline(values, 40)
    levels = dict(zip(values, drawn, strict=True))
    known = sorted((value, level) for value, level in levels.items() if value is not None)
    assert [level for _, level in known] == sorted(level for _, level in known)
    assert levels.get(None, " ") == " "
    assert "█" not in drawn


def test_a_sparkline_is_scaled_to_all_days_also_those_before() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6], 7) == "▁▂▃▄▅▆▇"
    assert sparkline([6] * 7 + [1] * 7, 4) == "▂▂▂▂", "it fell, and what is left of it is low"
    assert sparkline([6] * 7, 0) == ""
    assert sparkline([0, 0], 2) == "▁▁"
    assert sparkline([], 7) == ""
    (fallen,) = trend_pieces(Trend((70,) * 7 + (10,) * 7, None), 7)
    assert fallen.text == "▂" * 7, "what fell stays low"


@given(some.lists(numbers, min_size=1, max_size=40), some.integers(1, 40))
def test_the_last_day_stands_at_the_right_however_few_are_known(days: list[int], width: int) -> None:
    drawn = "".join(piece.text for piece in trend_pieces(Trend(tuple(days)), width))
    assert drawn == sparkline(days, width).rjust(width)


def test_a_day_that_no_reading_tells_is_a_muted_dot_and_no_day_without_scans() -> None:
    pieces = trend_pieces(Trend((None, None, 4, 0, None, 4)), 6)
    assert [(piece.text, piece.tone) for piece in pieces] == [
        ("··", Tone.MUTED), ("▇▁", Tone.TREND), ("·", Tone.MUTED), ("▇", Tone.TREND),
    ]  # fmt: skip


def test_a_number_stands_beside_its_days_and_alone_where_both_have_no_room() -> None:
    trend = Trend((7, 7, 7, 7, 0, 0, 0))

    def drawn(value: int | None, width: int) -> str:
        return "".join(piece.text for piece in counted_pieces(CountedTrend(value, trend), width))

    assert drawn(544, 14) == "   544 ▇▇▇▇▁▁▁"
    assert drawn(544, 5) == "544  "
    assert drawn(None, 14) == "     – ▇▇▇▇▁▁▁"


@given(some.lists(some.none() | numbers, min_size=1, max_size=60), some.integers(0, 60))
@example([1, 0], 1)
def test_a_step_of_a_strip_is_the_one_nearest_to_its_scans(scans: list[int | None], live: int) -> None:
    pieces = strip_pieces(ScanStrip(tuple(scans), min(live, len(scans))), len(scans) + 1)
    drawn = "".join(piece.text for piece in pieces)
    assert drawn.find(BEGAN) == (len(scans) - live if live < len(scans) else -1)
    most = max(LEAST_SCALE, *(value or 0 for value in scans))
    for step, value in zip(drawn.replace(BEGAN, ""), scans, strict=False):
        if value is None:
            assert step == UNTOLD
        else:
            assert abs(STEPS.index(step) / 6 - value / most) <= 1 / 12 + 1e-9
