"""Undo: only what was changed from here, only where the values before it are known."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from linkdash.model.writes.planned_changes import last_change, values_before
from linkdash.store.journal_entry import JournalEntry, Outcome, Settlement, WriteIntent

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
Members = Mapping[str, object]


def update(id: int, body: Members, before: Members, resource: str = "channels") -> WriteIntent:
    return WriteIntent(resource, "update", (id,), body, before=before)


def entry(number: int, intent: WriteIntent, outcome: Outcome = Outcome.DONE) -> JournalEntry:
    return JournalEntry(number, NOON, intent, "PUT", "/api/somewhere", outcome)


RENAME = entry(5, update(7, {"name": "New"}, {"name": "Old"}))


@pytest.mark.parametrize(
    "other",
    [
        entry(6, update(8, {"name": "New"}, {"name": "Old"})),
        entry(6, update(7, {"name": "New"}, {"name": "Old"}, "pixels")),
        entry(6, update(7, {"name": "New"}, {"name": "Old"}), Outcome.REJECTED),
        entry(6, update(7, {"name": "New"}, {"name": "Old"}), Outcome.UNKNOWN),
        entry(6, WriteIntent("channels", "delete", (7,), {})),
        entry(6, WriteIntent("channels", "assign", (7, 9), {})),
    ],
)
def test_only_an_update_of_this_record_that_was_done_counts(other: JournalEntry) -> None:
    assert last_change([other, RENAME], "channels", 7) is RENAME
    assert last_change([other], "channels", 7) is None


def test_the_newest_counts_and_one_that_was_found_out_to_be_done_counts_too() -> None:
    newer = entry(6, update(7, {"name": "Newer"}, {"name": "New"}))
    assert last_change([newer, RENAME], "channels", 7) is newer
    unknown = replace(newer, outcome=Outcome.UNKNOWN)
    assert last_change([unknown, RENAME], "channels", 7) is RENAME
    found = replace(unknown, settlement=Settlement(NOON, True, "It was done."))
    assert last_change([found, RENAME], "channels", 7) is found


def test_what_was_never_shown_cannot_be_undone() -> None:
    assert values_before(RENAME, None) == {"name": "Old"}
    sent_along = entry(1, update(7, {"name": "A", "color": ""}, {"name": "B", "color": ""}))
    assert values_before(sent_along, None) == {"name": "B"}, "what was sent along as it was is not undone"
    assert (
        values_before(entry(1, update(7, {"name": "A", "slug": "s"}, {"name": "B", "slug": None})), None)
        is None
    )
    assert values_before(entry(1, update(7, {"data": "x"}, {})), None) is None
