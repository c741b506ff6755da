"""The input for each kind of field, among them those for flags and colors."""

from collections.abc import Callable
from datetime import datetime

from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static, Switch

from linkdash.api.fields import Field, Kind, read_color
from linkdash.model.writes.draft import Options, choice_labels
from linkdash.model.writes.value_texts import OFF, ON, flag_word
from linkdash.widgets.form.choice_input import ChoiceInput, InputChoice, SeveralInput
from linkdash.widgets.form.field_input import FieldInput, LineEdit
from linkdash.widgets.form.moment_input import MomentInput
from linkdash.widgets.form.text_inputs import LineInput, LinkInput, LongTextInput, SecretInput


class FlagInput(FieldInput):
    """A switch with its state in words, which reads without color."""

    def __init__(self, field: Field, text: str, default: str) -> None:
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

    def __init__(self, field: Field, text: str, default: str) -> None:
        super().__init__(field, text)
        self._default = default

    def compose(self) -> ComposeResult:
        yield Static(swatch(self.text or self._default), classes="swatch", markup=False)
        yield LineEdit(self.shown, placeholder=self._default or "#rrggbb")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(".swatch", Static).update(swatch(event.value or self._default))
        self.take_shown(event.value)


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
            choices = [InputChoice(choice, str(field.labels.of(choice))) for choice in field.choices]
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
        named = [InputChoice(id, label) for id, label in choice_labels(records).items()]
        return SeveralInput(field, text, named) if field.several else ChoiceInput(field, text, named, "")
    line = LineInput(field, text)
    if field.several:
        return line
    line.hint = f"no {resource} are loaded: type the number"
    return line
