"""`linkdash get`: one record in full."""

import argparse

from linkdash.api.records import Record, as_sent
from linkdash.api.resources.qr import Statistics
from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.load_records import find
from linkdash.commands.output import write_members
from linkdash.commands.record_output import write_records
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.lists.export import record_members
from linkdash.model.session import Session


async def get_record(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash get RESOURCE ID`: one record in full; of a QR code its statistics too."""
    resource = declaration(flags.resource)
    if flags.id is None and not resource.is_single:
        raise WrongUsage(f"Which {resource.singular}?", f"Write: linkdash get {resource.id} ID")
    if flags.id is not None and resource.is_single:
        raise WrongUsage(f"{resource.title} has no ids.", f"Write: linkdash get {resource.id}")
    record, statistics = await read_record(session, resource, flags.id, cached=flags.cached)
    members = record_members(record)
    if statistics is not None and isinstance(members, dict):
        members["statistics"] = as_sent(statistics).model_dump(mode="json", by_alias=True)
    if flags.format == "csv":
        write_records(resource.record, resource.columns, [record], "csv")
    elif isinstance(members, dict):
        write_members(members, flags.format)
    return FINE


async def read_record(
    session: Session, resource: AnyResource, id: int | None, *, cached: bool = False
) -> tuple[Record, Statistics | None]:
    """A record, of a QR code with its statistics; `id` means nothing to a resource of one record.

    With `cached` no request is sent. Raises NotFound, NotKept, ServiceError.
    """
    match resource.id:
        case _ if cached:
            return await find(session, resource, id, cached=True), None
        case "account":
            account = await session.client.account.get()
            await session.know_account(account.id)
            return account, None
        case "users" if id is not None:
            return await session.client.users.get(id), None
        case "qr" if id is not None:
            reading = await session.client.qr.get(id)
            return reading.code, reading.statistics
    return await find(session, resource, id), None
