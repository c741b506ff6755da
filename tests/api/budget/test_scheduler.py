"""The request budget step by step: accounting, lanes, pauses, quotes and words."""

import json
from collections.abc import Iterable

import pytest

from linkdash.api.budget.account import BudgetAccount
from linkdash.api.budget.lanes import CATCH_UP, Lane, duration
from linkdash.api.budget.rate_headers import RateHeaders
from linkdash.api.budget.scheduler import ABANDONED, Budget, Ticket

JITTER = 0.5


def headers(
    remaining: int, reset_in: float | None = 60.0, limit: int | None = 30, retry_after: float | None = None
) -> dict[str, str]:
    found = {
        "X-RateLimit-Limit": limit,
        "X-RateLimit-Remaining": remaining,
        "X-RateLimit-Reset": reset_in,
        "Retry-After": retry_after,
    }
    return {name: str(value) for name, value in found.items() if value is not None}


def new(max_in_flight: int = 3) -> Budget:
    return Budget(jitter=lambda: JITTER, max_in_flight=max_in_flight)


def send(budget: Budget, now: float, lane: Lane = Lane.READ) -> Ticket:
    budget.enqueue(lane, lane.purpose, now)
    ticket = budget.due(now)
    assert ticket is not None
    return ticket


def known(remaining: int, reset_in: float = 60.0, limit: int = 30, max_in_flight: int = 3) -> Budget:
    """A budget that learned at 0 s what is left."""
    budget = new(max_in_flight)
    budget.answered(send(budget, 0.0), 200, headers(remaining, reset_in, limit), 0.0)
    return budget


def trickling(left: int, reset_in: float, now: float) -> Budget:
    """A budget that found out twice that little of 30 in 60 s comes back at a time, the last time now."""
    budget = known(0)
    for moment, remaining in ((now - 7.0, 0), (now, left)):
        budget.answered(send(budget, moment), 200, headers(remaining, reset_in), moment)
    return budget


def all_due(budget: Budget, now: float) -> list[Ticket]:
    return list(iter(lambda: budget.due(now), None))


def remaining(budget: Budget, now: float = 1.0) -> int | None:
    return budget.state(now).granted


class TestAccounting:
    def test_nothing_is_known_before_the_first_answer_and_one_request_goes_alone(self) -> None:
        budget = new()
        budget.enqueue(Lane.READ, "b", 0.0)
        first = send(budget, 0.0)
        assert first.probe
        assert not budget.state(0.0).known
        assert budget.due(1_000.0) is None
        budget.answered(first, 200, headers(29), 0.3)
        assert budget.due(0.3) is not None

    def test_an_idle_known_budget_lets_a_request_go_at_once(self) -> None:
        budget = known(29)
        budget.enqueue(Lane.READ, "x", 5_000.0)
        assert budget.wake_at(5_000.0) == 5_000.0
        assert budget.due(5_000.0) is not None

    def test_what_is_on_its_way_is_charged(self) -> None:
        budget = known(10)
        send(budget, 1.0)
        send(budget, 1.0)
        assert remaining(budget) == 8

    def test_an_answer_to_an_earlier_request_never_adds(self) -> None:
        budget = known(10)
        first, second = send(budget, 1.0), send(budget, 1.0)
        budget.answered(second, 200, headers(8), 1.1)
        budget.answered(first, 200, headers(9), 1.2)
        assert remaining(budget) == 8

    def test_an_answer_to_a_later_request_replaces_what_was_known(self) -> None:
        budget = known(3)
        budget.answered(send(budget, 61.0), 200, headers(29), 61.1)
        assert remaining(budget) == 29

    def test_of_answers_that_came_during_its_flight_the_least_holds(self) -> None:
        budget = known(10, max_in_flight=4)
        early, late, later = (send(budget, 1.0) for _ in range(3))
        budget.answered(early, 200, headers(10), 1.1)
        last = send(budget, 1.1)
        budget.answered(late, 200, headers(11), 1.2)
        budget.answered(later, 200, headers(12), 1.2)
        budget.answered(last, 200, headers(13), 1.3)
        assert remaining(budget) == 11

    @pytest.mark.parametrize("sent_first", [0, 1])
    def test_an_answer_from_the_window_before_does_not_empty_the_new_one(self, sent_first: int) -> None:
        date = {"Date": "Tue, 14 Nov 2023 22:13:20 GMT"}
        budget = known(5)
        sent = (send(budget, 1.0), send(budget, 1.0))
        slow, quick = sent[sent_first], sent[1 - sent_first]
        budget.answered(quick, 200, headers(29) | date, 61.0)
        budget.answered(slow, 200, headers(0, reset_in=1.0) | date, 61.5)
        assert remaining(budget) == 28

    def test_an_answer_from_the_new_window_counts_though_it_was_sent_before_the_old_ones_came(self) -> None:
        date = {"Date": "Tue, 14 Nov 2023 22:13:20 GMT"}
        budget = known(3)
        budget.answered(send(budget, 0.0), 200, headers(2, reset_in=60.0) | date, 0.0)
        old, new = send(budget, 59.0), send(budget, 59.0)
        budget.answered(old, 200, headers(1, reset_in=1.0) | date, 60.0)
        budget.answered(new, 200, headers(29, reset_in=60.0) | date, 60.1)
        assert remaining(budget) == 29

    def test_an_answer_to_a_later_request_is_believed_though_it_names_an_earlier_reset(self) -> None:
        date = {"Date": "Tue, 14 Nov 2023 22:13:20 GMT"}
        budget = known(5)
        budget.answered(send(budget, 1.0), 200, headers(20, reset_in=61.0) | date, 1.0)
        budget.answered(send(budget, 2.0), 200, headers(3, reset_in=1.0) | date, 2.0)
        assert remaining(budget) == 3

    def test_no_more_stays_charged_for_lost_requests_than_a_window_holds(self) -> None:
        account = BudgetAccount(base=3, limit=3)
        for _ in range(9):
            account.lose(account.send(0.0, probe=False), 0.0)
        assert account.free(0.0) == 0

    def test_without_a_date_it_is_at_least_asked_again_soon(self) -> None:
        budget = known(3)
        old, new = send(budget, 59.0), send(budget, 59.0)
        budget.answered(old, 200, headers(0, reset_in=1.0), 60.0)
        budget.answered(new, 200, headers(29, reset_in=60.0), 60.1)
        assert remaining(budget) == 0
        budget.enqueue(Lane.READ, "x", 60.2)
        wake_at = budget.wake_at(60.2)
        assert wake_at is not None
        assert wake_at < 63.0

    def test_a_slow_answer_without_a_date_does_not_make_this_machines_clock_wrong(self) -> None:
        budget = new()
        ahead = 1_700_000_000.0
        slow = headers(0, reset_in=ahead + 100.6)
        budget.answered(send(budget, 100.0), 200, slow, 103.0, ahead=ahead)
        assert budget.state(103.0).reset_in == 0.0

    def test_a_lost_request_stays_charged_until_a_later_answer(self) -> None:
        budget = known(10)
        lost = send(budget, 1.0)
        sent_before = send(budget, 1.0)
        budget.lost(lost, 2.0)
        assert remaining(budget) == 8
        budget.answered(sent_before, 200, headers(9), 2.1)
        assert remaining(budget) == 8
        budget.answered(send(budget, 2.2), 200, headers(7), 2.3)
        assert remaining(budget) == 7

    def test_a_request_that_was_never_sent_costs_nothing(self) -> None:
        budget = known(10)
        budget.not_sent(send(budget, 1.0))
        assert remaining(budget) == 10

    def test_an_answer_without_headers_costs_one(self) -> None:
        budget = known(10)
        budget.answered(send(budget, 1.0), 200, {}, 1.1)
        assert remaining(budget) == 9
        the_last = known(1)
        the_last.answered(send(the_last, 1.0), 200, {}, 1.1)
        assert remaining(the_last) == 0

    def test_an_answer_that_nobody_waits_for_any_more_was_not_sent_to_find_out(self) -> None:
        account = BudgetAccount(base=5, limit=30)
        account.answer(7, RateHeaders(limit=30, remaining=3, reset_in=40.0), 1.0)
        assert (account.free(1.0), account.trickles) == (3, False)

    def test_it_is_full_no_later_than_a_window_from_now_unless_a_refusal_told_longer(self) -> None:
        assert known(9, reset_in=61.0).state(0.0).window == known(9).state(0.0).window == 60.0
        budget = known(9)
        budget.answered(send(budget, 1.0), 429, headers(0, retry_after=300.0), 1.0)
        assert (budget.state(1.0).reset_in or 0.0) >= 300.0

    def test_a_ticket_ends_once(self) -> None:
        budget = known(10)
        ticket = send(budget, 1.0)
        budget.answered(ticket, 200, headers(9), 1.1)
        budget.lost(ticket, 1.2)
        budget.answered(ticket, 200, headers(5), 1.3)
        assert remaining(budget) == 9
        assert budget.state(2.0).in_flight == 0

    def test_the_reset_lets_one_request_ask_and_adds_nothing(self) -> None:
        budget = known(0, reset_in=20.0)
        for _ in range(5):
            budget.enqueue(Lane.READ, "x", 1.0)
        assert budget.due(20.0) is None
        wake_at = budget.wake_at(1.0)
        assert wake_at == pytest.approx(21.0)
        sent = all_due(budget, 21.0)
        assert [ticket.probe for ticket in sent] == [True]
        assert remaining(budget, 21.0) == 0
        budget.answered(sent[0], 200, headers(29), 21.2)
        assert len(all_due(budget, 21.2)) == 3

    def test_no_answer_can_tell_more_than_the_limit(self) -> None:
        budget = known(10)
        budget.answered(send(budget, 1.0), 200, headers(5_000, limit=None), 1.1)
        assert remaining(budget) == 30

    def test_one_probe_at_a_time_even_where_something_is_left(self) -> None:
        budget = known(2, reset_in=20.0)
        for _ in range(3):
            budget.enqueue(Lane.BACKGROUND, "x", 1.0)
        assert [ticket.probe for ticket in all_due(budget, 25.0)] == [True]

    def test_with_nothing_left_no_request_asks_while_others_are_on_their_way(self) -> None:
        budget = known(1, reset_in=20.0)
        last = send(budget, 1.0)
        budget.enqueue(Lane.READ, "x", 1.0)
        assert budget.due(30.0) is None
        budget.lost(last, 31.0)
        assert budget.due(31.0) is not None

    def test_short_windows_wait_hardly_longer_than_they_last(self) -> None:
        budget = known(0, reset_in=2.0, limit=10)
        budget.enqueue(Lane.BACKGROUND, "x", 0.0)
        wake_at = budget.wake_at(0.0)
        assert wake_at is not None
        assert 2.0 <= wake_at <= 2.2

    def test_a_probe_that_came_too_early_is_careful_from_then_on(self) -> None:
        budget = known(0, reset_in=2.0, limit=10)
        budget.enqueue(Lane.READ, "x", 0.0)
        (early,) = all_due(budget, 2.1)
        budget.answered(early, 429, headers(0, reset_in=0.4, limit=10), 2.1)
        (later,) = self.after_the_pause(budget)
        budget.answered(later, 200, headers(0, reset_in=2.0, limit=10), 5.0)
        budget.enqueue(Lane.READ, "x", 5.0)
        assert budget.wake_at(5.0) == pytest.approx(8.0)

    def test_a_request_that_was_no_probe_and_is_refused_says_nothing_of_the_told_moment(self) -> None:
        budget = known(5, reset_in=2.0, limit=10)
        budget.answered(send(budget, 0.5), 429, headers(0, reset_in=1.5, limit=10), 0.5)
        (later,) = self.after_the_pause(budget)
        budget.answered(later, 200, headers(0, reset_in=2.0, limit=10), 5.0)
        budget.enqueue(Lane.READ, "x", 5.0)
        assert budget.wake_at(5.0) == pytest.approx(8.0)

    @staticmethod
    def after_the_pause(budget: Budget) -> list[Ticket]:
        budget.enqueue(Lane.READ, "x", 2.1)
        wake_at = budget.wake_at(2.1)
        assert wake_at is not None
        return all_due(budget, wake_at)

    def test_a_service_which_tells_no_reset_is_asked_again_after_a_window(self) -> None:
        budget = new()
        budget.answered(send(budget, 0.0), 200, headers(0, reset_in=None), 0.0)
        budget.enqueue(Lane.READ, "x", 1.0)
        assert budget.wake_at(1.0) == pytest.approx(61.0)
        assert budget.state(1.0).reset_in is None


class TestLanes:
    def test_the_most_urgent_goes_first_and_in_order(self) -> None:
        budget = known(30, max_in_flight=8)
        for lane in (Lane.BACKGROUND, Lane.REFRESH, Lane.READ, Lane.WRITE, Lane.READ):
            budget.enqueue(lane, f"{lane.name} {len(budget.state(1.0).queued)}", 1.0)
        labels = [ticket.label for ticket in all_due(budget, 59.9)]
        assert labels == ["WRITE 3", "READ 2", "READ 4", "REFRESH 1", "BACKGROUND 0"]

    @pytest.mark.parametrize(
        ("lane", "left"), [(Lane.WRITE, 0), (Lane.READ, 0), (Lane.REFRESH, 3), (Lane.BACKGROUND, 3)]
    )
    def test_what_each_lane_leaves_to_the_others(self, lane: Lane, left: int) -> None:
        budget = known(6, reset_in=2.0, max_in_flight=9)
        for _ in range(9):
            budget.enqueue(lane, "x", 0.0)
        sent = all_due(budget, 1.9)
        assert remaining(budget) == left
        assert not any(ticket.probe for ticket in sent)

    def test_background_keeps_a_share_for_the_time_to_the_reset(self) -> None:
        budget = known(20, reset_in=60.0)
        budget.enqueue(Lane.BACKGROUND, "x", 0.0)
        wake_at = budget.wake_at(0.0)
        assert wake_at == pytest.approx(20.0, abs=0.01)
        assert budget.due(19.9) is None
        assert budget.due(20.1) is not None

    def test_a_persons_task_goes_at_once_down_to_a_small_reserve_and_is_paced_from_there(self) -> None:
        budget = known(10, reset_in=60.0, limit=30, max_in_flight=30)
        for _ in range(10):
            budget.enqueue(Lane.TASK, "page", 0.0)
        assert len(all_due(budget, 0.0)) == 4
        assert budget.wake_at(0.0) == pytest.approx(48.0, abs=0.1)
        assert len(all_due(budget, 48.1)) == 1

    def test_three_pages_with_enough_left_come_at_once(self) -> None:
        budget = known(28, reset_in=60.0)
        assert str(budget.quote(3, 0.0, Lane.TASK)) == "3 requests, now"

    def test_background_goes_a_little_faster_than_requests_come_back_one_by_one(self) -> None:
        budget = trickling(left=10, reset_in=5.0, now=68.0)
        assert self.spacing(budget, 68.0) == pytest.approx(0.8 * 60.0 / 30)

    def test_background_is_spread_over_a_window_whose_end_is_not_told(self) -> None:
        budget = new()
        budget.answered(send(budget, 0.0), 200, headers(20, reset_in=None), 0.0)
        assert self.spacing(budget, 5.0) == pytest.approx(CATCH_UP * 60.0 / 30)

    @staticmethod
    def spacing(budget: Budget, now: float) -> float:
        """Seconds between two requests of background, the first of which goes now."""
        for _ in range(2):
            budget.enqueue(Lane.BACKGROUND, "x", now)
        assert len(all_due(budget, now)) == 1
        wake_at = budget.wake_at(now)
        assert wake_at is not None
        return wake_at - now

    def test_a_person_is_next_where_a_person_waits_for_what_goes_first(self) -> None:
        budget = known(10)
        assert not budget.is_person_next
        for lane, is_person in ((Lane.BACKGROUND, False), (Lane.TASK, True)):
            budget.enqueue(lane, "x", 0.0)
            assert budget.is_person_next is is_person

    @pytest.mark.parametrize("lane", [Lane.REFRESH, Lane.BACKGROUND])
    def test_one_place_on_the_way_is_kept_for_a_person_if_there_is_more_than_one(self, lane: Lane) -> None:
        for places, taken in ((3, 2), (2, 1), (1, 1)):
            budget = known(9, reset_in=1.0, max_in_flight=places)
            for _ in range(5):
                budget.enqueue(lane, "x", 0.9)
            assert len(all_due(budget, 0.9)) == taken
            budget.enqueue(Lane.READ, "x", 0.9)
            assert len(all_due(budget, 0.9)) == places - taken

    def test_a_tiny_limit_still_lets_background_go(self) -> None:
        budget = known(1, reset_in=0.5, limit=2)
        budget.enqueue(Lane.BACKGROUND, "x", 0.2)
        assert budget.due(0.2) is not None

    def test_plenty_is_not_slowed_down(self) -> None:
        budget = known(9_999, limit=10_000)
        for _ in range(600):
            budget.enqueue(Lane.BACKGROUND, "x", 0.0)
        assert len(all_due(budget, 0.0)) == 600

    def test_a_cancelled_waiter_is_never_sent(self) -> None:
        budget = known(1, reset_in=20.0)
        first = send(budget, 1.0)
        gone = budget.enqueue(Lane.READ, "gone", 1.0)
        stays = budget.enqueue(Lane.READ, "stays", 1.0)
        budget.cancel(gone, 2.0)
        budget.cancel(gone, 2.1)
        budget.lost(first, 2.2)
        assert all_due(budget, 60.0) == [stays]

    def test_cancelled_on_its_way_it_stays_charged(self) -> None:
        budget = known(10)
        budget.cancel(send(budget, 1.0), 1.1)
        assert remaining(budget) == 9
        assert budget.state(1.2).in_flight == 0


class TestPause:
    @staticmethod
    def refused(budget: Budget, now: float, found: dict[str, str]) -> float:
        budget.enqueue(Lane.READ, "x", now)
        ticket = budget.due(now)
        assert ticket is not None
        budget.answered(ticket, 429, found, now)
        paused_for = budget.state(now).paused_for
        assert paused_for is not None
        return paused_for

    def test_the_whole_key_pauses_as_long_as_it_is_told(self) -> None:
        budget = known(10)
        assert self.refused(budget, 1.0, {"Retry-After": "12"}) == pytest.approx(12 + 1 + JITTER)
        for lane in Lane:
            budget.enqueue(lane, "x", 2.0)
        assert budget.due(14.4) is None
        assert budget.state(14.4).paused_for == pytest.approx(0.1)
        assert [ticket.lane for ticket in all_due(budget, 14.6)] == [Lane.WRITE]

    def test_else_until_the_reset(self) -> None:
        assert self.refused(known(10), 1.0, headers(0, 33.0)) == pytest.approx(33 + 1 + JITTER)

    def test_else_fifteen_seconds_doubling_to_a_minute(self) -> None:
        budget, now = known(10), 1.0
        pauses = []
        for _ in range(4):
            pauses.append(self.refused(budget, now, {}))
            now += pauses[-1]
        assert pauses == pytest.approx([16.5, 31.5, 61.5, 61.5])

    def test_the_end_of_a_pause_is_told_as_a_reset_only_where_the_service_told_it(self) -> None:
        for found, is_told in (({"Retry-After": "12"}, True), ({}, False)):
            budget = known(10)
            self.refused(budget, 1.0, found)
            assert (budget.state(1.0).reset_in is not None) is is_told

    def test_a_burst_of_refusals_counts_once(self) -> None:
        budget = known(10)
        burst = [send(budget, 1.0) for _ in range(3)]
        for ticket in burst:
            budget.answered(ticket, 429, {}, 1.5)
        assert budget.state(1.5).paused_for == pytest.approx(16.5)

    def test_what_was_granted_of_a_burst_does_not_end_a_run_of_refusals(self) -> None:
        budget = known(10)
        refused, granted = send(budget, 1.0), send(budget, 1.0)
        budget.answered(refused, 429, {}, 1.5)
        budget.answered(granted, 200, headers(8), 1.6)
        assert self.refused(budget, 70.0, {}) == pytest.approx(31.5)

    def test_a_refusal_that_agrees_with_the_reset_proves_that_far_ones_are_true(self) -> None:
        for first, proven in ((3000.0, 3600.0), (50.0, None)):
            budget = known(29, reset_in=first)
            self.refused(budget, 1.0, headers(0, reset_in=40.0, retry_after=40.0))
            budget.answered(send(budget, 50.0), 200, headers(29, reset_in=3600.0), 50.0)
            assert budget.state(50.0).reset_in == proven

    def test_so_does_a_longer_wait_than_is_believed_of_a_reset(self) -> None:
        budget = known(29, reset_in=50.0)
        self.refused(budget, 1.0, {"Retry-After": "300"})
        budget.answered(send(budget, 310.0), 200, headers(29, reset_in=600.0), 310.0)
        assert budget.state(310.0).reset_in == 600.0

    def test_a_told_time_that_was_too_short_again_and_again_is_doubted(self) -> None:
        budget, now = known(10), 1.0
        pauses = []
        for _ in range(5):
            pauses.append(self.refused(budget, now, {"Retry-After": "0"}))
            now += pauses[-1]
        assert pauses[:2] == pytest.approx([1.5, 4.0 + 1.5]), "the first time it is believed"
        assert pauses == sorted(pauses)
        assert pauses[-1] >= 30

    def test_an_answer_that_comes_during_the_pause_does_not_end_it(self) -> None:
        budget = known(10)
        refused, fine = send(budget, 1.0), send(budget, 1.0)
        budget.answered(refused, 429, {"Retry-After": "12"}, 1.2)
        budget.answered(fine, 200, headers(8), 1.3)
        assert budget.state(1.3).paused_for == pytest.approx(13.4)
        assert remaining(budget) == 0

    def test_not_even_one_from_a_new_window(self) -> None:
        date = {"Date": "Tue, 14 Nov 2023 22:13:20 GMT"}
        budget = known(10)
        budget.answered(send(budget, 1.0), 200, headers(9, reset_in=1.0) | date, 1.0)
        refused, new = send(budget, 1.0), send(budget, 1.0)
        budget.answered(refused, 429, {"Retry-After": "12"}, 1.2)
        budget.answered(new, 200, headers(29) | date, 1.3)
        budget.enqueue(Lane.WRITE, "x", 1.4)
        assert budget.due(14.0) is None
        assert budget.due(15.0) is not None

    def test_after_the_pause_one_request_finds_out(self) -> None:
        budget = known(10)
        self.refused(budget, 0.0, {"Retry-After": "12"})
        for _ in range(4):
            budget.enqueue(Lane.READ, "x", 1.0)
        (probe,) = all_due(budget, 14.0)
        budget.answered(probe, 200, headers(29), 14.2)
        assert len(all_due(budget, 14.2)) == 3
        assert budget.state(14.2).paused_for is None


class TestQuote:
    @pytest.mark.parametrize(
        ("requests", "left", "lane", "words"),
        [
            (12, 6, Lane.READ, "12 requests: 6 now, 6 in 41 s"),
            (6, 6, Lane.READ, "6 requests, now"),
            (1, 6, Lane.READ, "1 request, now"),
            (1, 0, Lane.READ, "1 request: in 41 s"),
            (75, 0, Lane.READ, "75 requests: in 3 min"),
            (12, 29, Lane.BACKGROUND, "12 requests: 9 now, 3 in 5 s"),
            (40, 10, Lane.BACKGROUND, "40 requests: in 111 s"),
        ],
    )
    def test_in_words(self, requests: int, left: int, lane: Lane, words: str) -> None:
        budget = known(10, reset_in=60.0)
        budget.answered(send(budget, 1.0), 200, headers(left, reset_in=41.0), 1.0)
        quote = budget.quote(requests, 1.0, lane)
        assert str(quote) == words
        assert (quote.seconds == 0) is (quote.later == 0)

    def test_who_waits_already_goes_before(self) -> None:
        budget = known(6, reset_in=41.0, max_in_flight=1)
        send(budget, 0.0)
        for _ in range(2):
            budget.enqueue(Lane.READ, "x", 0.0)
        assert budget.quote(12, 0.0, Lane.READ).now == 3

    def test_nothing_is_promised_before_the_first_answer(self) -> None:
        assert str(new().quote(12, 0.0)) == "12 requests: 1 now, 11 once the budget is known"
        assert str(new().quote(1, 0.0)) == "1 request, now"
        assert new().quote(1, 0.0).seconds == 0.0
        waits, is_sent = new(), new()
        waits.enqueue(Lane.READ, "x", 0.0)
        send(is_sent, 0.0)
        assert waits.quote(1, 0.0).now == is_sent.quote(1, 0.0).now == 0, "another goes first and finds out"

    def test_a_pause_puts_everything_off(self) -> None:
        budget = known(10)
        budget.answered(send(budget, 0.0), 429, {"Retry-After": "100"}, 0.0)
        quote = budget.quote(2, 0.0, Lane.READ)
        assert (quote.now, quote.later) == (0, 2)
        assert quote.seconds == pytest.approx(100 + 1 + JITTER)

    @pytest.mark.parametrize(
        ("requests", "lane", "words"),
        [
            (12, Lane.READ, "12 requests, now"),
            (40, Lane.READ, "40 requests: 30 now, 10 in 60 s"),
            (40, Lane.TASK, "40 requests: 24 now, 16 in 60 s"),
            (1, Lane.BACKGROUND, "1 request, now"),
            (12, Lane.BACKGROUND, "12 requests: 1 now, 11 in 22 s"),
        ],
    )
    def test_after_a_window_that_is_over_a_new_one_begins(
        self, requests: int, lane: Lane, words: str
    ) -> None:
        assert str(known(0, reset_in=60.0).quote(requests, 70.0, lane)) == words

    def test_where_requests_come_back_one_by_one_so_do_those_that_wait(self) -> None:
        budget = trickling(left=10, reset_in=5.0, now=68.0)
        assert str(budget.quote(20, 68.0, Lane.READ)) == "20 requests: 10 now, 10 in 23 s"
        assert str(budget.quote(20, 80.0, Lane.READ)) == "20 requests: 10 now, 10 in 18 s"

    @pytest.mark.parametrize("lane", list(Lane))
    @pytest.mark.parametrize("requests", [3, 12, 20, 30, 40, 55, 70])
    @pytest.mark.parametrize("begin", [0.0, 50.0])
    def test_it_comes_true_on_a_fixed_window(self, lane: Lane, requests: int, begin: float) -> None:
        left, ends, now = 14, 41.0, begin
        budget = known(15, reset_in=60.0)
        budget.answered(send(budget, 0.0), 200, headers(left, reset_in=ends), 0.0)
        quote = budget.quote(requests, now, lane)
        waiting = {budget.enqueue(lane, "x", now) for _ in range(requests)}
        while waiting:
            wake_at = budget.wake_at(now)
            assert wake_at is not None
            now = wake_at
            for ticket in all_due(budget, now):
                waiting.discard(ticket)
                if now >= ends:
                    left, ends = 30, now + 60.0
                left -= 1
                budget.answered(ticket, 200, headers(left, reset_in=ends - now), now)
        assert quote.seconds is not None
        assert now - begin == pytest.approx(quote.seconds, abs=5.0)


class TestWords:
    def reason(self, budget: Budget, lane: Lane, now: float) -> str | None:
        budget.enqueue(lane, "x", now)
        assert budget.due(now) is None
        return budget.state(now).reason

    def test_nobody_waits(self) -> None:
        assert known(10).state(1.0).reason is None

    def test_the_window_is_used_up(self) -> None:
        assert self.reason(known(0, 41.0), Lane.READ, 1.0) == "next in 41 s (no request is left)"

    def test_the_last_are_kept(self) -> None:
        words = "next in 41 s (3 kept for what you do next)"
        assert self.reason(known(3, 41.0), Lane.REFRESH, 1.0) == words
        assert self.reason(known(1, 41.0), Lane.REFRESH, 1.0) == words.replace("3 kept", "1 kept")

    def test_background_is_paced(self) -> None:
        words = "next in 22 s (yours go first)"
        assert self.reason(known(10, 41.0, limit=40), Lane.BACKGROUND, 10.0) == words

    def test_the_limit_and_who_says_so(self) -> None:
        assert Budget().state(1.0).limit_words == ""
        told = known(10, 41.0, limit=40)
        assert told.state(1.0).limit_words == "40 in 40 s, as the service says"
        assert told.state(50.0).estimated, "what is left after the window is a guess, the limit is not"
        assert told.state(50.0).limit_words == "40 in 40 s, as the service says"

    def test_the_key_pauses(self) -> None:
        budget = known(10)
        budget.answered(send(budget, 1.0), 429, {"Retry-After": "10"}, 1.0)
        assert self.reason(budget, Lane.WRITE, 1.0) == "next in 12 s (the service refused a request)"

    def test_nothing_is_known(self) -> None:
        budget = new()
        send(budget, 0.0)
        assert self.reason(budget, Lane.READ, 0.0) == "finding out what is left"

    def test_enough_are_on_their_way(self) -> None:
        budget = known(20)
        for _ in range(3):
            send(budget, 0.0)
        assert self.reason(budget, Lane.READ, 0.0) == "waiting for an answer"

    def test_who_waits_is_listed_by_lane(self) -> None:
        budget = known(0)
        budget.enqueue(Lane.BACKGROUND, "pages", 1.0)
        budget.enqueue(Lane.WRITE, "save", 2.0)
        assert [(w.label, w.lane, w.since) for w in budget.state(3.0).queued] == [
            ("save", Lane.WRITE, 2.0),
            ("pages", Lane.BACKGROUND, 1.0),
        ]

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [
            (0.0, "0 s"),
            (40.2, "41 s"),
            (119.0, "119 s"),
            (119.5, "2 min"),
            (121.0, "3 min"),
            (7_140.0, "119 min"),
            (7_141.0, "2 h"),
            (7_260.0, "2 h 1 min"),
            (10_800.0, "3 h"),
        ],
    )
    def test_a_time_is_said_as_people_say_it(self, seconds: float, words: str) -> None:
        assert duration(seconds) == words

    def test_a_window_that_is_over_is_told(self) -> None:
        budget = known(3, reset_in=41.0)
        assert not budget.state(40.0).renewed
        assert budget.state(41.0).renewed


class TestSnapshot:
    def adopted(self, budget: Budget, now: float = 1.0) -> Budget:
        other = new()
        other.adopt(budget.snapshot(now, shift=1_000.0), now + 5_000.0, shift=-4_000.0)
        return other

    def test_another_program_knows_the_same(self) -> None:
        budget = known(10, reset_in=41.0)
        send(budget, 1.0)
        budget.lost(send(budget, 1.0), 1.0)
        other = self.adopted(budget)
        assert remaining(other) == 8
        assert other.state(5_001.0).reset_in == pytest.approx(40.0)
        assert other.state(5_001.0).in_flight == 0

    def test_a_pause_holds_for_all(self) -> None:
        budget = known(10)
        budget.answered(send(budget, 1.0), 429, {"Retry-After": "1800"}, 1.0)
        other = new()
        other.adopt(budget.snapshot(1.0, 0.0), 1_000.0, 0.0)
        assert other.state(1_000.0).paused_for == pytest.approx(802.5)

    def test_what_is_long_ago_is_passed_over(self) -> None:
        other = new()
        other.adopt(known(10).snapshot(1.0, 0.0), 700.0, 0.0)
        assert not other.state(700.0).known

    def test_the_requests_of_a_program_that_is_gone_count_as_lost(self) -> None:
        budget = known(10)
        send(budget, 1.0)
        other = new()
        other.adopt(budget.snapshot(1.0, 0.0), 2.0 + ABANDONED, 0.0)
        assert not other.abandon(ABANDONED)
        assert other.abandon(2.0 + ABANDONED)
        assert not budget.abandon(2.0 + ABANDONED)
        assert remaining(other) == 9
        other.answered(send(other, 60.0), 200, headers(29), 60.1)
        assert remaining(other) == 29

    def test_a_clock_that_was_set_back_makes_nobody_wait_for_long(self) -> None:
        other = new()
        other.adopt(known(0).snapshot(1.0, shift=1e9), 1.0, shift=0.0)
        other.enqueue(Lane.READ, "x", 1.0)
        wake_at = other.wake_at(1.0)
        assert wake_at is not None
        assert wake_at < 4_000.0

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", '{"version": 1}', "[" * 100_000])
    def test_what_cannot_be_read_is_passed_over(self, text: str) -> None:
        budget = known(10)
        budget.adopt(text, 1.0, 0.0)
        assert remaining(budget) == 10

    @pytest.mark.parametrize("spoilt", ["-5", "null", '"x"', "true", "1e999", "[]", "{}", "NaN", "1.5"])
    def test_no_odd_value_is_taken_for_granted(self, spoilt: str) -> None:
        written = known(10).snapshot(1.0, 0.0)
        for number in range(len([*members(json.loads(written))])):
            found = json.loads(written)
            place, name = [*members(found)][number]
            place[name] = "spoilt"
            budget = new()
            budget.adopt(json.dumps(found).replace('"spoilt"', spoilt), 1.0, 0.0)
            budget.state(1.0)
            budget.quote(5, 1.0)
            budget.enqueue(Lane.BACKGROUND, "x", 1.0)
            budget.wake_at(1.0)
            left = remaining(budget)
            assert left is None or left <= 10


def members(found: object) -> Iterable[tuple[dict[str, object], str]]:
    """Each member of a JSON object, also of objects within it."""
    if isinstance(found, dict):
        for name, value in found.items():
            yield found, name
            yield from members(value)
