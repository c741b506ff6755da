"""`linkdash list`: a page of records, or all, filtered and sorted as in the dashboard."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from linkdash.api.fields import fields_of
from linkdash.api.records import Record
from linkdash.commands.exit_status import FAILED, FINE, WrongUsage
from linkdash.commands.load_records import arrange, arranged, load, part_words, tell_part
from linkdash.commands.output import put_csv, tell_formulas
from linkdash.commands.record_output import write_records
from linkdash.commands.standard_streams import tell, tell_error
from linkdash.commands.suggestions import did_you_mean
from linkdash.model.csv_text import Formulas
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.humanize import ago
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.columns import Column, Computed, column
from linkdash.model.lists.export import columns_csv
from linkdash.model.lists.order import order_text
from linkdash.model.lists.views import View
from linkdash.model.session import Session


async def list_records(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash list RESOURCE`: a page of records, or all, filtered and sorted as in the dashboard."""
    resource = declaration(flags.resource)
    collection = session.collection(resource.id)
    if flags.view:
        _take_view(await _view(session, collection, flags.view), flags)
    columns = await _columns(session, resource, flags.columns)
    await arrange(session, collection, flags.filter, flags.sort, reverse=flags.reverse)  # before any request
    every = bool(flags.all or flags.filter or flags.sort)  # what matches, or comes first, can be on any page
    await load(session, collection, every=every, cached=flags.cached, limit=flags.limit)
    rows = await arranged(collection)
    shown = rows if flags.limit is None or flags.limit >= len(rows) else rows[: flags.limit]
    formulas = Formulas(are_quoted=not flags.raw)
    if flags.columns and flags.format == "csv":
        put_csv(columns_csv(resource.record, columns, shown, formulas))
    else:
        write_records(resource.record, columns, shown, flags.format, formulas)
    tell_formulas(formulas)
    return _told_what_is_missing(session, collection, flags, every=every)


async def _view(session: Session, collection: AnyCollection, name: str) -> View:
    """The finding or the saved view of a list with this name. Raises WrongUsage."""
    from linkdash.model.insight.findings import views_of  # no list waits for it

    views = {view.name: view for view in await views_of(session, collection)}
    if name not in views:
        title = collection.resource.title
        raise WrongUsage(
            f"{title} have no view {name!r}{did_you_mean(name, views)}.", f"Views: {', '.join(views)}."
        )
    return views[name]


def _take_view(view: View, flags: argparse.Namespace) -> None:
    """Ask for what a view shows; an order and columns that are asked for take the place of its own."""
    flags.filter = " ".join(filter(None, (view.filter, flags.filter)))
    flags.sort = flags.sort or order_text(view.order)
    flags.columns = flags.columns or ",".join(one.name for one in view.columns if one.shown)


def _told_what_is_missing(
    session: Session, collection: AnyCollection, flags: argparse.Namespace, *, every: bool
) -> int:
    """Say how old the rows are, and what of the list was not looked at; the exit status."""
    listing = collection.listing
    if flags.cached:
        age = listing.age(session.now())
        if age is None:
            tell_error("Nothing of this list is stored.")
            return FAILED
        tell(f"Stored {ago(age)}.")
    limit = None if flags.filter or flags.sort else flags.limit
    has_enough = limit is not None and limit <= len(listing.loaded_rows())
    if has_enough or not listing.lacks_rows:
        return FINE
    what = "Searched" if flags.filter else "Sorted" if flags.sort else "Showing"
    if not every and flags.limit is None and not flags.cached:
        tell(f"{what} {part_words(collection)}; --all loads the rest.")
        return FINE
    return tell_part(collection, what, cached=flags.cached)


async def _columns(session: Session, resource: AnyResource, names: str | None) -> Sequence[Column[Record]]:
    """The columns of a table: the dashboard's behind the id, which commands take; or those named."""
    if not names:
        return sorted(resource.columns, key=lambda column: column.name != "id")
    record: type[Record] = resource.record
    known = {field.name: column(record, field.name) for field in fields_of(record)}
    known |= {known.name: known for known in resource.columns}
    chosen = [name.strip() for name in names.split(",")]
    if not known.keys() >= {*chosen}:
        known = {**await _computed(session, resource), **known}
    for name in chosen:
        if name not in known:
            choices = sorted(known)
            hint = did_you_mean(name, choices)
            raise WrongUsage(f"There is no column {name!r}{hint}.", f"Columns: {', '.join(choices)}.")
    return [known[name] for name in chosen]


async def _computed(session: Session, resource: AnyResource) -> dict[str, Column[Record]]:
    """The columns that a list shows beside fields; what is named as a field, as the plan, by its title."""
    from linkdash.model.lists.known_facts import with_computed  # no other list waits for it

    names: dict[str, Column[Record]] = {}
    for one in await with_computed(session, resource):
        if isinstance(one, Computed):
            name = one.title.lower() if one.name in resource.record.model_fields else one.name
            names[name] = replace(one, name=name)
    return names
