"""Reading records: `list`, `get`, `export`. Pages are asked for in the budget, and what is stored is reused."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from linkdash.api.errors import LinkdashError
from linkdash.api.fields import fields_of
from linkdash.api.model import Record, Unreadable
from linkdash.api.qr import QrReading, Statistics
from linkdash.commands.output import ProgressBar, tell, write, write_records
from linkdash.model.collection import AnyCollection
from linkdash.model.columns import Column, column
from linkdash.model.export import record_members, records_csv, records_json
from linkdash.model.files import replace_text
from linkdash.model.resource import AnyResource
from linkdash.model.resources import declaration
from linkdash.model.session import Session

Rows = Sequence[Record | Unreadable]


class WrongUsage(LinkdashError):
    """The arguments have no meaning for this resource."""


async def list_records(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash list RESOURCE`: a page of records, or all of them, filtered and sorted as in the dashboard."""
    resource = declaration(flags.resource)
    columns = _columns(resource, flags.columns)
    collection = await _loaded(session, resource, every=flags.all, cached=flags.cached, limit=flags.limit)
    rows = await _arranged(collection, flags.filter, flags.sort)
    listing = collection.listing
    if flags.filter and not listing.complete and listing.total is not None:
        known = len(listing.loaded_rows())
        tell(f"Filtered among {known:,} of {listing.total:,}; --all loads the rest.")
    elif not listing.complete and listing.total is not None and not flags.limit:
        tell(f"{len(rows):,} of {listing.total:,}; --all lists them all.")
    write_records(resource.record, columns, rows[: flags.limit], flags.format)
    return 0


async def get_record(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash get RESOURCE ID`: one record in full; of a QR code its statistics too."""
    resource, id = declaration(flags.resource), flags.id
    record: Record
    statistics: object = None
    match resource.id:
        case "account":
            record = await session.client.account.get()
        case "users":
            record = await session.client.users.get(id)
        case "qr":
            reading: QrReading = await session.client.qr.get(id)
            record, statistics = reading.code, reading.statistics
        case _:
            record = await _found(session, resource, id, cached=flags.cached)
    members = record_members(record)
    if isinstance(statistics, Statistics) and isinstance(members, dict):
        members["statistics"] = statistics.model_dump(mode="json", by_alias=True)
    if flags.format in ("json", "jsonl"):
        write(json.dumps(members, ensure_ascii=False, indent=2 if flags.format == "json" else None))
    elif flags.format == "csv":
        write_records(resource.record, _columns(resource, None), [record], "csv")
    else:
        _write_members(members)
    return 0


async def _found(session: Session, resource: AnyResource, id: int, *, cached: bool) -> Record:
    """A record of a resource that the service only lists: from what is kept, else page by page."""
    collection = session.collection(resource.id)
    await collection.recall()
    known: Record | None = collection.listing.record(id)
    if known is not None:
        return known
    if not cached:
        async for page in collection.source.pages():
            for record in page.items:
                if record.id == id:
                    return record
    where = "among what is stored" if cached else "in the service's list"
    raise NotFound(f"There is no {resource.singular} {id} {where}.")


class NotFound(LinkdashError):
    """No record has this id."""


async def export_records(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash export RESOURCE FILE`: records into a file that `import` reads again."""
    resource, path = declaration(flags.resource), Path(flags.file)
    form = path.suffix.removeprefix(".")
    if form not in ("csv", "json", "jsonl"):
        raise WrongUsage(f"{path} has no known ending.", "Use .csv, .json or .jsonl.")
    collection = await _loaded(session, resource, every=not flags.cached, cached=flags.cached, limit=None)
    rows = await _arranged(collection, flags.filter, None)
    match form:
        case "csv":
            text = records_csv(resource.record, resource.columns, rows)
        case "json":
            text = records_json(rows, session.moment())
        case _:
            text = "".join(json.dumps(record_members(row), ensure_ascii=False) + "\n" for row in rows)
    replace_text(path, text)
    tell(f"{len(rows):,} records written to {path}.")
    return 0


# ---- what they share ----


async def _loaded(
    session: Session, resource: AnyResource, *, every: bool, cached: bool, limit: int | None
) -> AnyCollection:
    collection = session.collection(resource.id)
    await collection.recall()
    if cached:
        return collection
    if limit is not None and limit < collection.page_size:
        collection.page_size = limit
    await collection.read(1)
    plan = collection.plan() if every else None
    if plan is not None and plan.missing:
        if sys.stderr.isatty():
            tell(f"{collection.quote(plan)}.")
        bar = ProgressBar(plan.pages, "pages")
        unwatch = collection.watch(lambda: bar.show(plan.pages - plan.missing))
        try:
            await collection.load_all(plan)
        finally:
            unwatch()
            bar.end()
    return collection


async def _arranged(collection: AnyCollection, text: str | None, sort: str | None) -> Rows:
    if text:
        collection.filter(text)
        if collection.arrangement.error is not None:
            raise WrongUsage(str(collection.arrangement.error))
    if sort:
        name, reverse = sort.removeprefix("-"), sort.startswith("-")
        if name not in [known.name for known in collection.resource.columns]:
            known_names = ", ".join(known.name for known in collection.resource.columns)
            raise WrongUsage(f"There is no column {name!r} to sort by.", f"Columns: {known_names}.")
        collection.sort_by(name)
        if reverse:
            collection.reverse()
    if not text and not sort:
        return collection.listing.loaded_rows()
    if (work := collection.listing.work) is not None:
        await collection.arrange(work)
    return collection.listing.rows


def _columns(resource: AnyResource, names: str | None) -> Sequence[Column[Record]]:
    """The columns of a table: the dashboard's, or those that were named."""
    if not names:
        return resource.columns
    known = {known.name: known for known in resource.columns}
    fields = {field.name for field in fields_of(resource.record)}
    chosen = []
    for name in map(str.strip, names.split(",")):
        if name not in known and name not in fields:
            raise WrongUsage(
                f"There is no column {name!r}.", f"Columns: {', '.join(sorted({*known, *fields}))}."
            )
        chosen.append(known.get(name) or column(resource.record, name))
    return chosen


def _write_members(members: object, indent: int = 0) -> None:
    if not isinstance(members, dict):
        write(str(members))
        return
    width = max((len(str(name)) for name in members), default=0)
    for name, value in members.items():
        if isinstance(value, dict) and value:
            write(f"{'  ' * indent}{name}:")
            _write_members(value, indent + 1)
        else:
            write(f"{'  ' * indent}{name!s:<{width}}  {'' if value is None else value}")
