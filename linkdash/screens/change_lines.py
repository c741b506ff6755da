"""A change that was made from here, in one line, and what its outcome means."""

from collections.abc import Mapping
from datetime import date

from linkdash.model.humanize import Ending, TermEnd
from linkdash.model.writes.write_words import short_summary
from linkdash.store.journal_entry import JournalEntry, Outcome
from linkdash.widgets.charts.cell_pictures import ended_pieces
from linkdash.widgets.styled_text import Piece, Tone

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


def change_pieces(entry: JournalEntry, today: date) -> list[Piece]:
    """The time, the sign of the outcome, and the subject of a change."""
    at = entry.begun.astimezone().replace(tzinfo=None)
    (told,) = ended_pieces(ended(entry), len(entry.outcome_words) + 2)
    return [
        Piece(f"{at:%H:%M}  " if at.date() == today else f"{at:%d %b} ", Tone.MUTED),
        told._replace(text=told.text[:2]),
        Piece(short_summary(entry.intent)),
    ]
