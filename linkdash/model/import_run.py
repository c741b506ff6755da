"""Rows of a file on their way to the service: each is sent once; a file beside it tells how far it got."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from linkdash.api.errors import AdminRequired, KeyRefused, LinkdashError, NotSent, RateLimited
from linkdash.api.pacing import Lane
from linkdash.model.importing import Line, Result, Row, Unimportable, read_results, read_rows
from linkdash.model.session import Session
from linkdash.model.writes import WriteResult, created_id
from linkdash.store.journal import Outcome

FILE_FORMATS = ("csv", "json", "jsonl")
"""What `export` writes and `import` reads, by the ending of the file."""

_NOTHING = "Nothing was sent."


def read_file(path: Path) -> tuple[list[Row], str]:
    """The rows of a file, and what tells it from every other. Raises LinkdashError."""
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FILE_FORMATS:
        raise Unimportable(f"{path.name} has no known ending.", "Use .csv, .jsonl or .json.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LinkdashError(f"{path} cannot be read: {error.strerror}.", _NOTHING) from None
    try:
        return read_rows(data.decode("utf-8-sig"), ending), hashlib.sha256(data).hexdigest()
    except UnicodeDecodeError:
        raise Unimportable(f"{path.name} is not UTF-8.", _NOTHING) from None


def have_ids(rows: list[Row]) -> bool:
    """Whether some rows are about records that are there already."""
    return any(column.casefold() == "id" for row in rows for column in row.members)


class ResultFile:
    """A line before and after every write, on the disk before anything else happens."""

    def __init__(self, file: Path, digest: str) -> None:
        self.path = file.with_name(f"{file.name}.results.jsonl")
        """Beside the file that is imported."""
        self._digest = digest

    def states(self) -> dict[int, str]:
        """What became of the rows so far, by their number. Raises Unimportable for another file."""
        if not self.path.exists():
            return {}
        text = self.path.read_text()
        if json.dumps(self._digest) not in text.partition("\n")[0]:
            raise Unimportable("The file has changed since its import was begun.", _NOTHING)
        return read_results(text)

    def begin(self) -> None:
        """Makes the file where it is not there; ends a line that was cut off."""
        if not self.path.exists():
            self._add(json.dumps({"file": self._digest}) + "\n")
        elif not self.path.read_bytes().endswith(b"\n"):
            self._add("\n")

    def _add(self, line: str) -> None:
        """Raises OSError."""
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode())
            os.fsync(file)
        finally:
            os.close(file)

    async def send(self, session: Session, line: Line) -> tuple[WriteResult, str]:
        """Sends one row, between its two lines in the file; how it ended, and the second of them."""
        if line.intent is None:
            raise ValueError("a row without a write is not sent")

        async def claim() -> None:
            self._add(Result(line.row, "sending").line())

        result = await session.writes.send(line.intent, lane=Lane.TASK, claim=claim)
        state = Outcome.NOT_SENT if isinstance(result.error, RateLimited) else result.outcome
        message = str(result.error) if result.error is not None else ""
        told = Result(line.row, state.value, _id(result), message).line()
        self._add(told)
        return result, told


def _id(result: WriteResult) -> int | None:
    return created_id(result) if result.intent.action == "create" else result.intent.record_id


def concerns_all(result: WriteResult) -> bool:
    """Whether the rows after it would end like it."""
    return isinstance(result.error, NotSent | KeyRefused | AdminRequired)


def outcome_words(states: Mapping[int, str]) -> str:
    """What became of the rows: `3 done, 1 rejected`."""
    counts = {outcome.value: [*states.values()].count(outcome.value) for outcome in Outcome}
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "nothing to do"
