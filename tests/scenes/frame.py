"""A screen as text that reads well in a diff: the lines, and below them a sign for the role of each cell.

The sign of a role is the same on every screen, so that a change is seen where it was made and nowhere else.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

_SIGNS = {
    "foreground": ".",
    "hero": "h",
    "muted": "m",
    "faint": "f",
    "edge": "e",
    "track": "t",
    "primary": "p",
    "secondary": "s",
    "accent": "a",
    "success": "g",
    "warning": "w",
    "error": "r",
    "s4": "4",
    "s5": "5",
    "s6": "6",
    "background": "o",
}
"""By the name of the theme's variable; bold ones are large letters."""
_GROUNDS = ("background", "surface", "panel")
_CURSOR, _FILLED, _MIXED, _BOLD = "=", "#", "~", "B"
"""Under the cursor, on another ground of its own, in a color of no role, and bold in the usual one."""


class Frame(NamedTuple):
    """The screen at one moment: its lines, and the sign of each cell's role."""

    lines: list[str]
    roles: list[str]

    @property
    def text(self) -> str:
        """Return it as a file; a dot at the end of a line says nothing."""
        return "\n".join([*self.lines, "", *(line.rstrip(".") for line in self.roles), ""])


def frame_of(strips: Sequence[Strip], theme: Mapping[str, str]) -> Frame:
    """Return what strips show, by the variables of the theme that they are drawn in."""
    names = {Color.parse(theme[name]).hex.lower(): sign for name, sign in reversed(_SIGNS.items())}
    grounds = {Color.parse(theme[name]).hex.lower() for name in _GROUNDS}
    cursor = Color.parse(theme["cursor"]).hex.lower()

    def sign(style: Style | None) -> str:
        if style is None:
            return "."
        ground = _hex(style.bgcolor)
        if ground and ground not in grounds:
            return _CURSOR if ground == cursor else _FILLED
        found = names.get(_hex(style.color), _MIXED) if style.color else "."
        return (_BOLD if found == "." else found.upper()) if style.bold else found

    roles = []
    for strip in strips:
        cells = ((cell_len(segment.text), sign(segment.style)) for segment in strip if not segment.control)
        roles.append("".join(one * count for count, one in cells))
    return Frame([strip.text.rstrip() for strip in strips], roles)


def _hex(color: RichColor | None) -> str:
    return color.get_truecolor().hex.lower() if color is not None else ""
