"""The one rule of how wide a window is: as its longest line, within bounds."""

from collections.abc import Iterable

from rich.cells import cell_len

from linkdash.widgets.panel import FOCUS, Window

AROUND = 7
"""Cells of frame, padding and scrollbar beside the lines."""
LEAST_CELLS = 60
"""Cells of a window at least, where there is room."""
_MOST_CELLS, _MOST_PERCENT = 120, 90  # of the screen: as in the style sheet


def room_in(window: Window) -> int:
    """The cells that a line of a window can have."""
    return min(_MOST_CELLS, window.app.size.width * _MOST_PERCENT // 100) - AROUND


def fit_width(window: Window, lines: Iterable[str], most: int = _MOST_CELLS) -> None:
    """Make a window no wider than the longest of its lines, or its title; also no wider than its screen.

    One whose lines change while it is open never becomes narrower.
    """
    before = window.styles.inline.max_width
    least = LEAST_CELLS if before is None else max(LEAST_CELLS, int(before.value))
    longest = max(cell_len(line) for line in (*lines, window.title + FOCUS))
    window.styles.max_width = min(most, max(least, longest + AROUND))
