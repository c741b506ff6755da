"""The line at the top: whose account, where, and what may not be done."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static


class TopBar(Horizontal):
    """Profile, host and place; a read-only session says so in words."""

    def __init__(self, profile: str, host: str, place: str, *, read_only: bool = False) -> None:
        super().__init__()
        self._parts = (profile, host, place)
        self._read_only = read_only

    def compose(self) -> ComposeResult:
        yield Static("linkdash", id="program", markup=False)
        yield Static(Text(" · ".join(self._parts), no_wrap=True, overflow="ellipsis"), id="where")
        if self._read_only:
            yield Static("READ-ONLY", id="read-only", markup=False)
