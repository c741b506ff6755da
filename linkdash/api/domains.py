"""Branded domains (reference: branded domains)."""

from pydantic import Field

from linkdash.api.fields import FilledUrl, Link, Url
from linkdash.api.model import Body, Record
from linkdash.api.resource import Created, Done, PagedResource, body_of, created


class Domain(Record):
    """A custom domain for short links (reference: branded domain)."""

    domain: Link = Field("", title="Domain")
    redirectroot: Link = Field("", title="Root redirect", description="Where a visit to the bare domain goes")
    redirect404: Link = Field("", title="404 redirect", description="Where a visit to an unknown link goes")


class DomainUpdate(Body):
    """What of a domain can be changed; the domain itself cannot."""

    redirectroot: Url = Field(
        "", title="Root redirect", description="Where a visit to the bare domain goes; empty for nowhere"
    )
    redirect404: Url = Field(
        "", title="404 redirect", description="Where a visit to an unknown link goes; empty for nowhere"
    )


class DomainCreate(DomainUpdate):
    """A new domain."""

    domain: FilledUrl = Field(
        title="Domain", description="With its scheme; it must already point to the service"
    )


class Domains(PagedResource[Domain]):
    """`client.domains`."""

    model = Domain
    path = "/api/domains"
    collections = ("domains",)

    async def create(self, body: DomainCreate | None = None, /, **members: object) -> Created:
        """Adds a domain: `domain`, optionally `redirectroot`, `redirect404`.

        Raises InvalidBody, ServiceError.
        """
        return created(
            await self._caller.write("POST", "/api/domain/add", body_of(DomainCreate, body, members))
        )

    async def update(self, id: int, body: DomainUpdate | None = None, /, **members: object) -> Done:
        """Changes `redirectroot`, `redirect404` or both. Raises InvalidBody, ServiceError."""
        return await self._caller.do("PUT", f"/api/domain/{id}/update", body_of(DomainUpdate, body, members))

    async def delete(self, id: int) -> Done:
        """Deletes a domain; its links stop working. Raises ServiceError."""
        return await self._caller.do("DELETE", f"/api/domain/{id}/delete")
