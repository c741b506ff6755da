"""Users, for keys with admin privileges (reference: users)."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from linkdash.api.account import Account
from linkdash.api.fields import Count, EmailAddress, FilledText, Password, Reference, Secret, When
from linkdash.api.model import Body, Unreadable
from linkdash.api.pages import Page
from linkdash.api.request import Request
from linkdash.api.resource import Caller, Done, WholeList, body_of, record_in

UserClass = Literal["admin", "free", "pro"]
USER_CLASSES: tuple[UserClass, ...] = get_args(UserClass)
MIN_PASSWORD = 5
"""Characters of a new user's password (reference: limits)."""


class User(Account):
    """An account as an admin sees it. The list carries every user's API key, which is never shown."""

    planid: Count = Field(None, title="Plan id")
    apikey: Secret = Field(None, title="API key")


class UserCreate(Body):
    """A new user."""

    username: FilledText = Field(title="Username")
    email: EmailAddress = Field(title="E-mail")
    password: Annotated[Password, Field(min_length=MIN_PASSWORD)] = Field(
        title="Password", description=f"At least {MIN_PASSWORD} characters"
    )
    planid: Annotated[int, Reference("plans")] = Field(0, title="Plan", description="A premium plan")
    expiration: When | None = Field(None, title="Expires", description="When the membership ends")


class Users:
    """`client.users`."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def of_class(self, filter: UserClass | None = None) -> WholeList[User]:
        """The list of all users, or of those of one class: this list has no pages."""
        params = {"filter": filter} if filter else {}
        return WholeList(self._caller, User, Request("GET", "/api/users", params, admin=True))

    async def list(self, *, filter: UserClass | None = None) -> Page[User]:
        """All users, or those of one class, in one answer. Raises ServiceError."""
        return await self.of_class(filter).page()

    async def get(self, id: int) -> User | Unreadable:
        """One user. Raises ServiceError."""
        return record_in(User, await self._caller.send(Request("GET", f"/api/user/{id}", admin=True)))

    async def create(self, body: UserCreate | None = None, /, **members: object) -> User | Unreadable:
        """Makes a user of `username`, `email`, `password`, optionally `planid`, `expiration`.

        Raises InvalidBody, ServiceError.
        """
        given = body_of(UserCreate, body, members)
        return record_in(User, await self._caller.write("POST", "/api/user/add", given, admin=True))

    async def delete(self, id: int) -> Done:
        """Deletes a user and all that is theirs. Raises ServiceError."""
        return await self._caller.do("DELETE", f"/api/user/{id}/delete", admin=True)
