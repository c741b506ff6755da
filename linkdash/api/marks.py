"""Marks that a request model puts into a field's `Annotated` metadata for those who ask a person for it."""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

M = TypeVar("M")


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
