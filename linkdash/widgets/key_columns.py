"""Keys in groups, side by side: what the help shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from textual.geometry import Size

from linkdash.widgets.drawn import DrawnLines, Lines
from linkdash.widgets.pieces import Piece, Tone, fitted

COLUMN = 36
"""The least cells of a column; as many columns as fit are made, but no more than three."""
_KEY_CELLS = 9


@dataclass(frozen=True)
class KeyGroup:
    """Keys that belong together; each with what it does, as it is named now."""

    title: str
    keys: tuple[tuple[str, str], ...]


class KeyColumns(DrawnLines):
    """As high as its groups are; `find` leaves those keys that a word is about."""

    def __init__(self, groups: Sequence[KeyGroup], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.styles.height = "auto"
        self._groups = tuple(groups)
        self._found = self._groups

    def find(self, typed: str) -> None:
        """Shows only keys whose name or action holds every word typed."""
        words = typed.casefold().split()
        found = [
            replace(
                group,
                keys=tuple(
                    pair for pair in group.keys if all(word in " ".join(pair).casefold() for word in words)
                ),
            )
            for group in self._groups
        ]
        self._found = tuple(group for group in found if group.keys)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width, 0))

    def lines(self, width: int, height: int) -> Lines:
        count = max(1, min(3, width // COLUMN, len(self._found)))
        cells = width // count
        rows: list[list[Piece]] = []
        for start in range(0, len(self._found), count):
            blocks = [_block(group, cells - 2) for group in self._found[start : start + count]]
            rows.extend(_beside(parts, cells) for parts in zip_longest(*blocks, fillvalue=[]))
            rows.append([])
        return rows[:-1]


def _block(group: KeyGroup, width: int) -> list[list[Piece]]:
    rule = Piece("─" * max(0, width - len(group.title) - 1), Tone.FAINT)
    head = [Piece(f"{group.title} ", Tone.KEY), rule]
    return [head, *([Piece(f"{key:<{_KEY_CELLS}} ", Tone.BRAND), Piece(does)] for key, does in group.keys)]


def _beside(parts: Sequence[Sequence[Piece]], cells: int) -> list[Piece]:
    return [piece for part in parts for piece in fitted(part, cells)]
