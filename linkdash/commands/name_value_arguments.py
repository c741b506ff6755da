"""The members of a record as a command line names them: name=value."""

from collections.abc import Mapping, Sequence

from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.records import Body
from linkdash.commands.exit_status import WrongUsage
from linkdash.commands.standard_streams import ask_secret
from linkdash.commands.suggestions import did_you_mean
from linkdash.model.declaration import AnyResource
from linkdash.model.writes.typed_values import sendable


def model_of(resource: AnyResource, model: type[Body] | None, verb: str) -> type[Body]:
    """The request model of a verb. Raises WrongUsage where the service has none."""
    if model is None:
        raise WrongUsage(f"The service offers no way to {verb} {resource.title.lower()}.")
    return model


def members_of(model: type[Body], given: Sequence[str]) -> Mapping[str, object]:
    """The members in `name=value` arguments. Raises WrongUsage, InvalidBody."""
    fields = {field.name: field for field in fields_of(model)}
    members: dict[str, object] = {}
    for argument in given:
        name, equals, text = argument.partition("=")
        if not equals or name not in fields:
            shown = repr(name) if name else "An empty name"
            hint = did_you_mean(name, fields)
            raise WrongUsage(
                f"{shown} is not a field{hint}.", f"Use NAME=VALUE; fields: {', '.join(fields)}."
            )
        if name in members:
            raise WrongUsage(f"{name} is given twice.", "Name each field once.")
        field = fields[name]
        members[name] = _asked_secret(field, text) if field.kind is Kind.SECRET else sendable(field, text)
    if not members:
        raise WrongUsage("No fields are given.", f"Use NAME=VALUE; fields: {', '.join(fields)}.")
    return members


def _asked_secret(field: Field, text: str) -> str:
    """A secret read from the terminal. Raises WrongUsage where it stands in the argument."""
    if text not in ("", "-"):
        raise WrongUsage(
            f"{field.name}: every user of this machine can read an argument.",
            f"Use {field.name}=- and pass it on standard input.",
        )
    return ask_secret(f"{field.title}: ")
