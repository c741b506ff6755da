"""The pane beside a table: details, or a form whose draft is kept."""

from collections.abc import Callable, Sequence
from datetime import datetime

from textual import on
from textual.app import ComposeResult
from textual.geometry import Size
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import Worker

from linkdash.model.session import Session
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.filter_line import FilterHelp
from linkdash.widgets.form.form import Form
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone

# ---- the pane ----

_DETAILS = "Details"

DRAFT_DELAY = 0.8
"""Seconds after the first unsaved key at which what was typed is kept."""


class Pane(Panel):
    """The pane of details, or of a form whose draft is kept under a name until it is saved or discarded."""

    def __init__(self, session: Session, show: Callable[[], None]) -> None:
        """`show` shows the record anew in another size."""
        super().__init__(title=_DETAILS, id="pane")
        self._record = Details(id="details")
        self._session = session
        self._show = show
        self._shown_in = Size(0, 0)
        self._draft_name = ""
        self._record_name, self._record_note = _DETAILS, ""
        self._timer: Timer | None = None
        self.form: Form | None = None
        """The form that is open."""
        self.flow: Worker[object] | None = None
        """The flow that opened the last form, or is about to open one."""
        self.leads_to = ""
        """The place that is shown again once the form is done with; "" for the one where it is."""

    def compose(self) -> ComposeResult:
        yield self._record
        yield FilterHelp()

    def on_mount(self) -> None:
        self.query_one(FilterHelp).display = False

    def on_resize(self) -> None:
        super().on_resize()
        if self.size != self._shown_in:
            self._shown_in = self.size
            if self.form is None:
                self._show()

    # ---- the record ----

    def call(self, name: str = "", note: str = "") -> None:
        """Say in the frame what the record is called and what is to be known of it, unless it shows more."""
        self._record_name, self._record_note = name or _DETAILS, note
        if self.form is None and not self.query_one(FilterHelp).display:
            self._say_record()

    def _say_record(self) -> None:
        self.say(self._record_name, above=[Piece(self._record_note, Tone.MUTED)] if self._record_note else ())

    def call_by(self, title: str, lines: Sequence[DetailLine], note: str) -> Sequence[DetailLine]:
        """Say the line with this title in the frame, and return the other ones."""
        name = next((line for line in lines if line.title == title), None)
        self.call(name.text if name is not None else "", note)
        return [line for line in lines if line is not name]

    # ---- help for the filter ----

    def show_help(self, examples: Sequence[tuple[str, str]]) -> None:
        """Show what can be typed into a filter, in the place of the record; never over a form."""
        if self.form is None:
            self.query_one(FilterHelp).show(examples)
            self._show_help(True)

    def hide_help(self) -> None:
        """Show the record again."""
        if self.form is None:
            self._show_help(False)

    def _show_help(self, is_shown: bool) -> None:
        self.query_one(FilterHelp).display = is_shown
        self._show_record(not is_shown)
        self.set_class(is_shown, "-helping", update=False)
        self.app.stylesheet.apply(self)  # what is in it looks the same and is not styled again
        if is_shown:
            self.say("Filter", above=())
        else:
            self._say_record()

    # ---- a form ----

    async def open_form(self, form: Form, draft_name: str) -> datetime | None:
        """Show a form, with what was kept of it put back; the moment of that, if anything was."""
        kept = await self._session.draft(draft_name)
        if kept is not None:
            await form.restore(kept.values)
        self._draft_name = draft_name
        with self.app.batch_update():  # laid out and painted once, when all of it is there
            self._show_record(False)
            self.query_one(FilterHelp).display = False
            self.form = form
            self._give_room(is_editing=True, is_short=form.is_short)
            self._say_form()
            await self.mount(form)
        return kept.at if kept is not None else None

    def _say_form(self) -> None:
        """Say in the frame what the form is for."""
        if self.form is not None:
            then = [Piece(f"then back to {self.leads_to}", Tone.MUTED)] if self.leads_to else ()
            self.say(self.form.title, above=(), below=then)

    async def close_form(self, *, keep_draft: bool) -> None:
        """Take the form away; without `keep_draft`, what was typed into it is forgotten."""
        form, self.form = self.form, None  # from here on nothing of it is kept any more
        if form is None:
            return
        self._stop_timer()
        if not keep_draft:
            await self._discard()
        with self.app.batch_update():
            await form.remove()
            self.say(below=())
            _ = self.displayed_children  # until it is asked for again, Textual keeps the list with the form
            self._say_record()
            self._give_room(is_editing=False, is_short=False)
            self._show_record(True)

    def _give_room(self, *, is_editing: bool, is_short: bool) -> None:
        """Share the room with the table as a form needs it; what is in both looks the same."""
        work = self.parent
        if isinstance(work, Widget):
            work.set_class(is_editing, "-editing", update=False)
            work.set_class(is_short, "-short", update=False)
            for part in (work, *work.children):
                self.app.stylesheet.apply(part)

    def _show_record(self, is_shown: bool) -> None:
        """Show what is known of the record, or nothing of it."""
        self._record.display = is_shown

    async def keep(self) -> None:
        """Keep what was typed so far; nothing, where it is what the form began with."""
        self._stop_timer()
        if self.form is None:
            return
        values = self.form.storable_values() if self.form.changed else {}
        if values:
            drafts, now = self._session.store.drafts, self._session.moment()
            await self._session.kept(drafts.save(self._draft_name, values, now), None)
        else:
            await self._discard()

    async def _discard(self) -> None:
        await self._session.kept(self._session.store.drafts.discard(self._draft_name), None)

    @on(Form.Changed)
    def _keep_soon(self, event: Form.Changed) -> None:
        if event.form is self.form and self._timer is None:
            self._timer = self.set_timer(DRAFT_DELAY, self.keep)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
