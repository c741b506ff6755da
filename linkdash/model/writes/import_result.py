"""The result file of an import: what became of each row, so that it can be resumed."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import NotSent
from linkdash.model.declaration import declaration
from linkdash.model.file_text import Unimportable
from linkdash.model.session import Session
from linkdash.model.writes.import_file import FileRow, ImportLine
from linkdash.model.writes.one_write import WriteResult, created_id, is_retryable
from linkdash.store.files import NotSaved
from linkdash.store.job import ItemState, JobItem
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Outcome

_NO_LINK_NO_WAIT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True)
class Result:
    """A line of a result file."""

    row: int
    key: str
    state: str
    """`sending`, or how it ended: `done`, `rejected`, `not sent`, `unknown`."""
    id: int | None = None
    message: str = ""
    origin: str = ""
    """The journal's name of its write."""

    def line(self) -> str:
        """Itself as a line of JSON."""
        always = ("row", "key", "state")
        members = {name: value for name, value in vars(self).items() if value or name in always}
        return json.dumps(members) + "\n"


def read_results(text: str) -> dict[str, Result]:
    """Return how far each row of an import got, by its key; one sent without a recorded end is `unknown`.

    A last line that was cut off counts as nothing: what it would tell has not happened.
    Raises Unimportable.
    """
    found: dict[str, Result] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        try:
            result = Result(**json.loads(line)) if line.strip() else None
        except (ValueError, TypeError, RecursionError):
            if number < len(lines):
                raise Unimportable(
                    f"Line {number} of the result file cannot be read.",
                    "Remove the file to start again; the journal lists what was sent.",
                ) from None
            continue
        if result is not None:
            before = found.pop(result.key, None)
            state = "unknown" if result.state == "sending" else result.state
            origin = result.origin or (before.origin if before is not None else "")
            found[result.key] = replace(result, state=state, origin=origin)
            _forget_earlier(found, result)
    return found


def _forget_earlier(found: dict[str, Result], result: Result) -> None:
    """A record has the values of the last row about it that was done, and those of earlier rows no more."""
    about = result.key.partition(":")[0]
    if about == "new" or result.state != "done":
        return
    for key in [key for key in found if key != result.key and key.partition(":")[0] == about]:
        if found[key].state == "done":
            del found[key]


def have_ids(rows: list[FileRow]) -> bool:
    """Return whether some rows are about records that are there already."""
    return any(column.casefold() == "id" for row in rows for column in row.filled)


class ResultFile:
    """A line before and after every write, on the disk before anything else happens."""

    def __init__(self, file: Path) -> None:
        self.path = file.with_name(f"{file.name}.results.jsonl")
        """Beside the file that is imported."""
        self._name = file.name
        self._size = 0
        """Its size in bytes as long as nothing else writes into it."""
        self._done: list[JobItem] = []
        """The writes of this run that were done."""
        self._job: int | None = None
        """The job that they are kept as."""

    async def results(self, journal: Journal) -> dict[str, Result]:
        """Return the outcome of each row so far, by its key; of an unknown one, what the journal knows.

        Raises Unimportable, StoreUnavailable.
        """
        found = read_results(self.path.read_text()) if self.path.is_file() else {}
        unknown = {result.origin: key for key, result in found.items() if result.state == "unknown"}
        for origin, entry in (await journal.of_origins(unknown.keys() - {""})).items():
            if (outcome := entry.known_outcome) is not None:
                told = entry.settlement.message if entry.settlement is not None else entry.message
                key = unknown[origin]
                found[key] = replace(found[key], state=outcome.value, message=told)
        return found

    def make_file(self) -> None:
        """Make the file where it is not there; end a line that was cut off. Raises NotSaved."""
        try:
            known = self.path.read_bytes() if self.path.is_file() else b""
            self._size = len(known)
            self._add("\n" if known and not known.endswith(b"\n") else "")
        except OSError as error:
            reason = f"{self.path} could not be written: {error.strerror}."
            raise NotSaved(reason, "Nothing was sent.") from None

    def _add(self, line: str) -> None:
        """Raise OSError, also for a link, which another user of a shared folder may have put there."""
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK_NO_WAIT, 0o600)
        try:
            self._size += os.write(file, line.encode())
            os.fsync(file)
        finally:
            os.close(file)

    async def send_line(
        self, session: Session, line: ImportLine, *, overwrite: bool
    ) -> tuple[WriteResult, str]:
        """Send one row, between its two lines in the file; how it ended, and the second of them."""
        if line.intent is None:
            raise ValueError("a row without a write is not sent")

        sent_as = ""

        async def claim(origin: str) -> None:
            nonlocal sent_as
            sent_as = origin
            if not self.path.exists() or self.path.stat().st_size != self._size:
                raise NotSent("Another linkdash imports this file.", "Its rows are sent there.")
            self._add(Result(line.row, line.key, "sending", origin=origin).line())

        result = await session.writes.carry_out(line.intent, lane=Lane.TASK, claim=claim, overwrite=overwrite)
        outcome = Outcome.NOT_SENT if is_retryable(result.error) else result.outcome
        message = str(result.error) if result.error is not None else ""
        told = Result(line.row, line.key, outcome.value, _written_id(result), message).line()
        self._add(told)
        if outcome is Outcome.DONE:
            item = JobItem(len(self._done), result.intent, ItemState.DONE, origin=sent_as)
            await self._keep_together(session, item)
        return result, told

    async def _keep_together(self, session: Session, item: JobItem) -> None:
        """Record the writes of this run as one job, each at once: it can be undone if it was killed, too."""
        self._done.append(item)
        jobs = session.store.jobs
        if self._job is not None:
            await session.kept(jobs.keep_also(self._job, item), None)
        elif len(self._done) > 1:
            title = f"Import {self._name} into {declaration(item.intent.resource).title}"
            self._job = await session.kept(jobs.keep(title, self._done, session.moment()), None)


def _written_id(result: WriteResult) -> int | None:
    return created_id(result) if result.intent.action == "create" else result.intent.record_id


def outcome_words(states: Mapping[str, str]) -> str:
    """Return what became of the rows: `3 done, 1 rejected`."""
    counts = {outcome.value: [*states.values()].count(outcome.value) for outcome in Outcome}
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "nothing to do"
