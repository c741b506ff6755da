"""`linkdash update`: sets the named members of a record, and nothing else."""

import argparse
from collections.abc import Sequence

from linkdash.commands.argument_types import positive
from linkdash.commands.exit_status import NotFound, WrongUsage
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.send_writes import send_one
from linkdash.commands.standard_streams import tell
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.session import Session
from linkdash.model.writes.guard import as_it_is_now
from linkdash.model.writes.named_updates import is_read_for, update_of_named


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
    intent = await update_of_named(session, collection, id, named)
    if intent is None:
        raise NotFound(f"There is no {resource.singular} {id} at the service.")
    if flags.dry_run and is_read_for(model, resource.record, named):
        intent = await as_it_is_now(session, collection, intent, overwrite=True)
        told = ", ".join(sorted(intent.params.keys() - named.keys()))
        tell(f"Read for this change, 1 request: {told}.")
    return await send_one(session, intent, flags)


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
