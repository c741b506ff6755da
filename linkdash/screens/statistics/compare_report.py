"""A report of several codes side by side in Markdown, with its charts as text. Takes up to a second."""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from linkdash.model.statistics.chart_data import exact
from linkdash.model.statistics.charts import code_name, compared_breakdown, compared_times
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.readings import BREAKDOWN_TITLES, TOTAL_TITLES
from linkdash.model.statistics.text import delta_words, ratio_share, scan_shares
from linkdash.screens.statistics.report import TIME_HEIGHT, chart_section, quoted
from linkdash.store.changes import Step

_HEADER = ("", *TOTAL_TITLES.values(), "Share of scans", "Unique of clicks", "New scans in a week")


def comparison(codes: Sequence[CodeStatistics], step: Step, now: datetime, zone: tzinfo) -> str:
    """The totals of codes, known by their numbers, then each breakdown and how they run over time."""
    names = [f"{sign}. {_named(code, now, zone)}" for sign, code in enumerate(codes, 1)]
    parts = [f"# {len(codes)} QR codes compared", "\n".join(names), _totals(codes, now)]
    parts += [
        chart_section(compared_breakdown(name, codes), title) for name, title in BREAKDOWN_TITLES.items()
    ]
    scans = compared_times(codes, "scans", step, zone, added=False)
    parts.append(chart_section(scans, "Scans over time", TIME_HEIGHT))
    return "\n\n".join(parts) + "\n"


def _named(code: CodeStatistics, now: datetime, zone: tzinfo) -> str:
    read = f"read {code.latest.at.astimezone(zone):%Y-%m-%d %H:%M:%S %z}" if code.latest else "not read"
    return f"{quoted(code_name(code))}: QR code {code.code.id}, {quoted(code.code.link or '–')}, {read}"


def _totals(codes: Sequence[CodeStatistics], now: datetime) -> str:
    lines = [_HEADER, ("---:",) * len(_HEADER)]
    for sign, (code, part) in enumerate(zip(codes, scan_shares(codes), strict=True), 1):
        totals = [exact(code.latest.total(name) if code.latest else None) for name in TOTAL_TITLES]
        new = delta_words(code.compared("last week", now), "scans")
        lines.append((str(sign), *totals, part, ratio_share(code.latest), new))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
