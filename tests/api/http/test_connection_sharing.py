"""Identical reads are one request, and a read that nobody waits for is not sent."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from linkdash.api import Client
from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import Closed, Rejected
from linkdash.api.http.request import Options
from tests.api.conftest import KEY
from tests.api.raw_service import RawService, Received, http_answer
from tests.waiting import wait_until

ANSWER = http_answer(b'{"error":0,"data":{"id":1}}')


class Held:
    """An answer that waits until the test lets it go."""

    def __init__(self, odd: RawService, answer: bytes = ANSWER) -> None:
        self.asked = asyncio.Event()
        self.released = asyncio.Event()
        self._answer = answer
        odd.behave(self._serve)

    async def _serve(self, writer: asyncio.StreamWriter, _: Received) -> None:
        self.asked.set()
        await self.released.wait()
        writer.write(self._answer)


@pytest.fixture
async def waiting(odd: RawService) -> AsyncIterator[tuple[Client, Held]]:
    """A client whose first request is held up, so that all others wait for their turn behind it."""
    held = Held(odd)
    odd.answer_raw(ANSWER)
    async with Client(odd.base_url, KEY, timeout=5) as client:
        first = asyncio.create_task(client.account.get())
        await held.asked.wait()
        yield client, held
        held.released.set()
        await first


def targets(odd: RawService) -> list[str]:
    return [request.target for request in odd.requests]


async def test_identical_reads_at_once_are_one_request(odd: RawService, odd_client: Client) -> None:
    held = Held(odd)
    reads = [asyncio.create_task(odd_client.account.get()) for _ in range(5)]
    await held.asked.wait()
    reads.append(asyncio.create_task(odd_client.account.get()))
    await asyncio.sleep(0.01)
    held.released.set()
    assert [account.key for account in await asyncio.gather(*reads)] == [1] * 6
    assert len(odd.requests) == 1
    await odd_client.account.get()
    assert len(odd.requests) == 2


async def test_different_reads_are_different_requests(odd: RawService, odd_client: Client) -> None:
    odd.answer({"error": 0, "data": []})
    await asyncio.gather(odd_client.domains.list(), odd_client.domains.list(page=2), odd_client.pixels.list())
    assert sorted(targets(odd)) == ["/api/domains", "/api/domains?page=2", "/api/pixels"]


async def test_identical_writes_are_two_requests(odd: RawService, odd_client: Client) -> None:
    odd.answer({"error": 0})
    await asyncio.gather(odd_client.domains.delete(1), odd_client.domains.delete(1))
    assert len(odd.requests) == 2


async def test_all_who_wait_get_the_same_failure(odd: RawService, odd_client: Client) -> None:
    odd.answer({"error": 1, "message": "No."})
    found = await asyncio.gather(*(odd_client.account.get() for _ in range(3)), return_exceptions=True)
    assert [type(error) for error in found] == [Rejected] * 3
    assert len(odd.requests) == 1


async def test_one_who_leaves_does_not_take_the_answer_from_the_others(
    odd: RawService, odd_client: Client
) -> None:
    held = Held(odd)
    stays, leaves = (asyncio.create_task(odd_client.account.get()) for _ in range(2))
    await held.asked.wait()
    leaves.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaves
    held.released.set()
    assert (await stays).key == 1


async def test_a_read_is_not_sent_when_its_turn_comes_too_late(
    odd: RawService, waiting: tuple[Client, Held]
) -> None:
    client, held = waiting
    read = asyncio.ensure_future(client.domains.list())
    await wait_until(lambda: [entry.label for entry in client.budget.queued] == ["GET /api/domains"])
    read.cancel()
    with pytest.raises(asyncio.CancelledError):
        await read
    await wait_until(lambda: not client.budget.queued)
    held.released.set()
    await client.pixels.list()
    assert targets(odd) == ["/api/account", "/api/pixels"]


async def test_a_write_is_not_sent_when_it_is_given_up_before_its_turn(
    odd: RawService, waiting: tuple[Client, Held]
) -> None:
    client, held = waiting
    write = asyncio.create_task(client.domains.delete(1))
    await wait_until(lambda: client.budget.queued)
    write.cancel()
    with pytest.raises(asyncio.CancelledError):
        await write
    held.released.set()
    await client.pixels.list()
    assert targets(odd) == ["/api/account", "/api/pixels"]


async def test_a_read_that_is_given_up_under_way_gives_its_turn_back(
    odd: RawService, odd_client: Client
) -> None:
    held = Held(odd)
    odd.answer_raw(ANSWER)
    read = asyncio.ensure_future(odd_client.domains.list())
    await held.asked.wait()
    read.cancel()
    with pytest.raises(asyncio.CancelledError):
        await read
    await wait_until(lambda: odd_client.budget.in_flight == 0)
    assert (await odd_client.account.get()).key == 1


async def test_a_person_does_not_wait_behind_the_same_read_of_the_background(
    odd: RawService, waiting: tuple[Client, Held]
) -> None:
    client, held = waiting
    background = asyncio.ensure_future(client.domains.list(options=Options(lane=Lane.BACKGROUND)))
    await wait_until(lambda: client.budget.queued)
    person = asyncio.ensure_future(client.domains.list())
    await wait_until(lambda: [entry.lane for entry in client.budget.queued] == [Lane.READ])
    held.released.set()
    await asyncio.gather(background, person)
    assert targets(odd) == ["/api/account", "/api/domains"]


async def test_the_same_read_of_the_background_joins_a_person(
    odd: RawService, waiting: tuple[Client, Held]
) -> None:
    client, held = waiting
    person = asyncio.ensure_future(client.domains.list())
    await wait_until(lambda: client.budget.queued)
    background = asyncio.ensure_future(client.domains.list(options=Options(lane=Lane.BACKGROUND)))
    await asyncio.sleep(0.01)
    assert [entry.lane for entry in client.budget.queued] == [Lane.READ]
    person.cancel()
    held.released.set()
    assert len(await background) == 1
    assert targets(odd) == ["/api/account", "/api/domains"]


async def test_a_read_that_has_left_is_not_sent_again_for_a_person(
    odd: RawService, odd_client: Client
) -> None:
    held = Held(odd)
    background = asyncio.ensure_future(odd_client.domains.list(options=Options(lane=Lane.BACKGROUND)))
    await held.asked.wait()
    person = asyncio.ensure_future(odd_client.domains.list())
    await asyncio.sleep(0.01)
    held.released.set()
    await asyncio.gather(background, person)
    assert targets(odd) == ["/api/domains"]


async def test_closing_ends_what_waits_at_once(odd: RawService) -> None:
    held = Held(odd)
    client = Client(odd.base_url, KEY)
    sent = asyncio.create_task(client.account.get())
    await held.asked.wait()
    queued = asyncio.ensure_future(client.domains.list())
    write = asyncio.create_task(client.domains.delete(1))
    await wait_until(lambda: len(client.budget.queued) == 2)
    await client.close()
    async with asyncio.timeout(1):
        ends = await asyncio.gather(sent, queued, write, return_exceptions=True)
    assert [type(end) for end in ends] == [Closed] * 3
    with pytest.raises(Closed):
        await client.account.get()
    assert targets(odd) == ["/api/account"]
    assert client.budget.in_flight == 0
