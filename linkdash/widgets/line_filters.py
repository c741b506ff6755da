"""Filters over every line of the app: text of the service is made inert, and signs plain.

`InertFilter` is the last of three layers that keep text of the service inert. `AsciiFilter` is for terminals
that know ASCII alone, and for screen readers: every sign of ours becomes a plain one.
"""

from functools import lru_cache

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from linkdash.api.text import inert

# ---- nothing acts on the terminal ----


class InertFilter(LineFilter):
    """Replaces characters a terminal could act on in what any widget draws, whoever made the text.

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


# ---- plain signs ----

_PICTURES = {
    "-": "─╌┄╴╶",
    "=": "━═╸╺▅▄▐▍▎",
    "|": "│┃║▏▕",
    "+": "┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┣┫┳┻╋╔╗╚╝",
    "#": "█▇▆▉▊▋▀",
    "_": "▁",
    ".": "▃▂",
    ":": "▒",
    "*": "".join(map(chr, range(0x2801, 0x2900))),  # braille, of which curves are made
    " ": "\u2800",
}
"""What lines, bars, curves and frames are drawn with."""
_SIGNS = {
    ".": "·•▪∙○☆◌▯",
    "-": "–—−",
    "^": "▲▴△↑⌂",
    "v": "▼▾▽↓",
    ">": "▶›❯→▸▌≥",
    "<": "◀‹←◂⏎",
    "+": "✓✚",
    "*": "●★",
    "#": "◆■▣▮",
    "x": "✗×",
    "o": "◐",
    "@": "◎",
    "~": "…≈✎±",
    "!": "≠",
    "=": "≡",
}


def _table(*groups: dict[str, str]) -> dict[int, str]:
    return {ord(sign): plain for group in groups for plain, signs in group.items() for sign in signs}


_ASCII = _table(_PICTURES, _SIGNS)
_SPOKEN = _table({" ": "".join(_PICTURES.values())}, _SIGNS)


class AsciiFilter(LineFilter):
    """Puts an ASCII sign in the place of each sign that we draw, also where one stands in a name.

    Letters of other scripts stay as they are. For `App.get_line_filters`. Every line keeps its
    width in cells. With `without_pictures`, lines, bars and frames become blanks: a screen reader would
    spell them out.
    """

    def __init__(self, *, without_pictures: bool = False) -> None:
        super().__init__()
        self._signs = _SPOKEN if without_pictures else _ASCII

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with plain signs; the same list where they were plain already."""
        if all(segment.text.isascii() for segment in segments):
            return segments
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(segment.text.translate(self._signs), segment.style)
            for segment in segments
        ]
