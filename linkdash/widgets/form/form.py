"""Forms that are derived from request models and stand inline in a pane.

Each has its inputs, what is wrong with them, and the difference before it is sent.
"""

import asyncio
import enum
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import HorizontalGroup, Vertical, VerticalGroup, VerticalScroll
from textual.content import Content
from textual.keys import REPLACED_KEYS, key_to_character
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from linkdash.api.fields import COLORS, Kind
from linkdash.api.inert_text import inert
from linkdash.api.records import Body
from linkdash.model.humanize import counted
from linkdash.model.writes.draft import Draft, FieldChange, Options, Problems, choice_labels
from linkdash.widgets.form.choice_input import ChoiceInput
from linkdash.widgets.form.field_rows import FieldRow, FieldRows
from linkdash.widgets.form.inputs import swatch
from linkdash.widgets.form.moment_input import local_now
from linkdash.widgets.frame.sizes import HIGH, WIDE
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, fit_text

_FEW_FIELDS = 3
_BELOW_CHANGES = 2
"""Rows below the changes that are asked about: a note and the buttons."""


PRESSED_BY = {
    "save": "form.save",
    "send": "form.send",
    "close": "form.close",
    "back": "form.close",
    "discard": "form.discard",
}
"""The binding that does the same, by the name of the button."""


class Step(enum.StrEnum):
    """The step that the form asks for at the moment."""

    EDIT = "edit"
    REVIEW = "review"
    DISCARD = "discard"


_STEP_OF = {
    "save": Step.EDIT,
    "copy": Step.EDIT,
    "send": Step.REVIEW,
    "say_not_saved": Step.DISCARD,
    "discard": Step.DISCARD,
}
"""The step in which an action is possible."""


class Submission(NamedTuple):
    """A body to be sent, and what it changes."""

    body: Body
    changes: tuple[FieldChange, ...]
    is_to_be_sent: bool = True
    """True if it is to be sent, rather than to be copied as a command."""


class Preview(VerticalGroup):
    """Base of a widget that a form shows below its fields, or beside them where there is room."""

    is_pinned = False
    """True for a line that never scrolls out of sight."""
    has_more = False
    """True if it can be shown in a window of its own."""

    def show(self, draft: Draft) -> None:
        """Called on opening and after every edit; `draft.payload(name)` is what a code will hold."""
        raise NotImplementedError

    def show_whole(self) -> None:
        """Called for the key that shows it in a window of its own, whatever room there is here."""
        raise NotImplementedError


class FormButton(Button):
    """A button that takes every press; Textual's own is deaf for a moment after each."""

    def action_press(self) -> None:
        self.press()


class _Cost(DrawnLines):
    """The cost beside the buttons, where it has room whole."""

    def __init__(self, cost: str) -> None:
        super().__init__(classes="form-cost")
        self._cost = cost

    def lines(self, width: int, height: int) -> Lines:
        told = self._cost if cell_len(self._cost) <= width else ""
        return [[Piece(fit_text(told, width, "right"), Tone.MUTED)]]


class FormScroll(VerticalScroll, inherit_bindings=False, can_focus=False):
    """A scroll by its form's keys; the arrows are left to the inputs."""


class Form(Vertical):
    """A form for a draft; it lives until its owner removes it.

    Its owner awaits `answer`. A saved form is busy until the owner removes it, or calls `refuse` or
    `busy(False)`. Nothing that was typed is ever dropped by the form itself.
    """

    BINDINGS = [
        Binding("ctrl+s", "save", "Save", id="form.save"),
        Binding("y", "send", "Send", id="form.send"),
        Binding("ctrl+s", "send", "Send", id="form.save", show=False),
        Binding("ctrl+s", "say_not_saved", id="form.save", show=False),
        Binding("escape", "close", "Cancel", id="form.close"),
        Binding("y", "discard", "Discard", id="form.discard"),
        Binding("escape", "keep_editing", "Keep editing", id="form.close"),
        Binding("n", "keep_editing", "Keep editing", id="form.keep", show=False),
        Binding("f2", "copy", "Copy command", id="form.copy"),
        Binding("f3", "preview", "Preview", id="form.preview"),
        Binding("down", "move(1)", "Next field", id="form.next", show=False),
        Binding("up", "move(-1)", "Previous field", id="form.previous", show=False),
        Binding("pagedown", "page(1)", "Scroll down", id="form.page_down", show=False),
        Binding("pageup", "page(-1)", "Scroll up", id="form.page_up", show=False),
        Binding("tab", "go_round(1)", "Next field or button", show=False),
        Binding("shift+tab", "go_round(-1)", "Previous field or button", show=False),
    ]

    class FormMessage(Message):
        """A message of a form to its owner."""

        def __init__(self, form: "Form") -> None:
            super().__init__()
            self.form = form

        @property
        def control(self) -> "Form":
            return self.form

    class Changed(FormMessage):
        """Something was typed; `values` may be stored and given to `restore` later. It holds no secrets."""

        def __init__(self, form: "Form", values: Mapping[str, str]) -> None:
            super().__init__(form)
            self.values = values

    def __init__(
        self,
        draft: Draft,
        *,
        title: str = "",
        facts: Sequence[str] = (),
        options: Options | None = None,
        preview: Preview | None = None,
        cost: str = "",
        now: Callable[[], datetime] = local_now,
        take_back: Callable[[], bool] = lambda: False,
    ) -> None:
        """`title` says what it is for; `facts` are what no field of it is.

        `cost` is what saving costs, in words; `take_back` says whether it stopped what is being saved.
        """
        super().__init__()
        self.title = title
        to_type = (f"{item.title} is not kept: type it again" for item in draft.to_type)
        self._facts = (*to_type, *draft.fixed, *facts)
        self.draft = draft
        self.step = Step.EDIT
        self._options = options or {}
        self._rows = FieldRows(draft, self._options, now, self._take)
        self._preview = preview
        self._cost = cost
        self._take_back = take_back
        self._start = draft
        self._touched: set[str] = set()
        self._refusals: dict[str, str] = {}
        self._tried = False
        self.is_busy = False
        """True while what was filled in is being sent."""
        self._keys: dict[str | None, str] = {}
        self._named = set[Button]()
        self._answers: asyncio.Queue[Submission | None] = asyncio.Queue()
        self._last_focused: Widget | None = None
        self._changes_asked: FormScroll | None = None
        """What is to be sent, while that is asked."""
        self._question: HorizontalGroup | None = None
        """The question that is asked, with its buttons."""

    def compose(self) -> ComposeResult:
        self.set_class(self._is_boxed, "-boxed", update=False)  # before there are parts to be styled again
        with FormScroll(classes="form-body"):
            if self._facts:
                yield Static(inert(" · ".join(self._facts)), classes="form-facts", markup=False)
            yield self._rows
            if self._preview and not self._preview.is_pinned:
                if any(field.section for field in self.draft.every_field):
                    yield Static("Result", classes="form-section form-result", markup=False)
                yield self._preview
        if self._preview and self._preview.is_pinned:
            with VerticalGroup(classes="form-pinned"):
                yield self._preview
        yield Static(classes="form-note -silent", markup=False)
        with HorizontalGroup(classes="form-buttons"):
            yield FormButton("Save", name="save", variant="primary", compact=True)
            yield FormButton("Cancel", name="close", compact=True)
            yield _Cost(self._cost)

    def on_mount(self) -> None:
        self._check()
        self._focus_fields()  # at once: no key may reach the list behind it any more
        self._name_keys()

    def _name_keys(self) -> None:
        """Write on the buttons which keys press them, as the user has them, once these do something."""
        bindings = [binding for _, binding, _, _ in self.screen.active_bindings.values()]
        self._keys |= {binding.id: binding.key.replace("escape", "esc") for binding in reversed(bindings)}
        for button in set(self.query(Button)) - self._named:
            if key := self._keys.get(PRESSED_BY.get(button.name or "", "")):
                button.label = Content.assemble(str(button.label), (f" {key}", "dim"))
                self._named.add(button)

    def on_resize(self) -> None:
        self.set_class(self._is_boxed, "-boxed")
        self._limit_changes()

    def _limit_changes(self) -> None:
        """Leave room for the question below the changes."""
        if self._changes_asked is not None:
            self._changes_asked.styles.max_height = max(1, self.size.height - _BELOW_CHANGES)

    @property
    def _is_boxed(self) -> bool:
        """Return whether the terminal has room for a box around each field."""
        columns, lines = self.app.size
        return columns >= WIDE and lines >= HIGH

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys stay among the buttons of a question until it is answered, and escape leads back from it."""
        if action == "preview":
            return self._preview is not None and self._preview.has_more
        if action in _STEP_OF:
            return self.step is _STEP_OF[action]
        if action in ("close", "keep_editing"):
            return (action == "close") == (self.step is Step.EDIT or self.is_busy)
        return action != "move" or self.step is Step.EDIT

    def action_go_round(self, step: int) -> None:
        """Go from field to field and button, or from button to button of a question; never out of it."""
        stops, focused = self._stops, self.screen.focused
        at = stops.index(focused) if focused in stops else min(0, -step)
        if stops:
            self.screen.set_focus(stops[(at + step) % len(stops)])

    @property
    def _stops(self) -> list[Widget]:
        """All that takes the focus now, in order: that of places, as Textual has it, knows no new field."""
        asked = self._question or self
        return [
            widget
            for widget in asked.query(Widget)
            if widget.focusable and all(node.display for node in widget.ancestors_with_self)
        ]

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Style no part anew: they look the same when the form itself, which is busy then, has the focus."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Keep letters from acting on what lies behind while a switch or a button has the focus."""
        typed = character or key_to_character(REPLACED_KEYS.get(key, key))
        return typed is not None and typed.isprintable()

    # ---- what the owner asks ----

    async def answer(self) -> Submission | None:
        """Wait until the form is saved; None when the user is done with it and agreed to lose it."""
        return await self._answers.get()

    @property
    def is_short(self) -> bool:
        """Return whether it asks so little that it needs no height but its own."""
        has_picture = self._preview is not None and not self._preview.is_pinned
        return not has_picture and len(self.draft.every_field) <= _FEW_FIELDS

    @property
    def changed(self) -> bool:
        """Return whether anything was typed that is not saved."""
        return self.draft.differs_from(self._start)

    def storable_values(self) -> dict[str, str]:
        """Return what was typed, without secrets, for `restore` at a later time."""
        return self.draft.storable_values()

    async def restore(self, values: Mapping[str, str]) -> None:
        """Put what was typed at an earlier time over what the form began with."""
        self.draft = self._start.with_stored(values)
        await self._rows.rebuild(self.draft)
        if self.is_mounted:
            self._check()
            self._focus_fields()

    def refuse(self, message: str, field: str | None = None) -> None:
        """Show why the body was not accepted, at its field if one is named, with everything still there."""
        row = self._rows.at(field) if field else None
        self.busy(False)
        self._go_on_editing()
        self._refusals[row.field.name if row else ""] = inert(message)
        self._check()
        row.focus_input() if row else self._focus_fields()

    def busy(self, on: bool = True) -> None:
        """Show the inputs and let none be used, nor saved again, while the body is on its way."""
        if on == self.is_busy:
            return
        self.is_busy = self.can_focus = on
        if on and self.has_focus_within:
            self.screen.set_focus(self)
        for part in self.query(".form-body, .form-buttons"):
            part.disabled = on and part.display
        self._note("")
        if not on and self.has_focus:
            self.focus_step()

    def say(self, text: str) -> None:
        """Say something below the fields."""
        self._note(text)

    def say_saving(self) -> None:
        """Say that the body is being saved, and which key still stops that."""
        key = self._keys.get(PRESSED_BY["close"])
        self._note(f"Saving… {key} cancels it while it is queued." if key else "Saving…")

    # ---- editing ----

    @on(Input.Submitted)
    def _go_on(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_move(1)

    def _take(self, path: str, text: str) -> None:
        if path not in self._rows or self.draft.text(path) == text:
            return
        self.draft = self.draft.with_text(path, text)
        self._touched.add(path)
        self._refusals.pop(path, None)
        self._refusals.pop("", None)
        self._rows.ask_for(self.draft)
        self._check()
        self.post_message(self.Changed(self, self.storable_values()))

    def _check(self) -> None:
        """Say what is wrong: with what was touched as one types, with everything once saving was tried."""
        parsed = self.draft.parse()
        problems = dict(parsed.messages) if isinstance(parsed, Problems) else {}
        told = {path: text for path, text in problems.items() if self._tried or path in self._touched}
        self._rows.tell(told | self._refusals)
        rowless = (text for path, text in (told | self._refusals).items() if path not in self._rows)
        self._note(next(rowless, ""), is_error=True)
        self._show_preview()

    @on(ChoiceInput.Considered)
    def _show_preview(self) -> None:
        """Show what comes of the fields, with that of an open choice which enter would take."""
        if self._preview is None:
            return
        draft = self.draft
        for row in self._rows:
            if row.field_input.is_open:
                draft = draft.with_text(row.field.name, row.field_input.pending)
        self._preview.show(draft)

    # ---- saving and closing ----

    async def action_save(self) -> None:
        """Ask whether the changes are to be sent; what is created is sent at once."""
        if not self.is_busy and self._settled() is not None:
            await self._review(self._changes()) if self.draft.is_update else self._submit()

    def action_send(self) -> None:
        if not self.is_busy:
            self._submit()

    def action_say_not_saved(self) -> None:
        self._note(f"Nothing was saved: {self._ways_out}")

    def on_key(self, event: events.Key) -> None:
        """Say which keys answer the question, for one that does not."""
        if self.step is Step.DISCARD and event.key not in self.screen.active_bindings:
            self._note(self._ways_out)

    @property
    def _ways_out(self) -> str:
        discard, close = (self._keys.get(PRESSED_BY[name]) for name in ("discard", "back"))
        return f"{discard or 'Discard'} discards your changes, {close or 'Keep editing'} goes back to them."

    def _settled(self) -> Body | None:
        """The body as it was typed; None, and why is said, where it cannot be sent or changes nothing."""
        self._go_on_editing()
        for row in self._rows:
            self._take(row.field.name, row.field_input.settle())
        self._tried = True
        self._refusals.clear()
        self._check()
        parsed = self.draft.parse()
        if isinstance(parsed, Problems):
            self._point_out(parsed)
            return None
        if self.draft.is_update and not self._changes():
            self._note("Nothing was changed.")
            return None
        return parsed

    def action_preview(self) -> None:
        """Show the preview whole."""
        if self._preview is not None:
            self._preview.show_whole()

    def action_copy(self) -> None:
        """Ask the owner for the commands that do what saving would do."""
        if not self.is_busy and (body := self._settled()) is not None:
            self._answers.put_nowait(Submission(body, self._changes(), is_to_be_sent=False))

    async def action_close(self) -> None:
        if self.is_busy:
            if not self._take_back():
                self._note("Still saving: this stays open until there is an answer.")
            return
        if self.step is not Step.EDIT:
            self.action_keep_editing()
        elif self.changed:
            await self._ask(
                Step.DISCARD,
                Static("Discard changes?", classes="form-question", markup=False),
                FormButton("Keep editing", name="back", variant="primary", compact=True),
                FormButton("Discard", name="discard", variant="error", compact=True),
            )
        else:
            self._answers.put_nowait(None)

    def action_keep_editing(self) -> None:
        """Lead back from a question to the fields."""
        self._note("")
        self._go_on_editing()
        self._focus_fields()

    def action_discard(self) -> None:
        """Agree to lose what was typed."""
        self._answers.put_nowait(None)

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        match event.button.name:
            case "save":
                await self.action_save()
            case "send":
                self.action_send()
            case "discard":
                self.action_discard()
            case _:
                await self.action_close()

    def _point_out(self, problems: Problems) -> None:
        faulted = [row for row in self._rows if row.field.name in problems.messages]
        if faulted:
            self._note(f"✗ Fix {counted(len(faulted), 'field')}", is_error=True)
            faulted[0].focus_input()

    def _changes(self) -> tuple[FieldChange, ...]:
        labels = {resource: choice_labels(records) for resource, records in self._options.items()}
        return self.draft.changes(labels)

    async def _review(self, changes: Sequence[FieldChange]) -> None:
        colors = {field.title for field in self.draft.fields if field.kind in COLORS}
        told = Static(difference(changes, colors), classes="form-changes", markup=False)
        is_final = any(change.before is None for change in changes)
        question = "Send without undo?" if is_final else "Send these changes?"
        await self._ask(
            Step.REVIEW,
            Static(question, classes="form-question", markup=False),
            FormButton("Send", name="send", variant="primary", compact=True),
            FormButton("Keep editing", name="back", compact=True),
            about=FormScroll(told, classes="form-review"),
        )

    def _submit(self) -> None:
        body = self.draft.parse()
        if isinstance(body, Body):
            self._answers.put_nowait(Submission(body, self._changes()))
            self.busy()

    # ---- focus and what is seen ----

    def action_move(self, step: int) -> None:
        self.action_go_round(step)

    def action_page(self, step: int) -> None:
        scroll = self._changes_asked or self.query_one(".form-body", FormScroll)
        scroll.scroll_page_down() if step > 0 else scroll.scroll_page_up()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        row = next((node for node in event.widget.ancestors if isinstance(node, FieldRow)), None)
        if row is not None:
            if self.step is Step.DISCARD:  # who clicks a field goes on with it
                self._note("")
                self._go_on_editing()
            self._last_focused = event.widget
            row.call_after_refresh(row.scroll_visible, animate=False)

    async def _ask(self, step: Step, *parts: Widget, about: FormScroll | None = None) -> None:
        """Ask a question in the place of the buttons; what it is `about` stands in that of the fields."""
        self._go_on_editing()
        self.step = step
        self._show_fields(about is None, has_buttons=False)
        self._question, self._changes_asked = HorizontalGroup(*parts, classes="form-buttons -question"), about
        if about is not None:
            self._limit_changes()
            await self.mount(about, before=self.query_one(".form-note"))
        await self.mount(self._question)
        self.focus_step()
        self.refresh_bindings()

    def _go_on_editing(self) -> None:
        """Take the question away, if one is asked."""
        self.step = Step.EDIT
        for part in (self._changes_asked, self._question):
            if part is not None and part.is_attached:
                part.remove()
        self._question = self._changes_asked = None
        self._show_fields(True, has_buttons=True)
        self.refresh_bindings()

    def _show_fields(self, are_shown: bool, *, has_buttons: bool) -> None:
        for part in self.query(".form-body, .form-pinned"):
            part.display = are_shown
        self.query_one(".form-buttons").display = has_buttons

    def focus_step(self) -> None:
        """Put the focus where the step wants it: the first button of a question, else the last input."""
        if self._question is None:
            self._focus_fields()
        else:
            self.screen.set_focus(self._question.query(Button).first())
            self._name_keys()

    def _focus_fields(self) -> None:
        if self._last_focused is not None and self._last_focused in self.screen.focus_chain:
            self.screen.set_focus(self._last_focused)
        elif row := self._first_row():
            row.focus_input()

    def _first_row(self) -> FieldRow | None:
        """The first row; where a new record has values already, the first required one that is empty.

        Of a content that is known but for its secrets, these. No other secret is gone to: who types the whole
        form in one go would have the secret itself in a field that can be read.
        """
        if self.draft.to_type:
            return self._rows.at(self.draft.to_type[0].name)
        texts, defaults, rows = self.draft.text, self.draft.defaults, [*self._rows]
        begun = any(texts(row.field.name) not in ("", defaults.get(row.field.name)) for row in rows)
        empty = [row for row in rows if row.field.required and not texts(row.field.name)]
        empty = [] if empty and empty[0].field.kind is Kind.SECRET else empty
        return next(iter(empty if begun and empty and not self.draft.is_update else rows), None)

    def _note(self, text: str, *, is_error: bool = False) -> None:
        note = self.query_one(".form-note", Static)
        note.update(text)
        note.update_classes({"-error": is_error, "-silent": not text})


def difference(changes: Sequence[FieldChange], colors: Collection[str] = ()) -> Text:
    """The changes as lines `title: before → after`, inert; with a swatch before those that `colors` names."""
    return Text("\n").join(_line(change, has_swatches=change.title in colors) for change in changes)


def _line(change: FieldChange, *, has_swatches: bool) -> Text:
    old, new = change.words
    swatches = [(swatch(text), " ") if has_swatches else () for text in (old, new)]
    title = (f"{change.title}: ", "bold")
    return Text.assemble(title, *swatches[0], old, " → ", *swatches[1], (new, "bold"))
