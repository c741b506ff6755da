"""The words in the frame around a list: what is selected, filtered, loaded and how old it is."""

from collections.abc import Sequence
from typing import TypeVar

from linkdash.api.records import Record
from linkdash.model.lists.list_status import status_line
from linkdash.model.lists.load_all import LoadAll
from linkdash.model.lists.loaded_pages import State
from linkdash.screens.lists.record_list import RecordList
from linkdash.widgets.styled_text import Piece, Tone

T = TypeVar("T", bound=Record)

FULL, SPENT = "▮", "▯"  # no lines: those are the frame's
_BAR = 10  # cells of the bar of progress


def said_below(
    records: RecordList[T], facts: Sequence[str], said_once: Sequence[str], *, tells_mistake: bool
) -> Piece:
    """The line below a list; `facts` are of all of it, `said_once` is the same in every row.

    With `tells_mistake` it is what is wrong with its filter, if anything is.
    """
    collection = records.collection
    if tells_mistake and collection.arrangement.error is not None:
        return Piece(str(collection.arrangement.error), Tone.BAD)
    tone = Tone.WARNING if collection.state is State.STALE else Tone.MUTED
    return Piece(" · ".join([*_under_way(records), _status(records), *facts, *said_once]), tone)


def _under_way(records: RecordList[T]) -> list[str]:
    collection = records.collection
    selected = len(collection.selection)
    parts = [
        _progress(records, collection.load) if collection.load else "",
        "filtering…" if collection.listing.work else "",
        _selected_words(records, selected) if selected else "",
    ]
    return [*filter(None, parts)]


def _selected_words(records: RecordList[T], selected: int) -> str:
    """Return how many records are selected, and the key that clears that where it does so first."""
    collection = records.collection
    if collection.arrangement.filtering or collection.load:
        hidden = collection.hidden_selected
        return f"{selected} selected ({hidden} hidden)" if hidden else f"{selected} selected"
    return f"{selected} selected · {records.screen.key_of('back')} clears"


def _status(records: RecordList[T]) -> str:
    collection, now = records.collection, records.screen.session.now()
    return status_line(collection.listing, now, _offer(records), collection.arrangement.not_known)


def _progress(records: RecordList[T], plan: LoadAll) -> str:
    loaded = plan.pages - plan.missing
    full = _BAR * loaded // plan.pages
    bar = FULL * full + SPENT * (_BAR - full)
    return f"{bar} loading all: {loaded} of {plan.pages} pages, {records.collection.quote(plan)}"


def _offer(records: RecordList[T]) -> str:
    """Words for how to load the rest; empty where everything is loaded."""
    collection = records.collection
    plan = None if collection.load else collection.plan()
    if plan is None or not plan.missing:
        return ""
    return f"{records.screen.key_of('load-all')} loads the rest ({collection.quote(plan)})"
