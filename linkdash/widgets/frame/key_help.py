"""Keys with what they do, in columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from textual.geometry import Size

from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, fitted

# ---- in groups ----

COLUMN = 33
"""The least cells of a column; as many columns as fit are made, but no more than three."""
_KEY_CELLS = 10
_GAP = 2


class KeyHelp(NamedTuple):
    """A key, what it does in a word or two, and in a sentence."""

    key: str
    label: str
    sentence: str = ""


@dataclass(frozen=True)
class KeyGroup:
    """Keys that belong together."""

    title: str
    keys: tuple[KeyHelp, ...]


class KeyColumns(DrawnLines):
    """As high as its groups are; `find` leaves those keys that words are about, each with its sentence."""

    def __init__(self, groups: Sequence[KeyGroup]) -> None:
        super().__init__()
        self.styles.height = "auto"
        self._groups = tuple(groups)
        self._found = self._groups
        self._finds = False

    def find(self, typed: str) -> None:
        """Show only keys whose name or action holds every word typed."""
        words = typed.casefold().split()
        self._finds = bool(words)
        found = [
            replace(group, keys=tuple(key for key in group.keys if _holds(key, words)))
            for group in self._groups
        ]
        self._found = tuple(group for group in found if group.keys)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width, 0))

    def lines(self, width: int, height: int) -> Lines:
        if not self._found:
            return [[Piece("No key matches.", Tone.MUTED)]]
        is_list = self._finds or self.is_linear
        count = 1 if is_list else max(1, min(3, width // COLUMN, len(self._found)))
        cells = width // count
        columns: list[list[list[Piece]]] = [[] for _ in range(count)]
        for group in self._found:
            shortest = min(columns, key=len)
            shortest += [*([[]] if shortest else []), *_block(group, cells - _GAP, in_full=self._finds)]
        return [_beside(parts, cells) for parts in zip_longest(*columns, fillvalue=[])]


def _holds(key: KeyHelp, words: Sequence[str]) -> bool:
    return all(word in " ".join(key).casefold() for word in words)


def _block(group: KeyGroup, width: int, *, in_full: bool) -> list[list[Piece]]:
    rule = Piece("─" * max(0, width - len(group.title) - 1), Tone.FAINT)
    lines = [[Piece(f"{group.title} ", Tone.KEY), rule]]
    for key in group.keys:
        does = wrap(key.sentence or key.label, max(1, width - _KEY_CELLS - 1)) if in_full else [key.label]
        lines.append([Piece(f"{key.key:<{_KEY_CELLS}} ", Tone.BRAND), Piece(does[0])])
        lines += [[Piece(" " * (_KEY_CELLS + 1)), Piece(more)] for more in does[1:]]
    return lines


def _beside(parts: Sequence[Sequence[Piece]], cells: int) -> list[Piece]:
    return [piece for part in parts for piece in fitted(part, cells)]
