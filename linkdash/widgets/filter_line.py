"""The line a filter is typed into: it knows those typed before, and points at what is wrong."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from linkdash.widgets.fitting import fit_text
from linkdash.widgets.still_input import StillInput

_POINTER = "▲"
_PADDING = 1  # cells left of the text


class FilterInput(StillInput):
    """Up and down go through the filters that were typed before; what was begun is the newest of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "older(1)", "Earlier filter", id="filter.older", show=False),
        Binding("down", "older(-1)", "Later filter", id="filter.newer", show=False),
    ]

    def __init__(self, *, placeholder: str, id: str) -> None:
        super().__init__(placeholder=placeholder, id=id, compact=True)
        self._history: Sequence[str] = ()
        self._begun = ""
        self._at = -1

    def begin(self, history: Sequence[str]) -> None:
        """Goes through these from now on, the last one typed first."""
        self._history, self._at = tuple(history), -1

    def action_older(self, by: int) -> None:
        if self._at == -1:
            self._begun = self.value
        self._at = max(-1, min(self._at + by, len(self._history) - 1))
        self.value = self._begun if self._at == -1 else self._history[self._at]
        self.cursor_position = len(self.value)


class FilterLine(Vertical):
    """The input, and below it, only while there is one, what is wrong, under the place where that begins."""

    def __init__(self, *, placeholder: str) -> None:
        super().__init__(id="filter-line")
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        yield FilterInput(placeholder=self._placeholder, id="filter")
        yield Static(id="filter-error", markup=False)

    def on_mount(self) -> None:
        self.point_out("", 0)

    def point_out(self, what: str, at: int) -> None:
        """Says what is wrong with what begins after so many characters; nothing where `what` is empty."""
        line, room = self.query_one("#filter-error", Static), max(20, self.size.width - 2 * _PADDING)
        indent = min(at, room - 1)
        words = f"{' ' * indent}{_POINTER} {what}"
        if len(words) > room and indent > len(what):
            words = f"{what} {_POINTER}".rjust(indent + 1)
        line.display = bool(what)
        line.update(fit_text(words, room))
