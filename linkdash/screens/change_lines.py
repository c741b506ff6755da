"""A change that was made from here, in one line."""

from datetime import date

from linkdash.screens.journal import ended
from linkdash.store.journal_entry import JournalEntry
from linkdash.widgets.charts.cell_pictures import ended_pieces
from linkdash.widgets.styled_text import Piece, Tone


def change_pieces(entry: JournalEntry, today: date, outcome: int = 0) -> list[Piece]:
    """The time, the outcome in so many cells or as its sign alone, and the subject of a change."""
    at = entry.begun.astimezone().replace(tzinfo=None)
    (told,) = ended_pieces(ended(entry), outcome or len(entry.outcome_words) + 2)
    return [
        Piece(f"{at:%H:%M}  " if at.date() == today else f"{at:%d %b} ", Tone.MUTED),
        told if outcome else told._replace(text=told.text[:2]),
        Piece(entry.intent.short_summary),
    ]
