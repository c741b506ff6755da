"""Records out of a file: what its columns mean, which rows can be sent, and the writes they are.

What `export` wrote can be read: columns that no request has are left out and told. A row with an id changes
that record where the resource can be changed; a row without one creates a record. On their way to the service
each is sent once; a file beside it tells how far it got.
"""

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from linkdash.api.budget import Lane
from linkdash.api.errors import AdminRequired, InvalidBody, KeyRefused, LinkdashError, NotSent, RateLimited
from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.model import Body, Record
from linkdash.api.resource import body_of
from linkdash.model import intents
from linkdash.model.export import safe_cell
from linkdash.model.humanize import with_article
from linkdash.model.resource import AnyResource
from linkdash.model.session import Session
from linkdash.model.writes import WriteResult, created_id
from linkdash.store.journal import Outcome, WriteIntent

# ---- what a file says ----


class Unimportable(InvalidBody):
    """The file as a whole cannot be imported."""


@dataclass(frozen=True)
class Row:
    """One row of a file: its members as they stand there, by the names of its columns."""

    number: int
    """Its line in CSV, whose header is line 1, or in JSON lines; its place in JSON, from 1 on."""
    members: Mapping[str, object]
    are_cells: bool = False
    """Whether the members are texts of cells, which say what is empty by nothing at all."""


@dataclass(frozen=True)
class Problem:
    """Why a row cannot be sent."""

    row: int
    column: str
    reason: str

    def __str__(self) -> str:
        return f"row {self.row}{f', {self.column}' if self.column else ''}: {self.reason}"


@dataclass(frozen=True)
class Line:
    """One row that can be sent. `intent` is None for a record that is like that already."""

    row: int
    intent: WriteIntent | None


@dataclass(frozen=True)
class Plan:
    """What an import would do."""

    lines: Sequence[Line]
    problems: Sequence[Problem]
    ignored: Sequence[str]
    """Columns that mean nothing to a request."""

    @property
    def writes(self) -> Sequence[Line]:
        """The rows that change something."""
        return [line for line in self.lines if line.intent is not None]


# ---- reading ----


def read_rows(text: str, ending: str) -> list[Row]:
    """The rows of a file that ends in `csv`, `jsonl` or `json`. Raises Unimportable."""
    text = text.removeprefix("\N{BYTE ORDER MARK}")
    match ending:
        case "csv":
            return _csv_rows(text)
        case "json":
            return _json_rows(enumerate(_exported(text), 1))
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return _json_rows((number, _json(line)) for number, line in lines)


def _csv_rows(text: str) -> list[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[Row] = []
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
                rows.append(Row(begins, {name: cell for name, cell in named if cell}, are_cells=True))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise Unimportable(f"Line {reader.line_num} is no CSV: {error}.", "Nothing was sent.") from None
    return rows


def _json_rows(rows: Iterable[tuple[int, object]]) -> list[Row]:
    found = []
    for number, members in rows:
        if not isinstance(members, dict):
            raise Unimportable(f"Row {number} is no JSON object.", "Nothing was sent.")
        found.append(Row(number, {name: value for name, value in members.items() if value is not None}))
    return found


def _exported(text: str) -> Sequence[object]:
    data = _json(text)
    records = data.get("records") if isinstance(data, dict) else data
    if not isinstance(records, list):
        raise Unimportable("This JSON holds no list of records.", "Nothing was sent.")
    return records


def _json(text: str) -> object:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data


# ---- what it means ----


def plan(resource: AnyResource, rows: Sequence[Row], known: Mapping[int, Record]) -> Plan:
    """What an import of these rows would do; `known` are the records that are loaded, by id.

    Raises Unimportable where no column means anything.
    """
    columns = {column for row in rows for column in row.members}
    ignored = _ignored(resource, rows)
    if columns and len(ignored) == len(columns):
        one = with_article(resource.singular)
        raise Unimportable(f"No column with values is a field of {one}.", _NOTHING)
    lines: list[Line] = []
    problems: list[Problem] = []
    rows_by_id: dict[int, int] = {}
    for row in rows:
        try:
            if (id := _given_id(row)) is not None and id in rows_by_id:
                raise InvalidBody(f"id: row {rows_by_id[id]} has this id too.")
            rows_by_id |= {id: row.number} if id is not None else {}
            write = _creation(resource, row) if id is None else _change(resource, row, known.get(id))
            lines.append(Line(row.number, write))
        except InvalidBody as error:
            column, colon, reason = error.what.partition(": ")
            problems.append(Problem(row.number, column if colon else "", (reason or error.what).rstrip(".")))
    return Plan(lines, problems, ignored)


def _given_id(row: Row) -> int | None:
    """The id in a row. Raises InvalidBody."""
    given = next((value for column, value in row.members.items() if column.casefold() == "id"), None)
    if given is None:
        return None
    digits = str(given)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and int(digits)):
        raise InvalidBody("id: an identifier is a whole number from 1 on.")
    return int(digits)


def _creation(resource: AnyResource, row: Row) -> WriteIntent:
    if resource.create is None:
        raise InvalidBody(f"id: {resource.title} cannot be created, so every row needs an id.")
    members = {field.name: value for _, field, value in _given(resource.create, row)}
    if not members:
        raise InvalidBody(f"nothing in it is a field of {with_article(resource.singular)}")
    return intents.creation(resource, body_of(resource.create, members))


def _change(resource: AnyResource, row: Row, record: Record | None) -> WriteIntent | None:
    """The write that makes a record what a row says; None where it is. Raises InvalidBody."""
    if record is None:
        raise InvalidBody(f"id: there is no {resource.singular} with this id.")
    model = resource.update
    changeable = {field.name for field in fields_of(model)} if model is not None else set()
    if resource.create is not None:
        for column, field, value in _given(resource.create, row):
            same = _is_same(record, column, field, value, row.members[column])
            if field.name not in changeable and not same:
                raise InvalidBody(f"{column}: this cannot be changed.")
    if model is None:
        return None
    changed = {
        field.name: value
        for column, field, value in _given(model, row)
        if not _is_same(record, column, field, value, row.members[column])
    }
    if not changed:
        return None
    intent = intents.update(resource, record, intents.body_for(model, record, changed))
    return intent if intents.has_effect(intent, model) else None


def _is_same(record: Record, column: str, field: Field, value: object, cell: object) -> bool:
    """Whether a record says of a member what the file says."""
    name = column if column in type(record).model_fields else field.name
    if name in record.odd:
        return record.odd[name] in (value, cell)
    own = getattr(record, name, None)
    if own is None:
        return False
    text = str(own).lower() if isinstance(own, bool) else str(own)
    return value == own or str(value) == text or cell == safe_cell(text)


def _given(model: type[Body], row: Row) -> Iterator[tuple[str, Field, object]]:
    """The columns of a row that a request has: column, field and value."""
    for column, value in row.members.items():
        if (field := _field(model, column)) is not None:
            yield column, field, _value(field, _unquoted(value) if row.are_cells else value)


def _unquoted(cell: object) -> object:
    """A cell without the quote that an export puts before what a spreadsheet would execute."""
    if isinstance(cell, str) and cell.startswith("'") and safe_cell(cell[1:]) == cell:
        return cell[1:]
    return cell


def _field(model: type[Body], column: str) -> Field | None:
    """The field that a column is, by its name or its title in any case."""
    wanted = column.strip().casefold()
    fields = fields_of(model)
    by_name = next((field for field in fields if field.name == column), None)
    return by_name or next((field for field in fields if field.title.casefold() == wanted), None)


def _value(field: Field, value: object) -> object:
    """A cell as the request takes it: a label for its word, JSON for a content of several parts."""
    if not isinstance(value, str):
        return value
    if field.kind is Kind.PAYLOAD and value[:1] in ("{", "["):
        return _json(value) or value
    words = {str(label).casefold(): word for word, label in field.labels.names.items()}
    return words.get(value.casefold(), value)


def _ignored(resource: AnyResource, rows: Iterable[Row]) -> list[str]:
    models = [model for model in (resource.create, resource.update) if model is not None]
    columns = dict.fromkeys(column for row in rows for column in row.members)
    return [
        column
        for column in columns
        if column.casefold() != "id" and not any(_field(model, column) for model in models)
    ]


# ---- the result file: a line before a row is sent and one after, so that no row is ever sent twice ----


@dataclass(frozen=True)
class Result:
    """A line of a result file."""

    row: int
    state: str
    """`sending`, or how it ended: `done`, `rejected`, `not sent`, `unknown`."""
    id: int | None = None
    message: str = ""

    def line(self) -> str:
        """Itself as a line of JSON."""
        members: dict[str, object] = {"row": self.row, "state": self.state}
        members |= {"id": self.id} if self.id is not None else {}
        members |= {"message": self.message} if self.message else {}
        return json.dumps(members) + "\n"


def read_results(text: str) -> dict[int, str]:
    """How far each row of an import got; one whose sending was recorded and no end is `unknown`.

    A last line that was cut off counts as nothing: what it would tell has not happened.
    Raises Unimportable.
    """
    states: dict[int, str] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        try:
            members = json.loads(line) if line.strip() else None
            if members is not None and "row" in members:
                states[int(members["row"])] = str(members["state"])
        except (ValueError, KeyError, TypeError):
            if number < len(lines):
                raise Unimportable(f"Line {number} of the result file cannot be read.", "") from None
    return {row: "unknown" if state == "sending" else state for row, state in states.items()}


def left_to_do(plan: Plan, states: Mapping[int, str]) -> list[Line]:
    """The rows that may still be sent: never one that was sent, whatever became of it."""
    return [line for line in plan.writes if states.get(line.row, "not sent") == "not sent"]


# ---- on the way to the service ----

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
        told = Result(line.row, state.value, _written_id(result), message).line()
        self._add(told)
        return result, told


def _written_id(result: WriteResult) -> int | None:
    return created_id(result) if result.intent.action == "create" else result.intent.record_id


def concerns_all(result: WriteResult) -> bool:
    """Whether the rows after it would end like it."""
    return isinstance(result.error, NotSent | KeyRefused | AdminRequired)


def outcome_words(states: Mapping[int, str]) -> str:
    """What became of the rows: `3 done, 1 rejected`."""
    counts = {outcome.value: [*states.values()].count(outcome.value) for outcome in Outcome}
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "nothing to do"
