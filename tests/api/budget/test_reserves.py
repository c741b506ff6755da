"""The reserve that each lane leaves for the others. Pure."""

import pytest

from linkdash.api.budget.allowance import Allowance
from linkdash.api.budget.lanes import (
    PERSON_RATE,
    Lane,
    estimated_reserve,
    falls_below,
    floor,
    for_people,
    pace,
    reserve,
    task_reserve,
)
from linkdash.api.budget.limit_estimate import Estimate
from linkdash.api.budget.other_spenders import OtherSpenders
from linkdash.api.budget.window import BudgetWindow

TOLD = BudgetWindow(limit=30, length=60.0, told=True, renewal=60.0)
UNTOLD = BudgetWindow(limit=30, length=60.0)
SMALL = BudgetWindow(limit=5, length=4.0, told=True, renewal=4.0)
DRIPPING = BudgetWindow(
    limit=30, length=60.0, told=True, renewal=60.0, trickles=True, others=OtherSpenders(rate=0.3)
)
QUICK = BudgetWindow(limit=10, length=4.0, told=True, trickles=True)
BRISK = BudgetWindow(limit=20, length=10.0, told=True, trickles=True)


@pytest.mark.parametrize(
    ("window", "people", "write", "read", "refresh", "background"),
    [
        (TOLD, 0.0, 0, 0, 3, 2),
        (UNTOLD, 0.0, 0, 0, 4, 4),
        (SMALL, 0.0, 0, 0, 0, 0),
        (DRIPPING, 8.0, 0, 0, 9, 8),
        (QUICK, 0.0, 0, 0, 0, 0),
        (BRISK, 0.0, 0, 0, 1, 1),
    ],
    ids=[
        "told",
        "nothing told",
        "five in four seconds",
        "one by one, with people and others",
        "one back in less than half a second",
        "one back in half a second",
    ],
)
def test_people_take_all_and_the_others_leave_some(
    window: BudgetWindow, people: float, write: int, read: int, refresh: int, background: int
) -> None:
    lanes = Lane.WRITE, Lane.READ, Lane.REFRESH, Lane.BACKGROUND
    allowance = Allowance(window=window, people=people)
    assert [reserve(lane, allowance) for lane in lanes] == [write, read, refresh, background]


def test_no_lane_leaves_more_than_half() -> None:
    others = OtherSpenders(rate=9.0)
    crowded = BudgetWindow(limit=30, length=60.0, told=True, trickles=True, others=others)
    assert reserve(Lane.BACKGROUND, Allowance(window=crowded, people=600.0)) == 15


@pytest.mark.parametrize(
    ("asked", "size", "seconds", "kept"),
    [(0.0, 30, 60.0, 0), (8.0, 30, 60.0, 2), (8.0, 30, 3600.0, 2), (60.0, 30, 60.0, 5), (30.0, 10, 10.0, 1)],
)
def test_what_is_kept_follows_what_people_ask_for_in_a_window(
    asked: float, size: int, seconds: float, kept: int
) -> None:
    assert for_people(asked, size, seconds) == kept


@pytest.mark.parametrize(("limit", "left"), [(30, 6), (60, 6), (20, 4), (4, 0)])
def test_a_persons_task_spends_down_to_a_small_reserve(limit: int, left: int) -> None:
    assert task_reserve(limit) == left


def test_background_needs_the_more_free_the_longer_the_window_still_is() -> None:
    needed = [floor(Lane.BACKGROUND, Allowance(window=TOLD), now) for now in (0.0, 30.0, 59.0)]
    assert needed == sorted(needed, reverse=True)
    assert needed[0] == pytest.approx(60 * pace(TOLD))
    assert needed[-1] == reserve(Lane.BACKGROUND, Allowance(window=TOLD)), "at the end its reserve is enough"
    assert floor(Lane.TASK, Allowance(window=TOLD), 0.0) == task_reserve(30), (
        "a person's task is not held back longer than that"
    )
    assert floor(Lane.REFRESH, Allowance(window=TOLD), 0.0) == 3, "what is on the screen is not paced"


def test_a_request_a_second_is_enough_for_people_and_others_spend_besides() -> None:
    fast = BudgetWindow(limit=600, length=60.0, told=True)
    assert pace(fast) == PERSON_RATE
    assert pace(DRIPPING) == pytest.approx(30 / 60.0 + 0.3)


def test_background_leaves_what_it_will_not_take_where_a_refusal_has_shown_the_limit() -> None:
    shown = Estimate(limit=24, ceiling=24.0)
    assert estimated_reserve(Lane.BACKGROUND, Allowance(estimate=shown)) == shown.reserve
    grown = Estimate(limit=24, ceiling=20.0)
    assert estimated_reserve(Lane.BACKGROUND, Allowance(estimate=grown)) == 4 + grown.reserve


@pytest.mark.parametrize("free", [6, 12, 20])
def test_the_moment_that_is_waited_for_is_the_one_from_which_enough_is_free(free: int) -> None:
    at = falls_below(free, Lane.BACKGROUND, TOLD)
    assert floor(Lane.BACKGROUND, Allowance(window=TOLD), at) < free
    assert floor(Lane.BACKGROUND, Allowance(window=TOLD), at - 0.1) > free
    assert falls_below(free, Lane.REFRESH, TOLD) == 0.0
    assert falls_below(free, Lane.BACKGROUND, UNTOLD) == 0.0
