"""QR codes as text, as files, and as a widget: a phone can scan them from the terminal."""

from dataclasses import dataclass
from functools import lru_cache, partial
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, TypeAlias

from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual import on
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from linkdash.widgets.pieces import ASCII, LINEAR

if TYPE_CHECKING:
    import segno

# ---- as text and as files ----

Rgb: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

QUIET_ZONE = 4
"""Empty modules around a code, as its standard asks for."""
TIGHT_QUIET_ZONE = 2
"""What scanners still read reliably, for where there is no room for more."""

_BLACK: Rgb = (0, 0, 0)
_WHITE: Rgb = (255, 255, 255)
LEAST_CONTRAST = 4.0
"""What a scanner needs to tell ink from paper."""
_PIXELS_A_MODULE = 10
_HALF_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


class QrError(ValueError):
    """No QR code can hold this text; the message is a sentence for a person."""


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


def contrast(dark: Rgb | None, light: Rgb | None) -> float:
    """How much lighter the paper is than the ink: 21 for black on white, below 1 for light on dark."""
    return (_luminance(light or _WHITE) + 0.05) / (_luminance(dark or _BLACK) + 0.05)


def scannable_colors(dark: Rgb | None, light: Rgb | None) -> tuple[Rgb, Rgb]:
    """The two colors if they are dark on light with enough contrast for a scanner, else black on white."""
    dark, light = dark or _BLACK, light or _WHITE
    return (dark, light) if contrast(dark, light) >= LEAST_CONTRAST else (_BLACK, _WHITE)


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
    import segno  # 50 ms, so only once a code is wanted

    if not text:
        raise QrError("there is nothing to put into a QR code")
    try:
        return segno.make_qr(text, error="l", encoding=None if text.isascii() else "utf-8")
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


def _luminance(color: Rgb) -> float:
    """The relative luminance of WCAG 2, from 0 for black to 1 for white."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# ---- as a widget ----


class QrImage(Widget):
    """Shows the QR code of a text, or says in words why it cannot; never a broken code.

    Encoding happens in a thread; what was there before stays until the new code is there. Where signs become
    plain ones it is drawn in blanks, and for a screen reader it is not drawn.
    """

    class Encoded(Message):
        """A text is encoded, or cannot be: then `problem` says why."""

        def __init__(self, text: str, problem: str | None) -> None:
            self.text = text
            self.problem = problem
            super().__init__()

    def __init__(
        self,
        *,
        quiet_zone: int = QUIET_ZONE,
        scrolls: bool = False,
        advice: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`quiet_zone` is how many empty modules it has around it where there is room.

        One that `scrolls` is as high as its code, however little of it is seen at a time. `advice` is a
        sentence on how to get at the code where it cannot be drawn.
        """
        super().__init__(id=id, classes=classes)
        self._quiet_zone = quiet_zone
        self._advice = advice
        self._scrolls = scrolls
        self._wanted: tuple[str, Rgb | None, Rgb | None] = ("", None, None)
        self._shown: tuple[str, Rgb | None, Rgb | None] = self._wanted
        self._problem: str | None = ""

    def show(self, text: str, foreground: Rgb | None = None, background: Rgb | None = None) -> None:
        """Shows the code of `text`, in these colors if a scanner can tell them apart."""
        self._wanted = (text, foreground, background)
        self.run_worker(partial(self._encode, text), thread=True, exclusive=True, group="qr")

    def _encode(self, text: str) -> None:
        problem = None
        try:
            qr_modules(text)
        except QrError as error:
            problem = str(error)
        self.post_message(self.Encoded(text, problem))

    @on(Encoded)
    def _paint(self, message: Encoded) -> None:
        if message.text == self._wanted[0]:
            self._shown, self._problem = self._wanted, message.problem
            self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As many cells as the code takes, with its whole quiet zone."""
        # A window that becomes as wide as what is in it has no width yet.
        return self._code_size(container if container.width else viewport)[0]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the code takes, with its whole quiet zone."""
        return self._code_size(container)[1]

    def size_of(self, text: str, quiet_zone: int) -> tuple[int, int]:
        """The cells that the code of a text takes here, width and height. Raises QrError."""
        return qr_modules(text).size(quiet_zone, in_blanks=self._is_in_blanks)

    def _code_size(self, container: Size) -> tuple[int, int]:
        if (words := self._words) is not None:
            return container.width, max(1, len(wrap(words, max(1, container.width))))
        size = self.size_of(self._shown[0], self._quiet_zone)
        return min(size[0], container.width), size[1] if self._scrolls else min(size[1], container.height)

    @property
    def _is_in_blanks(self) -> bool:
        return self.app.has_class(ASCII)

    @property
    def is_drawn(self) -> bool:
        """Whether codes are drawn at all: not for a screen reader, nor in blanks where there is no color."""
        has_colors = not (self.app.no_color and self.app.native_ansi_color)
        return not self.app.has_class(LINEAR) and (has_colors or not self._is_in_blanks)

    @property
    def _words(self) -> str | None:
        """What is said in the place of a code, however large the room; None where it is drawn."""
        if self._problem is not None or self.is_drawn:
            return self._problem
        return f"The code is a picture, which cannot be drawn here. {self._advice}".rstrip()

    def render(self) -> Text:
        if (words := self._words) is not None:
            return Text(words)
        text, foreground, background = self._shown
        width, height = self.content_size
        draw = qr_blanks if self._is_in_blanks else qr_lines
        for quiet_zone in (self._quiet_zone, TIGHT_QUIET_ZONE):
            needed = self.size_of(text, quiet_zone)
            if needed[0] <= width and needed[1] <= height:
                lines = draw(text, foreground, background, quiet_zone)
                return Text("\n", no_wrap=True).join(lines)
        said = f"This code needs {needed[0]} by {needed[1]} cells and has {width} by {height}"
        return Text(f"{said}: enlarge the window. {self._advice}".rstrip())
