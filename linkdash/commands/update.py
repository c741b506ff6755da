"""`linkdash update`: sets the named members of a record, and nothing else."""

import argparse
import sys
from collections.abc import Mapping, Sequence

from linkdash.commands.exit_status import NotFound, WrongUsage
from linkdash.commands.import_file import NOTHING
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.parser import positive
from linkdash.commands.sending import send_one
from linkdash.commands.streams import ask, tell
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.session import Session
from linkdash.model.writes.conflicts import ChangedElsewhere, Clash, Conflict, is_read_for
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
    agreed: Sequence[Clash] = ()
    while made.conflict is not None and made.conflict.clashes != agreed and not flags.overwrite:
        _agree_to_overwrite(made.conflict, flags)
        agreed = made.conflict.clashes
        made = await _made(session, collection, id, named)  # as it is after the question
    return await send_one(session, made.intent, flags, overwrite=flags.overwrite)


async def _made(session: Session, collection: AnyCollection, id: int, named: Mapping[str, object]) -> Update:
    """The update of the record as it is now. Raises NotFound, InvalidBody, ServiceError."""
    made = await update_of_named(session, collection, id, named)
    if made is None:
        raise NotFound(f"There is no {collection.resource.singular} {id} at the service.")
    return made


def _agree_to_overwrite(conflict: Conflict, flags: argparse.Namespace) -> None:
    """Ask the user. Raises ChangedElsewhere for a no, and without a terminal."""
    yours = ", ".join(f"{clash.title} {clash.yours}" for clash in conflict.clashes)
    if sys.stdin.isatty() and not flags.dry_run:
        tell(f"{conflict}.")
        if ask(f"Overwrite it with {yours}? Type yes:").lower() == "yes":
            return
        raise ChangedElsewhere("Not overwritten.", NOTHING)
    raise ChangedElsewhere(f"{conflict}.", f"--overwrite sends {yours}. {NOTHING}")


def _id_and_members(
    resource: AnyResource, first: str | None, rest: Sequence[str]
) -> tuple[int, Sequence[str]]:
    if resource.is_single:
        return 0, [*([first] if first else []), *rest]
    if first is None:
        raise WrongUsage(f"Which {resource.singular}?", "Name its id, or --filter.")
    try:
        return positive(first), rest
    except argparse.ArgumentTypeError as error:
        raise WrongUsage(f"The id of a {resource.singular} {error}.") from None
