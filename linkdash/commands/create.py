"""`linkdash create`: a new record."""

import argparse

from linkdash.api.endpoints import body_of
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.send_writes import send_one
from linkdash.model.declaration import declaration
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes


async def create(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash create RESOURCE name=value …`: creates a record and writes its id."""
    resource = declaration(flags.resource)
    model = model_of(resource, resource.create, "create")
    body = body_of(model, members_of(model, flags.members))
    return await send_one(session, planned_changes.creation(resource, body), flags)
