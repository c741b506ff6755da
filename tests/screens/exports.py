"""Exporting records as the user does, into a downloads folder of the test's own."""

from pathlib import Path

import pytest

from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.windows.save_as import SaveScreen
from tests.screens.driver import Driver
from tests.waiting import wait_until


def downloads_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the downloads folder of the person."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(folder))
    return folder


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def export(driver: Driver, what: str, form: str) -> None:
    """Press x, then the keys of what, and as what; waits until it was told what became of it.

    `form` is as it stands there: `CSV to a file`.
    """
    told = len(driver.toasts)
    await driver.press("x")
    await choose(driver, PickerScreen, what)
    await choose(driver, SaveScreen, form)
    await wait_until(lambda: len(driver.toasts) > told)


async def choose(driver: Driver, window: type[PickerScreen] | type[SaveScreen], label: str) -> None:
    """Press the key of a choice, once the window that has it is open."""
    await driver.opened(window)
    screen = driver.app.screen
    assert isinstance(screen, PickerScreen | SaveScreen)
    await driver.press(next(choice.key for choice in screen.choices if choice.label == label))
