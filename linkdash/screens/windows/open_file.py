"""The window that asks for a file to be read."""

from collections.abc import Sequence
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input, Static

from linkdash.screens.windows.widths import fit_width
from linkdash.widgets.form.path_input import PathInput
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import Window
from linkdash.widgets.window_screen import WindowScreen


class OpenFileScreen(WindowScreen[Path | None]):
    """A window that asks for the path of a file that is there; None when the user goes back."""

    BINDINGS = [Binding("escape", "dismiss", "Back")]

    def __init__(self, title: str, hint: str, endings: Sequence[str], last: str = "") -> None:
        """`last` is the path of a file that was refused: it may have been mended."""
        super().__init__()
        self._title, self._hint, self._endings, self._last = title, hint, endings, last

    def compose(self) -> ComposeResult:
        with Window(title=self._title, classes="-question -file"):
            yield Static(self._hint, classes="window-lines", markup=False)
            yield PathInput(self._last, endings=self._endings)
        yield KeyLine()

    def on_mount(self) -> None:
        fit_width(self.query_one(Window), self._hint.split("\n"))

    @on(Input.Submitted)
    async def _open(self) -> None:
        if (path := await self.query_one(PathInput).chosen()) is not None:
            self.dismiss(path)
