"""The one place that asks plotext to draw.

plotext's core is compiled: numbers it did not expect can make it allocate gigabytes or end the process. So it
gets no numbers and no texts of the service, only positions between 0 and 1 on axes that end at 0 and 1, ticks
made here, and a figure of its own for every drawing. What it drew is measured before it is believed.
"""

import logging
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from rich.cells import cell_len

from linkdash.widgets.charts.axis import Tick

Run: TypeAlias = tuple[str, int | None]
"""A piece of a drawn row and the number of its series; None for the frame."""
Point: TypeAlias = tuple[float, float]

_MARKER = "braille"
_LONE_POINT = "•"
_MOST_CELLS = 100_000
_FAILURES = (
    ArithmeticError, AttributeError, ImportError, LookupError, MemoryError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip

_logger = logging.getLogger(__name__)
_one_at_a_time = threading.Lock()
_SGR = re.compile("\x1b\\[([0-9;]*)m")
_SERIES = re.compile("38;5;([0-9]+)")


class CanvasError(Exception):
    """plotext could not draw this; the numbers have to speak for themselves."""


def draw_curves(
    curves: Sequence[Sequence[Point | None]],
    width: int,
    height: int,
    *,
    bottom: Sequence[Tick],
    left: Sequence[Tick],
) -> list[list[Run]]:
    """A frame of `width` by `height` cells with a curve for each series; None breaks it.

    Points are (x, y) from 0 to 1, in the order of their x. Raises CanvasError.
    """
    with _guarded(width, height):
        plotext, figure = _new_figure(width, height)
        figure.axes(False, axis="both", side="both")
        figure.axes(True, axis=["x", "y"], side=0)
        figure.ruler("y").lim(0, 1)
        for axis, ticks in (("x", bottom), ("y", left)):
            figure.ruler(axis).ticks([_unit(tick.position) for tick in ticks], [tick.label for tick in ticks])
        for number, curve in enumerate(curves):
            for piece in _pieces(curve):
                symbol = _MARKER if len(piece) > 1 else _LONE_POINT
                marker = plotext.marker(symbol, number)
                signal = figure.signal([x for x, _ in piece], [y for _, y in piece], marker=marker)
                figure.draw(signal.lines(True))
        return _measured(figure, width, height)


@contextmanager
def _guarded(width: int, height: int) -> Iterator[None]:
    """One drawing at a time, because the figures share state; and every failure is a CanvasError."""
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


def _measured(figure: Any, width: int, height: int) -> list[list[Run]]:
    rows = [list(_runs(row)) for row in figure.build().string().splitlines()]
    if len(rows) != height or any(sum(cell_len(text) for text, _ in row) != width for row in rows):
        raise ValueError("the drawing has another size than was asked for")
    return rows


def _runs(row: str) -> Iterator[Run]:
    """Splits a row at its color codes, where the color's number is the number of the series."""
    series = None
    for index, part in enumerate(_SGR.split(row)):
        if index % 2:
            color = _SERIES.fullmatch(part)
            series = int(color[1]) if color else None
        elif part:
            yield part, series


def _pieces(curve: Sequence[Point | None]) -> Iterator[list[Point]]:
    """The unbroken pieces of a curve."""
    piece: list[Point] = []
    for point in (*curve, None):
        if point is not None:
            piece.append((_unit(point[0]), _unit(point[1])))
        elif piece:
            yield piece
            piece = []


def _unit(value: float) -> float:
    """`value` between 0 and 1, and 0 for what is no number."""
    return max(0.0, min(1.0, value)) if value == value else 0.0
