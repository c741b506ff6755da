"""Text in one look: what every cell and line of ours is put together from."""

import enum
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from linkdash.widgets.fitting import fit_text


class Tone(enum.StrEnum):
    """What a piece of text is; the style sheet decides how that looks."""

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
    HIT = "hit"


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
    Tone.HIT: "bold underline $accent",
}
"""The look of each tone outside of tables: resolved when it is drawn, so it follows the theme."""


class Piece(NamedTuple):
    """A run of text in one look."""

    text: str
    tone: Tone = Tone.PLAIN
    color: tuple[int, int, int] | None = None
    """The color that is itself the value (red, green, blue; 0 to 255), else None."""
    bold: bool = False


def content(pieces: Iterable[Piece | str]) -> Content:
    """Pieces as Textual's text, never parsed as markup."""
    made = (piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)
    return Content.assemble(*((piece.text, _style(piece)) for piece in made))


def _style(piece: Piece) -> str:
    style = STYLES[piece.tone] if piece.color is None else "rgb({},{},{})".format(*piece.color)
    return f"bold {style}" if piece.bold else style


def cells(pieces: Iterable[Piece]) -> int:
    """How many cells pieces take together."""
    return sum(cell_len(piece.text) for piece in pieces)


def fitted(pieces: Iterable[Piece], width: int) -> list[Piece]:
    """The pieces cut with an ellipsis or padded with blanks to exactly `width` cells."""
    kept, room = [], width
    for piece in pieces:
        if room <= 0:
            break
        size = cell_len(piece.text)
        kept.append(piece if size <= room else piece._replace(text=fit_text(piece.text, room)))
        room -= size
    return [*kept, Piece(" " * room)] if room > 0 else kept


def apart(left: Sequence[Piece], right: Sequence[Piece], width: int) -> list[Piece]:
    """Pieces at both ends of `width` cells; the right ones are left out whole where they do not fit."""
    room = width - cells(right)
    if right and cells(left) + 2 <= room:
        return [*fitted(left, room), *right]
    return fitted(left, width)
