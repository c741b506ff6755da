"""`linkdash import RESOURCE FILE`: every row is checked, then sent once; a file tells how far it got."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from linkdash.api.model import Record
from linkdash.commands import exit_status
from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.output import ProgressBar, write_rows
from linkdash.commands.records import load
from linkdash.commands.running import to_its_end
from linkdash.commands.streams import put, tell
from linkdash.commands.writes import agree, show
from linkdash.model.humanize import counted
from linkdash.model.importing import (
    FILE_FORMATS,
    Line,
    Plan,
    ResultFile,
    concerns_all,
    have_ids,
    left_to_do,
    outcome_words,
    plan,
    read_file,
)
from linkdash.model.resource import AnyResource
from linkdash.model.resources import declaration
from linkdash.model.session import Session
from linkdash.model.writes import WriteResult
from linkdash.store.journal import Outcome

_NOTHING = "Nothing was sent."
_PROBLEM_TITLES = {"row": "Row", "column": "Column", "reason": "Reason"}


async def import_records(session: Session, flags: argparse.Namespace) -> int:
    """Creates or changes a record for every row of a file. Raises LinkdashError."""
    resource, path = declaration(flags.resource), Path(flags.file)
    if resource.create is None and resource.update is None:
        raise WrongUsage(f"The service offers no way to create or edit {resource.title.lower()}.")
    if path.suffix.removeprefix(".").lower() not in FILE_FORMATS:
        raise WrongUsage(f"{path.name} has no known ending.", "Use .csv, .jsonl or .json.")
    rows, digest = read_file(path)
    planned = plan(resource, rows, await _known(session, resource) if have_ids(rows) else {})
    if planned.ignored:
        tell(f"Left out, because no request has them: {', '.join(planned.ignored)}.")
    if planned.problems:
        return _refused(planned)
    results = ResultFile(path, digest)
    if results.path.exists() and not (flags.resume or flags.dry_run):
        raise WrongUsage(f"An import of this file was begun: {results.path}.", "--resume goes on.")
    states = results.states()
    left = left_to_do(planned, states)
    same = len(planned.lines) - len(planned.writes)
    done = f", {len(states)} tried before" if states else ""
    tell(f"{counted(len(rows), 'row')}: {len(left)} to send, {same} as they are already{done}.")
    if flags.dry_run:
        await show([line.intent for line in left if line.intent is not None])
        return exit_status.FINE
    if len(left) > 1 and not flags.yes:
        agree(session, f"import {counted(len(left), 'row')} into {resource.title}", len(left))
    return await _send_all(session, left, results, states)


async def _known(session: Session, resource: AnyResource) -> Mapping[int, Record]:
    """Every record there is, as it is now."""
    collection = session.collection(resource.id)
    await load(session, collection, every=True, anew=True)
    return {record.id: record for record in collection.records}


def _refused(planned: Plan) -> int:
    """Tells every row that cannot be sent: then none is."""
    rows = [vars(problem) for problem in planned.problems]
    write_rows(_PROBLEM_TITLES, rows, "table")
    tell(f"{counted(len(rows), 'row')} cannot be sent. {_NOTHING}")
    return exit_status.REFUSED


async def _send_all(session: Session, left: list[Line], file: ResultFile, states: dict[int, str]) -> int:
    file.begin()
    bar, unknown = ProgressBar(len(left), "rows"), 0
    try:
        for number, line in enumerate(left):
            bar.show(number)
            result = await to_its_end(session, _sent(session, line, file, states, bar))
            unknown = unknown + 1 if result.outcome is Outcome.UNKNOWN else 0
            if unknown > 1 or concerns_all(result):
                break
    finally:
        bar.end()
        status = _told_status(states, [line.row for line in left])
    return status


async def _sent(
    session: Session, line: Line, file: ResultFile, states: dict[int, str], bar: ProgressBar
) -> WriteResult:
    """Sends a row and tells how it ended, also where the verb is ended meanwhile."""
    result, told = await file.send(session, line)
    bar.end()
    states[line.row] = result.outcome.value
    put(told)
    return result


def _told_status(states: dict[int, str], rows: Sequence[int]) -> int:
    ended = {outcome for outcome in Outcome if outcome.value in states.values()}
    left = len([row for row in rows if row not in states])
    words = f"{outcome_words(states)}, {left} left" if left else outcome_words(states)
    tell(f"Finished: {words}." + (" --resume goes on." if left or Outcome.NOT_SENT in ended else ""))
    worst = (Outcome.UNKNOWN, Outcome.REJECTED, Outcome.NOT_SENT)
    return next((exit_status.OF_OUTCOME[outcome] for outcome in worst if outcome in ended), exit_status.FINE)
