"""Exporting what is on the screen: which part of it, and whether to a file or to the clipboard."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from linkdash.model.as_text import Choice
from linkdash.model.export import Export
from linkdash.model.files import downloads_folder, save_text
from linkdash.screens.host import HostScreen
from linkdash.screens.outside import copy
from linkdash.screens.windows import PickerScreen

Doing: TypeAlias = Callable[[], Coroutine[None, None, None]]


async def offer(
    screen: HostScreen,
    stem: str,
    exports: Sequence[Export],
    others: Mapping[Choice, Doing] | None = None,
) -> None:
    """Asks which of some exports is wanted and where to, or which of `others`, and does it."""
    folder = downloads_folder()
    doing: dict[Choice, Doing] = {}
    for export in exports:
        name = f"{stem}-{export.part}"
        choice = Choice(f"{export.title} to a file", f"{name}.{export.ending}")
        doing[choice] = partial(_to_file, screen, folder, name, export)
        doing[Choice(f"{export.title} to the clipboard", "")] = partial(_to_clipboard, screen, export)
    doing.update(others or {})
    choice_made = await screen.app.push_screen_wait(PickerScreen(f"Export (files go to {folder})", [*doing]))
    if choice_made is not None:
        await doing[choice_made]()


async def _to_file(screen: HostScreen, folder: Path, stem: str, export: Export) -> None:
    await save_to_file(screen, lambda: save_text(folder, stem, export.ending, export.write()))


async def save_to_file(screen: HostScreen, write: Callable[[], Path]) -> None:
    """Writes a file beside the event loop, and says its whole path. Raises NotSaved."""
    screen.done(str(await asyncio.to_thread(write)), "Saved")


async def _to_clipboard(screen: HostScreen, export: Export) -> None:
    copy(screen.app, export.title, await asyncio.to_thread(export.write))
