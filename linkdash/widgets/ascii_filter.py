"""For terminals that know ASCII alone, and for screen readers: every sign of ours becomes a plain one."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

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
