"""Bulk updates of records that others change before the job goes on, and while an item waits for its turn."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.resources.pixels import PixelUpdate
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.declaration import declaration
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.model.writes import guard, planned_changes
from linkdash.model.writes.named_updates import update_of_named
from linkdash.store.job import ItemState, Job
from linkdash.store.journal_entry import Author, Outcome
from linkdash.store.store import Store
from tests.conftest import StartDemo
from tests.service.visitor import Visitor
from tests.waiting import wait_until

IDS = (128, 129, 130)
Open = Callable[[str], Session]


@pytest.fixture
def service(start_demo: StartDemo) -> Running:
    return start_demo(DemoSettings(rate=1000))


@pytest.fixture
async def open_session(service: Running, tmp_path: Path) -> AsyncIterator[Open]:
    """Open sessions of several people, who have one journal as a team has."""
    opened: list[Session] = []

    def open_one(person: str) -> Session:
        settings = Settings("tests", service.base_url, SecretStr(service.api_key))
        store = Store(tmp_path / "state", tmp_path / person, "tests", author=Author(person, "desk"))
        opened.append(Session(settings, store))
        return opened[-1]

    yield open_one
    for session in opened:
        await session.close()


@pytest.fixture
def other(service: Running) -> Iterator[Visitor]:
    """Somebody with another program, of which no journal knows."""
    with Visitor(service, service.api_key) as visitor:
        for id in IDS:
            visitor.write("PUT", f"/api/pixel/{id}/update", {"name": "Was", "tag": f"{id}00000"})
        yield visitor


def set_by(other: Visitor, id: int, **members: str) -> None:
    other.write("PUT", f"/api/pixel/{id}/update", {"tag": f"{id}00000", **members})


def pixels(other: Visitor) -> Mapping[int, tuple[str, str]]:
    rows = other.read("/api/pixels?limit=100")["data"]["pixels"]
    return {row["id"]: (row["name"], row["tag"]) for row in rows if row["id"] in IDS}


async def planned(session: Session) -> Job:
    """A job that names three pixels, made of them as they are now."""
    resource = declaration("pixels")
    collection = session.collection("pixels")
    await collection.read(1)
    now = collection.listing.record
    given = {"name": "Mine"}
    made = [
        planned_changes.update_of(resource, record, planned_changes.body_for(PixelUpdate, record, given))
        for id in IDS
        if (record := now(id)) is not None
    ]
    return await session.jobs.create("edit 3 pixels", made)


async def change_by(session: Session, id: int, **members: str) -> None:
    """A change by somebody in the team."""
    found = await update_of_named(session, session.collection("pixels"), id, members)
    assert found is not None
    assert (await session.writes.carry_out(found)).outcome is Outcome.DONE


async def known(session: Session, job: Job) -> Job:
    found = await session.store.jobs.load(job.id)
    assert found is not None
    return found


@pytest.mark.parametrize("overwrite", [False, True])
async def test_a_job_that_is_run_later_is_made_anew_of_what_is_there(
    open_session: Open, other: Visitor, service: Running, *, overwrite: bool
) -> None:
    made = await planned(open_session("me"))
    set_by(other, 129, tag="TAG-1")
    set_by(other, 130, name="Theirs", tag="TAG-2")
    me = open_session("me")
    begun = len(service.service.log)
    await me.jobs.run(await known(me, made), overwrite=overwrite)
    reads = [entry.path for entry in list(service.service.log)[begun:] if entry.method == "GET"]
    assert reads == ["/api/pixels"], "one read for all of them"
    last = ("Mine", "TAG-2") if overwrite else ("Theirs", "TAG-2")
    assert pixels(other) == {128: ("Mine", "12800000"), 129: ("Mine", "TAG-1"), 130: last}
    left = await known(me, made)
    assert left.counts[ItemState.DONE] == (3 if overwrite else 2)
    if not overwrite:
        assert left.items[2].state is ItemState.PENDING
        assert "changed on the service since" in left.items[2].message, "as the journal has it"
        (refused, *_) = await me.store.journal.of_record("pixels", 130)
        assert (refused.outcome, refused.requests) == (Outcome.NOT_SENT, 0)
        assert "changed on the service since" in me.jobs.clashes[2].cause
        assert "Name Was → Theirs" in str(me.jobs.clashes[2])


async def test_what_was_left_out_is_sent_once_that_is_agreed_to(open_session: Open, other: Visitor) -> None:
    made = await planned(open_session("me"))
    ada, me = open_session("ada"), open_session("me")
    await change_by(ada, 130, name="Hers")
    await me.jobs.run(await known(me, made))
    assert "changed by ada@desk at" in me.jobs.clashes[2].cause
    assert [name for name, _ in pixels(other).values()] == ["Hers", "Mine", "Mine"]
    await me.jobs.run(me.jobs.current(made), overwrite=me.jobs.to_ask)
    assert [name for name, _ in pixels(other).values()] == ["Mine"] * 3


async def test_only_what_was_asked_about_is_replaced_and_after_a_stop_nothing_is_asked(
    open_session: Open, other: Visitor
) -> None:
    made = await planned(open_session("me"))
    for id in (128, 130):
        set_by(other, id, name="Theirs")
    me = open_session("me")
    unwatch = me.job_changes.watch(lambda: me.jobs.stop() if me.jobs.clashes else None)
    await me.jobs.run(await known(me, made))
    unwatch()
    asked = me.jobs.clashes
    assert ([*asked], me.jobs.to_ask) == ([0], {})
    await me.jobs.run(me.jobs.current(made), overwrite=asked)
    assert [name for name, _ in pixels(other).values()] == ["Theirs", "Was", "Mine"]
    assert me.jobs.to_ask == {}
    await me.jobs.run(me.jobs.current(made))
    assert [*me.jobs.to_ask] == [2]
    set_by(other, 130, name="Theirs, later")
    await me.jobs.run(me.jobs.current(made), overwrite=me.jobs.to_ask)
    assert pixels(other)[130][0] == "Theirs, later"
    assert "Name Was → Theirs, later" in str(me.jobs.to_ask[2]), "nobody has agreed to that"


async def test_a_record_that_is_gone_is_told_and_the_others_are_done(
    open_session: Open, other: Visitor
) -> None:
    made = await planned(open_session("me"))
    other.write("DELETE", "/api/pixel/129/delete")
    me = open_session("me")
    await me.jobs.run(await known(me, made))
    job = me.jobs.current(made)
    assert job.counts == Counter({ItemState.DONE: 2, ItemState.FAILED: 1})
    assert job.items[1].message == "Not found: pixel Was (129). Perhaps deleted. Nothing was sent."


async def test_where_the_records_cannot_be_read_it_pauses_and_sends_nothing(
    open_session: Open, other: Visitor, service: Running
) -> None:
    made = await planned(open_session("me"))
    me = open_session("me")
    service.service.faults.next("GET", "/api/pixels", Fault(handled=False, status=400))
    running = asyncio.create_task(me.jobs.run(await known(me, made)))
    await wait_until(lambda: me.jobs.is_paused)
    assert "could not be read before" in me.jobs.trouble
    assert {name for name, _ in pixels(other).values()} == {"Was"}
    me.jobs.resume()
    await running
    assert {name for name, _ in pixels(other).values()} == {"Mine"}


async def test_what_a_colleague_changes_while_an_item_waits_for_its_turn_is_seen(
    open_session: Open, other: Visitor, service: Running
) -> None:
    ada, me = open_session("ada"), open_session("me")
    made = await planned(me)
    service.service.faults.next("PUT", "/api/pixel/128/update", Fault(delay=0.2))
    running = asyncio.create_task(me.jobs.run(made))
    await wait_until(lambda: me.jobs.job and me.jobs.job.counts[ItemState.SENT])
    me.jobs.pause()
    await change_by(ada, 129, tag="HER-TAG")
    await change_by(ada, 130, name="Hers")
    me.jobs.resume()
    await running
    assert pixels(other) == {128: ("Mine", "12800000"), 129: ("Mine", "HER-TAG"), 130: ("Hers", "13000000")}
    assert me.jobs.current(made).left == 1
    assert "changed by ada@desk at" in me.jobs.clashes[2].cause


async def test_one_s_own_changes_meanwhile_are_no_conflict(open_session: Open, other: Visitor) -> None:
    me = open_session("me")
    made = await planned(me)
    await change_by(me, 130, name="Mine, too", tag="NEW")
    later = open_session("me")
    await later.jobs.run(await known(later, made))
    assert pixels(other)[130] == ("Mine", "NEW")


BEFORE_LOOK, BEFORE_READ, BEFORE_WRITE, BEFORE_CHECK = MOMENTS = (
    "before they were shown",
    "between the look and the read",
    "between read and write",
    "between write and check",
)


@pytest.mark.parametrize("named", [True, False], ids=["named", "not named"])
@pytest.mark.parametrize("moment", MOMENTS)
async def test_at_no_moment_a_job_replaces_what_was_not_seen(
    open_session: Open,
    other: Visitor,
    service: Running,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    *,
    named: bool,
) -> None:
    monkeypatch.setattr(guard, "FRESH_SECONDS", -1.0)  # whatever was read is too old when its turn comes
    me, faults = open_session("me"), service.service.faults

    def change() -> None:
        set_by(other, 130, **({"name": "Theirs"} if named else {"tag": "NEW-1"}))

    if moment == BEFORE_LOOK:
        change()
    made = await planned(me)
    if moment == BEFORE_READ:
        change()
    if moment == BEFORE_WRITE:
        faults.next("PUT", "/api/pixel/129/update", Fault(meanwhile=change))
    if moment == BEFORE_CHECK:
        faults.next("PUT", "/api/pixel/130/update", Fault(drop=True, meanwhile=change))
    await me.jobs.run(made)
    assert [*me.jobs.clashes] == ([2] if named and moment in (BEFORE_READ, BEFORE_WRITE) else [])
    assert faults.pending == 0
    if moment == BEFORE_CHECK:
        (entry,) = await me.store.journal.unknown()
        assert (await me.check(entry)).happened is (None if named else True)
        (left,) = [*await me.store.jobs.unfinished(), None][:1]
        if left is not None:
            await me.jobs.run(left)
    theirs = ("Theirs", "13000000") if moment != BEFORE_LOOK else ("Mine", "13000000")
    assert pixels(other) == {
        128: ("Mine", "12800000"),
        129: ("Mine", "12900000"),
        130: theirs if named else ("Mine", "NEW-1"),
    }
