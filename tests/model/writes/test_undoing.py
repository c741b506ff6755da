"""The write that takes a change back, made of the journal and of the record as it is now."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from linkdash.api.endpoints import body_of
from linkdash.api.records import Record
from linkdash.api.resources.plans import Subscription
from linkdash.api.resources.users import User
from linkdash.demo.server import Running
from linkdash.model.resources.plans import subscription
from linkdash.model.session import Session
from linkdash.model.writes.named_updates import update_of_named
from linkdash.model.writes.undo import Undoing, undoing
from linkdash.store.journal_entry import JournalEntry, Outcome
from tests.model.writes.conftest import Open


async def changed(session: Session, resource: str, id: int, **members: object) -> JournalEntry:
    """The journal's entry of an update that was done."""
    intent = await update_of_named(session, session.collection(resource), id, members)
    assert intent is not None
    assert (await session.writes.carry_out(intent)).outcome is Outcome.DONE
    return (await session.store.journal.recent(1))[0]


async def now(session: Session, resource: str, id: int) -> Mapping[str, object]:
    """The members of a record as the service has it."""
    return (await record_now(session, resource, id)).model_dump()


async def record_now(session: Session, resource: str, id: int) -> Record:
    found: Record | None = await session.client.users.get(id) if resource == "users" else None
    found = found or (await session.collection(resource).reread([id])).get(id)
    assert found is not None
    return found


async def taken_back(session: Session, entry: JournalEntry) -> Undoing:
    """The way in which a change was taken back."""
    resource, id = entry.intent.resource, entry.intent.record_ids[0]
    found = await undoing(session, entry, await record_now(session, resource, id))
    assert found.intent is not None, found.why_not
    assert (await session.writes.carry_out(found.intent)).outcome is Outcome.DONE
    return found


async def test_an_edit_is_taken_back_and_later_ones_of_other_members_stay(
    demo: Running, open_session: Open
) -> None:
    session = open_session(demo)
    await session.collection("channels").read(1)
    before = await now(session, "channels", 2)
    first = await changed(session, "channels", 2, name="New", description="By a test")
    later = await changed(session, "channels", 2, color="#123456")
    await changed(session, "channels", 3, name="Of another channel")
    found = await taken_back(session, first)
    assert not found.is_last
    assert found.intent is not None
    assert found.intent.read_at == later.ended, "it is made of what the last change has left"
    assert any("changed again since" in sentence for sentence in found.told)
    assert any("New" in line for line in found.lines)
    assert await now(session, "channels", 2) == {**before, "color": "#123456"}


async def test_nothing_is_sent_for_what_is_as_before_or_was_never_known(
    demo: Running, open_session: Open
) -> None:
    session = open_session(demo)
    await session.collection("channels").read(1)
    before = await now(session, "channels", 2)
    first = await changed(session, "channels", 2, name="New")
    await changed(session, "channels", 2, name=before["name"])
    found = await undoing(session, first, await record_now(session, "channels", 2))
    assert (found.intent, found.is_so) == (None, True)
    deleted = replace(first, intent=replace(first.intent, action="delete"))
    found = await undoing(session, deleted, await record_now(session, "channels", 2))
    assert (found.intent, found.why_not) == (None, "Only edits and subscriptions can be undone.")


async def test_a_change_by_others_is_not_told_undone_where_the_record_was_read_before_it(
    demo: Running, open_session: Open
) -> None:
    mine, theirs = open_session(demo), open_session(demo)
    for session in (mine, theirs):
        await session.collection("channels").read(1)
    seen, read_at = mine.collection("channels").listing.record(2), mine.moment()
    assert seen is not None
    entry = await changed(theirs, "channels", 2, name="By another")
    found = await undoing(mine, entry, seen, read_at)
    assert found.intent is not None, found.why_not
    assert found.lines == [f"Name: By another → {seen.name}"]
    assert (await mine.writes.carry_out(found.intent)).outcome is Outcome.DONE
    assert (await now(theirs, "channels", 2))["name"] == seen.name


async def test_the_end_of_a_subscription_since_is_counted_from_its_own_moment(
    demo: Running, open_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(demo)
    await session.collection("plans").read(1)
    await session.collection("users").read(1)
    user, read_at = session.collection("users").listing.record(6), session.moment()
    assert isinstance(user, User)
    body = body_of(Subscription, {"type": "monthly"})
    await session.writes.carry_out(subscription(6, 2, body, ("", "Pro"), user))
    (entry,) = await session.store.journal.recent(1)
    told = (await undoing(session, entry, user, read_at)).lines
    later = session.moment() + timedelta(days=3)
    monkeypatch.setattr(session, "moment", lambda: later)
    after = (await undoing(session, entry, user, read_at)).lines
    ends = [line.split(" → ")[0] for lines in (told, after) for line in lines if line.startswith("Until: ")]
    assert ends[0] == ends[1]
    assert len(ends) == 2


async def test_a_subscription_is_taken_back_where_the_plan_before_is_known(
    demo: Running, open_session: Open
) -> None:
    session = open_session(demo)
    await session.collection("plans").read(1)
    for plan, term in ((2, "monthly"), (3, "yearly")):
        user = await session.client.users.get(31)
        body = body_of(Subscription, {"type": term})
        await session.writes.carry_out(subscription(31, plan, body, ("", ""), user))
    assert (await taken_back(session, (await session.store.journal.recent(1))[0])).is_last
    assert (await session.client.users.get(31)).planid == 2
