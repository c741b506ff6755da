"""The screen of the campaigns."""

from collections.abc import Sequence

from linkdash.api.resources.campaigns import Campaign
from linkdash.model.insight.related import by_label, host_of
from linkdash.model.resources.campaigns import RESOURCE
from linkdash.model.session import Session
from linkdash.screens.lists.related import TallyOf
from linkdash.screens.resource_screen import ResourceScreen


class CampaignsScreen(ResourceScreen[Campaign]):
    """Campaigns, how many of them are open to everyone, and the scans of codes that are named alike.

    The service does not tell what is in a campaign.
    """

    TITLE = RESOURCE.title

    def __init__(self, session: Session) -> None:
        super().__init__(session, RESOURCE)

    def ways(self) -> Sequence[TallyOf[Campaign]]:
        return (
            TallyOf("By access", lambda records: by_label(map(_access, records))),
            TallyOf("By domain", lambda records: by_label(host_of(one.links) or "none" for one in records)),
        )


def _access(campaign: Campaign) -> str:
    """The access to the links of a campaign."""
    public = "public" if campaign.public else "not public"
    return f"{public}, {'with a' if campaign.rotator else 'no'} rotator"
