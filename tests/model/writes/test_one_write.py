"""Writes and their entries: recorded when they leave, not before; with their outcome when it is known."""

import asyncio
import contextlib
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import NotSent
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.writes.one_write import Claim
from linkdash.store import sqlite
from linkdash.store.journal_entry import Outcome, WriteIntent
from tests.conftest import StartDemo
from tests.model.writes.conftest import Open
from tests.service.writes import writes
from tests.waiting import wait_until

DELETE = WriteIntent("pixels", "delete", (7,), {}, ("Ads",))


async def test_a_write_that_was_done_is_recorded_with_its_answer_and_shown(
    demo: Running, open_session: Open
) -> None:
    session = open_session(demo)
    pixels = session.collection("pixels")
    await pixels.read(1)
    newest = pixels.records[0].id
    result = await session.writes.carry_out(WriteIntent("pixels", "delete", (newest,), {}))
    assert (result.outcome, result.error, result.record) == (Outcome.DONE, None, None)
    assert pixels.listing.record(newest) is None, "what shows the pixels shows it too"
    (entry,) = await session.store.journal.recent()
    assert (entry.method, entry.path) == ("DELETE", f"/api/pixel/{newest}/delete")
    assert (entry.outcome, entry.requests) == (Outcome.DONE, 1)
    assert entry.answer == result.answer
    assert entry.answer
    assert session.writes.under_way == ()


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Fault(handled=False, status=400, content=b'{"error": 1, "message": "No."}'), Outcome.REJECTED),
        (Fault(handled=False, status=401), Outcome.REJECTED),
        (Fault(handled=False, status=429), Outcome.REJECTED),
        (Fault(handled=False, drop=True), Outcome.UNKNOWN),
        (Fault(drop=True), Outcome.UNKNOWN),
        (Fault(content=b"<html>"), Outcome.UNKNOWN),
    ],
)
async def test_every_failure_has_its_outcome(
    demo: Running, open_session: Open, fault: Fault, outcome: Outcome
) -> None:
    session = open_session(demo)
    demo.service.faults.next("DELETE", "/api/pixel/7/delete", fault)
    result = await session.writes.carry_out(DELETE)
    assert result.outcome is outcome
    (entry,) = await session.store.journal.recent()
    assert (entry.outcome, entry.message, entry.requests) == (outcome, str(result.error), 1)
    assert len(writes(demo)) == 1, "nothing is sent twice"


async def test_what_could_not_be_sent_costs_no_request(demo: Running, open_session: Open) -> None:
    session = open_session(replace(demo, base_url="http://127.0.0.1:9"))
    assert (await session.writes.carry_out(DELETE)).outcome is Outcome.NOT_SENT
    (entry,) = await session.store.journal.recent()
    assert (entry.outcome, entry.requests) == (Outcome.NOT_SENT, 0)


async def test_a_write_given_up_under_way_is_unknown(demo: Running, open_session: Open) -> None:
    session = open_session(demo)
    demo.service.faults.next("DELETE", "/api/pixel/7/delete", Fault(delay=3600))
    sending = asyncio.create_task(session.writes.carry_out(DELETE))
    await wait_until(lambda: writes(demo))
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    (entry,) = await session.store.journal.recent()
    assert entry.is_open
    assert session.writes.under_way == ()


async def test_what_cannot_be_claimed_or_recorded_is_not_sent(demo: Running, open_session: Open) -> None:
    session = open_session(demo)

    async def refuse(origin: str) -> None:
        raise NotSent("Another has it.")

    claim: Claim = refuse
    result = await session.writes.carry_out(DELETE, claim=claim)
    assert (result.outcome, str(result.error)) == (Outcome.NOT_SENT, "Another has it.")
    await session.store.journal._database.select("PRAGMA query_only = ON")
    result = await session.writes.carry_out(DELETE)
    assert result.outcome is Outcome.NOT_SENT
    assert "journal cannot be written" in str(result.error)
    assert writes(demo) == []
    (entry,) = await session.store.journal.recent()
    assert (entry.outcome, entry.message) == (Outcome.NOT_SENT, "Another has it.")


async def test_what_is_refused_and_given_up_before_it_is_claimed_was_not_sent(
    demo: Running, open_session: Open
) -> None:
    session, claims = open_session(demo), asyncio.Event()

    async def never(origin: str) -> None:
        claims.set()
        await asyncio.Event().wait()

    claim: Claim = never
    odd = WriteIntent("pixels", "create", (), {"type": "nonsense"})
    sending = asyncio.create_task(session.writes.carry_out(odd, claim=claim))
    await claims.wait()
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    (entry,) = await session.store.journal.recent()
    assert (entry.outcome, entry.message) == (Outcome.NOT_SENT, "Cancelled before it was sent.")


async def test_what_was_done_is_shown_also_where_it_is_given_up_while_it_is_recorded(
    demo: Running, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(demo)
    pixels = session.collection("pixels")
    await pixels.read(1)
    (id,) = pixels.listing.ids_on(1)[:1]

    async def never(*_: object, **__: object) -> None:
        sending.cancel()
        await asyncio.Event().wait()

    monkeypatch.setattr(session.store.journal, "close_entry", never)
    sending = asyncio.create_task(session.writes.carry_out(WriteIntent("pixels", "delete", (id,), {})))
    with pytest.raises(asyncio.CancelledError):
        await sending
    assert len(writes(demo)) == 1
    assert pixels.listing.record(id) is None


async def test_a_store_that_another_program_holds_is_told_in_time(
    demo: Running, open_session: Open, tmp_path: Path
) -> None:
    session = open_session(demo)
    assert await session.store.journal.recent() == []
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "state.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        result = await session.writes.carry_out(DELETE)
        assert time.monotonic() - begun < 3 * sqlite._PATIENCE, "and not once for each that waits"
        other.execute("ROLLBACK")
    assert (result.outcome, writes(demo)) == (Outcome.NOT_SENT, [])
    assert "another program has locked it" in str(result.error)
    assert (await session.writes.carry_out(DELETE)).outcome is Outcome.DONE


async def test_a_write_that_waits_for_its_turn_is_neither_recorded_nor_sent(
    start_demo: StartDemo, open_session: Open
) -> None:
    demo = start_demo(DemoSettings(rate=1))
    session = open_session(demo)
    await session.client.account.get()
    waiting = asyncio.create_task(session.writes.carry_out(DELETE, lane=Lane.TASK))
    await wait_until(lambda: session.gate.state.queued)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await session.store.journal.recent() == []
    assert writes(demo) == []
    state = session.gate.state
    assert (state.in_flight, state.queued) == (0, ())


async def test_a_write_is_taken_back_while_it_waits_for_its_turn(
    start_demo: StartDemo, open_session: Open
) -> None:
    demo = start_demo(DemoSettings(rate=1))
    session = open_session(demo)
    await session.client.account.get()
    sending = asyncio.create_task(session.writes.carry_out(DELETE))
    await wait_until(lambda: session.gate.state.queued)
    assert session.writes.take_back(DELETE)
    result = await sending
    assert (result.outcome, writes(demo)) == (Outcome.NOT_SENT, [])
    assert "Cancelled" in str(result.error)
    assert await session.store.journal.recent() == []
    assert session.writes.under_way == ()
    state = session.gate.state
    assert (state.in_flight, state.queued) == (0, ())
    assert not session.writes.take_back(DELETE), "it is over"


async def test_a_write_whose_turn_has_come_is_not_taken_back(demo: Running, open_session: Open) -> None:
    session = open_session(demo)
    demo.service.faults.next("DELETE", "/api/pixel/7/delete", Fault(delay=0.2))
    sending = asyncio.create_task(session.writes.carry_out(DELETE))
    await wait_until(lambda: writes(demo))
    assert not session.writes.take_back(DELETE)
    assert (await sending).outcome is Outcome.DONE
