"""The base of windows that show a page."""

from typing import TypeVar

from linkdash.widgets.window_screen import WindowScreen

SIDEWAYS = 8  # cells that one key press scrolls to the left or right

Result = TypeVar("Result")


class PageWindow(WindowScreen[Result]):
    """A window with a page, `#page`, which its keys scroll."""

    def action_scroll(self, lines: int) -> None:
        self.query_one("#page").scroll_relative(y=lines, animate=False)

    def action_edge(self, top: bool) -> None:
        page = self.query_one("#page")
        page.scroll_to(y=0 if top else page.max_scroll_y, animate=False)

    def action_page(self, pages: int) -> None:
        page = self.query_one("#page")
        page.scroll_relative(y=pages * page.size.height, animate=False)
