"""Writes and their entries: recorded when they leave, not before; with their outcome when it is known."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from linkdash.model.journalled import Claim, JournalledSender

from linkdash.api.connection import Connection
from linkdash.api.envelope import Members
from linkdash.api.errors import KeyRefused, NotSent, OutcomeUnknown, RateLimited, Rejected, ServiceError
from linkdash.api.exchange import NO_OPTIONS, Answer, Options, Request
from linkdash.demo.server import serve
from linkdash.demo.service import DemoService
from linkdash.demo.settings import Settings
from linkdash.store import journal
from linkdash.store.journal import Journal, Outcome, WriteIntent
from linkdash.store.sqlite import SqliteDatabase
from tests.waiting import wait_until

DELETE = Request("DELETE", "/api/pixel/7/delete")
TASK = WriteIntent("pixels", "delete", (7,), {}, "delete pixel 7 (Ads)")


class Service:
    """Lets every request through at once and ends it as it is told to."""

    def __init__(self, end: Callable[[], Awaitable[Members]]) -> None:
        self.had: list[Request] = []
        self.was_reached = asyncio.Event()
        self._end = end

    async def send(self, request: Request, options: Options = NO_OPTIONS) -> Answer:
        if options.on_admit is not None:
            await options.on_admit(request)
        self.had.append(request)
        self.was_reached.set()
        return Answer(request, 200, {}, await self._end())


async def done() -> Members:
    return {"error": 0, "message": "Pixel deleted"}


def failing(error: ServiceError) -> Callable[[], Awaitable[Members]]:
    async def fail() -> Members:
        raise error

    return fail


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Journal]:
    async with SqliteDatabase.open(tmp_path / "state.db", journal.SCHEMA, durable=True) as database:
        yield Journal(database, "mine")


async def test_a_write_that_was_done_is_recorded_with_its_answer(kept: Journal) -> None:
    sender = JournalledSender(Service(done), kept, TASK)
    assert not sender.has_begun
    assert (await sender.send(DELETE)).members == await done() == sender.answer
    (entry,) = await kept.recent()
    assert entry.intent == TASK
    assert (entry.method, entry.path) == ("DELETE", "/api/pixel/7/delete")
    assert (entry.outcome, entry.answer, entry.requests) == (Outcome.DONE, await done(), 1)


@pytest.mark.parametrize(
    ("error", "outcome", "requests"),
    [
        (NotSent("No route."), Outcome.NOT_SENT, 0),
        (Rejected("Invalid."), Outcome.REJECTED, 1),
        (KeyRefused("Bad key."), Outcome.REJECTED, 1),
        (RateLimited("Too many."), Outcome.REJECTED, 1),
        (OutcomeUnknown("Lost."), Outcome.UNKNOWN, 1),
    ],
)
async def test_every_failure_has_its_outcome(
    kept: Journal, error: ServiceError, outcome: Outcome, requests: int
) -> None:
    with pytest.raises(type(error)):
        await JournalledSender(Service(failing(error)), kept, TASK).send(DELETE)
    (entry,) = await kept.recent()
    assert (entry.outcome, entry.message, entry.requests) == (outcome, str(error), requests)


async def test_a_write_given_up_under_way_is_unknown(kept: Journal) -> None:
    service = Service(lambda: asyncio.get_running_loop().create_future())
    sending = asyncio.create_task(JournalledSender(service, kept, TASK).send(DELETE))
    await service.was_reached.wait()
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    (entry,) = await kept.recent()
    assert entry.is_open


async def test_what_cannot_be_recorded_or_claimed_is_not_sent(tmp_path: Path, kept: Journal) -> None:
    (tmp_path / "folder").mkdir()
    service = Service(done)
    async with SqliteDatabase.open(tmp_path / "folder", journal.SCHEMA, durable=True) as broken:
        with pytest.raises(NotSent, match="journal cannot be written"):
            await JournalledSender(service, Journal(broken, "mine"), TASK).send(DELETE)

    async def refuse() -> None:
        raise NotSent("Another has it.")

    claim: Claim = refuse
    with pytest.raises(NotSent, match="Another has it"):
        await JournalledSender(service, kept, TASK, claim).send(DELETE)
    assert service.had == []
    assert await kept.recent() == []


async def test_reads_are_not_recorded(kept: Journal) -> None:
    await JournalledSender(Service(done), kept, TASK).send(Request("GET", "/api/pixels"))
    assert await kept.recent() == []


async def test_a_write_that_waits_for_its_turn_is_neither_recorded_nor_sent(kept: Journal) -> None:
    async with serve(DemoService(Settings(rate=1))) as running:
        connection = Connection(running.base_url, running.api_key)
        await connection.send(Request("GET", "/api/account"))
        sender = JournalledSender(connection, kept, TASK)
        waiting = asyncio.create_task(sender.send(DELETE))
        await wait_until(lambda: connection.gate.state.queued)
        assert not sender.has_begun
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await kept.recent() == []
        assert [entry.method for entry in running.service.log] == ["GET"]
        state = connection.gate.state
        assert (state.in_flight, state.queued) == (0, ())
        await connection.close()
