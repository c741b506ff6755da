"""Learning a service's window: when to ask again, on windows that flip, slide and trickle."""

import pytest

from linkdash.api.budget.allowance import Allowance, Charge
from linkdash.api.budget.other_spenders import OtherSpenders
from linkdash.api.budget.rate_headers import RateHeaders
from linkdash.api.budget.window import BudgetWindow


def told(remaining: int, reset_in: float | None) -> RateHeaders:
    return RateHeaders(limit=30, remaining=remaining, reset_in=reset_in)


def learned(*answers: tuple[float, int, float | None], probed: bool = False) -> BudgetWindow:
    """A window after answers: when each came, what was left, and the seconds to the reset."""
    window = BudgetWindow()
    for now, remaining, reset_in in answers:
        window.log.add(now - 0.5, now)
        window.learn(told(remaining, reset_in), remaining, now, probed=probed)
    return window


def test_the_length_is_the_longest_reset_and_a_round_number() -> None:
    assert learned((0.0, 29, 37.0), (40.0, 29, 61.0), (50.0, 28, 51.0)).seconds == 60.0
    assert learned((0.0, 29, 2.0)).seconds == 2.0
    assert learned((0.0, 29, 0.5)).seconds == 0.5
    assert learned((0.0, 29, 0.0)).seconds == BudgetWindow().seconds == 60.0


def test_a_window_that_flips_gives_all_back_at_the_reset() -> None:
    window = learned((0.0, 29, 60.0), (60.5, 29, 60.0), probed=True)
    assert not window.trickles
    assert window.back_at(20, at_risk=False) == 120.5
    assert window.back_at(20, at_risk=True) == 121.5


def test_a_window_that_trickles_gives_back_one_after_another() -> None:
    window = learned((0.0, 29, 60.0), (60.0, 0, 6.0), probed=True)
    window.log.entries.clear()
    assert window.trickles
    assert window.back_at(1, at_risk=True) == 67.0
    assert window.back_at(4, at_risk=True) == 67.0 + 3 * 2.0


def test_a_service_that_tells_no_reset_gives_back_what_we_sent_a_window_ago() -> None:
    window = BudgetWindow(limit=30)
    window.log.entries.extend([(1.0, 1.5), (10.0, 10.5), (20.0, 20.5)])
    window.learn(told(26, None), 26, 20.5, probed=False)
    assert window.reset_in(20.5) is None
    for requests, moment in ((0, 61.5), (1, 61.5), (2, 70.5), (3, 80.5)):
        assert window.back_at(requests, at_risk=False) == moment
        assert window.back_at(requests, at_risk=True) == moment + 1.0
    assert window.back_at(4, at_risk=False) == 80.5, "the fourth is somebody else's: a window from now"


def test_a_limit_that_nobody_tells_is_the_most_that_was_seen() -> None:
    window = BudgetWindow()
    window.learn(RateHeaders(remaining=0), 0, 0.0, probed=False)
    assert window.size == 1
    window.learn(RateHeaders(remaining=19), 19, 0.0, probed=False)
    window.learn(RateHeaders(remaining=9), 9, 1.0, probed=False)
    assert window.size == 20
    assert window.used == 11


def test_a_single_request_a_window_is_no_trickle() -> None:
    window = BudgetWindow()
    window.learn(RateHeaders(limit=1, remaining=0, reset_in=60.0), 0, 0.0, probed=True)
    assert not window.trickles


def test_our_own_requests_that_leave_are_a_hint_of_two_seconds_at_most() -> None:
    window = BudgetWindow(limit=30, length=60.0, renewal=70.0, told=True, trickles=True, learned_at=60.0)
    window.log.entries.extend([(-1.0, 9.0), (8.0, 8.5), (9.0, 9.5)])
    assert window.back_at(1, at_risk=False) == 68.5
    assert window.back_at(2, at_risk=False) == 70.0
    assert window.back_at(1, at_risk=True) == 71.0
    window.log.entries.clear()
    assert window.back_at(1, at_risk=False) == 70.0


def test_a_reset_that_runs_away_is_replaced_by_the_moment_our_oldest_request_leaves() -> None:
    answers = [(5.0 * step, 29 - step, 60.0) for step in range(5)]
    assert learned(*answers[:3]).renewal == 70.0
    assert learned(*answers).renewal == 60.0


def test_a_reset_that_stands_still_is_believed() -> None:
    assert learned(*((5.0 * step, 29 - step, 60.0 - 5.0 * step) for step in range(8))).renewal == 60.0


def test_a_bucket_that_refills_is_believed() -> None:
    answers = [(5.0 * step, 29 - 3 * step, 2.0 + 6.0 * step) for step in range(8)]
    assert learned(*answers).renewal == 35.0 + 44.0


def test_an_answer_out_of_order_only_puts_the_reset_off() -> None:
    window = learned((0.0, 29, 10.0))
    window.defer(told(28, 12.0), 1.0)
    assert window.renewal == 13.0
    window.defer(told(28, 3.0), 2.0)
    window.defer(told(28, None), 20.0)
    assert window.renewal == 13.0
    runs_away = learned(*((5.0 * step, 29 - step, 60.0) for step in range(5)))
    runs_away.defer(told(24, 60.0), 21.0)
    assert runs_away.renewal == 60.0, "one that runs away is put off no more"


def test_a_burst_of_our_own_on_a_bucket_is_nobody_elses() -> None:
    """It tells when the next request comes back, which looks like a short window for a while."""
    burst = [(0.02 * number, 29 - number, 2.0) for number in range(30)]
    for probed in (False, True):
        window = learned(*burst)
        for now in (2.4, 4.4, 6.5, 8.6):
            window.log.add(now - 0.1, now)
            window.learn(told(0, 2.0), 0, now, probed=probed)
        assert window.others.rate == 0.0


def saturated(size: int = 10, seconds: float = 4.0) -> BudgetWindow:
    """A window that slides, used by us alone for longer than a minute."""
    window = BudgetWindow(limit=size, others=OtherSpenders(since=-100.0, seen_at=-100.0))
    for number in range(size):
        now = number * seconds / size
        window.log.add(now - 0.1, now)
        window.learn(
            RateHeaders(limit=size, remaining=size - 1 - number, reset_in=seconds - now),
            size - 1 - number,
            now,
            probed=False,
        )
    return window


def test_when_our_own_requests_have_left_is_known_where_nobody_else_spends() -> None:
    assert BudgetWindow().left_at(10) is None, "nothing is known yet"
    window = saturated()
    assert window.left_at(10) == 0.0
    assert window.left_at(9) == 0.0 + 4.0 + 0.2
    assert window.left_at(6) == 1.2 + 4.0 + 0.2
    assert window.left_at(0) == 3.6 + 4.0 + 0.2
    assert window.left_at(-1) is None
    window.log.add(4.0, 4.1)
    window.learn(RateHeaders(limit=10, remaining=0, reset_in=0.1), 0, 4.1, probed=True)
    assert window.left_at(9) is not None
    window.log.add(4.4, 4.5)
    window.learn(RateHeaders(limit=10, remaining=0, reset_in=3.9), -3, 4.5, probed=True)
    assert window.left_at(9) is None, "somebody else is in the window"
    for now, is_known in ((64.5, False), (64.6, True)):
        window.log.add(now - 0.1, now)
        window.learn(RateHeaders(limit=10, remaining=9, reset_in=4.0), 9, now, probed=False)
        assert (window.left_at(9) is not None) is is_known, "it is, once that is more than a minute ago"


def test_one_may_go_when_enough_has_come_back_or_when_it_fits_even_if_all_counted() -> None:
    trickles = BudgetWindow(limit=30, length=60.0, renewal=100.0, told=True, trickles=True)
    assert Allowance(base=0, window=trickles).probe_at(2, 50.0) == 100.0 + 2 * 2.0 + 1.0
    assert Allowance(base=2, window=trickles).probe_at(2, 50.0) == 100.0
    under_way = {1: Charge(since=4.0, probe=False)}
    assert Allowance(base=2, window=trickles, in_flight=under_way).probe_at(1, 50.0) == 100.0
    assert Allowance(base=1, window=trickles, in_flight=under_way).probe_at(1, 50.0) is None
    ours = saturated()
    assert Allowance(base=0, window=ours).fits_at(0) == ours.left_at(9)
    assert Allowance(base=0, window=ours, in_flight=under_way).fits_at(2) == ours.left_at(6)


def test_requests_under_way_and_those_of_a_window_ago_may_be_what_is_used() -> None:
    window = saturated()
    window.log.add(4.1, 4.2)
    window.learn(RateHeaders(limit=10, remaining=0, reset_in=0.1), 0, 4.2, probed=False, in_flight=0)
    assert window.is_ours, "the first left the window after 4.0 at the earliest"
    window.learn(RateHeaders(limit=10, remaining=0, reset_in=0.1), -1, 4.2, probed=False, in_flight=1)
    assert window.is_ours, "one more can be on its way back"
    window.learn(RateHeaders(limit=10, remaining=0, reset_in=0.1), -1, 4.2, probed=False, in_flight=0)
    assert not window.is_ours


def test_after_a_refusal_or_without_a_reset_it_is_not_known_who_is_in_the_window() -> None:
    refused, untold = saturated(), saturated()
    refused.close(10.0, told=True, early=False)
    untold.learn(told(9, None), 9, 4.1, probed=False)
    assert (refused.left_at(9), untold.left_at(9)) == (None, None)


def test_after_a_refusal_it_takes_as_long_as_at_first_to_be_sure_that_a_reset_runs_away() -> None:
    window = learned(*((5.0 * step, 29 - step, 60.0) for step in range(5)))
    window.close(30.0, told=True, early=False)
    for now, renewal in ((30.0, 90.0), (35.0, 95.0), (40.0, 60.0)):
        window.log.add(now - 0.5, now)
        window.learn(told(27, 60.0), 27, now, probed=False)
        assert window.renewal == renewal


def test_what_others_spend_is_measured_in_the_window_that_counts() -> None:
    ends = BudgetWindow(others=OtherSpenders(since=-500.0), length=60.0)
    ends.log.entries.extend((float(at), float(at)) for at in (-20, -10, 5, 10, 30))
    ends.learn(told(17, 30.0), 17, 30.0, probed=False)
    assert ends.others.rate == pytest.approx(0.2 * 10 / 30), "13 used since 0, of them 3 ours"
    slides = BudgetWindow(others=OtherSpenders(since=-500.0), length=60.0, trickles=True)
    slides.log.entries.extend((float(at), float(at)) for at in (-70, -60, -59, -58, 0))
    slides.learn(told(20, 5.0), 20, 0.0, probed=False)
    assert slides.others.rate == pytest.approx(0.2 * 6 / 60), "10 used in 60 s, of them 4 ours"


def foreign(window: BudgetWindow, ours: tuple[float, ...], used: int, *, in_flight: int = 0) -> float:
    """The spending of others after an answer at 0 s, half a window before its end; we sent at `ours`."""
    window.others.since = -500.0
    window.log.entries.extend((at, at) for at in (*ours, 0.0))
    window.learn(told(30 - used, window.seconds / 2), 30 - used, 0.0, probed=False, in_flight=in_flight)
    return window.others.rate


def test_what_we_sent_in_the_window_before_does_not_hide_what_others_spend() -> None:
    before = tuple(-50.0 + second for second in range(10))
    assert foreign(BudgetWindow(length=60.0), before, used=8) == pytest.approx(0.2 * 7 / 30)


def test_on_a_short_window_others_spend_what_we_did_not_send_in_a_minute() -> None:
    """The told reset may be when the next request comes back; then a minute and what is on its way count."""
    burst = (-30.0, -29.0, -28.0, -27.0)
    assert foreign(BudgetWindow(length=10.0), burst, used=5) == 0.0
    assert foreign(BudgetWindow(length=10.0), burst, used=6, in_flight=1) == 0.0
    assert foreign(BudgetWindow(length=10.0), (), used=8) == pytest.approx(0.2 * 7 / 5)


@pytest.mark.parametrize(
    ("before", "used", "in_flight", "tells_next"),
    [
        (-21.0, 2, 0, False),
        (-21.0, 3, 1, False),
        (-21.0, 3, 0, True),
        (-25.0, 2, 0, True),
    ],
    ids=["both are ours", "one is on its way", "one more", "one was longer ago than two windows"],
)
def test_where_more_counts_than_two_windows_held_the_next_request_is_told(
    before: float, used: int, in_flight: int, tells_next: bool
) -> None:
    window = BudgetWindow(length=10.0, trickles=True)
    window.log.entries.extend([(before, before), (0.0, 0.0)])
    window.learn(told(30 - used, 5.0), 30 - used, 0.0, probed=False, in_flight=in_flight)
    assert window.tells_next is tells_next


def test_who_spends_now_and_then_is_reckoned_with() -> None:
    window = BudgetWindow(limit=10, others=OtherSpenders(rate=0.2))
    window.log.add(0.9, 1.0)
    window.learn(RateHeaders(limit=10, remaining=9, reset_in=4.0), 9, 1.0, probed=False)
    assert window.left_at(9) is None


def test_what_is_no_longer_remembered_is_not_taken_for_somebody_elses() -> None:
    """A limit of 1,000 a minute, all of it ours: more than is remembered."""
    window = BudgetWindow(others=OtherSpenders(since=-100.0))
    for number in range(900):
        now = 0.05 * number
        window.log.add(now - 0.01, now)
        rate = RateHeaders(limit=1000, remaining=999 - number, reset_in=60.0 - now)
        window.learn(rate, 999 - number, now, probed=False)
    assert window.others.rate == 0.0
    assert window.next_within == 0.0
    window.others.seen_at = -100.0
    assert window.left_at(500) is None
    assert window.left_at(200) is None
    assert window.left_at(199) == pytest.approx(0.05 * 700 + 60.0 + 1.0)


def test_what_comes_back_before_the_told_moment_slides() -> None:
    """A window that ends gives nothing back before, however much it is."""
    window = learned((0.0, 29, 60.0), (60.0, 0, 6.0), probed=True)
    window.log.add(65.0, 65.1)
    window.learn(told(20, 5.0), 20, 65.1, probed=True)
    assert window.trickles
    window.learn(told(29, 60.0), 29, 72.0, probed=True)
    assert not window.trickles


@pytest.mark.parametrize(
    ("length", "rate", "tells_next"),
    [(60.0, None, True), (60.0, 0.02, True), (60.0, 0.25, False), (1.0, 2.5, True)],
)
def test_where_several_come_back_in_the_time_told_for_one_a_window_slides(
    length: float, rate: float | None, tells_next: bool
) -> None:
    """Somebody else spends half: more is used than we sent, as with a bucket that tells the next.

    A bucket of ten in four seconds tells its next in whole seconds: that is no time in which several come.
    """
    window = BudgetWindow(limit=30, length=length, trickles=True, next_within=length)
    window.refill.rate = rate
    assert window.tells_next is tells_next
    assert rate is None or window.spacing == (1 / rate if tells_next else 2.0)


def test_a_much_longer_reset_is_no_time_to_the_next_request() -> None:
    assert BudgetWindow(length=20.0, next_within=10.0).tells_next
    assert not BudgetWindow(length=25.0, next_within=10.0).tells_next
