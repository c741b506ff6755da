"""What stands on a terminal that is too small for anything else."""

from rich.text import Text
from textual.widget import Widget

LEAST_COLUMNS, LEAST_LINES = 60, 15
"""The smallest terminal the program can be used on."""


class TooSmall(Widget):
    """Says how large the terminal is and how large it has to be; the style sheet shows it when it is true."""

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
