"""The screen of the campaigns."""

from linkdash.api.resources.campaigns import Campaign
from linkdash.model.insight.related import by_label, host_of
from linkdash.model.resources.campaigns import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.related import RelatedFacts, TallyOf, tally_facts
from linkdash.screens.resource_screen import ResourceScreen


class CampaignsScreen(ResourceScreen[Campaign]):
    """Campaigns, and how many of them are open to everyone; the service does not tell what is in one."""

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def related(self, record: Campaign) -> RelatedFacts | None:
        return tally_facts(
            self.collection,
            TallyOf("By access", lambda records: by_label(map(_access, records))),
            TallyOf("By domain", lambda records: by_label(host_of(one.links) or "none" for one in records)),
        )


def _access(campaign: Campaign) -> str:
    """The access to the links of a campaign."""
    public = "public" if campaign.public else "not public"
    return f"{public}, {'with a' if campaign.rotator else 'no'} rotator"
