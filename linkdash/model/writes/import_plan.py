"""The plan of an import: what the rows of a file would create and change."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.folded_text import folded
from linkdash.api.http.secrecy import masked
from linkdash.api.records import Body, Record
from linkdash.model.csv_text import safe_cell
from linkdash.model.declaration import AnyResource
from linkdash.model.humanize import counted, with_article
from linkdash.model.lists.export import unquoted
from linkdash.model.writes import planned_changes
from linkdash.model.writes.import_file import NOTHING_SENT, FileRow, ImportLine, Unimportable, parsed_json
from linkdash.store.journal_entry import WriteIntent


@dataclass(frozen=True)
class Problem:
    """A reason why a row cannot be sent."""

    row: int
    column: str
    reason: str

    def __str__(self) -> str:
        return f"row {self.row}{f', {self.column}' if self.column else ''}: {self.reason}"


@dataclass(frozen=True)
class ImportPlan:
    """The plan of an import."""

    lines: Sequence[ImportLine]
    problems: Sequence[Problem]
    ignored: Sequence[str]
    """Columns that mean nothing to a request."""
    kept: Sequence[int] = ()
    """Rows with something that was not edited, and that others have changed since: that stays."""

    @property
    def writes(self) -> Sequence[ImportLine]:
        """The rows that change something."""
        return [line for line in self.lines if line.intent is not None]

    @property
    def unchanged(self) -> int:
        """The number of rows that say what is there already."""
        return len(self.lines) - len(self.writes)


# ---- what it means ----


def plan(
    resource: AnyResource,
    rows: Sequence[FileRow],
    known: Mapping[int, Record],
    read_at: datetime | None = None,
    exported: Mapping[int, Record] = {},
) -> ImportPlan:
    """Return what an import of these rows would do; `known` are the records that are loaded, by id.

    What a row has as it was `exported` was not edited, and stays as it is now. `read_at` is when they were
    read, where that is to be remembered with the writes.
    An empty cell of a record that is there empties the member. Raises Unimportable where no column means
    anything.
    """
    columns = {column for row in rows for column in row.members}
    ignored = _ignored(resource, rows)
    if columns and len(ignored) == len(columns):
        one = with_article(resource.singular)
        raise Unimportable(f"No column is a field of {one}.", NOTHING_SENT)
    lines: list[ImportLine] = []
    problems: list[Problem] = []
    rows_by_id: dict[int, FileRow] = {}
    seen = Counter[str]()
    for row in rows:
        try:
            if (id := _given_id(row)) is not None and id in rows_by_id:
                raise InvalidBody(f"id: row {rows_by_id[id].number} has this id too.")
            rows_by_id |= {id: row} if id is not None else {}
            if id is None:
                row = replace(row, members=row.filled)  # what is not filled in is not given
            record, before = (None, None) if id is None else (known.get(id), exported.get(id))
            write = _creation(resource, row) if id is None else _change(resource, row, record, before)
            content = _content(resource, row, id)
            seen[content] += 1
            write = None if write is None else replace(write, read_at=read_at)
            lines.append(ImportLine(row.number, write, f"{content}/{seen[content]}"))
        except InvalidBody as error:
            column, colon, reason = error.what.partition(": ")
            problems.append(Problem(row.number, column if colon else "", (reason or error.what).rstrip(".")))
    kept = [
        row.number
        for id, row in rows_by_id.items()
        if id in exported and id in known and _is_kept(resource, row, known[id], exported[id])
    ]
    return ImportPlan(lines, problems, ignored, kept)


def _content(resource: AnyResource, row: FileRow, id: int | None) -> str:
    """Return a key that differs where a row asks for something else: its id, and a digest of its members.

    What no request has makes no difference, and a secret leaves no trace.
    """
    models = [model for model in (resource.create, resource.update) if model is not None]
    members = {field.name: str(value) for model in models for _, field, value in _given(model, row)}
    shown = json.dumps([resource.id, masked(members)], sort_keys=True)
    return f"{id or 'new'}:{hashlib.sha256(shown.encode()).hexdigest()[:32]}"


def _given_id(row: FileRow) -> int | None:
    """The id in a row. Raises InvalidBody."""
    given = next((value for column, value in row.filled.items() if column.casefold() == "id"), None)
    if given is None:
        return None
    digits = str(given)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and int(digits)):
        raise InvalidBody("id: must be a whole number, 1 or more.")
    return int(digits)


def _creation(resource: AnyResource, row: FileRow) -> WriteIntent:
    if resource.create is None:
        raise InvalidBody(f"id: {resource.title} cannot be created, so every row needs an id.")
    members = {field.name: value for _, field, value in _given(resource.create, row)}
    if not members:
        raise InvalidBody(f"nothing in it is a field of {with_article(resource.singular)}")
    return planned_changes.creation(resource, body_of(resource.create, members))


def _change(
    resource: AnyResource, row: FileRow, record: Record | None, exported: Record | None
) -> WriteIntent | None:
    """The write that makes a record what a row says; None where it is. Raises InvalidBody."""
    if record is None:
        raise InvalidBody(f"id: there is no {resource.singular} with this id.")
    model = resource.update
    changeable = {field.name for field in fields_of(model)} if model is not None else set()
    if resource.create is not None:
        for column, field, value in _given(resource.create, row):
            same = _is_left(record, exported, column, field, value, row.members[column])
            if field.name not in changeable and not same:
                raise InvalidBody(f"{column}: this cannot be {'emptied' if value == '' else 'changed'}.")
    if model is None:
        return None
    changed = {
        field.name: value
        for column, field, value in _given(model, row)
        if not _is_left(record, exported, column, field, value, row.members[column])
    }
    if not changed:
        return None
    intent = planned_changes.update_of(resource, record, planned_changes.body_for(model, record, changed))
    return intent if planned_changes.has_effect(intent, model) else None


def _is_left(
    record: Record, exported: Record | None, column: str, field: Field, value: object, cell: object
) -> bool:
    """Return whether a file leaves a member alone: it says what is there, or what it was exported with."""
    return any(_is_same(one, column, field, value, cell) for one in (record, exported) if one is not None)


def _is_kept(resource: AnyResource, row: FileRow, record: Record, exported: Record) -> bool:
    given = () if resource.update is None else _given(resource.update, row)
    return any(
        _is_same(exported, column, field, value, row.members[column])
        and not _is_same(record, column, field, value, row.members[column])
        for column, field, value in given
    )


def _is_same(record: Record, column: str, field: Field, value: object, cell: object) -> bool:
    """Return whether a record says of a member what the file says."""
    name = column if column in type(record).model_fields else field.name
    if name in record.odd:
        return value == record.odd[name] or cell == safe_cell(record.odd[name])
    own = getattr(record, name, None)
    if own is None:
        return value == ""
    text = str(own).lower() if isinstance(own, bool) else str(own)
    return value == own or str(value) == text or cell in (text, safe_cell(text))


def _given(model: type[Body], row: FileRow) -> Iterator[tuple[str, Field, object]]:
    """The columns of a row that a request has: column, field and value."""
    for column, value in row.members.items():
        if (field := _field(model, column)) is not None:
            text = unquoted(value) if row.are_cells and isinstance(value, str) else value
            yield column, field, _value(field, text)


def _field(model: type[Body], column: str) -> Field | None:
    """The field that a column is, by its name or its title in any case."""
    wanted = folded(column.strip())
    fields = fields_of(model)
    by_name = next((field for field in fields if field.name == column), None)
    return by_name or next((field for field in fields if folded(field.title) == wanted), None)


def _value(field: Field, value: object) -> object:
    """A cell as the request takes it: a label for its word, JSON for a content of several parts."""
    if not isinstance(value, str):
        return value
    if field.kind is Kind.PAYLOAD and value[:1] in ("{", "["):
        return parsed_json(value) or value
    words = {folded(str(label)): word for word, label in field.labels.names.items()}
    return words.get(folded(value), value)


def file_words(resource: AnyResource) -> str:
    """Return what a file to be imported may hold, its columns with which of them a new record needs."""
    lines = ["A CSV or JSON file, such as an export. You see every change before it is sent."]
    if resource.create is not None:
        fields = fields_of(resource.create)
        needed, others = (
            ", ".join(field.name for field in fields if field.required is is_needed)
            for is_needed in (True, False)
        )
        columns = [f"needs {needed}"] * bool(needed) + [f"may have {others}"] * bool(others)
        lines.append(f"A row without an id creates a {resource.singular}: {'; '.join(columns)}")
    if resource.update is not None:
        whose = (
            "changes the account" if resource.is_single else f"with an id changes that {resource.singular}"
        )
        names = ", ".join(field.name for field in fields_of(resource.update))
        lines.append(f"A row {whose}: {names}")
    return "\n".join(lines)


def kept_words(plan: ImportPlan) -> str:
    """Return that rows are left as others have changed them: `2 rows …: 4, 7`; "" for none."""
    if not plan.kept:
        return ""
    rows = ", ".join(map(str, plan.kept))
    return f"{counted(len(plan.kept), 'row')} not edited here, changed elsewhere since, left so: {rows}."


def emptied(resource: AnyResource, lines: Iterable[ImportLine]) -> str:
    """Return which members are emptied in how many rows: `Emptied: Description in 2 rows`; "" for none."""
    fields = fields_of(resource.update) if resource.update is not None else ()
    counts = Counter(
        field.title
        for line in lines
        if (intent := line.intent) is not None and intent.before is not None
        for field in fields
        if intent.params.get(field.name) == "" and intent.before.get(field.name)
    )
    told = ", ".join(f"{title} in {counted(number, 'row')}" for title, number in counts.items())
    return f"Emptied: {told}." if told else ""


def _ignored(resource: AnyResource, rows: Iterable[FileRow]) -> list[str]:
    models = [model for model in (resource.create, resource.update) if model is not None]
    columns = dict.fromkeys(column for row in rows for column in row.members)
    return [
        column
        for column in columns
        if column.casefold() != "id" and not any(_field(model, column) for model in models)
    ]
