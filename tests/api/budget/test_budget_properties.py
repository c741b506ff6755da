"""The laws of the request budget, over any service, network and crowd.

The suite tries a few examples of each; 2,000 of each are tried by
`.venv/bin/pytest --nightly tests/api/budget/test_budget_properties.py`.
"""

import random
import re
from dataclasses import dataclass
from functools import partial

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.scheduler import Budget, Ticket
from tests.nightly import is_nightly
from tests.simulator.naive import ClientWindow, Overwrite
from tests.simulator.programs import Program, Shared
from tests.simulator.servers import (
    SPELLINGS,
    Fixed,
    Limiter,
    Sliding,
    Spelling,
    TokenBucket,
    Verdict,
    headers,
)
from tests.simulator.watched import Watchable, Watched, assert_no_refusal
from tests.simulator.world import Network, Scheduler, World

LONG = is_nightly()


def lawful(few: int) -> settings:
    """So many examples in the suite, 2,000 in a long run."""
    return settings(
        max_examples=2_000 if LONG else few,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@dataclass(frozen=True)
class Ask:
    """A request somebody asks for, and perhaps no longer wants some seconds later."""

    at: float
    lane: Lane
    cancelled_after: float | None


@dataclass(frozen=True)
class Crowd:
    """Everything that decides one run."""

    limiter: Limiter
    used_before: int
    window: float
    spelling: Spelling
    network: Network
    asks: list[Ask]
    seed: int


@st.composite
def limiters(draw: st.DrawFn, window: float) -> Limiter:
    limit, flag = draw(st.sampled_from((1, 2, 5, 10, 30))), draw(st.booleans())
    kind = draw(st.sampled_from(("fixed", "sliding", "bucket")))
    if kind == "fixed":
        return Fixed(limit, window, anchored=flag)
    if kind == "sliding":
        return Sliding(limit, window, tells_oldest=flag)
    return TokenBucket(limit, window, tells_next=flag)


@st.composite
def crowds(draw: st.DrawFn) -> Crowd:
    window = draw(st.sampled_from((2.0, 10.0, 60.0)))
    network = Network(
        delay=draw(st.sampled_from((0.01, 0.5))),
        jitter=draw(st.sampled_from((0.01, 0.3, 0.8))),
        slow=draw(st.sampled_from((0.0, 0.2))),
        request_lost=draw(st.sampled_from((0.0, 0.05))),
        answer_lost=draw(st.sampled_from((0.0, 0.1))),
    )
    seed = draw(st.integers(0, 2**32))
    return Crowd(
        limiter=draw(limiters(window)),
        used_before=draw(st.integers(0, 20)),
        window=window,
        spelling=draw(st.sampled_from(list(SPELLINGS.values()))),
        network=network,
        asks=asked(random.Random(seed), draw(st.integers(1, 120)), window, draw(st.sampled_from(PEOPLE))),
        seed=seed,
    )


PEOPLE = (
    (Lane.READ,),
    (Lane.WRITE, Lane.READ, Lane.READ, Lane.REFRESH),
    tuple(Lane),
    (Lane.READ, Lane.BACKGROUND),
)
"""Who asks, each as often as it is named."""


def asked(rng: random.Random, number: int, window: float, lanes: tuple[Lane, ...]) -> list[Ask]:
    """So many requests in bursts over three windows; one in six is cancelled."""
    bursts = [rng.uniform(0, 3 * window) for _ in range(6)]
    return [
        Ask(
            at=rng.choice(bursts) + rng.uniform(0, window / 10),
            lane=rng.choice(lanes),
            cancelled_after=rng.uniform(0, window / 2) if rng.random() < 1 / 6 else None,
        )
        for _ in range(number)
    ]


def play(crowd: Crowd, *schedulers: Watchable) -> World[Ticket]:
    """Let a crowd loose on schedulers until all is over, and hold them to the laws at every step."""
    watched = [Watched(scheduler) for scheduler in schedulers]
    world = World(list[Scheduler[Ticket]](watched), crowd.limiter, crowd.spelling, crowd.seed, crowd.network)
    for _ in range(crowd.used_before):
        crowd.limiter.request(world.clock)

    def ask(who: int, wanted: Ask) -> None:
        ticket = world.ask(who, wanted.lane)
        if wanted.cancelled_after is not None:
            world.at(world.now + wanted.cancelled_after, lambda: cancel(who, ticket))

    def cancel(who: int, ticket: Ticket) -> None:
        watched[who].cancel(ticket, world.now)
        world.pump(who)

    for turn, wanted in enumerate(crowd.asks):
        world.at(wanted.at, partial(ask, turn % len(schedulers), wanted))
    world.run(1_000 + 4 * 60 * len(crowd.asks) / crowd.limiter.limit)
    assert not any(each.waiting for each in watched), "somebody waits for ever"
    assert not any(each.in_flight for each in watched)
    return world


def taken_for_a_short_window() -> Crowd:
    """A bucket that tells when the next request comes back; a slow one is overtaken by one that finds out."""
    first = (15.6, 16.3, 16.5, 18.2, 18.4, 20.3, 60.6, 64.3, 64.5, 105.4, 108.3, 109.3)
    then = (110.4, 110.5, 110.9, 111.4, 111.5, 114.0, 114.5, 114.7, 115.6, 116.2)
    return Crowd(
        TokenBucket(10, 60.0, tells_next=True),
        used_before=0,
        window=60.0,
        spelling=SPELLINGS["epoch seconds"],
        network=Network(delay=0.01, jitter=0.01, slow=0.2, answer_lost=0.1),
        asks=[Ask(at, Lane.READ, None) for at in (*first, *then)],
        seed=223,
    )


def measured_while_answers_are_lost() -> Crowd:
    """A bucket that tells when the next request comes back, its pace measured over answers that are late."""
    return Crowd(
        TokenBucket(30, 60.0, tells_next=True),
        used_before=0,
        window=60.0,
        spelling=SPELLINGS["seconds left"],
        network=Network(delay=0.01, jitter=0.3, slow=0.0, request_lost=0.0, answer_lost=0.1),
        asks=asked(random.Random(115), 91, 60.0, PEOPLE[1]),
        seed=115,
    )


@lawful(few=100)
@example(taken_for_a_short_window())
@example(measured_while_answers_are_lost())
@given(crowds())
def test_a_truthful_service_never_refuses_what_was_not_a_probe(crowd: Crowd) -> None:
    budget = Budget(jitter=lambda: 0.5)
    world = play(crowd, budget)
    assert_no_refusal(world)
    assert budget.state(world.now).in_flight == 0


@lawful(few=12)
@given(crowds())
def test_programs_that_share_are_not_refused_either(crowd: Crowd) -> None:
    shared = Shared()
    assert_no_refusal(play(crowd, Program(shared), Program(shared), Program(shared)))


def a_busy_minute(limiter: Limiter) -> Crowd:
    asks = [Ask(at / 3, Lane.READ, None) for at in range(900)]
    return Crowd(limiter, 0, 60.0, SPELLINGS["epoch seconds"], Network(jitter=0.4), asks, seed=1)


@pytest.mark.parametrize("naive", [ClientWindow, Overwrite])
def test_the_naive_limiters_are_caught(naive: type[ClientWindow] | type[Overwrite]) -> None:
    world = play(a_busy_minute(Sliding(30, 60.0, tells_oldest=True)), naive(30, 60.0))
    with pytest.raises(AssertionError, match="refused"):
        assert_no_refusal(world)


GARBAGE = st.text(max_size=40) | st.sampled_from(
    (
        "",
        "-1",
        "NaN",
        "inf",
        "1e9",
        "0x1f",
        "٣",
        "30;w",
        "9" * 400,
        "2025-99-99 99:99:99",
        "Thu, 99 Foo",
        "\x00",
        "1_0",
    )
)


@lawful(few=100)
@given(
    remaining=st.integers(0, 30),
    on_the_way=st.integers(0, 3),
    status=st.sampled_from((200, 404, 429, 503)),
    found=st.dictionaries(
        st.sampled_from(("X-RateLimit-Limit", "X-RateLimit-Reset", "Retry-After", "Date")), GARBAGE
    ),
    left=GARBAGE.filter(lambda text: not re.match(r"\s*[+-]?[0-9]", text)),
)
def test_garbage_in_the_headers_never_raises_and_never_adds(
    remaining: int, on_the_way: int, status: int, found: dict[str, str], left: str
) -> None:
    budget = Budget(jitter=lambda: 0.5)
    first = send(budget)
    budget.answered(
        first, 200, headers(Verdict(True, remaining, 60.0), 30, 30.0, SPELLINGS["epoch seconds"]), 0.1
    )
    tickets = [send(budget) for _ in range(min(on_the_way, remaining, 2) or 1)] if remaining else []
    before = budget.state(0.2).remaining
    for ticket in tickets:
        budget.answered(ticket, status, found | {"X-RateLimit-Remaining": left}, 0.2)
        after = budget.state(0.2).remaining
        assert before is not None
        assert after is not None
        assert after <= before


def send(budget: Budget) -> Ticket:
    budget.enqueue(Lane.READ, "x", 0.0)
    ticket = budget.due(0.1)
    assert ticket is not None
    return ticket
