"""What stands where content would be: nothing yet, a failure, a terminal that is too small."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static


class StatePanel(Vertical):
    """A headline, and the next step in one or two lines."""

    def compose(self) -> ComposeResult:
        yield Static(id="headline", markup=False)
        yield Static(id="advice", markup=False)

    def show(self, headline: str, advice: str, *, failed: bool = False) -> None:
        """Shows a state; `failed` marks it as one that needs a person."""
        self.set_class(failed, "-failed")
        self.query_one("#headline", Static).update(Text(headline))
        self.query_one("#advice", Static).update(Text(advice))


LEAST_COLUMNS, LEAST_LINES = 60, 15
"""The smallest terminal the program can be used on."""


class TooSmall(Widget):
    """Says how large the terminal is and how large it has to be; the style sheet shows it when it is true."""

    def render(self) -> Text:
        columns, lines = self.app.size
        return Text(
            f"This terminal is {columns} by {lines}.\n"
            f"linkdash needs {LEAST_COLUMNS} by {LEAST_LINES}.\n"
            "Make it larger; q quits.",
            justify="center",
        )
