"""The times of a report, and how well they are known: its period, gaps, and what cannot be told."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta

from linkdash.model.document.blocks import Block, Facts, Heading
from linkdash.model.humanize import counted
from linkdash.model.local_time import zone_name
from linkdash.model.statistics.period import Period, day_words
from linkdash.model.statistics.period_comparison import Amount
from linkdash.model.statistics.readings import RETENTION, TOTAL_TITLES
from linkdash.model.statistics.report.content import CodeReport, Report
from linkdash.store.reading import Total

_MOST_GAPS = 10


def times_words(report: Report) -> str:
    """The days compared, and the zone in which days begin."""
    period = report.period
    now, before = _span(period.start, period.end, period), _span(period.start_before, period.start, period)
    return f"{now}, against {before}. Times in {zone_name(period.end)}."


def _span(start: datetime, end: datetime, period: Period) -> str:
    """`Mon 16 Nov to Sun 22 Nov 2026`"""
    if period.step == "hour" or end.time() != time():
        return f"{start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}"
    last = end - timedelta(days=1)  # on the wall clock
    first = day_words(start) if start.year == last.year else f"{day_words(start)} {start.year}"
    return f"{day_words(last)} {last.year}" if start == last else f"{first} to {day_words(last)} {last.year}"


def notes(report: Report) -> Iterator[Block]:
    signs = {amount.sign for code in report.codes for amount in _all_amounts(code)}
    notes = []
    if "≈" in signs:
        notes.append("≈ A reading is missing near the beginning or the end: a part is interpolated.")
    if "≥" in signs:
        notes.append("≥ The history covers only a part of this time.")
    for name, reach in reaches(report).items():
        title = TOTAL_TITLES[name]
        notes.append(f"{title} are compared of {reach}: of the others a part of the time is not known.")
    for name, whole in report.whole.in_all.items():
        if whole.reach:
            notes.append(f"{TOTAL_TITLES[name]} in all are of {whole.reach}: the others do not tell them.")
    if unread := sum(code.latest is None for code in report.codes):
        notes.append(f"Of {counted(unread, 'code')} nothing was read.")
    notes += _gap_lines(report)
    if any(code.has_fallen for code in report.codes):
        notes.append(RETENTION)
    if notes:
        yield Heading(2, "Notes")
        yield Facts(notes)


def _gap_lines(report: Report) -> list[str]:
    gaps = [(code, gap) for code in report.codes for gap in code.gaps]
    lines = [
        f"No reading of code {code.code.id} from {clock_words(start, report)} to {clock_words(end, report)}."
        for code, (start, end) in gaps[:_MOST_GAPS]
    ]
    left = len(gaps) - len(lines)
    return [*lines, f"And {left:,} more times without a reading; JSON holds all."] if left else lines


def _all_amounts(code: CodeReport) -> Iterator[Amount]:
    for comparison in code.totals.values():
        yield from (side for side in (comparison.now, comparison.before) if side is not None)
    yield from (amount for amount in code.answer.steps if amount is not None)


def clock_words(moment: datetime, report: Report) -> str:
    return f"{moment.astimezone(report.at.tzinfo):%Y-%m-%d %H:%M %z}"


def reaches(report: Report) -> dict[Total, str]:
    """Of how many codes each total tells both periods, where that is not all of them."""
    of = len(report.codes)
    return {name: f"{told:,} of {of:,} codes" for name, told in report.whole.codes.items() if told < of}
