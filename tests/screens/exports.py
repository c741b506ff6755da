"""Exporting records as the user does, into a downloads folder of the test's own."""

from pathlib import Path

import pytest
from textual.widgets import OptionList

from tests.screens.driver import Driver
from tests.waiting import wait_until


def downloads_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes an empty folder the downloads folder of the person."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(folder))
    return folder


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def export(driver: Driver, label: str) -> None:
    """Presses x, then chooses what begins like this, and waits until it was told what became of it."""
    told = len(driver.toasts)
    await driver.press("x")
    options = driver.app.screen.query_one(OptionList)
    labels = [str(option.prompt) for option in options.options]
    options.highlighted = next(index for index, found in enumerate(labels) if found.startswith(label))
    await driver.press("enter")
    await wait_until(lambda: len(driver.toasts) > told)
