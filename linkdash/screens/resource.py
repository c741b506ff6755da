"""What the screens of all resources share: asking for pages, and what comes of it."""

from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from textual import on, work
from textual.message import Message

from linkdash.api.budget import Lane
from linkdash.api.client import Endpoints
from linkdash.api.errors import AdminRequired, LinkdashError
from linkdash.api.model import Record
from linkdash.api.resource import Source
from linkdash.model.listing import Answered, Listing
from linkdash.model.humanize import with_article
from linkdash.model.load_all import Fit, LoadAll
from linkdash.model.page_reader import PageReader
from linkdash.model.session import Session
from linkdash.screens.actions import bindings
from linkdash.screens.list_actions import LIST_ACTIONS
from linkdash.screens.record_actions import show_in_full
from linkdash.screens.table_screen import TableScreen
from linkdash.widgets.details import Details
from linkdash.widgets.status_bar import FULL, SPENT
from linkdash.widgets.table import RecordTable
from linkdash.widgets.top_bar import TopBar

T = TypeVar("T", bound=Record)
P = TypeVar("P", bound=Record)
_BAR = 10  # cells of the bar of progress


class ResourceScreen(TableScreen[T], Generic[T]):
    """A table of one resource's records. A subclass says where they come from, and adds its own actions."""

    ACTIONS = LIST_ACTIONS
    BINDINGS = bindings(LIST_ACTIONS)

    class Fetched(Message, Generic[P]):
        """The page that was asked for came."""

        def __init__(self, answered: Answered[P]) -> None:
            super().__init__()
            self.answered = answered

    class Recalled(Message, Generic[P]):
        """What the store has of a list."""

        def __init__(self, pages: Sequence[Answered[P]]) -> None:
            super().__init__()
            self.pages = pages

    class Loaded(Message, Generic[P]):
        """A page came while all are being loaded."""

        def __init__(self, answered: Answered[P], fit: Fit) -> None:
            super().__init__()
            self.answered, self.fit = answered, fit

    class LoadEnded(Message):
        """Nothing more is being loaded."""

    class Failed(Message):
        """The page that was asked for did not come."""

        def __init__(self, error: LinkdashError) -> None:
            super().__init__()
            self.error = error

    for_admins: ClassVar[bool] = False
    """Whether the reference keeps the resource for admins: one refusal then is enough for all of them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.reader = PageReader(session, self.source)

    def source(self, endpoints: Endpoints) -> Source[T]:
        """Where this screen's rows come from."""
        raise NotImplementedError

    # ---- asking ----

    def on_screen_resume(self) -> None:
        """Paints what is there, and asks for a page where nothing is, or what is there is old."""
        if self.pane.form is None:
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
        if self.for_admins and self.listing.page is None and self.session.admin_refusal is not None:
            self.listing.failed(self.session.admin_refusal)
        self.paint()
        if self.listing.page is None and not self._settled:
            self._recall()
        elif self.listing.is_old(self.session.now()) and not self._settled:
            self.fetch(self.listing.wanted)

    @property
    def _settled(self) -> bool:
        """Whether a page is on its way, or asking again by itself would only repeat a failure."""
        return self.listing.loading or self.listing.error is not None

    @work(group="recall", exclusive=True, exit_on_error=False)
    async def _recall(self) -> None:
        """Finds what the store has of this list; it is old news, so the first page is asked for as well."""
        self.post_message(self.Recalled(await self.reader.kept()))

    @on(Recalled)
    def _show_recalled(self, message: Recalled[T]) -> None:
        if self.listing.page is not None:  # the service was quicker
            return
        self.listing.recalled(message.pages)
        if self.is_current and not self._settled:
            self.fetch(self.listing.wanted)

    def on_screen_suspend(self) -> None:
        """A page that nobody looks at any more is not asked for, if it was not yet."""
        if self.is_current:  # something lies over it
            return
        if self.listing.loading and self.reader.is_waiting:
            self.workers.cancel_group(self, "fetch")
            self.listing.withdrawn()

    def fetch(self, number: int) -> None:
        """Asks for a page; what is on the screen stays there meanwhile."""
        if self.listing.loading:
            self.notify("A page is on its way already.", markup=False)
            return
        self.listing.asked(number)
        self.paint()
        self._fetch(number)

    @work(group="fetch", exclusive=True, exit_on_error=False)
    async def _fetch(self, number: int) -> None:
        try:
            answered = await self.reader.read(number)
        except LinkdashError as error:
            self.post_message(self.Failed(error))
        else:
            self.post_message(self.Fetched(answered))
            await self.reader.keep(answered)

    # ---- loading all ----

    _load: LoadAll | None = None

    def do_load_all(self) -> None:
        """Says what it costs, and loads every page that is missing in the background."""
        plan = self.reader.plan(self.listing)
        if self._load is not None:
            self.notify("All pages are being loaded; escape stops that.", markup=False)
        elif plan is not None and plan.missing:
            self.notify(self._quote(plan), title="Loading all; escape stops it", markup=False)
            self._load = plan
            self._load_all(plan)
        elif plan is not None or self.listing.next_page is None:
            self.notify(f"Every {self.singular} there is is loaded.", markup=False)
        else:
            self.notify(
                "] loads the next page.", title="The service does not say how many there are", markup=False
            )

    def _quote(self, plan: LoadAll) -> str:
        return str(self.session.gate.quote(len(plan.missing), Lane.BACKGROUND))

    @work(group="load-all", exclusive=True, exit_on_error=False)
    async def _load_all(self, plan: LoadAll) -> None:
        try:
            async for answered, fit in self.reader.missing(plan):
                self.post_message(self.Loaded(answered, fit))
        except LinkdashError as error:
            self.post_message(self.Failed(error))
        self.post_message(self.LoadEnded())

    @on(Loaded)
    def _take_loaded(self, message: Loaded[T]) -> None:
        if message.fit is Fit.INSTEAD:
            self.listing.begin_anew(message.answered)
        else:
            self.listing.added(message.answered)
        self.paint()

    @on(LoadEnded)
    def _end_load(self) -> None:
        self._load = None
        self.listing.settle()
        self.listing.whole = self.listing.complete
        self.paint()

    def progress(self) -> str:
        if self._load is None:
            return ""
        left, pages = len(self._load.missing), self._load.pages
        full = _BAR * (pages - left) // pages
        bar = FULL * full + SPENT * (_BAR - full)
        return f"{bar} loading all: {pages - left} of {pages} pages, {self._quote(self._load)}"

    def offer(self) -> str:
        plan = None if self._load else self.reader.plan(self.listing)
        return f"L loads the rest ({self._quote(plan)})" if plan and plan.missing else ""

    async def do_back(self) -> None:
        """One step: stops loading all pages first, unless a filter is being typed."""
        if self._load is None or self.query_one("#filter").has_focus:
            await super().do_back()
            return
        self.workers.cancel_group(self, "load-all")
        self._end_load()
        self.notify("What came so far stays; L goes on.", title="Stopped loading", markup=False)

    # ---- what came of it ----

    @on(Fetched)
    def _show_page(self, message: Fetched[T]) -> None:
        if self.for_admins:
            self.session.admin_refusal = None
        turned = message.answered.number != self.listing.current
        self.listing.answered(message.answered)
        self.table.notes = {}
        self.paint()
        if turned:
            self.table.move_cursor(0)

    @on(Failed)
    def _show_failure(self, message: Failed) -> None:
        if isinstance(message.error, AdminRequired):
            self.session.admin_refusal = message.error
        self.listing.failed(message.error)
        self.paint()
        if self.listing.page is not None:
            self.tell(message.error)

    # ---- what actions need ----

    def missing_writing(self) -> str | None:
        """Why nothing may be changed."""
        if self.for_admins and self.session.admin_refusal is not None:
            return str(self.session.admin_refusal)
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
        """Most records have nothing behind them but their details, which get a page of their own."""
        if self.row is not None:
            show_in_full(self, self.title_of(self.row), self.query_one(Details).lines)

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
