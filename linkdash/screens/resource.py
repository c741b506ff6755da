"""What the screens of all resources share: asking for pages, and what comes of it."""

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
from linkdash.screens.table_screen import TableScreen
from linkdash.widgets.table import RecordTable
from linkdash.widgets.top_bar import TopBar

T = TypeVar("T", bound=Record)
P = TypeVar("P", bound=Record)

_FILTER_HINT = "word  name:word  scans>100  !not  ~pattern"
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
        """The store has been asked for a page, which is None where it has none."""

        def __init__(self, number: int, page: Page[P] | None, at: float) -> None:
            super().__init__()
            self.number, self.page, self.at = number, page, at

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
        """Finds the first page in the store; one in a new listing is old news, so it is asked for as well."""
        request = self._source.request(1, PAGE_SIZE)
        snapshot = await self.session.recall(request)
        if snapshot is not None:
            page = self._source.read(snapshot.payload)
            self.post_message(self.Recalled(1, page, snapshot.at.timestamp()))
        else:
            self.post_message(self.Recalled(1, None, 0))

    @on(Recalled)
    def _show_recalled(self, message: Recalled[T]) -> None:
        if message.page is not None and self.listing.page is None:
            self.listing.answered(message.number, message.page, message.at)
        if not self._settled:
            self.fetch(self.listing.wanted)

    def on_screen_suspend(self) -> None:
        """A page that nobody looks at any more is not asked for, if it was not yet."""
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

    async def _fetch(self, number: int) -> None:
        request = self._source.request(number, PAGE_SIZE)
        self._asked_for = str(request)
        try:
            page = await self._source.page(number, PAGE_SIZE)
        except LinkdashError as error:
            self.post_message(self.Failed(error))
        else:
            at = self.session.now()
            self.post_message(self.Fetched(number, page, at))
            await self.session.keep(request, page.raw, at)

    @property
    def _source(self) -> Source[T]:
        return self.source(self.session.endpoints.at(Lane.READ))

    # ---- what came of it ----

    @on(Fetched)
    def _show_page(self, message: Fetched[T]) -> None:
        self.listing.answered(message.number, message.page, message.at)
        self.table.notes = {}
        self.paint()

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
        return f"The service offers no way to make a {self.singular}."

    def missing_updating(self) -> str | None:
        """Why no record can be changed."""
        return f"The service offers no way to change a {self.singular}."

    def missing_deleting(self) -> str | None:
        """Why no record can be deleted."""
        return f"The service offers no way to delete a {self.singular}."

    # ---- moving ----

    @on(RecordTable.Opened)
    async def _open_row(self) -> None:
        await self.action_do("open")

    def do_open(self) -> None:
        """Most records have nothing behind them."""
        self.notify(f"A {self.singular} is all here: its details are beside the table.", markup=False)

    def do_next_page(self) -> None:
        self._turn_to(self.listing.next_page, "This is the last page.")

    def do_previous_page(self) -> None:
        self._turn_to(self.listing.previous_page, "This is the first page.")

    def _turn_to(self, number: int | None, otherwise: str) -> None:
        if number is None:
            self.notify(otherwise, markup=False)
        elif self.listing.turned_to(number):
            self.paint()
        else:
            self.fetch(number)

    def do_refresh(self) -> None:
        self.fetch(self.listing.wanted)
