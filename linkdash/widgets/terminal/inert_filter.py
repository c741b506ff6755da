"""Nothing that is drawn acts on the terminal.

The last of two layers that keep text of the service inert: what is drawn is inert before it comes here.
"""

from functools import lru_cache

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from linkdash.api.inert_text import inert


class InertFilter(LineFilter):
    """A filter of characters that a terminal could act on in what any widget draws, whoever made the text.

    For `App.get_line_filters`. Every line keeps its width in cells; control segments, which are
    Textual's own, pass as they are.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with inert text; the same list where it was inert already."""
        if all(segment.control or segment.text.isprintable() for segment in segments):
            return segments
        return [made for segment in segments if (made := _inert_segment(segment)).text or not segment.text]


def _inert_segment(segment: Segment) -> Segment:
    if segment.control or segment.text.isprintable():
        return segment
    return Segment(_inert_as_wide(segment.text), segment.style)


@lru_cache(maxsize=4096)
def _inert_as_wide(text: str) -> str:
    """`text` made inert and as wide as it was measured, controls being measured as nothing."""
    return set_cell_size(inert(text), cell_len(text))
