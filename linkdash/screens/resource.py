"""What the screens of all resources share: a table of records, its pages, its filter, its order."""

from collections.abc import Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from linkdash.api.budget import Lane
from linkdash.api.endpoints import Endpoints
from linkdash.api.errors import LinkdashError
from linkdash.api.fields import fields_of
from linkdash.api.model import Record, Unreadable
from linkdash.api.pages import Page
from linkdash.api.resource import Source
from linkdash.screens.actions import bindings
from linkdash.screens.arrangement import Arrangement
from linkdash.screens.clipboard import copy
from linkdash.screens.host import HostScreen
from linkdash.screens.list_actions import LIST_ACTIONS
from linkdash.screens.listing import Listing, State
from linkdash.screens.picker import Choice, PickerScreen
from linkdash.screens.record_text import copies, json_of, links
from linkdash.screens.session import Session
from linkdash.screens.states import words_for
from linkdash.screens.viewer import ViewerScreen
from linkdash.widgets.columns import Column
from linkdash.widgets.details import Details, Line
from linkdash.widgets.state_panel import StatePanel
from linkdash.widgets.table import RecordTable
from linkdash.widgets.top_bar import TopBar

T = TypeVar("T", bound=Record)
P = TypeVar("P", bound=Record)

_FILTER_HINT = "word  name:word  scans>100  !not  ~pattern"
PAGE_SIZE = 100
"""Records asked for at once: a page costs one request however long it is."""


class ResourceScreen(HostScreen, Generic[T]):
    """A table of one resource's records with their details beside it.

    A subclass names the record, its columns and where the rows come from, and adds its own actions.
    """

    ACTIONS = LIST_ACTIONS
    BINDINGS = bindings(LIST_ACTIONS)

    record_type: type[T]
    singular: ClassVar[str]
    """What one record is called."""
    columns: Sequence[Column[T]]

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

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.listing: Listing[T] = Listing()
        self.arrangement: Arrangement[T] = Arrangement(self.columns, fields_of(self.record_type))

    def source(self, endpoints: Endpoints) -> Source[T]:
        """Where this screen's rows come from."""
        raise NotImplementedError

    def lines(self, record: T, width: int) -> Sequence[Line] | None:
        """The lines of the details in `width` cells; None for the record's fields in their order."""
        return None

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        with Container(id="work"):
            with Vertical(id="list"):
                yield RecordTable(self.columns, key=_key, id="records")
                yield StatePanel()
                yield Input(
                    placeholder="word  name:word  scans>100  !not  ~pattern", id="filter", compact=True
                )
                yield Static(id="truth", markup=False)
            with Container(id="pane"):
                yield Details(id="details")

    @property
    def table(self) -> RecordTable[T]:
        return self.query_one("#records", RecordTable)

    def on_mount(self) -> None:
        self.query_one("#filter").display = False
        self.set_interval(1.0, self._tick)

    def _tick(self) -> None:
        if self.is_active:
            self._paint_truth()

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
            self.fetch(self.listing.current)

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
        self.table.notes = {}
        if not self._settled:
            self.fetch(self.listing.current)

    def on_screen_suspend(self) -> None:
        """A page that nobody looks at any more is not asked for, if it was not yet."""
        waiting = {waiting.label for waiting in self.session.gate.state.queued}
        if self.listing.loading and self._asked_for in waiting:
            self.workers.cancel_group(self, "fetch")
            self.listing.withdrawn()

    def fetch(self, number: int) -> None:
        """Asks for a page; what is on the screen stays there meanwhile."""
        self.listing.asked()
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

    # ---- painting ----

    @on(Fetched)
    def _show_page(self, message: Fetched[T]) -> None:
        self.listing.answered(message.number, message.page, message.at)
        self.paint()

    @on(Failed)
    def _show_failure(self, message: Failed) -> None:
        self.listing.failed(message.error)
        self.paint()
        if self.listing.page is not None:
            self.tell(message.error)

    def paint(self) -> None:
        """Shows what the listing holds."""
        state = self.listing.state(self.session.now())
        words = words_for(state, self.singular, self.listing.error, self.arrangement.text)
        panel = self.query_one(StatePanel)
        panel.display = words is not None
        self.table.display = words is None
        if words is not None:
            panel.show(words.headline, words.advice, failed=words.failed)
        self.table.sort = self.arrangement.order
        self.table.show(self.listing.rows)
        self._paint_truth()

    def _paint_truth(self) -> None:
        truth = self.query_one("#truth", Static)
        error = self.arrangement.error
        truth.set_class(error is not None, "-wrong")
        truth.set_class(self.listing.state(self.session.now()) is State.STALE, "-stale")
        marked = f"{len(self.table.marks)} marked · " if self.table.marks else ""
        truth.update(str(error) if error else marked + self.listing.truth(self.session.now()))

    @on(RecordTable.CursorMoved)
    def show_details(self) -> None:
        """Shows the row under the cursor in full."""
        details, row = self.query_one("#details", Details), self.table.cursor_row
        lines = None if row is None or isinstance(row, Unreadable) else self.lines(row, details.size.width)
        details.show(row, lines=lines)

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_details)

    # ---- what actions need ----

    @property
    def row(self) -> T | None:
        """The record under the cursor."""
        row = self.table.cursor_row if self.table.display else None
        return None if isinstance(row, Unreadable) else row

    def missing_row(self) -> str | None:
        """Why there is no record to do something with."""
        if self.row is not None:
            return None
        if isinstance(self.table.cursor_row, Unreadable) and self.table.display:
            return "This row could not be understood, so nothing can be done with it."
        return f"There is no {self.singular} under the cursor."

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

    # ---- the record as text ----

    def do_copy(self) -> None:
        if self.row is not None:
            self.app.push_screen(PickerScreen(f"Copy of this {self.singular}", copies(self.row)), self._copy)

    def _copy(self, choice: Choice | None) -> None:
        if choice is not None:
            copy(self.app, choice.label, choice.value)

    def do_browse(self) -> None:
        found = links(self.row) if self.row is not None else []
        if not found:
            self.notify(f"This {self.singular} has no link to open.", markup=False)
        elif len(found) == 1:
            self._browse(found[0])
        else:
            self.app.push_screen(PickerScreen("Open in the browser", found), self._browse)

    def _browse(self, choice: Choice | None) -> None:
        if choice is not None:
            self.app.open_url(choice.value)
            self.notify(choice.value, title="Handed to the browser", markup=False)

    def do_raw(self) -> None:
        if self.row is not None:
            title = f"{self.singular} {self.row.id} as the service sent it"
            self.app.push_screen(ViewerScreen(title, Text(json_of(self.row.raw))))

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
        self.fetch(self.listing.current)

    async def do_back(self) -> None:
        """One step: out of the filter's line, then of the filter, then of a screen that was opened."""
        line = self.query_one("#filter", Input)
        if line.display:
            self._close_filter_line()
            line.value = ""
        elif self.arrangement.filtering:
            line.value = ""
        elif len(self.app.screen_stack) > 1:
            self.dismiss()
        else:
            self.notify("Nothing to go back to; q quits.", markup=False)

    # ---- filter and order ----

    def do_filter(self) -> None:
        line = self.query_one("#filter", Input)
        line.display = True
        line.focus()

    @on(Input.Changed, "#filter")
    def _filter_as_typed(self, event: Input.Changed) -> None:
        self.arrangement.filter(event.value, self.session.local_time())
        self._rearrange()

    @on(Input.Submitted, "#filter")
    def _close_filter_line(self) -> None:
        line = self.query_one("#filter", Input)
        line.display = bool(line.value and self.arrangement.error)
        self.table.focus()

    def do_sort(self) -> None:
        self.arrangement.sort_by_next()
        self._rearrange()

    def do_reverse(self) -> None:
        if self.arrangement.order is None:
            self.notify("There is no order to reverse; s sorts.", markup=False)
        self.arrangement.reverse()
        self._rearrange()

    @on(RecordTable.HeaderClicked)
    def _sort_by_clicked(self, message: RecordTable.HeaderClicked[T]) -> None:
        self.arrangement.sort_by(message.column.name)
        self._rearrange()

    def _rearrange(self) -> None:
        arrange = self.arrangement.apply if self.arrangement else None
        self.listing.rearranged(arrange, self.arrangement.text if self.arrangement.filtering else "")
        self.paint()

    # ---- marks and notes ----

    def note(self, key: Hashable, note: str) -> None:
        """Puts a sign on a row until the next refresh."""
        self.table.notes = {**self.table.notes, key: note}

    def do_mark(self) -> None:
        key = frozenset({self.table.cursor_key})
        self.table.marks = self.table.marks ^ key
        self.table.action_move(1)
        self._paint_truth()

    def do_mark_all(self) -> None:
        shown = {row.key for row in self.listing.rows if not isinstance(row, Unreadable)}
        marks = self.table.marks
        self.table.marks = marks - shown if shown <= marks else marks | shown
        self._paint_truth()


def _key(row: Record) -> Hashable:
    return row.key
