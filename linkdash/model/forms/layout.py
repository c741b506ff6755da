"""Which inputs a request model asks for; each is a `Field` whose name is the path of its text in the form."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from linkdash.api.fields import Field, Kind, PayloadOf, Twice, fields_of, mark_of
from linkdash.api.model import Body
from linkdash.api.payloads import PAYLOADS
from linkdash.model.forms.texts import default_texts, part_path

TypesAt = Callable[[str], Iterable[str]]
"""The payload types to lay out for the type whose path is given."""

AGAIN = ".again"
"""The end of the path of a text that is asked for twice."""


def type_field(model: type[Body], name: str) -> str:
    """The path of the type that decides about the parts of the payload `name`."""
    mark = mark_of(model, name, PayloadOf)
    if mark is None:
        raise TypeError(f"{model.__name__}.{name} is a payload without PayloadOf")
    return mark.type_field


def shown_fields(model: type[Body], values: Mapping[str, str]) -> tuple[Field, ...]:
    """The inputs to show while the form holds these texts, in order."""
    return tuple(_fields(model, lambda path: (values.get(path, ""),)))


def every_field(model: type[Body]) -> tuple[Field, ...]:
    """The inputs that the form may ever show: the parts of payloads of every type among them."""
    return tuple(_fields(model, lambda _path: tuple(PAYLOADS)))


def every_default(model: type[Body]) -> dict[str, str]:
    """What holds where nothing is typed, by path: in the parts of payloads of every type too."""
    defaults = default_texts(model)
    for name in payload_names(model):
        for type_, payload in PAYLOADS.items():
            parts = default_texts(payload).items()
            defaults |= {part_path(name, type_, part): text for part, text in parts}
    return defaults


def payload_names(model: type[Body]) -> tuple[str, ...]:
    """The fields of `model` that are payloads."""
    return tuple(item.name for item in fields_of(model) if item.kind is Kind.PAYLOAD)


def _fields(model: type[Body], types: TypesAt) -> Iterator[Field]:
    for item in fields_of(model):
        if item.kind is Kind.PAYLOAD:
            yield from _payload_fields(model, item, types)
            continue
        yield item
        if mark_of(model, item.name, Twice):
            again = f"{item.title} again"
            yield replace(item, name=item.name + AGAIN, title=again, help="The same once more")


def _payload_fields(model: type[Body], item: Field, types: TypesAt) -> Iterator[Field]:
    path = type_field(model, item.name)
    if path not in model.model_fields:
        yield Field(path, "Type", "What the code is to hold", Kind.CHOICE, item.required, tuple(PAYLOADS))
    for type_ in types(path):
        if type_ in PAYLOADS:
            for part in fields_of(PAYLOADS[type_]):
                yield replace(part, name=part_path(item.name, type_, part.name))
