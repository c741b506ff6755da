"""`linkdash create`: a new record."""

import argparse

from linkdash.api.endpoints import body_of
from linkdash.commands.name_value_arguments import members_of, model_of
from linkdash.commands.send_writes import PlannedWrites, planned_one
from linkdash.model.declaration import declaration
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes


async def create(_session: Session, flags: argparse.Namespace) -> PlannedWrites:
    """`linkdash create RESOURCE name=value …`: creates a record and writes its id."""
    resource = declaration(flags.resource)
    model = model_of(resource, resource.create, "create")
    body = body_of(model, members_of(model, flags.members))
    return planned_one(planned_changes.creation(resource, body))
