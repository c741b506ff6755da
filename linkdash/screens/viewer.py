"""A text to read and to copy, over the screen it belongs to."""

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from linkdash.screens.clipboard import copy
from linkdash.widgets.key_line import KeyLine


class ViewerScreen(ModalScreen[None]):
    """Shows lines as they are; scrolls by keys."""

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

    def __init__(self, title: str, text: Text) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(classes="window -tall"):
            yield Static(self._title, classes="window-title", markup=False)
            with VerticalScroll(can_focus=False, id="page"):
                yield Static(self._text)
        yield KeyLine()

    @property
    def _page(self) -> VerticalScroll:
        return self.query_one("#page", VerticalScroll)

    def action_copy(self) -> None:
        copy(self.app, self._title, self._text.plain)

    def action_scroll(self, lines: int) -> None:
        self._page.scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        self._page.scroll_relative(y=pages * self._page.size.height, animate=False)

    def action_edge(self, top: bool) -> None:
        self._page.scroll_to(y=0 if top else self._page.max_scroll_y, animate=False)
