"""A widget that was removed is composed and selected once more."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps

from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget


def is_removed(widget: Widget) -> bool:
    """Return whether a widget goes, or has gone."""
    return widget._pruning


def never_mounts(
    pre_process: Callable[[Widget], Coroutine[None, None, bool]],
) -> Callable[[Widget], Coroutine[None, None, bool]]:
    """Do not mount a screen that is left before it is composed: its handlers find no parts, NoMatches."""

    @wraps(pre_process)
    async def mended(self: Widget) -> bool:
        if not is_removed(self) and await pre_process(self):
            return True
        came: asyncio.Event = self._mounted_event
        came.set()
        self._is_mounted = True
        return is_removed(self)  # then it goes as all others do

    return mended


_Found = tuple[Widget | None, Offset | None]


def selects_nothing(
    found_at: Callable[[Screen[object], int, int], _Found],
) -> Callable[[Screen[object], int, int], _Found]:
    """Begin no selection with the mouse on a widget that has no parent: AttributeError."""

    @wraps(found_at)
    def mended(self: Screen[object], x: int, y: int) -> _Found:
        widget, offset = found_at(self, x, y)
        return (None, None) if widget is not None and widget.parent is None else (widget, offset)

    return mended
