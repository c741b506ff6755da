"""A page of text to be read, with lines that are fitted or drawn as they are seen."""

from collections.abc import Callable, Sequence

from rich.segment import Segment
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from linkdash.api.inert_text import inert


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


class FittingText(Widget):
    """Shows a text that is written for the cells there are."""

    def __init__(self, written: Callable[[int], Text]) -> None:
        super().__init__()
        self._written = written

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._content(width).get_height(self.styles.get_rules(), width)

    def on_resize(self) -> None:
        self.refresh()

    def render(self) -> Content:
        return self._content(self.size.width)

    def _content(self, width: int) -> Content:
        return Content.from_rich_text(self._written(width))


_SAMPLED = 20  # lines from which the width is learned; one that is wider makes room when it is seen


class LineList(ScrollView, can_focus=False):
    """Lines, each drawn when it is scrolled into sight."""

    def __init__(self, lines: Sequence[str] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines = lines
        sampled = range(0, len(lines), -(-len(lines) // _SAMPLED) or 1)
        width = max((Segment.get_line_length(_segments(lines[index])) for index in sampled), default=0)
        self.virtual_size = Size(width, len(lines))

    def render_line(self, y: int) -> Strip:
        """Return one line of the widget."""
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
