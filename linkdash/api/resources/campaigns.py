"""Campaigns, which group short links (reference: campaigns)."""

from collections.abc import Mapping
from typing import Annotated, overload

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from linkdash.api.endpoints import Created, Done, PagedResource, path_of
from linkdash.api.fields import FilledText, Flag, Kind, Link, PlainText, Text, Unique, read_text
from linkdash.api.http.request import NO_OPTIONS, Options
from linkdash.api.records import Body, Record


def read_rotator(value: object) -> str:
    """The rotator's address; "" for false, which says that there is none."""
    return "" if value in (False, 0, "0", "false") else read_text(value)


def _without_empty_name(data: object) -> object:
    """An empty name is none where the campaign has its name under `domain`."""
    if isinstance(data, Mapping) and data.get("domain") and data.get("name") in (None, ""):
        return {member: value for member, value in data.items() if member != "name"}
    return data


CampaignName = Annotated[Text, Field(title="Name", validation_alias=AliasChoices("name", "domain"))]
Rotator = Annotated[
    str,
    BeforeValidator(read_rotator),
    Kind.LINK,
    Field(title="Rotator", description="Sends each visitor to one of the campaign's links"),
]
LinkList = Annotated[Link, Field(title="Link list", validation_alias=AliasChoices("list", "links"))]


class Campaign(Record):
    """A group of short links, with a public rotator or without (reference: campaign)."""

    name: CampaignName = ""
    public: Flag = Field(default=None, title="Public")
    rotator: Rotator = ""
    links: LinkList = ""

    _one_name = model_validator(mode="before")(_without_empty_name)


class CampaignSaved(Created):
    """The answer to a create or an update: the campaign as it is now (reference: campaigns)."""

    name: CampaignName = ""
    public: Flag = None
    rotator: Rotator = ""
    links: LinkList = ""

    _one_name = model_validator(mode="before")(_without_empty_name)


class CampaignCreate(Body):
    """A new campaign."""

    name: FilledText = Field(default="", title="Name")
    slug: Annotated[PlainText, Unique()] = Field(
        default="", title="Rotator slug", description="The last part of the rotator's address"
    )
    public: bool = Field(default=False, title="Public", description="Whether the rotator is open to everyone")


class CampaignUpdate(CampaignCreate):
    """The members of a campaign that can be changed; its name is always sent."""

    name: FilledText = Field(title="Name")


class Campaigns(PagedResource[Campaign]):
    """`client.campaigns` (reference: campaigns)."""

    model = Campaign
    path = "/api/campaigns"
    collections = ("campaigns",)

    @overload
    async def create(self, body: CampaignCreate, /, *, options: Options = NO_OPTIONS) -> CampaignSaved: ...
    @overload
    async def create(
        self,
        body: None = None,
        /,
        *,
        name: str = ...,
        slug: str = ...,
        public: bool = ...,
        options: Options = NO_OPTIONS,
    ) -> CampaignSaved: ...
    async def create(
        self, body: CampaignCreate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> CampaignSaved:
        """Create a campaign of `name`, `slug`, `public`, all optional (reference: campaigns).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        given = self._caller.body(CampaignCreate, body, members)
        return self._caller.result(
            CampaignSaved, await self._caller.send_write("POST", "/api/campaign/add", given, options)
        )

    @overload
    async def update(
        self, id: int, body: CampaignUpdate, /, *, options: Options = NO_OPTIONS
    ) -> CampaignSaved: ...
    @overload
    async def update(
        self, id: int, /, *, name: str, slug: str = ..., public: bool = ..., options: Options = NO_OPTIONS
    ) -> CampaignSaved: ...
    async def update(
        self,
        id: int,
        body: CampaignUpdate | None = None,
        /,
        *,
        options: Options = NO_OPTIONS,
        **members: object,
    ) -> CampaignSaved:
        """Change `slug`, `public` and `name`, which is required (reference: campaigns).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        path = path_of("/api/campaign/{id}/update", id=id)
        given = self._caller.body(CampaignUpdate, body, members)
        answer = await self._caller.send_write("PUT", path, given, options)
        return self._caller.result(CampaignSaved, answer, id)

    async def delete(self, id: int, /, *, options: Options = NO_OPTIONS) -> Done:
        """Delete a campaign; its links stay (reference: campaigns).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        return await self._caller.acknowledged("DELETE", path_of("/api/campaign/{id}/delete", id=id), options)

    async def assign(self, campaign_id: int, link_id: int, /, *, options: Options = NO_OPTIONS) -> Done:
        """Put a short link into a campaign (reference: campaigns).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        path = path_of(
            "/api/campaign/{campaign_id}/assign/{link_id}", campaign_id=campaign_id, link_id=link_id
        )
        return await self._caller.acknowledged("POST", path, options)
