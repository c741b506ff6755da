"""The base of windows that show a page."""

from typing import TypeVar

from textual import events
from textual.screen import ModalScreen

SIDEWAYS = 8  # cells that one key press scrolls to the left or right

Result = TypeVar("Result")


class PageWindow(ModalScreen[Result]):
    """A window with a page, `#page`, which its keys scroll."""

    _styled_in = ""
    """The theme that its styles were worked out in last, if it was shown before."""

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Work its styles out again only where they change."""
        event.refresh_styles = self._styled_in not in ("", self.app.theme)
        self._styled_in = self.app.theme

    def action_scroll(self, lines: int) -> None:
        self.query_one("#page").scroll_relative(y=lines, animate=False)

    def action_edge(self, top: bool) -> None:
        page = self.query_one("#page")
        page.scroll_to(y=0 if top else page.max_scroll_y, animate=False)

    def action_page(self, pages: int) -> None:
        page = self.query_one("#page")
        page.scroll_relative(y=pages * page.size.height, animate=False)
