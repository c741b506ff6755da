"""Inputs that offer what can be chosen."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text
from textual import events, on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from linkdash.api.fields import Field
from linkdash.api.folded_text import folded
from linkdash.api.inert_text import inert, marked
from linkdash.widgets.form.field_input import FieldInput, LineEdit
from linkdash.widgets.styled_text import Piece, Tone, content

_SUGGESTED = "-suggested"
MOST_SHOWN = 50
"""Options in the open list; what it leaves out is counted below them."""


class InputChoice(NamedTuple):
    """Something to choose: the text it stands for, and what the user sees."""

    value: str
    label: str


def matching(options: Sequence[InputChoice], typed: str) -> list[InputChoice]:
    """The options whose label holds every word typed, else the one whose value it is.

    Those that begin with it come first.
    """
    typed = folded(typed.strip())
    words = typed.split()
    by_label = [option for option in options if all(word in folded(option.label) for word in words)]
    found = by_label or [option for option in options if folded(option.value) == typed]
    return sorted(found, key=lambda option: not folded(option.label).startswith(typed))


class ChoiceList(OptionList, can_focus=False):
    """The options, over what stands below the input."""

    class LaidOut(Message):
        """It has another place or size."""

    @on(events.Show)
    @on(events.Resize)
    def _tell(self) -> None:
        self.post_message(self.LaidOut())


class ChoiceLine(LineEdit):
    """The line above the list; the key that takes what is highlighted there is told while something is."""

    BINDINGS = [Binding("enter", "choose", "Choose"), Binding("enter", "submit", show=False)]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "choose" or self.query_ancestor(ChoiceInput).has_highlighted

    async def action_choose(self) -> None:
        await self.action_submit()


class ChoiceInput(FieldInput):
    """An input with a list below it, open while the user chooses.

    Typing replaces what is chosen, narrows the list, and suggests the first that fits; the first press of
    down goes to that. Enter and tab take the highlighted option and go on, a click takes one, escape none.
    """

    BINDINGS = [
        Binding("down", "move(1)", "Next choice", show=False),
        Binding("up", "move(-1)", "Previous choice", show=False),
        Binding("tab", "leave", "Choose and continue", show=False),
        Binding("escape", "dismiss", "Close the list"),
    ]

    class Considered(Message):
        """Another option is highlighted, or the list is closed: `pending` may be another now."""

    def __init__(self, field: Field, text: str, options: Sequence[InputChoice], default: str) -> None:
        super().__init__(field, text)
        self.hint = "type to search, down for the list"
        self._options = options
        self._default = default
        self._shown: list[InputChoice] = []
        self._list = ChoiceList(classes="choice-list", markup=False, compact=True)
        """The open list; it has a place among the widgets once it was opened."""

    def compose(self) -> ComposeResult:
        yield self._line()

    def render(self) -> Content:
        """Draw the arrow beside the line."""
        return content([Piece("▾", Tone.MUTED)]).pad_left(max(0, self.size.width - 1))

    def _line(self) -> LineEdit:
        return ChoiceLine(self._label(self.text), placeholder=self._default or "choose", replaced=True)

    # ---- opening, narrowing, moving ----

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_open or event.value != self._label(self.text):
            self._open(event.value)
            self._suggest(bool(self._shown and event.value.strip()))
            self.post_message(self.Considered())

    def _suggest(self, is_wanted: bool) -> None:
        """Highlight the first option as what enter and tab would take, or none."""
        self._list.highlighted = 0 if is_wanted else None
        self._list.set_class(is_wanted, _SUGGESTED)
        self.refresh_bindings()

    def action_move(self, step: int) -> None:
        choices = self._list
        is_suggested = choices.has_class(_SUGGESTED)
        choices.remove_class(_SUGGESTED)
        if self.is_open and is_suggested and step > 0:
            return
        if self.is_open:
            choices.action_cursor_down() if step > 0 else choices.action_cursor_up()
        elif step > 0:
            self._open("")
            values = [option.value for option in self._shown]
            choices.highlighted = values.index(self.text) if self.text in values else 0
            self.post_message(self.Considered())
        else:
            raise SkipAction

    @on(events.Click)
    def _clicked(self, event: events.Click) -> None:
        if not self.is_open and event.widget is not self._list:
            self.action_move(1)

    def _open(self, typed: str) -> None:
        found = matching(self._options, typed)
        self._shown = found[:MOST_SHOWN]
        rows = [Option(Text(inert(option.label), no_wrap=True)) for option in self._shown]
        if len(found) > MOST_SHOWN:
            rows.append(Option(f"{len(found) - MOST_SHOWN} more: type to narrow", disabled=True))
        if not found:
            rows.append(Option("no match", disabled=True))
        self._list.set_options(rows)
        if not self._list.is_attached:
            self.mount(self._list)
        self.is_open = True

    # ---- choosing ----

    @property
    def has_highlighted(self) -> bool:
        """Return whether there is an option to be taken."""
        return self.is_open and self._list.highlighted is not None

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        """Take what is highlighted; the form goes on to the next field, as after every enter."""
        self.settle()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._close(self._shown[event.option_index].value)
        self.query_one(LineEdit).focus()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.refresh_bindings()
        self.post_message(self.Considered())

    @on(Input.Blurred)
    def _left(self, event: Input.Blurred) -> None:
        event.stop()
        if self.is_attached:
            self.settle()

    async def action_leave(self) -> None:
        """Take what is highlighted and go on as enter does: a field that it makes appear is the next."""
        if not self.is_open:
            raise SkipAction
        await self.query_one(LineEdit).action_submit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is the form's while there is no list to close."""
        return action != "dismiss" or self.is_open

    def action_dismiss(self) -> None:
        self._close(self.text)

    @property
    def pending(self) -> str:
        """The highlighted option; without one, what stands in the input, which may be no option."""
        if not self.is_open:
            return self.text
        highlighted = self._list.highlighted
        if highlighted is not None and highlighted < len(self._shown):
            return self._shown[highlighted].value
        return self._value(self.query_one(LineEdit).value)

    def settle(self) -> str:
        """Take what is pending."""
        if self.is_open:
            self._close(self.pending)
        return self.text

    def _close(self, value: str) -> None:
        self.is_open = False
        self.post_message(self.Considered())
        line = self.query_one(LineEdit)
        self.take(value)
        line.value = self._label(value)
        line.select_all()

    def _label(self, value: str) -> str:
        return next((inert(option.label) for option in self._options if option.value == value), marked(value))

    def _value(self, typed: str) -> str:
        if typed == self._label(self.text):
            return self.text
        typed = typed.strip()
        labels = {folded(inert(option.label)): option.value for option in self._options}
        return labels.get(folded(typed), typed)


class SeveralInput(ChoiceInput):
    """Several of a list, with commas between them; what is typed last narrows the list, or is an id."""

    def __init__(self, field: Field, text: str, options: Sequence[InputChoice]) -> None:
        super().__init__(field, text, options, "")
        self.hint = "separated by commas"

    def _line(self) -> LineEdit:
        return ChoiceLine(self.shown, placeholder="a name or an id")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        event.prevent_default()
        if event.value == self.shown:
            return
        self.take_shown(event.value)
        last = _last(event.value)
        if any(letter.isalpha() for letter in last) and ":" not in last and matching(self._options, last):
            self._open(last)
            self._suggest(True)
        else:
            self.is_open = False

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        """Stay for another one after one was taken."""
        event.prevent_default()
        if self.is_open:
            event.stop()
            self.settle()

    async def action_leave(self) -> None:
        self.settle()
        raise SkipAction

    @property
    def pending(self) -> str:
        return self.text  # an option goes after those that are there

    def settle(self) -> str:
        """Take the highlighted option after those that are there already."""
        if self.is_open:
            highlighted = self._list.highlighted
            self._close(self._shown[highlighted].value if highlighted is not None and self._shown else "")
        return self.text

    def action_dismiss(self) -> None:
        self.is_open = False

    def _close(self, value: str) -> None:
        self.is_open = False
        line = self.query_one(LineEdit)
        if value:
            before = line.value.removesuffix(_last(line.value)).rstrip()
            self.take_shown(f"{before} {value}, ".lstrip())
            line.value = self.shown
            line.cursor_position = len(line.value)


def _last(text: str) -> str:
    """Return what stands after the last comma."""
    return text.rpartition(",")[2].lstrip()
