"""`linkdash import RESOURCE FILE`: every row is checked, then sent once; a file tells how far it got."""

import argparse
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from linkdash.api.errors import AdminRequired, KeyRefused, LinkdashError, NotSent, RateLimited
from linkdash.api.model import Record
from linkdash.api.pacing import Lane
from linkdash.commands import exit_status
from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.output import ProgressBar, write_rows
from linkdash.commands.records import FILE_FORMATS, load
from linkdash.commands.running import to_its_end
from linkdash.commands.streams import put, tell
from linkdash.commands.writes import agree, created_id, show
from linkdash.model.humanize import counted
from linkdash.model.importing import (
    Line,
    Plan,
    Result,
    Unimportable,
    left_to_do,
    plan,
    read_results,
    read_rows,
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
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FILE_FORMATS:
        raise WrongUsage(f"{path.name} has no known ending.", "Use .csv, .jsonl or .json.")
    text, digest = _read(path)
    rows = read_rows(text, ending)
    has_ids = any(column.casefold() == "id" for row in rows for column in row.members)
    planned = plan(resource, rows, await _known(session, resource) if has_ids else {})
    if planned.ignored:
        tell(f"Left out, because no request has them: {', '.join(planned.ignored)}.")
    if planned.problems:
        return _refused(planned)
    results = path.with_name(f"{path.name}.results.jsonl")
    states = _states(results, digest, resume=flags.resume or flags.dry_run)
    left = left_to_do(planned, states)
    same = len(planned.lines) - len(planned.writes)
    done = f", {len(states)} tried before" if states else ""
    tell(f"{counted(len(rows), 'row')}: {len(left)} to send, {same} as they are already{done}.")
    if flags.dry_run:
        await show([line.intent for line in left if line.intent is not None])
        return exit_status.FINE
    if len(left) > 1 and not flags.yes:
        agree(session, f"import {counted(len(left), 'row')} into {resource.title}", len(left))
    return await _send_all(session, left, _ResultFile(results, digest), states)


def _read(path: Path) -> tuple[str, str]:
    """The text of a file and what tells it from every other. Raises LinkdashError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LinkdashError(f"{path} cannot be read: {error.strerror}.", _NOTHING) from None
    try:
        return data.decode("utf-8-sig"), hashlib.sha256(data).hexdigest()
    except UnicodeDecodeError:
        raise Unimportable(f"{path.name} is not UTF-8.", _NOTHING) from None


async def _known(session: Session, resource: AnyResource) -> Mapping[int, Record]:
    """Every record there is, as it is now."""
    collection = session.collection(resource.id)
    await load(session, collection, every=True, cached=False)
    return {record.id: record for record in collection.records}


def _refused(planned: Plan) -> int:
    """Tells every row that cannot be sent: then none is."""
    rows = [vars(problem) for problem in planned.problems]
    write_rows(_PROBLEM_TITLES, rows, "table")
    tell(f"{counted(len(rows), 'row')} cannot be sent. {_NOTHING}")
    return exit_status.REFUSED


# ---- how far it got ----


class _ResultFile:
    """A line before and after every write, on the disk before anything else happens."""

    def __init__(self, path: Path, digest: str) -> None:
        self._path = path
        self._digest = digest

    def begin(self) -> None:
        """Makes the file where it is not there; ends a line that was cut off."""
        if not self._path.exists():
            self.add(json.dumps({"file": self._digest}) + "\n")
        elif not self._path.read_bytes().endswith(b"\n"):
            self.add("\n")

    def add(self, line: str) -> None:
        """Raises OSError."""
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode())
            os.fsync(file)
        finally:
            os.close(file)


def _states(path: Path, digest: str, *, resume: bool) -> dict[int, str]:
    """What became of the rows so far, by their number. Raises WrongUsage, Unimportable."""
    if not path.exists():
        return {}
    if not resume:
        raise WrongUsage(f"An import of this file was begun: {path}.", "--resume goes on.")
    text = path.read_text()
    if json.dumps(digest) not in text.partition("\n")[0]:
        raise Unimportable("The file has changed since its import was begun.", _NOTHING)
    return read_results(text)


async def _send_all(session: Session, left: list[Line], file: _ResultFile, states: dict[int, str]) -> int:
    file.begin()
    bar, unknown = ProgressBar(len(left), "rows"), 0
    try:
        for number, line in enumerate(left):
            bar.show(number)
            result = await to_its_end(session, _send(session, line, file))
            states[line.row] = result.outcome.value
            unknown = unknown + 1 if result.outcome is Outcome.UNKNOWN else 0
            if unknown > 1 or _concerns_all(result):
                break
    finally:
        bar.end()
        status = _told_status(list(states.values()), len(left))
    return status


async def _send(session: Session, line: Line, file: _ResultFile) -> WriteResult:
    """Sends one row, between its two lines in the result file."""
    if line.intent is None:
        raise ValueError("a row without a write is not sent")

    async def claim() -> None:
        file.add(Result(line.row, "sending").line())

    result = await session.writes.send(line.intent, lane=Lane.TASK, claim=claim)
    state = Outcome.NOT_SENT if isinstance(result.error, RateLimited) else result.outcome
    message = str(result.error) if result.error is not None else ""
    told = Result(line.row, state.value, _id(result), message).line()
    file.add(told)
    put(told)
    return result


def _id(result: WriteResult) -> int | None:
    return created_id(result) if result.intent.action == "create" else result.intent.record_id


def _concerns_all(result: WriteResult) -> bool:
    """Whether the rows after it would end like it."""
    return isinstance(result.error, NotSent | KeyRefused | AdminRequired)


def _told_status(states: list[str], left: int) -> int:
    counts = {outcome: states.count(outcome.value) for outcome in Outcome}
    told = ", ".join(f"{number} {outcome.value}" for outcome, number in counts.items() if number)
    tell(f"Finished: {told or 'nothing to do'}." + (" --resume goes on." if counts[Outcome.NOT_SENT] else ""))
    worst = (Outcome.UNKNOWN, Outcome.REJECTED, Outcome.NOT_SENT)
    return next((exit_status.OF_OUTCOME[outcome] for outcome in worst if counts[outcome]), exit_status.FINE)
