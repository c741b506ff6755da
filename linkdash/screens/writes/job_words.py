"""The state of a bulk job, in words."""

from collections.abc import Sequence

from linkdash.model.writes.planned_changes import UNDOABLE
from linkdash.model.writes.undo import changed_since
from linkdash.store.job import ItemState, Job
from linkdash.store.journal_entry import JournalEntry


def counts_words(job: Job) -> str:
    """Return what of a job is done, has failed, is unknown, is sent, is left: `2 done, 1 failed`."""
    counts = job.counts
    states = (
        (ItemState.DONE, "done"),
        (ItemState.FAILED, "failed"),
        (ItemState.UNKNOWN, "unknown"),
        (ItemState.SENT, "sending"),
        (ItemState.PENDING, "left"),
    )
    return ", ".join(f"{counts[state]} {word}" for state, word in states if counts[state])


def has_edits(job: Job) -> bool:
    """Return whether something of a job was done that can be undone."""
    return any(item.intent.action in UNDOABLE and item.state is ItemState.DONE for item in job.items)


def since_words(job: Job, entries: Sequence[JournalEntry]) -> str:
    """Return when all that could be undone of a job was undone or edited again: `undone at 14:50`."""
    last = changed_since(job, entries)
    if last is None:
        return ""
    did = "undone" if last.intent.is_undo else "its records were edited again"
    return f"{did} at {last.begun.astimezone():%H:%M}"
