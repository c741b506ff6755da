"""The reserve that each lane leaves for the others; a refill and a running reset told apart. Pure."""

import pytest

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
from linkdash.api.budget.window import BudgetWindow, Drift, Refill

TOLD = BudgetWindow(limit=30, length=60.0, told=True, renewal=60.0)
UNTOLD = BudgetWindow(limit=30, length=60.0)
SMALL = BudgetWindow(limit=5, length=4.0, told=True, renewal=4.0)
DRIPPING = BudgetWindow(
    limit=30, length=60.0, told=True, renewal=60.0, trickles=True, people=8.0, foreign=0.3
)


QUICK = BudgetWindow(limit=10, length=4.0, told=True, trickles=True)
BRISK = BudgetWindow(limit=20, length=10.0, told=True, trickles=True)


@pytest.mark.parametrize(
    ("window", "write", "read", "refresh", "background"),
    [
        (TOLD, 0, 0, 3, 2),
        (UNTOLD, 0, 0, 4, 4),
        (SMALL, 0, 0, 0, 0),
        (DRIPPING, 0, 0, 9, 8),
        (QUICK, 0, 0, 0, 0),
        (BRISK, 0, 0, 1, 1),
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
    window: BudgetWindow, write: int, read: int, refresh: int, background: int
) -> None:
    lanes = Lane.WRITE, Lane.READ, Lane.REFRESH, Lane.BACKGROUND
    assert [reserve(lane, window) for lane in lanes] == [write, read, refresh, background]


def test_no_lane_leaves_more_than_half() -> None:
    crowded = BudgetWindow(limit=30, length=60.0, told=True, trickles=True, people=600.0, foreign=9.0)
    assert reserve(Lane.BACKGROUND, crowded) == 15


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
    needed = [floor(Lane.BACKGROUND, TOLD, now) for now in (0.0, 30.0, 59.0)]
    assert needed == sorted(needed, reverse=True)
    assert needed[0] == pytest.approx(60 * pace(TOLD))
    assert needed[-1] == reserve(Lane.BACKGROUND, TOLD), "at the end its reserve is enough"
    assert floor(Lane.TASK, TOLD, 0.0) == task_reserve(30), (
        "a person's task is not held back longer than that"
    )
    assert floor(Lane.REFRESH, TOLD, 0.0) == 3, "what is on the screen is not paced"


def test_a_request_a_second_is_enough_for_people_and_others_spend_besides() -> None:
    fast = BudgetWindow(limit=600, length=60.0, told=True)
    assert pace(fast) == PERSON_RATE
    assert pace(DRIPPING) == pytest.approx(30 / 60.0 + 0.3)


def test_background_leaves_what_it_will_not_take_where_a_refusal_has_shown_the_limit() -> None:
    shown = Estimate(limit=24, ceiling=24.0)
    assert estimated_reserve(Lane.BACKGROUND, shown, UNTOLD) == shown.reserve
    grown = Estimate(limit=24, ceiling=20.0)
    assert estimated_reserve(Lane.BACKGROUND, grown, UNTOLD) == 4 + grown.reserve


@pytest.mark.parametrize("free", [6, 12, 20])
def test_the_moment_that_is_waited_for_is_the_one_from_which_enough_is_free(free: int) -> None:
    at = falls_below(free, Lane.BACKGROUND, TOLD)
    assert floor(Lane.BACKGROUND, TOLD, at) < free
    assert floor(Lane.BACKGROUND, TOLD, at - 0.1) > free
    assert falls_below(free, Lane.REFRESH, TOLD) == 0.0
    assert falls_below(free, Lane.BACKGROUND, UNTOLD) == 0.0


STRETCH = 8


def looked(refill: Refill, remaining: int, seconds: float) -> None:
    """A stretch of answers at once, and the last one `seconds` later."""
    begun = refill.at or 0.0
    for _ in range(STRETCH - 1):
        refill.look(remaining, 30, begun)
    refill.look(remaining, 30, begun + seconds)


def test_a_refill_is_measured_over_a_stretch_of_answers() -> None:
    refill = Refill()
    refill.look(20, 30, 100.0)
    assert refill.rate is None
    looked(refill, 18, 10.0)
    first = (18 - 20 + STRETCH) / 10.0
    assert refill.rate == pytest.approx(first)
    looked(refill, 18, 20.0)
    assert refill.rate == pytest.approx((first + STRETCH / 20.0) / 2), "half of what is new is believed"


def test_neither_few_answers_nor_many_at_once_measure_a_refill() -> None:
    slow, at_once = Refill(), Refill()
    for number in range(STRETCH):
        slow.look(20, 30, 100.0 + number)
        at_once.look(20, 30, 100.0)
    at_once.look(20, 30, 100.0)
    assert (slow.rate, at_once.rate) == (None, None)


def test_a_full_bucket_says_only_that_it_is_at_least_so_fast() -> None:
    refill = Refill(at=0.0, remaining=29, rate=1.0)
    looked(refill, 29, 1000.0)
    assert refill.rate == 1.0, "it may have been full long before"
    looked(refill, 29, 1.0)
    assert refill.rate == pytest.approx(STRETCH), "but it is no slower than what was seen"
    looked(refill, 28, 1000.0)
    assert (refill.rate or STRETCH) < STRETCH, "one that lacks a request is not full"


def test_a_reset_runs_away_when_it_is_told_later_each_time_and_beyond_what_fills_a_bucket() -> None:
    drift = Drift()
    for second in range(0, 60, 5):
        drift.look(reset=second + 30.0, full_at=0.0, now=float(second))
    assert drift.is_sure
    drift.look(reset=90.0, full_at=0.0, now=60.0)
    drift.look(reset=90.0, full_at=0.0, now=65.0)
    assert not drift.is_sure, "one that stands is none"


def test_what_is_told_within_a_second_or_two_is_no_running_away() -> None:
    drift = Drift()
    for number in range(8):
        drift.look(reset=130.0 + number, full_at=0.0, now=100.0 + number / 2)
    assert not drift.is_sure


def test_a_bucket_that_tells_when_it_is_full_does_not_run_away() -> None:
    drift = Drift()
    for second in range(0, 60, 5):
        drift.look(reset=second + 30.0, full_at=second + 30.0, now=float(second))
    assert not drift.is_sure
