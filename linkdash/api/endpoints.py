"""The parts that the namespaces of all resources share: list sources, argument checks, results of writes."""

from collections.abc import AsyncIterator, Coroutine, Generator, Mapping, Sequence
from datetime import tzinfo
from types import TracebackType
from typing import Generic, NamedTuple, Protocol, TypeVar, overload

from pydantic import PrivateAttr, ValidationError

from linkdash.api.errors import ODD_ANSWER_ADVICE, InvalidBody, NotAnAnswer, UnreadableAnswer
from linkdash.api.fields import identifier_in
from linkdash.api.http.envelope import message_of
from linkdash.api.http.request import NO_OPTIONS, Answer, Members, Options, Request, Send
from linkdash.api.paging import Page, Pager, holds_rows, page_in_slices
from linkdash.api.records import Body, NestedModel, Record, Unreadable, made_safe
from linkdash.api.slices import in_slices
from linkdash.api.validation_messages import problem_words

T = TypeVar("T", bound=Record)
B = TypeVar("B", bound=Body)
D = TypeVar("D", bound="Done")

PAGE_SIZE = 100
"""Records asked for at once where every page is wanted: a page costs one request however long it is."""

_ENVELOPE = frozenset({"error", "message", "msg", "data"})
_LARGEST_ID = 2**63 - 1


# ---- answers to writes ----


class Done(NestedModel):
    """A write that was carried out. `raw` has the members of its answer, `answer` its headers too."""

    message: str = ""
    """The service's own word on it, "" if it has none."""


class Created(Done):
    """A record that was created."""

    _id: int | None = PrivateAttr(default=None)

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        """Return what is shown of it: the identifier first."""
        return [("id", self._id), *super().__repr_args__()]

    @property
    def id(self) -> int:
        """The new record's identifier. Raises UnreadableAnswer where the service did not say it."""
        if self._id is None:
            raise UnreadableAnswer("Created, but the service returned no id.", "Refresh the list to find it.")
        return self._id

    @property
    def id_or_none(self) -> int | None:
        """The new record's identifier, None where the service did not say it."""
        return self._id


# ---- asking ----


class Caller(NamedTuple):
    """The calls of a namespace."""

    send: Send
    timezone: tzinfo | None = None
    """The service's own, where it is known: date-times with a zone are converted to it."""
    safe_text: bool = False
    """True for texts of answers that are safe to show."""

    async def send_write(
        self, method: str, path: str, body: Body | None, options: Options, *, admin: bool = False
    ) -> Answer:
        """Send a write once; `body` is sent with the members that were given.

        Raises InvalidBody for a change (PUT) of nothing, and ServiceError.
        """
        members = None if body is None else body.given()
        if method == "PUT" and members == {}:
            raise InvalidBody("Nothing is given to change.", "Nothing was sent.")
        return await self.send(Request(method, path, body=members, admin=admin), options)

    async def acknowledged(
        self,
        method: str,
        path: str,
        options: Options,
        body: Body | None = None,
        *,
        admin: bool = False,
    ) -> Done:
        """A write that answers with a message."""
        return self.result(Done, await self.send_write(method, path, body, options, admin=admin))

    def result(self, model: type[D], answer: Answer, id: int | None = None) -> D:
        """Return what the answer to a write says; `id` is the record's where it is known already."""
        found = result(model, answer, id)
        return made_safe(found) if self.safe_text else found

    def body(self, model: type[B], body: B | None, members: Mapping[str, object]) -> B:
        """The body of a request: the one that was made before, else one of these members.

        Raises InvalidBody.
        """
        return body if body is not None else body_of(model, members, self.timezone)


def body_of(model: type[B], members: Mapping[str, object], timezone: tzinfo | None = None) -> B:
    """A body of its members by name. Raises InvalidBody, with the first member named that breaks a rule.

    A date-time with a zone is converted to `timezone`, the service's, and refused where that is not known.
    """
    try:
        return model.model_validate(members, context={"timezone": timezone})
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"]) or model.__name__
        raise InvalidBody(f"{where}: {problem_words(problem)}.", "Nothing was sent.") from None


def path_of(template: str, **ids: int) -> str:
    """The path of a request about records, as in `path_of("/api/domain/{id}/delete", id=3)`.

    Raises InvalidBody for what is no identifier, so that nothing else ever gets into a path.
    """
    for name, id in ids.items():
        if not _is_positive(id):
            raise InvalidBody(f"{name}: an id is a whole number, 1 or more.", "Nothing was sent.")
    return template.format(**{name: int(id) for name, id in ids.items()})


def _is_positive(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= _LARGEST_ID


# ---- where rows come from ----


class Source(Protocol[T]):
    """The origin of the rows of a list.

    `request` is the request for a page; `page` is one page, asked for; `pages` every page from `first` on, in
    as few requests as can be; `read` the page in a `data` member that was answered, or stored, before.
    Raise InvalidBody for a number below 1, and ServiceError.
    """

    def request(self, page: int | None = None, limit: int | None = None) -> Request: ...

    async def page(
        self, page: int | None = None, limit: int | None = None, *, options: Options = NO_OPTIONS
    ) -> Page[T]: ...

    def pages(
        self, limit: int | None = None, first: int = 1, *, options: Options = NO_OPTIONS
    ) -> AsyncIterator[Page[T]]: ...

    async def read(self, data: object) -> Page[T]: ...


class WholeList(Generic[T]):
    """A list endpoint that answers with everything at once; page and limit mean nothing to it."""

    def __init__(self, caller: Caller, model: type[T], request: Request) -> None:
        self._caller = caller
        self._model = model
        self._request = request

    def request(self, page: int | None = None, limit: int | None = None) -> Request:
        """The request for the list."""
        return self._request

    async def page(
        self, page: int | None = None, limit: int | None = None, *, options: Options = NO_OPTIONS
    ) -> Page[T]:
        """All records. Raises ServiceError."""
        answer = await self._caller.send(self._request, options)
        return (await self.read(_list_in(answer.members))).answered(answer)

    async def pages(
        self, limit: int | None = None, first: int = 1, *, options: Options = NO_OPTIONS
    ) -> AsyncIterator[Page[T]]:
        """The one page there is. Raises ServiceError."""
        yield await self.page(options=options)

    async def read(self, data: object) -> Page[T]:
        """The records in a `data` member that was answered, or stored, before."""
        return await in_slices(page_in_slices(self._model, (), data, safe_text=self._caller.safe_text))


class OneRecord(WholeList[T]):
    """An endpoint that answers with one record, as a list of it."""

    async def get(self, options: Options = NO_OPTIONS) -> T:
        """The record. Raises UnreadableAnswer, ServiceError."""
        return record_in(
            self._model, await self._caller.send(self._request, options), safe_text=self._caller.safe_text
        )

    async def read(self, data: object) -> Page[T]:
        """The record in a `data` member that was answered, or stored, before; no row where it is empty."""
        return await super().read([single(data)] if data else [])


def check_id(found: int, asked: int, noun: str) -> None:
    """Raise UnreadableAnswer for a record other than the one that was asked for."""
    if found != asked:
        raise UnreadableAnswer(
            f"The answer is about another {noun}: {found} instead of {asked}.",
            ODD_ANSWER_ADVICE,
        )


class PagedList(Generic[T]):
    """A paged list endpoint (reference: paged list endpoints)."""

    def __init__(self, caller: Caller, model: type[T], path: str, *collections: str) -> None:
        self._caller = caller
        self._model = model
        self._path = path
        self._collections = collections

    def request(self, page: int | None = None, limit: int | None = None) -> Request:
        """The request for a page; what is not given is the service's choice.

        Raises InvalidBody for a number below 1.
        """
        asked = {"limit": limit, "page": page}
        params = {name: number for name, number in asked.items() if number is not None}
        for name, number in params.items():
            if not _is_positive(number):
                raise InvalidBody(f"{name}: must be a whole number, 1 or more.", "Nothing was sent.")
        return Request("GET", self._path, params)

    async def page(
        self, page: int | None = None, limit: int | None = None, *, options: Options = NO_OPTIONS
    ) -> Page[T]:
        """Return one page. Raises InvalidBody, ServiceError."""
        answer = await self._caller.send(self.request(page, limit), options)
        return (await self.read(_list_in(answer.members, self._collections))).answered(answer)

    async def pages(
        self, limit: int | None = None, first: int = 1, *, options: Options = NO_OPTIONS
    ) -> AsyncIterator[Page[T]]:
        """Every page from `first` on, in as few requests as can be. Rows may shift between two of them.

        Raises InvalidBody, ServiceError.
        """
        pager = Pager(first)
        number: int | None = first
        while number is not None:
            page = await self.page(number, limit or PAGE_SIZE, options=options)
            number = pager.next_page(page)
            yield page

    async def read(self, data: object) -> Page[T]:
        """The page in a `data` member that was answered, or stored, before."""
        reading = page_in_slices(self._model, self._collections, data, safe_text=self._caller.safe_text)
        return await in_slices(reading)


class Listing(Coroutine[object, None, Page[T]]):
    """The result of `list`: awaited it is one page; iterated, every record from that page on.

    page = await client.domains.list(page=2, limit=50)
    async for domain in client.domains.list(): ...
    async for page in client.domains.list().pages(): ...

    It is a coroutine, so that `asyncio.create_task` and task groups take it, and nothing begins before
    that; like any coroutine it can be awaited once.
    """

    def __init__(
        self,
        source: Source[T],
        page: int | None = None,
        limit: int | None = None,
        options: Options = NO_OPTIONS,
    ) -> None:
        self._source = source
        self._page = page
        self._limit = limit
        self._options = options
        self._begun: Coroutine[object, None, Page[T]] | None = None

    @property
    def _one_page(self) -> Coroutine[object, None, Page[T]]:
        if self._begun is None:
            self._begun = self._source.page(self._page, self._limit, options=self._options)
        return self._begun

    def __await__(self) -> Generator[object, None, Page[T]]:
        return self._one_page.__await__()

    def send(self, value: None) -> object:
        """Go on, as any coroutine does."""
        return self._one_page.send(value)

    @overload
    def throw(
        self, error: type[BaseException], value: object = None, traceback: TracebackType | None = None, /
    ) -> object: ...
    @overload
    def throw(
        self, error: BaseException, value: None = None, traceback: TracebackType | None = None, /
    ) -> object: ...
    def throw(
        self,
        error: type[BaseException] | BaseException,
        value: object = None,
        traceback: TracebackType | None = None,
        /,
    ) -> object:
        """Raise an error where it waits, as in any coroutine."""
        return self._one_page.throw(error if isinstance(error, BaseException) else error(value))

    def close(self) -> None:
        """End it; a page that was never awaited is never asked for."""
        if self._begun is not None:
            self._begun.close()

    def __aiter__(self) -> AsyncIterator[T]:
        return self._records()

    def pages(self) -> AsyncIterator[Page[T]]:
        """Every page from the one asked for on, each asked for when it is wanted."""
        first = 1 if self._page is None else self._page
        return self._source.pages(self._limit, first, options=self._options)

    async def _records(self) -> AsyncIterator[T]:
        seen: set[object] = set()
        async for page in self.pages():
            for record in page.items:
                if record.key not in seen:
                    seen.add(record.key)
                    yield record


class PagedResource(Generic[T]):
    """A resource with a paged list: what its namespace of the client begins with."""

    model: type[T]
    path: str
    collections: Sequence[str]

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.source = PagedList(caller, self.model, self.path, *self.collections)
        """The list itself, page by page."""

    def list(
        self, *, page: int | None = None, limit: int | None = None, options: Options = NO_OPTIONS
    ) -> Listing[T]:
        """Return a page of records if awaited, every record from there on if iterated.

        `page` counts from 1, `limit` is records a page; what is not given is the service's choice
        (reference: paged list endpoints). Raises InvalidBody, ServiceError.
        """
        return Listing(self.source, page, limit, options)

    def iter(self, *, limit: int | None = None, options: Options = NO_OPTIONS) -> AsyncIterator[T]:
        """Every record of every page, as pages come, with no request more than needed.

        `limit` is records a page, 100 if not given (reference: paged list endpoints).
        Raises InvalidBody, ServiceError.
        """
        return aiter(Listing(self.source, None, limit, options))


# ---- reading answers ----


def result(model: type[D], answer: Answer, id: int | None = None) -> D:
    """Return what the answer to a write says, at its top level or under `data`; never raises.

    `id` is the record's where it is known already. A member that is not understood is left out; `raw` has it.
    """
    members = answer.members
    data = members.get("data")
    inner = dict(data) if isinstance(data, Mapping) else {}
    found = {**inner, **_beside_envelope(members), "message": message_of(members)}
    found.pop("id", None)
    read = model.model_validate({name: value for name, value in found.items() if value is not None})
    if isinstance(read, Created):
        read._id = id if id is not None else identifier_in(members)
    return read.answered(answer, members)


def record_in(model: type[T], answer: Answer, *, safe_text: bool = False) -> T:
    """The record in an answer about one, under `data` or at the top level. Raises UnreadableAnswer."""
    members = answer.members
    record = model.read(single(data_in(members)), safe_text=safe_text)
    if isinstance(record, Unreadable):
        record = model.read(_beside_envelope(members), safe_text=safe_text)
    if isinstance(record, Unreadable):
        raise UnreadableAnswer(
            f"The answer contains no readable {model.__name__.lower()}.",
            ODD_ANSWER_ADVICE,
            status=answer.status,
        )
    return record.answered(answer)


def data_in(members: Members) -> object:
    """Return the subject of an answer: its `data`, or what stands at the top level where there is none."""
    data = members.get("data")
    return _beside_envelope(members) if data is None else data


def _list_in(members: Members, collections: Sequence[str] = ()) -> object:
    """Return a list answer's content. Raises NotAnAnswer for what has no rows: that is no empty list."""
    data = None if "data" in members and members["data"] is None else data_in(members)
    if not holds_rows(collections, data):
        raise NotAnAnswer(
            "The answer is not a list.",
            ODD_ANSWER_ADVICE,
        )
    return data


def _beside_envelope(members: Members) -> Members:
    return {name: value for name, value in members.items() if name not in _ENVELOPE}


def single(data: object) -> object:
    """Return the only item of a list, else the value itself."""
    return data[0] if isinstance(data, list) and len(data) == 1 else data
