"""A window that asks for a number of days."""

from datetime import datetime

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, Static

from linkdash.model.humanize import ATTENTION
from linkdash.model.statistics.period import kept_words, span_words
from linkdash.screens.windows.widths import fit_width
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.window_screen import WindowScreen

_LONGEST_DAYS = 365


class DaysScreen(WindowScreen[int | None]):
    """A window that asks how many days a period has; None when the user goes back."""

    BINDINGS = [Binding("enter", "take", "Show", priority=True), Binding("escape", "dismiss", "Back")]

    def __init__(self, days: int, now: datetime, kept_since: datetime | None) -> None:
        super().__init__()
        self._days, self._now, self._kept_since = days, now, kept_since

    def compose(self) -> ComposeResult:
        with Window(title="Days to look back", classes="-question -number"):
            yield StillInput(str(self._days), type="integer", max_length=3, id="typed", compact=True)
            yield Static(classes="window-hint", id="hint", markup=False)
        yield KeyLine()

    @on(Input.Changed)
    def _show(self) -> None:
        """Say which days these are, what they are compared with, and how much of that is kept."""
        days = self._typed
        if days is None:
            self._say(f"Type a number from 1 to {_LONGEST_DAYS}")
            return
        kept = kept_words(days, self._kept_since, self._now) if self._kept_since is not None else ""
        known, _, longest = kept.partition("\n")
        lacking = [Piece(f"{ATTENTION} {known}", Tone.WARNING)] if known else []
        self._say(span_words(days, self._now), *lacking, *filter(None, [longest]))

    def _say(self, *lines: Piece | str) -> None:
        """Say so many lines below the number, which are seen whole."""
        told = [content([line]) for line in lines]
        self.query_one("#hint", Static).update(Content("\n").join(told))
        fit_width(self.query_one(Window), [line.plain for line in told])

    @property
    def _typed(self) -> int | None:
        """The number that stands there; None for no number of days."""
        typed = self.query_one(Input).value
        return int(typed) if typed.isdecimal() and 1 <= int(typed) <= _LONGEST_DAYS else None

    def action_take(self) -> None:
        if self._typed is None:
            self._say(Piece(f"✗ Type a number from 1 to {_LONGEST_DAYS}", Tone.BAD))
        else:
            self.dismiss(self._typed)
