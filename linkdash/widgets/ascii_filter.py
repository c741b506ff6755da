"""For terminals and fonts without more signs than ASCII: every sign of ours becomes one that all have."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SIGNS = str.maketrans(
    dict.fromkeys("─╌┄╴╶", "-")
    | dict.fromkeys("━═╸╺", "=")
    | dict.fromkeys("│┃║▏▕", "|")
    | dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┣┫┳┻╋╔╗╚╝", "+")
    | dict.fromkeys("█▇▆▉▊▋", "#")
    | dict.fromkeys("▅▄▐▍▎", "=")
    | dict.fromkeys("▃▂", "-")
    | dict.fromkeys("·•▪∙", ".")
    | dict.fromkeys("–—", "-")
    | dict.fromkeys("▲▴△↑", "^")
    | dict.fromkeys("▼▾▽↓", "v")
    | dict.fromkeys("▶›❯→▸▌", ">")
    | dict.fromkeys("◀‹←◂", "<")
    | {
        "▁": "_",
        "✓": "+",
        "✗": "x",
        "✎": "~",
        "●": "*",
        "◐": "o",
        "○": ".",
        "◆": "#",
        "■": "#",
        "✚": "+",
        "▣": "#",
        "◎": "@",
        "⌂": "^",
        "≡": "=",
        "★": "*",
        "☆": ".",
        "⏎": "<",
        "…": "~",
        "×": "x",
        "≈": "~",
        "≠": "!",
        "▮": "#",
        "▯": ".",
    }
)


class AsciiFilter(LineFilter):
    """Puts an ASCII sign in the place of each sign that we draw; what people wrote stays as it is.

    For `App.get_line_filters`. Every line keeps its width in cells.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with plain signs; the same list where they were plain already."""
        if all(segment.text.isascii() for segment in segments):
            return segments
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(segment.text.translate(_SIGNS), segment.style)
            for segment in segments
        ]
