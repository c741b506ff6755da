"""The export: what, as what, and the file it goes to."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from linkdash.model.browser import has_browser, open_link
from linkdash.model.copy_choices import PickerChoice, with_keys
from linkdash.model.csv_text import for_spreadsheets
from linkdash.model.last_choice import keep_answer, keep_choice, last_answer, last_first
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.export import PAGED, SELECTED, Export
from linkdash.model.writes.exported_files import keep_exported
from linkdash.screens.clipboard import copy_text
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.pictures import pictures
from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.windows.save_as import SaveAs, SaveScreen
from linkdash.store.files import save
from linkdash.store.folders import downloads_folder
from linkdash.widgets.panel import Panel

_SAVED_TO = "saved-to"  # the question for the folder
_TO_FILE, _IN_BROWSER, _TO_CLIPBOARD = "to a file", "in the browser", "to the clipboard"


async def offer(
    screen: HostScreen,
    stem: str,
    exports: Sequence[Export],
    *,
    records: AnyCollection | None = None,
    panel: Panel | None = None,
) -> None:
    """Ask which of some exports is wanted, as what and where to, and do it.

    `records` is the list that they are of, where a file of them can be imported again.
    The screen can be had as a picture, and so can the `panel` that the user is at.
    """
    exports = [*exports, *pictures(screen, panel)]
    while (what := await _what(screen, exports)) is not None:
        wanted = [export for export in exports if export.what == what.label]
        if (chosen := await _as_what(screen, stem, what, wanted, _with_more(what, exports))) is not None:
            await _do(screen, chosen, records)
            return


async def _what(screen: HostScreen, exports: Sequence[Export]) -> PickerChoice | None:
    """Ask what is to be exported: first what was selected for it, then what was chosen the last time."""
    named = {export.what: PickerChoice(export.what, export.about, export.key) for export in exports}
    offered = await last_first(screen.session, "export", with_keys([*named.values()]))
    offered.sort(key=lambda choice: choice.label != SELECTED)
    choice = await screen.app.push_screen_wait(PickerScreen("Export", offered))
    if choice is not None:
        await keep_choice(screen.session, "export", choice)
    return choice


def _with_more(what: PickerChoice, exports: Sequence[Export]) -> PickerChoice | None:
    """The choice that has the most records of a list, where another one was made that has fewer."""
    if what.label not in PAGED:
        return None
    fuller = [export for export in exports if export.what in PAGED[PAGED.index(what.label) + 1 :]]
    return PickerChoice(fuller[-1].what, fuller[-1].about, fuller[-1].key) if fuller else None


async def _as_what(
    screen: HostScreen, stem: str, what: PickerChoice, exports: Sequence[Export], more: PickerChoice | None
) -> SaveAs | None:
    """Ask as what and where to: a small letter is a file, its capital the browser or the clipboard."""
    folder = _folder(await last_answer(screen.session, _SAVED_TO))
    ways: dict[PickerChoice, SaveAs] = {}
    for export in exports:
        key, path = export.form[0].lower(), folder / f"{stem}-{export.part}.{export.ending}"
        other = _IN_BROWSER if export.is_page else _TO_CLIPBOARD
        ways[PickerChoice(f"{export.form} {_TO_FILE}", "", key)] = SaveAs(export, path, to_file=True)
        if export.is_text:
            ways[PickerChoice(f"{export.form} {other}", "", key.upper())] = SaveAs(export, path)
    offered = await last_first(screen.session, "export-as", [*ways])
    title = " · ".join(filter(None, (f"Export {what.label.lower()}", what.value)))
    asked = SaveScreen(title, {choice: ways[choice] for choice in offered}, more)
    chosen = await screen.app.push_screen_wait(asked)
    if chosen is None:
        return None
    await keep_choice(screen.session, "export-as", chosen.choice)
    return chosen.way


def _folder(last: str) -> Path:
    """The folder that was saved to last, if it is still there."""
    return Path(last) if last and Path(last).is_dir() else downloads_folder()


async def _do(screen: HostScreen, chosen: SaveAs, records: AnyCollection | None) -> None:
    export = chosen.export
    if export.load is not None and not await export.load():
        screen.warn("Not all records were loaded.", "Nothing was exported")
        return
    if not chosen.to_file and not export.is_page:
        text = await asyncio.to_thread(export.write)
        copied = f"{export.about}, {export.form}" if export.is_part else f"{export.what}, {export.form}"
        copy_text(screen.app, copied, text if isinstance(text, str) else "")
        return
    path = await asyncio.to_thread(_saved, chosen.path, export)
    if not chosen.to_file:
        _open(screen, path)
        return
    await keep_answer(screen.session, _SAVED_TO, str(path.parent.absolute()))
    screen.done(str(path), f"Saved {export.about}" if export.is_part else "Saved")
    if records is not None:
        await keep_exported(screen.session, records)


def _saved(path: Path, export: Export) -> Path:
    """Write a file, never over one that is there. Raises NotSaved."""

    def data() -> bytes:
        made = export.write()
        if not isinstance(made, str):
            return made
        text = for_spreadsheets(made) if export.ending == "csv" else made
        return text.encode("utf-8", "replace")

    return save(path.parent, path.stem.rstrip("."), path.suffix.removeprefix(".") or export.ending, data)


def _open(screen: HostScreen, path: Path) -> None:
    """Open a page; where no browser can open beside this terminal, say where it is."""
    if not has_browser():
        screen.done(f"{path}. No browser can open from here.", "Saved")
        return
    screen.run_worker(partial(open_link, path.absolute().as_uri()), thread=True, exit_on_error=False)
    screen.done(str(path), "Opened in the browser")
