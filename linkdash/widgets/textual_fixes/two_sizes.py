"""A screen that was told of two sizes lays itself out for each of them in turn, for ever."""

from collections.abc import Awaitable, Callable
from functools import wraps

from textual import events
from textual.screen import Screen

_Resized = Callable[[Screen[object], events.Resize], Awaitable[None]]


def follows_the_terminal(on_resize: _Resized) -> _Resized:
    """Lay a screen out for the size that the terminal has by now.

    A screen that was laid out for a new size tells itself so. Where the size changed again meanwhile, it is
    told of both, and each time tells itself again.
    """

    @wraps(on_resize)
    async def mended(self: Screen[object], event: events.Resize) -> None:
        event.size = self.app.size
        await on_resize(self, event)

    return mended
