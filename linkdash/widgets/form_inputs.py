"""One input for each kind of field, and what they are built from."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import HorizontalGroup
from textual.events import DescendantBlur
from textual.geometry import Region
from textual.message import Message
from textual.reactive import var
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList, Static, Switch, TextArea
from textual.widgets.option_list import Option

from linkdash.api.fields import Field, Kind, completed_url, read_color, read_moment, write_moment
from linkdash.api.text import inert
from linkdash.model.forms import OFF, ON, Options, flag_word
from linkdash.model.humanize import months_later
from linkdash.widgets import guards
from linkdash.widgets.inputs import StillInput

# ---- what inputs are built from ----


class FieldInput(HorizontalGroup):
    """The input of one field. Its text is what the draft holds, whatever the widgets inside make of it."""

    is_open = var(False, bindings=True)
    """Whether something of it, such as a list to choose from, lies over what stands below it."""

    def __init__(self, field: Field, text: str) -> None:
        super().__init__()
        self.field = field
        self.hint = ""
        """What to know about this input, shown with the field's help."""
        self.edited: Callable[[str, str], None] = _ignore
        """Called with the path and the text that a person changed; the form's rows put themselves here.

        A call and no message: what a choice makes appear is there before the next key is read.
        """
        self._text = text

    @property
    def text(self) -> str:
        """What was typed or chosen."""
        return self._text

    def settle(self) -> str:
        """Ends what is half done, such as a choice from an open list, and returns the text."""
        return self._text

    def take(self, text: str) -> None:
        """Makes `text` the field's text and tells the form, if it is another one."""
        if text != self._text:
            self._text = text
            self.edited(self.field.name, text)


def _ignore(_path: str, _text: str) -> None:
    """What an input does that belongs to no form."""


def one_line(text: str) -> str:
    """Pasted text for an input of one line: every line of it, with nothing a terminal could act on."""
    lines = (line.strip() for line in text.replace("\t", " ").splitlines())
    return inert(" ".join(line for line in lines if line))


def several_lines(text: str) -> str:
    """Pasted text for an input of several lines, with nothing a terminal could act on."""
    return "\n".join(inert(line) for line in text.splitlines())


_TAB = ("tab", "shift+tab")
_LEADS_ON_WITHIN = 0.2  # seconds


class TypedAhead:
    """What comes in one go with a tab goes where that leads, once that is known."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._keys: list[events.Key] | None = None
        """Those after a tab that is on its way."""
        self._patience: Timer | None = None

    def keeps(self, event: events.Event) -> bool:
        """Whether an event is a key for another widget; it is kept until that has the focus."""
        if not isinstance(event, events.Key):
            return False
        if self._keys is not None:
            self._keys.append(event)
            return True
        if event.key in _TAB:
            self._keys = []
            self._patience = self._widget.set_timer(_LEADS_ON_WITHIN, self.go_on)
        return False

    def go_on(self) -> None:
        """Hands on what was kept: the tab has led somewhere, or nowhere."""
        if self._patience is not None:
            self._patience.stop()
        keys, self._keys = self._keys or (), None
        for key in keys if self._widget.is_attached else ():
            (self._widget.screen.focused or self._widget).post_message(key)


class Line(StillInput):
    """An input one line high. What is typed replaces what is in it only where that is `replaced`."""

    def __init__(
        self, text: str, *, placeholder: str = "", password: bool = False, replaced: bool = False
    ) -> None:
        super().__init__(
            text, placeholder=inert(placeholder), password=password, compact=True, select_on_focus=replaced
        )
        self._ahead = TypedAhead(self)

    async def on_event(self, event: events.Event) -> None:
        if not self._ahead.keeps(event):
            await super().on_event(event)

    def on_blur(self) -> None:
        self._ahead.go_on()

    def on_paste(self, event: events.Paste) -> None:
        event.text = one_line(event.text)

    def action_paste(self) -> None:
        self.replace(one_line(self.app.clipboard), *self.selection)


class Lines(TextArea):
    """An input of several lines, which tab leaves."""

    def __init__(self, text: str, *, placeholder: str = "") -> None:
        super().__init__(text, placeholder=inert(placeholder), compact=True, highlight_cursor_line=False)
        self.cursor_blink = False
        self._ahead = TypedAhead(self)

    async def on_event(self, event: events.Event) -> None:
        if not self._ahead.keeps(event):
            await super().on_event(event)

    def on_blur(self) -> None:
        self._ahead.go_on()

    def on_paste(self, event: events.Paste) -> None:
        event.text = several_lines(event.text)

    def render_lines(self, crop: Region) -> list[Strip]:
        return super().render_lines(crop) if self.parent is not None else guards.blank(crop)


class Shortcut(Button):
    """A small button that leaves the focus where it is."""

    can_focus = False

    def __init__(self, label: str, name: str) -> None:
        super().__init__(label, name=name, compact=True)


# ---- choices ----

MOST_SHOWN = 50
"""Options in the open list; what it leaves out is counted below them."""


class Choice(NamedTuple):
    """Something to choose: the text it stands for, and what a person sees."""

    value: str
    label: str


def matching(options: Sequence[Choice], typed: str) -> list[Choice]:
    """The options whose label or value holds every word typed; those that begin with it come first."""
    typed = typed.strip().casefold()
    words = typed.split()
    found = [option for option in options if all(word in " ".join(option).casefold() for word in words)]
    return sorted(found, key=lambda option: not option.label.casefold().startswith(typed))


class ChoiceInput(FieldInput):
    """An input with a list below it, open while a person chooses.

    Typing narrows the list; enter, tab or a click takes the highlighted option, escape takes none.
    """

    BINDINGS = [
        Binding("down", "move(1)", "Next choice", show=False),
        Binding("up", "move(-1)", "Previous choice", show=False),
        Binding("tab", "leave", "Take the choice and go on", show=False),
        Binding("escape", "dismiss", "Close the list"),
    ]

    def __init__(self, field: Field, text: str, options: Sequence[Choice], default: str) -> None:
        super().__init__(field, text)
        self.hint = "type to search, down for the list"
        self._options = options
        self._default = default
        self._shown: list[Choice] = []

    def compose(self) -> ComposeResult:
        with HorizontalGroup(classes="choice-line"):
            yield self._line()
            yield Static("▾", classes="choice-arrow", markup=False)
        choices = OptionList(classes="choice-list", markup=False, compact=True)
        choices.can_focus = False
        yield choices

    def _line(self) -> Line:
        return Line(self._label(self.text), placeholder=self._default or "choose", replaced=True)

    # ---- opening, narrowing, moving ----

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._label(self.text):
            self._open(event.value)
            self.query_one(OptionList).highlighted = 0 if self._shown and event.value.strip() else None

    def action_move(self, step: int) -> None:
        choices = self.query_one(OptionList)
        if self.is_open:
            choices.action_cursor_down() if step > 0 else choices.action_cursor_up()
        elif step > 0:
            self._open("")
            values = [option.value for option in self._shown]
            choices.highlighted = values.index(self.text) if self.text in values else 0
        else:
            raise SkipAction

    @on(events.Click, ".choice-line *")
    def _clicked(self) -> None:
        if not self.is_open:
            self.action_move(1)

    def _open(self, typed: str) -> None:
        found = matching(self._options, typed)
        self._shown = found[:MOST_SHOWN]
        rows = [Option(Text(inert(option.label), no_wrap=True)) for option in self._shown]
        if len(found) > MOST_SHOWN:
            rows.append(Option(f"{len(found) - MOST_SHOWN} more: type to narrow", disabled=True))
        if not found:
            rows.append(Option("nothing fits", disabled=True))
        self.query_one(OptionList).set_options(rows)
        self.is_open = True

    # ---- choosing ----

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if self.is_open:
            event.stop()
            self.settle()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._close(self._shown[event.option_index].value)
        self.query_one(Line).focus()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()

    @on(Input.Blurred)
    def _left(self, event: Input.Blurred) -> None:
        event.stop()
        if self.is_attached:
            self.settle()

    def action_leave(self) -> None:
        self.settle()
        raise SkipAction

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is the form's while there is no list to close."""
        return action != "dismiss" or self.is_open

    def action_dismiss(self) -> None:
        self._close(self.text)

    def settle(self) -> str:
        """Takes the highlighted option; without one, what stands in the input, which may be no option."""
        if self.is_open:
            highlighted = self.query_one(OptionList).highlighted
            if highlighted is not None and highlighted < len(self._shown):
                self._close(self._shown[highlighted].value)
            else:
                self._close(self._value(self.query_one(Line).value))
        return self.text

    def _close(self, value: str) -> None:
        self.is_open = False
        line = self.query_one(Line)
        self.take(value)
        line.value = self._label(value)
        line.cursor_position = len(line.value)

    def _label(self, value: str) -> str:
        return next((inert(option.label) for option in self._options if option.value == value), value)

    def _value(self, typed: str) -> str:
        typed = typed.strip()
        labels = {inert(option.label).casefold(): option.value for option in self._options}
        return labels.get(typed.casefold(), typed)


class SeveralInput(ChoiceInput):
    """Several of a list, with commas between them; what is typed last narrows the list, or is an id."""

    def __init__(self, field: Field, text: str, options: Sequence[Choice]) -> None:
        super().__init__(field, text, options, "")
        self.hint = "names or ids, with commas between them"

    def _line(self) -> Line:
        return Line(self.text, placeholder="a name or an id")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        event.prevent_default()
        if event.value == self.text:
            return
        self.take(event.value)
        last = _last(event.value)
        if any(letter.isalpha() for letter in last) and ":" not in last and matching(self._options, last):
            self._open(last)
            self.query_one(OptionList).highlighted = 0
        else:
            self.is_open = False

    def settle(self) -> str:
        """Takes the highlighted option after those that are there already."""
        if self.is_open:
            highlighted = self.query_one(OptionList).highlighted
            self._close(self._shown[highlighted].value if highlighted is not None and self._shown else "")
        return self.text

    def action_dismiss(self) -> None:
        self.is_open = False

    def _close(self, value: str) -> None:
        self.is_open = False
        line = self.query_one(Line)
        if value:
            before = line.value.removesuffix(_last(line.value)).rstrip()
            self.take(f"{before} {value}, ".lstrip())
            line.value = self.text
            line.cursor_position = len(line.value)


def _last(text: str) -> str:
    """What stands after the last comma."""
    return text.rpartition(",")[2].lstrip()


# ---- an input for each kind ----


class LineInput(FieldInput):
    """A text of one line, a number, an e-mail address."""

    def __init__(self, field: Field, text: str, default: str = "") -> None:
        super().__init__(field, text)
        self._default = default

    def compose(self) -> ComposeResult:
        yield Line(self.text, placeholder=self._default)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.take(event.value)


class LinkInput(LineInput):
    """A web address; one that only lacks its scheme gets it when the input is left."""

    @on(Input.Blurred)
    def _left(self, event: Input.Blurred) -> None:
        event.stop()
        if self.is_attached:
            self.settle()

    def settle(self) -> str:
        whole = completed_url(self.text)
        if whole != self.text:
            self.query_one(Line).value = whole
            self.take(whole)
        return self.text


class LongTextInput(FieldInput):
    """A text of several lines."""

    def compose(self) -> ComposeResult:
        yield Lines(self.text)

    @on(TextArea.Changed)
    def _typed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.take(event.text_area.text)


class SecretInput(LineInput):
    """A text that is hidden, unless it is asked for, and hidden again when the input is left."""

    BINDINGS = [Binding("f2", "reveal", "Show the secret", id="form.reveal")]

    def compose(self) -> ComposeResult:
        yield Line(self.text, password=True)
        yield Shortcut("show", name="reveal")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_reveal()

    def action_reveal(self) -> None:
        line = self.query_one(Line)
        self._hide(not line.password)

    def on_descendant_blur(self, _event: DescendantBlur) -> None:
        self._hide(True)

    def _hide(self, hidden: bool) -> None:
        self.query_one(Line).password = hidden
        self.query_one(Button).label = "show" if hidden else "hide"


class FlagInput(FieldInput):
    """A switch with its state in words, which reads without color."""

    def __init__(self, field: Field, text: str, default: str = "") -> None:
        super().__init__(field, text)
        self._start = text or default

    def compose(self) -> ComposeResult:
        yield Switch(self._start == ON, animate=False)
        yield Static(flag_word(self._start), classes="flag-word", markup=False)

    @on(Switch.Changed)
    def _switched(self, event: Switch.Changed) -> None:
        event.stop()
        text = ON if event.value else OFF
        self.query_one(".flag-word", Static).update(flag_word(text))
        self.take(text)


class ColorInput(FieldInput):
    """A color in either spelling beside a swatch of it."""

    def __init__(self, field: Field, text: str, default: str = "") -> None:
        super().__init__(field, text)
        self._default = default

    def compose(self) -> ComposeResult:
        yield Static(swatch(self.text or self._default), classes="swatch", markup=False)
        yield Line(self.text, placeholder=self._default or "#rrggbb")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(".swatch", Static).update(swatch(event.value or self._default))
        self.take(event.value)


def swatch(text: str) -> Text:
    """Four cells of the color; dots where there is none."""
    try:
        color = Color.from_rgb(*read_color(text))
    except ValueError:
        return Text("····")
    return Text("    ", style=Style(bgcolor=color))


def input_for(
    field: Field, text: str, *, default: str, options: Options, now: Callable[[], datetime]
) -> FieldInput:
    """The input for a field of any kind, holding `text`; `default` is what holds where nothing is typed."""
    match field.kind:
        case Kind.CHOICE:
            choices = [Choice(choice, str(field.labels.of(choice))) for choice in field.choices]
            return ChoiceInput(field, text, choices, default)
        case Kind.REFERENCE:
            return _reference_input(field, text, options)
        case Kind.FLAG:
            return FlagInput(field, text, default)
        case Kind.LINK:
            return LinkInput(field, text, default)
        case Kind.LONG_TEXT:
            return LongTextInput(field, text)
        case Kind.SECRET:
            return SecretInput(field, text)
        case Kind.HEX_COLOR | Kind.RGB_COLOR:
            return ColorInput(field, text, default)
        case Kind.MOMENT:
            return MomentInput(field, text, now)
        case _:
            return LineInput(field, text, default)


def _reference_input(field: Field, text: str, options: Options) -> FieldInput:
    """A choice by name from the records that are loaded; without any, the number is typed."""
    resource = field.reference or ""
    records = options.get(resource, ())
    if records:
        named = [Choice(str(number), f"{label} · {number}") for number, label in records]
        return SeveralInput(field, text, named) if field.several else ChoiceInput(field, text, named, "")
    line = LineInput(field, text)
    if field.several:
        return line
    line.hint = f"no {resource} are loaded: type the number"
    return line


MONTHS_OF_KEY = {"m": 1, "y": 12}
"""Letters have no place in a moment, so they can be keys in its input."""


def local_now() -> datetime:
    """This moment by the clock on the wall, to the minute and without a zone."""
    return datetime.now().astimezone().replace(second=0, microsecond=0, tzinfo=None)


class MomentLine(Line):
    """A line in which the letters of `MONTHS_OF_KEY` are shortcuts."""

    class Later(Message):
        """A shortcut was pressed."""

        def __init__(self, months: int) -> None:
            super().__init__()
            self.months = months

    def on_key(self, event: events.Key) -> None:
        if event.character in MONTHS_OF_KEY:
            event.stop()
            event.prevent_default()
            self.post_message(self.Later(MONTHS_OF_KEY[event.character]))


class MomentInput(LineInput):
    """A date and time as the service writes it. A shortcut counts from the moment typed, else from now."""

    def __init__(self, field: Field, text: str, now: Callable[[], datetime]) -> None:
        super().__init__(field, text)
        self.hint = "m adds a month, y a year"
        self._now = now

    def compose(self) -> ComposeResult:
        yield MomentLine(self.text, placeholder="YYYY-MM-DD HH:MM:SS")
        yield Shortcut("+month", name="m")
        yield Shortcut("+year", name="y")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self._add(MONTHS_OF_KEY[event.button.name or ""])

    @on(MomentLine.Later)
    def _key(self, event: MomentLine.Later) -> None:
        event.stop()
        self._add(event.months)

    def _add(self, months: int) -> None:
        line = self.query_one(Line)
        try:
            line.value = write_moment(months_later(self._start(), months))
        except OverflowError:
            self.app.bell()
        line.cursor_position = len(line.value)

    def _start(self) -> datetime:
        try:
            return read_moment(self.text) or self._now()
        except ValueError:
            return self._now()
