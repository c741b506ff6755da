"""Text in one look: what every cell and line of ours is put together from."""

import enum
from collections.abc import Iterable
from typing import NamedTuple

from textual.content import Content


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
}
"""The look of each tone outside of tables: resolved when it is drawn, so it follows the theme."""


class Piece(NamedTuple):
    """A run of text in one look."""

    text: str
    tone: Tone = Tone.PLAIN
    color: tuple[int, int, int] | None = None
    """The color that is itself the value (red, green, blue; 0 to 255), else None."""


def content(pieces: Iterable[Piece | str]) -> Content:
    """Pieces as Textual's text, never parsed as markup."""
    made = (piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)
    return Content.assemble(*((piece.text, _style(piece)) for piece in made))


def _style(piece: Piece) -> str:
    if piece.color is None:
        return STYLES[piece.tone]
    return "rgb({},{},{})".format(*piece.color)
