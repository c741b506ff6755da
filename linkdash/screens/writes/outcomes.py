"""The outcome of a write, as the user is told of it."""

from collections.abc import Mapping
from typing import TypeVar

from linkdash.api.fields import read_moment
from linkdash.api.records import Body, Record, Unreadable
from linkdash.api.resources.users import User
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.resources.plans import expiry_words
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.one_write import WriteResult
from linkdash.model.writes.undo import not_known, undoing
from linkdash.model.writes.write_words import summary_of
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists.record_list import RecordList
from linkdash.store.journal_entry import Outcome, WriteIntent

T = TypeVar("T", bound=Record)

_DONE = {"create": "Created", "update": "Saved", "subscribe": "Subscribed", "assign": "Assigned"}


_UNDONE_BY_A_KEY = ("update", "subscribe")


async def show_outcome(records: RecordList[T], result: WriteResult) -> None:
    """Say how a write ended, and go to its record, where the screen lists such."""
    screen, resource = records.screen, records.resource
    intent, record = result.intent, result.record
    if result.outcome is Outcome.UNKNOWN:
        if intent.record_id is not None:
            records.collection.note(intent.record_id, "unknown")
        screen.warn(f"{how_to_check(screen)} {summary_of(intent)}: {result.error}", "Outcome unknown")
    elif result.error is not None:
        screen.tell(result.error)
    elif isinstance(record, Unreadable):
        refresh = screen.key_of("refresh")
        screen.say(f"Created, but the service returned no id. {refresh} refreshes the list.")
    elif isinstance(record, resource.record) and intent.action in _DONE:
        if screen.place_id == resource.id:
            records.table.move_to_key(record.key)
        if isinstance(record, User) and intent.action == "subscribe":
            await _show_if_free(screen.session, record)
        name = resource.name_of(record) or resource.title_of(record)
        screen.note_opened(resource.id, record.id, name)
        back = await _way_back(records, intent)
        if intent.is_undo:
            is_plan = intent.action == "subscribe"
            changes = (
                await _became(screen.session, intent) if is_plan else _first_change(intent, resource.update)
            )
            screen.done(f"{name}{changes}{back}", "Undone")
        else:
            is_named_later = intent.action == "create" and resource.naming
            unnamed = f" · {screen.key_of('refresh')} reads the name that the service gave it"
            screen.done(f"{name}{unnamed if is_named_later else back}", _DONE[intent.action])
    else:
        is_made_anew = intent.action == "delete" and resource.create is not None
        anew = f" · {screen.key_of('undo')} fills in a new one" if is_made_anew else ""
        screen.done(f"{summary_of(intent)}{anew}", "Done")


async def _show_if_free(session: Session, user: User) -> None:
    """Show a user whose plan is known to cost nothing without an end (reference: account and user)."""
    plans = await session.collections.of(PLANS).known_records()
    is_free = any(plan.id == user.planid and plan.free for plan in plans)
    members = user.raw if isinstance(user.raw, Mapping) else {}
    after = User.read({**members, "expires": None, "status": "free"})
    if is_free and not isinstance(after, Unreadable):
        session.collections.of(USERS).put(after, "changed")


async def _became(session: Session, intent: WriteIntent) -> str:
    """`, now Pro, ends …`: the plan that a user has by a subscription, and its end; "" if it is not known."""
    plans = await session.collections.of(PLANS).known_records()
    plan = next((one for one in plans if one.id == intent.record_ids[1]), None)
    if plan is None:
        return ""
    own = read_moment(str(intent.params.get("expiration") or ""))
    ends = "never" if plan.free else expiry_words(str(intent.params["type"]), own, session.local_time())
    return f", now {plan.name}, ends {ends}"


async def _way_back(records: RecordList[T], intent: WriteIntent) -> str:
    """` · u undoes it`, or why it cannot; "" where no key of the screen does.

    One that has left what is filtered is undone in the journal: the key here is for another record.
    """
    screen, resource = records.screen, records.resource
    if screen.place_id != resource.id or intent.action not in _UNDONE_BY_A_KEY:
        return ""
    if intent.action == "update":
        record = records.collection.listing.record(intent.record_id or 0)
        journal, reach = screen.session.store.journal, planned_changes.UNDO_REACHES
        if record is None:
            return ""
        last = planned_changes.last_change(
            await screen.session.kept(journal.of_record(resource.id, record.id, reach), []),
            resource.id,
            record.id,
        )
        found = None if last is None else await undoing(screen.session, last, record)
        if found is None or (found.intent is None and not found.unknown):
            return ""
        if found.unknown:
            return f" · {screen.key_of('undo')} cannot undo it: {not_known(found.unknown)}"
    navigation = screen.services.navigation
    closed = navigation.closed_for.get(screen.place_id)
    leads_back = closed is not None or screen.place_id in navigation.led_from
    is_there_too = isinstance(closed, HostScreen) and any(one.id == "undo" for one in closed.actions)
    if not leads_back and not records.table.has_key(intent.record_id):
        return f" · {screen.key_of('journal')} shows it, {screen.key_of('undo')} there undoes it"
    where = f" in {resource.title}" if leads_back and not is_there_too else ""
    return f" · {screen.key_of('undo')}{where} undoes it"


def _first_change(intent: WriteIntent, model: type[Body] | None) -> str:
    """`, Name: Autumn → Spring and 2 more`; "" where no value is known."""
    _, *changes = planned_changes.described(intent, model)
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f", {changes[0].strip()}{more}" if changes else ""


def how_to_check(screen: HostScreen) -> str:
    """Say which keys lead to what became of a write."""
    keys = screen.key_of
    return f"{keys('journal')} shows it; {keys('check')} there checks the outcome."
