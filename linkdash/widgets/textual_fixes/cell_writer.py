"""Only cells that changed are written, for the promise of at most 8 kB a minute at rest.

Textual repaints the whole terminal each time something changes on a screen that lies under another, writes a
line where one digit of it differs, and the whole screen several times until the first picture stands.
"""

from collections.abc import Iterator
from typing import TypeVar

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.screen import Screen
from textual.strip import Strip

from linkdash.widgets.terminal.terminal_picture import TerminalPicture

Result = TypeVar("Result")


class CellUpdate(CompositorUpdate):
    """An update of Textual's compositor, written as what it changes of what the terminal shows."""

    def __init__(
        self, picture: TerminalPicture, size: tuple[int, int], update: LayoutUpdate | ChopsUpdate
    ) -> None:
        self._picture, self._size, self._update = picture, size, update

    def __rich__(self) -> str:
        """Return nothing: Textual wants to have this, and asks for `render_segments`."""
        return ""

    def render_segments(self, console: Console) -> str:
        """Return the bytes to write."""
        colors = COLOR_SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)
        return self._picture.changes(self._size, pieces_of(self._update), colors)


def pieces_of(update: LayoutUpdate | ChopsUpdate | None) -> Iterator[tuple[int, int, Strip]]:
    """Return the pieces of lines that an update paints: column, row, and what stands there."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in line:
                yield x, y, strip
                x += strip.cell_length
    elif update is not None:
        # Every piece that a changed span touches: what of it did not change is not written anyway. A piece
        # that begins where the span ends was not composed for this update, and holds only what lies below.
        for y, start, end in update.spans:
            for x, piece in update.chops[y].items():
                if piece is not None and x < end and x + piece.cell_length > start:
                    yield x, y, piece


def drawn_strips(screen: Screen[Result]) -> list[Strip]:
    """Return the lines of a screen as they were laid out last, also while it lies under another."""
    return screen._compositor.render_strips()
