"""A report of one, some or all codes: totals, change, who rose and fell, what is new, what is missing. Pure.

It is written as CSV for a spreadsheet and as JSON for a program; `report_text` writes it for people.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from linkdash.api.qr import QrCode
from linkdash.model.export import Cell, csv_text, json_text
from linkdash.model.statistics.answers import Answer, answer, plain
from linkdash.model.statistics.periods import (
    Comparison,
    LabelRow,
    Period,
    Track,
    breakdown,
    compared,
)
from linkdash.model.statistics.readings import (
    BREAKDOWN_TITLES,
    TOTAL_TITLES,
    in_order,
    latest,
)
from linkdash.store.history import Reading, Total

# ---- the report ----

MOST_MOVERS = 10
"""How many of the codes that rose, and of those that fell, are named."""
_LONGEST_GAP = 3
"""Steps without a reading from which on it is told."""


@dataclass(frozen=True)
class CodeReport:
    """What is told of one code."""

    code: QrCode
    latest: Reading | None
    first_at: datetime | None
    """When the history begins; None without any."""
    readings: int
    answer: Answer
    totals: dict[Total, Comparison]
    breakdowns: dict[str, list[LabelRow] | None]
    """By name; what was added in the period, or all there is where the history is shorter than that."""
    is_all_time: bool
    """Whether the breakdowns hold all there is."""
    gaps: tuple[tuple[datetime, datetime], ...]
    """Times within both periods that nothing was read in."""

    @property
    def has_fallen(self) -> bool:
        """Whether a total fell, as happens where the service forgets what is old."""
        return any(side.now is not None and side.now.value < 0 for side in self.totals.values())


@dataclass(frozen=True)
class Report:
    """Codes in the order they were given, as of a moment in the zone of the person."""

    at: datetime
    period: Period
    codes: tuple[CodeReport, ...]

    @property
    def risers(self) -> list[CodeReport]:
        """The codes whose scans rose most, the largest rise first."""
        return self._moved(1)

    @property
    def fallers(self) -> list[CodeReport]:
        """The codes whose scans fell most, the largest fall first."""
        return self._moved(-1)

    def _moved(self, direction: int) -> list[CodeReport]:
        moved = [(direction * difference(code.totals["scans"]), code) for code in self.codes]
        moved.sort(key=lambda one: (-one[0], one[1].code.id))
        return [code for by, code in moved if by > 0][:MOST_MOVERS]


def report(codes: Sequence[tuple[QrCode, Sequence[Reading]]], period: Period, now: datetime) -> Report:
    """What happened to codes in a period, from their readings; `now` is in the zone of the person."""
    return Report(now, period, tuple(_code_report(code, in_order(of), period, now) for code, of in codes))


def _code_report(code: QrCode, readings: Sequence[Reading], period: Period, now: datetime) -> CodeReport:
    tracks = [Track(readings)]
    clicks = compared(tracks, "clicks", period)
    is_all_time = clicks.now is None or clicks.now.is_partial
    within = None if is_all_time else period
    return CodeReport(
        code,
        latest(readings),
        readings[0].at if readings else None,
        len(readings),
        answer(tracks, "scans", period, now),
        {name: compared(tracks, name, period) for name in TOTAL_TITLES},
        {name: breakdown(tracks, name, within, now) for name in BREAKDOWN_TITLES},
        is_all_time,
        tuple(_gaps(readings, period)),
    )


def _gaps(readings: Sequence[Reading], period: Period) -> Iterator[tuple[datetime, datetime]]:
    longest = (period.marks[1].astimezone(UTC) - period.marks[0].astimezone(UTC)) * _LONGEST_GAP
    moments = [one.at for one in readings if period.start_before <= one.at <= period.end]
    for before, after in pairwise(moments):
        if after - before > longest:
            yield before, after


def difference(comparison: Comparison) -> int:
    """What a number has changed by; 0 where that is not known well enough to be told."""
    return 0 if comparison.percent is None else comparison.difference


def label_flag(row: LabelRow) -> str:
    """Whether a label is new or gone, in a word; empty for neither."""
    return f"gone, was {row.was:,}" if row.was is not None else "new" if row.is_new else ""


# ---- CSV and JSON ----


def csv(report: Report) -> str:
    """A row a number: its code, what it counts, all there is, the period, the one before, the change."""
    head = ("code", "name", "group", "label", "in all", "added", "before", "percent", "flag", "certainty")
    return csv_text(head, (row for code in report.codes for row in _csv_rows(code)))


def _csv_rows(code: CodeReport) -> Iterator[list[Cell]]:
    for total, comparison in code.totals.items():
        in_all = code.latest.total(total) if code.latest else None
        yield [code.code.id, code.code.name, "total", total, in_all, *_csv_compared(comparison, "")]
    for name, rows in code.breakdowns.items():
        told = code.latest.breakdowns.get(name, {}) if code.latest else {}
        for row in rows or ():
            compared = _csv_compared(row.comparison, label_flag(row))
            yield [code.code.id, code.code.name, name, row.label, told.get(row.label), *compared]


def _csv_compared(comparison: Comparison, flag: str) -> list[Cell]:
    now, before = comparison.now, comparison.before
    return [
        now.value if now else None,
        before.value if before else None,
        comparison.percent,
        flag,
        _certainty(comparison),
    ]


def _certainty(comparison: Comparison) -> str:
    sides = [side for side in (comparison.now, comparison.before) if side is not None]
    if any(side.is_partial for side in sides):
        return "partial"
    return "estimate" if any(side.is_estimate for side in sides) else "read" if sides else "unknown"


def json(report: Report) -> str:
    """Everything the report holds; null where it is not known."""
    period = report.period
    return json_text(
        {
            "at": report.at.isoformat(timespec="seconds"),
            "period": {"start": period.start.isoformat(), "end": period.end.isoformat(), "step": period.step},
            "codes": [members(code) for code in report.codes],
        }
    )


def members(code: CodeReport) -> dict[str, object]:
    """Everything the report holds of one code, as JSON takes it."""
    steps = [
        {
            "start": start.isoformat(),
            "scans": amount.value if amount else None,
            "certain": bool(amount and not amount.sign),
        }
        for (start, _), amount in zip(code.answer.period.steps, code.answer.steps, strict=True)
    ]
    return {
        "id": code.code.id,
        "name": code.code.name,
        "link": code.code.link,
        "read_at": code.latest.at.isoformat() if code.latest else None,
        "answer": plain(code.answer.sentence),
        "totals": {
            name: {"in_all": code.latest.total(name) if code.latest else None, **_json_compared(comparison)}
            for name, comparison in code.totals.items()
        },
        "steps": steps,
        "breakdowns": {
            name: None if rows is None else [_json_label(row) for row in rows]
            for name, rows in code.breakdowns.items()
        },
        "gaps": [{"from": start.isoformat(), "to": end.isoformat()} for start, end in code.gaps],
    }


def _json_compared(comparison: Comparison) -> dict[str, object]:
    return {
        "added": comparison.now.value if comparison.now else None,
        "before": comparison.before.value if comparison.before else None,
        "percent": comparison.percent,
        "certainty": _certainty(comparison),
    }


def _json_label(row: LabelRow) -> dict[str, object]:
    return {
        "label": row.label,
        "count": row.count,
        "flag": label_flag(row) or None,
        **_json_compared(row.comparison),
    }
