"""Setting members on many records at once: only what was typed is sent, to each of them. Pure."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from linkdash.api.fields import Kind, fields_of
from linkdash.api.marks import Labels
from linkdash.api.model import Body, Record
from linkdash.api.resource import body_of
from linkdash.model.forms.draft import Change
from linkdash.model.forms.layout import flag_word, text_of
from linkdash.store.tasks import Task

_BELOW = "\n    "
_NOT_TOLD = frozenset({Kind.SECRET, Kind.PAYLOAD})

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
        about = Field("", title=field.title, description=field.help)
        if field.kind is Kind.FLAG:
            changed[field.name] = (YesNo, about)
        elif field.required and field.name in record.model_fields:
            changed[field.name] = (Annotated[info.annotation, *info.metadata], about)
    return create_model(f"{model.__name__}ForAll", __base__=model, **changed)


def body_for(model: type[Body], record: Record, given: Mapping[str, object]) -> Body:
    """The body that sets `given` on one record, with what of its own is always sent. Raises InvalidBody."""
    required = {name for name, info in model.model_fields.items() if info.is_required()}
    own = {name: value for name, value in values_of(record, model).items() if name in required}
    return body_of(model, None, {**own, **given})


def values_of(record: Record, model: type[Body]) -> Mapping[str, object]:
    """What a record says of the members of a request model."""
    return {name: getattr(record, name) for name in model.model_fields if name in type(record).model_fields}


def update_words(task: Task, model: type[Body]) -> str:
    """What an update does to its record: `change campaign 12 (Spring)`, below it `Public: no → yes`.

    What stays as it is goes without saying. Secrets and the contents of codes are left out.
    """
    return _BELOW.join([task.words, *map(str, _changes(task, model))])


def has_effect(task: Task, model: type[Body]) -> bool:
    """Whether an update changes anything, as far as the service has shown what is there."""
    untold = any(field.kind in _NOT_TOLD for field in fields_of(model) if field.name in task.params)
    return untold or bool(_changes(task, model))


def _changes(task: Task, model: type[Body]) -> list[Change]:
    before = task.before or {}
    return [
        Change(field.title, was, will or "")
        for field in fields_of(model)
        if field.name in task.params and field.kind not in _NOT_TOLD
        if (was := _text(before.get(field.name), field.labels))
        != (will := _text(task.params[field.name], field.labels))
    ]


def _text(value: object, labels: Labels) -> str | None:
    """A value as a person reads it; None for one that the service does not show."""
    if isinstance(value, bool):
        return flag_word(text_of(value))
    return None if value is None else text_of(labels.of(value))
