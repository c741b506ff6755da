"""Lines of text that scroll: only those in sight are ever made, however many there are."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from linkdash.api.text import inert

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
