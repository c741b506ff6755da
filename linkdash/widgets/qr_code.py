"""QR codes as text and as files: a phone can scan them from the terminal."""

from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from rich.color import Color
from rich.style import Style
from rich.text import Text

from linkdash.api.colors import BLACK, WHITE, Rgb, is_scannable
from linkdash.model.qr_symbol import qr_symbol

if TYPE_CHECKING:
    import segno


QUIET_ZONE = 4
"""Empty modules around a code, as its standard asks for."""

_PIXELS_A_MODULE = 10
_HALF_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


class QrError(ValueError):
    """No QR code can hold this text; the message is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class QrModules:
    """A code without its quiet zone: square, True where it is dark."""

    rows: tuple[tuple[bool, ...], ...]

    def size(self, quiet_zone: int, *, in_blanks: bool = False) -> tuple[int, int]:
        """The cells it takes as half blocks, width and height; or in blanks, two cells a module."""
        side = len(self.rows) + 2 * quiet_zone
        return (2 * side, side) if in_blanks else (side, (side + 1) // 2)


@lru_cache(maxsize=16)
def qr_modules(text: str) -> QrModules:
    """The smallest code that holds `text`. Raises QrError. Takes up to 100 ms for a long text."""
    matrix = _code(text).matrix
    return QrModules(tuple(tuple(module == 1 for module in row) for row in matrix))


def scannable_colors(dark: Rgb | None, light: Rgb | None) -> tuple[Rgb, Rgb]:
    """The two colors if they are dark on light with enough contrast for a scanner, else black on white."""
    dark, light = dark or BLACK, light or WHITE
    return (dark, light) if is_scannable(dark, light) else (BLACK, WHITE)


def qr_lines(
    text: str, dark: Rgb | None = None, light: Rgb | None = None, quiet_zone: int = QUIET_ZONE
) -> list[Text]:
    """The code of `text`, two modules a cell, quiet zone included. Raises QrError.

    Dark modules are ink, so that the lines are the code without their colors too.
    """
    ink, paper = scannable_colors(dark, light)
    style = Style(color=Color.from_rgb(*ink), bgcolor=Color.from_rgb(*paper))
    rows = _with_quiet_zone(qr_modules(text), quiet_zone)
    return [
        Text("".join(_HALF_BLOCKS[pair] for pair in zip(upper, lower, strict=True)), style)
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]


def qr_blanks(
    text: str, dark: Rgb | None = None, light: Rgb | None = None, quiet_zone: int = QUIET_ZONE
) -> list[Text]:
    """The code of `text` in blanks on the two colors, two cells a module. Raises QrError."""
    ink, paper = (Style(bgcolor=Color.from_rgb(*color)) for color in scannable_colors(dark, light))
    modules = qr_modules(text)
    rows = _with_quiet_zone(modules, quiet_zone)[: modules.size(quiet_zone, in_blanks=True)[1]]
    return [Text.assemble(*(("  ", ink if module else paper) for module in row)) for row in rows]


def qr_picture(
    text: str, kind: Literal["svg", "png"], dark: Rgb | None = None, light: Rgb | None = None
) -> bytes:
    """The code of `text` as the content of a file. Raises QrError."""
    ink, paper = scannable_colors(dark, light)
    file = BytesIO()
    _code(text).save(file, kind=kind, scale=_PIXELS_A_MODULE, border=QUIET_ZONE, dark=ink, light=paper)
    return file.getvalue()


def _code(text: str) -> "segno.QRCode":
    import segno

    if not text:
        raise QrError("there is nothing to put into a QR code")
    try:
        return qr_symbol(text)
    except segno.DataOverflowError as error:
        raise QrError(f"the text is too long for a QR code ({len(text):,} characters)") from error
    except ValueError as error:
        raise QrError("the text has characters that a QR code cannot hold") from error


def _with_quiet_zone(modules: QrModules, quiet_zone: int) -> list[tuple[bool, ...]]:
    """The rows with light ones all around, an even number of them."""
    side = len(modules.rows) + 2 * quiet_zone
    empty, edge = (False,) * side, (False,) * quiet_zone
    rows = [edge + row + edge for row in modules.rows]
    below = quiet_zone + side % 2
    return [empty] * quiet_zone + rows + [empty] * below
