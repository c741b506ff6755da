"""The sizes that the program is laid out for."""

from rich.text import Text
from textual.geometry import Size
from textual.widget import Widget

LEAST_COLUMNS, LEAST_LINES = 60, 15
"""The smallest terminal the program can be used on."""

HORIZONTAL_BREAKPOINTS = [
    (0, "-too-narrow"),
    (LEAST_COLUMNS, "-narrow"),
    (100, "-normal"),
    (126, "-roomy"),
    (190, "-wide"),
]
VERTICAL_BREAKPOINTS = [(0, "-too-low"), (LEAST_LINES, "-tiny"), (20, "-low"), (36, "-high")]
"""The sizes at which screens change how they are laid out, as classes for the style sheets."""


def reaches(size: Size, name: str) -> bool:
    """Return whether a terminal has the columns of a class, or more.

    A screen gets its classes after it is told of its size, and one that is not shown when it is shown again.
    """
    return size.width >= next(least for least, one in HORIZONTAL_BREAKPOINTS if one == name)


_ROOM_LEFT = (
    (126, 92),
    (190, 114),
)  # below so many columns; a table's cells where a sidebar, then a pane comes


def lasting_room(columns: int, room: int) -> int:
    """The cells of a table's room that it has in every wider terminal, too: they say what it shows.

    Else a column would go in a wider terminal, where something comes to stand beside the table.
    """
    return min([room, *(left for below, left in _ROOM_LEFT if columns < below)])


def size_classes(size: Size, *breakpoints: list[tuple[int, str]]) -> dict[str, bool]:
    """The classes of a screen of this size: those of its width, then those of its height.

    A screen that has them from the beginning is not styled twice.
    """
    found: dict[str, bool] = {}
    for extent, steps in zip(size, breakpoints, strict=True):
        reached = [name for least, name in steps if extent >= least]
        found |= {name: name == reached[-1] for _, name in steps}
    return found


class TooSmall(Widget):
    """The size of the terminal and the least it has to be; the style sheet shows it when it is needed."""

    def __init__(self, quit_key: str) -> None:
        super().__init__()
        self._quit_key = quit_key

    def render(self) -> Text:
        columns, lines = self.app.size
        return Text(
            f"This terminal is {columns} by {lines}.\n"
            f"linkdash needs {LEAST_COLUMNS} by {LEAST_LINES}.\n"
            f"Make it larger; {self._quit_key} quits.",
            justify="center",
        )
