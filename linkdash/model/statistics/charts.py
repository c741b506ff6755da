"""Charts of statistics, as data. Pure."""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Literal, Protocol, TypeAlias

from linkdash.model.statistics.chart_data import (
    Bars,
    ChartColumn,
    Columns,
    CurveChart,
    MultiBars,
    Note,
    Number,
)
from linkdash.model.statistics.period import Period, period
from linkdash.model.statistics.period_comparison import (
    Amount,
    LabelRow,
    Track,
    added,
    breakdown,
    compared,
    in_steps,
    turn,
)
from linkdash.model.statistics.readings import BREAKDOWN_TITLES, Step, series
from linkdash.model.statistics.scan_activity import Pulse
from linkdash.model.statistics.sentences import CodeAnswer, tone_of, turn_words
from linkdash.store.reading import Reading, Total

PANEL_TITLES = {**BREAKDOWN_TITLES, "systems": "Systems"}
"""Short titles of the breakdowns."""
_HUES = {"countries": 1, "referrers": 2, "browsers": 0, "systems": 3, "social": 4}


def added_chart(answer: CodeAnswer, tracks: Sequence[Track], key: Total, now: datetime) -> Columns:
    """Return what was added in each step of a period and of the one before, and in the running step."""
    of = answer.period
    columns = [
        _column(amount, start, of.step) for (start, _), amount in zip(of.steps, answer.steps, strict=True)
    ]
    split = len(of.marks_before) - 1
    notes = turn_words(answer.turn, of, now) if answer.turn else ()
    before, after = answer.comparison.before, answer.comparison.now
    sign = answer.comparison.sign.strip("=")
    return Columns(
        "",
        tuple(columns[:split]),
        tuple(columns[split:]),
        f"{of.title_before}: {before}" if before is not None else of.title_before,
        f"{of.words}: {after} {sign}".strip() if after is not None else of.words,
        tone_of(answer.comparison),
        answer.turn.index if answer.turn else None,
        notes,
        _running(tracks, key, of),
        f"{of.step}s",
    )


def pulse_chart(pulse: Pulse, now: datetime) -> Columns:
    """Return what all codes together were scanned on each day of the last week and of the one before."""
    week = period("week", now)
    found = CodeAnswer(week, pulse.week.comparison, pulse.days, turn(pulse.days, week), ())
    return added_chart(found, (), "scans", now)


def _column(amount: Amount | None, start: datetime, step: Step) -> ChartColumn:
    label, short = (
        (f"{start:%H:%M}", f"{start:%H}") if step == "hour" else (f"{start:%a} {start.day}", f"{start.day}")
    )
    if step == "week":
        label = f"{start.day} {start:%b}"
    if amount is None:
        return ChartColumn(label, short, None)
    return ChartColumn(label, short, amount.value, is_sure=not amount.sign)


def _running(tracks: Sequence[Track], key: Total, period: Period) -> ChartColumn | None:
    """Return what was read since the period ended."""
    ends = [span[1] for track in tracks if (span := track.span(key)) is not None]
    if not ends or max(ends) <= period.end:
        return None
    amount = added(tracks, key, period.end, max(ends))
    return ChartColumn("now", "now", amount.value, is_sure=False) if amount else None


def breakdown_chart(name: str, rows: Sequence[LabelRow] | None) -> Bars | None:
    """The labels of a breakdown as ranked bars; None where the service told no such breakdown."""
    if rows is None:
        return None
    items = tuple((short_label(row.label), max(0, row.count) if row.was is None else 0) for row in rows)
    notes = tuple(note for row in rows if (note := _note(row)) is not None)
    return Bars("", items, notes, _HUES.get(name, 0))


def _note(row: LabelRow) -> Note | None:
    label = short_label(row.label)
    if row.was is not None:
        return Note(label, f"▼ gone, was {row.was:,}", "bad")
    if row.is_new:
        return Note(label, "▲ new", "good")
    if row.comparison.is_telling:
        return Note(label, row.comparison.words, tone_of(row.comparison), f" was {row.comparison.before}")
    return None


class Named(Protocol):
    """Something that has a name and a history."""

    @property
    def name(self) -> str:
        """Return its name, for the user."""
        ...

    @property
    def readings(self) -> Sequence[Reading]:
        """Its readings, in the order of time."""
        ...


def totals_chart(codes: Sequence[Named], name: Total, step: Step, zone: tzinfo) -> CurveChart:
    """Return what a total had come to over time, one line a code."""
    lines = tuple((code.name, tuple(series(code.readings, name, step, zone))) for code in codes)
    return CurveChart("", lines)


def fitting_step(readings: Sequence[Reading]) -> Step:
    """Hours for a few days of history, weeks for many months, else days."""
    days = (readings[-1].at - readings[0].at).days if readings else 0
    return "hour" if days < 3 else "day" if days < 90 else "week"


def long_step(readings: Sequence[Reading]) -> Step:
    """The same for where each step has a row of a table too: weeks for a month of history or more."""
    step = fitting_step(readings)
    return "week" if step == "day" and (readings[-1].at - readings[0].at).days >= 28 else step


# ---- several codes side by side ----


Base: TypeAlias = Literal["before", "known"]
"""The mean that is 100 %: that of the period before, or of all that is known of both periods."""


def common_base(tracks: Sequence[Track], period: Period) -> Base:
    """Return the mean that is 100 % for all: that of the period before, where it is known of each."""
    steps = [in_steps([track], "scans", period) for track in tracks]
    return "before" if all(_mean(_before(amounts, period)) for amounts in steps) else "known"


def compared_days(
    codes: Sequence[tuple[str, Track]],
    period: Period,
    *,
    base: Base | None,
    if_empty: str,
) -> CurveChart:
    """Return what was added in each step, one line a code; with a `base` in percent of its mean there."""

    def line(track: Track) -> tuple[tuple[datetime, Number], ...]:
        amounts = in_steps([track], "scans", period)
        values: list[Number] = [amount.value if amount else None for amount in amounts]
        if base:
            mean = _mean(_before(amounts, period) if base == "before" else amounts)
            values = [value / mean * 100 if value is not None and mean else None for value in values]
        return tuple((start, value) for (start, _), value in zip(period.steps, values, strict=True))

    lines = tuple((name, line(track)) for name, track in codes)
    unit = " %" if base else ""
    return CurveChart("", lines, unit, has_legend=False, if_empty=if_empty, start=period.start)


def _before(steps: Sequence[Amount | None], period: Period) -> Sequence[Amount | None]:
    """Of the steps of both periods those of the one before."""
    return steps[: len(period.marks_before) - 1]


def _mean(amounts: Sequence[Amount | None]) -> float:
    """Return the mean of what is known; 0 of nothing."""
    known = [amount.value for amount in amounts if amount is not None]
    return sum(known) / len(known) if known else 0


def compared_breakdown(
    name: str,
    codes: Sequence[tuple[str, Track]],
    period: Period | None,
    now: datetime,
    *,
    view: str,
    if_empty: str,
) -> MultiBars:
    """Return a breakdown of several codes side by side: by `share`, `count` or `change` of the period.

    Without a period it is all there is.
    """
    names = tuple(title for title, _ in codes)
    tables = [_rows(name, track, period, now) for _, track in codes]
    labels = dict.fromkeys(label for table in tables for label in table or ())
    rows = tuple((short_label(one), tuple(_cell(table, one, view) for table in tables)) for one in labels)
    return MultiBars("", names, rows, view == "share", view == "change", if_empty)


def is_covered(track: Track, period: Period) -> bool:
    """Return whether the history of breakdowns reaches over the period."""
    count = compared([track], "clicks", period).now
    return count is not None and not count.is_partial


def _rows(name: str, track: Track, period: Period | None, now: datetime) -> dict[str, LabelRow] | None:
    rows = breakdown([track], name, period, now)
    return None if rows is None else {row.label: row for row in rows}


def _cell(table: dict[str, LabelRow] | None, label: str, view: str) -> Number:
    """A dash where a code's is not known, which is not zero."""
    if table is None:
        return None
    row = table.get(label)
    if view == "change":
        return row.comparison.percent if row else None
    return max(0, row.count) if row else 0


def short_label(label: str) -> str:
    """A label without the beginning that most referrers share."""
    return label.removeprefix("https://")
