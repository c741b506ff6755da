"""Campaigns, which group short links (reference: campaigns)."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from linkdash.api.fields import FilledText, Flag, Kind, Link, PlainText, Text, read_text
from linkdash.api.model import Body, Record, Unreadable
from linkdash.api.resource import Done, PagedResource, body_of, record_in


def read_rotator(value: object) -> str:
    """The rotator's address; "" for false, which says that there is none."""
    return "" if value in (False, 0, "0", "false") else read_text(value)


class Campaign(Record):
    """A group of short links, with a public rotator or without."""

    name: Text = Field("", title="Name", validation_alias=AliasChoices("name", "domain"))
    public: Flag = Field(None, title="Public")
    rotator: Annotated[str, BeforeValidator(read_rotator), Kind.LINK] = Field(
        "", title="Rotator", description="Sends each visitor to one of the campaign's links"
    )
    links: Link = Field("", title="Link list", validation_alias=AliasChoices("list", "links"))

    @model_validator(mode="before")
    @classmethod
    def _without_empty_name(cls, data: object) -> object:
        """An empty name is none where the campaign has its name under `domain`."""
        if isinstance(data, Mapping) and data.get("domain") and data.get("name") in (None, ""):
            return {member: value for member, value in data.items() if member != "name"}
        return data


class CampaignCreate(Body):
    """A new campaign."""

    name: PlainText = Field("", title="Name")
    slug: PlainText = Field("", title="Rotator slug", description="The last part of the rotator's address")
    public: bool = Field(False, title="Public", description="Whether the rotator is open to everyone")


class CampaignUpdate(Body):
    """What of a campaign can be changed; its name is always sent."""

    name: FilledText = Field(title="Name")
    slug: PlainText = Field("", title="Rotator slug", description="The last part of the rotator's address")
    public: bool = Field(False, title="Public", description="Whether the rotator is open to everyone")


class Campaigns(PagedResource[Campaign]):
    """`client.campaigns`."""

    model = Campaign
    path = "/api/campaigns"
    collections = ("campaigns",)

    async def create(self, body: CampaignCreate | None = None, /, **members: object) -> Campaign | Unreadable:
        """Makes a campaign of `name`, `slug`, `public`. Raises InvalidBody, ServiceError."""
        given = body_of(CampaignCreate, body, members)
        return record_in(Campaign, await self._caller.write("POST", "/api/campaign/add", given))

    async def update(
        self, id: int, body: CampaignUpdate | None = None, /, **members: object
    ) -> Campaign | Unreadable:
        """Changes `slug`, `public` and `name`, which is required. Raises InvalidBody, ServiceError."""
        given = body_of(CampaignUpdate, body, members)
        return record_in(Campaign, await self._caller.write("PUT", f"/api/campaign/{id}/update", given))

    async def delete(self, id: int) -> Done:
        """Deletes a campaign; its links stay. Raises ServiceError."""
        return await self._caller.do("DELETE", f"/api/campaign/{id}/delete")

    async def assign(self, campaign_id: int, link_id: int) -> Done:
        """Puts a short link into a campaign. Raises ServiceError."""
        return await self._caller.do("POST", f"/api/campaign/{campaign_id}/assign/{link_id}")
