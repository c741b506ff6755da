"""What charts are drawn with: plotext, which is asked here alone, ticks of axes, lines of measured text.

plotext's core is compiled: numbers it did not expect can make it allocate gigabytes or end the process. So it
gets no numbers and no texts of the service, only positions between 0 and 1 on axes that end at 0 and 1, ticks
made here, and a figure of its own for every drawing. What it drew is measured before it is believed.
"""

import logging
import math
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from linkdash.model.humanize import compact, exact
from linkdash.model.statistics.chart_data import Number, Tone, finite

# ---- ticks ----

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 24
_HOURS = (1, 2, 3, 6, 12, _DAY, 2 * _DAY, 3 * _DAY, 7 * _DAY, 14 * _DAY, 28 * _DAY)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 600, 1200)
_WIDEST_EXACT = 9
_LEAST_SPAN = 1e-290  # below it, steps are less than a float can hold


class Tick(NamedTuple):
    """A place on an axis, from 0 to 1, and its label."""

    position: float
    label: str


class Scale(NamedTuple):
    """The ends of an axis of numbers and its ticks."""

    low: float
    high: float
    ticks: list[Tick]

    def position(self, value: float) -> float:
        """Where `value` is on the axis, from 0 to 1."""
        # Halved, because the distance of two huge ends is more than a float can hold.
        return max(0.0, min(1.0, (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)))


def number_scale(low: float, high: float, count: int) -> Scale:
    """An axis from `low` to `high` with about `count` ticks on round numbers.

    It begins at zero unless that would press all that happens into its outer half.
    """
    whole = low.is_integer() and high.is_integer()
    if low > 0 and (low <= high / 2 or low == high):
        low = 0.0
    elif high < 0 and (high >= low / 2 or low == high):
        high = 0.0
    if high - low <= max(abs(high) * 1e-9, _LEAST_SPAN):
        high = low + max(1.0, abs(low) / 10)
    step = _round_step(high / max(1, count - 1) - low / max(1, count - 1), whole)
    first, last = math.floor(low / step), math.ceil(high / step)
    scale = Scale(first * step, last * step, [])
    values = [mark * step for mark in range(first, last + 1)]
    return scale._replace(ticks=[Tick(scale.position(value), _written(value)) for value in values])


def _round_step(step: float, whole: bool) -> float:
    """The next of 1, 2, 5, 10, 20, ... that is at least `step`, below 1 only where numbers are not whole."""
    step = max(step, 1.0) if whole else step
    magnitude = 10.0 ** math.floor(math.log10(step))
    return next(
        (factor * magnitude for factor in (1, 2, 5) if factor * magnitude >= step * 0.999), 10 * magnitude
    )


def _written(value: float) -> str:
    text = exact(value)
    return text if len(text) <= _WIDEST_EXACT else compact(value)


def seconds(moment: datetime) -> float:
    """The seconds from the epoch to `moment`; one without a zone is read as UTC."""
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH).total_seconds()


def time_ticks(start: datetime, end: datetime, count: int) -> list[Tick]:
    """At most `count` ticks between two moments on whole hours, midnights or months of their zone."""
    span = seconds(end) - seconds(start)
    hours = span / 3600 / max(1, count)
    step = next((step for step in _HOURS if step >= hours), None)
    try:
        if step is not None:
            moments = list(_each_hours(start, end, step))
        else:
            months = next((months for months in _MONTHS if months * 30 * _DAY >= hours), _MONTHS[-1])
            moments = list(_each_months(start, end, months))
    except (OverflowError, ValueError):  # the calendar ends with the year 9999
        return []
    ticks = [
        Tick((seconds(moment) - seconds(start)) / span, _moment_label(moment, step)) for moment in moments
    ]
    return [tick for tick in ticks if 0 <= tick.position <= 1]


def _moment_label(moment: datetime, step: int | None) -> str:
    if step is None:
        return f"{moment:%b %Y}"
    if step >= _DAY or moment.hour == 0:
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M}"


def _each_hours(start: datetime, end: datetime, step: int) -> Iterator[datetime]:
    moment = start.replace(hour=0, minute=0, second=0, microsecond=0)
    while moment <= end:
        yield moment
        # Added on the wall clock, so that midnights stay midnights when the clocks change.
        moment += timedelta(hours=step)


def _each_months(start: datetime, end: datetime, step: int) -> Iterator[datetime]:
    moment = start.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
    while moment <= end:
        yield moment
        months = moment.year * 12 + moment.month - 1 + step
        moment = moment.replace(year=months // 12, month=months % 12 + 1)


# ---- drawing ----

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


# ---- lines of text ----

_NO_STYLE = Style.null()


@dataclass(frozen=True, slots=True)
class Palette:
    """The styles of a chart's parts; without any, a chart reads just as well."""

    title: Style = _NO_STYLE
    label: Style = _NO_STYLE
    number: Style = _NO_STYLE
    frame: Style = _NO_STYLE
    note: Style = _NO_STYLE
    good: Style = _NO_STYLE
    bad: Style = _NO_STYLE
    series: tuple[Style, ...] = (_NO_STYLE,)

    def of_series(self, number: int) -> Style:
        """The style of the bars or the curve of a series."""
        return self.series[number % len(self.series)]

    def of_tone(self, tone: Tone) -> Style:
        """The style of what a piece of text means."""
        tones = {"good": self.good, "bad": self.bad, "muted": self.note, "strong": self.number}
        return tones.get(tone, self.label)


PLAIN = Palette()

SIGNS = ("●", "▲", "■", "◆", "✚", "★")
"""The signs of the first to the sixth series, which tell them apart without colour."""


def crop(text: str, width: int) -> str:
    """`text` in at most `width` cells; an ellipsis tells that it was longer."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + "…" if width > 0 else ""


def to_left(text: str, width: int) -> str:
    """`text` in exactly `width` cells, at the left of them."""
    return set_cell_size(crop(text, width), width)


def to_right(text: str, width: int) -> str:
    """`text` in exactly `width` cells, at the right of them."""
    text = crop(text, width)
    return " " * (width - cell_len(text)) + text


def first_that_fits(texts: Sequence[str], width: int) -> str:
    """The first of `texts`, the fullest first, that takes at most `width` cells; else the last, cropped."""
    return next((text for text in texts if cell_len(text) <= width), crop(texts[-1], width))


def fit(line: Text, width: int) -> Text:
    """`line` cropped or filled up to exactly `width` cells."""
    if line.cell_len > width:
        line = line.copy()
        line.truncate(width, overflow="ellipsis")
    return Text.assemble(line, " " * (width - line.cell_len))


def heading(title: str, value: str, width: int, palette: Palette) -> Text:
    """A title at the left and a value at the right, or as much of the title as there is room for."""
    room = width - cell_len(value) - 1
    if room < min(cell_len(title), 4):
        return Text(crop(title, width), palette.title)
    return Text.assemble((to_left(title, room), palette.title), " ", (value, palette.number))


def drawn(runs: Iterable[Run], palette: Palette) -> Text:
    """A row of the canvas in the colors of its series."""
    return Text.assemble(
        *((text, palette.frame if series is None else palette.of_series(series)) for text, series in runs)
    )


def flow(items: Iterable[Text], width: int) -> list[Text]:
    """The items side by side, in as many lines as they need."""
    lines: list[Text] = []
    for item in items:
        if lines and lines[-1].cell_len + 3 + item.cell_len <= width:
            lines[-1] = Text.assemble(lines[-1], "   ", item)
        else:
            lines.append(item)
    return lines


# ---- numbers in a line ----

_LEVELS = "▁▂▃▄▅▆▇"  # never a full block: neighbouring rows must not melt into one
_UNKNOWN = " "


def sparkline(values: Sequence[Number], width: int = 0) -> str:
    """A cell a value, from 0 to the largest of them; a blank where nothing is known.

    With a `width`, neighbours are added up where there are more values than cells.
    """
    each = -(-len(values) // width) if width else 1
    grouped = [_sum(values[start : start + each]) for start in range(0, len(values), max(1, each))]
    peak = max((value for value in grouped if value is not None), default=0)
    return "".join(_level(value, peak) for value in grouped)


def _sum(values: Sequence[Number]) -> float | None:
    known = [value for one in values if (value := finite(one)) is not None]
    return sum(known) if known else None


def _level(value: float | None, peak: float) -> str:
    if value is None:
        return _UNKNOWN
    if peak <= 0 or value <= 0:
        return _LEVELS[0]
    return _LEVELS[round(value / peak * (len(_LEVELS) - 1))]
