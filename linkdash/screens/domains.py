"""The screen of the domains."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import counted
from linkdash.model.insight.related import campaigns_on, codes_on
from linkdash.model.lists.columns import drawn, value_of
from linkdash.model.resources import place
from linkdash.model.resources.campaigns import RESOURCE as CAMPAIGNS
from linkdash.model.resources.domains import RESOURCE
from linkdash.model.resources.qr import RESOURCE as CODES
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import Activity
from linkdash.screens.related import RelatedFacts, UsedCodes
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.styled_text import CUT, Piece, Tone

_NO_CAMPAIGN = Piece("no campaign", Tone.MUTED)


class DomainsScreen(ResourceScreen[Domain]):
    """Domains, and what of all that is loaded or kept is on one."""

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self.records.columns = [
            replace(drawn(column, _beside_root, width=column.width), grow=False)
            if column.name == "redirect404"
            else column
            for column in self.records.columns
        ]
        self._codes: Sequence[QrCode] = ()
        self._campaigns: Sequence[Campaign] = ()
        self._activities: Mapping[int, Activity] = {}

    def on_screen_resume(self) -> None:
        """Find what is known of codes and campaigns."""
        if self.is_active:
            self.begin(self._read_known(), "related")

    async def _read_known(self) -> None:
        codes = await self.session.collection_of(CODES).known_records()
        campaigns = await self.session.collection_of(CAMPAIGNS).known_records()
        activities = await StatisticsReader(self.session).activities()
        self._codes, self._campaigns, self._activities = codes, campaigns, activities  # all told at once
        self.show_details()

    def related(self, record: Domain) -> RelatedFacts:
        codes = codes_on(record.domain, self._codes)
        linear = self.session.settings.linear
        used = UsedCodes(codes, self._activities, place("qr").icon, in_numbers=linear)
        campaigns = campaigns_on(record.domain, self._campaigns)
        named = Piece(f"  {', '.join(campaigns[:3])}", Tone.MUTED)
        icon = Piece(f"{place('campaigns').icon} ", Tone.ICON)
        number = Piece(counted(len(campaigns), "campaign"), Tone.HERO) if campaigns else _NO_CAMPAIGN
        of = f"of {len(self._codes):,} codes, {len(self._campaigns):,} campaigns"
        return RelatedFacts(
            "Used by", of, lambda width, height: used.lines(width, height, [icon, number, named])
        )


def _beside_root(domain: Domain) -> object:
    """The address for broken visits; without its host, where that is the one for bare visits, too."""
    root, broken = value_of(domain, "redirectroot"), value_of(domain, "redirect404")
    if not isinstance(root, str) or not isinstance(broken, str):
        return broken
    host, _, path = broken.partition("://")[2].partition("/")
    return f"{CUT}/{path}" if path and host == root.partition("://")[2].partition("/")[0] else broken
