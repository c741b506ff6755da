"""Campaigns with their rotators and link lists."""

from linkdash.api.campaigns import Campaign, CampaignCreate, CampaignUpdate
from linkdash.api.client import Endpoints
from linkdash.api.resource import Source
from linkdash.screens import places
from linkdash.screens.writing.assigning import CAMPAIGN_GIVEN, CAMPAIGN_GIVING
from linkdash.screens.writing.writable import WritableScreen
from linkdash.screens.writing.writes import Deleting, creating, updating
from linkdash.widgets.columns import column


class CampaignsScreen(WritableScreen[Campaign]):
    """Campaigns with their rotators and link lists."""

    name_of_place = places.CAMPAIGNS.id
    TITLE = places.CAMPAIGNS.title
    record_type = Campaign
    singular = "campaign"
    columns = (
        column(Campaign, "id"),
        column(Campaign, "name", width=20, grow=True, essential=True),
        column(Campaign, "public"),
        column(Campaign, "rotator", width=22),
        column(Campaign, "links", width=20),
    )
    giving = CAMPAIGN_GIVING
    given = CAMPAIGN_GIVEN
    creating = creating(CampaignCreate, lambda at, body: at.campaigns.create(body))
    updating = updating(CampaignUpdate, lambda at, id, body: at.campaigns.update(id, body))
    deleting = Deleting(
        lambda at, id: at.campaigns.delete(id),
        lambda campaign: "Its rotator stops working." if campaign.rotator else "It has no rotator.",
    )

    def source(self, endpoints: Endpoints) -> Source[Campaign]:
        return endpoints.campaigns.source
