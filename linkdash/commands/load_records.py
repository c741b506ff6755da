"""Reading lists for a verb: pages within the budget, a progress bar, one record by its id."""

import asyncio
import sys
from collections.abc import Sequence

from linkdash.api.records import Record, Unreadable
from linkdash.commands.exit_status import FINE, PARTIAL, NotFound, NotKept, WrongUsage
from linkdash.commands.output import ProgressBar
from linkdash.commands.standard_streams import tell, tell_error
from linkdash.commands.suggestions import did_you_mean
from linkdash.model.declaration import AnyResource
from linkdash.model.humanize import counted
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.load_all import LoadAll
from linkdash.model.lists.loaded_pages import STALE_AFTER
from linkdash.model.lists.order import orders_of
from linkdash.model.session import Session

Rows = Sequence[Record | Unreadable]
_NAMED = 10
"""Records that are named before the user is asked."""


async def find(session: Session, resource: AnyResource, id: int | None, *, cached: bool = False) -> Record:
    """A record of a resource that the service only lists, from the page where it was last seen.

    Where it is not there any more, or was never seen, pages are looked through until it is found, as large as
    the service gives them; a whole list of a moment ago tells without a request that it is not there. With
    `cached` no request is sent. Raises NotFound, NotKept, ServiceError.
    """
    collection = session.collection(resource.id)
    await collection.recall()
    page, before = 1 if id is None else collection.listing.page_of(id), _top(collection)
    if not cached and page is not None:
        await collection.read(page)
    if page is not None and (found := _known(collection, id)) is not None:
        return found
    if not (cached or id is None or (page is None and await collection.is_fresh_and_complete())):
        if page != 1:
            await collection.read(1)
        found = await _looked_for(collection, id, before)
        if found is not None:
            return found
    one = f"There is no {resource.singular}" + ("" if id is None else f" {id}")
    if cached:
        raise NotKept(f"{one} among what is stored.")
    raise NotFound(f"{one} at the service.")


async def _looked_for(collection: AnyCollection, id: int, before: object) -> Record | None:
    """The record with this id, on whichever page it is; None where it is on none.

    The first page has just been read; `before` is what stood on it until then.
    """
    if _top(collection) != before or not await collection.is_fresh():
        collection.listing.keep_first_page()
    plan = collection.plan()
    if plan is not None:
        if _known(collection, id) is None:
            await collection.load_all(plan, until=id)
        return _known(collection, id)
    async for other in collection.source.pages(collection.page_size):
        found = next((record for record in other.items if record.id == id), None)
        if isinstance(found, Record):
            return found
    return None


def _known(collection: AnyCollection, id: int | None) -> Record | None:
    """The record as it is loaded; of a single one whatever is."""
    found: Record | None = collection.listing.record(id)
    return next(iter(collection.records), None) if collection.resource.is_single else found


# ---- loading ----


async def load(
    session: Session,
    collection: AnyCollection,
    *,
    every: bool,
    cached: bool = False,
    limit: int | None = None,
    anew: bool = False,
) -> None:
    """Load the first page and more where wanted.

    Pages stored a moment ago are not asked for again, unless the list has moved since or `anew` is wanted.
    """
    if cached:
        await collection.recall()
        return
    try:
        await _load(collection, every=every, limit=limit, anew=anew)
    except asyncio.CancelledError:
        tell(f"Not all pages were read, so no {collection.resource.singular} is written.")
        raise


async def _load(collection: AnyCollection, *, every: bool, limit: int | None, anew: bool) -> None:
    is_whole = collection.source.request(1) == collection.source.request(2)  # what is stored serves nobody
    await collection.recall(STALE_AFTER if every and not anew and not is_whole else 0)
    before = _top(collection)
    await collection.read(1)
    if _top(collection) != before:
        collection.listing.keep_first_page()
    plan = collection.plan() if every else _plan_for(collection, limit)
    if every and plan is None and collection.listing.lacks_rows:
        await collection.load_following()
    if plan is None or not plan.missing:
        return
    if sys.stderr.isatty():
        tell(f"{collection.quote(plan)}.")
    bar = ProgressBar(plan.missing + 1, "pages")
    unwatch = collection.watch(lambda: bar.show(bar.total - plan.missing))
    try:
        await collection.load_all(plan)
    finally:
        unwatch()
        bar.end()


def _top(collection: AnyCollection) -> object:
    """Return what is different once records were added or removed."""
    return collection.listing.ids_on(1), collection.listing.total


def _plan_for(collection: AnyCollection, limit: int | None) -> LoadAll | None:
    """Return how the first `limit` records can be loaded; None where the first page is enough."""
    page, total = collection.listing.page, collection.listing.total
    if limit is None or page is None or total is None or not page.perpage:
        return None
    return LoadAll(min(limit, total), page.perpage, collection.listing.pages, size_is_known=True)


async def matching(session: Session, resource: AnyResource, text: str) -> Sequence[Record]:
    """The records that match a filter, as they are now, for their writes; which, and how many, is said.

    Raises WrongUsage, also for a filter that leaves nothing out, and ServiceError.
    """
    collection = session.collection(resource.id)
    await arrange(session, collection, text, None)
    if not collection.arrangement.filtering:
        raise WrongUsage("The filter is empty.", "It would match every record.")
    await load(session, collection, every=True, anew=True)
    collection.serve_writes()
    records = [row for row in await arranged(collection) if isinstance(row, Record)]
    total = len(collection.listing.loaded_rows())
    if not records:
        tell(f"No {resource.singular} matches, of {total:,}. Nothing was sent.")
        return records
    names = [resource.title_of(record) for record in records[:_NAMED]]
    more = f" and {len(records) - _NAMED:,} more" if len(records) > _NAMED else ""
    tell(f"{len(records):,} of {counted(total, resource.singular)} match: {', '.join(names)}{more}.")
    return records


def tell_part(collection: AnyCollection, did: str, *, cached: bool) -> int:
    """Say of how much of a list rows are, where they are not of all of it; the exit status."""
    if not collection.listing.lacks_rows:
        return FINE
    rest = "; the rest is not stored" if cached else ""
    tell_error(f"{did} {part_words(collection)}{rest}.")
    return PARTIAL


def part_words(collection: AnyCollection) -> str:
    """The part of a list that is loaded: `100 of 400`."""
    known, total = len(collection.listing.loaded_rows()), collection.listing.total
    return f"{known:,} of {total:,}" if total is not None else f"the first {known:,}"


# ---- filter, order, columns ----


async def arrange(
    session: Session, collection: AnyCollection, text: str | None, sort: str | None, *, reverse: bool = False
) -> None:
    """Filter and sort what will be loaded, also by what is computed.

    Raises WrongUsage for a filter without meaning and for an unknown column.
    """
    if text or sort:
        from linkdash.model.lists.known_facts import with_computed

        collection.arrangement.use(await with_computed(session, collection.resource), ())
    collection.filter(text or "")
    _check_filter(collection)
    if not sort:
        return
    names, wanted = collection.arrangement.names, orders_of(sort)
    if unknown := [name for name, _ in wanted if name not in names]:
        raise WrongUsage(
            f"There is no column {unknown[0]!r} to sort by{did_you_mean(unknown[0], names)}.",
            f"Columns: {', '.join(names)}.",
        )
    collection.order_by([(name, is_reversed is not reverse) for name, is_reversed in wanted])


def _check_filter(collection: AnyCollection) -> None:
    """Raise WrongUsage for a filter without meaning, or an expression that takes too long."""
    if (error := collection.arrangement.error) is not None:
        raise WrongUsage(f"{error.what}.", f"{error.advice}.")


async def arranged(collection: AnyCollection) -> Rows:
    """All rows that are loaded, filtered and sorted. Raises WrongUsage."""
    if not collection.arrangement:
        return collection.listing.loaded_rows()
    if (work := collection.listing.work) is not None:
        await collection.arrange(work)
    rows = collection.listing.rows
    _check_filter(collection)
    if not_known := collection.arrangement.not_known:
        left_out = counted(not_known, collection.resource.singular)
        tell(f"Left out {left_out}: what the filter asks for is not known of them, or cannot be read.")
    return rows
