"""A report as Markdown, for a ticket. What comes from outside is quoted: none of it is markup. Pure."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from linkdash.model.humanize import counted
from linkdash.model.statistics.answers import plain, rates
from linkdash.model.statistics.changes import RETENTION
from linkdash.model.statistics.chart_data import UNKNOWN, exact, label_text
from linkdash.model.statistics.periods import (
    Amount,
    Comparison,
    LabelRow,
    day_words,
)
from linkdash.model.statistics.readings import (
    BREAKDOWN_TITLES,
    TOTAL_TITLES,
)
from linkdash.model.statistics.report import CodeReport, Report, difference, label_flag


def markdown(report: Report) -> str:
    """The report for a ticket: tables, no drawings; every text of the service stands in a span of code."""
    parts = _one(report, report.codes[0]) if len(report.codes) == 1 else _several(report)
    return "\n\n".join([*parts, *_notes(report)]) + "\n"


def _one(report: Report, code: CodeReport) -> Iterator[str]:
    yield f"# QR code {code.code.id}: {quoted(code.code.name or 'no name')}"
    facts = [f"- Link: {quoted(code.code.link or UNKNOWN)}"]
    if code.latest is None:
        yield facts[0]
        yield "No statistics are known."
        return
    facts.append(f"- Read: {_moment(code.latest.at, report.at)}")
    facts += [f"- {known}"] if (known := rates(code.latest)) else []
    if code.first_at is not None:
        facts.append(
            f"- History: {counted(code.readings, 'reading')} since {_moment(code.first_at, report.at)}"
        )
    yield "\n".join(facts)
    yield f"**{_spanned(plain(code.answer.sentence), code)}**"
    yield _totals(report, code)
    if not all(amount is None for amount in code.answer.steps):
        yield f"## Scans a {report.period.step}"
        yield _steps(report, code)
    for name, title in BREAKDOWN_TITLES.items():
        yield f"## {title}"
        yield _labels(report, code, code.breakdowns[name])


def _spanned(sentence: str, code: CodeReport) -> str:
    """The answer with the one text of the service in it as code."""
    if code.answer.mover is None:
        return sentence
    label = label_text(code.answer.mover[0].label)
    head, _, tail = sentence.rpartition(label)
    return f"{head}{quoted(label)}{tail}"


def _totals(report: Report, code: CodeReport) -> str:
    rows = [
        (title, exact(code.latest.total(name) if code.latest else None), *_compared(code.totals[name]))
        for name, title in TOTAL_TITLES.items()
    ]
    return _table(("", "In all", *_heads(report)), rows, "lrrrr")


def _heads(report: Report) -> tuple[str, str, str]:
    return report.period.words.capitalize(), report.period.title_before.capitalize(), "Change"


def _compared(comparison: Comparison) -> tuple[str, str, str]:
    return _amount(comparison.now), _amount(comparison.before), comparison.words or UNKNOWN


def _amount(amount: Amount | None) -> str:
    return UNKNOWN if amount is None else str(amount)


def _steps(report: Report, code: CodeReport) -> str:
    half = len(report.period.marks_before) - 1
    steps, amounts = report.period.steps, code.answer.steps
    is_hour = report.period.step == "hour"

    def when(moment: datetime) -> str:
        return f"{moment:%a %H:%M}" if is_hour else day_words(moment)

    rows = [
        (
            when(steps[half + index][0]),
            _amount(amounts[half + index]),
            when(steps[index][0]),
            _amount(amounts[index]),
        )
        for index in range(min(half, len(steps) - half))
    ]
    now, before, _ = _heads(report)
    return _table((now, "Scans", before, "Scans"), rows, "lrlr")


def _labels(report: Report, code: CodeReport, rows: list[LabelRow] | None) -> str:
    if rows is None:
        return "The service told nothing."
    if not rows:
        return "None so far."
    if code.is_all_time:
        counted_rows = [
            (quoted_cell(row.label), f"{row.count:,}", _share(row), label_flag(row)) for row in rows
        ]
        return _table(("Label", "In all", "Share", ""), counted_rows, "lrrl")
    compared_rows = [
        (
            quoted_cell(row.label),
            _amount(row.comparison.now),
            _share(row),
            _amount(row.comparison.before),
            label_flag(row) or row.comparison.words or UNKNOWN,
        )
        for row in rows
    ]
    now, before, change = _heads(report)
    return _table(("Label", now, "Share", before, change), compared_rows, "lrrrl")


def _share(row: LabelRow) -> str:
    return UNKNOWN if row.share is None or row.was is not None else f"{row.share * 100:.0f} %"


def _several(report: Report) -> Iterator[str]:
    yield f"# {counted(len(report.codes), 'QR code')}, {report.period.words}"
    rows = [
        (
            _name(code),
            str(code.code.id),
            exact(code.latest.scans if code.latest else None),
            *_compared(code.totals["scans"]),
            _spanned(_where(code), code),
        )
        for code in report.codes
    ]
    yield _table(("Code", "Id", "Scans in all", *_heads(report), "Since, and where"), rows, "lrrrrrl")
    for title, moved in (("Rose most", report.risers), ("Fell most", report.fallers)):
        if moved:
            yield f"## {title}"
            yield _table(
                ("Code", "Id", "By", "Change"),
                [
                    (
                        _name(code),
                        str(code.code.id),
                        f"{difference(code.totals['scans']):+,}",
                        code.totals["scans"].words,
                    )
                    for code in moved
                ],
                "lrrr",
            )
    flagged = [
        (
            _name(code),
            BREAKDOWN_TITLES[name],
            quoted_cell(row.label),
            flag,
        )
        for code in report.codes
        for name, labels in code.breakdowns.items()
        for row in labels or ()
        if (flag := label_flag(row))
    ]
    if flagged:
        yield "## New and vanished labels"
        yield _table(("Code", "Of", "Label", ""), flagged, "llll")


def _name(code: CodeReport) -> str:
    return quoted_cell(code.code.name or f"QR code {code.code.id}")


def _where(code: CodeReport) -> str:
    """What of the answer the row does not say yet."""
    _, _, rest = plain(code.answer.sentence).partition(code.totals["scans"].words or "\0")
    return rest.lstrip(",; ")


def _notes(report: Report) -> Iterator[str]:
    signs = {amount.sign for code in report.codes for amount in _all_amounts(code)}
    notes = []
    if "≈" in signs:
        notes.append("- ≈ A reading is missing near the beginning or the end: a part is interpolated.")
    if "≥" in signs:
        notes.append("- ≥ The history covers only a part of this time.")
    for code in report.codes:
        for start, end in code.gaps:
            time = f"from {_moment(start, report.at)} to {_moment(end, report.at)}"
            notes.append(f"- No reading of code {code.code.id} {time}.")
    if any(code.has_fallen for code in report.codes):
        notes.append(f"- {RETENTION}")
    if notes:
        yield "\n".join(["## Notes", "", *notes])


def _all_amounts(code: CodeReport) -> Iterator[Amount]:
    for comparison in code.totals.values():
        yield from (side for side in (comparison.now, comparison.before) if side is not None)
    yield from (amount for amount in code.answer.steps if amount is not None)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], aligned: str) -> str:
    rule = ["---:" if side == "r" else "---" for side in aligned]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def quoted(text: str) -> str:
    """A text from outside as a span of code: nothing in it is markup, an address or a mention."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{' '.join(text.split())}{space}{ticks}"


def quoted_cell(text: str) -> str:
    """A text from outside as a span of code in a table, whose cells it cannot end."""
    return quoted(label_text(text)).replace("|", "\\|")


def _moment(moment: datetime, now: datetime) -> str:
    return f"{moment.astimezone(now.tzinfo):%Y-%m-%d %H:%M %z}"
