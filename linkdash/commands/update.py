"""`linkdash update`: sets the named members of a record, and nothing else."""

import argparse
from collections.abc import Mapping, Sequence

from linkdash.commands.argument_types import positive
from linkdash.commands.exit_status import NotFound, WrongUsage
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.send_writes import agreed_update, send_one
from linkdash.commands.standard_streams import tell
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.session import Session
from linkdash.model.writes.conflicts import is_read_for
from linkdash.model.writes.updating import Update, update_of_named


async def update(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash update RESOURCE ID name=value …`: changes what is named, and nothing else.

    What the service wants besides is read for it. A value that others have changed since it was shown here is
    replaced only where the user agrees, or with --overwrite.
    """
    resource = declaration(flags.resource)
    model = model_of(resource, resource.update, "edit")
    id, given = _id_and_members(resource, flags.id, flags.members)
    named = members_of(model, given)
    collection = session.collection(resource.id)
    made = await _made(session, collection, id, named)
    if flags.dry_run and is_read_for(model, resource.record, named):
        told = ", ".join(sorted(made.intent.params.keys() - named.keys()))
        tell(f"Read for this change, 1 request: {told}.")
    made = await agreed_update(made, lambda: _made(session, collection, id, named), flags)
    return await send_one(session, made.intent, flags, overwrite=flags.overwrite)


async def _made(session: Session, collection: AnyCollection, id: int, named: Mapping[str, object]) -> Update:
    """The update of the record as it is now. Raises NotFound, InvalidBody, ServiceError."""
    made = await update_of_named(session, collection, id, named)
    if made is None:
        raise NotFound(f"There is no {collection.resource.singular} {id} at the service.")
    return made


def _id_and_members(
    resource: AnyResource, first: str | None, rest: Sequence[str]
) -> tuple[int, Sequence[str]]:
    if resource.is_single:
        return 0, [*([first] if first else []), *rest]
    if first is None:
        raise WrongUsage(f"Which {resource.singular}?", "Give an id, or --filter.")
    try:
        return positive(first), rest
    except argparse.ArgumentTypeError as error:
        raise WrongUsage(f"The id of a {resource.singular} {error}.") from None
