"""A table of records with their details beside it: what is shown of a listing, in which order, marked how."""

from collections.abc import Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from linkdash.api.fields import fields_of
from linkdash.api.model import Record, Unreadable
from linkdash.model.arrangement import Arrangement
from linkdash.model.collection import AT_ONCE, Listing, State
from linkdash.model.columns import Column
from linkdash.model.selection import Marks
from linkdash.model.session import Session
from linkdash.model.states import words_for
from linkdash.model.status_line import truth
from linkdash.model.steps import Steps, at_once, in_turns
from linkdash.model.values import RowsOf
from linkdash.screens.host import HostScreen
from linkdash.screens.pane import Pane
from linkdash.screens.picker import shortened
from linkdash.screens.record_actions import offer_copies, offer_links, show_raw
from linkdash.widgets.details import Details, Line
from linkdash.widgets.state_panel import StatePanel
from linkdash.widgets.table import RecordTable

T = TypeVar("T", bound=Record)
P = TypeVar("P", bound=Record)

_NAME_CELLS = 60
_FILTER_HINT = "word  name:word  scans>100  !not  ~pattern"


class TableScreen(HostScreen, Generic[T]):
    """Shows the rows of a listing; costs nothing. A subclass names the record and its columns."""

    record_type: type[T]
    singular: ClassVar[str]
    """What one record is called."""
    columns: Sequence[Column[T]]

    class Arranged(Message, Generic[P]):
        """The rows that match a filter, in their order."""

        def __init__(self, work: Steps[RowsOf[P]], rows: RowsOf[P]) -> None:
            super().__init__()
            self.work, self.rows = work, rows

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.listing: Listing[T] = Listing()
        self._work: Steps[RowsOf[T]] | None = None
        self._marks: Marks[T] = Marks()
        self._marking: Steps[None] | None = None
        self.pane = Pane(session)
        self.arrangement: Arrangement[T] = Arrangement(self.columns, fields_of(self.record_type))

    def lines(self, record: T, width: int) -> Sequence[Line] | None:
        """The lines of the details in `width` cells; None for the record's fields in their order."""
        return None

    def name_of(self, record: T) -> str:
        """What a person calls a record: what stands in the first column that grows."""
        return str(getattr(record, next(column.name for column in self.columns if column.grow)))

    def title_of(self, record: T) -> str:
        """A record in the title of a form or a window: `user katarzyna (31)`."""
        name = shortened(self.name_of(record), _NAME_CELLS)
        return f"{self.singular} {name} ({record.id})" if name else f"{self.singular} {record.id}"

    @property
    def file_stem(self) -> str:
        """How the names of files with these records begin."""
        return self.name_of_place

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        with Container(id="work"):
            with Vertical(id="list"):
                yield RecordTable(self.columns, key=_key, id="records")
                yield StatePanel()
                yield Input(placeholder=_FILTER_HINT, id="filter", compact=True)
                yield Static(id="truth", markup=False)
            yield self.pane

    @property
    def table(self) -> RecordTable[T]:
        return self.query_one("#records", RecordTable)

    def on_mount(self) -> None:
        self.query_one("#filter").display = False
        self.set_interval(1.0, self._tick)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a filter is typed, of the list's keys only escape means what it means there."""
        typing = self.focused is not None and self.focused.id == "filter"
        return not typing or action != "do" or parameters == ("back",)

    def _tick(self) -> None:
        if self.is_active:
            self._paint_truth()

    # ---- painting ----

    def paint(self) -> None:
        """Shows what the listing holds."""
        state = self.listing.state(self.session.now())
        words = words_for(
            state, self.singular, self.listing.error, self.arrangement.text, complete=self.listing.complete
        )
        panel = self.query_one(StatePanel)
        if words is not None:
            panel.show(words.headline, words.advice, failed=words.failed)
        panel.display = words is not None
        self.table.display = words is None
        work = self.query_one("#work")
        if work.has_class("-no-rows") != (words is not None):
            work.toggle_class("-no-rows")
            self.call_after_refresh(self.show_details)  # where the pane was away, its width is new
        self.table.sort = self.arrangement.order
        self.table.show(
            self.listing.rows, index_of=self.listing.index_of, measured=self.listing.loaded_rows()
        )
        self._paint_truth()
        self._do_work()

    def _do_work(self) -> None:
        """Filters and orders many rows beside everything else; what was shown before stays meanwhile."""
        steps = self.listing.work
        if steps is not None and steps is not self._work:
            self._work = steps
            self._arrange(steps)

    @work(group="arrange", exclusive=True, exit_on_error=False)
    async def _arrange(self, steps: Steps[RowsOf[T]]) -> None:
        self.post_message(self.Arranged(steps, await in_turns(steps)))

    @on(Arranged)
    def _show_arranged(self, message: Arranged[T]) -> None:
        if message.work is self.listing.work:
            self.listing.arranged(message.rows)
            self.paint()

    def _paint_truth(self) -> None:
        truth = self.query_one("#truth", Static)
        error = self.arrangement.error
        truth.set_class(error is not None, "-wrong")
        truth.set_class(self.listing.state(self.session.now()) is State.STALE, "-stale")
        truth.update(str(error) if error else " · ".join(self._truth_parts()), layout=False)

    def _truth_parts(self) -> list[str]:
        marks = len(self._marks)
        parts = [
            self.progress(),
            "finding…" if self.listing.work else "",
            "marking…" if self._marking else "",
            f"{marks} marked" if marks else "",
        ]
        return [*filter(None, parts), truth(self.listing, self.session.now(), self.offer())]

    def progress(self) -> str:
        """What is under way, for the line of truth; empty where nothing is."""
        return ""

    def offer(self) -> str:
        """How what is not loaded could be; empty where everything is."""
        return ""

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

    # ---- the record as text ----

    def do_copy(self) -> None:
        if self.row is not None:
            offer_copies(self, self.row, self.title_of(self.row))

    def do_browse(self) -> None:
        if self.row is not None:
            offer_links(self, self.row, self.singular)

    def do_raw(self) -> None:
        if self.row is not None:
            show_raw(self, self.row, self.title_of(self.row))

    def missing_rows(self) -> str | None:
        """Why there is nothing to hand on."""
        return None if self.listing.rows else f"There is no {self.singular} here to hand on."

    def do_export(self) -> None:
        """Asks what is to be handed on, and as what; the service is not asked."""
        from linkdash.screens import handing_on
        from linkdash.screens.list_papers import list_papers

        papers = list_papers(self.record_type, self.columns, self.listing, self.table.marks)
        handing_on.offer(self, self.file_stem, papers)

    async def do_back(self) -> None:
        """One step: out of the filter's line, of the filter, of the marks, of a screen that was opened."""
        line = self.query_one("#filter", Input)
        if line.display:
            line.value = self.arrangement.text  # what has no meaning goes, the filter before it stays
            line.display = False
            self.table.focus()
        elif self.arrangement.filtering:
            line.value = ""
        elif self._marking is not None:
            self.workers.cancel_group(self, "mark")
            self._marking = None
            self._paint_truth()
        elif self._marks:
            self._marks.clear()
            self._show_marks()
        elif len(self.app.screen_stack) > 1:
            self.dismiss()
        else:
            self.notify("Nothing to go back to; q quits.", markup=False)

    # ---- filter and order ----

    def do_filter(self) -> None:
        line = self.query_one("#filter", Input)
        line.display = True
        line.focus()
        self._prepare_filter()

    @work(group="prepare", exclusive=True, exit_on_error=False)
    async def _prepare_filter(self) -> None:
        """Many records are looked through while the first letter is still being thought of."""
        if len(rows := self.listing.loaded_rows()) > AT_ONCE:
            await in_turns(self.arrangement.prepare(rows))

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

    @property
    def listings(self) -> Sequence[Listing[T]]:
        """Everything that is loaded of this resource: the listing that is shown, and those beside it."""
        return (self.listing,)

    @property
    def targets(self) -> Sequence[T]:
        """The marked records, as they are known now; where none is marked, the one under the cursor."""
        if self._marks:
            return self._marks.as_known(self.listings)
        return [self.row] if self.row else []

    def missing_targets(self) -> str | None:
        """Why there is no record to do something with: none is marked, nor under the cursor."""
        if self._marking is not None:
            return "All that is shown is being marked; escape stops that."
        return None if self._marks else self.missing_row()

    def do_mark(self) -> None:
        if self.row is not None:
            self._marks.turn(self.row)
        self._show_marks()
        self.table.action_move(1)

    def do_mark_all(self) -> None:
        """Marks all rows shown, or takes their marks away; many are read beside everything else."""
        marking = self._marks.turn_all(self.listing.rows)
        if len(self.listing.rows) <= AT_ONCE:
            at_once(marking)
            self._show_marks()
            return
        self._marking = marking
        self._paint_truth()
        self._mark(marking)

    @work(group="mark", exclusive=True, exit_on_error=False)
    async def _mark(self, steps: Steps[None]) -> None:
        await in_turns(steps)
        self._marking = None
        self._show_marks()

    def unmark(self, key: Hashable) -> None:
        """Takes the mark of a record away, if it has one."""
        if self._marks.remove(key):
            self._show_marks()

    def _show_marks(self) -> None:
        self.table.marks = self._marks.keys
        self._paint_truth()


def _key(row: Record) -> Hashable:
    return row.key
