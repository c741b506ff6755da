"""A report as people read it, the answer first: the same blocks for Markdown, the screen and a page."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import zip_longest
from types import MappingProxyType

from linkdash.model.document.blocks import (
    Block,
    DrawnTable,
    Facts,
    Fold,
    Heading,
    NumberCard,
    NumberCards,
    Outside,
    Scannable,
    Sentence,
    Table,
    Toned,
    Words,
    parts_of,
)
from linkdash.model.humanize import UNKNOWN, counted, exact, zone_name
from linkdash.model.statistics.chart_data import Number, Tone, label_text
from linkdash.model.statistics.charts import (
    added_chart,
    breakdown_chart,
    compared_days,
    long_step,
    totals_chart,
)
from linkdash.model.statistics.period import Period, day_words
from linkdash.model.statistics.period_comparison import Amount, Comparison, LabelRow, Track
from linkdash.model.statistics.readings import BREAKDOWN_TITLES, RETENTION, TOTAL_TITLES
from linkdash.model.statistics.report.content import (
    CodeReport,
    Flagged,
    Report,
    difference,
    label_flag,
)
from linkdash.model.statistics.sentences import CodeAnswer, in_a_step, plain, rates, tone_of
from linkdash.store.reading import Total

MOST_ROWS = 20
"""Rows of a list of labels or silent codes; the rest is counted, and CSV and JSON have all."""
MOST_LABELS = 30
"""Labels of a breakdown; the others stand in a row together."""
MOST_SIDE_BY_SIDE = 6
"""Codes whose days are told beside each other."""
_MOST_GAPS = 10
_LABELS = {
    "countries": "Country",
    "referrers": "Referrer",
    "browsers": "Browser",
    "systems": "System",
    "social": "Network",
}
"""A label of each breakdown, in a word."""
_CARDS: tuple[Total, ...] = ("scans", "clicks", "unique")


def blocks(report: Report) -> Iterator[Block]:
    """The report from top to bottom."""
    if len(report.codes) == 1:
        yield from _one(report, report.codes[0])
    else:
        yield from _several(report)
    yield from _notes(report)


# ---- one code ----


def _one(report: Report, code: CodeReport) -> Iterator[Block]:
    yield Heading(1, (f"QR code {code.code.id}: ", _label(code.code.name or "no name")))
    if code.latest is None:
        yield Facts([_link(code)])
        yield Sentence("No statistics are known.")
        return
    yield Sentence(_answer(code), is_strong=True)
    yield Sentence(_times(report))
    yield from _numbers(report, code)
    yield from _curve(report, code)
    yield from _breakdowns(report, code, 2)


def _numbers(report: Report, code: CodeReport) -> Iterator[Block]:
    """Return the blocks above the breakdowns of a code, read at least once."""
    if code.code.link:
        yield Scannable(code.code.link)
    in_all: dict[Total, int | None] = {
        name: code.latest.total(name) if code.latest else None for name in TOTAL_TITLES
    }
    yield _totals(report.period, in_all, code.totals, code.answer)
    facts: list[Words] = [_link(code)]
    if code.latest is not None:
        facts.append(f"Read: {_moment(code.latest.at, report)}")
        facts += [known] if (known := rates(code.latest)) else []
        since = _moment(code.readings[0].at, report)
        facts.append(f"History: {counted(len(code.readings), 'reading')} since {since}")
    yield Facts(facts)
    yield from _days(report, code.answer, [code.track])


def _link(code: CodeReport) -> Words:
    return "Link: ", Outside(code.code.link or UNKNOWN)


def _days(report: Report, answer: CodeAnswer, tracks: Sequence[Track]) -> Iterator[Block]:
    if any(amount is not None for amount in answer.steps):
        yield Heading(2, f"Scans {in_a_step(report.period)}")
        yield DrawnTable(
            added_chart(answer, tracks, "scans", report.period.last_moment(report.at)),
            _steps(report.period, answer),
        )


def _steps(period: Period, answer: CodeAnswer) -> Table:
    half = len(period.marks_before) - 1
    rows = [(_step_words(period, index), _amount(amount)) for index, amount in enumerate(answer.steps)]
    sides = zip_longest(rows[half:], rows[:half], fillvalue=("", ""))
    now, before, _ = _heads(period)
    return Table(
        (now, "Scans", before, "Scans"), [(*side, *side_before) for side, side_before in sides], "lrlr"
    )


def _step_words(period: Period, index: int) -> str:
    start, _ = period.steps[index]
    return f"{start:%a %H:%M}" if period.step == "hour" else day_words(start)


def _curve(report: Report, code: CodeReport) -> Iterator[Block]:
    """Return what the scans had come to over the whole history."""
    step = long_step(code.readings)
    lines = totals_chart([code], "scans", step, report.at.tzinfo or UTC)
    points = lines.series[0][1]
    if len([None for _, value in points if value is not None]) > 2:
        form = "%a %-d %b %H:%M" if step == "hour" else "%-d %b %Y"
        yield Heading(2, "Scans in all")
        yield DrawnTable(
            lines, Table(("", "Scans"), [(f"{at:{form}}", _count(value)) for at, value in points], "lr")
        )


def _breakdowns(report: Report, code: CodeReport, level: int) -> Iterator[Block]:
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
            (_label(row.label), f"{row.count:,}", _share(row), label_flag(row)) for row in named
        ]
        table = Table((_LABELS[name], "In all", "Share", ""), told, "lrrl")
    else:
        told = [(_label(row.label), *_compared_label(row)) for row in named]
        now, before, change = _heads(report.period)
        table = Table((_LABELS[name], now, "Share", before, change), told, "lrrrl")
    bars = breakdown_chart(name, named)
    if others:
        told.append(_others(others, len(table.head)))
    return DrawnTable(bars, table) if bars else table


def _compared_label(row: LabelRow) -> tuple[str, str, str, str]:
    comparison = row.comparison
    change = Toned(label_flag(row) or comparison.words or UNKNOWN, _tone_of_label(row))
    return _amount(comparison.now), _share(row), _amount(comparison.before), change


def _tone_of_label(row: LabelRow) -> Tone:
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


# ---- several codes ----


def _several(report: Report) -> Iterator[Block]:
    whole, period = report.whole, report.period
    yield Heading(1, f"{counted(len(report.codes), 'QR code')}, {period.words}")
    yield Sentence(_what_happened(report), is_strong=True)
    yield Sentence(_times(report))
    yield _totals(period, whole.in_all, whole.totals, whole.answer, _reaches(report))
    yield from _days(report, whole.answer, whole.tracks)
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
        yield from (Fold((_name(code),), [*_details(report, code)]) for code in report.listed)


def _what_happened(report: Report) -> Words:
    parts = [plain(report.whole.answer.sentence).rstrip(".")]
    for verb, moved in (("fell most", report.fallers), ("rose most", report.risers)):
        if moved:
            parts += [". ", _name(moved[0]), f" {verb}: {_change(moved[0].totals['scans'])}"]
    return [*parts, "."]


def _change(comparison: Comparison) -> str:
    by = f"{difference(comparison):+,}".replace("-", "−")
    return f"{by} ({comparison.words})" if comparison.words else by


def _reaches(report: Report) -> dict[Total, str]:
    """Of how many codes each total tells both periods, where that is not all of them."""
    of = len(report.codes)
    return {name: f"{told:,} of {of:,} codes" for name, told in report.whole.codes.items() if told < of}


def _movers(report: Report, codes: Sequence[CodeReport]) -> Table:
    rows = [
        (
            _name(code),
            str(code.code.id),
            *_compared(code.totals["scans"])[:2],
            f"{difference(code.totals['scans']):+,}".replace("-", "−"),
            _toned(code.totals["scans"]),
            _spanned(_where(code), code.answer),
        )
        for code in codes
    ]
    now, before, change = _heads(report.period)
    head = ("Code", "Id", now, before, "By", change, "What happened")
    return Table(head, rows, "lrrrrrl", [_trend(code.answer) for code in codes])


def _flagged(flagged: Sequence[Flagged]) -> Iterator[Block]:
    if not flagged:
        return
    yield Heading(2, "New and vanished labels")
    rows = [
        (
            _name(one.code),
            _LABELS[one.breakdown],
            _label(one.row.label),
            "" if one.row.was is not None else f"{one.row.count:,}",
            Toned(label_flag(one.row), _tone_of_label(one.row)),
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
            _name(code),
            str(code.code.id),
            _amount(code.totals["scans"].before),
            exact(code.latest.scans if code.latest else None),
        )
        for code in silent[:MOST_ROWS]
    ]
    _, before, _ = _heads(report.period)
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
        (_step_words(report.period, index), *(_count(value) for value in of_step))
        for index, of_step in zip(range(len(moments)), values, strict=True)
    ]
    yield Heading(2, f"Each code {in_a_step(report.period)}")
    yield DrawnTable(lines, Table(("", *(_label(name) for name, _ in named)), rows, "l" + "r" * len(named)))


def _all_codes(report: Report) -> Table:
    rows = [
        (
            _name(code),
            str(code.code.id),
            exact(code.latest.scans if code.latest else None),
            *_compared(code.totals["scans"])[:2],
            _toned(code.totals["scans"]),
            _spanned(_where(code), code.answer),
        )
        for code in report.listed
    ]
    head = ("Code", "Id", "Scans in all", *_heads(report.period), "What happened")
    return Table(head, rows, "lrrrrrl", [_trend(code.answer) for code in report.listed])


def _details(report: Report, code: CodeReport) -> Iterator[Block]:
    if code.latest is None:
        yield Sentence("No statistics are known.")
        return
    yield Sentence(_answer(code), is_strong=True)
    yield from _numbers(report, code)
    if not code.latest.tells_scans_only:
        yield from _breakdowns(report, code, 3)


# ---- what both share ----


def _totals(
    period: Period,
    in_all: dict[Total, int | None],
    totals: dict[Total, Comparison],
    answer: CodeAnswer,
    reaches: Mapping[Total, str] = MappingProxyType({}),
) -> NumberCards:
    """`reaches` is of how many codes a total is, where that has to be said."""
    rows = [
        (
            _with(title, reaches.get(name)),
            exact(in_all[name]),
            *_compared(totals[name])[:2],
            _toned(totals[name]),
        )
        for name, title in TOTAL_TITLES.items()
    ]
    cards = [
        _card(name, period, in_all[name], totals[name], answer, reaches.get(name, "")) for name in _CARDS
    ]
    return NumberCards(cards, Table(("", "In all", *_heads(period)), rows, "lrrrr"))


def _with(title: str, reach: str | None) -> str:
    return f"{title}, {reach}" if reach else title


def _card(
    name: Total,
    period: Period,
    in_all: int | None,
    comparison: Comparison,
    answer: CodeAnswer,
    reach: str,
) -> NumberCard:
    title, whole = TOTAL_TITLES[name], f"{exact(in_all)} in all"
    if comparison.now is None:
        return NumberCard(f"{title}, in all", exact(in_all), Toned("", "muted"), "")
    notes = [f"{comparison.before} before"] if comparison.before is not None else []
    notes += [reach] if reach else [whole] if in_all is not None else []
    trend = _trend(answer) if name == "scans" else ()
    return NumberCard(
        f"{title}, {period.words.removeprefix('last ')}",
        str(comparison.now),
        _toned(comparison, ""),
        " · ".join(notes),
        trend,
    )


def _trend(answer: CodeAnswer) -> Sequence[Number]:
    return tuple(amount.value if amount else None for amount in answer.steps)


def _heads(period: Period) -> tuple[str, str, str]:
    words, before = period.words, period.title_before
    return words[:1].upper() + words[1:], before[:1].upper() + before[1:], "Change"


def _compared(comparison: Comparison) -> tuple[str, str, str]:
    return _amount(comparison.now), _amount(comparison.before), comparison.words or UNKNOWN


def _toned(comparison: Comparison, if_none: str = UNKNOWN) -> Toned:
    return Toned(comparison.words or if_none, tone_of(comparison))


def _amount(amount: Amount | None) -> str:
    return UNKNOWN if amount is None else str(amount)


def _count(value: Number) -> str:
    return UNKNOWN if value is None else f"{value:,.0f}"


def _name(code: CodeReport) -> Outside:
    return _label(code.name)


def _label(text: str) -> Outside:
    return Outside(label_text(text))


def _where(code: CodeReport) -> str:
    """Return what of the answer the row does not say yet."""
    _, _, rest = plain(code.answer.sentence).partition(code.totals["scans"].words or "\0")
    return rest.lstrip(",; ")


def _answer(code: CodeReport) -> Words:
    """The answer as a whole sentence."""
    parts = parts_of(_spanned(plain(code.answer.sentence), code.answer))
    return [*parts, "" if parts[-1].endswith(".") else "."]


def _spanned(sentence: str, answer: CodeAnswer) -> Words:
    """The answer, and which part of it comes from outside."""
    if answer.mover is None:
        return sentence
    label = label_text(answer.mover[0].label)
    head, _, tail = sentence.rpartition(label)
    return head, Outside(label), tail


# ---- when, and how well it is known ----


def _times(report: Report) -> str:
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


def _notes(report: Report) -> Iterator[Block]:
    signs = {amount.sign for code in report.codes for amount in _all_amounts(code)}
    notes = []
    if "≈" in signs:
        notes.append("≈ A reading is missing near the beginning or the end: a part is interpolated.")
    if "≥" in signs:
        notes.append("≥ The history covers only a part of this time.")
    for name, reach in _reaches(report).items():
        title = TOTAL_TITLES[name]
        notes.append(f"{title} are compared of {reach}: of the others a part of the time is not known.")
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
        f"No reading of code {code.code.id} from {_moment(start, report)} to {_moment(end, report)}."
        for code, (start, end) in gaps[:_MOST_GAPS]
    ]
    left = len(gaps) - len(lines)
    return [*lines, f"And {left:,} more times without a reading; JSON holds all."] if left else lines


def _all_amounts(code: CodeReport) -> Iterator[Amount]:
    for comparison in code.totals.values():
        yield from (side for side in (comparison.now, comparison.before) if side is not None)
    yield from (amount for amount in code.answer.steps if amount is not None)


def _moment(moment: datetime, report: Report) -> str:
    return f"{moment.astimezone(report.at.tzinfo):%Y-%m-%d %H:%M %z}"
