"""`linkdash import`: the rows of a file as records."""

import argparse
from collections.abc import Mapping

from linkdash.api.errors import OutcomeUnknown
from linkdash.api.records import Record
from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.file_arguments import read_input
from linkdash.commands.load_records import load
from linkdash.commands.output import write_rows
from linkdash.commands.send_writes import PlannedWrites
from linkdash.commands.standard_streams import says_yes, tell, tell_error
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.file_text import NOTHING_SENT, Unimportable
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.writes.import_job import FileImport, import_of, planned_file
from linkdash.model.writes.import_plan import (
    ImportPlan,
    emptied,
    ignored_words,
    kept_words,
    not_exported_words,
    rewritten_words,
)

_PROBLEM_TITLES = {"row": "Row", "column": "Column", "value": "Value", "reason": "Reason"}


async def import_records(session: Session, flags: argparse.Namespace) -> PlannedWrites:
    """Create or change a record for every row of a file. Raises LinkdashError.

    A row that would replace what others have changed since the export is sent with --overwrite only.
    """
    resource = declaration(flags.resource)
    if resource.create is None and resource.update is None:
        raise WrongUsage(f"The service offers no way to create or edit {resource.title.lower()}.")
    path, read = read_input(session, flags.file, flags.file_format)
    if read.told:
        tell(read.told)
    planned = await planned_file(
        session, resource, path, read.rows, lambda: _known(session, resource), overwrite=flags.overwrite
    )
    if told := ignored_words(planned):
        tell(told)
    if planned.problems:
        raise _refused(planned)
    found = await import_of(session, resource, path, planned)
    if found.is_done and not flags.dry_run:
        if not _agrees_to_repeat(found):
            return PlannedWrites(())
        found = found.anew()
    _tell_plan(resource, planned, found)
    return _left_of(session, resource, found, is_shown=flags.dry_run)


def _left_of(session: Session, resource: AnyResource, found: FileImport, *, is_shown: bool) -> PlannedWrites:
    """Plan what is left. Raises OutcomeUnknown where rows may have been done, unless it `is_shown`."""
    wanted = [line.intent for line in found.left if line.intent is not None]
    if found.lost:
        tell_error(found.lost_words)
    if found.lost and not is_shown:
        raise OutcomeUnknown(
            "Run linkdash journal --check first: it finds out what became of them.", NOTHING_SENT
        )
    if not (wanted or is_shown) and found.unknown:
        rows = counted(found.unknown, "row")
        raise OutcomeUnknown(f"{rows} of unknown outcome: linkdash journal --check checks.")
    session.collection(resource.id).serve_writes()
    title = f"import {counted(len(wanted), 'row')} into {resource.title}"
    return PlannedWrites(wanted, title, is_many=True, begin=lambda: found.begin(session))


def _agrees_to_repeat(found: FileImport) -> bool:
    """Say that all of a file was done before, and ask whether all is sent again; no without a terminal."""
    at = "" if found.earlier is None else f" {found.earlier.created.astimezone():%Y-%m-%d %H:%M}"
    tell(f"All of this file was imported before{at}.")
    if says_yes("Send all of it again?"):
        return True
    tell(NOTHING_SENT)
    return False


def _tell_plan(resource: AnyResource, planned: ImportPlan, found: FileImport) -> None:
    """Say how many rows are sent, and what becomes of the others."""
    left, rows = found.left, counted(len(planned.lines), "row")
    before = len(planned.writes) - len(left)
    done = f", {before:,} sent before" if before else ""
    tell(f"{rows}: {len(left):,} to send, {planned.unchanged:,} unchanged{done}.")
    if told := emptied(resource, left):
        tell(told)
    if told := rewritten_words(planned):
        tell(told)
    if told := not_exported_words(planned, left):
        tell(told)
    for line in left:
        if line.intent is not None and (doubt := resource.doubt(line.intent)):
            tell(f"Row {line.row}: {doubt}")
    if told := kept_words(planned):
        tell(f"{told} --overwrite sends what the file has.")


async def _known(session: Session, resource: AnyResource) -> Mapping[int, Record]:
    """Every record there is, as it is now."""
    collection = session.collection(resource.id)
    await load(session, collection, every=True, anew=True)
    return {record.id: record for record in collection.records}


def _refused(planned: ImportPlan) -> Unimportable:
    """Tell every row that cannot be sent: then none is."""
    rows = [vars(problem) for problem in planned.problems]
    write_rows(_PROBLEM_TITLES, rows, "table")
    return Unimportable(f"{counted(len(rows), 'row')} cannot be sent.", NOTHING_SENT)
