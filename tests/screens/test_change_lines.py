"""A change in one line: when, how it ended, what it was."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from linkdash.screens.change_lines import change_pieces, signed_pieces
from linkdash.store.journal_entry import JournalEntry, Outcome, WriteIntent
from linkdash.widgets.styled_text import cells


def entry(outcome: Outcome, begun: datetime) -> JournalEntry:
    intent = WriteIntent("pixels", "update", (4,), {}, ("Spring",))
    return JournalEntry(1, begun, intent, "PUT", "/api/pixel/4/update", outcome)


@pytest.mark.parametrize(
    ("intent", "told"),
    [
        (WriteIntent("pixels", "update", (4,), {}, ("Spring",)), "▪ Spring"),
        (WriteIntent("pixels", "update", (4,), {}, ("Spring",), undoes="a1"), "undo ▪ Spring"),
        (
            WriteIntent("campaigns", "delete", (5,), {}, ("Spring (2)",)),
            "delete ◎ Spring (2)",
        ),
        (WriteIntent("domains", "create", (), {}, ("https://a.example",)), "create ⌂ a.example"),
        (
            WriteIntent("users", "subscribe", (7, 4), {}, ("anna", "Pro")),
            "@ anna → Pro",
        ),
        (
            WriteIntent("channels", "assign", (29, 12), {"type": "links"}, ("Wayfinding",)),
            "link 12 → Wayfinding",
        ),
        (
            WriteIntent("qr", "assign", (3, 9), {}, ("Menu", "Spring")),
            "▣ Menu → Spring",
        ),
        (WriteIntent("newer", "update", (4,), {}, ("Spring",)), "edit newer Spring"),
    ],
)
def test_a_change_is_told_in_few_cells_by_the_sign_of_its_kind(intent: WriteIntent, told: str) -> None:
    at = datetime(2026, 11, 23, 9, 30).astimezone()
    pieces = signed_pieces(replace(entry(Outcome.DONE, at), intent=intent), at.date())
    assert "".join(piece.text for piece in pieces) == f"09:30  ✓ {told}"


def test_a_change_says_when_how_it_ended_and_what_it_was() -> None:
    at = datetime(2026, 11, 23, 9, 30).astimezone()
    today = [piece.text for piece in change_pieces(entry(Outcome.DONE, at), at.date())]
    assert today == ["09:30  ", "✓ ", "edit pixel Spring"]
    later = (at + timedelta(days=3)).date()
    failed = change_pieces(entry(Outcome.REJECTED, at), later, outcome=12)
    assert [piece.text for piece in failed] == ["23 Nov ", "✗ rejected  ", "edit pixel Spring"]
    ends = [cells(change_pieces(entry(outcome, at), later, 12)[:2]) for outcome in Outcome]
    assert len(set(ends)) == 1, "whatever it ended with, what it was begins in one column"
