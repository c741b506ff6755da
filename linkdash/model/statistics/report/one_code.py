"""The report of one code, the answer first."""

from collections.abc import Iterator, Sequence
from datetime import UTC
from itertools import zip_longest

from linkdash.api.records import as_sent
from linkdash.model.document.blocks import (
    Block,
    DrawnTable,
    Facts,
    Heading,
    Outside,
    Scannable,
    Sentence,
    Table,
    Toned,
    Words,
)
from linkdash.model.humanize import UNKNOWN, counted
from linkdash.model.statistics.chart_data import Tone
from linkdash.model.statistics.charts import added_chart, breakdown_chart, long_step, totals_chart
from linkdash.model.statistics.period import Period, day_words
from linkdash.model.statistics.period_comparison import LabelRow, Track
from linkdash.model.statistics.readings import BREAKDOWN_TITLES, in_all
from linkdash.model.statistics.report.content import CodeReport, Report, label_flag
from linkdash.model.statistics.report.figures import (
    LABEL_HEADS,
    amount_words,
    answer_words,
    count_words,
    period_heads,
    shown_label,
    total_cards,
)
from linkdash.model.statistics.report.known_times import clock_words, times_words
from linkdash.model.statistics.sentences import CodeAnswer, in_a_step, rates, tone_of

MOST_LABELS = 30
"""Labels of a breakdown; the others stand in a row together."""


def one_code(report: Report, code: CodeReport) -> Iterator[Block]:
    yield Heading(1, (f"QR code {code.code.id}: ", shown_label(code.code.name or "no name")))
    if code.latest is None:
        yield Facts([_link(code)])
        yield Sentence("No statistics are known.")
        return
    yield Sentence(answer_words(code), is_strong=True)
    yield Sentence(times_words(report))
    yield from number_blocks(report, code)
    yield from _curve(report, code)
    yield from breakdown_blocks(report, code, 2)


def number_blocks(report: Report, code: CodeReport) -> Iterator[Block]:
    """Return the blocks above the breakdowns of a code, read at least once."""
    if code.code.link:
        yield Scannable(as_sent(code.code).link)
    yield total_cards(report.period, in_all([code.latest]), code.totals, code.answer)
    facts: list[Words] = [_link(code)]
    if code.latest is not None:
        facts.append(f"Read: {clock_words(code.latest.at, report)}")
        facts += [known] if (known := rates(code.latest)) else []
        since = clock_words(code.readings[0].at, report)
        facts.append(f"History: {counted(len(code.readings), 'reading')} since {since}")
    yield Facts(facts)
    yield from day_blocks(report, code.answer, [code.track])


def _link(code: CodeReport) -> Words:
    return "Link: ", Outside(code.code.link or UNKNOWN)


def day_blocks(report: Report, answer: CodeAnswer, tracks: Sequence[Track]) -> Iterator[Block]:
    if any(amount is not None for amount in answer.steps):
        yield Heading(2, f"Scans {in_a_step(report.period)}")
        yield DrawnTable(
            added_chart(answer, tracks, "scans", report.period.last_moment(report.at)),
            _steps(report.period, answer),
        )


def _steps(period: Period, answer: CodeAnswer) -> Table:
    half = len(period.marks_before) - 1
    rows = [(step_words(period, index), amount_words(amount)) for index, amount in enumerate(answer.steps)]
    sides = zip_longest(rows[half:], rows[:half], fillvalue=("", ""))
    now, before, _ = period_heads(period)
    return Table(
        (now, "Scans", before, "Scans"), [(*side, *side_before) for side, side_before in sides], "lrlr"
    )


def step_words(period: Period, index: int) -> str:
    start, _ = period.steps[index]
    return f"{start:%a %H:%M}" if period.step == "hour" else day_words(start)


def _curve(report: Report, code: CodeReport) -> Iterator[Block]:
    """Return what the scans had come to over the whole history."""
    step = long_step(code.readings)
    lines = totals_chart([code], "scans", step, report.at.tzinfo or UTC)
    points = lines.series[0][1]
    if len([None for _, value in points if value is not None]) > 2:
        form = "%a %-d %b %H:%M" if step == "hour" else "%-d %b %Y %H:%M"
        yield Heading(2, "Scans in all")
        yield DrawnTable(
            lines,
            Table(("Read", "Scans"), [(f"{at:{form}}", count_words(value)) for at, value in points], "lr"),
        )


def breakdown_blocks(report: Report, code: CodeReport, level: int) -> Iterator[Block]:
    for name, title in BREAKDOWN_TITLES.items():
        yield Heading(level, f"{title}, by clicks")
        yield _labels(report, code, name)


def _labels(report: Report, code: CodeReport, name: str) -> Block:
    rows = code.breakdowns[name]
    if rows is None:
        return Sentence(_why_unknown(name, code))
    if not rows:
        return Sentence("None so far.")
    named, others = rows[:MOST_LABELS], rows[MOST_LABELS:]
    if code.is_all_time:
        told: list[Sequence[Words]] = [
            (shown_label(row.label), f"{row.count:,}", _share(row), label_flag(row)) for row in named
        ]
        table = Table((LABEL_HEADS[name], "In all", "Share", ""), told, "lrrl")
    else:
        told = [(shown_label(row.label), *_compared_label(row)) for row in named]
        now, before, change = period_heads(report.period)
        table = Table((LABEL_HEADS[name], now, "Share", before, change), told, "lrrrl")
    bars = breakdown_chart(name, named)
    if others:
        told.append(_others(others, len(table.head)))
    return DrawnTable(bars, table) if bars else table


def _compared_label(row: LabelRow) -> tuple[str, str, str, str]:
    comparison = row.comparison
    change = Toned(label_flag(row) or comparison.words or UNKNOWN, tone_of_label(row))
    return amount_words(comparison.now), _share(row), amount_words(comparison.before), change


def tone_of_label(row: LabelRow) -> Tone:
    if row.was is not None:
        return "bad"
    return "good" if row.is_new else tone_of(row.comparison)


def _others(rows: Sequence[LabelRow], columns: int) -> Sequence[Words]:
    """The labels that have no row of their own, in one."""
    cells = [f"{counted(len(rows), 'other')}", f"{sum(row.count for row in rows):,}"]
    return [*cells, *("" for _ in range(columns - len(cells)))]


def _why_unknown(name: str, code: CodeReport) -> str:
    if code.latest is None or code.latest.tells_scans_only:
        return "Not read yet: the list of codes has scans only."
    if name in code.latest.breakdowns:
        return "Too few readings: what was added in this time is not known."
    return "The service reported nothing."


def _share(row: LabelRow) -> str:
    return UNKNOWN if row.share is None or row.was is not None else f"{row.share * 100:.0f} %"
