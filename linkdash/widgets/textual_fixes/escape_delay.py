"""An escape is told a tenth of a second late: so long Textual waits for what it may begin.

The thread that reads also looks for what has come only ten times a second, so that asking it for less by
`ESCDELAY` alone changes nothing.
"""

import os
import selectors
from types import ModuleType, SimpleNamespace

from textual import constants

_SECONDS = 0.04
"""Far more than what a key sends takes to arrive in one piece; editors wait for 25 to 50 ms."""


def shorten() -> None:
    """Wait less, unless the variable that Textual and ncurses read says how long."""
    if "ESCDELAY" not in os.environ:
        vars(constants)["ESCAPE_DELAY"] = _SECONDS


class _SoonAgain(selectors.SelectSelector):
    """A selector that waits no longer than an escape may after something came."""

    _came = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(constants.ESCAPE_DELAY if self._came else timeout)
        self._came = bool(found)
        return found


def looks_soon_again(plain: ModuleType) -> SimpleNamespace:
    """Return what the driver uses of the module, with a selector that looks soon again."""
    return SimpleNamespace(SelectSelector=_SoonAgain, EVENT_READ=plain.EVENT_READ, __wrapped__=plain)
