"""The exports of the statistics of codes: their numbers, a report, pictures."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from linkdash.api.records import as_sent
from linkdash.model.humanize import counted
from linkdash.model.lists.export import Export
from linkdash.model.statistics import statistics_export as exports
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.report import Report, csv, html, json, markdown
from linkdash.screens import export
from linkdash.screens.host_screen import HostScreen
from linkdash.widgets.panel import Panel
from linkdash.widgets.qr_code import qr_picture


async def offer_export(
    screen: HostScreen, codes: Sequence[CodeStatistics], report: Report, panel: Panel
) -> None:
    """Ask what is to be exported and where to, and do it."""
    links = [link for code in codes if (link := as_sent(code.code).link)]
    images = _images(links[0]) if links and len(codes) == 1 else []
    texts = _texts(codes, report, screen.session.settings.profile)
    await export.offer(screen, report.file_stem, [*texts, *images], panel=panel)


def report_exports(report: Report, profile: str) -> list[Export]:
    """A report on a profile's codes in each of its formats."""
    day, about = f"{report.at:%Y-%m-%d}", "the period in words, charts and tables"
    return [
        Export("Report", "Markdown", day, "md", partial(markdown, report), about),
        Export("Report", "HTML", day, "html", partial(html, report, profile), about),
        Export("Report", "CSV", day, "csv", partial(csv, report), about),
        Export("Report", "JSON", day, "json", partial(json, report), about),
    ]


def _texts(codes: Sequence[CodeStatistics], report: Report, profile: str) -> list[Export]:
    in_full = replace(report, has_details=True)  # the codes on a screen are few
    texts = report_exports(in_full, profile)
    read = [(code.code, code.latest) for code in codes]
    statistics, history = (f"{part}-{report.at:%Y-%m-%d}" for part in ("statistics", "history"))
    about = "every count as of the last reading"
    texts += [
        Export("Statistics", "CSV", statistics, "csv", partial(exports.comparison_csv, read), about),
        Export("Statistics", "JSON", statistics, "json", partial(exports.comparison_json, read), about),
    ]
    if len(codes) == 1:
        code, readings = codes[0].code, tuple(codes[0].readings)
        about = f"the {counted(len(readings), 'reading')} kept here"
        texts += [
            Export("History", "CSV", history, "csv", partial(exports.history_csv, code, readings), about),
            Export("History", "JSON", history, "json", partial(exports.history_json, code, readings), about),
        ]
    return texts


def _images(link: str) -> list[Export]:
    """A code as a picture."""
    kinds: tuple[Literal["svg", "png"], ...] = ("svg", "png")
    about = "a picture, to be printed"
    return [
        Export("Code", kind.upper(), "code", kind, partial(qr_picture, link, kind), about, is_text=False)
        for kind in kinds
    ]
