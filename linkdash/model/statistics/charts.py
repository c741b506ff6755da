"""Readings of statistics as charts. Pure."""

from collections.abc import Sequence
from datetime import tzinfo

from linkdash.model.statistics.chart_data import Bars, Lines, MultiBars
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.readings import BREAKDOWN_TITLES, TOTAL_TITLES
from linkdash.store.changes import Snapshot, Step, Total, increments, series

TAB_TITLES = {**BREAKDOWN_TITLES, "systems": "Systems"}
"""Short titles of the breakdowns."""
NONE_SO_FAR = "none so far"
"""Stands in a breakdown that the service told and that has no label yet: a zero, not a silence."""


def breakdown_chart(name: str, snapshot: Snapshot | None) -> Bars | None:
    """The counts of a breakdown as ranked bars; without any where the service told no such breakdown."""
    if snapshot is None or not snapshot.breakdowns:
        return None
    counts = snapshot.breakdowns.get(name)
    if counts is None:
        return Bars(BREAKDOWN_TITLES[name], ())
    items = tuple((_short(label), count) for label, count in counts.items())
    return Bars(BREAKDOWN_TITLES[name], items or ((NONE_SO_FAR, 0),))


def time_chart(readings: Sequence[Snapshot], step: Step, zone: tzinfo, *, added: bool) -> Lines:
    """Clicks and scans over time: what they had come to, or what was added, an hour, day or week."""
    totals: tuple[Total, ...] = ("clicks", "scans")
    run = increments if added else series
    lines = tuple((TOTAL_TITLES[name], tuple(run(readings, name, step, zone))) for name in totals)
    return Lines(time_title(step, added=added), lines)


def time_title(step: Step, *, added: bool) -> str:
    """What a chart over time shows: "Added each day", "Over time, by day"."""
    return f"Added each {step}" if added else f"Over time, by {step}"


def compared_breakdown(name: str, codes: Sequence[CodeStatistics]) -> MultiBars:
    """One breakdown of several codes side by side; a dash where a code's is not known."""
    names = tuple(code_name(code) for code in codes)
    told = [code.latest.breakdowns.get(name) if code.latest else None for code in codes]
    labels = dict.fromkeys(label for counts in told for label in counts or ())
    rows = tuple(
        (_short(label), tuple(None if counts is None else counts.get(label, 0) for counts in told))
        for label in labels
    )
    return MultiBars(BREAKDOWN_TITLES[name], names, rows)


def compared_times(
    codes: Sequence[CodeStatistics], name: Total, step: Step, zone: tzinfo, *, added: bool
) -> Lines:
    """One total of several codes over time, one line a code."""
    run = increments if added else series
    lines = tuple((code_name(code), tuple(run(code.readings, name, step, zone))) for code in codes)
    return Lines(f"{TOTAL_TITLES[name]}: {time_title(step, added=added).lower()}", lines)


def code_name(code: CodeStatistics) -> str:
    """What a code is called in a chart."""
    return code.code.name or f"QR code {code.code.id}"


def _short(label: str) -> str:
    """A label without the beginning that most referrers share."""
    return label.removeprefix("https://")
