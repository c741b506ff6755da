"""Widgets that are lines of pieces: of a fixed size, and painted only when what they say has changed."""

from collections.abc import Sequence

from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from linkdash.widgets.pieces import Piece, content, fitted

Lines = Sequence[Sequence[Piece]]

LINEAR = "-linear"
"""The class of an app that is for a screen reader, to which whatever changes is said."""
_TICK, _LINEAR_TICK = 1.0, 60.0  # seconds


class DrawnLines(Widget):
    """Base of a widget that is `lines`; `current` of them stands on the cursor's background.

    One that `ticks` looks every second whether it says something else now, and at once when its screen is
    shown again. While another screen hides it, it rests.
    """

    ticks = False
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._drawn: Content | None = None

    def lines(self, width: int, height: int) -> Lines:
        """What it says in so many cells and rows."""
        raise NotImplementedError

    def current(self) -> int | None:
        """The row that is marked as where a person is."""
        return None

    @property
    def is_linear(self) -> bool:
        """Whether it is for a screen reader: then nothing counts seconds."""
        return self.app.has_class(LINEAR)

    def update_lines(self) -> None:
        """Paints what it says now, if that is something else."""
        drawn = self._draw()
        if self._drawn is None or not drawn.is_same(self._drawn):
            self._drawn = drawn
            self.refresh()

    def on_mount(self) -> None:
        if self.ticks:
            self.set_interval(_LINEAR_TICK if self.is_linear else _TICK, self._tick)
            self.app.screen_change_signal.subscribe(self, self._screen_changed)

    def on_resize(self) -> None:
        self.update_lines()

    def _tick(self) -> None:
        stack = self.app.screen_stack
        if stack and (stack[-1] is self.screen or stack[-1].is_modal):
            self.update_lines()

    def _screen_changed(self, screen: Screen[object]) -> None:
        if screen is self.screen:
            self.update_lines()

    def render(self) -> Content:
        self._drawn = self._draw()
        return self._drawn

    def _draw(self) -> Content:
        width, height = self.size
        rows = [content(fitted(row, width)) for row in self.lines(width, height)[:height]]
        marked = self.current()
        if marked is not None and 0 <= marked < len(rows):
            rows[marked] = rows[marked].stylize("on $cursor")
        return Content("\n").join(rows)
