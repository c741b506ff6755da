"""The asyncio shell around the budget: turns, cancelling, sharing, and who is told."""

import asyncio
import time
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.ledger import RequestOutcome
from linkdash.api.budget.scheduler import ABANDONED, Budget, Ticket
from tests.simulator import virtual_time


def headers(remaining: int, reset_in: float = 60.0, limit: int = 30) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Reset": f"{reset_in:.3f}",
    }


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def settle() -> None:
    """Let everything that can go on go on."""
    for _ in range(5):
        await asyncio.sleep(0)


async def known(remaining: int, reset_in: float = 60.0, limit: int = 30, clock: Clock | None = None) -> Gate:
    """A gate that has learned what is left."""
    gate = Gate(Budget(jitter=lambda: 0.5), clock=clock or Clock())
    gate.answered(await gate.admit(Lane.READ, "first"), 200, headers(remaining, reset_in, limit))
    return gate


async def test_an_idle_gate_admits_without_giving_up_its_turn() -> None:
    gate = await known(10)
    other = asyncio.create_task(asyncio.sleep(0))
    await gate.admit(Lane.READ, "x")
    assert not other.done()
    await other


async def test_a_high_limit_is_not_slowed_down_even_if_the_clock_stands() -> None:
    gate = await known(9_999, limit=10_000)
    tickets = [await gate.admit(Lane.BACKGROUND, "x") for _ in range(900)]
    for number, ticket in enumerate(tickets):
        gate.answered(ticket, 200, headers(9_998 - number, limit=10_000))
    assert gate.state.remaining == 9_099


async def test_turns_come_by_lane_and_a_waiter_is_let_through_when_an_answer_comes() -> None:
    gate = await known(10)
    sent = [await gate.admit(Lane.READ, "x") for _ in range(3)]
    order: list[str] = []

    async def ask(lane: Lane) -> None:
        await gate.admit(lane, lane.name)
        order.append(lane.name)

    waiting = [asyncio.create_task(ask(lane)) for lane in (Lane.READ, Lane.WRITE)]
    await settle()
    assert [waiter.label for waiter in gate.state.queued] == ["WRITE", "READ"]
    for number, ticket in enumerate(sent[:2]):
        gate.answered(ticket, 200, headers(9 - number))
    await asyncio.gather(*waiting)
    assert order == ["WRITE", "READ"]


async def test_it_comes_back_by_itself_when_the_window_is_over() -> None:
    gate = Gate(Budget(jitter=lambda: 0.5))
    gate.answered(await gate.admit(Lane.READ, "first"), 200, headers(0, reset_in=0.05))
    async with asyncio.timeout(2):
        ticket = await gate.admit(Lane.READ, "second")
    assert ticket.probe
    assert gate.state.renewed


async def test_it_comes_back_by_itself_after_a_pause() -> None:
    gate = Gate(Budget(jitter=lambda: 0.5))
    gate.answered(await gate.admit(Lane.READ, "first"), 200, headers(5, reset_in=0.05))
    gate.answered(await gate.admit(Lane.READ, "refused"), 429, {"Retry-After": "0.05"})
    assert gate.state.paused_for
    async with asyncio.timeout(2):
        await gate.admit(Lane.READ, "again")
    assert gate.state.paused_for is None


def test_a_pause_goes_by_while_the_machine_sleeps_and_what_waits_goes_soon_after() -> None:
    async def main() -> None:
        asleep, loop = Clock(), asyncio.get_running_loop()
        gate = Gate(Budget(jitter=lambda: 0.5), clock=lambda: loop.time() + asleep.now)
        gate.answered(await gate.admit(Lane.READ, "refused"), 429, {"Retry-After": "3600"})
        waiting = asyncio.create_task(gate.admit(Lane.READ, "again"))
        await asyncio.sleep(10)
        asleep.now += 8 * 3600
        assert gate.state.paused_for is None
        async with asyncio.timeout(60):
            await waiting

    virtual_time.run(main())


async def test_a_cancelled_waiter_leaves_the_queue_and_the_next_moves_up() -> None:
    gate = await known(1, reset_in=60.0)
    last = await gate.admit(Lane.READ, "last")
    gone = asyncio.create_task(gate.admit(Lane.READ, "gone"))
    await settle()
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert gate.state.queued == ()
    gate.not_sent(last)
    assert (await gate.admit(Lane.READ, "next")).label == "next"


async def test_cancelled_in_the_moment_of_its_turn_it_costs_nothing() -> None:
    gate = await known(10)
    sent = [await gate.admit(Lane.READ, "x") for _ in range(3)]
    waiter = asyncio.create_task(gate.admit(Lane.READ, "late"))
    await settle()
    gate.answered(sent[0], 200, headers(9))
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert gate.state.in_flight == 2
    assert gate.state.remaining == 7
    assert [entry.label for entry in gate.ledger.entries(0.0)] == ["first", "x"], "what was sent"


END: list[Callable[[Gate, Ticket], object]] = [
    lambda gate, ticket: gate.answered(ticket, 200, headers(20)),
    lambda gate, ticket: gate.answered(ticket, 404, {}),
    lambda gate, ticket: gate.answered(ticket, 429, {"Retry-After": "1"}),
    lambda gate, ticket: gate.lost(ticket),
    lambda gate, ticket: gate.not_sent(ticket),
]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(Lane), st.integers(0, 6), st.none() | st.integers(0, 6), st.sampled_from(END)
        ),
        max_size=25,
    )
)
def test_nothing_stays_in_flight_whenever_who_is_cancelled(
    crowd: list[tuple[Lane, int, int | None, Callable[[Gate, Ticket], object]]],
) -> None:
    async def main() -> None:
        gate = Gate(Budget(jitter=lambda: 0.5), clock=asyncio.get_running_loop().time)
        admitted, cancelled = set[int](), set[int]()

        async def ask(number: int, lane: Lane, seconds: int, end: Callable[[Gate, Ticket], object]) -> None:
            ticket = await gate.admit(lane, str(number))
            assert number not in cancelled, "a cancelled waiter was let through"
            admitted.add(number)
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                gate.lost(ticket)
                raise
            end(gate, ticket)

        async def cancel(number: int, task: asyncio.Task[None], seconds: int) -> None:
            await asyncio.sleep(seconds)
            if number not in admitted:
                cancelled.add(number)
            task.cancel()

        async with asyncio.TaskGroup() as everybody:
            for number, (lane, seconds, cancelled_after, end) in enumerate(crowd):
                task = everybody.create_task(ask(number, lane, seconds, end))
                if cancelled_after is not None:
                    everybody.create_task(cancel(number, task, cancelled_after))
        state = gate.state
        assert (state.in_flight, state.queued) == (0, ())

    virtual_time.run(main())


async def test_a_ticket_ends_once() -> None:
    gate = await known(10)
    ticket = await gate.admit(Lane.READ, "x")
    gate.lost(ticket)
    gate.answered(ticket, 200, headers(29))
    gate.not_sent(ticket)
    assert gate.state.remaining == 9
    assert [entry.outcome for entry in gate.ledger.entries(0.0)] == [
        RequestOutcome.ANSWERED,
        RequestOutcome.LOST,
    ]


async def test_the_ledger_records_who_asked_how_long_it_waited_and_how_it_ended() -> None:
    clock = Clock()
    gate = await known(1, reset_in=20.0, clock=clock)
    last = await gate.admit(Lane.READ, "last")
    waiter = asyncio.create_task(gate.admit(Lane.WRITE, "save"))
    await settle()
    clock.now = 30.0
    gate.lost(last)
    ticket = await waiter
    clock.now = 31.0
    gate.answered(ticket, 429, {})
    entry = gate.ledger.entries(31.0)[-1]
    assert (entry.label, entry.lane, entry.waited) == ("save", Lane.WRITE, 30.0)
    assert (entry.outcome, entry.status, entry.ended_at) == (RequestOutcome.REFUSED, 429, 31.0)
    assert [sample.remaining for sample in gate.ledger.samples(31.0)] == [0, 28, 0]


async def test_listeners_are_told_of_changes_and_not_of_the_passing_of_time() -> None:
    clock = Clock()
    gate = await known(10, clock=clock)
    seen: list[int | None] = []
    stop = gate.watch(lambda: seen.append(gate.state.remaining))
    ticket = await gate.admit(Lane.READ, "x")
    gate.answered(ticket, 200, headers(9))
    assert seen == [9, 9]
    stop()
    stop()
    await gate.admit(Lane.READ, "y")
    assert len(seen) == 2


async def test_a_quote_of_the_gate() -> None:
    gate = await known(6, reset_in=41.0)
    assert str(gate.quote(12, Lane.READ)) == "12 requests: 6 now, 6 in 41 s"


class Box:
    """The memory that two gates share."""

    def __init__(self) -> None:
        self.text: str | None = None
        self.reason: str | None = None
        self.taken = False
        self.looked = self.written = 0

    @property
    def sharing(self) -> str | None:
        return self.reason

    looks_every = 0.25
    spread = 0.0

    def watch(self, heard: Callable[[], None]) -> None:
        """Nothing is heard."""

    def wall(self) -> float:
        return time.time()

    def close(self) -> None:
        """Nothing is open."""

    def rewrite(self, change: Callable[[str | None], str]) -> bool:
        if self.taken or self.reason:
            return False
        self.looked += 1
        new = change(self.text)
        self.written += new != self.text
        self.text = new
        return True


def ahead(clock: Callable[[], float], by: float) -> float:
    """A clock that began earlier."""
    return clock() + by


class TestSharing:
    def gates(self, box: Box, clock: Clock) -> tuple[Gate, Gate]:
        one, two = (Gate(Budget(jitter=lambda: 0.5), clock=clock, shared=box) for _ in range(2))
        return one, two

    async def test_two_gates_spend_one_budget(self) -> None:
        box, clock = Box(), Clock()
        one, two = self.gates(box, clock)
        one.answered(await one.admit(Lane.READ, "x"), 200, headers(3))
        await one.admit(Lane.READ, "x")
        await two.admit(Lane.READ, "x")
        await two.admit(Lane.READ, "x")
        assert two.state.remaining == 0
        waiter = asyncio.create_task(one.admit(Lane.READ, "too much"))
        await settle()
        assert not waiter.done()
        waiter.cancel()
        assert one.sharing is None

    def test_programs_whose_clocks_began_at_other_moments_know_the_same(self) -> None:
        async def main() -> None:
            box, wall = Box(), asyncio.get_running_loop().time
            one, two = (
                Gate(Budget(jitter=lambda: 0.5), clock=partial(ahead, wall, by), wall=wall, shared=box)
                for by in (100.0, 50_000.0)
            )
            one.answered(await one.admit(Lane.READ, "x"), 200, headers(7, reset_in=40.0))
            await asyncio.sleep(10)
            two.not_sent(await two.admit(Lane.READ, "y"))
            assert two.state.remaining == 7
            assert [one.state.reset_in, two.state.reset_in] == pytest.approx([30.0, 30.0], abs=0.1)

        virtual_time.run(main())

    async def test_before_anything_is_known_one_probe_goes_for_both(self) -> None:
        box, clock = Box(), Clock()
        one, two = self.gates(box, clock)
        probe = await one.admit(Lane.READ, "x")
        waiter = asyncio.create_task(two.admit(Lane.READ, "y"))
        await settle()
        assert not waiter.done()
        one.answered(probe, 200, headers(29))
        async with asyncio.timeout(2):
            await waiter

    async def test_while_the_box_is_taken_nothing_goes_and_nothing_is_forgotten(self) -> None:
        box, clock = Box(), Clock()
        one, two = self.gates(box, clock)
        ticket = await one.admit(Lane.READ, "x")
        box.taken = True
        one.answered(ticket, 200, headers(29))
        waiter = asyncio.create_task(one.admit(Lane.READ, "y"))
        await settle()
        assert not waiter.done()
        box.taken = False
        async with asyncio.timeout(2):
            await waiter
        assert one.state.remaining == 28
        await two.admit(Lane.READ, "z")
        assert two.state.remaining == 27

    async def test_when_sharing_ends_it_goes_on_by_the_headers_alone(self) -> None:
        box, clock = Box(), Clock()
        one, _ = self.gates(box, clock)
        one.answered(await one.admit(Lane.READ, "x"), 200, headers(29))
        box.reason = "the shared budget cannot be written"
        await one.admit(Lane.READ, "y")
        assert one.state.remaining == 28
        assert one.sharing == box.reason

    @pytest.mark.parametrize(("lane", "later"), [(Lane.READ, 0.0), (Lane.TASK, 0.0), (Lane.BACKGROUND, 2.0)])
    def test_where_many_come_back_at_once_background_leaves_room_for_people(
        self, lane: Lane, later: float
    ) -> None:
        """Seconds after the moment at which one alone would go."""

        async def went_at(spread: float) -> float:
            box, clock = Box(), asyncio.get_running_loop().time
            box.spread, box.looks_every = spread, 1_000.0
            gate = Gate(Budget(jitter=lambda: 0.5), clock=clock, wall=clock, shared=box, jitter=lambda: 0.5)
            begun = clock()
            gate.answered(await gate.admit(Lane.READ, "x"), 200, headers(0))
            await gate.admit(lane, "y")
            gate.close()
            return clock() - begun

        alone = virtual_time.run(went_at(0.0))
        assert virtual_time.run(went_at(4.0)) - alone == pytest.approx(later, abs=0.01)

    def test_looking_at_what_is_shared_writes_nothing_and_tells_nobody(self) -> None:
        async def main() -> None:
            box, told = Box(), list[None]()
            clock = asyncio.get_running_loop().time
            gate = Gate(Budget(jitter=lambda: 0.5), clock=clock, wall=clock, shared=box)
            gate.answered(await gate.admit(Lane.READ, "x"), 200, headers(0))
            gate.watch(lambda: told.append(None))
            looked, written = box.looked, box.written
            await asyncio.sleep(30)
            assert box.looked > looked + 10
            assert (box.written, told) == (written, [])
            gate.close()
            looked = box.looked
            await asyncio.sleep(30)
            assert box.looked == looked

        virtual_time.run(main())

    def test_what_another_program_learns_is_told_to_who_watches(self) -> None:
        async def main() -> None:
            box, clock = Box(), asyncio.get_running_loop().time
            one, two = (Gate(Budget(jitter=lambda: 0.5), clock=clock, wall=clock, shared=box) for _ in "12")
            seen: list[int | None] = []
            two.watch(lambda: seen.append(two.state.remaining))
            one.answered(await one.admit(Lane.READ, "x"), 200, headers(7))
            await asyncio.sleep(5)
            assert seen == [7]

        virtual_time.run(main())

    def test_a_probe_of_a_program_that_was_killed_is_given_up_after_a_while(self) -> None:
        async def main() -> None:
            box, clock = Box(), asyncio.get_running_loop().time
            killed, alive = (
                Gate(Budget(jitter=lambda: 0.5), clock=clock, wall=clock, shared=box) for _ in "12"
            )
            await killed.admit(Lane.READ, "x")
            async with asyncio.timeout(ABANDONED + 5):
                await alive.admit(Lane.READ, "y")
            assert clock() > ABANDONED

        virtual_time.run(main())

    async def test_closing_tells_the_others_what_has_ended_and_lets_nobody_through(self) -> None:
        box, clock = Box(), Clock()
        one, two = self.gates(box, clock)
        ticket = await one.admit(Lane.READ, "x")
        waiter = asyncio.create_task(one.admit(Lane.READ, "too late"))
        await settle()
        box.taken = True
        one.answered(ticket, 200, headers(29))
        box.taken = False
        one.close()
        await settle()
        assert not waiter.done()
        waiter.cancel()
        await two.admit(Lane.READ, "y")
        assert two.state.remaining == 28


async def test_closed_it_still_takes_ends_and_cancels() -> None:
    gate = await known(10)
    tickets = [await gate.admit(Lane.READ, "x") for _ in range(3)]
    waiter = asyncio.create_task(gate.admit(Lane.READ, "y"))
    await settle()
    gate.close()
    gate.lost(tickets[0])
    waiter.cancel()
    await settle()
    assert gate.state.in_flight == 2
    assert gate.state.queued == ()
