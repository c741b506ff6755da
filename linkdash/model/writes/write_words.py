"""The words for a write where it is one of many: its verb, its kind, the record, what is done to it. Pure."""

import re

from pydantic import BaseModel

from linkdash.api.fields import Field, fields_of
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.writes.form_fields import flag_word, text_of
from linkdash.store.journal_entry import UNDO, WriteIntent

_VERBS = {"update": "edit"}
_NUMBERED = re.compile(r"(\d+) \((.+)\)", re.DOTALL)
_JOINED = re.compile(r"(.+?) to (?:channel|campaign|plan) (\d.*)", re.DOTALL)


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


def name_and_what(intent: WriteIntent) -> tuple[str, str]:
    """The record that a write is about, and what it does to it.

    `Spring (12)` and `name → Autumn` of `edit campaign 12 (Spring)`; of what is assigned, `Wayfinding (29)`
    and `link 12`; of a subscription, `anna` and `to plan Pro (4), monthly`.
    """
    _, kind = verb_and_kind(intent)
    begins = UNDO if intent.summary.startswith(UNDO) else _VERBS.get(intent.action, intent.action)
    rest = intent.summary.removeprefix(f"{begins} ").removeprefix(f"{kind} ").strip("'")
    joined = _JOINED.fullmatch(rest)
    if joined and intent.action == "assign":
        return _named(joined[2]), joined[1]
    if joined and intent.action == "subscribe":
        plan, comma, term = joined[2].partition("), ")
        return _named(joined[1]), f"to plan {_named(plan + ')' if comma else plan)}{', ' * bool(comma)}{term}"
    return _named(rest), _changed(intent)


def _named(words: str) -> str:
    """`Spring (12)` of `12 (Spring)`."""
    found = _NUMBERED.fullmatch(words)
    return f"{found[2]} ({found[1]})" if found else words


def _changed(intent: WriteIntent) -> str:
    """The members that a write changes, `name → Spring`; of others what their summary does not say.

    A record that its summary calls by the new name says which it had: `name was Winter`; one that is deleted,
    what it was: `was Bing, tag BI-1`.
    """
    if intent.action == "delete":
        lost = _lost(intent)
        return f"was {lost}" if lost else ""
    before, is_edit = intent.before or {}, intent.action == "update"
    told = []
    for name, value in intent.params.items():
        if before.get(name) == value:
            continue
        if is_edit and before.get(name) and f"({value})" in intent.summary:
            told.append(f"{name} was {value_words(before[name])}")
        elif is_edit or str(value) not in intent.summary:
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


def subject(intent: WriteIntent) -> str:
    """A write under a title that tells its verb: `Spring (12)`, `anna (3) to plan Pro (4)`."""
    name, what = name_and_what(intent)
    match intent.action:
        case "assign":
            return f"{_named(what)} to {name}"
        case "subscribe":
            return f"{name} {what}"
        case _:
            return name
