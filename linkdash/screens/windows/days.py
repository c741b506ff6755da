"""A window that asks for a number of days."""

from datetime import datetime

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from linkdash.model.statistics.period import kept_words, span_words
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import Window

_LONGEST_DAYS = 365


class DaysScreen(ModalScreen[int | None]):
    """A window that asks how many days a period has; None when the user goes back."""

    BINDINGS = [Binding("enter", "take", "Show", priority=True), Binding("escape", "dismiss", "Back")]

    def __init__(self, days: int, now: datetime, kept_since: datetime | None) -> None:
        super().__init__()
        self._days, self._now, self._kept_since = days, now, kept_since

    def compose(self) -> ComposeResult:
        with Window(title="Days to look back", classes="-question"):
            yield StillInput(str(self._days), type="integer", max_length=3, id="typed", compact=True)
            yield Static(classes="window-hint", id="hint", markup=False)
        yield KeyLine()

    @on(Input.Changed)
    def _show(self) -> None:
        """Say which days these are, what they are compared with, and how much of that is kept."""
        days = self._typed
        said = f"Type a number from 1 to {_LONGEST_DAYS}" if days is None else self._words(days)
        self.query_one("#hint", Static).update(said)

    def _words(self, days: int) -> str:
        kept = kept_words(days, self._kept_since, self._now) if self._kept_since is not None else ""
        return "\n".join(filter(None, (span_words(days, self._now), kept)))

    @property
    def _typed(self) -> int | None:
        """The number that stands there; None for no number of days."""
        typed = self.query_one(Input).value
        return int(typed) if typed.isdecimal() and 1 <= int(typed) <= _LONGEST_DAYS else None

    def action_take(self) -> None:
        if self._typed is None:
            self.query_one("#hint", Static).update(f"✗ Type a number from 1 to {_LONGEST_DAYS}")
        else:
            self.dismiss(self._typed)
