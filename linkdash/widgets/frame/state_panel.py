"""The panel in the place of rows: loading, empty, failed."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static


class StatePanel(Vertical):
    """A headline, and the next step in one or two lines."""

    def compose(self) -> ComposeResult:
        yield Static(id="headline", markup=False)
        yield Static(id="advice", markup=False)

    def show(self, headline: str, advice: str, *, failed: bool = False) -> None:
        """Show a state; `failed` marks it as one that needs the user."""
        self.set_class(failed, "-failed")
        self.query_one("#headline", Static).update(Text(headline))
        self.query_one("#advice", Static).update(Text(advice))
