"""Handing the numbers of a code on: which of them, and whether to a file or to the clipboard."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from textual.screen import Screen

from linkdash.screens.clipboard import copy
from linkdash.screens.code_statistics import CodeStatistics
from linkdash.screens.picker import Choice, PickerScreen
from linkdash.screens.report import report
from linkdash.screens.saving import NotSaved, downloads_folder, save, save_text
from linkdash.screens.zone import local_zone
from linkdash.store.exports import history_csv, history_json, statistics_csv, statistics_json
from linkdash.widgets.qr_code import save_qr


@dataclass(frozen=True)
class Paper:
    """A text that can be handed on; `write` makes it, which can take a second."""

    title: str
    part: str
    """What its file is called after the code."""
    ending: str
    write: Callable[[], str]


def papers(code: CodeStatistics, now: datetime) -> Sequence[Paper]:
    """What there is to hand on of a code: the report, and the numbers if there are any."""
    written = Paper("Report (Markdown)", "report", "md", partial(report, code, now, local_zone()))
    latest, readings = code.latest, tuple(code.readings)
    if latest is None:
        return (written,)
    return (
        written,
        Paper("Statistics (CSV)", "statistics", "csv", partial(statistics_csv, code.code, latest)),
        Paper("Statistics (JSON)", "statistics", "json", partial(statistics_json, code.code, latest)),
        Paper("History (CSV)", "history", "csv", partial(history_csv, code.code, readings)),
        Paper("History (JSON)", "history", "json", partial(history_json, code.code, readings)),
    )


def offer(screen: Screen[None], code: CodeStatistics, now: datetime) -> None:
    """Asks what is to be handed on and where to, and does it."""
    stem = f"qr-{code.code.id}"
    folder = downloads_folder()
    doing: dict[Choice, Callable[[], Coroutine[None, None, None]]] = {}
    for paper in papers(code, now):
        name = f"{stem}-{paper.part}"
        choice = Choice(f"{paper.title} to a file", f"{name}.{paper.ending}")
        doing[choice] = partial(_to_file, screen, folder, name, paper)
        doing[Choice(f"{paper.title} to the clipboard", "")] = partial(_to_clipboard, screen, paper)
    kinds: tuple[Literal["svg", "png"], ...] = ("svg", "png") if code.code.link else ()
    for kind in kinds:
        choice = Choice(f"The code as {kind.upper()} to a file", f"{stem}.{kind}")
        doing[choice] = partial(_image_to_file, screen, folder, stem, code.code.link, kind)

    def chosen(choice: Choice | None) -> None:
        if choice is not None:
            screen.run_worker(doing[choice](), group="hand-on", exit_on_error=False)

    screen.app.push_screen(PickerScreen(f"Hand on (files go to {folder})", [*doing]), chosen)


async def _to_file(screen: Screen[None], folder: Path, stem: str, paper: Paper) -> None:
    await _save(screen, lambda: save_text(folder, stem, paper.ending, paper.write()))


async def _image_to_file(
    screen: Screen[None], folder: Path, stem: str, link: str, kind: Literal["svg", "png"]
) -> None:
    await _save(screen, lambda: save(folder, stem, kind, lambda path: save_qr(link, path, kind)))


async def _save(screen: Screen[None], write: Callable[[], Path]) -> None:
    """Writes a file beside the event loop, and says its whole path or why there is none."""
    try:
        path = await asyncio.to_thread(write)
    except NotSaved as error:
        screen.notify(error.advice, title=error.what, severity="error", markup=False)
    else:
        screen.notify(str(path), title="Saved", timeout=10, markup=False)


async def _to_clipboard(screen: Screen[None], paper: Paper) -> None:
    copy(screen.app, paper.title, await asyncio.to_thread(paper.write))
