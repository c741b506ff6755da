"""Curves drawn by plotext, within bounds that it survives."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, TypeAlias

from rich.cells import cell_len
from rich.style import Style

# ---- drawing ----

Run: TypeAlias = tuple[str, int | None]
"""A piece of a drawn row and the number of its series; None for the frame."""
Point: TypeAlias = tuple[float, float]

_MARKER = "braille"
_DOTS = 4  # of braille in the height of a cell
_NO_DOTS, _ALL_DOTS = 0x2800, 0x28FF
_IN_TURN = 2  # cells of one of the curves that lie on one another, before those of the next
_LONE_POINT = "•"
_MOST_CELLS = 100_000
_FAILURES = (
    ArithmeticError, AttributeError, ImportError, LookupError, MemoryError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip

_logger = logging.getLogger(__name__)
_one_at_a_time = threading.Lock()
_SGR = re.compile("\x1b\\[[0-9;]*m")


class CanvasError(Exception):
    """plotext could not draw this; the numbers have to speak for themselves."""


def draw_curves(curves: Sequence[Sequence[Point | None]], width: int, height: int) -> list[list[Run]]:
    """`width` by `height` cells with a curve for each series; None breaks it.

    Points are (x, y) from 0 to 1, in the order of their x; a y of 0 is the middle of the lowest row, 1 that
    of the highest. Where curves lie on one another, each has some cells in its turn. Raises CanvasError.
    """
    with _guarded(width, height):
        return _on_one_another([_letters(curve, width, height) for curve in curves], width, height)


def _letters(curve: Sequence[Point | None], width: int, height: int) -> list[str]:
    """The rows of one curve."""
    plotext, figure = _new_figure(width, height)
    figure.axes(False, axis="both", side="both")
    for axis in ("x", "y"):
        figure.ruler(axis).lim(0, 1)
        figure.ruler(axis).ticks([], [])
    for piece in _pieces(curve):
        symbol, to_canvas = (_MARKER, _in_dots) if len(piece) > 1 else (_LONE_POINT, _in_cells)
        heights = [to_canvas(y, height) for _, y in piece]
        signal = figure.signal([x for x, _ in piece], heights, marker=plotext.marker(symbol, 0))
        figure.draw(signal.lines(True))
    return _measured(figure, width, height)


def _on_one_another(curves: Sequence[Sequence[str]], width: int, height: int) -> list[list[Run]]:
    """Curves in one canvas, each in its color; along a stretch that they share, the colors take turns."""
    rows: list[list[Run]] = [[(" ", None)] * width for _ in range(height)]
    shared: Counter[tuple[int, ...]] = Counter()
    for x in range(width):
        for y in range(height):
            here = tuple(number for number, curve in enumerate(curves) if curve[y][x] != " ")
            if here:
                seen = here[shared[here] // _IN_TURN % len(here)]
                rows[y][x] = (_together([curves[number][y][x] for number in here]), seen)
                shared[here] += 1
    return [
        [("".join(letter for letter, _ in cells), series) for series, cells in groupby(row, _series_of)]
        for row in rows
    ]


def _together(letters: Sequence[str]) -> str:
    """The dots of all letters of a cell; the first one that is no dots, if any."""
    dots = _NO_DOTS
    for letter in letters:
        if not _NO_DOTS <= ord(letter) <= _ALL_DOTS:
            return letter
        dots |= ord(letter)
    return chr(dots)


def _series_of(run: Run) -> int | None:
    return run[1]


@contextmanager
def _guarded(width: int, height: int) -> Iterator[None]:
    """Draw one at a time, because the figures share state; every failure is a CanvasError."""
    if not 0 < width * height <= _MOST_CELLS:
        raise CanvasError(f"{width} by {height} cells cannot be drawn")
    from ctypes import ArgumentError  # the compiled core's; costs 12 ms to import

    with _one_at_a_time:
        try:
            yield
        except (ArgumentError, *_FAILURES) as error:
            _logger.warning("A chart could not be drawn: %s", type(error).__name__)
            raise CanvasError("the chart could not be drawn") from error


def _new_figure(width: int, height: int) -> tuple[Any, Any]:
    """plotext, and a figure without colors on a terminal of its own whose x ends at 0 and 1."""
    import plotext  # type: ignore[import-untyped]  # ships no types

    terminal = type(plotext.terminal)()
    terminal.limit(False, False)
    figure = type(plotext.figure)(terminal)
    figure.plot_size(width, height).theme("colorless")
    figure.ruler("both", "both").alignment(lim="edge")
    figure.ruler("x").lim(0, 1)
    return plotext, figure


def _measured(figure: Any, width: int, height: int) -> list[str]:
    rows = [_SGR.sub("", row) for row in figure.build().string().splitlines()]
    if len(rows) != height or any(len(row) != width or cell_len(row) != width for row in rows):
        raise ValueError("the drawing has another size than was asked for")
    return rows


def _pieces(curve: Sequence[Point | None]) -> Iterator[list[Point]]:
    """The unbroken pieces of a curve."""
    piece: list[Point] = []
    for point in (*curve, None):
        if point is not None:
            piece.append((_unit(point[0]), _unit(point[1])))
        elif piece:
            yield piece
            piece = []


def _dot(y: float, height: int) -> int:
    """The dot, counted from below, that a y is drawn with."""
    return int(_DOTS * (height - 1) * y + _DOTS / 2)


def row_from_below(y: float, height: int) -> int:
    """The row in which a curve is drawn at a y; the lowest is 0."""
    return _dot(y, height) // _DOTS


def _in_dots(y: float, height: int) -> float:
    """The place of a y on a canvas whose ends are its lowest and its highest dot."""
    return _dot(y, height) / (_DOTS * height - 1)


def _in_cells(y: float, height: int) -> float:
    """The same for a sign that fills a cell."""
    return row_from_below(y, height) / max(1, height - 1)


def _unit(value: float) -> float:
    """`value` between 0 and 1, and 0 for what is no number."""
    return max(0.0, min(1.0, value)) if value == value else 0.0


NO_STYLE = Style.null()
