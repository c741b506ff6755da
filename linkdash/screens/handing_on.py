"""Handing on what is on the screen: which part of it, and whether to a file or to the clipboard."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from textual.screen import Screen

from linkdash.model.files import NotSaved, downloads_folder, save_text
from linkdash.screens.clipboard import copy
from linkdash.screens.picker import Choice, PickerScreen

Doing: TypeAlias = Callable[[], Coroutine[None, None, None]]


@dataclass(frozen=True)
class Paper:
    """A text that can be handed on; `write` makes it, which can take a second."""

    title: str
    part: str
    """What its file is called after what it is about."""
    ending: str
    write: Callable[[], str]


def offer(
    screen: Screen[None], stem: str, papers: Sequence[Paper], others: Mapping[Choice, Doing] | None = None
) -> None:
    """Asks which of some papers is to be handed on and where to, or which of `others`, and does it."""
    folder = downloads_folder()
    doing: dict[Choice, Doing] = {}
    for paper in papers:
        name = f"{stem}-{paper.part}"
        choice = Choice(f"{paper.title} to a file", f"{name}.{paper.ending}")
        doing[choice] = partial(_to_file, screen, folder, name, paper)
        doing[Choice(f"{paper.title} to the clipboard", "")] = partial(_to_clipboard, screen, paper)
    doing.update(others or {})

    def chosen(choice: Choice | None) -> None:
        if choice is not None:
            screen.run_worker(doing[choice](), group="hand-on", exit_on_error=False)

    screen.app.push_screen(PickerScreen(f"Hand on (files go to {folder})", [*doing]), chosen)


async def _to_file(screen: Screen[None], folder: Path, stem: str, paper: Paper) -> None:
    await save_to_file(screen, lambda: save_text(folder, stem, paper.ending, paper.write()))


async def save_to_file(screen: Screen[None], write: Callable[[], Path]) -> None:
    """Writes a file beside the event loop, and says its whole path or why there is none."""
    try:
        path = await asyncio.to_thread(write)
    except NotSaved as error:
        screen.notify(error.advice, title=error.what, severity="error", markup=False)
    else:
        screen.notify(str(path), title="Saved", timeout=10, markup=False)


async def _to_clipboard(screen: Screen[None], paper: Paper) -> None:
    copy(screen.app, paper.title, await asyncio.to_thread(paper.write))
