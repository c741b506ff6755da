"""The pace at which requests come back, measured over answers. Pure."""

import pytest

from linkdash.api.budget.refill_rate import RefillRate

STRETCH = 8


def looked(refill: RefillRate, remaining: int, seconds: float) -> None:
    """A stretch of answers at once, and the last one `seconds` later."""
    begun = refill.at or 0.0
    for _ in range(STRETCH - 1):
        refill.look(remaining, 30, begun)
    refill.look(remaining, 30, begun + seconds)


def test_a_refill_is_measured_over_a_stretch_of_answers() -> None:
    refill = RefillRate()
    refill.look(20, 30, 100.0)
    assert refill.rate is None
    looked(refill, 18, 10.0)
    first = (18 - 20 + STRETCH) / 10.0
    assert refill.rate == pytest.approx(first)
    looked(refill, 18, 20.0)
    assert refill.rate == pytest.approx((first + STRETCH / 20.0) / 2), "half of what is new is believed"


def test_neither_few_answers_nor_many_at_once_measure_a_refill() -> None:
    slow, at_once = RefillRate(), RefillRate()
    for number in range(STRETCH):
        slow.look(20, 30, 100.0 + number)
        at_once.look(20, 30, 100.0)
    at_once.look(20, 30, 100.0)
    assert (slow.rate, at_once.rate) == (None, None)


def test_a_full_bucket_says_only_that_it_is_at_least_so_fast() -> None:
    refill = RefillRate(at=0.0, remaining=29, rate=1.0)
    looked(refill, 29, 1000.0)
    assert refill.rate == 1.0, "it may have been full long before"
    looked(refill, 29, 1.0)
    assert refill.rate == pytest.approx(STRETCH), "but it is no slower than what was seen"
    looked(refill, 28, 1000.0)
    assert (refill.rate or STRETCH) < STRETCH, "one that lacks a request is not full"


def test_how_fast_requests_come_back_is_measured_from_the_first_answer_on() -> None:
    """The clock may show any time at the start."""
    for start in (0.0, 1e6):
        refill = RefillRate()
        for number in range(9):
            refill.look(10, 30, start + 2.0 * number)
        assert refill.rate == pytest.approx(0.5)
