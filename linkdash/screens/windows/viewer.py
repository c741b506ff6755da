"""The viewer: a text to be read."""

from collections.abc import Callable

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from linkdash.api.inert_text import inert
from linkdash.screens.clipboard import copy_text
from linkdash.screens.windows.page_window import PageWindow
from linkdash.screens.windows.widths import fit_width, room_in
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import Window
from linkdash.widgets.text_page import FittingText

_MOST_DRAWN = 20_000  # characters of a text: all of them are laid out before the first is seen


class ViewerScreen(PageWindow[None]):
    """Lines, each inert, that scroll by keys. `y` copies all of a text that is too long to be drawn."""

    BINDINGS = [
        Binding("escape,q", "dismiss", "Back"),
        Binding("y", "copy", "Copy all"),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("g,home", "edge(True)", show=False),
        Binding("G,end", "edge(False)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(self, title: str, text: Text | str | Callable[[int | None], Text | str]) -> None:
        """`text` may be one that is written for so many cells; for None, to be copied."""
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        text = self._text
        with Window(title=self._title, classes="-page"), VerticalScroll(can_focus=False, id="page"):
            if callable(text):
                yield FittingText(lambda width: beginning(text(width)))
            else:
                yield Static(beginning(text))
        yield KeyLine()

    def on_resize(self) -> None:
        """Make it as wide as its longest line; a text that is wrapped has all the room there is."""
        window = self.query_one(Window)
        whole = str(beginning(self._whole))
        is_wrapped = callable(self._text) and str(beginning(self._text(room_in(window)))) != whole
        window.styles.max_width = None
        if not is_wrapped:
            fit_width(window, whole.split("\n"))

    @property
    def _whole(self) -> Text | str:
        return self._text(None) if callable(self._text) else self._text

    def action_copy(self) -> None:
        copy_text(self.app, self._title, str(self._whole))


def beginning(text: Text | str) -> Text:
    """As much of a text as can be drawn at once, inert; a copy has all of it."""
    beginning = text[:_MOST_DRAWN]
    drawn = beginning
    if isinstance(drawn, str):
        drawn = Text("\n".join(map(inert, drawn.split("\n"))))
    if (left := len(text) - _MOST_DRAWN) > 0:
        drawn.append(f"…\n\n{left:,} more characters: Copy all has them.")
    return drawn
