"""Keys with what they do, in columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from textual.geometry import Size

from linkdash.widgets.frame.sidebar import CURSOR, SPARE
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
    pressed: str = ""
    """The key as it is pressed."""
    id: str = ""
    """The name under which it can have another key; empty for what cannot."""
    words: str = ""
    """Other words that it is found by."""


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
        self._cursor = 0

    @property
    def chosen(self) -> KeyHelp | None:
        """The key that the cursor is on; None as long as nothing is looked for, or nothing was found."""
        keys = [key for group in self._found for key in group.keys] if self._finds else []
        return keys[self._cursor] if keys else None

    @property
    def count(self) -> int:
        """Return how many keys were found."""
        return sum(len(group.keys) for group in self._found)

    def move(self, by: int) -> None:
        """Put the cursor on another of the keys that were found."""
        self._cursor = max(0, min(self._cursor + by, self.count - 1))
        self.update_lines()

    def find(self, typed: str) -> None:
        """Show only keys whose name or action holds every word typed, with a cursor on the likeliest."""
        words = typed.casefold().split()
        self._finds = bool(words)
        found = [
            replace(group, keys=tuple(key for key in group.keys if _holds(key, words)))
            for group in self._groups
        ]
        self._found = tuple(group for group in found if group.keys)
        keys = [key for group in self._found for key in group.keys]
        self._cursor = min(range(len(keys)), key=lambda at: _unlikeliness(keys[at], typed), default=0)
        self.refresh(layout=True)

    @property
    def cursor_row(self) -> int:
        """The row that the cursor is on."""
        keys = [key for key, _ in self._listed(self.size.width)]
        return keys.index(self.chosen) if self.chosen in keys else 0

    def current(self) -> int | None:
        return self.cursor_row if self.chosen is not None else None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width, 0))

    def lines(self, width: int, height: int) -> Lines:
        if not self._found:
            return [[Piece("No key matches.", Tone.MUTED)]]
        if self._finds:
            return [line for _, line in self._listed(width)]
        count = max(1, min(3, width // COLUMN, len(self._found)))
        cells = width // count
        columns: list[list[list[Piece]]] = [[] for _ in range(count)]
        for group in self._found:
            shortest = min(columns, key=len)
            keys = [[Piece(f"{key.key:<{_KEY_CELLS}} ", Tone.BRAND), Piece(key.label)] for key in group.keys]
            shortest += [*([[]] if shortest else []), _title(group, cells - _GAP), *keys]
        return [_beside(parts, cells) for parts in zip_longest(*columns, fillvalue=[])]

    def _listed(self, width: int) -> list[tuple[KeyHelp | None, list[Piece]]]:
        """The keys below each other, each with its sentence; a row that begins one names it."""
        rows: list[tuple[KeyHelp | None, list[Piece]]] = []
        for group in self._found:
            rows += [*([(None, [])] if rows else []), (None, _title(group, width - _GAP))]
            for key in group.keys:
                first, *more = wrap(_told(key), max(1, width - _KEY_CELLS - _GAP - 2))
                cursor = Piece(CURSOR if key is self.chosen else SPARE, Tone.KEY)
                label, rest = first[: len(key.label)], first[len(key.label) :]
                named = [Piece(f"{key.key:<{_KEY_CELLS}} ", Tone.BRAND), Piece(label, bold=True), Piece(rest)]
                rows.append((key, [cursor, *named]))
                rows += [(None, [Piece(" " * (_KEY_CELLS + 2)), Piece(text)]) for text in more]
        return rows


def _told(key: KeyHelp) -> str:
    """The label of a key and its sentence, which may begin with that word."""
    return key.sentence if key.sentence.startswith(key.label) else f"{key.label}  {key.sentence}".rstrip()


def _holds(key: KeyHelp, words: Sequence[str]) -> bool:
    text = f"{key.key} {key.label} {key.sentence} {key.words}".casefold()
    return all(word in text for word in words)


def _unlikeliness(key: KeyHelp, typed: str) -> int:
    """Return 0 where it is the key itself that was typed, 1 for the begin of its name, else 2."""
    typed = typed.strip()
    if typed in key.key.split():
        return 0
    return 1 if key.label.casefold().startswith(typed.casefold()) else 2


def _title(group: KeyGroup, width: int) -> list[Piece]:
    rule = Piece("─" * max(0, width - len(group.title) - 1), Tone.FAINT)
    return [Piece(f"{group.title} ", Tone.KEY), rule]


def _beside(parts: Sequence[Sequence[Piece]], cells: int) -> list[Piece]:
    return [piece for part in parts for piece in fitted(part, cells)]
