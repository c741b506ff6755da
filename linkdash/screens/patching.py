"""What a record is after a write, from what was sent and answered: the truth at no cost. Pure."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import AliasChoices

from linkdash.api.envelope import Members
from linkdash.api.model import Body, Record, Unreadable
from linkdash.api.secrecy import is_secret

T = TypeVar("T", bound=Record)


def patched(model: type[T], before: object, body: Body, answer: Members) -> T | Unreadable:
    """The record as it must be now: what it was, over it what was sent, over that what was answered.

    `before` is the record as the service sent it, or None for a new one. Only members of the record count;
    secrets do not. Unreadable where the answer does not say the id of a new record.
    """
    known = members_of(model)
    data = answer.get("data")
    told = {**answer, **data} if isinstance(data, Mapping) else answer
    sent = {name: value for name, value in body.given().items() if name in known and not is_secret(name)}
    answered = {name: value for name, value in told.items() if name in known}
    return model.read({**(before if isinstance(before, Mapping) else {}), **answered, **sent})


def members_of(model: type[Record]) -> frozenset[str]:
    """The names that members of a record have in an answer."""
    names = set(model.model_fields)
    for info in model.model_fields.values():
        alias = info.validation_alias
        if isinstance(alias, str):
            names.add(alias)
        elif isinstance(alias, AliasChoices):
            names |= {choice for choice in alias.choices if isinstance(choice, str)}
    return frozenset(names)
