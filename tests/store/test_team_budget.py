"""The budget of a key in a team's database: by real processes, beside a server that is dead or still."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest

from linkdash.api.budget import scheduler as budget_module
from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.store import team_budget as team_budget_module
from linkdash.store.team_address import Address
from linkdash.store.team_budget import TeamSharedBudget
from tests.api.budget.three_programs import are_never_refused
from tests.postgres import PostgresServer
from tests.waiting import wait_until

Open = Callable[[], TeamSharedBudget]
LEFT = {"X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "20", "X-RateLimit-Reset": "60"}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine under load must not look like a server that is gone."""
    monkeypatch.setattr(team_budget_module, "_LONGEST", 60)
    monkeypatch.setattr(team_budget_module, "_PAUSE", 0.01)


@pytest.fixture
def url(postgresql: PostgresServer) -> str:
    """The address of an empty database."""
    return postgresql.url(postgresql.new_database())


@pytest.fixture
async def machine(url: str) -> AsyncIterator[Open]:
    opened: list[TeamSharedBudget] = []

    def open_one() -> TeamSharedBudget:
        opened.append(TeamSharedBudget(Address.read(url), "mine"))
        return opened[-1]

    yield open_one
    for budget in opened:
        budget.close()


async def exchanged(budget: TeamSharedBudget, change: Callable[[str | None], str]) -> None:
    """As a gate does it: again in some milliseconds, until it is this program's turn."""
    await wait_until(lambda: budget.rewrite(change))


def one_more(known: str | None) -> str:
    return str(int(known or 0) + 1)


async def value(budget: TeamSharedBudget) -> str | None:
    seen: list[str | None] = []

    def look(known: str | None) -> str:
        seen.append(known)
        return known or ""

    await exchanged(budget, look)
    return seen[0]


async def test_nobody_comes_between_reading_and_writing(machine: Open) -> None:
    budgets = [machine() for _ in range(4)]

    async def count(budget: TeamSharedBudget) -> None:
        for _ in range(20):
            await exchanged(budget, one_more)

    await asyncio.gather(*map(count, budgets))
    assert await value(budgets[0]) == "80"
    assert all(budget.sharing is None for budget in budgets)


async def test_what_is_asked_for_and_not_taken_is_given_to_the_next(machine: Open) -> None:
    first, second = machine(), machine()
    await exchanged(first, one_more)
    first.rewrite(one_more)
    await exchanged(second, one_more)
    assert await value(second) in ("2", "3")


async def test_a_change_that_fails_changes_nothing(machine: Open) -> None:
    budget = machine()
    await exchanged(budget, one_more)

    def fail(_: str | None) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await exchanged(budget, fail)
    assert await value(budget) == "1"


async def test_without_the_server_nothing_is_shared_until_it_is_back(
    postgresql: PostgresServer, machine: Open
) -> None:
    budget = machine()
    await exchanged(budget, one_more)
    postgresql.kill()
    await wait_until(lambda: not budget.rewrite(one_more) and budget.sharing is not None)
    assert not budget.rewrite(one_more)
    postgresql.start()
    await wait_until(lambda: budget.sharing is None)
    await exchanged(budget, one_more)
    assert await value(budget) in ("1", "2", "3"), "what was told last may have been lost with the server"


async def test_a_server_that_stands_still_stops_nobody(
    postgresql: PostgresServer, machine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = machine()
    await exchanged(budget, one_more)
    with postgresql.paused(), monkeypatch.context() as impatient:
        impatient.setattr(team_budget_module, "_LONGEST", 0.05)
        await wait_until(lambda: not budget.rewrite(one_more) and budget.sharing is not None)
        assert str(budget.sharing).endswith("does not answer")
    await wait_until(lambda: budget.sharing is None)
    await exchanged(budget, one_more)


async def test_the_clock_is_that_of_the_database(machine: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    with monkeypatch.context() as wrong:
        wrong.setattr(time, "time", lambda: now - 3_600)
        budget = machine()
        await exchanged(budget, one_more)
        assert abs(budget.wall() - now) < 60


async def test_who_waits_goes_when_another_machine_has_its_answer(machine: Open) -> None:
    gates = []
    for _ in range(2):
        budget = machine()
        gates.append(Gate(shared=budget, wall=budget.wall))
    one, two = gates
    first = await one.admit(Lane.READ, "first")
    waiting = asyncio.create_task(two.admit(Lane.READ, "second"))
    await wait_until(lambda: two.state.in_flight == 0 and bool(two.state.queued))
    assert not waiting.done(), "one finds out for both what is left"
    one.answered(first, 200, LEFT)
    async with asyncio.timeout(30):
        second = await waiting
    two.answered(second, 200, LEFT)
    for gate in gates:
        gate.close()


async def test_what_a_machine_held_that_is_gone_comes_back(
    machine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_module, "ABANDONED", 0.2)
    monkeypatch.setattr(team_budget_module, "_LOOKS_EVERY", 0.2)
    gone, other = machine(), machine()
    await Gate(shared=gone, wall=gone.wall).admit(Lane.READ, "never answered")
    gone.close()
    gate = Gate(shared=other, wall=other.wall)
    async with asyncio.timeout(30):
        ticket = await gate.admit(Lane.READ, "goes on")
    gate.answered(ticket, 200, LEFT)
    gate.close()


async def test_machines_that_share_nothing_but_the_database_are_never_refused(url: str) -> None:
    opening = f"""
from linkdash.store import team_budget
from linkdash.store.team_address import Address
team_budget._LONGEST = 60  # a machine under load must not look like a server that is gone
shared = team_budget.TeamSharedBudget(Address.read({url!r}), "mine")
"""
    await are_never_refused(opening, seconds=60)
