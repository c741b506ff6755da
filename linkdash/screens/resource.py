"""What the screens of all resources share: asking for pages, and what comes of it."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual import on
from textual.message import Message

from linkdash.api.budget import Lane
from linkdash.api.endpoints import Endpoints
from linkdash.api.errors import LinkdashError
from linkdash.api.model import Record
from linkdash.api.pages import Page
from linkdash.api.resource import Source
from linkdash.screens.actions import bindings
from linkdash.screens.list_actions import LIST_ACTIONS
from linkdash.screens.listing import Listing
from linkdash.screens.loading import LoadAll
from linkdash.screens.table_screen import TableScreen
from linkdash.screens.words import with_article
from linkdash.widgets.table import RecordTable
from linkdash.widgets.top_bar import TopBar

T = TypeVar("T", bound=Record)
P = TypeVar("P", bound=Record)

PAGE_SIZE = 100
"""Records asked for at once: a page costs one request however long it is."""


class ResourceScreen(TableScreen[T], Generic[T]):
    """A table of one resource's records. A subclass says where they come from, and adds its own actions."""

    ACTIONS = LIST_ACTIONS
    BINDINGS = bindings(LIST_ACTIONS)

    class Fetched(Message, Generic[P]):
        """A page came; `at` is when, in seconds of the wall clock."""

        def __init__(self, number: int, page: Page[P], at: float) -> None:
            super().__init__()
            self.number, self.page, self.at = number, page, at

    class Recalled(Message, Generic[P]):
        """What the store has of a list: page numbers, pages, and when they were answered."""

        def __init__(self, pages: Sequence[tuple[int, Page[P], float]]) -> None:
            super().__init__()
            self.pages = pages

    class Loaded(Message, Generic[P]):
        """A page came while all are being loaded; `anew` where its size makes the others useless."""

        def __init__(self, number: int, page: Page[P], at: float, *, anew: bool) -> None:
            super().__init__()
            self.number, self.page, self.at, self.anew = number, page, at, anew

    class LoadEnded(Message):
        """Nothing more is being loaded."""

    class Failed(Message):
        """The page that was asked for did not come."""

        def __init__(self, error: LinkdashError) -> None:
            super().__init__()
            self.error = error

    def source(self, endpoints: Endpoints) -> Source[T]:
        """Where this screen's rows come from."""
        raise NotImplementedError

    # ---- asking ----

    def on_screen_resume(self) -> None:
        """Paints what is there, and asks for a page where nothing is, or what is there is old."""
        self.table.focus()
        self._open_listing()

    def show_listing(self, listing: Listing[T]) -> None:
        """Shows another listing of the same records, with the same filter and order."""
        self.workers.cancel_group(self, "fetch")
        self.listing.withdrawn()
        self.listing = listing
        self.query_one(TopBar).place(self.place)
        self._rearrange()
        self._open_listing()

    def _open_listing(self) -> None:
        self.paint()
        if self.listing.page is None and not self._settled:
            self.run_worker(self._recall(), group="recall", exit_on_error=False)
        elif self.listing.is_old(self.session.now()) and not self._settled:
            self.fetch(self.listing.wanted)

    @property
    def _settled(self) -> bool:
        """Whether a page is on its way, or asking again by itself would only repeat a failure."""
        return self.listing.loading or self.listing.error is not None

    async def _recall(self) -> None:
        """Finds what the store has of this list; it is old news, so the first page is asked for as well."""
        self.post_message(self.Recalled(await self.kept()))

    async def kept(self) -> list[tuple[int, Page[T], float]]:
        """What the store has of this list: page numbers, pages, and when they were answered."""
        request = self._source.request(1)
        self.page_size = await self.session.page_size(request.path) or PAGE_SIZE
        snapshots = await self.session.recall_all(self._source.request(1, self.page_size))
        return [
            (number, self._source.read(found.payload), found.at.timestamp()) for number, found in snapshots
        ]

    @on(Recalled)
    def _show_recalled(self, message: Recalled[T]) -> None:
        if self.listing.page is None:
            for number, page, at in message.pages:
                self.listing.answered(number, page, at, show=number == 1)
        if self.is_current and not self._settled:
            self.fetch(self.listing.wanted)

    def on_screen_suspend(self) -> None:
        """A page that nobody looks at any more is not asked for, if it was not yet."""
        if self.is_current:  # something lies over it
            return
        waiting = {waiting.label for waiting in self.session.gate.state.queued}
        if self.listing.loading and self._asked_for in waiting:
            self.workers.cancel_group(self, "fetch")
            self.listing.withdrawn()

    def fetch(self, number: int) -> None:
        """Asks for a page; what is on the screen stays there meanwhile."""
        if self.listing.loading:
            self.notify("A page is on its way already.", markup=False)
            return
        self.listing.asked(number)
        self.paint()
        self.run_worker(self._fetch(number), group="fetch", exclusive=True, exit_on_error=False)

    _asked_for = ""
    page_size = PAGE_SIZE
    """Records asked for at once."""

    async def _fetch(self, number: int) -> None:
        request = self._source.request(number, self.page_size)
        self._asked_for = str(request)
        try:
            page = await self._source.page(number, self.page_size)
        except LinkdashError as error:
            self.post_message(self.Failed(error))
        else:
            at = self.session.now()
            self.post_message(self.Fetched(number, page, at))
            await self.session.keep(request, page.raw, at)
            await self._learn(self.page_size, page)

    async def _learn(self, asked: int, page: Page[T]) -> None:
        """Remembers how large a page the service gives, once it gave less or more than the usual."""
        if page.perpage and page.perpage != PAGE_SIZE and page.perpage <= asked:
            await self.session.learn_page_size(self._source.request(1).path, page.perpage)

    @property
    def _source(self) -> Source[T]:
        return self.source(self.session.endpoints.at(Lane.READ))

    # ---- loading all ----

    _load: LoadAll | None = None

    def do_load_all(self) -> None:
        """Says what it costs, and loads every page that is missing in the background."""
        plan = self._plan()
        if self._load is not None:
            self.notify("All pages are being loaded; escape stops that.", markup=False)
        elif plan is None or not plan.missing:
            self.notify(f"Every {self.singular} there is is loaded.", markup=False)
        else:
            quote = self.session.gate.quote(len(plan.missing), Lane.BACKGROUND)
            self.notify(str(quote), title="Loading all; escape stops it", markup=False)
            self._load = plan
            self.run_worker(self._load_all(plan), group="load-all", exclusive=True, exit_on_error=False)

    def _plan(self) -> LoadAll | None:
        listing, page = self.listing, self.listing.page
        if page is None or not page.maxpage or listing.total is None:
            return None
        size = page.perpage or self.page_size
        known = size != self.page_size or self.page_size != PAGE_SIZE
        return LoadAll(listing.total, size, set(listing.pages), size_is_known=known)

    async def _load_all(self, plan: LoadAll) -> None:
        source = self.source(self.session.endpoints.at(Lane.BACKGROUND))
        try:
            while (ask := plan.next()) is not None:
                page = await source.page(ask.number, ask.limit)
                anew = plan.answered(ask, page.perpage or ask.limit, len(page.rows))
                at = self.session.now()
                self.post_message(self.Loaded(ask.number, page, at, anew=anew))
                await self.session.keep(source.request(ask.number, plan.size), page.raw, at)
                await self._learn(ask.limit, page)
        except LinkdashError as error:
            self.post_message(self.Failed(error))
        self.post_message(self.LoadEnded())

    @on(Loaded)
    def _take_loaded(self, message: Loaded[T]) -> None:
        if message.anew:
            self.listing.begin_anew()
        if message.page.perpage and message.page.perpage > self.page_size:
            self.page_size = message.page.perpage
        self.listing.answered(message.number, message.page, message.at, show=message.anew)
        self.paint()

    @on(LoadEnded)
    def _end_load(self) -> None:
        self._load = None
        self.listing.whole = self.listing.complete
        self.listing.current = 1 if 1 in self.listing.pages else self.listing.current
        self.listing.rearranged(self.listing.arrange, self.listing.filter_text)
        self.paint()

    def progress(self) -> str:
        if self._load is None:
            return ""
        left, pages = len(self._load.missing), self._load.pages
        return f"{'▮' * (pages - left)}{'▯' * left} loading all: {pages - left} of {pages} pages"

    async def do_back(self) -> None:
        """One step: stops loading all pages first."""
        if self._load is None:
            await super().do_back()
            return
        self.workers.cancel_group(self, "load-all")
        self._end_load()
        self.notify("What came so far stays; L goes on.", title="Stopped loading", markup=False)

    # ---- what came of it ----

    @on(Fetched)
    def _show_page(self, message: Fetched[T]) -> None:
        turned = message.number != self.listing.current
        self.listing.answered(message.number, message.page, message.at)
        self.table.notes = {}
        self.paint()
        if turned:
            self.table.move_cursor(0)

    @on(Failed)
    def _show_failure(self, message: Failed) -> None:
        self.listing.failed(message.error)
        self.paint()
        if self.listing.page is not None:
            self.tell(message.error)

    # ---- what actions need ----

    def missing_writing(self) -> str | None:
        """Why nothing may be changed."""
        return "This session is read-only." if self.session.read_only else None

    def missing_creating(self) -> str | None:
        """Why no record can be made."""
        return f"The service offers no way to make {with_article(self.singular)}."

    def missing_updating(self) -> str | None:
        """Why no record can be changed."""
        return f"The service offers no way to change {with_article(self.singular)}."

    def missing_deleting(self) -> str | None:
        """Why no record can be deleted."""
        return f"The service offers no way to delete {with_article(self.singular)}."

    def missing_giving(self) -> str | None:
        """Why no record can be assigned."""
        return f"The service offers no way to assign a {self.singular}."

    # ---- moving ----

    @on(RecordTable.Opened)
    async def _open_row(self) -> None:
        await self.action_do("open")

    def do_open(self) -> None:
        """Most records have nothing behind them."""
        record = with_article(self.singular)
        self.notify(f"There is no more to {record} than its details beside the table.", markup=False)

    def do_next_page(self) -> None:
        self._turn_to(self.listing.next_page, "This is the last page.")

    def do_previous_page(self) -> None:
        self._turn_to(self.listing.previous_page, "This is the first page.")

    def _turn_to(self, number: int | None, otherwise: str) -> None:
        if number is None:
            self.notify(otherwise, markup=False)
        elif self.listing.turned_to(number):
            self.paint()
            self.table.move_cursor(0)
        else:
            self.fetch(number)

    def do_refresh(self) -> None:
        self.fetch(self.listing.wanted)
