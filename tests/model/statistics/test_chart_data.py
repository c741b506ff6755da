"""The order of bars, and numbers that can be drawn."""

import math

import pytest

from linkdash.model.statistics.chart_data import Bars, MultiBars, Number, finite, total


def test_the_largest_comes_first_and_what_is_unknown_last() -> None:
    bars = Bars("Countries", (("Peru", 3), ("Chile", None), ("Norway", 7), ("Nowhere", math.nan)))
    assert bars.ranked == [("Norway", 7.0), ("Peru", 3.0), ("Chile", None), ("Nowhere", None)]


@pytest.mark.parametrize(
    ("value", "found"), [(None, None), (7, 7.0), (math.inf, None), (10**400, 1e300), (-(10**400), -1e300)]
)
def test_a_number_that_can_be_drawn(value: Number, found: float | None) -> None:
    assert finite(value) == found


def test_what_is_unknown_is_no_part_of_a_sum() -> None:
    assert total([1.5, None, 2.0]) == 3.5
    assert total([None]) is None


@pytest.mark.parametrize(
    ("by_share", "is_change", "order"),
    [
        (False, False, ["much", "fell", "rose"]),
        (True, False, ["rose", "much", "fell"]),
        (False, True, ["much", "fell", "rose"]),
    ],
)
def test_rows_are_ranked_by_sum_by_share_or_by_change(
    by_share: bool, is_change: bool, order: list[str]
) -> None:
    rows: tuple[tuple[str, tuple[Number, ...]], ...] = (("rose", (1, 3)), ("fell", (5,)), ("much", (9, 1)))
    bars = MultiBars("Codes", ("a", "b"), rows, by_share=by_share, is_change=is_change)
    assert [label for label, _ in bars.ranked] == order
    assert dict(bars.ranked)["fell"] == [5.0, None]
