"""A change that was made from here, in one line, and its outcome in words."""

from collections.abc import Mapping
from datetime import date

from linkdash.model.humanize import Ending, TermEnd
from linkdash.store.journal import JournalEntry, Outcome
from linkdash.widgets.charts.cell_pictures import ended_pieces
from linkdash.widgets.styled_text import Piece, Tone

_HOW: Mapping[Outcome | None, Ending] = {
    None: "under way",
    Outcome.DONE: "done",
    Outcome.REJECTED: "failed",
    Outcome.NOT_SENT: "waiting",
    Outcome.UNKNOWN: "unknown",
}


def outcome_words(entry: JournalEntry) -> str:
    """Return the outcome of a change, in a word or two."""
    if entry.outcome is None:
        return "sending"
    if entry.settlement is not None:
        return "confirmed" if entry.settlement.happened else "not done"
    return entry.outcome.value


def ended(entry: JournalEntry) -> TermEnd:
    """Return the outcome of a change, and what that means."""
    if entry.settlement is not None:
        return TermEnd(outcome_words(entry), "done" if entry.settlement.happened else "failed")
    return TermEnd(outcome_words(entry), _HOW[entry.outcome])


def change_pieces(entry: JournalEntry, today: date, outcome: int = 0) -> list[Piece]:
    """The time, the outcome in so many cells or as its sign alone, and the subject of a change."""
    at = entry.begun.astimezone().replace(tzinfo=None)
    (told,) = ended_pieces(ended(entry), outcome or len(outcome_words(entry)) + 2)
    return [
        Piece(f"{at:%H:%M}  " if at.date() == today else f"{at:%d %b} ", Tone.MUTED),
        told if outcome else told._replace(text=told.text[:2]),
        Piece(entry.intent.short_summary),
    ]
