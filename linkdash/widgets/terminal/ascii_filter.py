"""Plain signs in the place of ours, for terminals that know ASCII alone."""

import re
from collections.abc import Mapping
from itertools import groupby

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

_PICTURES = {
    "-": "─╌┄╴╶▔",
    "=": "━═╸╺▅▄▐▍▎",
    "|": "│┃║▏▕",
    "+": "┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┣┫┳┻╋╔╗╚╝",
    "#": "█▇▆▉▊▋▀▮",
    "_": "▁",
    ".": "▃▂▯",
    ":": "▒",
    "*": "".join(map(chr, range(0x2801, 0x2900))),  # braille, of which curves are made
    " ": "\u2800",
}
"""The signs of lines, bars, curves and frames, with plain ones in their place."""
_PLAIN_SIGNS = {
    ".": "·•▪∙○☆◌",
    "%": "▤▥",
    "-": "–—−",
    "^": "▲▴△↑⌂",
    "v": "▼▾▽↓",
    ">": "▶›❯❱→▸▌≥…",
    "<": "◀‹←◂⏎",
    "Y": "✓",
    "\\": "✚",
    "S": "★",
    "#": "■▣",
    "&": "◆",
    ";": "◇",
    "x": "✗×",
    "o": "◐◑",
    "O": "●",
    "C": "◎",
    "c": "≈",
    "@": "✎",
    "!": "≠",
    "=": "≡",
}


def _table(*groups: dict[str, str]) -> dict[int, str]:
    return {ord(sign): plain for group in groups for plain, signs in group.items() for sign in signs}


_KEYS = str.maketrans({"⏎": "enter", "←": "left", "→": "right", "↑": "up", "↓": "down", "⌫": "backspace"})
_SENTENCE_SIGNS = re.compile(r"(?<=\S )→(?= \S)|≥|(?<=\w)…(?= {3})|≈(?= \w)|(?<=\w)[▾▴]")
"""Signs between words and before numbers: with one plain sign each they would say something else."""
_IN_SENTENCES = {"→": "->", "≥": ">=", "…": "...", "≈": "about", "▾": " v", "▴": " ^"}
_SPARE = re.compile(r"(?<= ) | (?= )")
"""A blank that can go without two words becoming one, nor a letter standing below a scrollbar."""
_GUTTER = 3  # cells before the first word of a row
_SCROLLBAR_ENDS = str.maketrans(dict.fromkeys("▁▂▃▄▅▆▇", " "))
"""A plain sign for the end of a scrollbar would be read as one of the text beside it."""


def key_in_words(key: str) -> str:
    """Return the name of a key whose sign would become that of another key: `enter`, `up`."""
    return key.translate(_KEYS)


_ASCII = _table(_PICTURES, _PLAIN_SIGNS)


class AsciiFilter(LineFilter):
    """A filter that puts an ASCII sign in the place of each sign we draw, also where one stands in a name.

    Letters of other scripts stay as they are. For `App.get_line_filters`. Every line keeps its
    width in cells: a sign that needs two of them takes the nearest blank that can be spared.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with plain signs; the same list where they were plain already."""
        if all(segment.text.isascii() for segment in segments):
            return segments
        if _SENTENCE_SIGNS.search("".join(segment.text for segment in segments)):
            segments = _spelled(segments)
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(segment.text.translate(_signs_of(segment.style)), segment.style)
            for segment in segments
        ]


def _signs_of(style: Style | None) -> Mapping[int, str | None]:
    is_scrollbar = style is not None and "@mouse.down" in style.meta
    return _SCROLLBAR_ENDS if is_scrollbar else _ASCII


def _spelled(segments: list[Segment]) -> list[Segment]:
    """The segments with words in the place of signs, each where as many blanks can be spared as it needs."""
    if any(segment.control for segment in segments):
        return segments
    letters = [(letter, segment.style) for segment in segments for letter in segment.text]
    at = 0
    while found := _SENTENCE_SIGNS.search("".join(letter for letter, _ in letters), at):
        at = found.end()
        word = _IN_SENTENCES[found[0]]
        if (room := _room_for(letters, at, len(word) - 1)) is not None:
            letters, at = room
            style = letters[at - 1][1]
            letters[at - 1 : at] = [(letter, style) for letter in word]
    runs = groupby(letters, key=lambda letter: letter[1])
    return [Segment("".join(letter for letter, _ in run), style) for style, run in runs]


def _room_for(
    letters: list[tuple[str, Style | None]], at: int, cells: int
) -> tuple[list[tuple[str, Style | None]], int] | None:
    """The letters without so many blanks, the nearest to a place, and that place; None for too few blanks.

    Of those that a line begins with, a row's gutter is spared for its first word alone.
    """
    letters = [*letters]
    for _ in range(cells):
        text = "".join(letter for letter, _ in letters)
        indent = len(text) - len(text.lstrip())
        first = min(indent, _GUTTER) if at > indent + 1 else 0
        blanks = [blank.start() for blank in _SPARE.finditer(text, first)]
        if not blanks:
            return None
        spare = min(blanks, key=lambda x: abs(x - at))
        del letters[spare]
        at -= spare < at
    return letters, at
