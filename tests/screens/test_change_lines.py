"""A change in one line: when, how it ended, what it was."""

from datetime import datetime, timedelta

from linkdash.screens.change_lines import change_pieces
from linkdash.store.journal_entry import JournalEntry, Outcome, WriteIntent


def entry(outcome: Outcome, begun: datetime) -> JournalEntry:
    intent = WriteIntent("pixels", "update", (4,), {}, ("Spring",))
    return JournalEntry(1, begun, intent, "PUT", "/api/pixel/4/update", outcome)


def test_a_change_says_when_how_it_ended_and_what_it_was() -> None:
    at = datetime(2026, 11, 23, 9, 30).astimezone()
    today = [piece.text for piece in change_pieces(entry(Outcome.DONE, at), at.date())]
    assert today == ["09:30  ", "✓ ", "edit pixel Spring"]
    later = (at + timedelta(days=3)).date()
    failed = change_pieces(entry(Outcome.REJECTED, at), later)
    assert [piece.text for piece in failed] == ["23 Nov ", "✗ ", "edit pixel Spring"]
