"""What of codes can be handed on: report, numbers, history, the code itself, several side by side."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from linkdash.model.export import Export
from linkdash.model.files import downloads_folder, save
from linkdash.model.record_text import Choice
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.exports import (
    comparison_csv,
    comparison_json,
    history_csv,
    history_json,
    statistics_csv,
    statistics_json,
)
from linkdash.model.timezone import local_zone
from linkdash.screens import export
from linkdash.screens.export import save_to_file
from linkdash.screens.host import HostScreen
from linkdash.screens.statistics.compare_report import comparison
from linkdash.screens.statistics.report import report
from linkdash.store.changes import Step
from linkdash.widgets.qr_code import save_qr


def papers(code: CodeStatistics, now: datetime) -> Sequence[Export]:
    """What there is to hand on of a code: the report, and the numbers if there are any."""
    written = Export("Report (Markdown)", "report", "md", partial(report, code, now, local_zone()))
    latest, readings = code.latest, tuple(code.readings)
    if latest is None:
        return (written,)
    return (
        written,
        Export("Statistics (CSV)", "statistics", "csv", partial(statistics_csv, code.code, latest)),
        Export("Statistics (JSON)", "statistics", "json", partial(statistics_json, code.code, latest)),
        Export("History (CSV)", "history", "csv", partial(history_csv, code.code, readings)),
        Export("History (JSON)", "history", "json", partial(history_json, code.code, readings)),
    )


def comparison_papers(codes: Sequence[CodeStatistics], step: Step, now: datetime) -> Sequence[Export]:
    """What there is to hand on of several codes side by side."""
    read = [(code.code, code.latest) for code in codes]
    return (
        Export("Report (Markdown)", "comparison", "md", partial(comparison, codes, step, now, local_zone())),
        Export("Comparison (CSV)", "comparison", "csv", partial(comparison_csv, read)),
        Export("Comparison (JSON)", "comparison", "json", partial(comparison_json, read)),
    )


async def offer(screen: HostScreen, code: CodeStatistics, now: datetime) -> None:
    """Asks what of a code is to be handed on and where to, and does it."""
    stem, folder = f"qr-{code.code.id}", downloads_folder()
    kinds: tuple[Literal["svg", "png"], ...] = ("svg", "png") if code.code.link else ()
    images = {
        Choice(f"The code as {kind.upper()} to a file", f"{stem}.{kind}"): partial(
            _image_to_file, screen, folder, stem, code.code.link, kind
        )
        for kind in kinds
    }
    await export.offer(screen, stem, papers(code, now), images)


async def _image_to_file(
    screen: HostScreen, folder: Path, stem: str, link: str, kind: Literal["svg", "png"]
) -> None:
    await save_to_file(screen, lambda: save(folder, stem, kind, lambda path: save_qr(link, path, kind)))
