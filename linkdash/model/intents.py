"""What is to be done, as write intents: create, edit, edit many, delete, undo. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, create_model

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import Kind, Labels, fields_of
from linkdash.api.model import Body, Record
from linkdash.api.resource import body_of
from linkdash.model.forms import Change, flag_word, text_of
from linkdash.model.humanize import numbered
from linkdash.model.resource import Resource
from linkdash.store.journal import JournalEntry, Outcome, WriteIntent

T = TypeVar("T", bound=Record)

UNDO_REACHES = 500
"""Entries of the journal, the newest first, among which a change to undo is looked for."""

OLD = 600.0
"""Seconds after which a record is old enough to be read again before its own values are sent back."""

_BELOW = "    "
_NOT_SHOWN = frozenset({Kind.SECRET, Kind.PAYLOAD})

# ---- one record ----


def creation(resource: Resource[T], body: Body) -> WriteIntent:
    """A record is created."""
    params = body.given()
    named = next(column.name for column in resource.columns if column.grow)
    name = params.get(named) or params.get("name") or next(iter(params.values()), "")
    summary = f"create {resource.singular} {str(name)!r}"
    return WriteIntent(resource.id, "create", (), params, summary, body=body)


def update(resource: Resource[T], record: T, body: Body) -> WriteIntent:
    """A record is changed."""
    params, values = body.given(), values_of(record, type(body))
    before = {name: values.get(name) for name in params}
    summary = f"edit {_named(resource, record)}"
    return WriteIntent(resource.id, "update", (record.id,), params, summary, before, body)


def deletion(resource: Resource[T], record: T) -> WriteIntent:
    """A record is deleted."""
    return WriteIntent(resource.id, "delete", (record.id,), {}, f"delete {_named(resource, record)}")


def _named(resource: Resource[T], record: T) -> str:
    return f"{resource.singular} {numbered(record.id, resource.name_of(record))}"


# ---- many records ----


def updates(resource: Resource[T], model: type[Body], records: Sequence[T], body: Body) -> list[WriteIntent]:
    """What was filled in is set on every record that does not have it already. Raises InvalidBody."""
    given = body.given()
    if not given:
        raise InvalidBody("Nothing is filled in.", "Fill in what to change.")
    intents = [update(resource, record, body_for(model, record, given)) for record in records]
    wanted = [intent for intent in intents if has_effect(intent, model)]
    if not wanted:
        raise InvalidBody("All of them have this already.", "There is nothing to send.")
    return wanted


YesNo = Literal["yes", "no"]
"""A switch that can also be left alone."""


@cache
def for_all(model: type[Body], record: type[Record]) -> type[Body]:
    """A request model of what every one of several records is to get.

    Nothing is needed that each record has of its own, and a switch can be left alone.
    """
    changed: dict[str, Any] = {}
    for field in fields_of(model):
        info = model.model_fields[field.name]
        about = Field(default="", title=field.title, description=field.help)
        if field.kind is Kind.FLAG:
            changed[field.name] = (YesNo, about)
        elif field.required and field.name in record.model_fields:
            changed[field.name] = (Annotated[info.annotation, *info.metadata], about)
    return create_model(f"{model.__name__}ForAll", __base__=model, **changed)


def body_for(model: type[Body], record: Record, given: Mapping[str, object]) -> Body:
    """The body that sets `given` on one record, with what of its own is always sent. Raises InvalidBody."""
    required = {name for name, info in model.model_fields.items() if info.is_required()}
    own = {name: value for name, value in values_of(record, model).items() if name in required}
    return body_of(model, {**own, **given})


def values_of(record: Record, model: type[Body]) -> Mapping[str, object]:
    """What a record says of the members of a request model."""
    return {name: record.whole(name) for name in model.model_fields if name in type(record).model_fields}


def described(intent: WriteIntent, model: type[Body] | None) -> list[str]:
    """What a write does; of an update each change below it: `edit campaign 12 (Spring)`, `Public: no → yes`.

    What stays as it is goes without saying. Secrets and the contents of codes are left out.
    """
    changes = [] if intent.action != "update" or model is None else _changes(intent, model)
    return [intent.summary, *(f"{_BELOW}{change}" for change in changes)]


def has_effect(intent: WriteIntent, model: type[Body]) -> bool:
    """Whether an update changes anything, as far as the service has shown what is there."""
    not_shown = any(field.kind in _NOT_SHOWN for field in fields_of(model) if field.name in intent.params)
    return not_shown or bool(_changes(intent, model))


def _changes(intent: WriteIntent, model: type[Body]) -> list[Change]:
    before = intent.before or {}
    return [
        Change(field.title, was, will or "")
        for field in fields_of(model)
        if field.name in intent.params and field.kind not in _NOT_SHOWN
        if (was := _text(before.get(field.name), field.labels))
        != (will := _text(intent.params[field.name], field.labels))
    ]


def _text(value: object, labels: Labels) -> str | None:
    """A value as a person reads it; None for one that the service does not show."""
    if isinstance(value, bool):
        return flag_word(text_of(value))
    return None if value is None else text_of(labels.of(value))


# ---- a record that others may have changed ----


def three_sides(model: type[Body], then: Record, now: Record, intent: WriteIntent) -> list[str]:
    """What others changed meanwhile, in lines: as it was read, as it is now, and what is to be sent."""
    was, at_present = values_of(then, model), values_of(now, model)
    return [
        line
        for field in fields_of(model)
        if field.kind not in _NOT_SHOWN and was.get(field.name) != at_present.get(field.name)
        for line in _sides(
            field.title,
            *(
                _text(values.get(field.name), field.labels) or "(empty)"
                for values in (was, at_present, {**at_present, **_own(model, intent)})
            ),
        )
    ]


def _sides(title: str, was: str, is_now: str, yours: str) -> list[str]:
    return [title, f"{_BELOW}was   {was}", f"{_BELOW}is    {is_now}", f"{_BELOW}will  {yours}"]


def rebased(resource: Resource[T], model: type[Body], now: T, intent: WriteIntent) -> WriteIntent:
    """The same change of a record as it is now: what the person left alone stays. Raises InvalidBody."""
    return update(resource, now, body_for(model, now, _own(model, intent)))


def _own(model: type[Body], intent: WriteIntent) -> Mapping[str, object]:
    """The members that the person changed, rather than those that are always sent."""
    labels = {field.name: field.labels for field in fields_of(model)}
    before = intent.before or {}
    return {
        name: value
        for name, value in intent.params.items()
        if _text(before.get(name), labels[name]) != _text(value, labels[name])
    }


# ---- undo ----


def last_change(entries: Iterable[JournalEntry], resource: str, id: int) -> JournalEntry | None:
    """The newest update of a record that was done, of `entries` with the newest first."""
    return next((entry for entry in entries if _is_change(entry, resource, id)), None)


def _is_change(entry: JournalEntry, resource: str, id: int) -> bool:
    intent = entry.intent
    return (intent.action, intent.resource, intent.record_id) == ("update", resource, id) and _was_done(entry)


def _was_done(entry: JournalEntry) -> bool:
    settled = entry.settlement is not None and entry.settlement.happened
    return entry.outcome is Outcome.DONE or settled


def values_before(entry: JournalEntry) -> Mapping[str, object] | None:
    """The members that a change has changed, as they were; None where one was never shown."""
    body, before = entry.intent.params, entry.intent.before or {}
    shown = {name: value for name, value in before.items() if value is not None}
    return shown if shown and shown.keys() >= body.keys() else None
