"""Lines that scroll, to be read, and lines that are ways in, under a cursor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from linkdash.api.text import inert
from linkdash.widgets.pieces import DrawnLines, Lines, Piece, cells, fitted

# ---- to be read ----


class TextPage(VerticalScroll, can_focus=False):
    """Shows a text as it is."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._static = Static()
        self._text = Text()

    def compose(self) -> ComposeResult:
        yield self._static

    def show(self, text: Text) -> None:
        """Shows another text, from its beginning."""
        if text != self._text:
            self._text = text
            self._static.update(text)
            self.scroll_home(animate=False)


_SAMPLED = 200  # lines from which the width is learned; one that is wider makes room when it is seen


class LineList(ScrollView, can_focus=False):
    """Lines, each drawn when it is scrolled into sight."""

    def __init__(self, lines: Sequence[str] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines = lines
        sampled = range(0, len(lines), -(-len(lines) // _SAMPLED) or 1)
        width = max((Segment.get_line_length(_segments(lines[index])) for index in sampled), default=0)
        self.virtual_size = Size(width, len(lines))

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        left, top = self.scroll_offset
        style, width = self.rich_style, self.scrollable_content_region.width
        if not 0 <= top + y < len(self.lines):
            return Strip.blank(width, style)
        line = Strip(_segments(self.lines[top + y]))
        if line.cell_length > self.virtual_size.width:
            self.call_later(self._widen, line.cell_length)
        return line.crop_extend(left, left + width, style).apply_style(style)

    def _widen(self, width: int) -> None:
        if width > self.virtual_size.width:
            self.virtual_size = Size(width, len(self.lines))


def _segments(line: str) -> list[Segment]:
    return [Segment(inert(line))]


# ---- ways in ----

_LEAST = 12  # cells of what gives way


@dataclass(frozen=True)
class MenuLine:
    """A line: what gives way on the left, what stays on the right, and what opening it does."""

    left: Callable[[int], Sequence[Piece]]
    """Its pieces in so many cells; cut or padded to them."""
    right: Sequence[Piece]
    open: Callable[[], object]

    def pieces(self, width: int) -> list[Piece]:
        """The line in exactly so many cells."""
        room = width - cells(self.right) - 1
        if not self.right or room < _LEAST:
            return fitted(self.left(width), width)
        return [*fitted(self.left(room), room), Piece(" "), *self.right]


def menu_line(left: Sequence[Piece], right: Sequence[Piece], open: Callable[[], object]) -> MenuLine:
    """A line whose left part is the same in any width."""
    return MenuLine(lambda _width: left, right, open)


class LineMenu(DrawnLines, can_focus=True):
    """Lines with a cursor, which is shown while it has the focus. It is as high as its lines, or scrolls."""

    ticks = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next line", id="lines.down", show=False),
        Binding("up,k", "move(-1)", "Previous line", id="lines.up", show=False),
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
        self._lines: Sequence[MenuLine] = ()
        self.cursor = 0

    @property
    def line(self) -> MenuLine | None:
        """The line under the cursor."""
        return self._lines[self.cursor] if self._lines else None

    def show(self, lines: Sequence[MenuLine]) -> None:
        """Shows other lines; the cursor stays where it is, if there is a line."""
        grown = len(lines) != len(self._lines)
        self._lines = lines
        self.cursor = max(0, min(self.cursor, len(lines) - 1))
        self.update_lines()
        if grown:
            self.refresh(layout=True)

    def enter(self, by: int) -> None:
        """Takes the focus with the cursor on the first line, or coming from below on the last one."""
        self.cursor = 0 if by > 0 else max(0, len(self._lines) - 1)
        self.focus()
        self._moved()

    # ---- drawing ----

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    @property
    def top(self) -> int:
        """The first line in sight."""
        height = max(1, self.size.height)
        return max(0, min(self.cursor - height + 1, len(self._lines) - height)) if self.has_focus else 0

    def lines(self, width: int, height: int) -> Lines:
        return [line.pieces(width) for line in self._lines[self.top :][:height]]

    def current(self) -> int | None:
        return self.cursor - self.top if self.has_focus else None

    def on_focus(self) -> None:
        self.update_lines()

    def on_blur(self) -> None:
        self.update_lines()

    # ---- moving ----

    def action_move(self, by: int) -> None:
        if 0 <= self.cursor + by < len(self._lines):
            self.cursor += by
            self._moved()
        else:
            self.post_message(self.Left(self, by))

    def _moved(self) -> None:
        self.update_lines()
        self.post_message(self.Moved(self))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not 0 <= offset.y + self.top < len(self._lines):
            return
        again = self.cursor == offset.y + self.top and self.has_focus
        self.cursor = offset.y + self.top
        self.focus()
        self._moved()
        if again:
            self.post_message(self.Opened(self))
