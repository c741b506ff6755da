"""Keys that come in one go, as from a slow line, a terminal's macro or a program."""

import asyncio
from typing import TypeVar

from textual import events
from textual.app import App

T = TypeVar("T")

_CHARACTERS = {"space": " ", "colon": ":", "slash": "/", "comma": ","}


def send(app: App[T], *keys: str) -> None:
    """Send keys to an app, which gets its turn after the last of them."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else _CHARACTERS.get(key)))


async def send_slowly(app: App[T], keys: list[str], seconds: float) -> None:
    """Send keys with so many seconds between them; all at once for 0."""
    for key in keys:
        send(app, key)
        if seconds:
            await asyncio.sleep(seconds)
