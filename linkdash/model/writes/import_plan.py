"""The plan of an import: what the rows of a file would create and change."""

import enum
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.fields import Field, Kind, fields_of, stripped
from linkdash.api.folded_text import folded
from linkdash.api.http.secrecy import is_secret, masked
from linkdash.api.inert_text import inert
from linkdash.api.records import Body, Record, as_sent
from linkdash.model.csv_text import safe_cell, unquoted
from linkdash.model.declaration import AnyResource
from linkdash.model.file_text import NOTHING_SENT, Unimportable
from linkdash.model.humanize import counted, shortened, with_article
from linkdash.model.writes import planned_changes
from linkdash.model.writes.import_file import FileRow, ImportLine
from linkdash.model.writes.kept_members import KeptMembers
from linkdash.model.writes.named_updates import Shown, checked_members
from linkdash.model.writes.planned_changes import NEVER_SHOWN
from linkdash.model.writes.rewritten_cells import REWRITTEN, is_rewritten, is_spoilt
from linkdash.model.writes.typed_values import check_values, typed
from linkdash.store.journal_entry import WriteIntent

_VALUE_CELLS = 40


@dataclass(frozen=True)
class Problem:
    """A reason why a row cannot be sent."""

    row: int
    column: str
    value: str
    """The beginning of what stands there; "" where nothing does, or a secret."""
    reason: str

    def __str__(self) -> str:
        cell = " ".join(filter(None, [self.column, self.value and f'"{self.value}"']))
        return f"row {self.row}{cell and f', {cell}'}: {self.reason}"


@dataclass(frozen=True)
class ImportPlan:
    """The plan of an import."""

    lines: Sequence[ImportLine]
    problems: Sequence[Problem]
    ignored: Sequence[str]
    """Columns that mean nothing to a request."""
    kept: Sequence[int] = ()
    """Rows with something that was not edited, and that others have changed since: that stays."""
    rewritten: Sequence[tuple[int, str]] = ()
    """Row and column of cells that a spreadsheet has written in another way: what is there stays."""
    not_exported: frozenset[int] = frozenset()
    """Rows that change records of which no export is known here, so that no value counts as left alone."""

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
    seen: Mapping[int, Shown[Record]] = {},
    kept: Mapping[int, KeptMembers] = {},
) -> ImportPlan:
    """Return what an import of these rows would do; `known` are the records that are loaded, by id.

    `kept` is what the journal keeps of them.

    What a row has as it was `exported` was not edited, and stays as it is now; so does what a spreadsheet has
    only written in another way. What it changes is compared, when it is sent, with the records as they were
    `seen` by who edited it, or else as they were read at `read_at`.
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
    left: list[int] = []
    rewritten: list[tuple[int, str]] = []
    rows_by_id: dict[int, FileRow] = {}
    contents = Counter[str]()
    for row in rows:
        try:
            if (id := given_id(row)) is not None and id in rows_by_id:
                raise InvalidBody(f"id: row {rows_by_id[id].number} has this id too.")
            if id is None:
                row = replace(row, members=row.filled)  # what is not filled in is not given
                write: WriteIntent | None = _creation(resource, row)
            else:
                rows_by_id[id] = row
                members = _compared(resource, row, known.get(id), exported.get(id))
                write = _change(resource, known[id], members, kept.get(id, KeptMembers()))
                if write is not None:
                    record, at = seen.get(id, (known[id], read_at))
                    write = replace(planned_changes.as_seen(resource, write, record, at), is_of_file=True)
                left += [row.number] if any(found.state is _State.LEFT for found in members) else []
                rewritten += [(row.number, one.column) for one in members if one.state is _State.REWRITTEN]
            content = _content(resource, row, id)
            contents[content] += 1
            lines.append(ImportLine(row.number, write, f"{content}/{contents[content]}"))
        except InvalidBody as error:
            column, colon, reason = error.what.partition(": ")
            value = _shown(resource, row, column) if colon else ""
            told = (reason or error.what).rstrip(".")
            problems.append(Problem(row.number, column if colon else "", value, told))
    return ImportPlan(lines, problems, ignored, left, rewritten)


def _shown(resource: AnyResource, row: FileRow, column: str) -> str:
    """The beginning of what a row has in a column, or in that which is the field of this name; no secret."""
    models = [model for model in (resource.create, resource.update) if model is not None]
    for name, value in row.filled.items():
        fields = [field for model in models if (field := _field(model, name)) is not None]
        if name == column or column in {field.name for field in fields}:
            is_told = not is_secret(name) and all(field.kind not in NEVER_SHOWN for field in fields)
            return shortened(inert(str(value)), _VALUE_CELLS) if is_told else ""
    return ""


def _content(resource: AnyResource, row: FileRow, id: int | None) -> str:
    """Return a key that differs where a row asks for something else: its id, and a digest of its members.

    What no request has makes no difference, and a secret leaves no trace.
    """
    models = [model for model in (resource.create, resource.update) if model is not None]
    members = {one.field.name: str(one.value) for model in models for one in _given(model, row)}
    shown = json.dumps([resource.id, masked(members)], sort_keys=True)
    return f"{id or 'new'}:{hashlib.sha256(shown.encode()).hexdigest()[:32]}"


def is_id(column: str) -> bool:
    """Return whether the ids of records stand in a column."""
    return stripped(column).casefold() == "id"


def given_id(row: FileRow) -> int | None:
    """The id in a row. Raises InvalidBody."""
    given = next((value for column, value in row.filled.items() if is_id(column)), None)
    if given is None:
        return None
    digits = stripped(str(given))
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and int(digits)):
        raise InvalidBody("id: must be a whole number, 1 or more.")
    return int(digits)


def _creation(resource: AnyResource, row: FileRow) -> WriteIntent:
    if resource.create is None:
        raise InvalidBody(f"id: {resource.title} cannot be created, so every row needs an id.")
    members = {one.field.name: _sendable(one) for one in _given(resource.create, row)}
    if not members:
        raise InvalidBody(f"nothing in it is a field of {with_article(resource.singular)}")
    return planned_changes.creation(resource, body_of(resource.create, members))


class _State(enum.Enum):
    """The state of a member of a record in a file."""

    SAME = enum.auto()
    LEFT = enum.auto()
    """It has what was exported, and others have changed that since."""
    REWRITTEN = enum.auto()
    """A spreadsheet has written in another way what is there, or what was exported."""
    EDITED = enum.auto()


class _Given(NamedTuple):
    """A member in a row: its column, what stands there, and that as a request takes it."""

    column: str
    field: Field
    cell: object
    value: object
    is_cell: bool
    state: _State = _State.EDITED


def _compared(
    resource: AnyResource, row: FileRow, record: Record | None, exported: Record | None
) -> list[_Given]:
    """The members of a row, those that are no more than compared first. Raises InvalidBody."""
    if record is None:
        raise InvalidBody(f"id: there is no {resource.singular} with this id.")
    changeable = _names(resource.update)
    fixed = () if resource.create is None else _given(resource.create, row)
    given = () if resource.update is None else _given(resource.update, row)
    members = [*(one for one in fixed if one.field.name not in changeable), *given]
    return [one._replace(state=_state(one, record, exported)) for one in members]


def _names(model: type[Body] | None) -> set[str]:
    return set() if model is None else set(model.model_fields)


def _change(
    resource: AnyResource, record: Record, members: Iterable[_Given], kept: KeptMembers
) -> WriteIntent | None:
    """The write that makes a record what a row says; None where it is. Raises InvalidBody."""
    model, edited = resource.update, [one for one in members if one.state is _State.EDITED]
    changeable = _names(model)
    for one in edited:
        if one.field.name not in changeable:
            raise InvalidBody(f"{one.column}: this cannot be {'emptied' if one.value == '' else 'changed'}.")
    if model is None or not edited:
        return None
    named = {one.field.name: _sendable(one) for one in edited}
    changed = checked_members(resource, model, kept, named)
    body = planned_changes.body_for(model, record, changed, kept.sendable)
    intent = planned_changes.update_of(resource, record, body, kept=kept.sendable)
    return intent if planned_changes.has_effect(intent, model) else None


def _state(given: _Given, record: Record, exported: Record | None) -> _State:
    if _is_same(record, given):
        return _State.SAME
    if exported is not None and _is_same(exported, given):
        return _State.LEFT
    seen = (record,) if exported is None else (record, exported)
    return _State.REWRITTEN if any(_is_rewritten(one, given) for one in seen) else _State.EDITED


def _is_same(record: Record, given: _Given) -> bool:
    """Return whether a record says of a member what the file says."""
    own = _own(record, given)
    if own is None:
        return given.value == ""
    text = _text(own)
    return given.value == own or str(given.value) == text or given.cell in (text, safe_cell(text))


def _is_rewritten(record: Record, given: _Given) -> bool:
    own = _own(record, given)
    if own in (None, "") or not given.is_cell or given.value == "":
        return False
    return is_rewritten(str(given.cell).strip(), _text(own).strip())


def _own(record: Record, given: _Given) -> object:
    """The value of a member as it was sent; as text where it could not be understood."""
    record = as_sent(record)
    name = given.column if given.column in type(record).model_fields else given.field.name
    return record.odd[name] if name in record.odd else getattr(record, name, None)


def _text(own: object) -> str:
    return str(own).lower() if isinstance(own, bool) else str(own)


def _sendable(given: _Given) -> object:
    """The value of a member. Raises InvalidBody for one that nobody has written so."""
    if given.is_cell and given.field.kind is not Kind.SECRET and is_spoilt(str(given.cell).strip()):
        raise InvalidBody(f"{given.column}: {REWRITTEN}.")
    try:
        check_values(given.value)
    except ValueError as error:
        raise InvalidBody(f"{given.column}: {error}.") from None
    return given.value


def _given(model: type[Body], row: FileRow) -> Iterator[_Given]:
    """The members of a row that a request has. Raises InvalidBody."""
    for column, cell in row.members.items():
        if (field := _field(model, column)) is not None:
            value = unquoted(cell) if row.are_cells and isinstance(cell, str) else cell
            try:
                yield _Given(column, field, cell, typed(field, value), row.are_cells)
            except ValueError as error:
                raise InvalidBody(f"{column}: {error}.") from None


def _field(model: type[Body], column: str) -> Field | None:
    """The field that a column is, by its name or its title in any case."""
    wanted = folded(stripped(column))
    fields = fields_of(model)
    by_name = next((field for field in fields if field.name == column), None)
    return by_name or next((field for field in fields if folded(field.title) == wanted), None)


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


def ignored_words(plan: ImportPlan) -> str:
    """Return which columns no request has: `Ignored (cannot be sent): Link`; "" for none."""
    return f"Ignored (cannot be sent): {', '.join(plan.ignored)}." if plan.ignored else ""


def kept_words(plan: ImportPlan) -> str:
    """Return that rows are left as others have changed them: `2 rows …: 4, 7`; "" for none."""
    if not plan.kept:
        return ""
    rows = ", ".join(map(str, plan.kept))
    return f"{counted(len(plan.kept), 'row')} not edited here, changed elsewhere since, left so: {rows}."


def not_exported_words(plan: ImportPlan, lines: Sequence[ImportLine]) -> str:
    """Return how many of some lines come from no export that is known here; "" for none."""
    number = sum(line.row in plan.not_exported for line in lines)
    rows = counted(number, "row")
    return (
        f"{rows} of no export known here: every value that differs from the service is sent."
        if number
        else ""
    )


def rewritten_words(plan: ImportPlan) -> str:
    """Return which cells are left out as a spreadsheet has rewritten them: `Tag in row 4`; "" for none."""
    if not plan.rewritten:
        return ""
    columns: dict[str, list[str]] = {}
    for row, column in plan.rewritten:
        columns.setdefault(column, []).append(str(row))
    told = "; ".join(
        f"{column} in {'row' if len(rows) == 1 else 'rows'} {', '.join(rows)}"
        for column, rows in columns.items()
    )
    return f"Rewritten by a spreadsheet, left as it is: {told}."


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
        if not is_id(column) and not any(_field(model, column) for model in models)
    ]
