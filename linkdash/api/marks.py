"""Marks in a field's `Annotated` metadata, for those who show it or ask a person for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Labels:
    """What people call the words that a field can hold; the words are what is sent, kept and handed on."""

    names: Mapping[str, str] = field(default_factory=dict, hash=False)

    def of(self, value: object) -> object:
        """What is shown for a value: its label, where it is a word that has one."""
        return self.names.get(value, value) if isinstance(value, str) else value


NO_LABELS = Labels()


@dataclass(frozen=True, slots=True)
class PayloadOf:
    """Stands beside `Kind.PAYLOAD`: the content of a QR code, whose shape follows the member `type_field`."""

    type_field: str


@dataclass(frozen=True, slots=True)
class Twice:
    """A text that is asked for twice, because nobody can see what was typed."""


def mark_of(model: type[BaseModel], name: str, mark: type[M]) -> M | None:
    """The mark of this class on the field `name`, if it has one."""
    return next((item for item in model.model_fields[name].metadata if isinstance(item, mark)), None)
