"""A screen as text that reads well in a diff: the lines, and a letter for each look."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from string import ascii_letters, digits
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

Look: TypeAlias = tuple[str, str]
"""A style in the dark theme and in the light one: `bold #7aa2f7 on #1a1b26`."""

_LETTERS = ascii_letters + digits + "".join(chr(code) for code in range(0x3B1, 0x3CA))
_ATTRIBUTES = ("bold", "dim", "italic", "underline", "reverse", "strike")


class Frame(NamedTuple):
    """The screen at one moment: its lines, and the style of each cell."""

    lines: list[str]
    styles: list[list[str]]


def frame_of(strips: Sequence[Strip]) -> Frame:
    """Return what strips show."""
    styles = []
    for strip in strips:
        cells = ((cell_len(segment.text), _words(segment.style)) for segment in strip if not segment.control)
        styles.append([words for count, words in cells for _ in range(count)])
    return Frame([strip.text.rstrip() for strip in strips], styles)


def _words(style: Style | None) -> str:
    if style is None:
        return ""
    colors = [color.get_truecolor().hex if color else "-" for color in (style.color, style.bgcolor)]
    return " ".join([*(name for name in _ATTRIBUTES if getattr(style, name)), " on ".join(colors)])


def written(dark: Frame, light: Frame) -> str:
    """Both as a file: they show the same text. A dot is the look that most cells have."""
    looks = [[*zip(*row, strict=True)] for row in zip(dark.styles, light.styles, strict=True)]
    counted = Counter(chain.from_iterable(looks))
    common = counted.most_common(1)[0][0]
    letters = {common: "."}
    for look in chain.from_iterable(looks):
        letters.setdefault(look, _LETTERS[min(len(letters) - 1, len(_LETTERS) - 1)])
    masks = ["".join(letters[look] for look in row).rstrip(".") for row in looks]
    legend = [f"{letter} {in_dark:<32} {in_light}" for (in_dark, in_light), letter in letters.items()]
    return "\n".join([*dark.lines, "", *masks, "", *legend, ""])
