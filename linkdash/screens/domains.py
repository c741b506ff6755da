"""The screen of the domains."""

from collections.abc import Mapping, Sequence

from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import counted
from linkdash.model.insight.related import campaigns_on, codes_on, usage
from linkdash.model.resources import place
from linkdash.model.resources.domains import RESOURCE
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.scan_activity import Activity
from linkdash.screens.related import ROOM_FOR_CODES, RelatedFacts, code_lines, heading, usage_lines
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.styled_text import Lines, Piece, Tone

_NO_CAMPAIGN = Piece("no campaign", Tone.MUTED)


class DomainsScreen(ResourceScreen[Domain]):
    """Domains, and what of all that is loaded or kept is on one."""

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._codes: Sequence[QrCode] = ()
        self._campaigns: Sequence[Campaign] = ()
        self._activities: Mapping[int, Activity] = {}

    def on_screen_resume(self) -> None:
        """Find what is known of codes and campaigns."""
        if self.is_active:
            self.begin(self._read_known(), "related")

    async def _read_known(self) -> None:
        codes: Sequence[QrCode] = await self.session.collection("qr").known_records()
        campaigns: Sequence[Campaign] = await self.session.collection("campaigns").known_records()
        activities = await StatisticsReader(self.session).activities()
        self._codes, self._campaigns, self._activities = codes, campaigns, activities  # all told at once
        self.show_details()

    def related(self, record: Domain) -> RelatedFacts:
        codes = codes_on(record.domain, self._codes)
        used = usage(codes, self._activities)
        campaigns = campaigns_on(record.domain, self._campaigns)
        lines = [*usage_lines(place("qr").icon, used, in_numbers=self.session.settings.linear)]
        named = Piece(f"  {', '.join(campaigns[:3])}", Tone.MUTED)
        icon = Piece(f"{place('campaigns').icon} ", Tone.ICON)
        number = Piece(counted(len(campaigns), "campaign"), Tone.HERO) if campaigns else _NO_CAMPAIGN
        lines.append([icon, number, named])
        of = f"of {len(self._codes):,} codes, {len(self._campaigns):,} campaigns"
        return RelatedFacts("Used by", of, lambda width, height: self._used(lines, codes, width, height))

    def _used(self, lines: Lines, codes: Mapping[int, str], width: int, height: int) -> Lines:
        """The uses of the domain, then each of its codes where there is room for a few."""
        if not codes or height < ROOM_FOR_CODES:
            return lines
        each = code_lines(codes, self._activities, width)
        return [*lines, [], heading("Codes, 7 days", width), *each][:height]
