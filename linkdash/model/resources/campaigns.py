"""Campaigns with their rotators and link lists; links are assigned to them."""

from collections.abc import Sequence

from pydantic import Field

from linkdash.api.client import Client, Endpoints
from linkdash.api.endpoints import Done
from linkdash.api.records import Body
from linkdash.api.resources.campaigns import Campaign, CampaignCreate, CampaignUpdate
from linkdash.model.declaration import Assigning, Assignment, Deletion, NameOf, Resource, Verdict
from linkdash.model.lists.columns import column
from linkdash.model.lists.views import BROKEN, Finding
from linkdash.model.resources.channels import LinkIds, known_links, read_ids
from linkdash.store.journal_entry import WriteIntent


class LinksForCampaign(Body):
    """Links that are put into a campaign."""

    ids: LinkIds = Field(title="Links", description="By name where a channel holds them, or by id")


def _assign_links(campaign: Campaign, body: LinksForCampaign, name_of: NameOf) -> Sequence[WriteIntent]:
    return [link_assignment(campaign.id, id, campaign.name) for id in read_ids(body.ids)]


def link_assignment(campaign: int, link: int, name: str = "") -> WriteIntent:
    """A link is put into a campaign, whose name may be known."""
    return WriteIntent("campaigns", "assign", (campaign, link), {}, (name,), is_kept=True)


async def _assign(client: Endpoints, intent: WriteIntent) -> Done:
    campaign_id, link_id = intent.record_ids
    return await client.campaigns.assign(campaign_id, link_id)


async def _check(client: Client, intent: WriteIntent) -> Verdict:
    return Verdict(None, "Cannot tell: the service does not show which links a campaign has.")


def _losses_of(campaign: Campaign) -> str:
    """Return what stops with a campaign."""
    stopped = "Its rotator stops working." if campaign.rotator else "It has no rotator."
    return f"{stopped} Its links stay, in no campaign."


def _slug_of(campaign: Campaign) -> str:
    """The slug of a campaign, which is the last part of its rotator's address."""
    return campaign.rotator.rstrip("/").rpartition("/")[2]


RESOURCE = Resource(
    "campaigns",
    singular="campaign",
    record=Campaign,
    columns=(
        column(Campaign, "name", width=24, grow=True, essential=True),
        column(Campaign, "public"),
        column(Campaign, "rotator", width=22),
        column(Campaign, "links", width=20),
        column(Campaign, "id"),
    ),
    create=CampaignCreate,
    update=CampaignUpdate,
    delete=Deletion(
        _losses_of,
        "The rotators of {} campaigns stop working. Their links stay, in no campaign.",
    ),
    assignment=Assignment(LinksForCampaign, "Assign links to", _assign_links, known=known_links),
    assigning=Assigning(_assign, _check, lambda intent: "link"),
    as_created=lambda campaign: {"slug": _slug_of(campaign)},
    findings=(
        Finding(
            name="empty",
            filter='rotator:"" assigned:0',
            why="They have no rotator, and no link was assigned from here; the service lists no links.",
            advice="Delete those that are not needed.",
        ),
        BROKEN,
    ),
)
