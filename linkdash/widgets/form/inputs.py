"""One input for each kind of field."""

from calendar import monthrange
from collections.abc import Callable
from datetime import MAXYEAR, datetime

from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.events import DescendantBlur
from textual.message import Message
from textual.widgets import Button, Input, Static, Switch, TextArea

from linkdash.api.fields import Field, Kind, completed_url, read_color, read_moment, write_moment
from linkdash.model.forms import OFF, ON, Options, flag_word
from linkdash.widgets.form.choice import Choice, ChoiceInput, SeveralInput
from linkdash.widgets.form.fields import FieldInput, Line, Lines, Shortcut


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


class SecretInput(FieldInput):
    """A text that is hidden, unless it is asked for, and hidden again when the input is left."""

    BINDINGS = [Binding("f2", "reveal", "Show the secret", id="form.reveal")]

    def compose(self) -> ComposeResult:
        yield Line(self.text, password=True)
        yield Shortcut("show", name="reveal")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.take(event.value)

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


def months_later(moment: datetime, months: int) -> datetime:
    """The same day `months` later, or the last of a month that is too short. Raises OverflowError."""
    years, month = divmod(moment.month - 1 + months, 12)
    year = moment.year + years
    if year > MAXYEAR:
        raise OverflowError("after the last year there is")
    day = min(moment.day, monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)


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


class MomentInput(FieldInput):
    """A date and time as the service writes it. A shortcut counts from the moment typed, else from now."""

    def __init__(self, field: Field, text: str, now: Callable[[], datetime]) -> None:
        super().__init__(field, text)
        self.hint = "m adds a month, y a year"
        self._now = now

    def compose(self) -> ComposeResult:
        yield MomentLine(self.text, placeholder="YYYY-MM-DD HH:MM:SS")
        yield Shortcut("+month", name="m")
        yield Shortcut("+year", name="y")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.take(event.value)

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
