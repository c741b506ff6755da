"""The rows of a file that is to be imported, read from CSV or JSON."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from linkdash.api.errors import InvalidBody, LinkdashError
from linkdash.model.file_formats import FILE_ENDINGS, format_by_ending
from linkdash.store.journal_entry import WriteIntent

# ---- what a file says ----


class Unimportable(InvalidBody):
    """The file as a whole cannot be imported."""


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
        return {name: value for name, value in self.members.items() if value != ""}


@dataclass(frozen=True)
class ImportLine:
    """A row that can be sent. `intent` is None for a record that is like that already."""

    row: int
    intent: WriteIntent | None
    key: str = ""
    """Its key wherever it stands in the file: its content."""


# ---- reading ----


def read_rows(text: str, ending: str) -> list[FileRow]:
    """The rows of a file that ends in `csv`, `jsonl` or `json`. Raises Unimportable."""
    text = text.removeprefix("\N{BYTE ORDER MARK}")
    match ending:
        case "csv":
            return _csv_rows(text)
        case "json":
            return _json_rows(enumerate(_exported(text), 1))
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return _json_rows((number, parsed_json(line)) for number, line in lines)


_LONGEST_CELL = 2**31 - 1  # characters; the limit is one for the whole process, and far too low


def _csv_rows(text: str) -> list[FileRow]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[FileRow] = []
    try:
        header = next(reader, [])
        if len(set(header)) < len(header):
            raise Unimportable("Two columns have the same name.", "Nothing was sent.")
        begins = reader.line_num + 1
        for cells in reader:
            if len(cells) > len(header):
                raise Unimportable(f"Line {begins} has too many cells.", "Nothing was sent.")
            named = zip(header, cells, strict=False)
            if any(cells):
                rows.append(FileRow(begins, dict(named), are_cells=True))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise Unimportable(
            f"Line {reader.line_num} is not valid CSV: {error}.", "Nothing was sent."
        ) from None
    return rows


def _json_rows(rows: Iterable[tuple[int, object]]) -> list[FileRow]:
    found = []
    for number, members in rows:
        if not isinstance(members, dict):
            raise Unimportable(f"Row {number} is not a JSON object.", "Nothing was sent.")
        given = {name: "" if value is None else value for name, value in members.items()}
        found.append(FileRow(number, given))
    return found


def _exported(text: str) -> Sequence[object]:
    data = parsed_json(text)
    records = data.get("records") if isinstance(data, dict) else data
    if not isinstance(records, list):
        raise Unimportable("This JSON contains no list of records.", "Nothing was sent.")
    return records


def parsed_json(text: str) -> object:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data


# ---- on the way to the service ----

NOTHING_SENT = "Nothing was sent."
LARGEST_FILE = 100_000_000
"""Bytes of a file that is imported: a million rows, which take three weeks to send."""


def whole(file: BinaryIO, name: str) -> bytes:
    """All that a file holds. Raises Unimportable for more than `LARGEST_FILE`."""
    data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise Unimportable(f"{name} has more than {LARGEST_FILE // 1_000_000} MB.", NOTHING_SENT)
    return data


def read_file(path: Path, form: str = "") -> list[FileRow]:
    """The rows of a file; `form` is the format it is in, else its ending says. Raises LinkdashError."""
    format = form or format_by_ending(path.name)
    if format is None:
        raise Unimportable(f"{path.name}: unknown file type.", FILE_ENDINGS)
    try:
        if path.exists() and not path.is_file():  # reading a pipe or a device may never end
            raise Unimportable(f"{path} is not a regular file.", NOTHING_SENT)
        with path.open("rb") as file:
            data = whole(file, path.name)
    except OSError as error:
        raise LinkdashError(f"{path} cannot be read: {error.strerror}.", NOTHING_SENT) from None
    try:
        return read_rows(data.decode("utf-8-sig"), format)
    except UnicodeDecodeError:
        raise Unimportable(f"{path.name} is not UTF-8.", NOTHING_SENT) from None
