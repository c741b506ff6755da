"""Lines to read in a part of the screen; they scroll where they have no room."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static


class TextPage(VerticalScroll, can_focus=False):
    """Shows a text as it is."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._static = Static()
        self._text = Text()

    def compose(self) -> ComposeResult:
        yield self._static

    def show(self, text: Text) -> None:
        """Shows another text, from its beginning."""
        if text != self._text:
            self._text = text
            self._static.update(text)
            self.scroll_home(animate=False)
