"""The line at the top: whose account, where, and what may not be done."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static


class TopBar(Horizontal):
    """Profile, host and place; a read-only session says so in words."""

    def __init__(self, profile: str, host: str, place: str, *, read_only: bool = False) -> None:
        super().__init__()
        self._who = (profile, host)
        self._place = place
        self._read_only = read_only

    def compose(self) -> ComposeResult:
        yield Static("linkdash", id="program", markup=False)
        yield Static(self._where(), id="where")
        if self._read_only:
            yield Static("READ-ONLY", id="read-only", markup=False)

    def place(self, place: str) -> None:
        """Says another place."""
        self._place = place
        self.query_one("#where", Static).update(self._where())

    def _where(self) -> Text:
        return Text(" · ".join((*self._who, self._place)), no_wrap=True, overflow="ellipsis")
