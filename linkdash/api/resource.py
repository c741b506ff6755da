"""What the endpoints of all resources share."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import ValidationError

from linkdash.api.budget import Lane
from linkdash.api.envelope import Members, message_of
from linkdash.api.errors import InvalidBody, NotAnAnswer
from linkdash.api.fields import Identifier, read_identifier
from linkdash.api.model import Body, Model, Record, Unreadable
from linkdash.api.pages import Page, Pager, holds_rows, read_page
from linkdash.api.request import Request, Sender

T = TypeVar("T", bound=Record)
B = TypeVar("B", bound=Body)

_ENVELOPE = frozenset({"error", "message", "msg", "data"})


class Done(Model):
    """A write that was carried out. `message` is the service's own word on it, "" if it has none."""

    message: str = ""


class Created(Model):
    """A record that was made; `id` is None where the service did not say it."""

    id: Identifier | None = None
    message: str = ""


@dataclass(frozen=True)
class Caller:
    """Sends requests in one lane."""

    sender: Sender
    lane: Lane | None = None
    """The lane of reads and writes; None for a person's."""

    async def send(self, request: Request) -> Members:
        lane = self.lane if self.lane is not None else Lane.READ if request.is_read else Lane.WRITE
        return await self.sender.send(request, lane)

    async def write(
        self, method: str, path: str, body: Body | None = None, *, admin: bool = False
    ) -> Members:
        """Sends a write once; `body` is sent with the members that were given."""
        members = None if body is None else body.given()
        return await self.send(Request(method, path, body=members, admin=admin))

    async def do(self, method: str, path: str, body: Body | None = None, *, admin: bool = False) -> Done:
        """A write that answers with a message."""
        return Done(message=message_of(await self.write(method, path, body, admin=admin)))


class Source(Protocol[T]):
    """Where the rows of a list come from."""

    def request(self, page: int | None = None, limit: int | None = None) -> Request:
        """The request for a page."""

    async def page(self, page: int | None = None, limit: int | None = None) -> Page[T]:
        """One page. Raises ServiceError."""

    def read(self, data: object) -> Page[T]:
        """The page in a `data` member that was answered, or stored, before."""


class WholeList(Generic[T]):
    """A list endpoint that answers with everything at once; page and limit mean nothing to it."""

    def __init__(self, caller: Caller, model: type[T], request: Request) -> None:
        self._caller = caller
        self._model = model
        self._request = request

    def request(self, page: int | None = None, limit: int | None = None) -> Request:
        """The request for the list."""
        return self._request

    async def page(self, page: int | None = None, limit: int | None = None) -> Page[T]:
        """All records. Raises ServiceError."""
        return self.read(_list_in(await self._caller.send(self._request)))

    def read(self, data: object) -> Page[T]:
        """The records in a `data` member that was answered, or stored, before."""
        return read_page(self._model, (), data)


class OneRecord(WholeList[T]):
    """An endpoint that answers with one record, as a list of it."""

    def read(self, data: object) -> Page[T]:
        """The record in a `data` member that was answered, or stored, before; no row where it is empty."""
        return read_page(self._model, (), [_single(data)] if data else [])


class PagedList(Generic[T]):
    """A paged list endpoint (reference: paged list endpoints)."""

    def __init__(self, caller: Caller, model: type[T], path: str, *collections: str) -> None:
        self._caller = caller
        self._model = model
        self._path = path
        self._collections = collections

    def request(self, page: int | None = None, limit: int | None = None) -> Request:
        """The request for a page; what is not given is the service's choice."""
        asked = {"limit": limit, "page": page}
        params = {name: number for name, number in asked.items() if number is not None}
        return Request("GET", self._path, params)

    async def page(self, page: int | None = None, limit: int | None = None) -> Page[T]:
        """One page. Raises ServiceError."""
        return self.read(_list_in(await self._caller.send(self.request(page, limit)), self._collections))

    async def pages(self, limit: int | None = 100, first: int = 1) -> AsyncIterator[Page[T]]:
        """Every page from `first` on, in as few requests as can be. Rows may shift between two of them."""
        pager = Pager(first)
        number: int | None = first
        while number is not None:
            page = await self.page(number, limit)
            number = pager.next_page(page)
            yield page

    async def items(self, limit: int | None = 100) -> AsyncIterator[T]:
        """Every record once."""
        seen: set[object] = set()
        async for page in self.pages(limit):
            for record in page.items:
                if record.key not in seen:
                    seen.add(record.key)
                    yield record

    def read(self, data: object) -> Page[T]:
        """The page in a `data` member that was answered, or stored, before."""
        return read_page(self._model, self._collections, data)


class PagedResource(Generic[T]):
    """A resource with a paged list: what its namespace of the client begins with."""

    model: type[T]
    path: str
    collections: Sequence[str]

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.paged = PagedList(caller, self.model, self.path, *self.collections)

    async def list(self, *, page: int | None = None, limit: int | None = None) -> Page[T]:
        """One page of records; what is not given is the service's choice. Raises ServiceError."""
        return await self.paged.page(page, limit)

    def iter(self, *, limit: int | None = 100) -> AsyncIterator[T]:
        """Every record of every page, with no request more than needed. Raises ServiceError."""
        return self.paged.items(limit)


def body_of(model: type[B], given: B | None, members: dict[str, object]) -> B:
    """The body of a request: `given`, or made of its members by name. Raises InvalidBody."""
    if given is not None:
        return given
    try:
        return model(**members)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"]) or model.__name__
        what = problem["msg"].removeprefix("Value error, ")
        raise InvalidBody(f"{where}: {what}.", "Nothing was sent.") from None


def created(members: Members) -> Created:
    """The answer to a create: its id at the top level or under `data`."""
    return Created(id=_identifier(members), message=message_of(members))


def _identifier(members: Members) -> int | None:
    data = members.get("data")
    inner = data.get("id") if isinstance(data, Mapping) else data
    for candidate in (members.get("id"), inner):
        try:
            return read_identifier(candidate)
        except ValueError:
            continue
    return None


def record_in(model: type[T], members: Members) -> T | Unreadable:
    """The record in an answer about one, under `data` or at the top level."""
    record = read_one(model, data_in(members))
    if isinstance(record, Unreadable):
        beside = model.read(_beside_envelope(members))
        return record if isinstance(beside, Unreadable) else beside
    return record


def read_one(model: type[T], data: object) -> T | Unreadable:
    """A record that may have come as a list of one."""
    return model.read(_single(data))


def data_in(members: Members) -> object:
    """What an answer is about: its `data`, or what stands at the top level where there is none."""
    data = members.get("data")
    return _beside_envelope(members) if data is None else data


def _list_in(members: Members, collections: Sequence[str] = ()) -> object:
    """What a list answer is about. Raises NotAnAnswer where no rows can be read: that is no empty list."""
    data = data_in(members)
    if not holds_rows(collections, data):
        raise NotAnAnswer(
            "The service answered with something else than a list.",
            "Try again; if it stays, tell its operator.",
        )
    return data


def _beside_envelope(members: Members) -> Members:
    return {name: value for name, value in members.items() if name not in _ENVELOPE}


def _single(data: object) -> object:
    return data[0] if isinstance(data, list) and len(data) == 1 else data
