"""Planned changes, as write intents: create, edit, edit many, delete, undo. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BeforeValidator, Field, create_model

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.api.fields import NO_LABELS, Kind, Labels, fields_of, read_flag
from linkdash.api.inert_text import inert
from linkdash.api.records import Body, Record, as_sent
from linkdash.model.declaration import Resource
from linkdash.model.humanize import counted, shortened
from linkdash.model.writes.draft import Draft, FieldChange
from linkdash.model.writes.form_fields import content_parts, payload_names, texts_of
from linkdash.model.writes.kept_members import content_names, is_kept
from linkdash.model.writes.value_texts import flag_word, text_of
from linkdash.model.writes.write_words import subject
from linkdash.store.journal_entry import JournalEntry, WriteIntent

T = TypeVar("T", bound=Record)

UNDO_REACHES = 500
"""Entries of the journal, the newest first, among which a change to undo is looked for."""

_BELOW = "    "
NOTHING: Mapping[str, object] = MappingProxyType({})
_CONTENT_CELLS = 60
NEVER_SHOWN = frozenset({Kind.SECRET, Kind.PAYLOAD})
"""Kinds of members that no record shows: what they were cannot be told."""


class NothingToChange(InvalidBody):
    """The records have the values already that were given."""


# ---- one record ----


def creation(resource: Resource[T], body: Body) -> WriteIntent:
    """A record is created."""
    params = body.given()
    named = [params.get(resource.name_field), params.get("name"), _content(type(body), params)]
    others = [value for value in params.values() if not isinstance(value, bool)]
    name = str(next(filter(None, [*named, *others]), ""))
    return WriteIntent(resource.id, "create", (), params, (name,), is_kept=is_kept(type(body)), body=body)


def _content(model: type[Body], params: Mapping[str, object]) -> str:
    """The first part of a content, by which a record without a name is known: a target, a network; or ""."""
    parts = [part for name in payload_names(model) for part in content_parts(params.get(name))]
    return shortened(inert(parts[0]), _CONTENT_CELLS) if parts else ""


def is_nameless(resource: Resource[T], intent: WriteIntent) -> bool:
    """Return whether a record is created without the name that it could have."""
    model, name = resource.create, resource.name_field
    could_have = model is not None and name in model.model_fields
    return intent.action == "create" and could_have and not intent.params.get(name)


class Anew(NamedTuple):
    """The values that create a record anew, as far as they are known, and the titles of all others."""

    known: Mapping[str, object]
    missing: Sequence[str]

    @property
    def to_type(self) -> str:
        """The sentence about what has to be typed again; "" where all is known."""
        return f"To be typed again: {', '.join(self.missing)}." if self.missing else ""


def anew(resource: Resource[T], model: type[Body], record: T, entries: Iterable[JournalEntry]) -> Anew:
    """The values that create a record anew: as the record shows them, else as they were sent from here.

    `entries` have the newest first. A secret is never known.
    """
    sent: dict[str, object] = {}
    for entry in entries:
        intent = entry.intent
        if entry.was_done and (intent.resource, entry.record_id) == (resource.id, record.id):
            left_alone = dict.fromkeys(model.model_fields) if intent.action == "create" else {}
            sent = {**left_alone, **intent.params, **sent}
    known = {**sent, **values_of(record, model), **resource.as_created(as_sent(record))}
    missing = [
        field.title for field in fields_of(model) if field.kind is Kind.SECRET or field.name not in known
    ]
    return Anew(known, missing)


def update_of(
    resource: Resource[T],
    record: T,
    body: Body,
    undoes: str | None = None,
    kept: Mapping[str, object] = NOTHING,
) -> WriteIntent:
    """A record is changed, or given back the values from before the change of this origin.

    `kept` is what the journal keeps of it.
    """
    model, params = type(body), body.given()
    values = {name: value for name, value in values_of(record, model).items() if record.tells(name)}
    before = {**kept, **{name: values.get(name, kept.get(name)) for name in params}}
    names = (resource.name_of(record),)
    return WriteIntent(
        *(resource.id, "update", (record.id,), params, names, before, undoes),
        is_kept=is_kept(model),
        body=body,
    )


def deletion(resource: Resource[T], record: T, read_at: datetime | None = None) -> WriteIntent:
    """A record is deleted, and what it was is kept; with `read_at` only as it was read then."""
    before, names = given_values(resource, record), (resource.name_of(record),)
    return WriteIntent(resource.id, "delete", (record.id,), {}, names, before, read_at=read_at)


def given_values(resource: Resource[T], record: T) -> Mapping[str, object]:
    """The values that people have given a record, as far as they are shown; counts and dates are none."""
    models = [model for model in (resource.create, resource.update) if model is not None]
    names = {resource.name_field} | {name for model in models for name in model.model_fields}
    sent = as_sent(record)
    return {
        field.name: getattr(sent, field.name)
        for field in fields_of(resource.record)
        if field.name in names and field.kind not in NEVER_SHOWN
    }


# ---- many records ----


def updates_of(
    resource: Resource[T],
    model: type[Body],
    records: Sequence[T],
    body: Body,
    read_at: Mapping[int, datetime],
) -> list[WriteIntent]:
    """Return updates that set the input on every record that does not have it already.

    `read_at` is when each was read, by id. Raises InvalidBody.
    """
    given = body.given()
    if not given:
        raise InvalidBody("Nothing is filled in.", "Fill in what to change.")
    intents = [
        replace(
            update_of(resource, record, body_for(model, record, given)),
            read_at=read_at[record.id],
        )
        for record in records
    ]
    wanted = [intent for intent in intents if has_effect(intent, model)]
    if not wanted:
        raise NothingToChange("All of them have this already.", "There is nothing to send.")
    return wanted


def made_alike(resource: Resource[T], intents: Sequence[WriteIntent]) -> list[str]:
    """Sentences about the names and addresses that several records get by these updates, the same each."""
    fields = fields_of(resource.update) if resource.update is not None else ()
    told: list[str] = []
    for field in fields:
        if field.unique or field.name == resource.name_field:
            given = ((one.params.get(field.name), (one.before or {}).get(field.name)) for one in intents)
            count = Counter(value for value, before in given if value and value != before)
            told += [
                f"{counted(number, resource.singular)} get the same {field.title.lower()}: {value}."
                for value, number in count.items()
                if number > 1
            ]
    return told


YesNo = Literal["yes", "no"]
"""A switch that can also be left alone."""


def _as_yes_or_no(value: object) -> object:
    """A switch as it may be spelled; what is none is left to be refused, and nothing leaves it alone."""
    try:
        flag = None if value == "" else read_flag(value)
    except ValueError:
        flag = None
    return value if flag is None else "yes" if flag else "no"


@cache
def for_all(model: type[Body], record: type[Record]) -> type[Body]:
    """A request model of what every one of several records is to get.

    Nothing is needed that each record has of its own, and a switch can be left alone.
    """
    changed: dict[str, Any] = {}  # what create_model takes
    for field in fields_of(model):
        info = model.model_fields[field.name]
        about = Field(default="", title=field.title, description=field.help)
        if field.kind is Kind.FLAG:
            changed[field.name] = (Annotated[YesNo, BeforeValidator(_as_yes_or_no)], about)
        elif field.required and field.name in record.model_fields:
            changed[field.name] = (Annotated[info.annotation, *info.metadata], about)
    return create_model(f"{model.__name__}ForAll", __base__=model, **changed)


def body_for(
    model: type[Body], record: Record, given: Mapping[str, object], kept: Mapping[str, object] = NOTHING
) -> Body:
    """The body that sets `given` on one record, with what of its own is always sent. Raises InvalidBody.

    `kept` is what the journal keeps of it.
    """
    known = {**kept, **values_of(record, model)}
    own = {name: known[name] for name in always_sent(model) if name in known}
    return body_of(model, {**own, **given})


def always_sent(model: type[Body]) -> Sequence[str]:
    """The members that every request has, whatever is changed."""
    return [name for name, info in model.model_fields.items() if info.is_required()]


def values_of(record: Record, model: type[Body]) -> Mapping[str, object]:
    """Return what a record says of the members of a request model, each text as it was sent."""
    sent = as_sent(record)
    return {name: getattr(sent, name) for name in model.model_fields if name in type(record).model_fields}


def described(intent: WriteIntent, model: type[Body] | None) -> list[str]:
    """Return the subject of a write, with changes below it: `Spring (12)`, `Public: no → yes`.

    What stays as it is goes without saying. Secrets are left out, and contents of codes that are not known.
    """
    changes = [] if intent.action != "update" or model is None else _changes(intent, model)
    return [subject(intent), *(f"{_BELOW}{change}" for change in changes)]


def values_sent(intent: WriteIntent, model: type[Body]) -> list[str]:
    """The values of a record to be made, `Type: Bing`, without that in its summary. Secrets are left out."""
    given = [
        (field.title, value_text(intent.params[field.name], field.labels))
        for field in fields_of(model)
        if field.name in intent.params and field.kind not in NEVER_SHOWN
    ]
    return [f"{title}: {text}" for title, text in given if text and text != intent.name()]


def all_described(intents: Iterable[WriteIntent], model: type[Body] | None) -> list[str]:
    """Several writes, each as `described`."""
    return [line for intent in intents for line in described(intent, model)]


def has_effect(intent: WriteIntent, model: type[Body]) -> bool:
    """Return whether an update changes anything, as far as the service has shown what is there."""
    not_shown = any(field.kind in NEVER_SHOWN for field in fields_of(model) if field.name in intent.params)
    return not_shown or bool(_changes(intent, model))


def changes_between(
    resource: Resource[T], before: Mapping[str, object], now: Mapping[str, object]
) -> list[FieldChange]:
    """Return what was changed between two readings of the values of a record."""
    texts = [
        (field.title, *(value_text(values.get(field.name), field.labels) or "" for values in (before, now)))
        for field in fields_of(resource.record)
    ]
    return [FieldChange(title, was, will) for title, was, will in texts if was != will]


def _changes(intent: WriteIntent, model: type[Body]) -> list[FieldChange]:
    before = intent.before or {}
    shown = [
        FieldChange(field.title, was, will or "")
        for field in fields_of(model)
        if field.name in intent.params and field.kind not in NEVER_SHOWN
        if (was := value_text(before.get(field.name), field.labels))
        != (will := value_text(intent.params[field.name], field.labels))
    ]
    return [*_content_changes(model, before, intent.params), *shown]


def _content_changes(
    model: type[Body], before: Mapping[str, object], params: Mapping[str, object]
) -> Sequence[FieldChange]:
    """The changes of contents, part by part, where it is known what they were."""
    names = content_names(model)
    known = {name: value for name, value in before.items() if name in names}
    if not known:
        return ()
    sent = {name: value for name, value in params.items() if name in names}
    return replace(Draft.update(model, known), values=texts_of(model, {**known, **sent})).changes()


def value_text(value: object, labels: Labels) -> str | None:
    """A value as the user reads it; None for one that the service does not show."""
    if isinstance(value, bool):
        return flag_word(text_of(value))
    return None if value is None else text_of(labels.of(value))


# ---- the same update of another state of its record ----


def as_seen(resource: Resource[T], intent: WriteIntent, seen: T, at: datetime | None) -> WriteIntent:
    """The same update of a record of which its user has seen an earlier state.

    What it changes of that is compared with what is there when it is sent. A member that already had the
    value then is one of which nothing was seen.
    """
    if (model := resource.update) is None:
        return intent
    known, wanted = values_of(seen, model), named_members(model, intent)
    before = {
        name: None if known[name] == value else known[name] for name, value in wanted.items() if name in known
    }
    return replace(intent, before={**(intent.before or {}), **before}, read_at=at)


def rebased(resource: Resource[T], model: type[Body], now: T, intent: WriteIntent) -> WriteIntent:
    """The same change of a record as it is now: what the user left alone stays. Raises InvalidBody."""
    body = body_for(model, now, named_members(model, intent), intent.params)
    return update_of(resource, now, body, intent.undoes, intent.before or {})


def named_members(model: type[Body], intent: WriteIntent) -> Mapping[str, object]:
    """The members that the user changed, rather than those that are always sent."""
    labels = {field.name: field.labels for field in fields_of(model)}
    before = intent.before or {}
    return {
        name: value
        for name, value in intent.params.items()
        if value_text(before.get(name), labels.get(name, NO_LABELS))
        != value_text(value, labels.get(name, NO_LABELS))
    }


# ---- undo ----

UNDOABLE = ("update", "subscribe")
"""What can be undone: by giving back the values from before, by subscribing to the plan before."""


def last_change(entries: Iterable[JournalEntry], resource: str, id: int) -> JournalEntry | None:
    """The newest edit or subscription of a record that was done, of `entries` with the newest first."""
    return next((entry for entry in entries if is_change(entry, resource, id)), None)


def is_change(entry: JournalEntry, resource: str, id: int) -> bool:
    """Return whether an entry is an edit or a subscription of a record that was done."""
    intent = entry.intent
    is_of_it = (intent.resource, intent.record_id) == (resource, id)
    return is_of_it and intent.action in UNDOABLE and entry.was_done


def last_write(entries: Iterable[JournalEntry], resource: str) -> JournalEntry | None:
    """The newest write to a resource that was done, of `entries` with the newest first."""
    return next((one for one in entries if one.intent.resource == resource and one.was_done), None)


def values_before(entry: JournalEntry, content: Mapping[str, object] | None) -> Mapping[str, object] | None:
    """The members that a change has changed, as they were; None where one was never shown.

    `content` is what of the record before can be sent again, as `kept_before` has it.
    """
    changed = _replaced(entry.intent, content)
    return changed if changed and None not in changed.values() else None


def not_known_before(
    intent: WriteIntent, content: Mapping[str, object] | None, model: type[Body]
) -> Sequence[str]:
    """The titles of members that a change changes and that were never shown, so that it cannot be undone."""
    changed = _replaced(intent, content)
    return [
        field.title for field in fields_of(model) if field.name in changed and changed[field.name] is None
    ]


def _replaced(intent: WriteIntent, content: Mapping[str, object] | None) -> dict[str, object]:
    """The members that a change changes, as they were before; None for one that was never shown."""
    shown = {name: value for name, value in (intent.before or {}).items() if value is not None}
    before = {**(content or {}), **shown}
    return {name: before.get(name) for name, value in intent.params.items() if before.get(name) != value}
