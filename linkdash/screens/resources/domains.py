"""The screen of the domains."""

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.domains import Domain
from linkdash.model.humanize import CountChange, KnownHost, counted
from linkdash.model.insight.related import campaigns_on, codes_by_host, host_of, usage
from linkdash.model.lists.columns import drawn, is_few, value_of
from linkdash.model.lists.computed_columns import WEEK_TITLES, week_columns
from linkdash.model.resources import place
from linkdash.model.resources.campaigns import RESOURCE as CAMPAIGNS
from linkdash.model.resources.domains import RESOURCE
from linkdash.model.resources.qr import RESOURCE as CODES
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import Activity
from linkdash.screens.lists.related import RelatedFacts, UsedCodes
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.styled_text import Lines, Piece, Tone

_PATH_CELLS = 26  # of `…/not-found?from=link`, or of another host and an end: else the details tell it
_NO_CAMPAIGN = Piece("no campaign", Tone.MUTED)


class DomainsScreen(ResourceScreen[Domain]):
    """Domains, and what of all that is loaded or kept is on one."""

    TITLE = RESOURCE.title
    COLUMN_TITLES = WEEK_TITLES

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        domain, root, broken, id = self.records.columns
        broken = replace(drawn(broken, _beside_root, width=_PATH_CELLS), grow=False)
        self.records.columns = (domain, root, *week_columns(self._week_of), broken, id)
        self.collection.arrangement.use(self.records.columns, ())
        self._codes: Mapping[str, Mapping[int, str]] = {}
        """The names of codes by id, by the host that they lead to."""
        self._weeks: Mapping[str, CountChange] = {}
        """The scans of those of a host."""
        self._number = 0
        self._campaigns: Sequence[Campaign] = ()
        self._activities: Mapping[int, Activity] = {}

    def _week_of(self, domain: Domain) -> CountChange | None:
        return self._weeks.get(host_of(domain.domain))

    @property
    def notes(self) -> Mapping[Hashable, str]:
        """Those that are http carry a sign, where most are not."""
        plain = {one.key for one in self.collection.records if one.domain.startswith("http://")}
        few = plain if is_few(plain, self.collection.records) else set()
        return {**dict.fromkeys(few, "http"), **super().notes}

    async def read_related(self) -> None:
        codes = await self.session.collection_of(CODES).known_records()
        campaigns = await self.session.collection_of(CAMPAIGNS).known_records()
        activities = await StatisticsReader(self.session).activities()
        by_host = await asyncio.to_thread(codes_by_host, codes)
        weeks = await asyncio.to_thread(_weeks, by_host, activities)
        self._codes, self._number = by_host, len(codes)
        self._campaigns, self._activities = campaigns, activities
        if weeks != self._weeks:
            self._weeks = weeks
            self.show_columns_anew()

    def related(self, record: Domain) -> RelatedFacts:
        host = host_of(record.domain)
        codes = self._codes.get(host, {}) if host else {}
        linear = self.session.settings.linear
        used = UsedCodes(codes, self._activities, place(CODES.id).icon, in_numbers=linear)
        campaigns = campaigns_on(record.domain, self._campaigns)
        named = Piece(f"  {', '.join(campaigns[:3])}", Tone.MUTED)
        number = Piece(counted(len(campaigns), "campaign"), Tone.HERO) if campaigns else _NO_CAMPAIGN
        in_campaigns = self._not_loaded(CAMPAIGNS.id) or [_icon(CAMPAIGNS.id), number, named]
        loaded = ((self._number, "codes"), (len(self._campaigns), "campaigns"))
        of = ", ".join(f"{number:,} {what}" for number, what in loaded if number)

        def lines(width: int, height: int) -> Lines:
            unknown = self._not_loaded(CODES.id)
            return [unknown, in_campaigns] if unknown else used.lines(width, height, in_campaigns)

        chart = used.chart(StatisticsReader(self.session).now)
        return RelatedFacts("Used by", f"of {of}" if of else "", lines, chart)

    def _not_loaded(self, resource: str) -> list[Piece]:
        """The line of a resource that nothing is known of yet; empty where it is known."""
        known = self.session.collections.known(resource)
        if known is not None and known.listing.total is not None:
            return []
        words = f"{place(resource).title} are not loaded; {self.key_of(f'go-{resource}')} loads them"
        return [_icon(resource), Piece(words, Tone.MUTED)]


def _icon(resource: str) -> Piece:
    return Piece(f"{place(resource).icon} ", Tone.ICON)


def _weeks(
    codes: Mapping[str, Mapping[int, str]], activities: Mapping[int, Activity]
) -> dict[str, CountChange]:
    """The scans of the codes of each host, where they are kept."""
    used = {host: usage(names, activities) for host, names in codes.items()}
    return {host: one.change for host, one in used.items() if one.told}


def _beside_root(domain: Domain) -> object:
    """The address for broken visits; that its host is the one for bare visits, where it is, too."""
    root, broken = value_of(domain, "redirectroot"), value_of(domain, "redirect404")
    if not isinstance(root, str) or not isinstance(broken, str):
        return broken
    host, _, path = broken.partition("://")[2].partition("/")
    is_known = path and host == root.partition("://")[2].partition("/")[0]
    return KnownHost(broken) if is_known else broken
