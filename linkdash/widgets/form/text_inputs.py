"""Inputs for texts: a line, a link, a long text, a secret."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.events import DescendantBlur
from textual.widgets import Button, Input, TextArea

from linkdash.api.fields import Field, completed_url
from linkdash.widgets.form.field_input import FieldInput, LineEdit, Shortcut, TextEdit


class LineInput(FieldInput):
    """A text of one line, a number, an e-mail address."""

    def __init__(self, field: Field, text: str, default: str = "") -> None:
        super().__init__(field, text)
        self._default = default

    def compose(self) -> ComposeResult:
        yield LineEdit(self.shown, placeholder=self._default)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.take_shown(event.value)

    def settle(self) -> str:
        if self.take_bare():
            self.query_one(LineEdit).value = self.shown
        return self.text


class LinkInput(LineInput):
    """A web address; one that was typed and only lacks its scheme gets it when the input is left."""

    @on(Input.Blurred)
    def _left(self, event: Input.Blurred) -> None:
        event.stop()
        if self.is_attached:
            self.settle()

    def settle(self) -> str:
        super().settle()
        whole = completed_url(self.text)
        if self.text not in (whole, self.original):
            self.take(whole)
            line = self.query_one(LineEdit)
            line.value = self.shown
            line.cursor_position = len(self.shown)  # who comes back goes on behind it
        return self.text


class LongTextInput(FieldInput):
    """A text of several lines."""

    several_lines = True

    def compose(self) -> ComposeResult:
        yield TextEdit(self.shown)

    @on(TextArea.Changed)
    def _typed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.take_shown(event.text_area.text)

    def settle(self) -> str:
        if self.take_bare():
            self.query_one(TextEdit).text = self.shown
        return self.text


class SecretInput(LineInput):
    """A text that is hidden, unless it is asked for, and hidden again when the input is left."""

    BINDINGS = [Binding("f2", "reveal", "Show the secret", id="form.reveal")]

    def compose(self) -> ComposeResult:
        yield LineEdit(self.shown, password=True)
        yield Shortcut("show", name="reveal")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_reveal()

    def settle(self) -> str:
        return self.text  # blanks may be part of it

    def action_reveal(self) -> None:
        line = self.query_one(LineEdit)
        self._hide(not line.password)

    def on_descendant_blur(self, _event: DescendantBlur) -> None:
        self._hide(True)

    def _hide(self, hidden: bool) -> None:
        self.query_one(LineEdit).password = hidden
        self.query_one(Button).label = "show" if hidden else "hide"
