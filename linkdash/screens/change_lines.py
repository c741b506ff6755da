"""A change that was made from here, in one line, and what its outcome means."""

import re
from collections.abc import Mapping
from datetime import date

from linkdash.model.humanize import Ending, TermEnd
from linkdash.model.resources import place
from linkdash.model.writes.write_words import declaration_of, name_and_what, verb_and_kind
from linkdash.store.journal_entry import JournalEntry, Outcome, WriteIntent
from linkdash.widgets.charts.cell_pictures import ended_pieces
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.cell_text import without_scheme

_HOW: Mapping[Outcome | None, Ending] = {
    None: "under way",
    Outcome.DONE: "done",
    Outcome.REJECTED: "failed",
    Outcome.NOT_SENT: "waiting",
    Outcome.UNKNOWN: "unknown",
}


def ended(entry: JournalEntry) -> TermEnd:
    """Return the outcome of a change, and what that means."""
    if entry.settlement is not None:
        return TermEnd(entry.outcome_words, "done" if entry.settlement.happened else "failed")
    return TermEnd(entry.outcome_words, _HOW[entry.outcome])


def change_pieces(entry: JournalEntry, today: date, outcome: int = 0) -> list[Piece]:
    """The time, the outcome in so many cells or as its sign alone, and the subject of a change."""
    return [*_when_and_how(entry, today, outcome), Piece(entry.intent.short_summary)]


def signed_pieces(entry: JournalEntry, today: date) -> list[Piece]:
    """The time, the sign of the outcome, and the subject of a change after the sign of its kind.

    An edit, as most changes are, is told by no verb: `◎ Spring`; others are `delete ◎ Spring`,
    `link 12 → Wayfinding` and `@ anna → Pro`.
    """
    return [*_when_and_how(entry, today), *_signed(entry.intent)]


def _when_and_how(entry: JournalEntry, today: date, outcome: int = 0) -> list[Piece]:
    at = entry.begun.astimezone().replace(tzinfo=None)
    (told,) = ended_pieces(ended(entry), outcome or len(entry.outcome_words) + 2)
    return [
        Piece(f"{at:%H:%M}  " if at.date() == today else f"{at:%d %b} ", Tone.MUTED),
        told if outcome else told._replace(text=told.text[:2]),
    ]


def _signed(intent: WriteIntent) -> list[Piece]:
    if declaration_of(intent.resource) is None:
        return [Piece(intent.short_summary)]
    (verb, _), (name, what) = verb_and_kind(intent), name_and_what(intent)
    name = _without_id(name)
    sign = Piece(f"{place(intent.resource).icon} ", Tone.ICON)
    if intent.action == "assign":
        given = _without_id(what)
        told = Piece(f"{given} → {name}")
        return [told] if given == what else [sign, told]  # else words say what it is: `link 12`
    if intent.action == "subscribe":
        plan = _without_id(what.removeprefix("to plan ").partition(", ")[0])
        return [sign, Piece(f"{name} → {plan}")]
    told = Piece(without_scheme(name))
    return [sign, told] if verb == "edit" else [Piece(f"{verb} "), sign, told]


def _without_id(words: str) -> str:
    """`Spring` of `Spring (12)` or of `12 (Spring)`."""
    found = re.fullmatch(r"\d+ \((.+)\)|(.+) \(\d+\)", words, re.DOTALL)
    return words if found is None else found[1] or found[2]
