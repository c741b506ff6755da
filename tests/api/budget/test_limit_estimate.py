"""The rate of a service without rate headers: learned from refusals, kept, and said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api import Client
from linkdash.api.budget.allowance import Allowance, Charge
from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.limit_estimate import DOCUMENTED_LIMIT, Estimate, LimitRefusal, Suspicion
from linkdash.api.budget.scheduler import Budget, Level, Ticket
from linkdash.api.budget.window import BudgetWindow
from linkdash.api.errors import Rejected
from tests.api.conftest import KEY
from tests.api.raw_service import RawService, http_answer


def evenly(number: int, every: float = 1.0, begin: float = 0.0) -> list[tuple[float, float]]:
    return [(begin + every * n, begin + every * n) for n in range(number)]


class TestEstimate:
    def test_what_was_granted_in_the_last_window_counts(self) -> None:
        estimate = Estimate(limit=30, seconds=60.0)
        assert estimate.free(evenly(20), 59.0) == 10
        assert estimate.free(evenly(20), 65.0) == 16
        assert estimate.back_at(evenly(20), 3, 65.0) == 68.0
        assert estimate.back_at(evenly(20), 15, 65.0) is None
        assert estimate.full_at(evenly(20), 65.0) == 79.0
        assert estimate.full_at(evenly(20), 79.0) is None

    def test_a_refusal_shows_the_limit(self) -> None:
        estimate = Estimate(limit=30)
        estimate.refuse(evenly(20), 25.0, again=False, told=None)
        assert estimate.limit == 20

    def test_far_fewer_than_the_limit_were_spent_by_somebody_else(self) -> None:
        estimate = Estimate(limit=30)
        estimate.refuse(evenly(2), 25.0, again=False, told=None)
        assert estimate.limit == 15

    @pytest.mark.parametrize(("limit", "shown"), [(30, 29), (2, 1), (1, 1)])
    def test_what_is_refused_after_the_whole_limit_shows_that_it_is_one_less(
        self, limit: int, shown: int
    ) -> None:
        estimate = Estimate(limit=limit)
        estimate.refuse(evenly(limit), 31.0, again=False, told=None)
        assert (estimate.limit, estimate.ceiling) == (shown, shown)
        assert estimate.run_counts, "it was not somebody else who used it up"

    def test_while_it_goes_on_refusing_the_limit_goes_down_to_one(self) -> None:
        estimate = Estimate(limit=3)
        estimate.refuse(evenly(2), 2.0, again=False, told=None)
        assert estimate.limit == 2
        estimate.refuse(evenly(2), 100.0, again=True, told=None)
        assert estimate.limit == 1

    @pytest.mark.parametrize(("since", "now", "shown"), [(20, 66.0, 20), (3, 50.0, 19 + 3)])
    def test_after_a_recovery_only_what_was_granted_since_then_counts_unless_it_is_little(
        self, since: int, now: float, shown: int
    ) -> None:
        estimate = Estimate(limit=30)
        estimate.refuse(evenly(24), 40.0, again=False, told=None)
        log = evenly(24) + [(at, at + 0.5) for at, _ in evenly(since, begin=45.0)]
        estimate.grant(log[:25], 45.5, after_refusal=True)
        estimate.refuse(log, now, again=False, told=None)
        assert estimate.limit == shown

    def test_what_was_granted_before_the_window_is_taken_off_while_it_goes_on_refusing(self) -> None:
        estimate = Estimate(limit=30)
        log = evenly(24, every=2.0)
        estimate.refuse(log, 50.0, again=False, told=None)
        assert estimate.limit == 24
        estimate.refuse(log, 67.0, again=True, told=None)
        assert estimate.limit == 20
        estimate.refuse(log, 100.0, again=True, told=None)
        assert estimate.limit == 10, "never by more than half at once"

    def test_a_longer_pause_than_the_window_makes_it_longer(self) -> None:
        estimate = Estimate()
        estimate.refuse(evenly(30), 31.0, again=False, told=300.0)
        assert estimate.seconds == 300.0

    def test_refusing_for_more_than_two_windows_makes_it_as_long_as_that(self) -> None:
        estimate = Estimate(limit=30)
        log = evenly(24, begin=1_000.0)
        estimate.refuse(log, 1_025.0, again=False, told=None)
        for now, seconds in ((1_119.0, 60.0), (1_150.0, 150.0), (9_000.0, 3600.0)):
            estimate.refuse(log, now, again=True, told=None)
            assert estimate.seconds == seconds

    def test_working_again_soon_makes_it_shorter(self) -> None:
        """It is no shorter than the time since the first of the requests was sent."""
        estimate = Estimate(limit=10)
        log = [(at, at + 0.5) for at, _ in evenly(10, every=0.1, begin=1_000.0)]
        estimate.refuse(log, 1_001.5, again=False, told=None)
        estimate.grant([*log, (1_005.0, 1_005.1)], 1_005.1, after_refusal=True)
        assert estimate.seconds == pytest.approx(5.1)

    @pytest.mark.parametrize(("limit", "reserve"), [(1, 0), (6, 0), (10, 1), (30, 4), (180, 4)])
    def test_background_leaves_a_seventh_but_only_a_few(self, limit: int, reserve: int) -> None:
        assert Estimate(limit=limit).reserve == reserve

    def test_background_is_spread_over_the_window_and_goes_once_in_it_at_least(self) -> None:
        assert Estimate(limit=10, ceiling=10.0).spacing == pytest.approx(60.0 / 9)
        for limit in (1, 180):
            assert Estimate(limit=limit, ceiling=1.0).spacing == 60.0

    def test_it_feels_its_way_up_while_it_is_used_up_and_not_refused(self) -> None:
        estimate = Estimate()
        estimate.grant(evenly(1), 0.0, after_refusal=False)
        begin = estimate.ceiling
        estimate.grant(evenly(30, begin=-30.0), 0.1, after_refusal=False)
        assert estimate.ceiling == begin, "not in the first seconds"
        estimate.grant(evenly(10, every=6.0), 60.0, after_refusal=False)
        assert estimate.ceiling == begin, "it was not used up"
        for now in range(60, 120):
            estimate.grant(evenly(40, every=1.5, begin=now - 60.0), now, after_refusal=False)
        assert 38 <= estimate.ceiling < 39, "a little above the documented limit it waits to be refused"
        assert estimate.limit == 38
        estimate.grant(evenly(40, every=1.5, begin=100.0), 160.0, after_refusal=False)
        assert estimate.ceiling > 39, "it was not: far beyond is sought fast"

    def test_it_feels_its_way_slowly_past_the_documented_limit_and_fast_beyond_it(self) -> None:
        growth = []
        for ceiling in (30.0, 50.0):
            estimate = Estimate(limit=50, ceiling=ceiling, fixed_until=0.0)
            estimate.grant(evenly(50), 50.0, after_refusal=False)
            growth.append(estimate.ceiling - ceiling)
        slow, fast = growth
        assert 0.0 < slow < 0.5
        assert 1.0 < fast < 2.0

    def test_what_was_granted_before_the_window_does_not_use_it_up(self) -> None:
        estimate = Estimate(fixed_until=0.0)
        begin = estimate.ceiling
        estimate.grant(evenly(30) + evenly(5, every=10.0, begin=100.0), 141.0, after_refusal=False)
        assert estimate.ceiling == begin

    def test_it_grows_no_further_than_can_be_counted(self) -> None:
        estimate = Estimate(limit=180, ceiling=179.9, fixed_until=0.0)
        estimate.grant(evenly(199, every=0.3), 60.0, after_refusal=False)
        assert (estimate.limit, estimate.ceiling) == (180, 180)

    def test_what_a_refusal_has_shown_is_kept_for_long_and_then_felt_out_slowly(self) -> None:
        estimate = Estimate()
        estimate.refuse(evenly(24), 30.0, again=False, told=None)
        assert (estimate.limit, estimate.ceiling) == (24, 24)
        for now, ceiling in ((629.9, 24.0), (630.0, 24.05)):
            estimate.grant(evenly(24, begin=now - 24), now, after_refusal=False)
            assert estimate.ceiling == pytest.approx(ceiling)

    def test_while_less_than_the_ceiling_is_used_it_counts_how_long_that_is(self) -> None:
        estimate = Estimate(fixed_until=0.0)
        estimate.grant(evenly(8, begin=0.0), 24.0, after_refusal=False)
        assert estimate.ceiling > 26.0, "8 in 24 s are as many as 20 in 60 s"
        grown = estimate.ceiling
        estimate.grant(evenly(6, begin=0.0), 24.0, after_refusal=False)
        assert estimate.ceiling == grown

    def test_a_run_of_refusals_is_waited_out_with_longer_and_longer_pauses(self) -> None:
        pauses = [Estimate().backoff(refusals) for refusals in range(1, 18)]
        assert pauses[0] == 4.0
        assert pauses[2] == pytest.approx(4.0 * 1.2 * 1.2)
        assert pauses[-1] == 60.0

    @given(st.lists(st.tuples(st.booleans(), st.floats(0, 20), st.none() | st.floats(0, 1e4)), max_size=60))
    def test_it_stays_within_its_bounds_whatever_happens(
        self, events: list[tuple[bool, float, float | None]]
    ) -> None:
        estimate, log, now, was_refused = Estimate(), list[tuple[float, float]](), 0.0, False
        for granted, pause, told in events:
            now += pause
            if granted:
                log.append((now, now))
                estimate.grant(log, now, after_refusal=was_refused)
            else:
                before = estimate.limit
                estimate.refuse(log, now, again=was_refused, told=told)
                assert estimate.limit <= before, "a refusal never adds"
            was_refused = not granted
            assert 1 <= estimate.limit <= 180
            assert 1 <= estimate.ceiling <= 180
            assert 1.0 <= estimate.seconds <= 3600.0
            assert estimate.free(log, now) <= estimate.limit


class TestSuspicion:
    def test_a_no_to_what_was_granted_before_is_a_refusal_when_it_repeats(self) -> None:
        suspicion = Suspicion()
        assert suspicion.judge("GET /api/domains?page=1", rejected=False) is LimitRefusal.NONE
        assert suspicion.judge("GET /api/domains?page=2", rejected=True) is LimitRefusal.SUSPECTED
        assert suspicion.judge("GET /api/domains?page=2", rejected=True) is LimitRefusal.SURE

    @pytest.mark.parametrize("granted", ["GET /api/pixels", "GET /api/domains"])
    def test_one_granted_request_between_ends_the_suspicion(self, granted: str) -> None:
        suspicion = Suspicion(granted={"GET /api/domains"})
        assert suspicion.judge("GET /api/domains", rejected=True) is LimitRefusal.SUSPECTED
        suspicion.judge(granted, rejected=False)
        assert suspicion.judge("GET /api/domains", rejected=True) is LimitRefusal.SUSPECTED

    def test_what_can_be_wrong_or_was_never_granted_proves_nothing(self) -> None:
        suspicion = Suspicion()
        for _ in range(3):
            assert suspicion.judge("GET /api/qr/9", rejected=None) is LimitRefusal.NONE
            assert suspicion.judge("GET /api/overlay", rejected=True) is LimitRefusal.NONE

    @pytest.mark.parametrize("rejected", [None, True])
    def test_a_no_in_words_counts_for_every_request_when_it_repeats(self, rejected: bool | None) -> None:
        suspicion = Suspicion()
        outcomes = [
            suspicion.judge(f"GET /api/qr/{number}", rejected=rejected, in_words=True) for number in range(3)
        ]
        assert outcomes == [LimitRefusal.SUSPECTED, LimitRefusal.SURE, LimitRefusal.SURE]
        suspicion.judge("GET /api/domains", rejected=False)
        assert suspicion.judge("POST /api/qr/add", rejected=None, in_words=True) is LimitRefusal.SURE

    def test_words_alone_prove_nothing(self) -> None:
        suspicion = Suspicion()
        for _ in range(3):
            suspicion.judge("GET /api/domains", rejected=False)
            found = suspicion.judge("POST /api/pixel/add", rejected=None, in_words=True)
            assert found is LimitRefusal.SUSPECTED

    def test_once_proven_the_first_no_is_enough(self) -> None:
        suspicion = Suspicion(granted={"GET /api/domains"})
        for rejected in (True, True, False):
            suspicion.judge("GET /api/domains", rejected=rejected)
        assert suspicion.is_proven
        assert suspicion.judge("GET /api/domains", rejected=True) is LimitRefusal.SURE

    def test_a_list_that_says_no_for_good_while_others_work_proves_nothing(self) -> None:
        suspicion = Suspicion(granted={"GET /api/domains"})
        for rejected, label in ((True, "domains"), (True, "domains"), (False, "pixels")):
            suspicion.judge(f"GET /api/{label}", rejected=rejected)
        assert not suspicion.is_proven


def send(budget: Budget, now: float, lane: Lane = Lane.READ) -> Ticket:
    budget.enqueue(lane, "GET /api/domains", now)
    ticket = budget.due(now)
    assert ticket is not None
    return ticket


def silent(requests: int, lane: Lane = Lane.REFRESH) -> Budget:
    """A budget on a service without headers, after so many requests in the first seconds."""
    budget = Budget(jitter=lambda: 0.5)
    for number in range(requests):
        now = number / 10
        budget.answered(send(budget, now, lane), 200, {}, now)
    return budget


class TestWithoutHeaders:
    def test_the_state_says_that_it_is_an_estimate(self) -> None:
        state = silent(10).state(1.0)
        assert (state.remaining, state.limit, state.estimated) == (20, DOCUMENTED_LIMIT, True)
        assert state.reset_in == pytest.approx(59.9)

    def test_never_more_than_the_estimate_in_a_window(self) -> None:
        budget = silent(DOCUMENTED_LIMIT, Lane.READ)
        budget.enqueue(Lane.READ, "x", 3.0)
        assert budget.due(3.0) is None
        assert budget.wake_at(3.0) == pytest.approx(60.0)

    def test_background_leaves_a_reserve_to_people(self) -> None:
        budget = silent(22)
        budget.enqueue(Lane.BACKGROUND, "x", 30.0)
        assert budget.due(30.0) is None
        assert budget.state(30.0).queue == "1 request waits: next in 30 s (yours go first)"
        assert send(budget, 30.0).lane is Lane.READ

    def test_the_more_people_ask_the_more_background_leaves(self) -> None:
        for lane, granted in ((Lane.REFRESH, True), (Lane.READ, False)):
            budget = silent(20, lane)
            budget.enqueue(Lane.BACKGROUND, "x", 30.0)
            assert (budget.due(30.0) is not None) is granted

    def test_a_persons_task_is_spread_from_a_small_reserve_on(self) -> None:
        budget = silent(20)
        for number in range(6):
            budget.enqueue(Lane.TASK, f"{number}", 3.0)
        due = list(iter(lambda: budget.due(3.0), None))
        assert len(due) == 2, "one place is kept for a person"
        for ticket in due:
            budget.answered(ticket, 200, {}, 3.0)
        for ticket in iter(lambda: budget.due(3.0), None):
            budget.answered(ticket, 200, {}, 3.0)
        assert budget.state(3.0).remaining == 6
        assert budget.due(3.0) is None
        assert budget.wake_at(3.0) == pytest.approx(3.0 + 60.0 / 22)

    def test_a_persons_task_is_not_held_up_by_what_the_person_asked_before(self) -> None:
        assert send(silent(20, Lane.READ), 30.0, Lane.TASK)

    @pytest.mark.parametrize(
        ("requests", "lane", "words"),
        [
            (5, Lane.READ, "5 requests, now"),
            (12, Lane.READ, "12 requests: 10 now, 2 in 56 s"),
            (5, Lane.TASK, "5 requests: 4 now, 1 in 3 s"),
            (11, Lane.BACKGROUND, "11 requests: 1 now, 10 in 28 s"),
            (1, Lane.BACKGROUND, "1 request, now"),
        ],
    )
    def test_what_it_costs(self, requests: int, lane: Lane, words: str) -> None:
        assert str(silent(20).quote(requests, 10.0, lane)) == words

    def test_nothing_goes_now_where_nothing_is_left_or_all_pause(self) -> None:
        used_up, paused = silent(DOCUMENTED_LIMIT, Lane.READ), silent(20)
        paused.answered(send(paused, 2.0), 429, {}, 2.0)
        for budget in (used_up, paused):
            quote = budget.quote(5, 3.0, Lane.READ)
            assert (quote.now, quote.later) == (0, 5)
        assert silent(20).quote(5, 10.0, Lane.READ).seconds == 0.0

    def test_what_is_more_than_is_left_waits_for_the_oldest_to_count_no_more(self) -> None:
        quote = silent(26).quote(6, 10.0, Lane.READ)
        assert quote.now == 4
        assert quote.seconds == pytest.approx(50.0 + 2 * 60.0 / 22)

    def test_who_waits_already_goes_before(self) -> None:
        budget = silent(20)
        for _ in range(2):
            budget.enqueue(Lane.READ, "x", 10.0)
        assert budget.quote(12, 10.0, Lane.READ).now == 8

    def test_after_a_refusal_one_request_finds_out(self) -> None:
        budget = silent(20)
        ticket = send(budget, 2.0)
        assert not ticket.probe
        budget.answered(ticket, 429, {"Retry-After": "30"}, 2.0)
        for _ in range(3):
            budget.enqueue(Lane.READ, "x", 70.0)
        probe = budget.due(70.0)
        assert probe is not None
        assert probe.probe
        assert budget.due(70.0) is None
        assert budget.state(70.0).limit == 20

    def test_never_sooner_than_it_is_told(self) -> None:
        budget = silent(20)
        budget.answered(send(budget, 2.0), 429, {"Retry-After": "30"}, 2.0)
        assert budget.state(2.0).paused_for == 30.0 + 0.5

    def test_after_what_may_have_been_a_refusal_all_wait_for_a_moment(self) -> None:
        budget = silent(20)
        ticket = send(budget, 2.0)
        assert budget.judge(ticket, 200, {}, rejected=False) is LimitRefusal.NONE
        refusal = budget.judge(ticket, 200, {}, rejected=True)
        budget.answered(ticket, 200, {}, 2.0, refusal=refusal)
        assert (refusal, budget.state(2.0).paused_for) == (LimitRefusal.SUSPECTED, 1.0)

    def test_a_read_is_asked_again_only_where_that_may_help(self) -> None:
        budget, outcomes = Budget(), []
        ticket = send(budget, 0.0)
        for rejected in (False, True, True, False, True):
            refusal = budget.judge(ticket, 200, {}, rejected=rejected)
            outcomes.append((refusal, budget.is_worth_asking_again(refusal, in_words=False)))
        assert outcomes == [
            (LimitRefusal.NONE, False),
            (LimitRefusal.SUSPECTED, True),
            (LimitRefusal.SURE, False),
            (LimitRefusal.NONE, False),
            (LimitRefusal.SURE, True),
        ]
        assert budget.is_worth_asking_again(LimitRefusal.TOLD, in_words=False)

    def test_a_wait_that_nobody_can_mean_is_not_waited(self) -> None:
        budget = silent(20)
        budget.answered(send(budget, 2.0), 429, {"Retry-After": "1e9"}, 2.0)
        paused_for = budget.state(2.0).paused_for
        assert paused_for is not None
        assert paused_for < 70.0

    def test_what_was_learned_is_kept_for_the_next_run(self) -> None:
        budget = silent(20)
        budget.answered(send(budget, 2.0), 429, {}, 2.0)
        later = Budget()
        later.adopt(budget.snapshot(2.0, 0.0), 90_000.0, 0.0)
        assert not later.state(90_000.0).known
        later.answered(send(later, 90_000.0), 200, {}, 90_000.0)
        assert later.state(90_000.0).limit == 20

    def test_a_service_that_ceases_to_tell_is_estimated_after_some_answers(self) -> None:
        budget = Budget()
        budget.answered(send(budget, 0.0), 200, told(9, 40.0), 0.0)
        seen = []
        for now in (1.0, 2.0, 3.0):
            budget.answered(send(budget, now), 200, {}, now)
            state = budget.state(now)
            seen.append((state.remaining, state.estimated))
        assert seen == [(8, False), (7, False), (DOCUMENTED_LIMIT - 4, True)]

    def test_headers_that_come_after_all_are_believed(self) -> None:
        budget = silent(5)
        told = {"X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "70", "X-RateLimit-Reset": "30"}
        budget.answered(send(budget, 1.0), 200, told, 1.0)
        state = budget.state(1.0)
        assert (state.remaining, state.limit, state.estimated) == (70, 100, False)


def told(remaining: int, reset_in: float) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": "30",
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Reset": str(reset_in),
    }


def test_the_gauge_follows_the_clock_when_the_window_has_turned() -> None:
    budget = Budget(jitter=lambda: 0.5)
    budget.answered(send(budget, 0.0), 200, told(9, 40.0), 0.0)
    before, after = budget.state(39.0), budget.state(45.0)
    assert (before.remaining, before.estimated) == (9, False)
    assert (after.remaining, after.granted, after.estimated) == (30, 9, True)


def test_where_requests_come_back_one_by_one_so_does_the_gauge_but_for_what_is_charged() -> None:
    window = BudgetWindow(limit=30, length=60.0, renewal=100.0, told=True, trickles=True)
    allowance = Allowance(base=4, window=window, lost=[0], in_flight={1: Charge(since=99.0, probe=True)})
    seen = [allowance.seen(now) for now in (100.9, 101.0, 102.9, 103.0, 107.0, 900.0)]
    assert seen == [2, 3, 3, 4, 6, 28]


@pytest.mark.parametrize(
    ("remaining", "level"),
    [
        (11, Level.PLENTY),
        (10, Level.LOW),
        (4, Level.LOW),
        (3, Level.NEARLY_NONE),
        (1, Level.NEARLY_NONE),
        (0, Level.NONE),
    ],
)
def test_how_much_is_left_in_a_word(remaining: int, level: Level) -> None:
    budget = Budget(jitter=lambda: 0.5)
    assert budget.state(0.0).level is None
    budget.answered(send(budget, 0.0), 200, told(remaining, 40.0), 0.0)
    assert budget.state(0.0).level is level


DONE = http_answer(b'{"error":0,"data":[]}')
NO = http_answer(b'{"error":1,"message":"No."}')


async def test_a_list_that_worked_is_asked_once_more_when_it_is_refused_without_a_word(
    odd: RawService,
) -> None:
    odd.answer_raw(DONE)
    odd.answer_raw(NO)
    odd.answer_raw(DONE)
    async with Client(odd.base_url, KEY, gate=Gate(), timeout=5) as client:
        await client.domains.list()
        assert len(await client.domains.list()) == 0
    assert len(odd.requests) == 3


async def test_a_write_that_is_refused_like_that_is_never_sent_again(odd: RawService) -> None:
    odd.answer_raw(DONE)
    odd.answer_raw(NO)
    async with Client(odd.base_url, KEY, timeout=5) as client:
        await client.domains.list()
        with pytest.raises(Rejected):
            await client.domains.delete(1)
    assert len(odd.requests) == 2


def test_what_is_on_its_way_is_charged_where_nobody_tells_what_is_left() -> None:
    budget = silent(2, Lane.READ)
    for second in (2.0, 2.1, 2.2):
        send(budget, second)
    assert budget.state(2.3).remaining == DOCUMENTED_LIMIT - 2 - 3
