"""The words for a write, made from its fields: verb, kind, records, what is done to them. Pure."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pydantic import BaseModel

from linkdash.api.fields import Field, fields_of
from linkdash.api.inert_text import inert
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.humanize import numbered
from linkdash.model.writes.value_texts import flag_word, text_of
from linkdash.store.journal_entry import WriteIntent

_VERBS = {"update": "edit"}


def verb_and_kind(intent: WriteIntent) -> tuple[str, str]:
    """The words for what a write does, and to which kind of record: `edit` or `undo`, `campaign`."""
    declared = declaration_of(intent.resource)
    kind = intent.resource if declared is None else declared.singular
    return "undo" if intent.is_undo else _VERBS.get(intent.action, intent.action), kind


def declaration_of(resource: str) -> AnyResource | None:
    """The declaration of a resource; None for one of another version."""
    try:
        return declaration(resource)
    except KeyError:
        return None


# ---- the records ----


class Party(NamedTuple):
    """A record that a write is about, in words."""

    kind: str
    id: int | None
    """None for one that is to be made, and for the one of a resource without a list."""
    name: str
    """Empty where it is not known."""

    @property
    def called(self) -> str:
        """Its name, or its id: `Spring`."""
        return inert(self.name) or ("" if self.id is None else str(self.id))

    @property
    def named(self) -> str:
        """Its name before its id, `Spring (12)`; its kind where it has neither."""
        if self.id is None:
            return inert(self.name) or self.kind
        return f"{inert(self.name)} ({self.id})" if self.name else str(self.id)

    @property
    def known_as(self) -> str:
        """The same, with its kind where its name is not known: `link 12`."""
        return self.named if self.name else f"{self.kind} {self.named}"


def record_of(intent: WriteIntent, position: int = 0) -> Party:
    """The record that a write is about; the second is the plan of a subscription."""
    _, kind = verb_and_kind(intent)
    id = intent.record_ids[position] if position < len(intent.record_ids) else None
    return Party(_other_kind(intent) if position else kind, id, intent.name(position))


def given_and_holder(intent: WriteIntent) -> tuple[Party, Party]:
    """The record that is assigned, and that to which: a code is given, a channel gets something."""
    own, other = record_of(intent), record_of(intent, 1)
    declared = declaration_of(intent.resource)
    is_given = declared is not None and declared.assigning is not None and declared.assigning.is_given
    return (own, other) if is_given else (other, own)


def _other_kind(intent: WriteIntent) -> str:
    declared = declaration_of(intent.resource)
    return (
        "record" if declared is None or declared.assigning is None else declared.assigning.other_kind(intent)
    )


# ---- sentences ----


def summary_of(intent: WriteIntent) -> str:
    """Return what a write does, in a sentence: `edit campaign 12 (Spring)`."""
    return intent.told or _sentence(intent, lambda one: numbered(one.id or 0, inert(one.name)))


def short_summary(intent: WriteIntent) -> str:
    """The same with the names alone of the records: `edit campaign Spring`."""
    return intent.told or _sentence(intent, lambda one: one.called)


def _sentence(intent: WriteIntent, words: Callable[[Party], str]) -> str:
    def of_kind(one: Party) -> str:
        return f"{one.kind} {words(one)}" if one.id is not None else one.kind

    own = record_of(intent)
    match intent.action:
        case "create":
            name = f"'{inert(own.name)}'" if own.name else WITHOUT_NAME
            return f"create {own.kind} {name}"
        case "update":
            return f"{'undo edit of' if intent.is_undo else 'edit'} {of_kind(own)}"
        case "assign":
            given, holder = given_and_holder(intent)
            return f"assign {of_kind(given)} to {of_kind(holder)}"
        case "subscribe":
            to = f"subscribe {of_kind(own)} to {of_kind(record_of(intent, 1))}{_term(intent)}"
            return f"{to}{_as_undo(intent)}"
        case _:
            return f"{intent.action} {of_kind(own)}"


WITHOUT_NAME = "without a name"


def _term(intent: WriteIntent) -> str:
    return f", {intent.params['type']}" if intent.params.get("type") else ""


def _as_undo(intent: WriteIntent) -> str:
    """Words for whether all of a subscription is as before another, or its plan alone."""
    if not intent.is_undo:
        return ""
    return ", as an undo" if intent.estimated else ", as before"


def name_and_what(intent: WriteIntent) -> tuple[str, str]:
    """The record that a write is about, and what it does to it.

    `Spring (12)` and `name → Autumn` of an edit; of what is assigned, `Wayfinding (29)` and `link 12`; of a
    subscription, `anna (7)` and `to plan Pro (4), monthly`. Of an earlier version, its words stand for both.
    """
    if intent.told:
        return intent.told, "" if intent.action in ("assign", "subscribe") else _changed(intent)
    match intent.action:
        case "create":
            return inert(intent.name()) or WITHOUT_NAME, _changed(intent)
        case "assign":
            given, holder = given_and_holder(intent)
            return holder.named, given.known_as
        case "subscribe":
            return record_of(intent).named, f"to plan {record_of(intent, 1).named}{_term(intent)}"
    return record_of(intent).named, _changed(intent)


def subject(intent: WriteIntent) -> str:
    """A write under a title that tells its verb: `Spring (12)`, `anna (3) to plan Pro (4)`."""
    name, what = name_and_what(intent)
    if intent.told or intent.action not in ("assign", "subscribe"):
        return name
    return f"{what} to {name}" if intent.action == "assign" else f"{name} {what}"


# ---- what is changed ----


def _changed(intent: WriteIntent) -> str:
    """The members that a write changes, `name → Spring`; of others what their name does not say.

    A record that is called by its new name says which it had: `name was Winter`; one that is deleted, what it
    was: `was Bing, tag BI-1`.
    """
    if intent.action == "delete":
        lost = _lost(intent)
        return f"was {lost}" if lost else ""
    before, is_edit = intent.before or {}, intent.action == "update"
    told = []
    for name, value in intent.params.items():
        if before.get(name) == value:
            continue
        is_in_name = bool(intent.name()) and str(value) == intent.name()
        if is_edit and before.get(name) and is_in_name:
            told.append(f"{name} was {value_words(before[name])}")
        elif is_edit or not is_in_name:
            told.append(f"{name}{' → ' if is_edit else ' '}{value_words(value)}")
    return ", ".join(told)


def values_changed(intent: WriteIntent) -> str:
    """The values that an edit replaces and sets, or that a delete loses, as the user reads them.

    `Tag A-1 → A-2`, `LinkedIn, tag A-1`; of any other write what `name_and_what` says it does.
    """
    _, what = name_and_what(intent)
    before, resource = intent.before or {}, intent.resource
    if intent.action == "delete":
        return _lost(intent)
    if intent.action != "update" or not before:
        return what
    told = []
    for member, value in intent.params.items():
        if member in before and before[member] != value:
            (title, now), (_, was) = titled(resource, member, value), titled(resource, member, before[member])
            told.append(f"{title} {was} → {now}")
    return " · ".join(told) or what


def _lost(intent: WriteIntent) -> str:
    """The values that a delete loses, but for the name that its summary says: `Bing, tag BI-1`.

    A word that is one of several to choose from says by itself what it is.
    """
    declared, told = declaration_of(intent.resource), []
    for member, value in (intent.before or {}).items():
        if value in (None, "") or (declared is not None and member == declared.name_field):
            continue
        field = _field_of(intent.resource, member)
        is_choice = field is not None and isinstance(value, str) and value in field.labels.names
        title, was = titled(intent.resource, member, value)
        told.append(was if is_choice else f"{title.lower()} {was}")
    return ", ".join(told)


def value_words(value: object) -> str:
    """A member's value as the user reads it."""
    if isinstance(value, bool):
        return flag_word(text_of(value))
    if isinstance(value, Mapping) and value:
        return ", ".join(f"{member} {value_words(of_member)}" for member, of_member in value.items())
    return "(empty)" if value in (None, "") else str(value)


def titled(resource: str, name: str, value: object) -> tuple[str, str]:
    """A member's title and its value as the user reads them; its own name where no model has it."""
    field = _field_of(resource, name)
    return (name, value_words(value)) if field is None else (field.title, value_words(field.labels.of(value)))


def _field_of(resource: str, name: str) -> Field | None:
    declared = declaration_of(resource)
    assignment = declared.assignment.model if declared is not None and declared.assignment else None
    bodies = () if declared is None else (declared.record, declared.update, declared.create, assignment)
    models: list[type[BaseModel]] = [body for body in bodies if body is not None]
    fields = (field for model in models for field in fields_of(model) if field.name == name)
    return next(fields, None)
