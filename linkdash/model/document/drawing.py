"""Charts as shapes in a plane: what a page draws as SVG. Pure; the shapes hold texts, and no markup."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from linkdash.model.humanize import compact, exact
from linkdash.model.statistics.chart_data import (
    Bars,
    ChartColumn,
    Columns,
    CurveChart,
    Number,
    finite,
    label_text,
)

WIDTH, HEIGHT = 480, 196
"""Of a drawing, in its own units: letters of 11 are read well at half a page and across a telephone."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 38, 6, 18, 40
_TICKS = 4
_SHORT_LABEL, _LONG_LABEL = 26, 60
"""Units that a label below a column takes: `14`, and `Sat 14`."""
HUES = 6
"""The number of lines with a colour of their own."""
TREND_WIDTH, TREND_HEIGHT = 84, 18


class Rect(NamedTuple):
    """A column: where its upper left corner is, how large it is, what it means, what it says when asked."""

    x: float
    y: float
    width: float
    height: float
    look: str
    title: str


class Text(NamedTuple):
    """A word in a drawing, in the middle above x; a `tick` of the axis ends there."""

    x: float
    y: float
    text: str
    look: str = "label"


class Path(NamedTuple):
    """A line along points."""

    d: str
    look: str


@dataclass(frozen=True)
class Drawing:
    """The shapes, the backmost first, and the text below."""

    rects: Sequence[Rect]
    paths: Sequence[Path]
    texts: Sequence[Text]
    legend: Sequence[tuple[str, str]] = ()
    """The look and the name of each line."""
    notes: Sequence[str] = ()
    width: int = WIDTH
    height: int = HEIGHT


# ---- columns of two periods ----


def columns(chart: Columns) -> Drawing:
    """Two periods beside each other, a column a step, and the step that is running."""
    running = [chart.running] if chart.running else []
    every = [*chart.before, *chart.now, *running]
    axis = _axis([column.value for column in every])
    slot = (WIDTH - _LEFT - _RIGHT) / max(1, len(every))
    split = _LEFT + slot * len(chart.before)
    looks = ["before"] * len(chart.before) + [f"now {chart.tone}"] * len(chart.now) + ["running"]
    rects = [
        rect
        for index, (column, look) in enumerate(zip(every, looks, strict=False))
        if (rect := _column(column, _LEFT + slot * index, slot, axis, look)) is not None
    ]
    now_end = split + slot * len(chart.now)
    captions = [
        Text(_r((_LEFT + split) / 2), HEIGHT - 6, chart.caption_before, "caption"),
        Text(_r((split + now_end) / 2), HEIGHT - 6, chart.caption_now, "caption strong"),
    ]
    turn = _turn(chart, slot, axis) if chart.turn is not None and chart.turn < len(every) else []
    paths = [axis.grid, Path(_line([(split, _TOP), (split, HEIGHT - _BOTTOM + 4)]), "split")]
    return Drawing(rects, paths, [*axis.texts, *_labels(every, slot), *captions, *turn], notes=chart.notes)


def _labels(columns: Sequence[ChartColumn], slot: float) -> list[Text]:
    """Each column in short, or where that does not fit the last and every nth before it in full."""
    is_short = slot >= _SHORT_LABEL
    every_nth = 1 if is_short else math.ceil(_LONG_LABEL / slot)
    return [
        Text(_r(_LEFT + slot * (index + 0.5)), HEIGHT - 24, column.short if is_short else column.label)
        for index, column in enumerate(columns)
        if (len(columns) - 1 - index) % every_nth == 0
    ]


def _column(column: ChartColumn, x: float, slot: float, axis: "_Axis", look: str) -> Rect | None:
    value = finite(column.value)
    if value is None:
        return None
    y = axis.y(max(0.0, value))
    height = axis.y(0) - y
    sure = "" if column.is_sure else " unsure"
    title = f"{column.label}: {'' if column.is_sure else 'about '}{exact(column.value)}"
    return Rect(_r(x + slot * 0.14), _r(y), _r(slot * 0.72), _r(height), f"{look}{sure}", title)


def _turn(chart: Columns, slot: float, axis: "_Axis") -> list[Text]:
    """A sign above the column that the turn begins with."""
    index = chart.turn or 0
    column = [*chart.before, *chart.now][index] if index < len(chart.before) + len(chart.now) else None
    value = finite(column.value) if column else None
    sign = "▲" if chart.notes and chart.notes[0].startswith("▲") else "▼"
    y = axis.y(max(0.0, value or 0)) - 5
    return [Text(_r(_LEFT + slot * (index + 0.5)), _r(y), sign, f"turn {chart.tone}")]


# ---- curves ----


def lines(chart: CurveChart) -> Drawing:
    """A line a series over time, broken where nothing is known."""
    moments = [at.timestamp() for _, series in chart.series for at, _ in series]
    first, last = min(moments, default=0.0), max(moments, default=1.0)
    values = [value for _, series in chart.series for _, value in series]
    axis = _axis(values, from_zero=False, unit=chart.unit)
    room = WIDTH - _LEFT - _RIGHT - 8

    def x(at: float) -> float:
        return _LEFT + 4 + room * ((at - first) / (last - first) if last > first else 0.5)

    paths = list[Path]()
    for index, (_, series) in enumerate(chart.series):
        points = [(x(at.timestamp()), finite(value)) for at, value in series]
        paths += [
            Path(_line([(px, axis.y(value)) for px, value in run]), f"line hue-{index % HUES}")
            for run in _runs(points)
        ]
    legend = [(f"hue-{index % HUES}", label_text(name)) for index, (name, _) in enumerate(chart.series)]
    shown = legend if len(chart.series) > 1 else []
    return Drawing((), [axis.grid, *paths], [*axis.texts, *_moments(chart, x)], shown)


def _runs(points: Sequence[tuple[float, float | None]]) -> Iterator[list[tuple[float, float]]]:
    """The parts of a line that are known; a single point is a short dash."""
    run = list[tuple[float, float]]()
    for x, value in (*points, (0.0, None)):
        if value is not None:
            run.append((x, value))
        elif run:
            yield run if len(run) > 1 else [(run[0][0] - 1, run[0][1]), (run[0][0] + 1, run[0][1])]
            run = []


def _moments(chart: CurveChart, x: Callable[[float], float]) -> list[Text]:
    """Some moments below the line, none over another."""
    known = sorted({at for _, series in chart.series for at, _ in series})
    if not known:
        return []
    is_short = (known[-1] - known[0]).days < 3
    every_nth = max(1, math.ceil(len(known) * 64 / (WIDTH - _LEFT)))
    return [
        Text(
            _r(min(x(at.timestamp()), WIDTH - 24)),
            HEIGHT - 22,
            f"{at:%H:%M}" if is_short else f"{at.day} {at:%b}",
        )
        for at in known[::every_nth]
    ]


# ---- bars and trends ----


def bar_widths(chart: Bars) -> list[float]:
    """The bar of each label in percent of the longest, in the order of the labels."""
    values = [max(0.0, finite(value) or 0.0) for _, value in chart.items]
    most = max(values, default=0.0)
    return [round(value / most * 100, 1) if most else 0.0 for value in values]


def trend(values: Sequence[Number]) -> Sequence[Path]:
    """Return a row over time: a line for the first half, the period before, and one for the period."""
    known = [finite(value) for value in values]
    most = max((value for value in known if value is not None), default=0.0) or 1.0
    step = TREND_WIDTH / max(1, len(known) - 1)
    points = [
        (
            step * index,
            None if value is None else TREND_HEIGHT - 2 - (TREND_HEIGHT - 4) * max(0.0, value) / most,
        )
        for index, value in enumerate(known)
    ]
    half = len(points) // 2
    sides = ((points[: half + 1], "before"), (points[half:], "now"))
    return [Path(_line(run), look) for side, look in sides for run in _runs(side)]


# ---- the axis ----


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    grid: Path
    texts: Sequence[Text]

    def y(self, value: float) -> float:
        """Return the height of a value."""
        return _height_of(value, self.low, self.high)


def _axis(values: Sequence[Number], *, from_zero: bool = True, unit: str = "") -> _Axis:
    known = [value for value in map(finite, values) if value is not None]
    most, least = max(known, default=1.0), min(known, default=0.0)
    is_high = not from_zero and least > most * 0.5
    step = _nice((most - least if is_high else most) / _TICKS)
    low = math.floor(least / step) * step if is_high else 0.0
    high = max(low + step, math.ceil(most / step) * step)
    ticks = [low + step * number for number in range(round((high - low) / step) + 1)]
    heights = [_height_of(tick, low, high) for tick in ticks]
    grid = "".join(_line([(_LEFT, height), (WIDTH - _RIGHT, height)]) for height in heights)
    texts = [
        Text(_LEFT - 6, _r(height + 4), f"{compact(tick)}{unit}", "tick")
        for tick, height in zip(ticks, heights, strict=True)
    ]
    return _Axis(low, high, Path(grid, "grid"), texts)


def _height_of(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low) if high > low else 0.0
    return HEIGHT - _BOTTOM - (HEIGHT - _BOTTOM - _TOP) * min(1.0, max(0.0, share))


def _nice(step: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50 and so on; counts have no halves."""
    if step <= 1 or not math.isfinite(step):
        return 1.0
    size = 10.0 ** math.floor(math.log10(step))
    return next(size * factor for factor in (1, 2, 5, 10) if size * factor >= step * (1 - 1e-9))


def _line(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{_r(x):g},{_r(y):g}" for x, y in points)


def _r(value: float) -> float:
    """A coordinate as exact as an eye is; a whole one is written without a point."""
    rounded = round(float(value), 1)
    return int(rounded) if rounded.is_integer() else rounded
