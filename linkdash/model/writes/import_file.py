"""The rows of a file that is to be imported, read from CSV or JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from linkdash.api.errors import LinkdashError
from linkdash.api.fields import stripped
from linkdash.model.csv_text import CsvError, read_csv
from linkdash.model.file_formats import FILE_ENDINGS, format_by_ending
from linkdash.model.file_text import NOTHING_SENT, Unimportable, decoded
from linkdash.store.journal_entry import WriteIntent

# ---- what a file says ----


@dataclass(frozen=True)
class FileRow:
    """A row of a file: its members as they stand there, by the names of its columns."""

    number: int
    """Its line in CSV, whose header is line 1, or in JSON lines; its place in JSON, from 1 on."""
    members: Mapping[str, object]
    """What it says of each; "" for one that is empty, in JSON null. A member that it has not is none."""
    are_cells: bool = False
    """True if the members are texts of cells."""

    @property
    def filled(self) -> Mapping[str, object]:
        """Return the members that are not empty."""
        return {name: value for name, value in self.members.items() if not _is_empty(value)}


def _is_empty(value: object) -> bool:
    return isinstance(value, str) and not stripped(value)


@dataclass(frozen=True)
class ImportLine:
    """A row that can be sent. `intent` is None for a record that is like that already."""

    row: int
    intent: WriteIntent | None
    key: str = ""
    """Its key wherever it stands in the file: its content."""


# ---- reading ----


class ReadFile(NamedTuple):
    """The rows of a file, and how it was read where that is not certain."""

    rows: list[FileRow]
    told: str = ""


def read_rows(text: str, ending: str) -> list[FileRow]:
    """The rows of a file that ends in `csv`, `jsonl` or `json`. Raises Unimportable."""
    match ending:
        case "csv":
            return _csv_rows(text)
        case "json":
            return _json_rows(enumerate(_exported(text), 1))
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return _json_rows((number, parsed_json(line)) for number, line in lines)


def _csv_rows(text: str) -> list[FileRow]:
    try:
        return [FileRow(number, cells, are_cells=True) for number, cells in read_csv(text)]
    except CsvError as error:
        raise Unimportable(str(error), NOTHING_SENT) from None


def _json_rows(rows: Iterable[tuple[int, object]]) -> list[FileRow]:
    found = []
    for number, members in rows:
        if not isinstance(members, dict):
            raise Unimportable(f"Row {number} is not a JSON object.", NOTHING_SENT)
        given = {name: "" if value is None else value for name, value in members.items()}
        found.append(FileRow(number, given))
    return found


def _exported(text: str) -> Sequence[object]:
    data = parsed_json(text)
    records = data.get("records") if isinstance(data, dict) else data
    if not isinstance(records, list):
        raise Unimportable("This JSON contains no list of records.", NOTHING_SENT)
    return records


def parsed_json(text: str) -> object:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data


# ---- on the way to the service ----

LARGEST_FILE = 100_000_000
"""Bytes of a file that is imported: a million rows, which take three weeks to send."""


def whole(file: BinaryIO, name: str) -> bytes:
    """All that a file holds. Raises Unimportable for more than `LARGEST_FILE`."""
    data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise Unimportable(f"{name} has more than {LARGEST_FILE // 1_000_000} MB.", NOTHING_SENT)
    return data


def read_file(path: Path, form: str = "") -> ReadFile:
    """The rows of a file; `form` is the format it is in, else its ending says. Raises LinkdashError."""
    format = form or format_by_ending(path.name)
    if format is None:
        raise Unimportable(f"{path.name}: unknown file type.", FILE_ENDINGS)
    try:
        if path.exists() and not path.is_file():  # reading a pipe or a device may never end
            raise Unimportable(f"{path} is not a regular file.", NOTHING_SENT)
        with path.open("rb") as file:
            return read_data(whole(file, path.name), path.name, format)
    except OSError as error:
        raise LinkdashError(f"{path} cannot be read: {error.strerror}.", NOTHING_SENT) from None


def read_data(data: bytes, name: str, form: str) -> ReadFile:
    """The rows in the bytes of a file. Raises Unimportable."""
    text, told = decoded(data, name)
    return ReadFile(read_rows(text, form), told)
