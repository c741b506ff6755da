"""`linkdash import`: the rows of a file as records."""

import argparse
from collections.abc import Mapping, Sequence

from linkdash.api.records import Record
from linkdash.commands.exit_status import FAILED, FINE, REFUSED, UNKNOWN, WrongUsage
from linkdash.commands.file_arguments import read_input
from linkdash.commands.load_records import load
from linkdash.commands.output import ProgressBar, write_rows
from linkdash.commands.run_verb import to_its_end
from linkdash.commands.send_writes import STATUSES, agree
from linkdash.commands.standard_streams import put, tell, tell_error
from linkdash.commands.write_output import show
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.writes.guard import ChangedElsewhere, reads_for
from linkdash.model.writes.import_file import ImportLine
from linkdash.model.writes.import_plan import ImportPlan, emptied, kept_words, rewritten_words
from linkdash.model.writes.import_progress import planned_file, progress_of
from linkdash.model.writes.import_result import Result, ResultFile, outcome_words
from linkdash.model.writes.one_write import StopRule, WriteResult, is_retryable
from linkdash.store.journal_entry import Outcome

_PROBLEM_TITLES = {"row": "Row", "column": "Column", "reason": "Reason"}


async def import_records(session: Session, flags: argparse.Namespace) -> int:
    """Create or change a record for every row of a file. Raises LinkdashError.

    A row that would replace what others have changed since the export is sent with --overwrite only.
    """
    resource = declaration(flags.resource)
    if resource.create is None and resource.update is None:
        raise WrongUsage(f"The service offers no way to create or edit {resource.title.lower()}.")
    path, read = read_input(session, flags.file, flags.format)
    if read.told:
        tell(read.told)
    planned = await planned_file(
        session, resource, path, read.rows, lambda: _known(session, resource), overwrite=flags.overwrite
    )
    if planned.ignored:
        tell(f"Ignored (read-only): {', '.join(planned.ignored)}.")
    if planned.problems:
        return _refused(planned)
    file = ResultFile(path)
    progress = await progress_of(session, resource, planned, file)
    states, left = dict(progress.states), progress.left
    if states and not (flags.resume or flags.dry_run):
        raise WrongUsage(f"An import of this file was started: {file.path}.", "Continue it with --resume.")
    _tell_plan(resource, planned, left, tried=len(states))
    if progress.done_elsewhere:
        tell(progress.done_elsewhere)
    if lost := progress.lost:
        tell_error(
            f"{counted(len(lost), 'row')} of unknown outcome changed in the file since: {_numbers(lost)}."
        )
    wanted = [line.intent for line in left if line.intent is not None]
    if flags.dry_run:
        await show(wanted, None)
        return FINE
    if lost:
        tell_error(f"Run linkdash journal --check first: it finds out what became of them. {NOTHING_SENT}")
        return UNKNOWN
    session.collection(resource.id).serve_writes()
    if left and not flags.yes:
        requests = len(left) + reads_for(session.collections, wanted)
        agree(session, f"import {counted(len(left), 'row')} into {resource.title}", requests)
    return await _send_rows(session, left, file, states, overwrite=flags.overwrite)


def _tell_plan(resource: AnyResource, planned: ImportPlan, left: Sequence[ImportLine], *, tried: int) -> None:
    """Say how many rows are sent, and what becomes of the others."""
    done, rows = f", {tried} tried before" if tried else "", counted(len(planned.lines), "row")
    tell(f"{rows}: {len(left):,} to send, {planned.unchanged:,} unchanged{done}.")
    if told := emptied(resource, left):
        tell(told)
    if told := rewritten_words(planned):
        tell(told)
    for line in left:
        if line.intent is not None and (doubt := resource.doubt(line.intent)):
            tell(f"Row {line.row}: {doubt}")
    if told := kept_words(planned):
        tell(f"{told} --overwrite sends what the file has.")


def _numbers(lost: Sequence[Result]) -> str:
    return ", ".join(str(result.row) for result in lost)


async def _known(session: Session, resource: AnyResource) -> Mapping[int, Record]:
    """Every record there is, as it is now."""
    collection = session.collection(resource.id)
    await load(session, collection, every=True, anew=True)
    return {record.id: record for record in collection.records}


def _refused(planned: ImportPlan) -> int:
    """Tell every row that cannot be sent: then none is."""
    rows = [vars(problem) for problem in planned.problems]
    write_rows(_PROBLEM_TITLES, rows, "table")
    tell_error(f"{counted(len(rows), 'row')} cannot be sent. {NOTHING_SENT}")
    return REFUSED


async def _send_rows(
    session: Session,
    left: Sequence[ImportLine],
    file: ResultFile,
    states: dict[str, str],
    *,
    overwrite: bool,
) -> int:
    file.make_file()
    bar, rule, clashes = ProgressBar(len(left), "rows"), StopRule(), 0
    try:
        for number, line in enumerate(left):
            bar.show(number)
            result = await to_its_end(
                session, _sent_row(session, line, file, states, bar, overwrite=overwrite)
            )
            if isinstance(result.error, ChangedElsewhere):
                tell_error(f"Row {line.row}: {result.error.what}")
                clashes += 1
            if rule.stops_after(result):
                break
    finally:
        bar.end()
        status = _status_of_rows(states, [line.key for line in left])
    if clashes:
        tell(f"{counted(clashes, 'row')} changed elsewhere, not sent. --overwrite sends what the file has.")
    return REFUSED if clashes and status in (FINE, FAILED) else status


async def _sent_row(
    session: Session,
    line: ImportLine,
    file: ResultFile,
    states: dict[str, str],
    bar: ProgressBar,
    *,
    overwrite: bool,
) -> WriteResult:
    """Send a row and tell how it ended, also where the verb is ended meanwhile."""
    result, told = await file.send_line(session, line, overwrite=overwrite)
    bar.end()
    states[line.key] = Outcome.NOT_SENT.value if is_retryable(result.error) else result.outcome.value
    put(told)
    return result


def _status_of_rows(states: dict[str, str], keys: Sequence[str]) -> int:
    ended = {outcome for outcome in Outcome if outcome.value in states.values()}
    left = len([key for key in keys if key not in states])
    words = f"{outcome_words(states)}, {left} left" if left else outcome_words(states)
    worst = (Outcome.UNKNOWN, Outcome.REJECTED, Outcome.NOT_SENT)
    status = next((STATUSES[outcome] for outcome in worst if outcome in ended), FINE)
    say = tell_error if status else tell
    say(f"Finished: {words}." + (" Continue it with --resume." if left or Outcome.NOT_SENT in ended else ""))
    if Outcome.UNKNOWN in ended:
        say("linkdash journal --check checks those of unknown outcome; then continue with --resume.")
    return status
