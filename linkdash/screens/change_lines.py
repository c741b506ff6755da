"""A change that was made from here, in one line, and what its outcome means."""

from collections.abc import Mapping
from datetime import date

from linkdash.model.humanize import Ending, TermEnd
from linkdash.model.resources import place
from linkdash.model.writes.write_words import (
    declaration_of,
    given_and_holder,
    name_and_what,
    record_of,
    short_summary,
    verb_and_kind,
)
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
    return [*_when_and_how(entry, today, outcome), Piece(short_summary(entry.intent))]


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
    if intent.told or declaration_of(intent.resource) is None:
        return [Piece(short_summary(intent))]
    own, (verb, _) = record_of(intent), verb_and_kind(intent)
    sign = Piece(f"{place(intent.resource).icon} ", Tone.ICON)
    if intent.action == "assign":
        given, holder = given_and_holder(intent)
        if given.name:
            return [sign, Piece(f"{given.called} → {holder.called}")]
        return [Piece(f"{given.known_as} → {holder.called}")]
    if intent.action == "subscribe":
        return [sign, Piece(f"{own.called} → {record_of(intent, 1).called}")]
    told = Piece(without_scheme(own.called or name_and_what(intent)[0]))
    return [sign, told] if verb == "edit" else [Piece(f"{verb} "), sign, told]
