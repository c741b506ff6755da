"""The report of several codes: those that fell and rose most, the silent ones, then all."""

from collections.abc import Iterator, Sequence

from linkdash.model.document.blocks import Block, DrawnTable, Fold, Heading, Sentence, Table, Toned, Words
from linkdash.model.humanize import counted, exact
from linkdash.model.statistics.charts import compared_days
from linkdash.model.statistics.period_comparison import Comparison
from linkdash.model.statistics.report.content import CodeReport, Flagged, Report, difference, label_flag
from linkdash.model.statistics.report.figures import (
    LABEL_HEADS,
    amount_words,
    answer_words,
    code_name,
    compared_cells,
    count_words,
    period_heads,
    place_words,
    shown_label,
    toned_change,
    total_cards,
    trend_of,
)
from linkdash.model.statistics.report.known_times import reaches, times_words
from linkdash.model.statistics.report.one_code import (
    breakdown_blocks,
    day_blocks,
    number_blocks,
    step_words,
    tone_of_label,
)
from linkdash.model.statistics.sentences import in_a_step, plain

MOST_ROWS = 20
"""Rows of a list of labels or silent codes; the rest is counted, and CSV and JSON have all."""
MOST_SIDE_BY_SIDE = 6
"""Codes whose days are told beside each other."""


def several_codes(report: Report) -> Iterator[Block]:
    whole, period = report.whole, report.period
    yield Heading(1, f"{counted(len(report.codes), 'QR code')}, {period.words}")
    yield Sentence(_what_happened(report), is_strong=True)
    yield Sentence(times_words(report))
    yield total_cards(period, whole.in_all, whole.totals, whole.answer, reaches(report))
    yield from day_blocks(report, whole.answer, whole.tracks)
    for title, moved in (("Fell most", report.fallers), ("Rose most", report.risers)):
        if moved:
            yield Heading(2, title)
            yield _movers(report, moved)
    yield from _flagged(report.flagged)
    yield from _silent(report)
    if len(report.codes) <= MOST_SIDE_BY_SIDE:
        yield from _side_by_side(report)
    yield Heading(2, "All codes")
    yield _all_codes(report)
    if len(report.listed) < len(report.codes):
        yield Sentence(f"{len(report.listed):,} of {len(report.codes):,} codes.")
    if report.has_details:
        yield Heading(2, "Each code")
        yield from (Fold((code_name(code),), [*_details(report, code)]) for code in report.listed)


def _what_happened(report: Report) -> Words:
    parts = [plain(report.whole.answer.sentence).rstrip(".")]
    for verb, moved in (("fell most", report.fallers), ("rose most", report.risers)):
        if moved:
            parts += [". ", code_name(moved[0]), f" {verb}: {_change(moved[0].totals['scans'])}"]
    return [*parts, "."]


def _change(comparison: Comparison) -> str:
    by = f"{difference(comparison):+,}".replace("-", "−")
    return f"{by} ({comparison.words})" if comparison.words else by


def _movers(report: Report, codes: Sequence[CodeReport]) -> Table:
    rows = [
        (
            code_name(code),
            str(code.code.id),
            *compared_cells(code.totals["scans"])[:2],
            f"{difference(code.totals['scans']):+,}".replace("-", "−"),
            toned_change(code.totals["scans"]),
            place_words(code),
        )
        for code in codes
    ]
    now, before, change = period_heads(report.period)
    head = ("Code", "Id", now, before, "By", change, "What happened")
    return Table(head, rows, "lrrrrrl", [trend_of(code.answer) for code in codes])


def _flagged(flagged: Sequence[Flagged]) -> Iterator[Block]:
    if not flagged:
        return
    yield Heading(2, "New and vanished labels")
    rows = [
        (
            code_name(one.code),
            LABEL_HEADS[one.breakdown],
            shown_label(one.row.label),
            "" if one.row.was is not None else f"{one.row.count:,}",
            Toned(label_flag(one.row), tone_of_label(one.row)),
        )
        for one in flagged[:MOST_ROWS]
    ]
    yield Table(("Code", "Kind", "Label", "Clicks", ""), rows, "lllrl")
    yield from _more(len(flagged) - len(rows))


def _silent(report: Report) -> Iterator[Block]:
    silent = report.silent
    if not silent:
        return
    yield Heading(2, "Silent codes")
    yield Sentence(f"{counted(len(silent), 'code')} without a scan in the {report.period.words}.")
    rows = [
        (
            code_name(code),
            str(code.code.id),
            amount_words(code.totals["scans"].before),
            exact(code.latest.scans if code.latest else None),
        )
        for code in silent[:MOST_ROWS]
    ]
    _, before, _ = period_heads(report.period)
    yield Table(("Code", "Id", before, "Scans in all"), rows, "lrrr")
    yield from _more(len(silent) - len(rows))


def _more(left: int) -> Iterator[Block]:
    if left:
        yield Sentence(f"And {left:,} more; CSV and JSON hold all.")


def _side_by_side(report: Report) -> Iterator[Block]:
    named = [(code.name, code.track) for code in report.codes]
    lines = compared_days(named, report.period, base=None, if_empty="")
    if all(value is None for _, line in lines.series for _, value in line):
        return
    moments = [at for at, _ in lines.series[0][1]]
    values = zip(*([value for _, value in line] for _, line in lines.series), strict=True)
    rows = [
        (step_words(report.period, index), *(count_words(value) for value in of_step))
        for index, of_step in zip(range(len(moments)), values, strict=True)
    ]
    yield Heading(2, f"Each code {in_a_step(report.period)}")
    yield DrawnTable(
        lines, Table(("", *(shown_label(name) for name, _ in named)), rows, "l" + "r" * len(named))
    )


def _all_codes(report: Report) -> Table:
    rows = [
        (
            code_name(code),
            str(code.code.id),
            exact(code.latest.scans if code.latest else None),
            *compared_cells(code.totals["scans"])[:2],
            toned_change(code.totals["scans"]),
            place_words(code),
        )
        for code in report.listed
    ]
    head = ("Code", "Id", "Scans in all", *period_heads(report.period), "What happened")
    return Table(head, rows, "lrrrrrl", [trend_of(code.answer) for code in report.listed])


def _details(report: Report, code: CodeReport) -> Iterator[Block]:
    if code.latest is None:
        yield Sentence("No statistics are known.")
        return
    yield Sentence(answer_words(code), is_strong=True)
    yield from number_blocks(report, code)
    if not code.latest.tells_scans_only:
        yield from breakdown_blocks(report, code, 3)
