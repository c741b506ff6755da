"""The account of the key: record, request body and endpoints (reference: account)."""

from typing import Annotated, overload

from pydantic import Field, SecretStr

from linkdash.api.endpoints import Caller, Done, OneRecord
from linkdash.api.fields import (
    Email,
    EmailAddress,
    Link,
    Moment,
    Passed,
    Password,
    Text,
    Twice,
    Word,
)
from linkdash.api.http.request import NO_OPTIONS, Options, Request
from linkdash.api.records import Body, Record

ACCOUNT = Request("GET", "/api/account")


class Account(Record):
    """The account that the key belongs to (reference: account and user)."""

    username: Text = Field(default="", title="Username")
    email: Email = Field(default="", title="E-mail")
    status: Word = Field(default="", title="Status", description="free or pro")
    registered: Moment = Field(default=None, title="Registered")
    expires: Annotated[Moment, Passed("expired")] = Field(
        default=None, title="Expires", description="Nothing for a free user"
    )
    avatar: Link = Field(default="", title="Avatar")


class AccountUpdate(Body):
    """The members of the account that can be changed."""

    email: EmailAddress = Field(default="", title="E-mail")
    password: Annotated[Password, Field(min_length=1), Twice()] = Field(
        default=SecretStr(""), title="New password"
    )


class AccountEndpoints:
    """`client.account` (reference: account)."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.source = OneRecord(caller, Account, ACCOUNT)
        """The account as a list of one record."""

    async def get(self, *, options: Options = NO_OPTIONS) -> Account:
        """The account (reference: account). Raises ServiceError."""
        return await self.source.get(options)

    @overload
    async def update(self, body: AccountUpdate, /, *, options: Options = NO_OPTIONS) -> Done: ...
    @overload
    async def update(
        self,
        body: None = None,
        /,
        *,
        email: str = ...,
        password: str | SecretStr = ...,
        options: Options = NO_OPTIONS,
    ) -> Done: ...
    async def update(
        self, body: AccountUpdate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> Done:
        """Change `email`, `password` or both (reference: account).

        Raises InvalidBody, ReadOnly, ServiceError.
        """
        given = self._caller.body(AccountUpdate, body, members)
        return await self._caller.acknowledged("PUT", "/api/account/update", options, given)
