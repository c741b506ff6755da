"""Asks for the pages of a list, keeps every answer, and remembers how large a page the service gives."""

from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

from linkdash.api.budget import Lane
from linkdash.api.endpoints import Endpoints
from linkdash.api.model import Record
from linkdash.api.resource import Source
from linkdash.model.collection import Answered, Listing
from linkdash.model.load_all import Fit, LoadAll
from linkdash.model.session import Session

T = TypeVar("T", bound=Record)

PAGE_SIZE = 100
"""Records asked for at once: a page costs one request however long it is."""


class PageReader(Generic[T]):
    """The pages of one list, which `source` finds among the endpoints."""

    def __init__(self, session: Session, source: Callable[[Endpoints], Source[T]]) -> None:
        self._session = session
        self._source_of = source
        self._asked_for = ""
        self._learned = PAGE_SIZE
        self.page_size = PAGE_SIZE
        """Records asked for at once."""

    def source(self, lane: Lane = Lane.READ) -> Source[T]:
        """The list, its requests in `lane`."""
        return self._source_of(self._session.endpoints.at(lane))

    @property
    def is_waiting(self) -> bool:
        """Whether the page asked for last waits for its turn, so that it can be taken back for free."""
        return self._asked_for in {waiting.label for waiting in self._session.gate.state.queued}

    async def kept(self) -> list[Answered[T]]:
        """What the store has of the list, by page number."""
        source = self.source()
        learned = await self._session.page_size(source.request(1).path)
        self.page_size = self._learned = learned or PAGE_SIZE
        snapshots = await self._session.recall_all(source.request(1, self.page_size))
        return [
            Answered(number, source.read(found.payload), found.at.timestamp()) for number, found in snapshots
        ]

    async def read(self, number: int) -> Answered[T]:
        """Asks for a page. Raises ServiceError."""
        source = self.source()
        self._asked_for = str(source.request(number, self.page_size))
        page = await source.page(number, self.page_size)
        return Answered(number, page, self._session.now())

    async def keep(self, answered: Answered[T], asked: int | None = None) -> None:
        """Keeps a page, `asked` records of which were asked for, where the next run will look for it."""
        limit = asked or self.page_size
        size = min(answered.page.perpage or limit, limit)
        request = self.source().request(answered.number, size)
        await self._session.keep(request, answered.page.raw, answered.at)
        if size != self._learned:
            self._learned = size
            await self._session.learn_page_size(request.path, size)

    def plan(self, listing: Listing[T]) -> LoadAll | None:
        """How all that is missing can be loaded; None where the service does not tell how much that is."""
        page = listing.page
        if page is None or not page.maxpage or not page.perpage or listing.total is None:
            return None
        known = page.perpage != self.page_size or self.page_size != PAGE_SIZE
        return LoadAll(listing.total, page.perpage, listing.pages, size_is_known=known)

    async def missing(self, plan: LoadAll) -> AsyncIterator[tuple[Answered[T], Fit]]:
        """The pages that are missing, asked for in the background, each kept. Raises ServiceError."""
        source = self.source(Lane.BACKGROUND)
        while (ask := plan.next()) is not None:
            page = await source.page(ask.number, ask.limit)
            answered = Answered(ask.number, page, self._session.now())
            fit = plan.answered(ask, page.perpage or ask.limit, len(page.rows))
            if fit is Fit.INSTEAD:
                self.page_size = plan.size
            if fit is not Fit.NOT:
                yield answered, fit
                await self.keep(answered, ask.limit)
