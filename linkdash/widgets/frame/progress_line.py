"""The line that shows how far a bulk job is."""

from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from linkdash.api.inert_text import inert
from linkdash.widgets.styled_text import LINEAR

if TYPE_CHECKING:  # the first paint does not wait for them
    from linkdash.model.progress import Progress


FULL, SPENT = "▮", "▯"


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
            words = progress_words(self._progress, self.size.width, has_bar=not self.app.has_class(LINEAR))
            line = Text(words, no_wrap=True, overflow="ellipsis")
            self.update(line, layout=False)


def progress_bar(over: int, total: int, room: int) -> str:
    """A bar of so many cells; it is full only when all is over, and empty only when nothing is."""
    if not 0 < over < total:
        return (FULL if total and over >= total else SPENT) * room
    full = max(1, min(room - 1, round(room * over / total)))
    return FULL * full + SPENT * (room - full)


def progress_words(progress: "Progress", width: int, *, has_bar: bool) -> str:
    """The line in about `width` cells; what it is about comes last."""
    room = max(_LEAST_CELLS, min(_MOST_CELLS, width // 4))
    bar = f"{progress_bar(progress.over, progress.total, room)} " if has_bar else ""
    count = f"{bar}{progress.over} of {progress.total}"
    return " · ".join(filter(None, (count, *progress.notes, inert(progress.title))))
