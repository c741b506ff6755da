"""A report of one, some or all codes: totals, change, who rose and fell, what is new, what is missing. Pure.

It is written as CSV for a spreadsheet, as JSON for a program, and for people as Markdown for a ticket or as
plain text for the screen. These two are written from the same blocks, and what comes from outside is told
apart in them: in Markdown it stands in spans of code, so that none of it is markup, an address or a mention.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import TypeAlias

from rich.cells import cell_len

from linkdash.api.qr import QrCode
from linkdash.api.text import inert
from linkdash.model.export import Cell, csv_text, json_text
from linkdash.model.humanize import UNKNOWN, counted, exact
from linkdash.model.statistics.answers import Answer, answer, in_a_step, plain, rates
from linkdash.model.statistics.chart_data import label_text
from linkdash.model.statistics.periods import (
    Amount,
    Comparison,
    LabelRow,
    Period,
    Track,
    breakdown,
    compared,
    day_words,
)
from linkdash.model.statistics.readings import (
    BREAKDOWN_TITLES,
    RETENTION,
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


_GAP = "  "


class Outside(str):
    """A text that comes from outside."""


Words: TypeAlias = str | Sequence[str]
"""A text, or parts of one, of which some come from outside."""


@dataclass(frozen=True)
class Heading:
    """What the next blocks are about; level 1 is the whole report."""

    level: int
    words: Words


@dataclass(frozen=True)
class Sentence:
    """A sentence; a strong one is the answer."""

    words: Words
    is_strong: bool = False


@dataclass(frozen=True)
class Facts:
    """A line each."""

    lines: Sequence[Words]


@dataclass(frozen=True)
class Table:
    """Cells in rows; `aligned` has an `l` or an `r` for each column."""

    head: Sequence[str]
    rows: Sequence[Sequence[Words]]
    aligned: str


Block: TypeAlias = Heading | Sentence | Facts | Table


# ---- what people are told ----


def blocks(report: Report) -> Iterator[Block]:
    """The report from top to bottom."""
    yield from _one(report, report.codes[0]) if len(report.codes) == 1 else _several(report)
    yield from _notes(report)


def _one(report: Report, code: CodeReport) -> Iterator[Block]:
    yield Heading(1, (f"QR code {code.code.id}: ", Outside(code.code.name or "no name")))
    facts: list[Words] = [("Link: ", Outside(code.code.link or UNKNOWN))]
    if code.latest is None:
        yield Facts(facts)
        yield Sentence("No statistics are known.")
        return
    facts.append(f"Read: {_moment(code.latest.at, report.at)}")
    facts += [known] if (known := rates(code.latest)) else []
    if code.first_at is not None:
        facts.append(
            f"History: {counted(code.readings, 'reading')} since {_moment(code.first_at, report.at)}"
        )
    yield Facts(facts)
    yield Sentence(_spanned(plain(code.answer.sentence), code), is_strong=True)
    yield _totals(report, code)
    if not all(amount is None for amount in code.answer.steps):
        yield Heading(2, f"Scans {in_a_step(report.period)}")
        yield _steps(report, code)
    for name, title in BREAKDOWN_TITLES.items():
        yield Heading(2, title)
        yield _labels(report, code, name)


def _spanned(sentence: str, code: CodeReport) -> Words:
    """The answer, and which part of it comes from outside."""
    if code.answer.mover is None:
        return sentence
    label = label_text(code.answer.mover[0].label)
    head, _, tail = sentence.rpartition(label)
    return head, Outside(label), tail


def _totals(report: Report, code: CodeReport) -> Table:
    rows = [
        (title, exact(code.latest.total(name) if code.latest else None), *_compared(code.totals[name]))
        for name, title in TOTAL_TITLES.items()
    ]
    return Table(("", "In all", *_heads(report)), rows, "lrrrr")


def _heads(report: Report) -> tuple[str, str, str]:
    return report.period.words.capitalize(), report.period.title_before.capitalize(), "Change"


def _compared(comparison: Comparison) -> tuple[str, str, str]:
    return _amount(comparison.now), _amount(comparison.before), comparison.words or UNKNOWN


def _amount(amount: Amount | None) -> str:
    return UNKNOWN if amount is None else str(amount)


def _steps(report: Report, code: CodeReport) -> Table:
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
    return Table((now, "Scans", before, "Scans"), rows, "lrlr")


def _why_unknown(name: str, code: CodeReport) -> str:
    if code.latest is None or code.latest.tells_scans_only:
        return "Not read yet: the list of codes tells scans alone."
    if name in code.latest.breakdowns:
        return "Too few readings: what was added in this time is not known."
    return "The service told nothing."


def _labels(report: Report, code: CodeReport, name: str) -> Block:
    rows = code.breakdowns[name]
    if rows is None:
        return Sentence(_why_unknown(name, code))
    if not rows:
        return Sentence("None so far.")
    if code.is_all_time:
        counted_rows = [(_label(row.label), f"{row.count:,}", _share(row), label_flag(row)) for row in rows]
        return Table(("Label", "In all", "Share", ""), counted_rows, "lrrl")
    compared_rows = [
        (
            _label(row.label),
            _amount(row.comparison.now),
            _share(row),
            _amount(row.comparison.before),
            label_flag(row) or row.comparison.words or UNKNOWN,
        )
        for row in rows
    ]
    now, before, change = _heads(report)
    return Table(("Label", now, "Share", before, change), compared_rows, "lrrrl")


def _share(row: LabelRow) -> str:
    return UNKNOWN if row.share is None or row.was is not None else f"{row.share * 100:.0f} %"


def _several(report: Report) -> Iterator[Block]:
    yield Heading(1, f"{counted(len(report.codes), 'QR code')}, {report.period.words}")
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
    yield Table(("Code", "Id", "Scans in all", *_heads(report), "Since, and where"), rows, "lrrrrrl")
    for title, moved in (("Rose most", report.risers), ("Fell most", report.fallers)):
        if moved:
            yield Heading(2, title)
            yield Table(
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
            _label(row.label),
            flag,
        )
        for code in report.codes
        for name, labels in code.breakdowns.items()
        for row in labels or ()
        if (flag := label_flag(row))
    ]
    if flagged:
        yield Heading(2, "New and vanished labels")
        yield Table(("Code", "Of", "Label", ""), flagged, "llll")


def _name(code: CodeReport) -> Outside:
    return _label(code.code.name or f"QR code {code.code.id}")


def _label(text: str) -> Outside:
    return Outside(label_text(text))


def _where(code: CodeReport) -> str:
    """What of the answer the row does not say yet."""
    _, _, rest = plain(code.answer.sentence).partition(code.totals["scans"].words or "\0")
    return rest.lstrip(",; ")


def _notes(report: Report) -> Iterator[Block]:
    signs = {amount.sign for code in report.codes for amount in _all_amounts(code)}
    notes = []
    if "≈" in signs:
        notes.append("≈ A reading is missing near the beginning or the end: a part is interpolated.")
    if "≥" in signs:
        notes.append("≥ The history covers only a part of this time.")
    for code in report.codes:
        for start, end in code.gaps:
            time = f"from {_moment(start, report.at)} to {_moment(end, report.at)}"
            notes.append(f"No reading of code {code.code.id} {time}.")
    if any(code.has_fallen for code in report.codes):
        notes.append(RETENTION)
    if notes:
        yield Heading(2, "Notes")
        yield Facts(notes)


def _all_amounts(code: CodeReport) -> Iterator[Amount]:
    for comparison in code.totals.values():
        yield from (side for side in (comparison.now, comparison.before) if side is not None)
    yield from (amount for amount in code.answer.steps if amount is not None)


def _moment(moment: datetime, now: datetime) -> str:
    return f"{moment.astimezone(now.tzinfo):%Y-%m-%d %H:%M %z}"


# ---- as Markdown ----


def markdown(report: Report) -> str:
    """The report for a ticket: tables, no drawings; every text from outside stands in a span of code."""
    return "\n\n".join(map(in_markdown, blocks(report))) + "\n"


def in_markdown(block: Block) -> str:
    """A block of the report for a ticket."""
    match block:
        case Heading(level, words):
            return f"{'#' * level} {_spans(words)}"
        case Sentence(words, is_strong):
            return f"**{_spans(words)}**" if is_strong else _spans(words)
        case Facts(lines):
            return "\n".join(f"- {_spans(line)}" for line in lines)
        case Table(head, rows, aligned):
            rule = ["---:" if side == "r" else "---" for side in aligned]
            cells = [[_spans(cell).replace("|", "\\|") for cell in row] for row in rows]
            return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *cells))


def _spans(words: Words) -> str:
    return "".join(quoted(part) if isinstance(part, Outside) else part for part in _parts(words))


def _parts(words: Words) -> Sequence[str]:
    return (words,) if isinstance(words, str) else words


def quoted(text: str) -> str:
    """A text from outside as a span of code: nothing in it is markup, an address or a mention."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{' '.join(text.split())}{space}{ticks}"


# ---- as plain text ----


def text(report: Report, width: int | None = None) -> str:
    """The report to be read on a screen of so many cells: inert, with columns under each other."""
    return "\n\n".join(in_text(block, width) for block in blocks(report))


def in_text(block: Block, width: int | None = None) -> str:
    """A block of the report for a screen of so many cells; sentences are left to wrap."""
    match block:
        case Heading(level, words):
            title = _inert(words)
            rule = "─" * min(cell_len(title), width or cell_len(title))
            return title if level > 1 else f"{title}\n{rule}"
        case Sentence(words):
            return _inert(words)
        case Facts(lines):
            return "\n".join(map(_inert, lines))
        case Table(head, rows, aligned):
            return "\n".join(_in_width([[*map(_inert, row)] for row in (head, *rows)], aligned, width))


def _in_width(cells: Sequence[Sequence[str]], aligned: str, width: int | None) -> list[str]:
    """A table in the first form that fits, so that no row is broken anywhere."""
    for form in (_in_rows, _under_names):
        lines = form(cells, aligned)
        if width is None or max(map(cell_len, lines)) <= width:
            return lines
    return _in_parts(cells)


def _in_rows(cells: Sequence[Sequence[str]], aligned: str) -> list[str]:
    """Cells under each other, those of the head first."""
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    return [_row(row, widths, aligned) for row in cells]


def _under_names(cells: Sequence[Sequence[str]], aligned: str) -> list[str]:
    """The first cell of each row in a line of its own, and the others under each other."""
    others = _in_rows([row[1:] for row in cells], aligned[1:])
    return [line for row, other in zip(cells, others, strict=True) for line in (row[0], f"{_GAP}{other}")]


def _in_parts(cells: Sequence[Sequence[str]]) -> list[str]:
    """A part for each row: its first cell, and each of the others in a line of its own with its title."""
    titles, *rows = cells
    parts = []
    for row in rows:
        parts += ["", row[0]]
        named = zip(titles[1:], row[1:], strict=True)
        parts += [f"{_GAP}{title}: {cell}" if title else f"{_GAP}{cell}" for title, cell in named if cell]
    return parts[1:]


def _inert(words: Words) -> str:
    return inert("".join(_parts(words)))


def _row(cells: Sequence[str], widths: Sequence[int], aligned: str) -> str:
    filled = []
    for cell, width, side in zip(cells, widths, aligned, strict=True):
        room = " " * (width - cell_len(cell))
        filled.append(room + cell if side == "r" else cell + room)
    return _GAP.join(filled).rstrip()
