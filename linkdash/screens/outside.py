"""What leaves the program: a text to the clipboard of the terminal, a link to the browser."""

import os
import sys
import webbrowser
from collections.abc import Mapping

from textual.app import App

MANY_BYTES = 100_000
"""What a terminal's clipboard takes for certain; many take no more, and none says so."""


def copy(app: App[object], what: str, text: str) -> None:
    """Sends `text` to the terminal's clipboard and says so; nobody can know whether it took it."""
    app.copy_to_clipboard(text)
    told = f"{what}: sent to the terminal's clipboard."
    if (size := len(text.encode("utf-8", "replace"))) > MANY_BYTES:
        told += f" {size / 1e6:.1f} MB is large; if the paste is cut off, export to a file."
    app.notify(told, markup=False)


def has_browser(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a browser can open in a window of its own; a text browser would take the terminal."""
    windowed = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return platform in ("darwin", "win32") or bool(windowed)


def open_link(link: str) -> None:
    """Opens a link; blocks until the browser was started."""
    webbrowser.open(link)
