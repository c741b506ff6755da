"""The outcome of a write, as the user is told of it."""

from typing import TypeVar

from linkdash.api.records import Record, Unreadable
from linkdash.model.writes.one_write import WriteResult
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.record_list import RecordList
from linkdash.store.journal_entry import Outcome

T = TypeVar("T", bound=Record)

_DONE = {"create": "Created", "update": "Saved", "subscribe": "Subscribed", "assign": "Assigned"}


def show_outcome(records: RecordList[T], result: WriteResult) -> None:
    """Say how a write ended, and go to its record."""
    screen, resource = records.screen, records.resource
    intent, record = result.intent, result.record
    if result.outcome is Outcome.UNKNOWN:
        if intent.record_id is not None:
            records.collection.note(intent.record_id, "unknown")
        screen.warn(f"{result.error} {how_to_check(screen)}", f"Unknown: {intent.summary}")
    elif result.error is not None:
        screen.tell(result.error)
    elif isinstance(record, Unreadable):
        refresh = screen.key_of("refresh")
        screen.say(f"Created, but the service returned no id. {refresh} refreshes the list.")
    elif isinstance(record, resource.record) and intent.action in _DONE:
        records.table.move_to_key(record.key)
        back = f" · {screen.key_of('undo')} undoes it" if intent.action == "update" else ""
        screen.done(f"{resource.name_of(record) or resource.title_of(record)}{back}", _DONE[intent.action])
    else:
        screen.done(intent.summary, "Done")


def how_to_check(screen: HostScreen) -> str:
    """Say which keys lead to what became of a write."""
    keys = screen.key_of
    return f"{keys('journal')} shows it; {keys('check')} there checks the outcome."
