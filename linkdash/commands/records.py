"""Reading: `list`, `get`, `export`, what needs a look (`review`, `alerts`), and what was changed (`journal`).

A page costs a request, and what is stored is reused.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linkdash.api.errors import Misconfigured, ServiceError
from linkdash.api.fields import fields_of
from linkdash.api.model import Record, Unreadable
from linkdash.api.qr import Statistics
from linkdash.commands.output import (
    ProgressBar,
    cell_text,
    json_line,
    write_members,
    write_records,
    write_rows,
)
from linkdash.commands.running import ALERT, FINE, NotFound, WrongUsage, of_error
from linkdash.commands.streams import put, tell, write
from linkdash.model.arrangement import orders_of
from linkdash.model.collection import AnyCollection
from linkdash.model.columns import Column, column
from linkdash.model.export import columns_csv, record_members, records_csv, records_json
from linkdash.model.humanize import ago, counted
from linkdash.model.importing import FILE_FORMATS
from linkdash.model.listing import STALE_AFTER, LoadAll
from linkdash.model.resource import AnyResource, declaration
from linkdash.model.session import Session
from linkdash.store.files import replace_text
from linkdash.store.journal import JournalEntry

if TYPE_CHECKING:  # no list waits for them
    from linkdash.api.plans import Plan
    from linkdash.api.users import User
    from linkdash.model.review import Finding

Rows = Sequence[Record | Unreadable]


# ---- list, get, export ----


async def list_records(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash list RESOURCE`: a page of records, or all, filtered and sorted as in the dashboard."""
    resource = declaration(flags.resource)
    collection = session.collection(resource.id)
    columns = _columns(resource, flags.columns)
    _arrange(collection, flags.filter, flags.sort, reverse=flags.reverse)  # what is wrong costs no request
    limit = None if flags.filter or flags.sort else flags.limit
    await load(session, collection, every=flags.all, cached=flags.cached, limit=limit)
    rows = await _arranged(collection)
    _tell_what_is_missing(session, collection, flags)
    if flags.columns and flags.format == "csv":
        put(columns_csv(columns, rows[: flags.limit]))
    else:
        write_records(resource.record, columns, rows[: flags.limit], flags.format)
    return 0


def _tell_what_is_missing(session: Session, collection: AnyCollection, flags: argparse.Namespace) -> None:
    listing = collection.listing
    known, total = len(listing.loaded_rows()), listing.total
    if flags.cached:
        age = listing.age(session.now())
        tell("Nothing is stored of this list." if age is None else f"Stored {ago(age)}.")
    if listing.complete or total is None or (flags.limit is not None and flags.limit <= known):
        return
    rest = "" if flags.cached or flags.all else "; --all loads the rest"
    tell(f"{'Looked at' if flags.filter or flags.sort else 'These are'} {known:,} of {total:,}{rest}.")


async def get_record(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash get RESOURCE ID`: one record in full; of a QR code its statistics too."""
    resource = declaration(flags.resource)
    if flags.id is None and not resource.is_single:
        raise WrongUsage(f"Which {resource.singular}?", f"Write: linkdash get {resource.id} ID")
    record, statistics = await _got(session, resource, flags.id, cached=flags.cached)
    members = record_members(record)
    if statistics is not None and isinstance(members, dict):
        members["statistics"] = statistics.model_dump(mode="json", by_alias=True)
    match flags.format:
        case "json":
            write(json_line(members, indent=2))
        case "jsonl":
            write(json_line(members))
        case "csv":
            put(records_csv(resource.record, resource.columns, [record]))
        case _ if isinstance(members, dict):
            write_members(members)
    return 0


async def _got(
    session: Session, resource: AnyResource, id: int | None, *, cached: bool
) -> tuple[Record | Unreadable, Statistics | None]:
    match resource.id:
        case _ if cached:
            return await find(session, resource, id, cached=True), None
        case "account":
            return await session.client.account.get(), None
        case "users" if id is not None:
            return await session.client.users.get(id), None
        case "qr" if id is not None:
            reading = await session.client.qr.get(id)
            return reading.code, reading.statistics
    return await find(session, resource, id), None


async def find(session: Session, resource: AnyResource, id: int | None, *, cached: bool = False) -> Record:
    """A record of a resource that the service only lists, from the page where it was last seen.

    Where it is not there any more, or was never seen, every page is looked through; with `cached` no request
    is sent. Raises NotFound, ServiceError.
    """
    collection = session.collection(resource.id)
    await collection.recall()
    page = 1 if id is None else collection.listing.page_of(id)
    if not cached and page is not None:
        await collection.read(page)
    if page is not None and (found := _known(collection, id)) is not None:
        return found
    if not cached:
        async for other in collection.source.pages(collection.page_size):
            found = next((record for record in other.items if record.id == id), None)
            if isinstance(found, Record):
                return found
    where = "among what is stored" if cached else "at the service"
    raise NotFound(f"There is no {resource.singular} {id or ''} {where}.".replace("  ", " "))


def _known(collection: AnyCollection, id: int | None) -> Record | None:
    """The record as it is loaded; of a single one whatever is."""
    found: Record | None = collection.listing.record(id)
    return next(iter(collection.records), None) if collection.resource.is_single else found


async def export_records(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash export RESOURCE FILE`: records into a file that `import` reads again."""
    resource, path = declaration(flags.resource), Path(flags.file)
    form = path.suffix.removeprefix(".").lower()
    if form not in FILE_FORMATS:
        raise WrongUsage(f"{path.name} has no known ending.", "Use .csv, .json or .jsonl.")
    collection = session.collection(resource.id)
    _arrange(collection, flags.filter, None)
    await load(session, collection, every=not flags.cached, cached=flags.cached)
    rows = await _arranged(collection)
    match form:
        case "csv":
            text = records_csv(resource.record, resource.columns, rows)
        case "json":
            text = records_json(rows, session.moment())
        case _:
            text = "".join(f"{json_line(record_members(row))}\n" for row in rows)
    replace_text(path, text)
    tell(f"Wrote {counted(len(rows), resource.singular)} to {path}.")
    return 0


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
    """Loads the first page and more where wanted.

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
    await collection.recall(STALE_AFTER if every and not anew else 0)
    before = _top(collection)
    await collection.read(1)
    if _top(collection) != before:
        collection.listing.keep_only(1)
    plan = collection.plan() if every else _plan_for(collection, limit)
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
    """What is different once records were added or removed."""
    return collection.listing.ids_on(1), collection.listing.total


def _plan_for(collection: AnyCollection, limit: int | None) -> LoadAll | None:
    """How the first `limit` records can be loaded; None where the first page is enough."""
    page, total = collection.listing.page, collection.listing.total
    if limit is None or page is None or total is None or not page.perpage:
        return None
    return LoadAll(min(limit, total), page.perpage, collection.listing.pages, size_is_known=True)


# ---- filter, order, columns ----


def _arrange(collection: AnyCollection, text: str | None, sort: str | None, *, reverse: bool = False) -> None:
    """Raises WrongUsage for a filter without meaning and for an unknown column."""
    collection.filter(text or "")
    if (error := collection.arrangement.error) is not None:
        raise WrongUsage(f"{error.what}.", f"{error.advice}.")
    if not sort:
        return
    names = [known.name for known in collection.resource.columns]
    wanted = orders_of(sort)
    if unknown := [name for name, _ in wanted if name not in names]:
        raise WrongUsage(f"There is no column {unknown[0]!r} to sort by.", f"Columns: {', '.join(names)}.")
    collection.order_by([(name, is_reversed is not reverse) for name, is_reversed in wanted])


async def _arranged(collection: AnyCollection) -> Rows:
    """All rows that are loaded, filtered and sorted."""
    if not collection.arrangement:
        return collection.listing.loaded_rows()
    if (work := collection.listing.work) is not None:
        await collection.arrange(work)
    return collection.listing.rows


def _columns(resource: AnyResource, names: str | None) -> Sequence[Column[Record]]:
    """The columns of a table: the dashboard's behind the id, which commands take; or those named."""
    if not names:
        return sorted(resource.columns, key=lambda column: column.name != "id")
    known = {known.name: known for known in resource.columns}
    record: type[Record] = resource.record
    fields = {field.name for field in fields_of(record)}
    chosen = []
    for name in map(str.strip, names.split(",")):
        if name not in known and name not in fields:
            choices = ", ".join(sorted({*known, *fields}))
            raise WrongUsage(f"There is no column {name!r}.", f"Columns: {choices}.")
        chosen.append(known.get(name) or column(record, name))
    return chosen


# ---- review ----

_FINDING_TITLES = {"finding": "Finding", "count": "Users", "who": "The first to expire"}
_USERS_NAMED = 3


async def review(session: Session, flags: argparse.Namespace) -> int:
    """Writes a row a finding; json and jsonl have its users. Costs 2 requests, or none with --cached."""
    from linkdash.model.review import review as reviewed

    users, plans = session.collection("users"), session.collection("plans")
    for collection in (users, plans):
        await load(session, collection, every=not flags.cached, cached=flags.cached)
    known: list[User] = list(users.records)
    offered: list[Plan] = list(plans.records)
    if not known:
        raise NotFound("There are no users to review.", "Nothing is stored." if flags.cached else "")
    if flags.cached and (age := users.listing.age(session.now())) is not None:
        tell(f"Stored {ago(age)}.")
    findings = reviewed(known, offered, session.local_time())
    with_users = flags.format in ("json", "jsonl")
    write_rows(
        _FINDING_TITLES, [_finding_row(finding, with_users=with_users) for finding in findings], flags.format
    )
    return 0


def _finding_row(finding: "Finding", *, with_users: bool) -> dict[str, object]:
    row: dict[str, object] = {"finding": finding.title, "count": len(finding.users)}
    if with_users:
        row["needs_action"] = finding.needs_action
        return {**row, "users": [record_members(user) for user in finding.users]}
    first = [
        f"{user.username} ({cell_text(user.expires) or 'never'})" for user in finding.users[:_USERS_NAMED]
    ]
    more = len(finding.users) - len(first)
    return {**row, "who": ", ".join(first) + (f" and {more:,} more" if more else "")}


# ---- alerts ----

_ALERT_TITLES = {"rule": "Rule", "subject": "About", "since": "Since", "message": "What"}


async def alerts(session: Session, flags: argparse.Namespace) -> int:
    """Lists what is raised. --check looks first: 1 request where a rule is about users, else none."""
    from linkdash.model.alerts import alert_members

    status = await _checked_alerts(session) if flags.check else FINE
    raised = await session.store.alerts.raised()
    write_rows(_ALERT_TITLES, [alert_members(alert) for alert in raised], flags.format)
    return ALERT if raised else status


async def _checked_alerts(session: Session) -> int:
    from linkdash.model.alerts import look

    settings = session.settings.alerts
    if not settings:
        raise Misconfigured(
            "There is no rule to check.", 'Write one into the configuration: alerts.quiet.when = "silent 7d"'
        )
    users, status = None, FINE
    if any(setting.rule.kind == "expires" for setting in settings.values()):
        try:
            users = await _users(session)
        except ServiceError as error:
            tell(f"The users could not be read: {error}")
            status = of_error(error)
    await look(session, tell, users)
    return status


async def _users(session: Session) -> "Sequence[User]":
    collection = session.collection("users")
    await load(session, collection, every=True, cached=False)
    found: list[User] = list(collection.records)
    return found


# ---- the journal ----

_JOURNAL_TITLES = {
    "id": "Id",
    "when": "When",
    "outcome": "Outcome",
    "what": "What",
    "person": "Person",
    "machine": "Machine",
    "requests": "Requests",
    "message": "Message",
}


async def journal(session: Session, flags: argparse.Namespace) -> int:
    """Lists changes, the newest first; with --check it finds out first what became of the unknown."""
    store = session.store.journal
    if flags.check:
        for entry in await store.unknown():
            found = await session.check(entry.intent, entry)
            tell(f"{entry.intent.summary}: {found.message}")
    person, machine = flags.person, flags.machine
    if flags.unknown:
        entries = [entry for entry in await store.unknown() if is_by(entry, person, machine)]
    else:
        entries = await store.recent(flags.limit, user=person, host=machine)
    write_rows(_JOURNAL_TITLES, [entry_row(entry) for entry in entries], flags.format)
    return 0


def is_by(entry: JournalEntry, person: str | None, machine: str | None) -> bool:
    """Whether a change was made by a person and on a machine; None for any."""
    return person in (None, entry.author.user) and machine in (None, entry.author.host)


def entry_row(entry: JournalEntry) -> dict[str, object]:
    """An entry by the names of its columns."""
    outcome = entry.outcome.value if entry.outcome is not None else "sending"
    if entry.settlement is not None:
        outcome = "done after all" if entry.settlement.happened else "not done"
    return {
        "id": entry.id,
        "when": entry.begun.astimezone().isoformat(" ", "seconds"),
        "outcome": outcome,
        "what": entry.intent.summary,
        "person": entry.author.user,
        "machine": entry.author.host,
        "requests": entry.requests,
        "message": entry.settlement.message if entry.settlement is not None else entry.message,
    }
