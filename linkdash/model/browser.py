"""The user's own browser, beside the terminal."""

import os
import sys
from collections.abc import Mapping


def has_browser(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Return whether a browser can open in a window of its own; a text browser would take the terminal."""
    windowed = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return platform in ("darwin", "win32") or bool(windowed)


def open_link(link: str) -> None:
    """Open a link; blocks until the browser was started."""
    import webbrowser

    webbrowser.open(link)
