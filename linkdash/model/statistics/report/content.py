"""The content of a report, as numbers: totals, change, what fell and rose, what is new or silent. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal, TypeAlias

from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import file_words
from linkdash.model.statistics.period import Period
from linkdash.model.statistics.period_comparison import Comparison, LabelRow, Track, breakdown, compared
from linkdash.model.statistics.readings import (
    BREAKDOWN_TITLES,
    TOTAL_TITLES,
    InAll,
    in_all,
    in_order,
    latest,
)
from linkdash.model.statistics.sentences import CodeAnswer, answer
from linkdash.store.reading import Reading, Total

MOST_MOVERS = 10
"""The number of codes named that rose, and that fell, where it is not given."""
_LONGEST_GAP = 3
"""Steps without a reading from which on it is told."""

Sort: TypeAlias = Literal["change", "scans", "name", "id"]
"""The orders that codes can stand in: largest change first, most scans first, by name, by id."""


@dataclass(frozen=True)
class CodeReport:
    """The report on one code."""

    code: QrCode
    readings: Sequence[Reading]
    """Its history, in the order of time."""
    track: Track
    latest: Reading | None
    answer: CodeAnswer
    totals: dict[Total, Comparison]
    breakdowns: dict[str, list[LabelRow] | None]
    """By name; what was added in the period, or all there is where the history is shorter than that."""
    is_all_time: bool
    """True if the breakdowns hold all there is."""
    gaps: tuple[tuple[datetime, datetime], ...]
    """Times within both periods that nothing was read in."""

    @property
    def name(self) -> str:
        """Return its name, for the user."""
        return self.code.shown_name

    @property
    def has_fallen(self) -> bool:
        """Return whether a total fell, as happens where the service forgets what is old."""
        return any(side.now is not None and side.now.value < 0 for side in self.totals.values())

    @property
    def is_silent(self) -> bool:
        """Return whether it is known that it was not scanned in the period."""
        now = self.totals["scans"].now
        return now is not None and not now.is_partial and now.value == 0


@dataclass(frozen=True)
class Whole:
    """All codes together: of each total those codes whose history tells both periods, or all there are."""

    in_all: dict[Total, InAll]
    totals: dict[Total, Comparison]
    codes: dict[Total, int]
    """The number of codes behind each of these comparisons."""
    tracks: Sequence[Track]
    """Those of the codes whose scans are compared."""
    answer: CodeAnswer


@dataclass(frozen=True)
class Flagged:
    """A label that is new, or gone."""

    code: CodeReport
    breakdown: str
    row: LabelRow


@dataclass(frozen=True)
class Report:
    """Codes in the order they are told in, as of a moment in the user's zone."""

    at: datetime
    period: Period
    codes: tuple[CodeReport, ...]
    whole: Whole
    most: int | None = None
    """The most codes that each list names; None for all, and the usual number of movers."""
    has_details: bool = False
    """True if each code of several is told in full."""

    @property
    def file_stem(self) -> str:
        """The beginning of the names of its files: the name of its code, or how many it has."""
        if len(self.codes) != 1:
            return f"{len(self.codes)}-codes"
        (code,) = (one.code for one in self.codes)
        return file_words(code.name) or f"qr-{code.id}"

    @property
    def listed(self) -> tuple[CodeReport, ...]:
        """The codes that are named in the list of all."""
        return self.codes[: self.most]

    @property
    def risers(self) -> list[CodeReport]:
        """The codes whose scans rose most, the largest rise first."""
        return self._moved(1)

    @property
    def fallers(self) -> list[CodeReport]:
        """The codes whose scans fell most, the largest fall first."""
        return self._moved(-1)

    @property
    def silent(self) -> list[CodeReport]:
        """The codes that were not scanned in the period, first those that were scanned most before."""
        silent = [code for code in self.codes if code.is_silent]
        return sorted(silent, key=lambda code: (code.totals["scans"].difference, -_scans(code), code.code.id))

    @property
    def flagged(self) -> list[Flagged]:
        """The labels that are new or gone, those with the largest numbers first."""
        found = [
            Flagged(code, name, row)
            for code in self.codes
            for name, rows in code.breakdowns.items()
            for row in rows or ()
            if label_flag(row)
        ]
        return sorted(found, key=lambda one: (-max(one.row.count, one.row.was or 0), one.code.code.id))

    def _moved(self, direction: int) -> list[CodeReport]:
        moved = [(direction * difference(code.totals["scans"]), code) for code in self.codes]
        moved.sort(key=lambda one: (-one[0], one[1].code.id))
        return [code for by, code in moved if by > 0][: self.most or MOST_MOVERS]


def report(codes: Sequence[tuple[QrCode, Sequence[Reading]]], period: Period, now: datetime) -> Report:
    """Return what happened to codes in a period, from their readings; `now` is in the zone of the user."""
    told = tuple(_code_report(code, in_order(of), period, now) for code, of in codes)
    return Report(now, period, told, _whole(told, period, now))


def ordered(made: Report, sort: Sort) -> Report:
    """The same report with its codes in an order; what cannot be compared comes last."""
    return replace(made, codes=tuple(sorted(made.codes, key=_KEYS[sort])))


def _by_change(code: CodeReport) -> tuple[bool, int, int]:
    scans = code.totals["scans"]
    return scans.percent is None and not scans.difference, -abs(difference(scans)), code.code.id


_KEYS: dict[Sort, Callable[[CodeReport], tuple[object, ...]]] = {
    "change": _by_change,
    "scans": lambda code: (-_scans(code), code.code.id),
    "name": lambda code: (code.name.casefold(), code.code.id),
    "id": lambda code: (code.code.id,),
}


def _scans(code: CodeReport) -> int:
    return (code.latest.scans if code.latest else None) or 0


def _code_report(code: QrCode, readings: Sequence[Reading], period: Period, now: datetime) -> CodeReport:
    track = Track(readings)
    tracks = [track]
    totals: dict[Total, Comparison] = {name: compared(tracks, name, period) for name in TOTAL_TITLES}
    clicks = totals["clicks"]
    is_all_time = clicks.now is None or clicks.now.is_partial
    within = None if is_all_time else period
    at = period.last_moment(now)
    return CodeReport(
        code,
        readings,
        track,
        latest(readings),
        answer(tracks, "scans", period, now),
        totals,
        {name: breakdown(tracks, name, within, at) for name in BREAKDOWN_TITLES},
        is_all_time,
        tuple(_gaps(readings, period)),
    )


def _whole(codes: Sequence[CodeReport], period: Period, now: datetime) -> Whole:
    compared_of: dict[Total, Sequence[CodeReport]] = {name: _comparable(codes, name) for name in TOTAL_TITLES}
    tracks = [code.track for code in compared_of["scans"]]
    return Whole(
        in_all([code.latest for code in codes]),
        {name: compared([one.track for one in of], name, period) for name, of in compared_of.items()},
        {name: len(of) for name, of in compared_of.items()},
        tracks,
        answer(tracks, "scans", period, now, names_label=len(codes) == 1),
    )


def _comparable(codes: Sequence[CodeReport], name: Total) -> Sequence[CodeReport]:
    """The codes that tell a total of both periods; where none does, all of them."""
    return [code for code in codes if code.totals[name].is_whole] or codes


def _gaps(readings: Sequence[Reading], period: Period) -> Iterator[tuple[datetime, datetime]]:
    longest = (period.marks[1].astimezone(UTC) - period.marks[0].astimezone(UTC)) * _LONGEST_GAP
    moments = [one.at for one in readings if period.start_before <= one.at <= period.end]
    for before, after in pairwise(moments):
        if after - before > longest:
            yield before, after


def difference(comparison: Comparison) -> int:
    """Return what a number has changed by; 0 where that is not known well enough to be told."""
    return comparison.difference if comparison.is_whole else 0


def label_flag(row: LabelRow) -> str:
    """The mark of a label that is new or gone; empty for neither."""
    return f"gone, was {row.was:,}" if row.was is not None else "new" if row.is_new else ""
