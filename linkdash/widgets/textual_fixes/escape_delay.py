"""An escape is told a tenth of a second late: so long Textual waits for what it may begin.

It waits as long within a sequence, where a slow line needs that; what a key sends comes in one piece nearly
always, so that an escape which comes alone is one. The thread that reads looks for what has come only ten
times a second.
"""

import os
import selectors
from collections.abc import Callable, Iterable
from functools import wraps
from types import ModuleType, SimpleNamespace

from textual import constants
from textual._xterm_parser import XTermParser
from textual.message import Message

_ESCAPE = "\x1b"
_SECONDS = 0.04
"""For an escape that comes alone; editors wait for 25 to 50 ms."""

_Feed = Callable[[XTermParser, str], Iterable[Message]]


def told_soon(feed: _Feed) -> _Feed:
    """Wait less after an escape alone, unless the variable that Textual and ncurses read says how long."""

    @wraps(feed)
    def mended(self: XTermParser, data: str) -> Iterable[Message]:
        yield from feed(self, data)
        if data == _ESCAPE and self._timeout_time is not None and "ESCDELAY" not in os.environ:
            self._timeout_time -= max(0.0, constants.ESCAPE_DELAY - _SECONDS)

    return mended


class _SoonAgain(selectors.SelectSelector):
    """A selector that waits no longer than for an escape after something came."""

    _came = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        soon = _SECONDS if timeout is None else min(timeout, _SECONDS)
        found = super().select(soon if self._came else timeout)
        self._came = bool(found)
        return found


def looks_soon_again(plain: ModuleType) -> SimpleNamespace:
    """Return what the driver uses of the module, with a selector that looks soon again."""
    return SimpleNamespace(SelectSelector=_SoonAgain, EVENT_READ=plain.EVENT_READ, __wrapped__=plain)
