"""Keys that a keyboard sends and no app expects, which end the app."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import _character_to_key


def name_of_key(character: str) -> str:
    """Return what Textual calls the key that types a character: `slash`, `a`."""
    return _character_to_key(character)


def no_key(
    parse: Callable[[XTermParser, str], list[events.Key] | None],
) -> Callable[[XTermParser, str], list[events.Key] | None]:
    """Leave out a key report with numbers that no character has: ValueError, OverflowError."""

    @wraps(parse)
    def mended(self: XTermParser, sequence: str) -> list[events.Key] | None:
        try:
            return parse(self, sequence)
        except (ValueError, OverflowError):
            return []

    return mended


def left_out(decoder_for: Callable[[str], Callable[..., Any]]) -> Callable[[str], Callable[..., Any]]:
    """Leave out bytes that are not UTF-8: the driver decodes strictly."""

    @wraps(decoder_for)
    def mended(encoding: str) -> Callable[..., Any]:
        return partial(decoder_for(encoding), errors="ignore")

    return mended
