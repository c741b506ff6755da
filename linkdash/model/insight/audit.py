"""The audit of loaded records, for what is likely forgotten or broken: pure checks, and their facts.

Each check says what it could not see, so that one without a finding claims no more than it knows. Nothing
is asked of the service for it.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from linkdash.api.records import Record
from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.channels import Channel, ChannelItem
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.declaration import Resource
from linkdash.model.humanize import counted
from linkdash.model.resources.campaigns import RESOURCE as CAMPAIGNS
from linkdash.model.resources.channels import ITEMS
from linkdash.model.resources.channels import RESOURCE as CHANNELS
from linkdash.model.resources.domains import RESOURCE as DOMAINS
from linkdash.model.resources.pixels import RESOURCE as PIXELS
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.resources.qr import RESOURCE as QR
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.period_comparison import Amount
from linkdash.store.journal_entry import Outcome

T = TypeVar("T", bound=Record)

DAYS = 30
"""Days without a scan after which a code is silent, unless configured."""

_CHANGES = 10_000  # entries of the journal that are looked through, the newest


@dataclass(frozen=True)
class Loaded(Generic[T]):
    """The records of a resource as far as they are loaded."""

    records: Sequence[T] = ()
    is_whole: bool = False
    """True if these are all there are."""
    total: int | None = None

    def lacks(self, what: str) -> str:
        """Return what of them is not loaded, in words; empty where nothing is missing."""
        if self.is_whole:
            return ""
        seen, of = f"{len(self.records):,}", f" of {self.total:,}" if self.total else ""
        return f"{seen}{of} {what} are loaded" if self.records else f"no {what} are loaded"


@dataclass(frozen=True)
class AuditFacts:
    """The facts that the checks look at."""

    now: datetime
    """Without a zone, as the service's moments are."""
    days: int = DAYS
    domains: Loaded[Domain] = Loaded()
    campaigns: Loaded[Campaign] = Loaded()
    channels: Loaded[Channel] = Loaded()
    items: Mapping[int, Loaded[ChannelItem]] = field(default_factory=dict)
    """The items of each channel that was opened, by its id."""
    pixels: Loaded[Pixel] = Loaded()
    codes: Loaded[QrCode] = Loaded()
    scanned: Mapping[int, Amount] = field(default_factory=dict)
    """Scans of each code in the last `days`, as far as the history reaches."""
    plans: Loaded[Plan] = Loaded()
    users: Loaded[User] = Loaded()
    assigned: Set[int] = frozenset()
    """Campaigns that a link was assigned to from here."""


@dataclass(frozen=True)
class Suspect:
    """A record that a check has found."""

    resource: str
    id: int
    name: str
    why: str
    facts: str = ""
    """What else is known of it, in words."""

    @property
    def label(self) -> str:
        """Return what it is called, be it by its number."""
        return self.name or f"{self.resource} {self.id}"


@dataclass(frozen=True)
class Check:
    """A check."""

    title: str
    resource: str
    """The resource to load for what it could not see."""
    found: Sequence[Suspect] = ()
    unseen: str = ""
    """The data that it could not see, in words; empty where it saw everything."""
    is_most: bool = False
    """True if what it could not see can only take back what it has found."""


def audit(known: AuditFacts) -> list[Check]:
    """Every check with what it found; those that found least come first, so that none is buried."""
    checks = [
        _twin_pixels(known),
        _domains_without_redirects(known),
        _links_to_nothing(known),
        _unused_campaigns(known),
        _codes_in_no_channel(known),
        _silent_codes(known),
    ]
    return sorted(checks, key=lambda check: len(check.found))


# ---- the checks ----


def _twin_pixels(known: AuditFacts) -> Check:
    """Pixels that send the same visits to the same place twice."""
    twins: dict[Hashable, list[Pixel]] = defaultdict(list)
    for pixel in known.pixels.records:
        if pixel.tag:
            twins[pixel.type, pixel.tag].append(pixel)
    found = [
        Suspect(
            "pixels",
            pixel.id,
            pixel.name,
            f"{pixel.type} {pixel.tag}, as in {_others(same, pixel)}",
            _made(pixel.date),
        )
        for same in twins.values()
        if len(same) > 1
        for pixel in same
    ]
    return Check("Pixels with the same tag", "pixels", found, known.pixels.lacks("pixels"))


def _others(same: Sequence[Pixel], pixel: Pixel) -> str:
    return ", ".join(f"{other.name or 'pixel'} ({other.id})" for other in same if other is not pixel)


def _domains_without_redirects(known: AuditFacts) -> Check:
    found = []
    for domain in known.domains.records:
        lacking = [
            name
            for name, target in (("root", domain.redirectroot), ("404", domain.redirect404))
            if not target
        ]
        if lacking:
            why = f"no {', no '.join(lacking)} redirect"
            found.append(Suspect("domains", domain.id, domain.domain, why, _redirects(domain)))
    return Check("Domains lacking redirects", "domains", found, known.domains.lacks("domains"))


def _redirects(domain: Domain) -> str:
    """The redirects that a domain has."""
    targets = (("root", domain.redirectroot), ("404", domain.redirect404))
    return ", ".join(f"{name} → {_without_scheme(target)}" for name, target in targets if target)


def _unused_campaigns(known: AuditFacts) -> Check:
    """Campaigns without links, which no endpoint lists (reference: campaigns)."""
    found = [
        Suspect("campaigns", campaign.id, campaign.name, "no rotator, no known link", _listed(campaign))
        for campaign in known.campaigns.records
        if not campaign.rotator and campaign.id not in known.assigned
    ]
    lacks = known.campaigns.lacks("campaigns")
    unseen = "; ".join(filter(None, [lacks, "links are not listed"]))
    return Check("Campaigns never used", "campaigns", found, unseen, is_most=not lacks)


def _listed(campaign: Campaign) -> str:
    """`lnk.example/list/43 · public`: the address at which the links of a campaign are listed."""
    seen = {True: "public", False: "not public", None: ""}[campaign.public]
    return " · ".join(filter(None, [_without_scheme(campaign.links), seen]))


def _codes_in_no_channel(known: AuditFacts) -> Check:
    """Nothing is found while a channel that was not looked into may hold a code."""
    title, loaded = "Codes in no channel", known.items.values()
    unopened = len(known.channels.records) - sum(items.is_whole for items in loaded)
    if not known.channels.is_whole or unopened:
        unseen = known.channels.lacks("channels") or f"{counted(unopened, 'channel')} not opened"
        return Check(title, "channels", (), unseen)
    within = {item.id for items in loaded for item in items.records if item.type == "qr"}
    found = [_of_code(code, "in no channel") for code in known.codes.records if code.id not in within]
    return Check(title, "qr", found, known.codes.lacks("QR codes"))


def _silent_codes(known: AuditFacts) -> Check:
    found, unknown = [], 0
    for code in known.codes.records:
        silent = _is_silent(code, known)
        unknown += silent is None
        if silent:
            found.append(_of_code(code, _silence(code.scans or 0, known.days)))
    lacks = [known.codes.lacks("QR codes")]
    if unknown:
        lacks.append(f"{counted(unknown, 'code')} with less than {counted(known.days, 'day')} of history")
    return Check(silent_title(known.days), "qr", found, "; ".join(filter(None, lacks)))


def silent_title(days: int) -> str:
    """The title of the check for codes that were not scanned in that time."""
    return f"Codes silent for {counted(days, 'day')}"


def _silence(scans: int, days: int) -> str:
    return f"{counted(scans, 'scan')}, none in {counted(days, 'day')}" if scans else "never scanned"


def _is_silent(code: QrCode, known: AuditFacts) -> bool | None:
    """Return whether a code was not scanned in that time; None where that cannot be told."""
    if code.date is not None and code.date > known.now - timedelta(days=known.days):
        return False  # younger than that
    if code.scans == 0:
        return True
    amount = known.scanned.get(code.id)
    if amount is not None and amount.value > 0:
        return False
    return None if amount is None or amount.is_partial else True


def _of_code(code: QrCode, why: str) -> Suspect:
    facts = (_made(code.date), _without_scheme(code.link))
    return Suspect("qr", code.id, code.name, why, " · ".join(filter(None, facts)))


def _made(moment: datetime | None) -> str:
    return f"made {moment:%b %Y}" if moment is not None else ""


def _without_scheme(link: str) -> str:
    return link.partition("://")[2] or link


def _links_to_nothing(known: AuditFacts) -> Check:
    """Addresses that lead nowhere, and records that name one that is not there."""
    found = [*_broken_addresses(known), *_lost_codes(known), *_lost_plans(known)]
    lacking = [
        *(known.domains.lacks("domains"), known.campaigns.lacks("campaigns"), known.codes.lacks("QR codes")),
        *(known.plans.lacks("plans"), known.users.lacks("users")),
    ]
    return Check("Links to nothing", "qr", found, "; ".join(filter(None, lacking)))


def _broken_addresses(known: AuditFacts) -> Iterable[Suspect]:
    for code in known.codes.records:
        if not _leads_somewhere(code.link):
            yield _of_code(code, f"its link is {code.link or 'empty'}")
    for domain in known.domains.records:
        for title, target in (("root", domain.redirectroot), ("404", domain.redirect404)):
            if target and not _leads_somewhere(target):
                yield Suspect("domains", domain.id, domain.domain, f"its {title} redirect is {target}")
    for campaign in known.campaigns.records:
        if campaign.links and not _leads_somewhere(campaign.links):
            yield Suspect("campaigns", campaign.id, campaign.name, f"its link list is {campaign.links}")


def _leads_somewhere(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _lost_codes(known: AuditFacts) -> Iterable[Suspect]:
    """Channels with an item for a code that does not exist."""
    if not known.codes.is_whole:
        return
    there = {code.id for code in known.codes.records}
    names = {channel.id: channel.name for channel in known.channels.records}
    for id, items in known.items.items():
        lost = Counter(item.id for item in items.records if item.type == "qr" and item.id not in there)
        for code_id in lost:
            yield Suspect("channels", id, names.get(id, ""), f"its QR code {code_id} does not exist")


def _lost_plans(known: AuditFacts) -> Iterable[Suspect]:
    """Users on a plan that does not exist."""
    if not known.plans.is_whole:
        return
    there = {plan.id for plan in known.plans.records}
    for user in known.users.records:
        if user.planid and user.planid not in there:
            yield Suspect("users", user.id, user.username, f"its plan {user.planid} does not exist")


# ---- gathering ----


async def known_now(session: Session, days: int) -> AuditFacts:
    """Return what is loaded, or was kept of an earlier run."""
    channels = await _loaded(session, CHANNELS)
    entries = await session.kept(session.store.journal.recent(_CHANGES), [])
    return AuditFacts(
        session.local_time(),
        days,
        await _loaded(session, DOMAINS),
        await _loaded(session, CAMPAIGNS),
        channels,
        {channel.id: await _items(session, channel.id) for channel in channels.records},
        await _loaded(session, PIXELS),
        await _loaded(session, QR),
        await StatisticsReader(session).grown(timedelta(days=days)),
        await _loaded(session, PLANS),
        await _loaded(session, USERS),
        {
            entry.intent.record_ids[0]
            for entry in entries
            if (entry.intent.resource, entry.intent.action) == ("campaigns", "assign")
            and entry.outcome is Outcome.DONE
        },
    )


async def _loaded(session: Session, resource: Resource[T]) -> Loaded[T]:
    collection = session.collection_of(resource)
    records = await collection.known_records()
    return Loaded(records, collection.listing.complete, collection.listing.total)


async def _items(session: Session, channel_id: int) -> Loaded[ChannelItem]:
    collection = session.collection_of(ITEMS, channel_id)
    records = await collection.known_records()
    return Loaded(records, collection.listing.complete, collection.listing.total)
