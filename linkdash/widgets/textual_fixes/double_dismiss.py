"""A screen that is dismissed twice takes the one below it along."""

from collections.abc import Callable
from functools import wraps

from textual.await_complete import AwaitComplete
from textual.screen import Screen


def only_the_top(
    dismiss: Callable[[Screen[object], object], AwaitComplete],
) -> Callable[[Screen[object], object], AwaitComplete]:
    """Dismiss the screen that is shown and no other: a key that is pressed twice dismisses it twice."""

    @wraps(dismiss)
    def mended(self: Screen[object], result: object = None) -> AwaitComplete:
        return dismiss(self, result) if self.is_attached and self is self.app.screen else AwaitComplete()

    return mended
