"""What of codes can be exported: a report, the numbers, the history, the code itself."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from linkdash.model import export as exports
from linkdash.model.as_text import Choice
from linkdash.model.export import Export
from linkdash.model.files import downloads_folder, save
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.report import Report, csv, json, markdown
from linkdash.screens import export
from linkdash.screens.export import save_to_file
from linkdash.screens.host import HostScreen
from linkdash.widgets.qr_code import qr_picture


async def offer(screen: HostScreen, codes: Sequence[CodeStatistics], report: Report) -> None:
    """Asks what is to be exported and where to, and does it."""
    stem = f"qr-{'-'.join(str(code.code.id) for code in codes[:6])}"
    images = _images(screen, stem, codes[0].code.link) if len(codes) == 1 and codes[0].code.link else {}
    await export.offer(screen, stem, _texts(codes, report), images)


def _texts(codes: Sequence[CodeStatistics], report: Report) -> list[Export]:
    texts = [
        Export("Report (Markdown)", "report", "md", partial(markdown, report)),
        Export("Report (CSV)", "report", "csv", partial(csv, report)),
        Export("Report (JSON)", "report", "json", partial(json, report)),
    ]
    read = [(code.code, code.latest) for code in codes]
    texts += [
        Export("Statistics (CSV)", "statistics", "csv", partial(exports.comparison_csv, read)),
        Export("Statistics (JSON)", "statistics", "json", partial(exports.comparison_json, read)),
    ]
    if len(codes) == 1:
        code, readings = codes[0].code, tuple(codes[0].readings)
        texts += [
            Export("History (CSV)", "history", "csv", partial(exports.history_csv, code, readings)),
            Export("History (JSON)", "history", "json", partial(exports.history_json, code, readings)),
        ]
    return texts


def _images(screen: HostScreen, stem: str, link: str) -> dict[Choice, export.Doing]:
    folder = downloads_folder()
    kinds: tuple[Literal["svg", "png"], ...] = ("svg", "png")
    return {
        Choice(f"The code as {kind.upper()} to a file", f"{stem}.{kind}"): partial(
            _save_image, screen, folder, stem, link, kind
        )
        for kind in kinds
    }


async def _save_image(
    screen: HostScreen, folder: Path, stem: str, link: str, kind: Literal["svg", "png"]
) -> None:
    await save_to_file(screen, lambda: save(folder, stem, kind, lambda: qr_picture(link, kind)))
