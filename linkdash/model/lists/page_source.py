"""The pages of a list: asked of the service, kept in the store, and recalled from there."""

from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from linkdash.api.budget.lanes import Lane
from linkdash.api.endpoints import PAGE_SIZE, Source
from linkdash.api.http.request import Options
from linkdash.api.paging import Page
from linkdash.api.records import Record
from linkdash.model.lists.later_changes import LaterChanges
from linkdash.model.lists.load_all import LoadAll, PageFit
from linkdash.model.lists.loaded_pages import Answered, Asked
from linkdash.model.session_services import SessionServices

T = TypeVar("T", bound=Record)

_TASK = Options(lane=Lane.TASK)


class PageSource(Generic[T]):
    """The pages of one list, of the size that the service was found to give."""

    def __init__(self, context: SessionServices, source: Source[T], changes: LaterChanges[T]) -> None:
        self.source = source
        self.size = PAGE_SIZE
        """Records asked for at once: a page costs one request however long it is."""
        self._context = context
        self._changes = changes
        self._learned = PAGE_SIZE
        self._asked_for = ""

    async def ask(self, number: int) -> Answered[T]:
        """Ask the service for a page. Raises ServiceError."""
        self._asked_for = str(self.source.request(number, self.size))
        asked = self._asked()
        page = await self.source.page(number, self.size)
        return self._answered(number, page, asked)

    def _asked(self) -> Asked:
        return Asked(self._context.now(), self._changes.count)

    def _answered(self, number: int, page: Page[T], asked: Asked) -> Answered[T]:
        """A page that came; as old as its request, where it cannot have what was told of since."""
        is_older = bool(self._changes.since(asked.changes))
        return Answered(number, page, asked.at if is_older else self._context.now(), asked)

    @property
    def is_waiting(self) -> bool:
        """Return whether the page asked for last waits for its turn, so that cancelling it is free."""
        return self._asked_for in {waiting.label for waiting in self._context.gate.state.queued}

    async def following(self, number: int) -> AsyncIterator[Answered[T]]:
        """Every page after this one, to the last. Raises ServiceError."""
        asked = self._asked()
        async for page in self.source.pages(self.size, number + 1, options=_TASK):
            number += 1
            yield self._answered(number, page, asked)
            asked = self._asked()

    async def missing(self, plan: LoadAll, until: int | None) -> AsyncIterator[tuple[Answered[T], PageFit]]:
        """Ask for the pages of a plan and keep each, up to the one with the record `until`."""
        while (ask := plan.next()) is not None:
            asked = self._asked()
            page = await self.source.page(ask.number, ask.limit, options=_TASK)
            answered = self._answered(ask.number, page, asked)
            fit = plan.answered(ask, page)
            if fit is PageFit.INSTEAD:
                self.size = plan.size
            if fit is not PageFit.NOT:
                yield answered, fit
                await self.keep(answered, ask.limit)
            if until is not None and page.position(until) is not None:
                return

    async def keep(self, answered: Answered[T], asked: int | None = None) -> None:
        """Keep a page, `asked` records of which were asked for, where the next run will look for it."""
        limit = asked or self.size
        size = min(answered.page.perpage or limit, limit)
        request = self.source.request(answered.number, size)
        await self._context.keep(request, answered.page.raw, answered.at)
        if size != self._learned:
            self._learned = size
            learning = self._context.store.pages.learn_page_size(request.path, size)
            await self._context.kept(learning, None)

    async def recalled(self, since: float) -> list[Answered[T]]:
        """The pages that were kept after a moment, in seconds of the wall clock."""
        self.size = self._learned = await self._context.page_size(self.source.request(1).path)
        kept = await self._context.recall_all(self.source.request(1, self.size), since)
        return [
            Answered(number, await self.source.read(found.payload), found.at.timestamp())
            for number, found in kept
        ]
