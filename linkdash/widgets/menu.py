"""Menus: lines to choose from."""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, cells, fitted

_LEAST = 12  # cells of what gives way


class MenuLine(NamedTuple):
    """A line: what gives way on the left, what stays on the right, and what it leads to."""

    left: Callable[[int], Sequence[Piece]]
    """Its pieces in so many cells; cut or padded to them."""
    right: Sequence[Piece]
    target: object = None
    """For the screen that opens it; the menu does nothing with it."""

    def pieces(self, width: int) -> list[Piece]:
        """The line in exactly so many cells."""
        room = width - cells(self.right) - 1
        if not self.right or room < _LEAST:
            return fitted(self.left(width), width)
        return [*fitted(self.left(room), room), Piece(" "), *self.right]


def menu_line(left: Sequence[Piece], right: Sequence[Piece] = (), target: object = None) -> MenuLine:
    """A line whose left part is the same in any width."""
    return MenuLine(lambda _width: left, right, target)


class LineMenu(DrawnLines, can_focus=True):
    """Lines with a cursor, which is shown while it has the focus. It is as high as its lines, or scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next line", id="lines.down", show=False),
        Binding("up,k", "move(-1)", "Previous line", id="lines.up", show=False),
        Binding("home,g", "edge(False)", "First line", id="lines.first", show=False),
        Binding("end,G", "edge(True)", "Last line", id="lines.last", show=False),
    ]

    class Moved(Message):
        """The cursor is on another line."""

        def __init__(self, menu: "LineMenu") -> None:
            super().__init__()
            self.menu = menu

    class Left(Message):
        """The cursor went over an end: `by` is 1 for the last line, -1 for the first."""

        def __init__(self, menu: "LineMenu", by: int) -> None:
            super().__init__()
            self.menu, self.by = menu, by

    class Opened(Message):
        """The line under the cursor was clicked."""

        def __init__(self, menu: "LineMenu") -> None:
            super().__init__()
            self.menu = menu

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entries: Sequence[MenuLine] = ()
        self.cursor = 0
        self._is_begin = False
        """True if what is listed is only the first of more."""

    @property
    def line(self) -> MenuLine | None:
        """The line under the cursor."""
        return self.entries[self.cursor] if self.entries else None

    def show(self, lines: Sequence[MenuLine], *, most: int | None = None) -> None:
        """Show other lines; the cursor stays where it is, if there is one.

        Of `most` lines there may be more than those: then no number of them is told.
        """
        grown = len(lines) != len(self.entries)
        self.entries, self._is_begin = lines, len(lines) == most
        self.cursor = max(0, min(self.cursor, len(lines) - 1))
        self._tell_hidden()
        self.update_lines()
        if grown:
            self.refresh(layout=True)

    def on_resize(self) -> None:
        self._tell_hidden()

    def _tell_hidden(self) -> None:
        """Have the panel say that lines are out of sight, and how many."""
        if isinstance(self.parent, Panel) and self.size.height:
            hidden = len(self.entries) - self.size.height
            self.parent.say_hidden("" if hidden <= 0 else "more ↓" if self._is_begin else f"{hidden} more ↓")

    def enter(self, by: int) -> None:
        """Take the focus with the cursor on the first line, or coming from below on the last one."""
        self.cursor = 0 if by > 0 else max(0, len(self.entries) - 1)
        self.focus()
        self._moved()

    @property
    def cursor_region(self) -> Region:
        """Return the region of the line under the cursor; that of the first line has the title in it."""
        if not isinstance(self.parent, Widget):
            return Region()
        line = self.parent.virtual_region.translate((0, 1 + self.cursor - self.top))
        above = 0 if self.cursor else -1
        return line.translate((0, above))._replace(height=1 - above)

    def bring_into_sight(self, within: Widget) -> None:
        """Scroll what its panel stands in to the line under the cursor, at once: a later layout moves it."""
        within.scroll_to_region(self.cursor_region, animate=False, immediate=True)

    # ---- drawing ----

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.entries)

    @property
    def top(self) -> int:
        """The first line in sight."""
        height = max(1, self.size.height)
        return max(0, min(self.cursor - height + 1, len(self.entries) - height)) if self.has_focus else 0

    def lines(self, width: int, height: int) -> Lines:
        return [line.pieces(width) for line in self.entries[self.top :][:height]]

    def current(self) -> int | None:
        return self.cursor - self.top if self.has_focus else None

    def on_focus(self) -> None:
        self.update_lines()

    def on_blur(self) -> None:
        self.update_lines()

    # ---- moving ----

    def action_move(self, by: int) -> None:
        if 0 <= self.cursor + by < len(self.entries):
            self.move_to(self.cursor + by)
        else:
            self.post_message(self.Left(self, by))

    def action_edge(self, last: bool) -> None:
        self.move_to(len(self.entries) - 1 if last else 0)

    def move_to(self, number: int) -> None:
        """Put the cursor on a line, or the nearest there is."""
        self.cursor = max(0, min(number, len(self.entries) - 1))
        self._moved()

    def _moved(self) -> None:
        self.update_lines()
        self.post_message(self.Moved(self))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not 0 <= offset.y + self.top < len(self.entries):
            return
        again = self.cursor == offset.y + self.top and self.has_focus
        self.cursor = offset.y + self.top
        self.focus()
        self._moved()
        if again:
            self.post_message(self.Opened(self))
