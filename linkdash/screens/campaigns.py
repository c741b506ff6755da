"""Campaigns with their rotators and link lists."""

from linkdash.api.campaigns import Campaign
from linkdash.api.endpoints import Endpoints
from linkdash.api.resource import Source
from linkdash.screens.resource import ResourceScreen
from linkdash.widgets.columns import column


class CampaignsScreen(ResourceScreen[Campaign]):
    """Campaigns with their rotators and link lists."""

    name_of_place = "campaigns"
    TITLE = "Campaigns"
    record = Campaign
    singular = "campaign"
    columns = (
        column(Campaign, "id"),
        column(Campaign, "name", grow=True, essential=True),
        column(Campaign, "public"),
        column(Campaign, "rotator", grow=True),
        column(Campaign, "links", grow=True),
    )

    def source(self, endpoints: Endpoints) -> Source[Campaign]:
        return endpoints.campaigns.paged
