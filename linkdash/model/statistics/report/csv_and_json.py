"""A report for programs: CSV for a spreadsheet, and JSON with everything it holds, in the order of people."""

from collections.abc import Iterator, Sequence

from linkdash.api.records import as_sent
from linkdash.model.csv_text import Cell, csv_text
from linkdash.model.json_text import json_text
from linkdash.model.local_time import zone_name
from linkdash.model.statistics.period_comparison import Comparison, LabelRow
from linkdash.model.statistics.report.content import CodeReport, Flagged, Report, difference, label_flag
from linkdash.model.statistics.sentences import CodeAnswer, plain
from linkdash.store.reading import Total

ALL_CODES = "all codes"
"""The group of the rows that count all codes together; rows of one code have another."""


def csv(report: Report) -> str:
    """A row a number: its code, what it counts, all there is, the period, the one before, the change.

    The rows of several codes together come first, and then those of each code in the report's order.
    """
    head = ("code", "name", "group", "label", "in all", "added", "before", "percent", "flag", "certainty")
    whole = _csv_whole(report) if len(report.codes) > 1 else []
    return csv_text(head, [*whole, *(row for code in report.listed for row in _csv_rows(code))])


def _csv_whole(report: Report) -> list[list[Cell]]:
    whole = report.whole
    return [
        [
            None,
            f"{whole.codes[total]} codes",
            ALL_CODES,
            total,
            whole.in_all[total].value,
            *_csv_compared(comparison, f"in all of {reach}" if (reach := whole.in_all[total].reach) else ""),
        ]
        for total, comparison in whole.totals.items()
    ]


def _csv_rows(code: CodeReport) -> Iterator[list[Cell]]:
    for total, comparison in code.totals.items():
        in_all = code.latest.total(total) if code.latest else None
        yield [code.code.id, as_sent(code.code).name, "total", total, in_all, *_csv_compared(comparison, "")]
    for name, rows in code.breakdowns.items():
        told = code.latest.breakdowns.get(name, {}) if code.latest else {}
        for row in rows or ():
            compared = _csv_compared(row.comparison, label_flag(row))
            yield [code.code.id, as_sent(code.code).name, name, row.label, told.get(row.label), *compared]


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
    period, whole = report.period, report.whole
    return json_text(
        {
            "at": report.at.isoformat(timespec="seconds"),
            "zone": zone_name(report.at),
            "period": {
                "start": period.start.isoformat(),
                "end": period.end.isoformat(),
                "before": period.start_before.isoformat(),
                "step": period.step,
            },
            "answer": plain(whole.answer.sentence),
            "totals": {
                name: {
                    "in_all": whole.in_all[name].value,
                    "in_all_codes": whole.in_all[name].told,
                    "codes": whole.codes[name],
                    **_json_compared(comparison),
                }
                for name, comparison in whole.totals.items()
            },
            "steps": _json_steps(whole.answer),
            "fell_most": [*map(_json_mover, report.fallers)],
            "rose_most": [*map(_json_mover, report.risers)],
            "labels": [*map(_json_flagged, report.flagged)],
            "silent": [code.code.id for code in report.silent],
            "codes_in_all": len(report.codes),
            "codes": [members(code) for code in report.listed],
        }
    )


def members(code: CodeReport) -> dict[str, object]:
    """Everything the report holds of one code, as JSON takes it."""
    sent = as_sent(code.code)
    return {
        "id": sent.id,
        "name": sent.name,
        "link": sent.link,
        "read_at": code.latest.at.isoformat() if code.latest else None,
        "answer": plain(code.answer.sentence),
        "totals": {
            name: {"in_all": _in_all(code, name), **_json_compared(comparison)}
            for name, comparison in code.totals.items()
        },
        "steps": _json_steps(code.answer),
        "breakdowns": {
            name: None if rows is None else [_json_label(row) for row in rows]
            for name, rows in code.breakdowns.items()
        },
        "gaps": [{"from": start.isoformat(), "to": end.isoformat()} for start, end in code.gaps],
    }


def _in_all(code: CodeReport, name: Total) -> int | None:
    return code.latest.total(name) if code.latest else None


def _json_steps(answer: CodeAnswer) -> Sequence[dict[str, object]]:
    return [
        {
            "start": start.isoformat(),
            "scans": amount.value if amount else None,
            "certain": bool(amount and not amount.sign),
        }
        for (start, _), amount in zip(answer.period.steps, answer.steps, strict=True)
    ]


def _json_mover(code: CodeReport) -> dict[str, object]:
    scans = code.totals["scans"]
    return {
        "id": code.code.id,
        "name": as_sent(code.code).name,
        "by": difference(scans),
        **_json_compared(scans),
        "answer": plain(code.answer.sentence),
    }


def _json_flagged(one: Flagged) -> dict[str, object]:
    return {
        "id": one.code.code.id,
        "name": as_sent(one.code.code).name,
        "breakdown": one.breakdown,
        "label": one.row.label,
        "flag": label_flag(one.row),
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
