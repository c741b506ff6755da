"""A change that was made from here, in one line, and what its outcome means."""

from collections.abc import Mapping
from datetime import date

from linkdash.model.humanize import Ending, TermEnd
from linkdash.model.writes.write_words import name_and_what
from linkdash.store.journal_entry import JournalEntry, Outcome
from linkdash.widgets.charts.cell_pictures import ended_pieces
from linkdash.widgets.styled_text import Lines, Piece, Tone, cells

_TIME = 7  # cells of the time before a change

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
    at = entry.begun.astimezone().replace(tzinfo=None)
    (told,) = ended_pieces(ended(entry), outcome or len(entry.outcome_words) + 2)
    return [
        Piece(f"{at:%H:%M}  " if at.date() == today else f"{at:%d %b} ", Tone.MUTED),
        told if outcome else told._replace(text=told.text[:2]),
        Piece(entry.intent.short_summary),
    ]


def changed_lines(entry: JournalEntry, today: date, width: int) -> Lines:
    """A change and the values it set, or why it failed; these below it where it leaves no room for them."""
    pieces = change_pieces(entry, today)
    is_summed_up = entry.intent.action in ("assign", "subscribe")
    what = "" if is_summed_up else name_and_what(entry.intent)[1]
    if entry.outcome is Outcome.REJECTED and entry.message:
        what = entry.message
    if not what:
        return [pieces]
    beside = Piece(f"  {what}", Tone.MUTED)
    if cells([*pieces, beside]) <= width:
        return [[*pieces, beside]]
    return [pieces, [Piece(" " * _TIME), beside]]
