"""The rate of a service without rate headers: counted here, slower after refusals, and said."""

import pytest

from linkdash.api import Client
from linkdash.api.budget.account import DOCUMENTED_LIMIT, BudgetAccount, Charge
from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.refusals import LimitRefusal, Suspicion
from linkdash.api.budget.scheduler import Budget, Level, Ticket
from linkdash.api.errors import Rejected
from tests.api.conftest import KEY
from tests.api.raw_service import RawService, http_answer


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
            suspicion.judge(f"GET /api/qr/{number}", rejected=rejected, in_words=True) for number in range(2)
        ]
        assert outcomes == [LimitRefusal.SUSPECTED, LimitRefusal.SURE]
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
        assert budget.wake_at(3.0) == pytest.approx(60.1)

    def test_background_leaves_a_reserve_to_people(self) -> None:
        budget = silent(26)
        budget.enqueue(Lane.BACKGROUND, "x", 30.0)
        assert budget.due(30.0) is None
        assert budget.state(30.0).queue == "1 request waits: next in 31 s (yours go first)"
        assert send(budget, 30.0).lane is Lane.READ

    def test_a_persons_task_is_not_held_up_by_what_the_person_asked_before(self) -> None:
        assert send(silent(20, Lane.READ), 30.0, Lane.TASK)

    @pytest.mark.parametrize(
        ("requests", "lane", "words"),
        [
            (5, Lane.READ, "5 requests, now"),
            (12, Lane.READ, "12 requests: 10 now, 2 in 53 s"),
            (5, Lane.TASK, "5 requests, now"),
            (11, Lane.BACKGROUND, "11 requests: 1 now, 10 in 20 s"),
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
        assert quote.seconds == pytest.approx(50.1 + 2.0)

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

    def test_a_refusal_leaves_one_less_where_far_more_was_granted_before(self) -> None:
        told = {"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "900", "X-RateLimit-Reset": "50"}
        budget = Budget(jitter=lambda: 0.5)
        budget.answered(send(budget, 0.0), 200, told, 0.0)
        *granted, refused = [send(budget, 1.0) for _ in range(DOCUMENTED_LIMIT + 11)]
        for ticket in granted:
            budget.answered(ticket, 200, {}, 1.0)
        assert budget.state(1.0).limit == DOCUMENTED_LIMIT
        budget.answered(refused, 429, {}, 1.0)
        assert budget.state(1.0).limit == DOCUMENTED_LIMIT - 1

    def test_never_sooner_than_it_is_told(self) -> None:
        budget = silent(20)
        budget.answered(send(budget, 2.0), 429, {"Retry-After": "30"}, 2.0)
        assert budget.state(2.0).paused_for == 30.0 + 1.5

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
    account = BudgetAccount(base=4, limit=30, resets_at=100.0, learned_at=99.0, trickles=True)
    account.lost, account.in_flight = [0], {1: Charge(since=99.0, probe=True)}
    seen = [account.seen(now) for now in (100.9, 101.0, 102.9, 103.0, 107.0, 900.0)]
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
