"""The line that shows how far a bulk job is."""

from typing import TYPE_CHECKING

from textual.widgets import Static

from linkdash.widgets.charts.cell_pictures import gauge
from linkdash.widgets.styled_text import Piece, Tone, content

if TYPE_CHECKING:  # the first paint does not wait for them
    from linkdash.model.progress import Progress


_LEAST_CELLS, _MOST_CELLS = 5, 30


class ProgressLine(Static):
    """A line that is there only while there is something to show."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._progress: Progress | None = None
        self.display = False

    def show(self, progress: "Progress | None") -> None:
        """Show how far it is, or take the line away."""
        self._progress = progress
        self.display = progress is not None
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        if self._progress is not None:
            self.update(content(progress_pieces(self._progress, self.size.width)), layout=False)


def progress_pieces(progress: "Progress", width: int) -> list[Piece]:
    """The line in about `width` cells; what it is about comes last."""
    room = max(_LEAST_CELLS, min(_MOST_CELLS, width // 4))
    heavy, light = gauge(progress.over, progress.total, room)
    bar = [Piece(heavy, Tone.TREND), Piece(f"{light} ", Tone.FAINT)]
    count = f"{progress.over} of {progress.total}"
    return [*bar, Piece(" · ".join(filter(None, (count, *progress.notes, progress.title))))]
