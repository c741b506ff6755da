"""How far something is that takes a while, in one line that reads without color."""

from rich.text import Text
from textual.widgets import Static

from linkdash.model.steps import Progress

FULL, EMPTY = "▮", "▯"
_LEAST_CELLS, _MOST_CELLS = 5, 30


class ProgressLine(Static):
    """One line that is there only while there is something to show."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._progress: Progress | None = None
        self.display = False

    def show(self, progress: Progress | None) -> None:
        """Shows how far it is, or takes the line away."""
        self._progress = progress
        self.display = progress is not None
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        if self._progress is not None:
            line = Text(words(self._progress, self.size.width), no_wrap=True, overflow="ellipsis")
            self.update(line, layout=False)


def bar(over: int, total: int, cells: int) -> str:
    """A bar of so many cells; it is full only when all is over, and empty only when nothing is."""
    if not 0 < over < total:
        return (FULL if total and over >= total else EMPTY) * cells
    full = max(1, min(cells - 1, round(cells * over / total)))
    return FULL * full + EMPTY * (cells - full)


def words(progress: Progress, width: int) -> str:
    """The line in about `width` cells; what it is about comes last."""
    cells = max(_LEAST_CELLS, min(_MOST_CELLS, width // 4))
    count = f"{bar(progress.over, progress.total, cells)} {progress.over} of {progress.total}"
    return " · ".join((count, *progress.notes, progress.title))
