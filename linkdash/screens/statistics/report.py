"""A report of one code in Markdown with its charts as text, ready for a ticket. Takes up to a second."""

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo

from linkdash.model.statistics.chart_data import NO_STATISTICS, ChartData, exact
from linkdash.model.statistics.charts import breakdown_chart, time_chart
from linkdash.model.statistics.code_statistics import CodeStatistics, Compared
from linkdash.model.statistics.readings import BREAKDOWN_TITLES, TOTAL_TITLES, ratio
from linkdash.model.statistics.text import delta_words, ratio_words, since_words
from linkdash.store.changes import Since, Snapshot, describe
from linkdash.widgets.charts.drawing import draw_chart, natural_height

_WIDTH = 72
TIME_HEIGHT = 14
"""Lines that a chart over time takes."""
_SINCES: tuple[Since, ...] = ("last week", "yesterday")


def report(code: CodeStatistics, now: datetime, zone: tzinfo) -> str:
    """Everything a ticket needs: totals, what is new, charts, since when there is a history."""
    name, link, snapshot = code.code.name or "no name", code.code.link or "–", code.latest
    parts = [f"# QR code {code.code.id}: {quoted(name)}", f"- Landing address: {quoted(link)}"]
    if snapshot is None:
        return "\n\n".join([*parts, NO_STATISTICS.capitalize() + "."]) + "\n"
    parts[-1] += f"\n- Read: {snapshot.at.astimezone(zone):%Y-%m-%d %H:%M:%S %z} · {code.truth(now)}"
    parts += _totals(code, snapshot, now)
    for since in _SINCES:
        parts += _news(code.compared(since, now), since)
    for breakdown in BREAKDOWN_TITLES:
        parts.append(chart_section(breakdown_chart(breakdown, snapshot), BREAKDOWN_TITLES[breakdown]))
    over_time = time_chart(code.readings, code.fitting_step(), zone, added=False)
    parts.append(chart_section(over_time, "Over time", TIME_HEIGHT))
    return "\n\n".join(parts) + "\n"


def quoted(text: str) -> str:
    """A text from outside as a span of code: nothing in it is markup, an address or a mention."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{' '.join(text.split())}{space}{ticks}"


def fenced(lines: Iterator[str]) -> str:
    """Lines as a block of code that none of them can end."""
    body = "\n".join(line.rstrip() for line in lines)
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", body)), default=0))
    return f"{ticks}text\n{body}\n{ticks}"


def _totals(code: CodeStatistics, snapshot: Snapshot, now: datetime) -> list[str]:
    compared = code.compared("last week", now)
    rows = [
        f"| {title} | {exact(snapshot.total(name))} | {delta_words(compared, name)} |"
        for name, title in TOTAL_TITLES.items()
    ]
    unique = ratio(snapshot.unique, snapshot.clicks)
    share = "–" if unique is None else f"{unique:.2f}"
    rows.append(f"| Unique of clicks | {share} | {ratio_words(snapshot)} |")
    return ["\n".join([f"| Total | Count | New ({compared.words}) |", "| --- | ---: | --- |", *rows])]


def _news(compared: Compared, since: Since) -> list[str]:
    if compared.change is None:
        return [f"## New since {since}\n\n{compared.words.capitalize()}."]
    return [f"## What is {since_words(compared, since)}", fenced(iter(describe(compared.change)))]


def chart_section(data: ChartData | None, title: str, height: int | None = None) -> str:
    """A chart under its title."""
    lines = draw_chart(data, _WIDTH, height or natural_height(data) + 1)
    return f"## {title}\n\n{fenced(line.plain for line in lines)}"
