"""The account behind the key (reference: account)."""

from typing import Annotated

from pydantic import Field, SecretStr

from linkdash.api.fields import Email, EmailAddress, Link, Moment, Password, Text, Word
from linkdash.api.marks import Twice
from linkdash.api.model import Body, Record, Unreadable
from linkdash.api.request import Request
from linkdash.api.resource import Caller, Done, OneRecord, body_of, record_in


class Account(Record):
    """The account that the key belongs to (reference: account and user)."""

    username: Text = Field("", title="Username")
    email: Email = Field("", title="E-mail")
    status: Word = Field("", title="Status", description="free or pro")
    registered: Moment = Field(None, title="Registered")
    expires: Moment = Field(None, title="Expires", description="Nothing for a free user")
    avatar: Link = Field("", title="Avatar")


class AccountUpdate(Body):
    """What of the account can be changed."""

    email: EmailAddress = Field("", title="E-mail")
    password: Annotated[Password, Twice()] = Field(SecretStr(""), title="New password")


class AccountEndpoints:
    """`client.account`."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.own = OneRecord(caller, Account, Request("GET", "/api/account"))

    async def get(self) -> Account | Unreadable:
        """The account. Raises ServiceError."""
        return record_in(Account, await self._caller.send(self.own.request()))

    async def update(self, body: AccountUpdate | None = None, /, **members: object) -> Done:
        """Changes e-mail, password or both. Raises InvalidBody, ServiceError."""
        return await self._caller.do("PUT", "/api/account/update", body_of(AccountUpdate, body, members))
