"""Columns of numbers that no field tells, for filters and findings: counted in what is loaded, or was kept.

None is known where what it is counted in is not loaded. Nothing is asked of the service, and the list that
they are of is left alone: what was kept of it may be too old for who asks.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any
from urllib.parse import urlsplit

from linkdash.api.colors import contrast
from linkdash.api.fields import Kind, fields_of, read_color
from linkdash.api.records import Record
from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.channels import Channel, ChannelItem
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.pixels import VENDORS, Pixel
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.insight.code_usage import codes_by_host, host_of
from linkdash.model.insight.expiry import plan_names
from linkdash.model.lists.collection import Collection
from linkdash.model.lists.columns import Column, Computed, Row, Unit, drawn_value, with_age
from linkdash.model.lists.computed_columns import plan_column, scan_columns, scans_of_week
from linkdash.model.lists.views import BROKEN
from linkdash.model.resources.channels import ITEMS
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.writes.kept_members import kept_of
from linkdash.store.journal_entry import JournalEntry, Outcome

_CHANGES = 10_000  # entries of the journal that are looked through, the newest
_MAY_BE_THERE = (Outcome.DONE, Outcome.UNKNOWN)


async def known_facts(session: Session, resource: AnyResource) -> list[Computed[Any]]:
    """The columns of what is known beside the fields of a resource's records."""
    found: list[Computed[Any]] = []
    match resource.id:
        case "users":
            found = await _of_users(session)
        case "qr":
            found = await _of_codes(session)
        case "domains":
            found = await _of_domains(session)
        case "pixels":
            found = _of_pixels(session)
        case "campaigns":
            found = await _of_campaigns(session)
        case "channels" if resource is not ITEMS:
            found = await _of_channels(session)
        case "plans":
            found = await _of_plans(session)
    if BROKEN in resource.findings:
        found.append(_broken(resource.record))
    return found


async def with_computed(session: Session, resource: AnyResource) -> Sequence[Column[Any]]:
    """The columns of a resource, and those computed of what is kept; no request."""
    columns: list[Column[Any]] = [*resource.columns]
    columns += (column for column in with_age(columns, session.local_time) if isinstance(column, Computed))
    if resource.id == "users":
        names = plan_names(await session.collection("plans").known_records())
        columns = [plan_column(lambda: names) if one.name == "planid" else one for one in columns]
        columns += (
            _in_list("class", "Class", Kind.CHOICE, "status"),
            _in_list("left", "Left", Kind.MOMENT, "expires"),
            _in_list("until", "Until", Kind.MOMENT, "expires"),
        )
    return [*columns, *await known_facts(session, resource)]


def _in_list(name: str, title: str, kind: Kind, field: str) -> Computed[Any]:
    """A field as the dashboard's list calls it."""
    return Computed(name, title, kind, 10, draw=lambda user: drawn_value(user, field), by_field=field)


def _number(
    name: str, title: str, count: Callable[[Row], int | None], unit: Unit = "number"
) -> Computed[Row]:
    return Computed(name, title, Kind.COUNT, 7, align="right", draw=count, rank=count, unit=unit)


def _lost(ids: Set[int], there: Set[int]) -> int:
    """The number of records that are not in their list; one made since can be newer than that."""
    return sum(id < max(there, default=0) for id in ids - there)


# ---- users, plans ----


async def _of_users(session: Session) -> list[Computed[User]]:
    listed = session.collection("plans")
    plans: dict[int, Plan] = {plan.id: plan for plan in await listed.known_records()}
    is_whole = listed.listing.complete

    def paid(user: User) -> int | None:
        plan = plans.get(user.planid or 0)
        if plan is None:
            return None if user.planid or not plans else 0
        return None if plan.free is None else int(not plan.free)

    def lost(user: User) -> int | None:
        return _lost({user.planid} if user.planid else set(), plans.keys()) if is_whole else None

    return [_number("paid", "Paid plan", paid), _number("lost", "Lost plan", lost)]


async def _of_plans(session: Session) -> list[Computed[Plan]]:
    users: list[User] = await session.collection("users").known_records()
    counts = Counter(user.planid for user in users)
    return [_number("users", "Users", lambda plan: counts[plan.id] if users else None)]


# ---- QR codes ----


async def _of_codes(session: Session) -> list[Computed[QrCode]]:
    activities = await StatisticsReader(session).activities()
    weeks = {id: scans_of_week(one) for id, one in activities.items()}
    total = sum(filter(None, weeks.values()))
    within, is_whole = await _channels_of_codes(session)
    contrasts = _contrasts(await _changes(session, "qr", "create", "update"))

    def day(code: QrCode) -> int | None:
        return activities[code.id].days[-1] if code.id in activities else None

    def month(code: QrCode) -> int | None:
        if code.scans == 0:
            return 0
        return activities[code.id].month if code.id in activities else None

    def share(code: QrCode) -> int | None:
        week = weeks.get(code.id)
        return None if week is None or not total else round(100 * week / total)

    def channels(code: QrCode) -> int | None:
        return within[code.id] if is_whole or code.id in within else None

    return [
        _number("day", "1 day", day),
        *scan_columns(lambda code: activities.get(code.id)),
        _number("month", "30 days", month),
        _number("share", "Share", share, "percent"),
        _number("channels", "Channels", channels),
        _number("contrast", "Contrast", lambda code: contrasts.get(code.id)),
    ]


async def _channels_of_codes(session: Session) -> tuple[Counter[int], bool]:
    """In how many channels each code is, by its id, and whether the items of all channels are loaded."""
    listed = session.collection("channels")
    counts, is_whole = Counter[int](), True
    channels: list[Channel] = await listed.known_records()
    for channel in channels:
        items = session.collections.of(ITEMS, channel.id)
        counts.update(_codes_among(await items.known_records()))
        is_whole = is_whole and items.listing.complete
    return counts, is_whole and listed.listing.complete


def _codes_among(items: Iterable[ChannelItem]) -> set[int]:
    return {item.id for item in items if item.type == "qr"}


def _contrasts(entries: Iterable[JournalEntry]) -> dict[int, int]:
    """The whole number of the contrast of codes whose colors were sent from here, by id."""
    of_codes = defaultdict[int, list[JournalEntry]](list)
    for entry in entries:
        if entry.record_id is not None:
            of_codes[entry.record_id].append(entry)
    found: dict[int, int] = {}
    for id, of_code in of_codes.items():
        members = kept_of(of_code, declaration("qr"), id).members
        ink, paper = (members.get(name) for name in ("foreground", "background"))
        if isinstance(ink, str) and isinstance(paper, str) and (ink or paper):
            found[id] = int(contrast(read_color(ink or "#000"), read_color(paper or "#FFF")))
    return found


async def _changes(session: Session, resource: str, *actions: str) -> list[JournalEntry]:
    """The changes of a resource from here, the newest first."""
    entries = await session.kept(session.store.journal.recent(_CHANGES), [])
    return [one for one in entries if one.intent.resource == resource and one.intent.action in actions]


# ---- everything else ----


async def _of_domains(session: Session) -> list[Computed[Domain]]:
    listed = session.collection("qr")
    by_host = codes_by_host(await listed.known_records())
    is_whole = listed.listing.complete

    def codes(domain: Domain) -> int | None:
        found = len(by_host.get(host_of(domain.domain), ()))
        return found if found or is_whole else None

    def redirects(domain: Domain) -> int:
        return bool(domain.redirectroot) + bool(domain.redirect404)

    return [_number("redirects", "Redirects", redirects), _number("codes", "Codes", codes)]


def _of_pixels(session: Session) -> list[Computed[Pixel]]:
    listing = session.collection("pixels").listing
    counted_in: object = None
    alike = Counter[tuple[str, str]]()

    def twins(pixel: Pixel) -> int:
        nonlocal counted_in, alike
        if (rows := listing.loaded_rows()) is not counted_in:  # what is asked for may be loaded later
            counted_in = rows
            alike = Counter((one.type, one.tag) for one in rows if isinstance(one, Pixel))
        return max(0, alike[pixel.type, pixel.tag] - 1) if pixel.tag else 0

    def vendor(pixel: Pixel) -> int:
        return int(pixel.type in VENDORS.names)

    return [_number("twins", "Twins", twins), _number("vendor", "Vendor known", vendor)]


async def _of_campaigns(session: Session) -> list[Computed[Campaign]]:
    entries = await _changes(session, "campaigns", "assign")
    there = {one.intent.record_ids for one in entries if one.known_outcome in _MAY_BE_THERE}
    assigned = Counter(campaign for campaign, _ in there)
    return [_number("assigned", "Assigned", lambda campaign: assigned[campaign.id])]


async def _of_channels(session: Session) -> list[Computed[Channel]]:
    codes = session.collection("qr")
    there = {code.id for code in await codes.known_records()}
    listed = Collection(session, declaration("channels"))  # its own: the list itself may have to be read anew
    channels: list[Channel] = await listed.known_records()
    totals: dict[int, int | None] = {}
    lost: dict[int, int] = {}
    for channel in channels:
        items = session.collections.of(ITEMS, channel.id)
        records = await items.known_records()
        totals[channel.id] = items.total
        if codes.listing.complete and items.listing.page is not None:
            lost[channel.id] = _lost(_codes_among(records), there)
    return [
        _number("items", "Items", lambda channel: totals.get(channel.id)),
        _number("lost", "Lost", lambda channel: lost.get(channel.id)),
    ]


def _broken(model: type[Record]) -> Computed[Any]:
    """The number of addresses of a record that lead nowhere."""
    names = [field.name for field in fields_of(model) if field.kind is Kind.LINK]

    def broken(record: Record) -> int:
        addresses: Mapping[str, str] = {name: getattr(record, name) or "" for name in names}
        return sum(bool(address) and not _leads_somewhere(address) for address in addresses.values())

    return _number("broken", "Broken", broken)


def _leads_somewhere(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
