"""The widget that shows a QR code which a phone can scan from the terminal."""

from functools import partial

from rich.text import Text
from textual import on
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from linkdash.widgets.qr_code import QUIET_ZONE, TIGHT_QUIET_ZONE, QrError, Rgb, qr_lines, qr_modules


class QrImage(Widget):
    """Shows the QR code of a text, or says in words why it cannot; never a broken code.

    Encoding happens in a thread; what was there before stays until the new code is there.
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
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`quiet_zone` is how many empty modules it has around it where there is room.

        One that `scrolls` is as high as its code, however little of it is seen at a time.
        """
        super().__init__(id=id, classes=classes)
        self._quiet_zone = quiet_zone
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
        return self._code_size(container)[0]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the code takes, with its whole quiet zone."""
        return self._code_size(container)[1]

    def _code_size(self, container: Size) -> tuple[int, int]:
        if self._problem is not None:
            return container.width, 1
        size = qr_modules(self._shown[0]).size(self._quiet_zone)
        return min(size[0], container.width), size[1] if self._scrolls else min(size[1], container.height)

    def render(self) -> Text:
        if self._problem is not None:
            return Text(self._problem)
        text, foreground, background = self._shown
        width, height = self.content_size
        for quiet_zone in (self._quiet_zone, TIGHT_QUIET_ZONE):
            needed = qr_modules(text).size(quiet_zone)
            if needed[0] <= width and needed[1] <= height:
                lines = qr_lines(text, foreground, background, quiet_zone)
                return Text("\n", no_wrap=True).join(lines)
        return Text(
            f"This code needs {needed[0]} by {needed[1]} cells and has {width} by {height}: "
            "enlarge the window, or save the code as a picture."
        )
