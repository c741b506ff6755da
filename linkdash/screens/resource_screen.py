"""The screen of a resource: its table, the details beside it, a filter line, and what keys do to them.

What is shown and asked for is the collection's; how records are changed is told in `editing`. A resource
that differs has a subclass beside this file.
"""

import asyncio
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import ClassVar, Generic, Self, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Input
from textual.worker import Worker

from linkdash.api.fields import fields_of
from linkdash.api.records import Record, Unreadable
from linkdash.model.configuration_file import CommandSetting
from linkdash.model.declaration import Resource
from linkdash.model.humanize import ago
from linkdash.model.lists.collection import Collection
from linkdash.model.lists.columns import value_of
from linkdash.model.lists.export import Beside, list_exports
from linkdash.model.lists.list_status import words_for
from linkdash.model.lists.order import Orders
from linkdash.model.lists.selection import Selection
from linkdash.model.lists.views import ListPreferences
from linkdash.model.session import Session
from linkdash.screens import export
from linkdash.screens.actions import BACK, Action, AnyAction, Flow, bindings
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.lists import list_frame, record_actions
from linkdash.screens.lists.arranging import Arranging
from linkdash.screens.lists.copy_from_list import copy_from
from linkdash.screens.lists.filtering import Filtering
from linkdash.screens.lists.list_actions import ASSIGN, FORM_ACTIONS, LIST_ACTIONS, NEW, UNDO, VIEWS
from linkdash.screens.lists.list_needs import ROW, TARGETS, missing_way
from linkdash.screens.lists.own_commands import run_own
from linkdash.screens.lists.page_reading import PageReading
from linkdash.screens.lists.pane import Pane
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.lists.row_details import RowDetails
from linkdash.screens.lists.selecting import Selecting
from linkdash.screens.writes.editing import Editing
from linkdash.screens.writes.import_file import import_file
from linkdash.screens.writes.undoing import undoable
from linkdash.widgets.details import DetailLine, record_lines
from linkdash.widgets.filter_line import FilterLine
from linkdash.widgets.form.form import Form
from linkdash.widgets.frame.key_line import Claim, KeyLine
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.table.list_panel import ListPanel
from linkdash.widgets.table.record_table import RecordTable

T = TypeVar("T", bound=Record)

_FILTER_HINT = "type to filter; up for earlier filters"


class ResourceScreen(HostScreen, Generic[T]):
    """A table of one resource's records, or of a part of them."""

    ACTIONS: ClassVar[tuple[AnyAction, ...]] = LIST_ACTIONS
    BINDINGS = bindings(LIST_ACTIONS)
    COLUMN_TITLES: ClassVar[Mapping[str, str]] = {}
    """The titles of columns that are those of no field, by their names."""

    def __init__(self, session: Session, resource: Resource[T], *part: str | int) -> None:
        super().__init__(session)
        self.title = self.TITLE or resource.title
        self.place_id = resource.id
        self.resource = resource
        self.records: RecordList[T] = RecordList(self, resource, *part)
        self.pane = Pane(session, self.show_details)
        self.pane.add_class("-no-rows")
        self.details: RowDetails[T] = RowDetails(self.records, self.pane)
        self.arranging: Arranging[T] = Arranging(self.records, ListPreferences(session, resource.list_id))
        self.filtering = Filtering(self.records, self.pane, self.arranging)
        self.pages = PageReading(self.records, self.arranging)
        self.selecting = Selecting(self.records)
        self.editing = Editing(self.records, self.pane)
        self._asked: tuple[Orders, str] = ((), "")
        """What the rows that are shown are sorted and filtered by."""
        self._titles = {field.name: field.title for field in fields_of(resource.record)}
        self._alike: Sequence[str] = ()
        """What is the same in every row."""
        self._is_known_read = asyncio.Event()
        self._facts_of: Sequence[T | Unreadable] | None = None
        """The rows that facts were looked up for last."""
        self._undoable = 0
        """The number of the selected records whose last edit can be undone, as it was looked up last."""
        self._marked: tuple[Selection[T], int] | None = None
        """The selection that the table marks, and how often it had changed by then."""

    @property
    def collection(self) -> Collection[T]:
        """The collection on the screen now: a part of the records, or all."""
        return self.records.collection

    @property
    def table(self) -> RecordTable[T]:
        return self.records.table

    @property
    def row(self) -> T | None:
        """The record under the cursor."""
        return self.records.row

    @property
    def targets(self) -> Sequence[T]:
        """The selected records; where none is selected, the one under the cursor."""
        return self.records.targets

    @property
    def has_unsaved_input(self) -> bool:
        return self.is_mounted and self.pane.form is not None and self.pane.form.changed

    async def keep_input(self) -> None:
        if self.is_mounted:
            await self.pane.keep()

    @property
    def unsaved(self) -> str:
        is_typed = self.pane.form is not None and self.pane.form.changed
        unsaved = super().unsaved
        return "not saved" if is_typed and unsaved.startswith("not saved") else unsaved

    @property
    def is_typed_into(self) -> bool:
        form = self.pane.form
        return self.filtering.is_typed or (form is not None and form.has_focus_within)

    # ---- what a subclass may say more of ----

    def lines(self, record: T, width: int) -> Sequence[DetailLine]:
        """The lines of the details in `width` cells."""
        told = record_lines(record, self.resource.name_field)
        if "date" in self._titles and self.collection.is_new(record) and value_of(record, "date") is None:
            seconds = self.collection.made_ago(record)
            when = "just now" if seconds < 60 else ago(seconds)
            made = DetailLine(self._titles["date"], (Piece(f"{when}, from here", Tone.MUTED),))
            told = [made if line.title == made.title else line for line in told]
        return told

    async def read_known(self) -> None:
        """Read from what is kept, without a request, what is told beside the records' own fields."""

    def facts(self) -> Sequence[str]:
        """Return what the frame says of the whole list, beside how much of it is loaded."""
        return ()

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
        with Container(id="work"):
            yield ListPanel(
                self.records.columns,
                lambda row: row.key,
                title=self.resource.title,
                below=[FilterLine(placeholder=_FILTER_HINT)],
            )
            yield self.pane

    def on_mount(self) -> None:
        self.query_one(FilterLine).display = False
        self._unwatch_collection = self.collection.watch(self._collection_changed)
        self._unwatch.append(lambda: self._unwatch_collection())
        self.set_interval(1.0, self._tick)
        self.screen_layout_refresh_signal.subscribe(self, lambda _: self._laid_out())

    def on_screen_resume(self) -> None:
        """Paint what is there, and ask for a page where nothing is, or what is there is old."""
        if not self.filtering.is_typed and self.pane.form is None:
            self.set_focus(self.table)  # at once: no key may come before it
        self.paint_list()
        self.pages.open()
        self.show_known()
        self._look_up_facts()
        self._count_undoable()

    def on_screen_suspend(self) -> None:
        """Withdraw the request for a page that is not looked at any more, if it was not sent yet."""
        if not self.is_current:
            self.pages.take_back()

    def show_part(self, *part: str | int) -> None:
        """Show another part of the records, with the same filter and order."""
        self._unwatch_collection()
        self.pages.cancel()
        self.records.turn_to_part(*part)
        self._unwatch_collection = self.collection.watch(self._collection_changed)
        self._paint_frame()
        self.paint_list()
        self.pages.open(exclusive=True)

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
            self.paint_list()
            if self.is_active and self.collection.has_been_emptied:
                self.pages.open()
            if self.is_active and self._facts_of is not self.collection.listing.loaded_rows():
                self._look_up_facts()

    def _look_up_facts(self) -> None:
        """Look up what is known beside the fields of the rows that are loaded."""
        self._facts_of = self.collection.listing.loaded_rows()
        self.run_worker(self.arranging.look_up_facts(), group="facts", exclusive=True, exit_on_error=False)

    def _tick(self) -> None:
        if self.is_active:
            self._paint_status()
            if self.row is not None and self.collection.is_new(self.row):
                self._show_record(self.row)

    def paint_list(self) -> None:
        """Show what the collection holds."""
        collection, listing = self.collection, self.collection.listing
        meant = None if self.filtering.is_typed else self.filtering.meant  # what is typed says it itself
        words = words_for(
            collection.state,
            self.resource.singular,
            listing.error,
            self.key_of,
            collection.arrangement.text,
            complete=listing.complete,
            is_mistaken=collection.arrangement.error is not None,
            meant="" if meant is None else f"{meant.what}: {meant.advice}.",
            filled_by=self.filled_by,
        )
        table = self.table
        if words is None:
            self.records.panel.show_table()
            if self.focused is None and self.pane.form is None:
                self.set_focus(table)
        else:
            if self.focused is table:  # else Textual gives the focus to what stands beside, and that keeps it
                self.set_focus(None)
            self.records.panel.show_empty(words.headline, words.advice, failed=words.failed)
        self.pane.set_class(words is not None, "-no-rows")
        table.sort = next(iter(collection.arrangement.orders), None)
        if self._marked != (marked := (collection.selection, collection.selection.changes)):
            self._marked = marked
            table.marks = collection.selection.keys
            self.query_one(KeyLine).update()
            self._count_undoable()
        table.notes = self.notes
        columns, self._alike = self.arranging.differing()
        collection.arrangement.use(columns, ())  # nothing is sorted by what is not to be seen
        if listing.work is None or listing.rows is not table.rows:  # else the same rows are shown still
            table.show_rows(listing.rows, columns, index_of=listing.index_of, measured=listing.loaded_rows())
        asked = collection.arrangement.orders, collection.arrangement.text
        if listing.work is None and asked != self._asked:
            is_wider = asked[0] == self._asked[0] and not asked[1]
            self._asked = asked
            if not is_wider:
                table.move_cursor(0)  # who sorts or filters wants to see what comes first
        self._paint_status()
        self.filtering.update_line()

    @property
    def filled_by(self) -> str:
        """Return how records get into an empty list, where no key of it does that."""
        return ""

    def _laid_out(self) -> None:
        self.update_keys()  # the details may show all now

    def _paint_status(self) -> None:
        above = [Piece(self.arranging.words, Tone.MUTED)] if self.arranging.words else ()
        tells_mistake = not self.filtering.is_open
        told = list_frame.said_below(self.records, self.facts(), self._alike, tells_mistake=tells_mistake)
        below, queued = [told], self.editing.single.queued
        if queued is not None:
            cancels = f"{queued.action} queued, {self.key_of('back')} cancels it · "
            below.insert(0, Piece(cancels, Tone.WARNING))
        self.records.panel.say(self._list_title, above=above, below=below)

    @property
    def _list_title(self) -> str:
        """Return the list's title: where the user is, without what lies around it."""
        return self._trail[-1]

    @on(RecordTable.CursorMoved)
    def show_details(self) -> None:
        """Show the row under the cursor in full."""
        unreadable, row = self.records.unreadable, self.row
        if unreadable is not None:
            advice = f"This row could not be read; {self.key_of('raw')} shows all of it."
            self.details.show_unreadable(unreadable, advice)
        elif row is None:
            self.details.show_nothing()
        else:
            self._show_record(row)

    def _show_record(self, row: T) -> None:
        self.details.show(row, self.lines(row, self.details.width), self.notes.get(row.key, ""))

    def show_columns_anew(self) -> None:
        """Show the rows again: what columns draw beside the records is another now."""
        if self.is_mounted:
            self.table.measure_anew()
        if self.collection.arrangement:
            self.collection.adopt(self.collection.arrangement)  # what it is ordered by may be another now
        elif self.is_mounted:
            self.paint_list()

    def show_known(self) -> None:
        """Read and show what else is known of the records."""
        if self.is_active:
            self.begin(self._show_known(), "known")

    async def wait_for_known(self) -> None:
        """Wait until it was read once."""
        await self._is_known_read.wait()

    async def _show_known(self) -> None:
        try:
            await self.read_known()
        finally:
            self._is_known_read.set()
        if self.is_mounted:
            self.show_details()

    async def go_to(self, id: int) -> bool:
        """Put the cursor on a record, once the list is there; says so where it is not to be seen."""
        await self.pages.wait()
        if self.collection.part:
            self.show_part()
        page = self.collection.listing.page_of(id)
        if self.table.move_to_key(id) or (
            page and self.collection.turn_to(page) and self.table.move_to_key(id)
        ):
            return True
        hidden = page is not None and self.collection.arrangement.filtering
        where = "hidden by the filter" if hidden else "not among those that are loaded"
        self.say(f"The {self.resource.singular} {id} is {where}.")
        return False

    # ---- what actions need ----

    def label_of(self, id: str) -> str:
        """Name how many records a key acts on, where that is not the one under the cursor; the step back."""
        if id == BACK.id:
            return self._way_back()[0]
        if not self.collection.targets_selection:
            return ""
        count = self._undoable if id == UNDO.id else len(self.collection.selection)
        of_selection = (one.label for one in self.actions if one.id == id and TARGETS in one.needs)
        return next((f"{label} {count:,}" for label in of_selection), "")

    def _count_undoable(self) -> None:
        """Look up how many of the selected records have an edit that can be undone, for the key line."""
        self._undoable = 0
        if self.resource.update is not None and self.collection.targets_selection:
            self.run_worker(self._show_undoable(), group="undoable", exclusive=True, exit_on_error=False)

    async def _show_undoable(self) -> None:
        self._undoable = await undoable(self.records)
        if self.is_mounted:
            self.update_keys()

    def claim_of(self, action: Action[Self]) -> Claim | None:
        is_for_selection = action.is_for_selection and self.collection.targets_selection
        if action.id == UNDO.id and is_for_selection and not self._undoable:
            return None  # it says why
        keeps_view = action.id == VIEWS.id and self.arranging.is_worth_a_view
        return Claim.NOW if is_for_selection or keeps_view else super().claim_of(action)

    def missing_rights(self) -> str | None:
        refusal = self.session.admin_refusal if self.resource.for_admins else None
        return super().missing_rights() if refusal is None else str(refusal)

    def missing_assignment(self) -> str | None:
        """The reason why the service cannot assign these records at all; None where it can."""
        return missing_way(self, self.resource.assignment, "assign")

    def run_own(self, label: str, command: CommandSetting) -> None:
        """Run a command of the user's own on the record under the cursor and those that are selected."""
        if reason := ROW.why_not(self):
            self.warn(reason, label)
        elif self.row is not None:
            self.begin(run_own(self, label, command, self.row, self.targets), "command")

    # ---- changing records ----

    @property
    def form_flow(self) -> Worker[object] | None:
        """The flow whose form is open, or about to be: there is never a second one.

        Other actions, as an undo, open one only where they need one.
        """
        begun = (flow for flow in self.workers if flow.node is self and flow.name in FORM_ACTIONS)
        flows = [*begun, *([self.pane.flow] if self.pane.flow is not None else [])]
        return next((flow for flow in flows if not flow.is_finished), None)

    def action_do(self, id: str) -> None:
        """Do one of the screen's actions; a form that opens has the last line for its own keys."""
        if id in FORM_ACTIONS:
            self.services.messages.dismiss()
        if id == "open" and self.row is not None and self.missing_more():
            self.note_record(self.row)  # its details are open already
        super().action_do(id)

    def withheld(self, id: str) -> str | None:
        is_there = self.pane.form is not None and self.pane.form.is_mounted
        if self.form_flow is None or is_there or id == "back":
            return None
        return f"A form is being opened; {self.key_of('back')} stops that."

    def undo(self, targets: Sequence[T]) -> Flow:
        """Undo the last changes of records, after a question."""
        return self.editing.undo(targets)

    def assign_row(self, given: Mapping[str, object], *, leads_back: bool) -> None:
        """Open the form that assigns the record under the cursor, with values filled in."""
        self._change_row(ASSIGN.id, lambda record: self.editing.assign([record], given), leads_back)

    def undo_row(self, *, leads_back: bool) -> None:
        """Undo the last change of the record under the cursor."""
        self._change_row(UNDO.id, lambda record: self.undo([record]), leads_back)

    def _change_row(self, id: str, change: Callable[[T], Flow], leads_back: bool) -> None:
        """Change the record under the cursor, whatever is selected, where the action `id` is possible.

        What `leads_back` is done for another screen, which is shown again then.
        """
        action = next(action for action in self.actions if action.id == id)
        if reason := action.blocked(self):
            self.warn(reason)
        elif self.row is not None:
            self.pane.leads_to = self.origin if leads_back else ""
            self.begin(self._and_back(change(self.row), leads_back), id, opens=True)

    async def fill_in_anew(self, id: int) -> None:
        """Open the form that creates a record anew that was deleted in this run, where that is possible."""
        await self.pages.wait()
        deleted = self.session.collections.of(self.resource).deleted[id]
        if reason := NEW.blocked(self):
            self.warn(reason)
        else:
            self.begin(self.editing.anew(deleted), NEW.id, opens=True)

    async def _and_back(self, change: Flow, leads_back: bool) -> None:
        try:
            await change
        finally:
            self.pane.leads_to = ""
        if leads_back and self.is_current:
            self.go_back_to_origin()

    # ---- the record as text ----

    def do_copy(self) -> Flow:
        return copy_from(self.records)

    def do_browse(self) -> Flow | None:
        return record_actions.open_link_of(self, self.row, self.resource.singular) if self.row else None

    def do_raw(self) -> Flow | None:
        if self.records.unreadable is not None:
            row = self.records.unreadable.row
            return record_actions.show_raw(self, row, f"Unreadable row {record_actions.AS_SENT}")
        if self.row is None:
            return None
        since = {"new": "as created here", "changed": "as changed here"}
        words = since.get(self.collection.notes.get(self.row.key, ""), record_actions.AS_SENT)
        return record_actions.show_raw(self, self.row.raw, f"{self.resource.title_of(self.row)} {words}")

    @property
    def beside(self) -> Beside[T] | None:
        """The texts that an export has beside the members of records."""
        return None

    def do_export(self) -> Flow:
        """Ask what is to be exported, and as what; the service is asked only for what is not loaded."""
        collection = self.collection
        exports = list_exports(
            self.resource.record,
            self.resource.columns,
            collection.listing,
            collection.selection.keys,
            self.session.now(),
            self.pages.missing(),
            self.beside,
        )
        return export.offer(self, self.file_stem, exports, records=collection)

    def do_import(self) -> Flow:
        """Ask for a file and send its rows."""
        return import_file(self.records)

    # ---- moving ----

    def missing_more(self) -> str | None:
        """The reason why there is nothing to open: the details show all of the record."""
        if self.row is None or not self.details.show_all:
            return None
        return f"Its row and the details show all of {self.resource.title_of(self.row)}."

    def do_open(self) -> Flow | None:
        """Most records have nothing behind them but their details: what is more than fits gets a page."""
        return None if self.row is None else self.open_details(self.row)

    def note_record(self, record: T) -> None:
        """A record of the list was opened."""
        self.note_opened(self.resource.id, record.id, self.resource.name_of(record))

    async def open_details(self, record: T) -> None:
        """Show the details on a page of their own, unless all of them are in sight."""
        self.note_record(record)
        await self.wait_for_known()
        title = self.resource.title_of(record)
        if reason := ResourceScreen.missing_more(self):
            self.say(reason)
        else:
            record_actions.show_in_full(self, title, self.lines(record, 0))

    @property
    def follows(self) -> bool:
        """Return whether its records can name others."""
        return self.resource.follows is not None

    def do_follow(self) -> Flow | None:
        """Go to what the record names."""
        named = self.resource.follows(self.row) if self.resource.follows and self.row is not None else None
        if named is None:
            self.say(f"This {self.resource.singular} has no linked record.")
            return None
        return self.services.navigation.follow(*named)

    def _way_back(self) -> tuple[str, Callable[[], object]]:
        """A step back out of what was begun last, in a word, and what does it; "" where nothing was begun."""
        form, collection = self.pane.form, self.collection
        if not self._is_whole:
            return "", self.leave_place
        if self.filtering.is_open and (self.filtering.is_typed or form is None):
            return "Cancel", self.filtering.give_up
        if form is not None:
            return "Form", form.focus_step
        if self.form_flow is not None:
            return "Cancel", self.form_flow.cancel
        if self.editing.single.queued is not None:
            return "Cancel change", self.editing.single.cancel_queued  # its flow says so
        if collection.load is not None:
            return "Stop loading", self.pages.stop_loading_all
        if collection.arrangement.filtering:
            return "Clear filter", self.filtering.clear
        if collection.selection:
            return "Deselect", collection.clear_selection
        if self.is_attached and len(self.app.screen_stack) > 1:
            return "Back", self.dismiss
        return ("Back" if self.was_led_to else ""), self.leave_place

    @property
    def has_way_back(self) -> bool:
        return bool(self._way_back()[0])

    def do_back(self) -> None:
        self._way_back()[1]()

    # ---- filter, order, selection ----

    def do_filter(self) -> Flow:
        return self.filtering.open()

    @on(Input.Changed, "#filter")
    def _filter_as_typed(self, event: Input.Changed) -> None:
        self.go_on()
        self.collection.filter(event.value)

    @on(Input.Submitted, "#filter")
    def _filter_submitted(self, event: Input.Submitted) -> None:
        self.filtering.submit(event.value)
        self.call_after_refresh(self.paint_list)  # it says now what the line has said

    @on(Form.Changed)
    def _input_changed(self) -> None:
        """Say at once in the status line that there is something that is not saved."""
        self.go_on()
        self._budget_changed()

    @on(RecordTable.HeaderClicked)
    def _sort_by_clicked(self, message: RecordTable.HeaderClicked[T]) -> None:
        self.collection.sort_by(message.column.name)
