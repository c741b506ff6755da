"""The screen of the campaigns."""

from linkdash.api.resources.campaigns import Campaign
from linkdash.model.insight.related import by_label, host_of
from linkdash.model.resources.campaigns import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.lists.known_codes import KnownCodes
from linkdash.screens.lists.related import RelatedFacts, TallyOf, tally_facts
from linkdash.screens.resource_screen import ResourceScreen


class CampaignsScreen(ResourceScreen[Campaign]):
    """Campaigns, how many of them are open to everyone, and the scans of codes that are named alike.

    The service does not tell what is in a campaign.
    """

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)
        self._codes = KnownCodes(session)

    async def read_related(self) -> None:
        await self._codes.read()

    def related(self, record: Campaign) -> RelatedFacts | None:
        return tally_facts(
            self.collection,
            TallyOf("By access", lambda records: by_label(map(_access, records))),
            TallyOf("By domain", lambda records: by_label(host_of(one.links) or "none" for one in records)),
            alike=self._codes.alike(record.name),
        )


def _access(campaign: Campaign) -> str:
    """The access to the links of a campaign."""
    public = "public" if campaign.public else "not public"
    return f"{public}, {'with a' if campaign.rotator else 'no'} rotator"
