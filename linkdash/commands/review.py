"""`linkdash review`: what the findings of each list find."""

import argparse
from collections.abc import Iterator, Mapping, Sequence

from linkdash.api.records import Record
from linkdash.commands.exit_status import FINE, NotKept, WrongUsage
from linkdash.commands.load_records import load, tell_part
from linkdash.commands.output import write_rows
from linkdash.commands.standard_streams import tell
from linkdash.model.declaration import AnyResource, declaration, declarations
from linkdash.model.humanize import ago
from linkdash.model.insight.findings import ViewFinds, find_kept
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.session import Session

_TITLES = {"list": "List", "finding": "Finding", "count": "Found", "first": "The first"}
_NOT_KNOWN = "not known"


async def review(session: Session, flags: argparse.Namespace) -> int:
    """Write a row a finding: of one list, which is loaded, or of what is kept of all, for no request."""
    is_asked = bool(flags.resource) and not flags.cached
    resources = [_with_findings(flags.resource)] if flags.resource else declarations()
    rows: list[Mapping[str, object]] = []
    status = FINE
    for resource in (one for one in resources if one.findings):
        collection = session.collection(resource.id)
        await load(session, collection, every=is_asked, cached=not is_asked)
        age = collection.listing.age(session.now())
        if age is None:
            continue
        if not is_asked:
            tell(f"{resource.title}: stored {ago(age)}.")
        found = await find_kept(session, collection, resource.findings)
        rows += _rows(collection, found, with_ids=flags.format in ("json", "jsonl"))
        status = tell_part(collection, f"{resource.title}: looked at", cached=not is_asked) or status
    if not rows and not is_asked:
        raise NotKept("Nothing is stored that can be reviewed.", "linkdash review users loads a list.")
    write_rows(_TITLES, rows, flags.format)
    return status


def _with_findings(id: str) -> AnyResource:
    resource = declaration(id)
    if not resource.findings:
        raise WrongUsage(f"There is nothing to look for in {resource.title}.", "Other lists have findings.")
    return resource


def _rows(
    collection: AnyCollection, found: Sequence[ViewFinds], *, with_ids: bool
) -> Iterator[Mapping[str, object]]:
    for one in found:
        row: dict[str, object] = {
            "list": collection.resource.id,
            "finding": one.view.name,
            "count": len(one.rows) if one.is_known else None,
            "not_known": one.not_known,
            "filter": one.view.filter,
            "first": one.names(collection) if one.is_known else _NOT_KNOWN,
        }
        if with_ids:
            row["ids"] = [record.id for record in one.rows if isinstance(record, Record)]
        yield row
