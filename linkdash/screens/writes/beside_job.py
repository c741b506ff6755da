"""The other jobs, the other changes and the record under the cursor, beside the report of a bulk job."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from linkdash.model.session import Session
from linkdash.model.writes.planned_changes import UNDOABLE
from linkdash.model.writes.undo import changed_since
from linkdash.model.writes.write_words import declaration_of
from linkdash.screens.change_lines import changed_lines
from linkdash.screens.lists.related import heading
from linkdash.store.job import ItemState, Job
from linkdash.store.journal_entry import JournalEntry, WriteIntent
from linkdash.widgets.details import DetailLine, record_lines
from linkdash.widgets.styled_text import Lines, Piece, Tone, cells, fitted

_GAP = 3  # cells between two values of a record


class OtherJob(NamedTuple):
    """A job besides the one that is shown, and when its changes were undone or edited again, in words."""

    job: Job
    since: str

    def line(self, width: int, today: date) -> Sequence[Piece]:
        """Return its time, its title, how far it is, and what can be done about it."""
        begun = self.job.created.astimezone()
        when = f"{begun:%H:%M}" if begun.date() == today else f"{begun.day} {begun:%b}"
        counts = counts_words(self.job)
        if self.job.left:
            told = Piece(f"{stopped_words(self.job)} · can be resumed", Tone.WARNING)
        elif has_edits(self.job):
            told = Piece(f"{counts} · {self.since or 'can be undone'}", Tone.MUTED)
        else:
            told = Piece(counts, Tone.MUTED)
        title = fitted([Piece(f"{when:<8}", Tone.MUTED), Piece(self.job.title)], width - cells([told]) - 2)
        return [*title, Piece("  "), told]


class Others(NamedTuple):
    """The other jobs and the other changes, the newest first, as far as they have been looked for."""

    jobs: Sequence[OtherJob] = ()
    changes: Sequence[JournalEntry] = ()

    @property
    def title(self) -> str:
        """The title of the panel that lists them; "" where there are none."""
        return "Other jobs" if self.jobs else "Other changes" if self.changes else ""

    def lines(self, width: int, height: int, today: date, key: str) -> Lines:
        """The jobs with what can still be done about each, which `key` shows, then the changes."""
        changed = [line for one in self.changes for line in changed_lines(one, today, width)]
        if not self.jobs:
            return changed
        shows = [Piece(key, Tone.KEY), Piece("  shows one of them", Tone.MUTED)]
        told = [*(job.line(width, today) for job in self.jobs[: height - 1]), shows]
        return [*told, [], heading("Other changes", width), *changed] if self.changes else told


def known_lines(session: Session, intent: WriteIntent, width: int) -> Lines:
    """The record that a write is of as it is known here; nothing where it is not, or not any more."""
    resource = declaration_of(intent.resource)
    if resource is None or intent.record_id is None:
        return []
    record = session.collection_of(resource).listing.record(intent.record_id)
    if record is None:
        return []
    named = resource.name_of(record), str(intent.record_id)
    told = [line for line in record_lines(record) if line.pieces and line.text not in named]
    return [heading(f"{resource.called(record)}, as known here", width), *_in_rows(told, width)]


def _in_rows(lines: Sequence[DetailLine], width: int) -> Lines:
    """Titles with their values, beside each other as far as they have room."""
    rows: list[list[Piece]] = []
    for line in lines:
        told = [Piece(f"{line.title} ", Tone.MUTED), *line.pieces]
        beside = [*rows[-1], Piece(" " * _GAP), *told] if rows else told
        if rows and cells(beside) <= width:
            rows[-1] = beside
        else:
            rows.append(told)
    return rows


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


def stopped_words(job: Job) -> str:
    """Return how far a job is that nobody runs: `stopped, 3 of 5 left`."""
    return f"stopped, {job.left:,} of {len(job.items):,} left"
