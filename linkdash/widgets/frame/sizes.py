"""The sizes that the program is laid out for."""

from rich.text import Text
from textual.geometry import Size
from textual.widget import Widget

LEAST_COLUMNS, LEAST_LINES = 60, 15
"""The smallest terminal the program can be used on."""

WIDE, HIGH = 100, 30
"""Columns from which the sidebar stands at the left and panels are boxes; lines from which fields are."""
HORIZONTAL_BREAKPOINTS = [(0, "-too-narrow"), (LEAST_COLUMNS, "-narrow"), (WIDE, "-wide")]
VERTICAL_BREAKPOINTS = [(0, "-too-low"), (LEAST_LINES, "-low"), (HIGH, "-high")]
"""The sizes at which screens change how they are laid out, as classes for the style sheets."""


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
