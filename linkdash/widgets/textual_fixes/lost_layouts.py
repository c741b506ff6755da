"""A widget that grows twice keeps the size of the first time, where a layout came between."""

from collections.abc import Callable
from functools import wraps

from textual.geometry import Region
from textual.widget import Widget

_Refresh = Callable[..., Widget]


def counts_each(refresh: _Refresh) -> _Refresh:
    """Know the size of a widget no more each time that it asks for a layout.

    A size is known for as long as no layout was asked for. Asked for again before the first was passed on,
    that is not counted, though the size may be known anew since then.
    """

    @wraps(refresh)
    def mended(
        self: Widget,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Widget:
        if layout and self._layout_required:
            self._layout_updates += 1
        return refresh(self, *regions, repaint=repaint, layout=layout, recompose=recompose)

    return mended
