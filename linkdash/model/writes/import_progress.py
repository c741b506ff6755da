"""The progress of an import: its rows compared with what is there, what was sent of them, what is left."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from linkdash.api.records import Record
from linkdash.model.declaration import AnyResource
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.writes.exported_files import basis_of_file
from linkdash.model.writes.guard import CLOCKS_APART
from linkdash.model.writes.import_file import FileRow, ImportLine
from linkdash.model.writes.import_plan import ImportPlan, plan
from linkdash.model.writes.import_result import Result, ResultFile, have_ids
from linkdash.store.journal_entry import Outcome


class ImportProgress(NamedTuple):
    """The state of an import: its rows that were tried, and those that are left."""

    states: Mapping[str, str]
    """Of those that were tried, by their keys."""
    left: Sequence[ImportLine]
    """The rows that may still be sent."""
    lost: Sequence[Result]
    """What was sent for rows that are gone from the file, and whose outcome is unknown."""
    done_here: int
    """The number of rows that were done before, from here."""
    done_elsewhere: str
    """How many others have sent, in words; empty for none."""


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
    if not have_ids(rows):
        return plan(resource, rows, {}, read_at)
    basis = await basis_of_file(session, resource, path, rows)
    known = await load()
    return plan(resource, rows, known, read_at, {} if overwrite else basis.exported, basis.seen)


async def progress_of(
    session: Session, resource: AnyResource, plan: ImportPlan, file: ResultFile
) -> ImportProgress:
    """Return how far an import got, by its file of results and a team's journal.

    Raises Unimportable, StoreUnavailable.
    """
    results = await file.results(session.store.journal)
    elsewhere = await _sent_elsewhere(session, resource, plan, results)
    results |= elsewhere
    states = states_of(results, plan)
    done = sum(states[key] == Outcome.DONE for key in states.keys() - elsewhere.keys())
    left, lost = left_to_do(plan, states), _lost_from(results, plan)
    return ImportProgress(states, left, lost, done, _sent_elsewhere_words(elsewhere))


def left_to_do(plan: ImportPlan, states: Mapping[str, str]) -> list[ImportLine]:
    """The rows that may still be sent: never one that was done, or whose outcome is unknown."""
    return [line for line in plan.writes if states.get(line.key) not in ("done", "unknown")]


def states_of(results: Mapping[str, Result], plan: ImportPlan) -> dict[str, str]:
    """Return how far the rows of a file got that were tried, by their keys."""
    return {line.key: results[line.key].state for line in plan.lines if line.key in results}


async def _sent_elsewhere(
    session: Session, resource: AnyResource, plan: ImportPlan, results: Mapping[str, Result]
) -> dict[str, Result]:
    """Return what another machine has sent of the rows that are left of an import, by their keys.

    That is what a team's journal has of others since the import was begun, however its file came there.
    """
    journal = session.store.journal
    own = await journal.of_origins(result.origin for result in results.values() if result.origin)
    if not own:
        return {}
    since = min(entry.begun for entry in own.values()) - CLOCKS_APART
    theirs = await session.kept(journal.by_others_since(resource.id, since), [])
    theirs = [entry for entry in theirs if entry.known_outcome is not Outcome.NOT_SENT]
    found = {}
    for line in left_to_do(plan, states_of(results, plan)):
        same = (entry for entry in theirs if line.intent is not None and line.intent.is_same(entry.intent))
        if (entry := next(same, None)) is not None:
            theirs.remove(entry)
            state = Outcome.DONE if entry.was_done else Outcome.UNKNOWN
            id = entry.created_id or entry.intent.record_id
            found[line.key] = Result(line.row, line.key, state.value, id, str(entry.author), entry.origin)
    return found


def _sent_elsewhere_words(found: Mapping[str, Result]) -> str:
    """Return how many rows others have sent: `2 rows sent by ada@desk, not sent again.`; "" for none."""
    if not found:
        return ""
    whose = " and ".join(sorted({result.message for result in found.values()}))
    return f"{counted(len(found), 'row')} sent by {whose}, not sent again."


def _lost_from(results: Mapping[str, Result], plan: ImportPlan) -> list[Result]:
    """Return what was sent for rows that are gone from the file, and whose outcome is unknown."""
    keys = {line.key for line in plan.lines}
    return [result for key, result in results.items() if result.state == "unknown" and key not in keys]
