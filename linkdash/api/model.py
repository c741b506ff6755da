"""What every record and every request body has in common."""

from collections.abc import Hashable, Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from linkdash.api.fields import Identifier
from linkdash.api.secrecy import masked
from linkdash.api.text import inert


class Model(BaseModel):
    """A part of an answer. Unknown members are kept; neither they nor secrets reach a repr or an error."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True, populate_by_name=True)

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        return [(name, getattr(self, name)) for name in type(self).model_fields]


class Record(Model):
    """One record of a resource.

    A member that could not be understood is None or empty here, and its text is in `odd` under the
    field's name, so that it can be shown as it came.
    """

    id: Identifier

    _raw: object = PrivateAttr(default=None)
    _odd: dict[str, str] = PrivateAttr(default_factory=dict)

    @property
    def key(self) -> Hashable:
        """What tells this record from all others of its list."""
        return self.id

    @property
    def raw(self) -> object:
        """The record as it came, secrets and all."""
        return self._raw

    @property
    def odd(self) -> Mapping[str, str]:
        """Members that could not be understood, as inert text."""
        return self._odd

    @classmethod
    def read(cls, raw: object) -> "Self | Unreadable":
        """The record in one row of an answer; never raises."""
        try:
            record = cls.model_validate(raw)
        except ValidationError as error:
            return cls._read_without(raw, error)
        record._raw = raw
        return record

    @classmethod
    def _read_without(cls, raw: object, error: ValidationError) -> "Self | Unreadable":
        """Reads the row again with the members that failed left out, if it has an id at all."""
        failed = {str(problem["loc"][0]) for problem in error.errors() if problem["loc"]}
        if not isinstance(raw, Mapping) or not failed or "id" in failed:
            return Unreadable.of(raw)
        try:
            record = cls.model_validate({name: value for name, value in raw.items() if name not in failed})
        except ValidationError:
            return Unreadable.of(raw)
        members = masked({name: raw[name] for name in failed if name in raw})
        assert isinstance(members, dict)
        record._raw = raw
        record._odd.update({_field_of(cls, name): inert(str(value)) for name, value in members.items()})
        return record


def _field_of(model: type[BaseModel], member: str) -> str:
    """The field that a member of an answer belongs to; they differ where a field has an alias."""
    if member in model.model_fields:
        return member
    for name, info in model.model_fields.items():
        alias = info.validation_alias
        if alias == member or (alias is not None and member in getattr(alias, "choices", ())):
            return name
    return member


class Unreadable(Model):
    """A row of an answer that is no record of its resource: shown, never hidden, never acted on."""

    text: str

    @property
    def key(self) -> Hashable:
        """What tells this row from all others of its list."""
        return ("unreadable", self.text)

    @classmethod
    def of(cls, raw: object) -> "Unreadable":
        return cls(text=inert(str(masked(raw)))[:500])


class Body(BaseModel):
    """The body of a request. Only what was given is sent: unset is not null, cleared is not unset."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    def given(self) -> dict[str, object]:
        """The JSON members to send."""
        return self.model_dump(mode="json", exclude_unset=True)
