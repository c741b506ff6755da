"""An input for a date-time, moved by keys."""

from collections.abc import Callable
from datetime import datetime

from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Button

from linkdash.api.fields import Field, read_moment, write_moment
from linkdash.model.humanize import months_later
from linkdash.widgets.form.field_input import LineEdit, Shortcut
from linkdash.widgets.form.text_inputs import LineInput

MONTHS_OF_KEY = {"m": 1, "y": 12}
"""Letters have no place in a moment, so they can be keys in its input."""


def local_now() -> datetime:
    """This moment by the clock on the wall, to the minute and without a zone."""
    return datetime.now().astimezone().replace(second=0, microsecond=0, tzinfo=None)


class MomentLine(LineEdit):
    """A line in which the letters of `MONTHS_OF_KEY` are shortcuts."""

    class Later(Message):
        """A shortcut was pressed."""

        def __init__(self, months: int) -> None:
            super().__init__()
            self.months = months

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character not in MONTHS_OF_KEY and super().check_consume_key(key, character)

    def on_key(self, event: events.Key) -> None:
        if event.character in MONTHS_OF_KEY:
            event.stop()
            event.prevent_default()
            self.post_message(self.Later(MONTHS_OF_KEY[event.character]))


class MomentInput(LineInput):
    """A date and time as the service writes it. A shortcut counts from the moment typed, else from now."""

    def __init__(self, field: Field, text: str, now: Callable[[], datetime]) -> None:
        super().__init__(field, text)
        self.hint = "m adds a month, y a year, to now if empty"
        self._now = now

    def compose(self) -> ComposeResult:
        yield MomentLine(self.shown, placeholder="YYYY-MM-DD HH:MM:SS")
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
        line = self.query_one(LineEdit)
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
