"""The base of every record and every request body."""

from collections.abc import Callable, Collection, Hashable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from types import NoneType
from typing import TYPE_CHECKING, Self, TypeVar, get_args

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SecretStr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo

from linkdash.api.fields import Identifier
from linkdash.api.http.request import Answer
from linkdash.api.http.secrecy import MASK, excerpt, is_secret, masked
from linkdash.api.inert_text import encodable, safe_text

M = TypeVar("M", bound="Model")

_set = object.__setattr__  # what has to be set on each of 100,000 records

MOST_MEMBERS = 1_000
"""A row with more members is no record: the reference knows none with more than a dozen."""
_LONGEST_ODD = 2_000


class Model(BaseModel):
    """A part of an answer. Unknown members are kept; no secret reaches a repr, a dump or an error.

    Texts are what the service sent, control characters and all; those of a client with `safe_text` are safe
    to show, and `as_sent` has the others.

    A member that could not be understood is None or empty here, and its text is in `odd` under the
    field's name, so that it can be shown as it came.
    """

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        hide_input_in_errors=True,
        populate_by_name=True,
        defer_build=True,  # a validator is built when first used: the start needs one of them
    )

    # Private attributes of pydantic's own take twice the time and memory of the record itself.
    __slots__ = ("_answer", "_is_marked", "_odd", "_raw")
    if TYPE_CHECKING:
        _odd: Mapping[str, str] | None = None
        _raw: Mapping[str, object] | None = None
        _answer: Answer | None = None
        _is_marked: bool = False
        """True where a text of it may be another than the service sent, to be safe to show."""

    def model_post_init(self, context: object, /) -> None:
        """Nothing is known yet but the fields."""
        _set(self, "_odd", None)
        _set(self, "_raw", None)
        _set(self, "_answer", None)
        _set(self, "_is_marked", False)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Model)
            and super().__eq__(other)
            and (self._raw, self._odd) == (other._raw, other._odd)
        )

    @property
    def odd(self) -> Mapping[str, str]:
        """Members that could not be understood, as text."""
        return self._odd or {}

    @property
    def raw(self) -> Mapping[str, object]:
        """The members as they came, under the reference's own names, secrets and all."""
        return self._raw or {}

    @property
    def answer(self) -> Answer | None:
        """The answer this came in, with status and headers; None for a row: its page has it."""
        return self._answer

    def answered(self, answer: Answer, raw: Mapping[str, object] | None = None) -> Self:
        """The same, with the answer it came in."""
        _set(self, "_answer", answer)
        if raw is not None:
            _set(self, "_raw", raw)
        return self

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        return [(name, getattr(self, name)) for name in type(self).model_fields]

    @model_serializer(mode="wrap")
    def _without_secrets(self, dump: SerializerFunctionWrapHandler) -> object:
        """Members the model does not know can be secrets too."""
        return masked(dump(self))


def made_safe(part: M) -> M:
    """A part of an answer that was just read, its texts made safe to show."""
    members = vars(part)
    is_marked = False
    for name in _with_texts(type(part)):
        value = members[name]
        if type(value) is not str:
            members[name] = _safe(value)
            is_marked = True
        elif not (value.isascii() and value.isprintable()):  # nearly all texts are
            members[name] = safe = safe_text(value)
            is_marked = is_marked or safe != value
    if extra := part.__pydantic_extra__:
        others = {encodable(safe_text(name)): _safe(value) for name, value in extra.items()}
        if others != extra:
            extra.clear()
            extra.update(others)
            is_marked = True
    if part._odd:
        _set(part, "_odd", {name: safe_text(text) for name, text in part._odd.items()})
        is_marked = True
    if is_marked:
        _set(part, "_is_marked", True)
    return part


_WITHOUT_TEXTS = frozenset({int, bool, float, NoneType, datetime, date, Decimal, SecretStr})


@cache
def _with_texts(model: type[Model]) -> tuple[str, ...]:
    """The names of the fields that can hold a text that is shown."""
    fields = model.model_fields.items()
    types = {name: {*get_args(field.annotation)} or {field.annotation} for name, field in fields}
    return tuple(name for name in types if not types[name] <= _WITHOUT_TEXTS)


def _safe(value: object) -> object:
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, Model):
        return made_safe(value)
    if isinstance(value, Mapping):
        return {_safe(name): _safe(inner) for name, inner in value.items()}
    return [*map(_safe, value)] if isinstance(value, list | tuple) else value


def as_sent(part: M) -> M:
    """The same with each text as the service sent it: to be written back, compared, exported or copied.

    What is in no text another, and no estimate, is that itself.
    """
    if not (part._is_marked or (isinstance(part, Record) and part.estimated)):
        return part
    sent = _read_again(part)
    return sent if isinstance(sent, type(part)) else part


def _read_again(part: Model) -> object:
    return type(part).read(part.raw) if isinstance(part, Record) else type(part).model_validate(part.raw)


class NestedModel(Model):
    """A part inside a record; what is odd in it costs neither the rest of it nor the record."""

    @model_validator(mode="wrap")
    @classmethod
    def _leniently(cls, data: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        part = _without_the_odd(cls, data, read)
        if isinstance(data, Mapping):
            _set(part, "_raw", data)
        return part


class EstimatedRow(dict[str, object]):
    """A row with members that were put there here, until the service says what they are."""

    def __init__(self, members: Mapping[str, object], estimated: Collection[str]) -> None:
        super().__init__(members)
        self.estimated = frozenset(estimated)
        """The names of their fields."""


class Record(Model):
    """A record of one resource."""

    id: Identifier

    @property
    def estimated(self) -> frozenset[str]:
        """The fields whose values the service has not told yet: they are estimates."""
        return self._raw.estimated if isinstance(self._raw, EstimatedRow) else _NONE

    def tells(self, name: str) -> bool:
        """Return whether the service has told a field, so that it could be understood."""
        return name in self.model_fields_set and name not in self.estimated

    def with_estimates(self, names: Collection[str]) -> Self:
        """The same, with the values of these fields as estimates."""
        if names:
            _set(self, "_raw", EstimatedRow(self.row, names))
        return self

    @property
    def row(self) -> Mapping[str, object]:
        """The members as they came, and those that are estimates."""
        return self._raw or {}

    @property
    def raw(self) -> Mapping[str, object]:
        """The members as they came, under the reference's own names, secrets and all."""
        if not (estimated := self.estimated):
            return self.row
        fields = type(self).model_fields
        names = {member for name in estimated for member in member_names(name, fields[name])}
        return {name: value for name, value in self.row.items() if name not in names}

    @property
    def key(self) -> Hashable:
        """Return the key that tells this record from all others of its list."""
        return self.id

    @classmethod
    def read(cls, raw: object, *, safe_text: bool = False) -> "Self | Unreadable":
        """The record in one row of an answer, or Unreadable for a row without an id; never raises.

        With `safe_text` its texts are safe to show.
        """
        if isinstance(raw, Mapping) and len(raw) > MOST_MEMBERS:
            return Unreadable.of(raw)
        try:
            record = _without_the_odd(cls, raw, cls.__pydantic_validator__.validate_python)
        except ValidationError:
            return Unreadable.of(raw)
        if isinstance(raw, Mapping):
            _set(record, "_raw", raw)
        _set(record, "__pydantic_fields_set__", _shared(frozenset(record.__pydantic_fields_set__)))
        if not record.__pydantic_extra__:
            _set(record, "__pydantic_extra__", _NO_EXTRA)
        return made_safe(record) if safe_text else record


@lru_cache(maxsize=1_000)
def _shared(names: frozenset[str]) -> set[str]:
    """Return one set for all records that have these fields: a set takes half a kilobyte."""
    return {*names}


_NO_EXTRA: dict[str, object] = {}
"""What all records without an unknown member share."""
_NONE: frozenset[str] = frozenset()


def member_names(name: str, field: FieldInfo) -> tuple[str, ...]:
    """The names under which the member of a field may come in an answer, the likeliest first."""
    alias = field.validation_alias
    aliases = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return (*(choice for choice in aliases if isinstance(choice, str)), name)


def _without_the_odd(model: type[M], data: object, read: Callable[[object], M]) -> M:
    """Return what `read` makes of `data`, with the members that fail left out and noted as odd.

    Raises ValidationError where that cannot help.
    """
    try:
        return read(data)
    except ValidationError:
        odd = dict[str, str]()
    while True:
        try:
            read_model = read(data)
        except ValidationError as error:
            if not isinstance(data, Mapping):
                raise
            failed = _failed_members(model, data, error)
            if not failed and (renamed := _named_in_characters(data)) != data:
                data = renamed
                continue
            if not failed:
                raise
            odd |= _as_texts(failed, data)
            data = {name: value for name, value in data.items() if name not in failed.values()}
        else:
            if odd:
                _set(read_model, "_odd", odd)
            return read_model


def _named_in_characters(data: Mapping[object, object]) -> dict[str, object]:
    """A map without halves of characters in the names of its members, which no model takes."""
    return {encodable(str(name)): value for name, value in data.items()}


def _failed_members(
    model: type[BaseModel], data: Mapping[object, object], error: ValidationError
) -> dict[str, str]:
    """The members that failed, by the name of their field; empty where leaving members out cannot help."""
    places = {str(problem["loc"][0]) for problem in error.errors(include_input=False) if problem["loc"]}
    failed = {}
    for name, field in model.model_fields.items():
        names = member_names(name, field)
        present = next((member for member in names if member in data), None)
        if present is not None and places.intersection(names):
            failed[name] = present
    return failed


def _as_texts(failed: Mapping[str, str], data: Mapping[object, object]) -> dict[str, str]:
    return {
        name: MASK if is_secret(str(member)) else _as_text(data[member]) for name, member in failed.items()
    }


def _as_text(value: object) -> str:
    """A text as it came; of another value as much as the user may want to read."""
    return value if isinstance(value, str) else excerpt(value, _LONGEST_ODD)


class Unreadable(Model):
    """A row of an answer that is no record of its resource: shown, never hidden, never acted on."""

    text: str
    """Its beginning, inert and without secrets."""

    _row: object = PrivateAttr(default=None)

    @property
    def row(self) -> object:
        """All of it as it came, secrets and all."""
        return self.text if self._row is None else self._row

    @property
    def key(self) -> Hashable:
        """Return the key that tells this row from all others of its list."""
        return ("unreadable", self.text)

    @classmethod
    def of(cls, raw: object) -> "Unreadable":
        row = cls(text=excerpt(raw))
        row._row = raw
        return row


class Body(BaseModel):
    """The body of a request. Only what was given is sent: unset is not null, cleared is not unset."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

    def given(self) -> dict[str, object]:
        """The JSON members to send; the reference knows no null, so None is not given."""
        return self.model_dump(mode="json", exclude_unset=True, exclude_none=True)
