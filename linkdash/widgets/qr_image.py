"""The widget that draws a QR code."""

import asyncio
from functools import partial
from textwrap import wrap

from rich.text import Text
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker

from linkdash.api.colors import Rgb
from linkdash.widgets.qr_code import QUIET_ZONE, QrError, qr_blanks, qr_lines, qr_modules
from linkdash.widgets.styled_text import ASCII

TIGHT_QUIET_ZONE = 2
"""The margin that scanners still read reliably, for where there is no room for more."""
_AT_ONCE = 150
"""Bytes that are encoded within 15 ms: no thread and no second layout is worth that."""
_AROUND = Size(4, 4)
"""Cells of the screen that are not for a large code: a frame, a line of words below it, the key line."""


class QrImage(Widget):
    """The QR code of a text, or the words why there is none; never a broken code.

    A long text is encoded in a thread; what was there before stays until the new code is there. Where signs
    become plain ones it is drawn in blanks, and for a screen reader it is not drawn.
    """

    class Encoded(Message):
        """A text that took a while is encoded, or cannot be."""

    def __init__(
        self,
        *,
        quiet_zone: int = QUIET_ZONE,
        scrolls: bool = False,
        is_large: bool = False,
        advice: str = "",
        id: str | None = None,
    ) -> None:
        """`quiet_zone` is how many empty modules it has around it where there is room.

        One that `scrolls` is as high as its code, however little of it is seen at a time. One that
        `is_large` has two cells a module wherever there is room for that. `advice` is a
        sentence on how to get at the code where it cannot be drawn.
        """
        super().__init__(id=id)
        self._quiet_zone = quiet_zone
        self._advice = advice
        self._scrolls = scrolls
        self._is_large = is_large
        self._wanted: tuple[str, Rgb | None, Rgb | None] = ("", None, None)
        self._shown: tuple[str, Rgb | None, Rgb | None] = self._wanted
        self._problem: str | None = ""
        """Why there is no code; None if there is one."""

    @property
    def encoded(self) -> str | None:
        """Return what the code holds that is drawn; None where words stand in its place."""
        return self._shown[0] if self._problem is None else None

    def show(self, text: str, foreground: Rgb | None = None, background: Rgb | None = None) -> bool:
        """Show the code of `text`, in these colors if a scanner can tell them apart.

        Return whether that is done; otherwise `Encoded` follows.
        """
        self._wanted = (text, foreground, background)
        if is_at_once := len(text.encode("utf-8", "replace")) <= _AT_ONCE:
            self._paint(text, _problem_of(text))
        else:
            _: Worker[None] = self.run_worker(partial(self._encode, text), exclusive=True, group="qr")
        return is_at_once

    async def _encode(self, text: str) -> None:
        problem = await asyncio.to_thread(_problem_of, text)
        self._paint(text, problem)
        self.post_message(self.Encoded())

    def _paint(self, text: str, problem: str | None) -> None:
        if text == self._wanted[0]:
            self._shown, self._problem = self._wanted, problem
            self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As many cells as the code takes, with its whole quiet zone."""
        # A window that becomes as wide as what is in it has no width yet.
        return self._code_size(container if container.width else viewport, viewport)[0]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the code takes, with its whole quiet zone."""
        return self._code_size(container, viewport)[1]

    def size_of(self, text: str, quiet_zone: int) -> tuple[int, int]:
        """The cells that the code of a text takes here, width and height. Raises QrError."""
        return qr_modules(text).size(quiet_zone, in_blanks=self._is_in_blanks)

    def _code_size(self, container: Size, viewport: Size) -> tuple[int, int]:
        if (words := self._words) is not None:
            return container.width, max(1, len(wrap(words, max(1, container.width))))
        # A window that becomes as high as what is in it has no height yet, either.
        _, _, size = self._looks(viewport - _AROUND if self._is_large else container)[0]
        return min(size[0], container.width), size[1] if self._scrolls else min(size[1], container.height)

    def _looks(self, room: Size) -> list[tuple[bool, int, tuple[int, int]]]:
        """Return the ways to draw it, the best first: in blanks or not, its quiet zone, the cells it needs.

        A large one that has no room is left out.
        """
        modules, zones = qr_modules(self._shown[0]), (self._quiet_zone, TIGHT_QUIET_ZONE)
        large = [(True, zone, modules.size(zone, in_blanks=True)) for zone in zones if self._is_large]
        usual = [(self._is_in_blanks, zone, self.size_of(self._shown[0], zone)) for zone in zones]
        return [*(look for look in large if _fits(look[2], room)), *usual]

    @property
    def _is_in_blanks(self) -> bool:
        return self.app.has_class(ASCII)

    @property
    def is_drawn(self) -> bool:
        """Return whether codes are drawn at all: not in blanks without color."""
        has_colors = not (self.app.no_color and self.app.native_ansi_color)
        return has_colors or not self._is_in_blanks

    @property
    def _words(self) -> str | None:
        """Return the words in the place of a code, however large the room; None where it is drawn."""
        if self._problem is not None or self.is_drawn:
            return self._problem
        return f"The code is a picture, which cannot be drawn here. {self._advice}".rstrip()

    def render(self) -> Text:
        if (words := self._words) is not None:
            return Text(words)
        text, foreground, background = self._shown
        looks = self._looks(self.content_size)
        for in_blanks, quiet_zone, needed in looks:
            if _fits(needed, self.content_size):
                draw = qr_blanks if in_blanks else qr_lines
                return Text("\n", no_wrap=True).join(draw(text, foreground, background, quiet_zone))
        _, _, needed = looks[-1]
        width, height = self.content_size
        said = f"This code needs {needed[0]} by {needed[1]} cells and has {width} by {height}"
        return Text(f"{said}: enlarge the window. {self._advice}".rstrip())


def _problem_of(text: str) -> str | None:
    """Encode a text, which is kept for a while; why it cannot be, if so."""
    try:
        qr_modules(text)
    except QrError as error:
        return str(error)
    return None


def _fits(needed: tuple[int, int], room: Size) -> bool:
    return needed[0] <= room.width and needed[1] <= room.height
