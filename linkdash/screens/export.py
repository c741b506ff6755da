"""The export window: records, format, file."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from linkdash.model.browser import has_browser, open_link
from linkdash.model.copying import PickerChoice
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.export import Export
from linkdash.model.writes.updating import keep_exported
from linkdash.screens.clipboard import copy_text
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.store.files import save_text
from linkdash.store.folders import downloads_folder
from linkdash.widgets.panel import Panel

Doing: TypeAlias = Callable[[], Coroutine[None, None, None]]


async def offer(
    screen: HostScreen,
    stem: str,
    exports: Sequence[Export],
    others: Mapping[PickerChoice, Doing] | None = None,
    records: AnyCollection | None = None,
    panel: Panel | None = None,
) -> None:
    """Asks which of some exports is wanted and where to, or which of `others`, and does it.

    `records` is the list that they are of, where a file of them can be imported again.
    The screen can be had as a picture, and so can the `panel` that the user is at.
    """
    folder = downloads_folder()
    doing: dict[PickerChoice, Doing] = {}
    for export in exports:
        name = f"{stem}-{export.part}"
        choice = PickerChoice(f"{export.title} to a file", f"{name}.{export.ending}")
        doing[choice] = partial(_to_file, screen, folder, name, export, records)
        if export.is_page:
            doing[PickerChoice(f"{export.title} in the browser", "")] = partial(
                _to_browser, screen, folder, name, export
            )
        else:
            doing[PickerChoice(f"{export.title} to the clipboard", "")] = partial(
                _to_clipboard, screen, export
            )
    doing.update(others or {})
    doing.update(_pictures(screen, panel))
    choice_made = await screen.app.push_screen_wait(PickerScreen(f"Export (files go to {folder})", [*doing]))
    if choice_made is not None:
        await doing[choice_made]()


async def _to_file(
    screen: HostScreen, folder: Path, stem: str, export: Export, records: AnyCollection | None
) -> None:
    path = await save_to_file(screen, lambda: save_text(folder, stem, export.ending, export.write()))
    if records is not None:
        await keep_exported(screen.session, records, path)


async def _to_browser(screen: HostScreen, folder: Path, stem: str, export: Export) -> None:
    """Saves a page and opens it; where no browser can open beside this terminal, says where it is."""
    path = await asyncio.to_thread(lambda: save_text(folder, stem, export.ending, export.write()))
    if not has_browser():
        screen.done(f"{path}. No browser can open from here.", "Saved")
        return
    screen.run_worker(partial(open_link, path.absolute().as_uri()), thread=True, exit_on_error=False)
    screen.done(str(path), "Opened in the browser")


def _pictures(screen: HostScreen, panel: Panel | None) -> dict[PickerChoice, Doing]:
    from linkdash.screens.pictures import save_picture

    found: dict[PickerChoice, Doing] = {
        PickerChoice("The whole screen as a picture", "SVG"): partial(save_picture, screen)
    }
    if panel is not None:
        found = {
            PickerChoice("This panel as a picture", "SVG"): partial(save_picture, screen, panel),
            **found,
        }
    return found


async def save_to_file(screen: HostScreen, write: Callable[[], Path]) -> Path:
    """Writes a file beside the event loop, and says its whole path. Raises NotSaved."""
    path = await asyncio.to_thread(write)
    screen.done(str(path), "Saved")
    return path


async def _to_clipboard(screen: HostScreen, export: Export) -> None:
    copy_text(screen.app, export.title, await asyncio.to_thread(export.write))
