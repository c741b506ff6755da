"""The data of charts, and how its numbers and labels are written."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from rich.cells import get_character_cell_size

from linkdash.api.inert_text import inert

Number: TypeAlias = int | float | None
"""A count; None where the service said nothing, which is not zero."""

NO_STATISTICS = "no statistics"
_BLANK_LABEL = "(blank)"
_LONGEST_LABEL = 200
_LARGEST = 1e300

# Terminals disagree on how many cells these make of their neighbours; without them all agree.
_JOINERS = {ord(character): None for character in "\u200c\u200d\ufe0e\ufe0f"}


Tone: TypeAlias = Literal["plain", "strong", "muted", "good", "bad"]
"""The meaning of a piece of text; it reads without its colour too."""


class Note(NamedTuple):
    """The note beside the bar of a label: `▲ new`, `▼ gone, was 38`."""

    label: str
    text: str
    tone: Tone = "muted"
    more: str = ""
    """Added where there is room: ` of 210`."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Counts by label, to be drawn as bars from the largest to the smallest."""

    title: str
    items: tuple[tuple[str, Number], ...]
    notes: tuple[Note, ...] = ()
    hue: int = 0
    """Which of the colours of series it has."""

    @property
    def ranked(self) -> list[tuple[str, float | None]]:
        """The items from the largest to the smallest; what is unknown comes last."""
        return sorted(
            ((label, finite(value)) for label, value in self.items), key=lambda item: _rank(item[1])
        )


@dataclass(frozen=True, slots=True)
class MultiBars:
    """Counts by label of several series side by side: `rows` hold one value for each of `series`."""

    title: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Number, ...]], ...]
    by_share: bool = False
    """True if the bars show the share of each series instead of its count."""
    is_change: bool = False
    """True if values are changes in percent."""
    if_empty: str = NO_STATISTICS
    """The words where no value is known."""

    @property
    def ranked(self) -> list[tuple[str, list[float | None]]]:
        """The rows, the largest first, each with exactly one value a series; what is unknown comes last.

        Shares and changes are ranked by the largest of a row, changes up or down: their sum says nothing.
        """
        missing = (None,) * len(self.series)
        rows = [
            (label, [finite(value) for value in (*values, *missing)[: len(self.series)]])
            for label, values in self.rows
        ]
        if not self.by_share:
            return sorted(rows, key=lambda row: _rank(_largest(row[1]) if self.is_change else total(row[1])))
        wholes = [sum_of(column) for column in zip(*(values for _, values in rows), strict=True)]
        return sorted(rows, key=lambda row: _rank(_largest(percents_of(row[1], wholes))))


class ChartColumn(NamedTuple):
    """The amount added in one step of time."""

    label: str
    """`Sat 14`"""
    short: str
    """`14`"""
    value: Number
    is_sure: bool = True
    """False for what is partly interpolated, or covers only a part of the step."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Two periods side by side, a column a step; the axis names both, and the turn between high and low."""

    title: str
    before: tuple[ChartColumn, ...]
    now: tuple[ChartColumn, ...]
    caption_before: str
    caption_now: str
    tone: Tone = "muted"
    """The meaning of the change from one period to the other."""
    turn: int | None = None
    """The column that begins the turn, of both periods together."""
    notes: tuple[str, ...] = ()
    """Written into a corner that is empty."""
    running: ChartColumn | None = None
    """The step that is not over yet."""
    steps: str = "days"
    """The word for several columns."""


@dataclass(frozen=True, slots=True)
class CurveChart:
    """Values over time, one line a series. Moments are aware, in the zone they are to be read in;
    a None among the values is a gap."""

    title: str
    series: tuple[tuple[str, tuple[tuple[datetime, Number], ...]], ...]
    unit: str = ""
    """The unit after a value on the axis: ` %`."""
    has_legend: bool = True
    """False where the series are named elsewhere, under the same signs."""
    if_empty: str = NO_STATISTICS
    """The words where no value is known."""
    start: datetime | None = None
    """The moment that the axis begins at, or before, however late the first value is known."""


ChartData: TypeAlias = Bars | MultiBars | Columns | CurveChart


def finite(value: Number) -> float | None:
    """`value` as a number that can be drawn: None if it is no number, huge ones brought to ±1e300."""
    if value is None:
        return None
    if isinstance(value, int):
        return float(max(-(10**300), min(10**300, value)))
    return max(-_LARGEST, min(_LARGEST, value)) if math.isfinite(value) else None


def total(values: Sequence[float | None]) -> float | None:
    """The sum of what is known; None if nothing is."""
    known = [value for value in values if value is not None]
    return finite(math.fsum(known)) if known else None


def sum_of(values: Sequence[float | None]) -> float | None:
    """Return the whole that shares are of: the sum of what is there."""
    return total([value for value in values if value is None or value > 0])


def percents_of(values: Sequence[float | None], wholes: Sequence[float | None]) -> list[float | None]:
    """Each value in percent of its whole."""
    return [
        value / whole * 100 if value is not None and whole else None
        for value, whole in zip(values, wholes, strict=True)
    ]


def _largest(values: Sequence[float | None]) -> float | None:
    """Return how far the value is from zero that is farthest from it; None if none is known."""
    return max((abs(value) for value in values if value is not None), default=None)


def _rank(value: float | None) -> float:
    return math.inf if value is None else -value


def label_text(label: str) -> str:
    """A label that is inert, has something to see and takes the same cells in every terminal."""
    if len(label) > _LONGEST_LABEL:
        label = label[: _LONGEST_LABEL - 1] + "…"
    text = inert(label).translate(_JOINERS).strip()
    if not text:
        return _BLANK_LABEL
    return text if get_character_cell_size(text[0]) else f"◌{text}"
