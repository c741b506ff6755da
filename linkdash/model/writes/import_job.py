"""The import of a file as a job: which of its rows were sent before, and what is left of them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from linkdash.api.records import Record
from linkdash.model.declaration import AnyResource
from linkdash.model.file_text import NOTHING_SENT, Unimportable
from linkdash.model.humanize import first_of
from linkdash.model.session import Session
from linkdash.model.writes.exported_files import basis_of_file, by_id
from linkdash.model.writes.import_file import FileRow, ImportLine
from linkdash.model.writes.import_plan import ImportPlan, is_id, plan
from linkdash.model.writes.kept_members import KeptMembers, is_kept
from linkdash.model.writes.named_updates import kept_here
from linkdash.model.writes.write_words import summary_of
from linkdash.store.job import ItemState, Job, JobItem

_NOT_AGAIN = (ItemState.DONE, ItemState.SENT, ItemState.UNKNOWN)
_MOST_NAMED = 3


async def planned_file(
    session: Session,
    resource: AnyResource,
    path: Path,
    rows: list[FileRow],
    load: Callable[[], Awaitable[Mapping[int, Record]]],
    *,
    overwrite: bool = False,
) -> ImportPlan:
    """The plan of a file, compared with every record there is, which `load` reads where a row names one.

    What others have changed of what was not edited stays, unless `overwrite`. Raises Unimportable and what
    `load` does.
    """
    read_at = session.moment()
    if not any(is_id(column) for row in rows for column in row.filled):
        return plan(resource, rows, {}, read_at)
    basis = await basis_of_file(session, resource, path, rows)
    known = await load()
    kept = await _kept(session, resource, [id for id in by_id(rows) if id in known])
    planned = plan(resource, rows, known, read_at, {} if overwrite else basis.exported, basis.seen, kept)
    ids = {line.row: line.intent.record_id for line in planned.writes if line.intent is not None}
    not_exported = frozenset(row for row, id in ids.items() if id is not None and id not in basis.exported)
    return replace(planned, not_exported=not_exported)


async def _kept(session: Session, resource: AnyResource, ids: Sequence[int]) -> Mapping[int, KeptMembers]:
    """The members that the journal keeps of records, where no list shows all that is sent of one."""
    if resource.update is None or not is_kept(resource.update):
        return {}
    return {id: await kept_here(session, resource, id) for id in ids}


@dataclass(frozen=True)
class FileImport:
    """The import of a file: its rows that change something, and what was sent of them before."""

    title: str
    lines: Sequence[ImportLine]
    earlier: Job | None
    """The job that has sent some of them, or of which something is unknown."""

    @property
    def tried(self) -> Mapping[str, JobItem]:
        """The items of rows that were sent before, by what these ask for."""
        items = () if self.earlier is None else self.earlier.items
        return {item.row_key: item for item in _standing(items)}

    @property
    def left(self) -> Sequence[ImportLine]:
        """The rows that may be sent: never one that was done, or may have been."""
        tried = self.tried
        return [
            line for line in self.lines if line.key not in tried or tried[line.key].state not in _NOT_AGAIN
        ]

    @property
    def lost(self) -> Sequence[JobItem]:
        """The writes of unknown outcome that no row asks for any more: changed, or as the record is now."""
        keys = {line.key for line in self.lines}
        unknown = (item for item in self.tried.values() if item.state is ItemState.UNKNOWN)
        return [item for item in unknown if item.row_key not in keys]

    @property
    def lost_words(self) -> str:
        """Say which writes these are."""
        told = first_of([summary_of(item.intent) for item in self.lost], _MOST_NAMED)
        return f"Sent before of this file, of unknown outcome: {told}."

    @property
    def unknown(self) -> int:
        """Return of how many rows it is not known whether they were done."""
        return sum(item.state in (ItemState.SENT, ItemState.UNKNOWN) for item in self.tried.values())

    @property
    def is_done(self) -> bool:
        """Return whether there are rows, and all were done before: none is repeated without a question."""
        tried = self.tried
        done = (tried[line.key].state is ItemState.DONE for line in self.lines if line.key in tried)
        return bool(self.lines) and sum(done) == len(self.lines)

    def anew(self) -> "FileImport":
        """The same of which nothing counts as sent."""
        return replace(self, earlier=None)

    async def begin(self, session: Session) -> tuple[Job, Mapping[int, int]]:
        """The job of what is left, in the place of the earlier one; the numbers of its rows by position.

        What was sent before stays in it. Raises JobHeld, StoreUnavailable.
        """
        keys = {line.key for line in self.left}
        sent = [] if self.earlier is None else [item for item in self.earlier.items if item.origin]
        kept = [item for item in sent if item.row_key not in keys and item.state in _NOT_AGAIN]
        again = {item.row_key: item for item in sent if item.row_key in keys}
        made = [(line, again.get(line.key)) for line in self.left]
        items = [replace(item, position=at) for at, item in enumerate(kept)]
        rows = {}
        for at, (line, before) in enumerate(made, len(kept)):
            if line.intent is not None:
                origin = "" if before is None else before.origin
                items.append(JobItem(at, line.intent, origin=origin, row_key=line.key))
                rows[at] = line.row
        jobs = session.store.jobs
        return await jobs.keep(self.title, items, session.moment(), instead=self.earlier), rows


async def import_of(session: Session, resource: AnyResource, path: Path, planned: ImportPlan) -> FileImport:
    """The import of a file. Raises Unimportable, StoreUnavailable."""
    earlier_version = path.with_name(f"{path.name}.results.jsonl")
    if earlier_version.exists():
        raise Unimportable(
            f"{earlier_version.name} lists what an earlier version has sent of this file.",
            f"Take these rows out of the file, and remove {earlier_version.name}. {NOTHING_SENT}",
        )
    title = f"Import {path.name} into {resource.title}"
    keys = {line.key for line in planned.lines}
    earlier = await session.store.jobs.imports()
    return FileImport(title, planned.writes, next((job for job in earlier if _is_of(job, title, keys)), None))


def _is_of(job: Job, title: str, keys: set[str]) -> bool:
    """Return whether a job is of a file with these rows, or of one of its name of which some are unknown."""
    shared = sum(item.row_key in keys for item in job.items)
    if job.title == title:
        return bool(shared) or any(item.state is ItemState.UNKNOWN for item in job.items)
    return shared * 2 > len(keys)


def _standing(items: Sequence[JobItem]) -> Sequence[JobItem]:
    """The items without those that were done about a record before another one was."""
    last = {_about(item): item for item in items if item.state is ItemState.DONE and _about(item)}
    return [
        item for item in items if item.state is not ItemState.DONE or last.get(_about(item), item) is item
    ]


def _about(item: JobItem) -> str:
    """The record that a row is about; empty for a new one."""
    about = item.row_key.partition(":")[0]
    return "" if about == "new" else about
