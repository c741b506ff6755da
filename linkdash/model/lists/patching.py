"""Patching: a record as it is after a write, without another read."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from linkdash.api.http.request import Members
from linkdash.api.http.secrecy import is_secret
from linkdash.api.records import Record, Unreadable, member_names

if TYPE_CHECKING:
    from linkdash.model.declaration import Expected

T = TypeVar("T", bound=Record)


def patched(model: type[T], before: object, sent: Mapping[str, object], answer: Members) -> T | Unreadable:
    """The record as it must be now: what it was, over it what was sent, over that what was answered.

    `before` is the record as the service sent it, or None for a new one. Only members of the record count;
    secrets do not. Unreadable where the answer does not say the id of a new record. Texts are safe to show.
    """
    data = answer.get("data")
    told = {**answer, **data} if isinstance(data, Mapping) else answer
    after = dict(before) if isinstance(before, Mapping) else {}
    for name, field in model.model_fields.items():
        names = member_names(name, field)
        news = _first(told, names) or _first(sent, names)
        if news and not is_secret(name):
            after = {member: value for member, value in after.items() if member not in names}
            after[names[0]] = news[0]
    return model.read(after, safe_text=True)


def as_expected(model: type[T], before: object, expected: "Expected", answer: Members) -> T | Unreadable:
    """The record as a write makes it, as `patched`, with what only the service knows as estimates."""
    after = patched(model, before, {**expected.sent, **expected.beside}, answer)
    return after if isinstance(after, Unreadable) else after.with_estimates(expected.estimated)


def _first(members: Mapping[str, object], names: tuple[str, ...]) -> tuple[object] | None:
    """The value of a member under the first of its names; None where it has none, or null."""
    return next(((members[name],) for name in names if members.get(name) is not None), None)
