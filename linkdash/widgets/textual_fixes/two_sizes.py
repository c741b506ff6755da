"""A screen lays itself out twice for each size; told of two, for each of them in turn, for ever."""

from collections.abc import Awaitable, Callable
from functools import wraps

from textual import events
from textual.geometry import Size
from textual.screen import Screen

from linkdash.widgets.frame.sizes import size_classes

_Resized = Callable[[Screen[object], events.Resize], Awaitable[None]]


def follows_the_terminal(on_resize: _Resized) -> _Resized:
    """Lay a screen out for the size that the terminal has by now, unless it was already.

    A screen that was laid out for a new size tells itself so, which lays it out and paints it once more.
    Where the size changed again meanwhile, it is told of both, and each time tells itself again.
    """

    @wraps(on_resize)
    async def mended(self: Screen[object], event: events.Resize) -> None:
        event.size = self.app.size
        if not _is_laid_out(self, event.size):
            await on_resize(self, event)

    return mended


def _is_laid_out(screen: Screen[object], size: Size) -> bool:
    app = screen.app
    wide = (
        app.HORIZONTAL_BREAKPOINTS if screen.HORIZONTAL_BREAKPOINTS is None else screen.HORIZONTAL_BREAKPOINTS
    )
    high = app.VERTICAL_BREAKPOINTS if screen.VERTICAL_BREAKPOINTS is None else screen.VERTICAL_BREAKPOINTS
    classes = size_classes(size, wide or [], high or [])
    has_classes = all(screen.has_class(name) == is_on for name, is_on in classes.items())
    return has_classes and screen._compositor.size == size
