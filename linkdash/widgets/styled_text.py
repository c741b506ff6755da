"""Styled text: the pieces of every cell and line, and widgets of such lines.

A piece may hold any text; it is measured and drawn in its inert form.
"""

import enum
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.style import Style as RichStyle
from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from linkdash.api.inert_text import inert

Align = Literal["left", "right"]
CUT = "\N{HORIZONTAL ELLIPSIS}"
_BETWEEN_PARTS = re.compile(r"[^\s/@]*[\s/@]+|[^\s/@]+")
_WITHIN_PARTS = re.compile(r"[^.]*\.+|[^.]+")
_JOINER = "\N{ZERO WIDTH JOINER}"


def fit_text(text: str, width: int, align: Align = "left") -> str:
    """`text` cut with an ellipsis or padded with blanks to exactly `width` cells."""
    if width <= 0:
        return ""
    text = inert(text).rstrip(_JOINER)
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + CUT
    return " " * (width - length) + text if align == "right" else text + " " * (width - length)


def breakable(text: str, width: int) -> Iterator[str]:
    """The parts of a text after which a row of `width` cells may end: after a blank, a slash, an @.

    A part that is longer than a row may end after a dot, too, or else anywhere.
    """
    for part in _BETWEEN_PARTS.findall(text):
        smaller = [part] if cell_len(part.rstrip()) <= width else _WITHIN_PARTS.findall(part)
        for piece in smaller:
            yield from [piece] if cell_len(piece.rstrip()) <= width else chop_cells(piece, width)


class Tone(enum.StrEnum):
    """The tone of a piece of text; the style sheet decides how that looks."""

    PLAIN = "plain"
    HERO = "hero"
    MUTED = "muted"
    FAINT = "faint"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"
    LINK = "link"
    ODD = "odd"
    KEY = "key"
    BRAND = "brand"
    ICON = "icon"
    TREND = "trend"
    SECOND = "second"
    THIRD = "third"
    FOURTH = "fourth"
    FIFTH = "fifth"
    HIT = "hit"


DIRECTION_TONES = {1: Tone.GOOD, -1: Tone.BAD, 0: Tone.MUTED}
"""The tone of more, of less, and of the same."""


STYLES = {
    Tone.PLAIN: "",
    Tone.HERO: "bold $hero",
    Tone.MUTED: "$muted",
    Tone.FAINT: "$faint",
    Tone.GOOD: "$success",
    Tone.WARNING: "$warning",
    Tone.BAD: "$error",
    Tone.LINK: "$primary",
    Tone.ODD: "italic $warning",
    Tone.KEY: "bold $primary",
    Tone.BRAND: "bold $accent",
    Tone.ICON: "$secondary",
    Tone.TREND: "$s1",
    Tone.SECOND: "$s2",
    Tone.THIRD: "$s3",
    Tone.FOURTH: "$s4",
    Tone.FIFTH: "$s5",
    Tone.HIT: "bold underline $accent",
}
"""The look of each tone: resolved when it is drawn, so it follows the theme."""
UNDER_CURSOR = STYLES | {
    Tone.MUTED: "$cursor-muted",
    Tone.FAINT: "$cursor-faint",
    Tone.GOOD: "$cursor-success",
    Tone.WARNING: "$cursor-warning",
    Tone.BAD: "$cursor-error",
    Tone.LINK: "$cursor-primary",
    Tone.ODD: "italic $cursor-warning",
    Tone.KEY: "bold $cursor-primary",
    Tone.ICON: "$cursor-secondary",
    Tone.TREND: "$cursor-s1",
    Tone.HIT: "bold underline $cursor-accent",
}
"""The look of each tone on the row under the cursor."""
HUES = ("$s1", "$s2", "$s3", "$s4", "$s5", "$s6")
"""The hues of series in charts and cards."""


class Piece(NamedTuple):
    """A run of text in one look."""

    text: str
    tone: Tone = Tone.PLAIN
    color: tuple[int, int, int] | None = None
    """The color that is itself the value (red, green, blue; 0 to 255), else None."""
    bold: bool = False


def content(pieces: Iterable[Piece | str], looks: Mapping[Tone, str] = STYLES) -> Content:
    """Pieces as Textual's text, never parsed as markup."""
    made = (piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)
    return Content.assemble(*((inert(piece.text), _style(piece, looks)) for piece in made))


def _style(piece: Piece, looks: Mapping[Tone, str]) -> str:
    style = looks[piece.tone] if piece.color is None else "rgb({},{},{})".format(*piece.color)
    return f"bold {style}" if piece.bold else style


def rich_style(widget: Widget, *styles: str) -> RichStyle:
    """Return a widget's own style with others laid over it, such as `bold $muted`, for what it draws by line.

    A component class for each would be worked out anew with every change of the widget's classes or focus.
    """
    return sum(map(Style.parse, styles), widget.visual_style).rich_style


def cells(pieces: Iterable[Piece]) -> int:
    """Return how many cells pieces take together."""
    return sum(cell_len(inert(piece.text)) for piece in pieces)


def fitted(pieces: Iterable[Piece], width: int) -> list[Piece]:
    """The pieces cut with an ellipsis or padded with blanks to exactly `width` cells."""
    shown = [piece._replace(text=inert(piece.text)) for piece in pieces]
    sizes = [cell_len(piece.text) for piece in shown]
    room = width - sum(sizes)
    if room >= 0:
        return [*shown, Piece(" " * room)] if room else shown
    kept, room = list[Piece](), width
    for piece, size in zip(shown, sizes, strict=True):
        if size >= room:  # more follows
            return [*kept, piece._replace(text=fit_text(f"{piece.text}{CUT}", room))]
        kept.append(piece)
        room -= size
    return kept


def apart(left: Sequence[Piece], right: Sequence[Piece], width: int) -> list[Piece]:
    """Pieces at both ends of `width` cells; the right ones are left out whole where they do not fit."""
    room = width - cells(right)
    if right and cells(left) + 2 <= room:
        return [*fitted(left, room), *right]
    return fitted(left, width)


# ---- widgets that are such lines ----

Lines = Sequence[Sequence[Piece]]

ASCII = "-ascii"
"""The class of an app whose signs all become plain ones."""


class Said(NamedTuple):
    """The lines of a widget of such a size, and the row of them that is marked."""

    size: Size
    lines: tuple[tuple[Piece, ...], ...]
    current: int | None


class DrawnLines(Widget):
    """Base of a widget that is `lines`; `current` of them stands on the cursor's background.

    One that `ticks` says something else as time goes by: its screen has it look every second.
    """

    ticks = False
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._said: Said | None = None

    def lines(self, width: int, height: int) -> Lines:
        """Return what it says in so many cells and rows."""
        raise NotImplementedError

    def current(self) -> int | None:
        """The row that is marked as where the user is."""
        return None

    def update_lines(self) -> None:
        """Paint what it says now, if that is something else."""
        said = self._says()
        if said != self._said:
            self._said = said
            self.refresh()

    def _says(self) -> Said:
        """Return all that it says now, to be compared: that costs less than to draw it."""
        lines = tuple(map(tuple, self.lines(*self.size)))
        return Said(self.size, lines, self.current())

    def render(self) -> Content:
        self._said = self._says()
        return self._drawn(self._said)

    def _drawn(self, said: Said) -> Content:
        width, height = said.size
        rows = [content(fitted(line, width)) for line in said.lines[:height]]
        marked = said.current
        if marked is not None and 0 <= marked < len(rows):
            line = fitted(said.lines[marked], width)
            rows[marked] = content(line, UNDER_CURSOR).stylize("on $cursor")
        return Content("\n").join(rows)


class TickingLines(DrawnLines):
    """Lines that are asked for in a width, and say something else as time goes by."""

    ticks = True

    def __init__(self, drawn: Callable[[int], Lines]) -> None:
        super().__init__()
        self._lines = drawn

    def lines(self, width: int, height: int) -> Lines:
        return self._lines(width)
