"""The screen of a resource: its table, the details beside it, a filter line, and what keys do to them.

What is shown and asked for is the collection's; how records are changed is told in `editing`. A resource
that differs has a subclass beside this file.
"""

import asyncio
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import Worker, WorkerError

from linkdash.api.errors import LinkdashError
from linkdash.api.fields import fields_of
from linkdash.api.records import Body, Record, Unreadable
from linkdash.config import CommandSetting
from linkdash.model.as_command import list_commands, record_commands
from linkdash.model.copying import PickerChoice, copies
from linkdash.model.declaration import Resource, declaration
from linkdash.model.humanize import with_article
from linkdash.model.lists.collection import Collection
from linkdash.model.lists.columns import Column, with_age
from linkdash.model.lists.export import list_exports
from linkdash.model.lists.filter import examples
from linkdash.model.lists.list_status import status_line, words_for
from linkdash.model.lists.load_all import LoadAll
from linkdash.model.lists.loaded_pages import State
from linkdash.model.lists.order import Orders
from linkdash.model.lists.views import ListPreferences
from linkdash.model.raw_answer import is_large
from linkdash.model.session import Session
from linkdash.screens import export, record_actions
from linkdash.screens.actions import AnyAction, Flow, bindings, run_action
from linkdash.screens.arranging import Arranging
from linkdash.screens.editing import Editing
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.import_file import import_file
from linkdash.screens.list_actions import FORM_ACTIONS, LIST_ACTIONS
from linkdash.screens.own_commands import run_own
from linkdash.screens.pane import Pane
from linkdash.screens.related import RelatedFacts, RelatedPanel
from linkdash.widgets.details import DetailLine, Details, record_lines
from linkdash.widgets.filter_line import FilterInput, FilterLine
from linkdash.widgets.form.form import Preview
from linkdash.widgets.frame.progress_line import FULL, SPENT
from linkdash.widgets.frame.state_panel import StatePanel
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.record_table import RecordTable

T = TypeVar("T", bound=Record)

STRIP, AT_SIDE = "-strip", "-at-side"
_FILTER_HINT = "type to filter; up for earlier filters"
_BAR = 10  # cells of the bar of progress


class ResourceScreen(HostScreen, Generic[T]):
    """A table of one resource's records, or of a part of them."""

    ACTIONS: ClassVar[tuple[AnyAction, ...]] = LIST_ACTIONS
    BINDINGS = bindings(LIST_ACTIONS)
    DETAILS: ClassVar[str] = STRIP
    """Where details stand: a few fields in a strip below the table, a picture or a chart at the side."""

    def __init__(self, session: Session, resource: Resource[T], *part: str | int) -> None:
        super().__init__(session)
        self.title = self.TITLE or resource.title
        self.place_id = resource.id
        self.resource = resource
        self.columns: Sequence[Column[T]] = with_age(resource.columns, session.local_time)
        """The columns of the table."""
        self.collection: Collection[T] = session.collection_of(resource, *part)
        self.pane = Pane(session, *self.beneath())
        self.pane.add_class("-no-rows")
        self.editing = Editing(self)
        self.arranging: Arranging[T] = Arranging(self, ListPreferences(session, resource.list_id))
        self._orders: Orders = ()
        """What the rows that are shown are sorted by."""
        self._alike: Sequence[str] = ()
        """What is the same in every row."""
        self._arranging: object = None
        self._arranger: Worker[None] | None = None
        self._page_read: Worker[None] | None = None
        self._page_begun = False
        self._page_ended = 0.0  # by the monotonic clock
        self._is_marking_all = False

    @property
    def age(self) -> float | None:
        return self.collection.listing.age(self.session.now())

    @property
    def unsaved(self) -> str:
        is_typed = self.pane.form is not None and self.pane.form.changed
        unsaved = super().unsaved
        return "not saved" if is_typed and unsaved.startswith("not saved") else unsaved

    # ---- what a subclass may say more of ----

    def lines(self, record: T, width: int) -> Sequence[DetailLine]:
        """The lines of the details in `width` cells."""
        return record_lines(record, self.resource.name_field)

    def related(self, record: T) -> RelatedFacts | None:
        """What else is known here of a record or of the list; shown beside a strip of details."""
        return None

    def beneath(self) -> Sequence[Widget]:
        """Return what stands below the lines of the details, where there is room."""
        return ()

    def preview(self, model: type[Body]) -> Preview | None:
        """A look at what a form of this model will make."""
        return None

    async def losses(self, record: T) -> list[str]:
        """Return what goes with a deleted record, in sentences."""
        return [self.resource.delete.loses(record)] if self.resource.delete else []

    @property
    def notes(self) -> Mapping[Hashable, str]:
        """Return the notes on single rows, by their keys."""
        return self.collection.notes

    @property
    def place(self) -> str:
        return self.resource.title

    @property
    def file_stem(self) -> str:
        """Return the beginning of the names of files with these records."""
        return self.resource.id

    # ---- composition ----

    def compose_middle(self) -> ComposeResult:
        with Container(id="work", classes=self.DETAILS):
            with Panel(title=self.resource.title, id="list"):
                yield RecordTable(self.columns, key=lambda row: row.key, id="records")
                yield StatePanel()
                yield FilterLine(placeholder=_FILTER_HINT)
            yield self.pane
            if self.DETAILS == STRIP:
                yield RelatedPanel()

    @property
    def table(self) -> RecordTable[T]:
        return self.query_one("#records", RecordTable)

    @property
    def _filter_line(self) -> FilterLine:
        return self.query_one(FilterLine)

    @property
    def _filter_input(self) -> FilterInput:
        return self.query_one("#filter", FilterInput)

    def on_mount(self) -> None:
        self._filter_line.display = False
        self._unwatch_collection = self.collection.watch(self._collection_changed)
        self._unwatch.append(lambda: self._unwatch_collection())
        self.set_interval(1.0, self._tick)

    def on_screen_resume(self) -> None:
        """Paints what is there, and asks for a page where nothing is, or what is there is old."""
        if self.pane.form is None:
            self.table.focus()
        self.paint()
        self.begin_reading(self._open, exclusive=False)

    async def _open(self) -> None:
        await self.arranging.recall()
        await self.collection.recall()
        if self.is_current:
            await self.collection.open()

    def on_screen_suspend(self) -> None:
        """Withdraw the request for a page that is not looked at any more, if it was not sent yet."""
        if not self.is_current and self.collection.listing.loading and self.collection.is_waiting:
            self.workers.cancel_group(self, "read")

    def begin_reading(self, read: Callable[[], Flow], *, exclusive: bool = True) -> Worker[None]:
        """Runs a read. What it raises is shown in the place of the rows; where rows are, it is said."""
        return self.run_worker(self._read(read), group="read", exclusive=exclusive, exit_on_error=False)

    async def _read(self, read: Callable[[], Flow]) -> None:
        try:
            await read()
        except LinkdashError as error:
            if self.collection.listing.page is not None:
                self.tell(error)

    def show_part(self, *part: str | int) -> None:
        """Shows another part of the records, with the same filter and order."""
        arrangement = self.collection.arrangement
        self._unwatch_collection()
        self.workers.cancel_group(self, "read")
        self.collection = self.session.collection_of(self.resource, *part)
        self._unwatch_collection = self.collection.watch(self._collection_changed)
        self.collection.adopt(arrangement)
        self._paint_frame()
        self.paint()
        self.begin_reading(self._open)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a form its own keys count; while a filter is typed, of the list's keys only escape does."""
        form = self.pane.form
        if action == "do" and form is not None and form.has_focus_within:
            return False
        typing = self.focused is not None and self.focused.id == "filter"
        return not typing or action != "do" or parameters == ("back",)

    # ---- painting ----

    def _collection_changed(self) -> None:
        if self.is_mounted:
            self.paint()

    def _tick(self) -> None:
        if self.is_active:
            self._paint_status()

    def paint(self) -> None:
        """Shows what the collection holds."""
        collection, listing = self.collection, self.collection.listing
        words = words_for(
            collection.state,
            self.resource.singular,
            listing.error,
            self.key_of,
            collection.arrangement.text,
            complete=listing.complete,
            is_mistaken=collection.arrangement.error is not None,
        )
        panel, table = self.query_one(StatePanel), self.table
        if words is not None:
            panel.show(words.headline, words.advice, failed=words.failed)
        panel.display, table.display = words is not None, words is None
        if table.display and self.focused is None and self.pane.form is None:
            table.focus()  # it lost the focus when it was hidden
        if self.pane.has_class("-no-rows") != (words is not None):
            self.pane.toggle_class("-no-rows")
            self.call_after_refresh(self.show_details)  # where the pane was away, its width is new
        table.sort = collection.arrangement.order
        table.marks = collection.selection.keys
        table.notes = self.notes
        columns, self._alike = self.arranging.differing()
        collection.arrangement.use(columns, ())  # nothing is sorted by what is not to be seen
        table.show(listing.rows, columns, index_of=listing.index_of, measured=listing.loaded_rows())
        if listing.work is None and self._orders != collection.arrangement.orders:
            self._orders = collection.arrangement.orders
            table.move_cursor(0)  # who sorts wants to see what comes first
        self._paint_status()
        self._arrange()

    def _arrange(self) -> None:
        """Filters and orders many rows beside everything else."""
        steps = self.collection.listing.work
        if steps is not None and steps is not self._arranging:
            self._arranging = steps
            self._arranger = self.run_worker(
                partial(self.collection.arrange, steps), group="arrange", exclusive=True, exit_on_error=False
            )

    def _paint_status(self) -> None:
        error = self.collection.arrangement.error
        tone = Tone.WARNING if self.collection.state is State.STALE else Tone.MUTED
        said = Piece(str(error), Tone.BAD) if error else Piece(" · ".join(self._status_parts()), tone)
        above = [Piece(self.arranging.words, Tone.MUTED)] if self.arranging.words else ()
        self.query_one("#list", Panel).say(self._list_title, above=above, below=[said])
        self._filter_line.point_out(error.what if error else "", error.at if error else 0)

    @property
    def _list_title(self) -> str:
        """Return the list's title: where the user is, without what lies around it."""
        return self._trail[-1]

    def _status_parts(self) -> list[str]:
        collection = self.collection
        selected, hidden = len(collection.selection), collection.hidden_selected
        parts = [
            self._progress(collection.load) if collection.load else "",
            "filtering…" if collection.listing.work else "",
            "selecting…" if self._is_marking_all else "",
            f"{selected} selected" + (f" ({hidden} hidden)" if hidden else "") if selected else "",
        ]
        return [*filter(None, parts), self._status_words(), *self._alike]

    def _status_words(self) -> str:
        not_known = self.collection.arrangement.not_known
        return status_line(self.collection.listing, self.session.now(), self._offer(), not_known)

    def _progress(self, plan: LoadAll) -> str:
        loaded = plan.pages - plan.missing
        full = _BAR * loaded // plan.pages
        bar = FULL * full + SPENT * (_BAR - full)
        return f"{bar} loading all: {loaded} of {plan.pages} pages, {self.collection.quote(plan)}"

    def _offer(self) -> str:
        """Return how what is not loaded could be; empty where everything is."""
        plan = None if self.collection.load else self.collection.plan()
        if plan is None or not plan.missing:
            return ""
        return f"{self.key_of('load-all')} loads the rest ({self.collection.quote(plan)})"

    @on(RecordTable.CursorMoved)
    def show_details(self) -> None:
        """Shows the row under the cursor in full."""
        details, row = self.query_one("#details", Details), self.table.cursor_row
        if isinstance(row, Unreadable):
            self.pane.call()
            details.show(row, f"This row could not be read; {self.key_of('raw')} shows all of it.")
        else:
            details.show(row, lines=None if row is None else self._lines_below_name(row))
        for panel in self.query(RelatedPanel):
            panel.show(None if self.row is None else self.related(self.row))

    def _lines_below_name(self, record: T) -> Sequence[DetailLine]:
        """The lines of the details without the name, where the frame around them says it."""
        lines = [*self.lines(record, self.query_one("#details", Details).size.width)]
        titles = {field.name: field.title for field in fields_of(self.resource.record)}
        name = next((line for line in lines if line.title == titles[self.resource.name_field]), None)
        if name is None or not self.pane.has_room_for(name.text):
            self.pane.call()
            return lines
        self.pane.call(name.text)
        lines.remove(name)
        return lines

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_details)

    async def go_to(self, id: int) -> bool:
        """Puts the cursor on a record, once the list is there; says so where it is not to be seen."""
        reading = [worker for worker in self.workers if worker.node is self and worker.group == "read"]
        with suppress(WorkerError):  # one that was taken back; what it had to say it has said
            for worker in reading:
                await worker.wait()
        if self.collection.part:
            self.show_part()
        page = self.collection.listing.page_of(id)
        if self.table.move_to(id) or (page and self.collection.turn_to(page) and self.table.move_to(id)):
            return True
        hidden = page is not None and self.collection.arrangement.filtering
        where = "hidden by the filter" if hidden else "not among those that are loaded"
        self.say(f"The {self.resource.singular} {id} is {where}.")
        return False

    # ---- what actions need ----

    @property
    def row(self) -> T | None:
        """The record under the cursor."""
        row = self.table.cursor_row if self.table.display else None
        return None if isinstance(row, Unreadable) else row

    @property
    def _unreadable(self) -> Unreadable | None:
        """The row under the cursor, where that is no record."""
        row = self.table.cursor_row if self.table.display else None
        return row if isinstance(row, Unreadable) else None

    @property
    def targets(self) -> Sequence[T]:
        """The selected records; where none is selected, the one under the cursor."""
        return self.collection.targets(self.row)

    def missing_rights(self) -> str | None:
        refusal = self.session.admin_refusal if self.resource.for_admins else None
        return super().missing_rights() if refusal is None else str(refusal)

    def _missing_way(self, way: object, verb: str) -> str | None:
        """Why the service offers no way to do something with these records at all."""
        return None if way else f"The service offers no way to {verb} {with_article(self.resource.singular)}."

    def missing_create(self) -> str | None:
        return self._missing_way(self.resource.create, "create")

    def missing_update(self) -> str | None:
        return self._missing_way(self.resource.update, "edit")

    def missing_delete(self) -> str | None:
        return self._missing_way(self.resource.delete, "delete")

    def missing_assignment(self) -> str | None:
        return self._missing_way(self.resource.assignment, "assign")

    def missing_import(self) -> str | None:
        resource = self.resource
        is_whole = declaration(resource.id) is resource
        return self._missing_way(is_whole and (resource.create or resource.update), "create or edit")

    def missing_links(self) -> str | None:
        if self.follows:
            return None
        return f"Records of this list have no linked record; {self.key_of('open')} opens it."

    def missing_pane(self) -> str | None:
        return "A form is open: save or close it first." if self.form_flow else None

    def missing_row(self) -> str | None:
        if self.row is not None:
            return None
        if self._unreadable is not None:
            return f"This row could not be read: {self.key_of('raw')} shows it, nothing else works."
        return f"There is no {self.resource.singular} under the cursor."

    def missing_raw(self) -> str | None:
        return self.missing_row() if self._unreadable is None else None

    def missing_targets(self) -> str | None:
        if self._is_marking_all:
            return f"Still selecting; {self.key_of('back')} stops it."
        return None if self.collection.targets_selection else self.missing_row()

    def missing_rows(self) -> str | None:
        return None if self.collection.listing.rows else f"There is no {self.resource.singular} to export."

    def run_own(self, label: str, command: CommandSetting) -> None:
        """Runs a command of the person's own on the record under the cursor and those that are selected."""
        if reason := self.missing_row():
            self.warn(reason, label)
        elif self.row is not None:
            self.begin(run_own(self, label, command, self.row, self.targets), "command")

    # ---- changing records ----

    @property
    def form_flow(self) -> Worker[object] | None:
        """The flow whose form is open, or about to be: there is never a second one."""
        flows = (flow for flow in self.workers if flow.node is self and flow.name in FORM_ACTIONS)
        return next((flow for flow in flows if not flow.is_finished), None)

    def perform(self, id: str) -> None:
        is_there = self.pane.form is not None and self.pane.form.is_mounted
        if self.form_flow is not None and not is_there and id != "back":
            self.warn(f"A form is being opened; {self.key_of('back')} stops that.")
        else:
            self.session.faults.did(f"{id} on {self.resource.title}")
            run_action(self, self.actions, id)

    def do_new(self) -> Flow:
        return self.editing.new()

    def do_edit(self) -> Flow:
        return self.editing.edit(self.targets)

    def do_assign(self) -> Flow:
        return self.editing.assign(self.targets)

    def assign_with(self, given: Mapping[str, object]) -> None:
        """Opens the form of the record under the cursor with values filled in, where that is possible."""
        action = next(action for action in self.actions if action.id == "assign")
        if reason := action.blocked(self):
            self.warn(reason)
        elif self.row is not None:
            self.begin(self.editing.assign([self.row], given), "assign", opens=True)

    def do_undo(self) -> Flow:
        return self.editing.undo(self.targets)

    def do_delete(self) -> Flow:
        return self.editing.delete(self.targets, self.collection.hidden_selected)

    # ---- the record as text ----

    async def do_copy(self) -> None:
        """Offers parts of the record, and the commands that show it and that list what is shown."""
        base_url, collection, row = self.session.settings.base_url, self.collection, self.row
        listed = collection.source.request(collection.listing.current, collection.page_size)
        title, choices = f"Copy from {self.resource.title}", list[PickerChoice]()
        if row is not None:
            title = f"Copy from {self.title_of(row)}"
            choices += copies(row) if not is_large(row.raw) else await asyncio.to_thread(copies, row)
        if row is not None and declaration(self.resource.id) is self.resource:
            choices += await record_commands(base_url, self.resource.id, row.id, listed)
        if not collection.part and not self.resource.is_single:
            choices += list_commands(
                base_url, self.resource.id, listed, collection.arrangement.text, self._told_orders
            )
        if choices:
            await record_actions.copy_one(self, title, choices)
        else:
            self.warn("There is nothing to copy.")

    @property
    def _told_orders(self) -> Orders:
        """The orders up to the first one by a column that no command knows."""
        known = {column.name for column in self.resource.columns}
        return [*takewhile(lambda order: order[0] in known, self.collection.arrangement.orders)]

    def do_browse(self) -> Flow | None:
        return record_actions.open_link_of(self, self.row, self.resource.singular) if self.row else None

    def do_raw(self) -> Flow | None:
        if self._unreadable is not None:
            return record_actions.show_raw(self, self._unreadable.row, "Unreadable row")
        return record_actions.show_raw(self, self.row.raw, self.title_of(self.row)) if self.row else None

    def do_export(self) -> Flow:
        """Asks what is to be exported, and as what; the service is not asked."""
        collection = self.collection
        exports = list_exports(
            self.resource.record,
            self.resource.columns,
            collection.listing,
            collection.selection.keys,
            self.session.now(),
        )
        return export.offer(self, self.file_stem, exports, records=collection)

    def do_import(self) -> Flow:
        """Asks for a file and sends its rows."""
        return import_file(self, self.collection)

    def title_of(self, record: T) -> str:
        """A record in the title of a window."""
        return self.resource.title_of(record)

    # ---- moving ----

    @on(RecordTable.Opened)
    def _open_row(self) -> None:
        self.action_do("open")

    def do_open(self) -> Flow | None:
        """Most records have nothing behind them but their details: what is more than fits gets a page."""
        if self.row is not None:
            self.note_opened(self.resource.id, self.row.id, self.resource.name_of(self.row))
            details = self.query_one(Details)
            if details.shows_all:
                self.say(f"The details show all of {self.title_of(self.row)}.")
            else:
                record_actions.show_in_full(self, self.title_of(self.row), details.lines)
        return None

    @property
    def follows(self) -> bool:
        """Return whether its records can name others."""
        return self.resource.follows is not None

    def do_follow(self) -> Flow | None:
        """Goes to what the record names."""
        named = self.resource.follows(self.row) if self.resource.follows and self.row is not None else None
        if named is None:
            self.say(f"This {self.resource.singular} has no linked record.")
            return None
        return self.services.follow(*named)

    def do_next_page(self) -> None:
        self._turn_to(self.collection.listing.next_page, "This is the last page.")

    def do_previous_page(self) -> None:
        self._turn_to(self.collection.listing.previous_page, "This is the first page.")

    def _turn_to(self, number: int | None, otherwise: str) -> None:
        if number is None:
            self.say(otherwise)
        elif self.collection.turn_to(number):
            self.table.move_cursor(0)
        else:
            self._ask_for(number)

    def do_refresh(self) -> None:
        self._ask_for(self.collection.listing.wanted)

    def _ask_for(self, number: int) -> None:
        """Asks for a page; what is on the screen stays there meanwhile."""
        read = self._page_read
        about_to = read is not None and not read.is_finished and not self._page_begun
        if about_to or self.collection.listing.loading:
            self.say("A page is already loading.")
            return
        if self.services.type_ahead.pressed_at < self._page_ended:
            self.say("A page was loaded since that key was pressed.")
            return
        self._page_begun = False
        self._page_read = self.begin_reading(partial(self._page, number))

    async def _page(self, number: int) -> None:
        self._page_begun = True
        turned = number != self.collection.listing.current
        try:
            await self.collection.read(number)
        finally:
            self._page_ended = time.monotonic()
        if turned:
            self.table.move_cursor(0)

    def do_load_all(self) -> None:
        """Says what it costs, and loads every page that is missing."""
        collection = self.collection
        plan = collection.plan()
        if collection.load is not None:
            self.say(f"All pages are being loaded; {self.key_of('back')} stops that.")
        elif plan is not None and plan.missing:
            title = f"Loading all; {self.key_of('back')} stops it"
            self.say(str(collection.quote(plan)), title)
            self.run_worker(collection.load_all(plan), group="load-all", exit_on_error=False)
        elif plan is not None or collection.listing.next_page is None:
            self.say(f"All {self.resource.title} are loaded.")
        else:
            next_page = f"{self.key_of('next-page')} loads the next page."
            self.say(next_page, "The service does not say how many there are")

    def do_back(self) -> None:
        """Go back: into an open form, out of the filter, of loading, of the selection, of the screen."""
        form, filter_input, collection = self.pane.form, self._filter_input, self.collection
        if self._filter_line.display and (filter_input.has_focus or form is None):
            filter_input.value = collection.arrangement.text  # what has no meaning goes, the one before stays
            self._close_filter()
        elif form is not None:
            form.focus_step()
        elif self.form_flow is not None:
            self.form_flow.cancel()
        elif collection.load is not None:
            self.workers.cancel_group(self, "load-all")
            self.say(f"Loaded pages are kept; {self.key_of('load-all')} continues.", "Stopped loading")
        elif collection.arrangement.filtering:
            collection.filter("")
            filter_input.value = ""
        elif self._is_marking_all:
            self.workers.cancel_group(self, "select")
            self._is_marking_all = False
            self._paint_status()
        elif collection.selection:
            collection.clear_selection()
        elif len(self.app.screen_stack) > 1:
            self.dismiss()
        else:
            self.say_it_is_the_first()

    # ---- filter, order, selection ----

    def do_filter(self) -> Flow:
        arrangement = self.collection.arrangement
        if arrangement.error is None or not self._filter_line.display:  # else it is mended
            self._filter_input.value = arrangement.text
        self._filter_line.display = True
        self.set_focus(self._filter_input)  # at once: no key may reach the list any more
        _: Worker[None] = self.run_worker(
            self.collection.prepare_filter, group="prepare", exclusive=True, exit_on_error=False
        )
        fields, listing = fields_of(self.resource.record), self.collection.listing
        self.pane.show_help(examples(fields, listing.loaded_rows(), self.session.local_time(), self.columns))
        return self._recall_filters()

    async def _recall_filters(self) -> None:
        self._filter_input.begin(await self.arranging.filters())

    def _close_filter(self, *, stays: bool = False) -> None:
        """Leaves the line; it stays in sight where what is typed has no meaning."""
        self._filter_line.display = stays
        self.pane.hide_help()
        self.set_focus(self.table)
        if self._arranger is not None:  # the next key is for the rows that match
            self.hold_keys(self._arranger)
        self.begin(self.arranging.keep_filter(), "keep-filter")

    def do_columns(self) -> Flow:
        return self.arranging.columns()

    def do_views(self) -> Flow:
        return self.arranging.views()

    @on(Input.Changed, "#filter")
    def _filter_as_typed(self, event: Input.Changed) -> None:
        self.collection.filter(event.value)

    @on(Input.Submitted, "#filter")
    def _filter_submitted(self, event: Input.Submitted) -> None:
        self._close_filter(stays=bool(event.value and self.collection.arrangement.error))

    def do_sort(self) -> None:
        self.collection.sort_by_next()

    def do_reverse(self) -> None:
        if not self.collection.reverse():
            self.say(f"There is no order to reverse; {self.key_of('sort')} sorts.")

    @on(RecordTable.HeaderClicked)
    def _sort_by_clicked(self, message: RecordTable.HeaderClicked[T]) -> None:
        self.collection.sort_by(message.column.name)

    def do_mark(self) -> None:
        if self.row is not None:
            self.collection.toggle(self.row)
        self.table.action_move(1)

    def do_mark_all(self) -> None:
        """Selects all rows shown, or deselects them; many are read beside everything else."""
        self._is_marking_all = True
        self._paint_status()
        _: Worker[None] = self.run_worker(
            self._select_all, group="select", exclusive=True, exit_on_error=False
        )

    async def _select_all(self) -> None:
        try:
            await self.collection.toggle_all()
        finally:
            self._is_marking_all = False
            self._paint_status()
