"""What can be typed into a filter, beside the line it is typed into."""

from collections.abc import Sequence

from linkdash.widgets.drawn import DrawnLines, Lines
from linkdash.widgets.pieces import Piece, Tone, fitted

_COLUMN = 37  # the least cells of an example with its meaning
_EXAMPLE = 17


class FilterHelp(DrawnLines):
    """Examples with their meaning, in as many columns as there is room for."""

    def __init__(self) -> None:
        super().__init__(id="filter-help")
        self._examples: Sequence[tuple[str, str]] = ()

    def show(self, examples: Sequence[tuple[str, str]]) -> None:
        """Shows these examples."""
        self._examples = tuple(examples)
        self.update_lines()

    def lines(self, width: int, height: int) -> Lines:
        count = max(1, width // _COLUMN)
        if count * height < len(self._examples):
            rows = -(-len(self._examples) // count)
        else:
            rows = max(1, min(height, len(self._examples)))
        cells = width // count
        return [
            [piece for one in self._examples[row::rows] for piece in fitted(_pieces(one), cells)]
            for row in range(rows)
        ]


def _pieces(example: tuple[str, str]) -> list[Piece]:
    typed, meaning = example
    return [Piece(f"{typed:<{_EXAMPLE}} ", Tone.BRAND), Piece(f"{meaning} ", Tone.MUTED)]
