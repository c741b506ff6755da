"""Users: records, request bodies and endpoints (reference: users)."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Literal, get_args, overload

from pydantic import Field, SecretStr

from linkdash.api.endpoints import (
    Caller,
    Created,
    Done,
    Listing,
    OneRecord,
    WholeList,
    check_id,
    path_of,
)
from linkdash.api.errors import InvalidBody
from linkdash.api.fields import (
    Count,
    Email,
    EmailAddress,
    FilledText,
    Password,
    RecordId,
    Reference,
    Secret,
    Text,
    When,
    Word,
)
from linkdash.api.http.request import NO_OPTIONS, Options, Request
from linkdash.api.records import Body
from linkdash.api.resources.account import Account

UserClass = Literal["admin", "free", "pro"]
USER_CLASSES: tuple[UserClass, ...] = get_args(UserClass)
MIN_PASSWORD = 5
"""Characters of a new user's password (reference: limits)."""
_LARGEST_LIST = 64 * 1024 * 1024  # bytes: four times a list of 100,000 users


class User(Account):
    """An account as an admin sees it (reference: account and user).

    The list carries every user's API key, which is never shown.
    """

    status: Word = Field(default="", title="Class", description="free, pro or admin")
    planid: Annotated[Count, Reference("plans")] = Field(default=None, title="Plan id")
    apikey: Secret = Field(default=None, title="API key")


class UserCreated(Created):
    """The answer to a create (reference: users)."""

    email: Email = ""
    username: Text = ""


class UserCreate(Body):
    """A new user."""

    username: FilledText = Field(title="Username")
    email: EmailAddress = Field(title="E-mail")
    password: Annotated[Password, Field(min_length=MIN_PASSWORD)] = Field(
        title="Password", description=f"At least {MIN_PASSWORD} characters"
    )
    planid: Annotated[RecordId, Reference("plans")] = Field(
        default=0, title="Plan", description="A premium plan"
    )
    expiration: When | None = Field(default=None, title="Expires", description="When the membership ends")


class Users:
    """`client.users`, for keys of admins (reference: users)."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.source = self.of_class()
        """The list itself: this list has no pages."""

    def of_class(self, filter: UserClass | None = None, /) -> WholeList[User]:
        """The list of all users, or of those of one class (reference: users).

        Raises InvalidBody for an unknown class.
        """
        if filter is not None and filter not in USER_CLASSES:
            raise InvalidBody(f"filter: it is one of {', '.join(USER_CLASSES)}.", "Nothing was sent.")
        params = {"filter": filter} if filter else {}
        request = Request("GET", "/api/users", params, admin=True, max_bytes=_LARGEST_LIST)
        return WholeList(self._caller, User, request)

    def list(self, *, filter: UserClass | None = None, options: Options = NO_OPTIONS) -> Listing[User]:
        """All users, or those of one class: in one answer if awaited, one by one if iterated.

        (Reference: users.) Raises InvalidBody, AdminRequired, ServiceError.
        """
        return Listing(self.of_class(filter), options=options)

    def iter(self, *, filter: UserClass | None = None, options: Options = NO_OPTIONS) -> AsyncIterator[User]:
        """Every user, or every one of a class, out of one answer (reference: users).

        Raises as `list` does.
        """
        return aiter(self.list(filter=filter, options=options))

    async def get(self, id: int, /, *, options: Options = NO_OPTIONS) -> User:
        """Return a user (reference: users).

        Raises InvalidBody, AdminRequired, UnreadableAnswer, ServiceError.
        """
        request = Request("GET", path_of("/api/user/{id}", id=id), admin=True)
        user = await OneRecord(self._caller, User, request).get(options)
        check_id(user.id, id, "user")
        return user

    @overload
    async def create(self, body: UserCreate, /, *, options: Options = NO_OPTIONS) -> UserCreated: ...
    @overload
    async def create(
        self,
        body: None = None,
        /,
        *,
        username: str,
        email: str,
        password: str | SecretStr,
        planid: int = ...,
        expiration: datetime | str = ...,
        options: Options = NO_OPTIONS,
    ) -> UserCreated: ...
    async def create(
        self, body: UserCreate | None = None, /, *, options: Options = NO_OPTIONS, **members: object
    ) -> UserCreated:
        """Create a user of `username`, `email` and `password`, which has at least 5 characters.

        Optional are `planid`, the id of a premium plan, and `expiration`, in the service's own time
        (reference: users). Raises InvalidBody, ReadOnly, AdminRequired, ServiceError.
        """
        given = self._caller.body(UserCreate, body, members)
        answer = await self._caller.send_write("POST", "/api/user/add", given, options, admin=True)
        return self._caller.result(UserCreated, answer)

    async def delete(self, id: int, /, *, options: Options = NO_OPTIONS) -> Done:
        """Delete a user and all that is theirs (reference: users).

        Raises InvalidBody, ReadOnly, AdminRequired, ServiceError.
        """
        path = path_of("/api/user/{id}/delete", id=id)
        return await self._caller.acknowledged("DELETE", path, options, admin=True)
