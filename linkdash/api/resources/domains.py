"""Branded domains (reference: branded domains)."""

from typing import overload

from pydantic import Field

from linkdash.api.endpoints import Created, Done, PagedResource, path_of
from linkdash.api.fields import FilledUrl, Link, Url
from linkdash.api.http.request import NO_OPTIONS, Options
from linkdash.api.records import Body, Record


class Domain(Record):
    """A custom domain for short links (reference: branded domain)."""

    domain: Link = Field(default="", title="Domain")
    redirectroot: Link = Field(
        default="", title="Root redirect", description="Where a visit to the bare domain goes"
    )
    redirect404: Link = Field(
        default="", title="404 redirect", description="Where a visit to an unknown link goes"
    )


class DomainUpdate(Body):
    """The members of a domain that can be changed; the domain itself cannot."""

    redirectroot: Url = Field(
        "", title="Root redirect", description="Where a visit to the bare domain goes; empty for nowhere"
    )
    redirect404: Url = Field(
        "", title="404 redirect", description="Where a visit to an unknown link goes; empty for nowhere"
    )


class DomainCreate(DomainUpdate):
    """A new domain."""

    domain: FilledUrl = Field(
        title="Domain", description="With https:// before it; it must already point to the service"
    )


class Domains(PagedResource[Domain]):
    """`client.domains` (reference: branded domains)."""

    model = Domain
    path = "/api/domains"
    collections = ("domains",)

    @overload
    async def create(self, body: DomainCreate, /, *, options: Options = NO_OPTIONS) -> Created: ...
    @overload
    async def create(
        self,
        body: None = None,
        /,
        *,
        domain: str,
        redirectroot: str = ...,
        redirect404: str = ...,
        options: Options = NO_OPTIONS,
    ) -> Created: ...
    async def create(
        self, body: DomainCreate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> Created:
        """Create a domain of `domain`, a URL with its scheme that already points to the service.

        Optional are the URLs `redirectroot` and `redirect404` (reference: branded domains).
        Raises InvalidBody, ReadOnly, ServiceError.
        """
        given = self._caller.body(DomainCreate, body, members)
        answer = await self._caller.send_write("POST", "/api/domain/add", given, options)
        return self._caller.result(Created, answer)

    @overload
    async def update(self, id: int, body: DomainUpdate, /, *, options: Options = NO_OPTIONS) -> Done: ...
    @overload
    async def update(
        self, id: int, /, *, redirectroot: str = ..., redirect404: str = ..., options: Options = NO_OPTIONS
    ) -> Done: ...
    async def update(
        self,
        id: int,
        body: DomainUpdate | None = None,
        /,
        *,
        options: Options = NO_OPTIONS,
        **members: object,
    ) -> Done:
        """Change the URLs `redirectroot`, `redirect404` or both; "" clears one (reference: branded domains).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        path = path_of("/api/domain/{id}/update", id=id)
        return await self._caller.acknowledged(
            "PUT", path, options, self._caller.body(DomainUpdate, body, members)
        )

    async def delete(self, id: int, /, *, options: Options = NO_OPTIONS) -> Done:
        """Delete a domain; its links stop working (reference: branded domains).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        return await self._caller.acknowledged("DELETE", path_of("/api/domain/{id}/delete", id=id), options)
