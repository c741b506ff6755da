"""Keys that a keyboard sends and no app expects: they end it, or are taken for others."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import _character_to_key

_ESCAPE, _ALT = "\x1b", "alt+"
_BEGIN_SEQUENCES = "[O]PX^_\\"
_OTHER_KEYS = "bf\x7f\t"
"""What some terminals send after an escape for alt with an arrow or backspace, and for shift with tab."""


def name_of_key(character: str) -> str:
    """Return what Textual calls the key that types a character: `slash`, `a`."""
    return _character_to_key(character)


def read_as_pressed(
    parse: Callable[[XTermParser, str], list[events.Key] | None],
) -> Callable[[XTermParser, str], list[events.Key] | None]:
    """Read a key right after an escape as that key with alt, and no key report with impossible numbers.

    Textual reads escape and 5 as ∞, escape and / as /, escape and forty letters as ^ and these. A report
    with a number that no character has is a ValueError or an OverflowError.
    """

    @wraps(parse)
    def mended(self: XTermParser, sequence: str) -> list[events.Key] | None:
        if len(sequence) == 2 and sequence[1] not in _BEGIN_SEQUENCES + _OTHER_KEYS:
            return [_with_alt(key) for key in _keys_typed(sequence[1])]
        try:
            return parse(self, sequence)
        except (ValueError, OverflowError):
            return []

    return mended


def parted(key: events.Key) -> list[events.Key]:
    """Return the two keys that a terminal sends as it sends alt with a key; a key that is not so alone."""
    if key.character is None or not key.key.startswith(_ALT):
        return [key]
    return [*_keys_typed(_ESCAPE), *_keys_typed(key.character)]


def _keys_typed(character: str) -> list[events.Key]:
    parser = XTermParser()
    found = [*parser.feed(character), *parser.feed("")]  # the end tells an escape from what it begins
    return [key for key in found if isinstance(key, events.Key)]


def _with_alt(key: events.Key) -> events.Key:
    name = f"shift+{key.key.lower()}" if len(key.key) == 1 and key.key.isupper() else key.key
    return events.Key(_ALT + name, key.character)


def left_out(decoder_for: Callable[[str], Callable[..., Any]]) -> Callable[[str], Callable[..., Any]]:
    """Leave out bytes that are not UTF-8: the driver decodes strictly."""

    @wraps(decoder_for)
    def mended(encoding: str) -> Callable[..., Any]:
        return partial(decoder_for(encoding), errors="ignore")

    return mended
