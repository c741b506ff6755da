"""Putting a change back from the values before it, as far as that is honest. Pure."""

from collections.abc import Iterable, Mapping

from linkdash.store.journal import JournalEntry, Outcome

LOOKED_THROUGH = 500
"""Entries of the journal that are looked through, the newest first."""


def last_change(entries: Iterable[JournalEntry], resource: str, id: int) -> JournalEntry | None:
    """The newest update of a record that was done, of `entries` with the newest first."""
    return next((entry for entry in entries if _is_change(entry, resource, id)), None)


def _is_change(entry: JournalEntry, resource: str, id: int) -> bool:
    intent = entry.intent
    return (intent.action, intent.resource, intent.record_id) == ("update", resource, id) and _was_done(entry)


def _was_done(entry: JournalEntry) -> bool:
    settled = entry.settlement is not None and entry.settlement.happened
    return entry.outcome is Outcome.DONE or settled


def values_before(entry: JournalEntry) -> Mapping[str, object] | None:
    """The members that a change has changed, as they were; None where one was never shown."""
    body, before = entry.intent.params, entry.intent.before or {}
    shown = {name: value for name, value in before.items() if value is not None}
    return shown if shown and shown.keys() >= body.keys() else None
