"""A line for the path of a file: tab completes it, and below it stands what is there."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalGroup
from textual.widgets import Input, Static

from linkdash.model.humanize import ATTENTION
from linkdash.widgets.form.field_input import LineEdit
from linkdash.widgets.form.path_completion import PathLook, look_at
from linkdash.widgets.styled_text import Piece, Tone, content, fit_text

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


class PathLine(LineEdit):
    """The line itself; the key that submits it is told."""

    BINDINGS = [Binding("enter", "submit", "Continue")]


class PathInput(VerticalGroup):
    """The path of a file that is to be read, or of one that `is_new`.

    The disk is asked beside everything else, also where it does not answer at once.
    """

    BINDINGS = [Binding("tab", "complete", "Complete")]

    def __init__(self, path: str = "", *, endings: Sequence[str] = (), is_new: bool = False) -> None:
        """`endings` are those of the files that are wanted, such as `.csv`; any, if there are none."""
        super().__init__()
        self._start = path
        self._endings = endings
        self._is_new = is_new

    def compose(self) -> ComposeResult:
        yield PathLine(self._start, placeholder="path of a file, tab completes it", replaced=not self._is_new)
        yield Static(classes="path-look")
        yield Static(classes="path-names")

    @property
    def _line(self) -> PathLine:
        return self.query_one(PathLine)

    @property
    def path(self) -> str:
        """The path as it stands there; another one can be put there."""
        return self._line.value

    @path.setter
    def path(self, path: str) -> None:
        self._line.value = path
        self._line.cursor_position = len(path)

    async def look(self) -> PathLook:
        """The find at the path, once the disk has answered and it is shown."""
        look = await asyncio.to_thread(look_at, self.path.strip(), self._endings)
        if self.is_attached:
            self._show(look)
        return look

    async def chosen(self) -> Path | None:
        """The path, if it can be taken; None, and what is wrong is shown, if not. A folder is gone into."""
        look = await self.look()
        if look.kind == "folder":
            self.path = os.path.join(look.text, "")
        is_taken = look.has_folder if self._is_new else look.kind == "file" and self._is_wanted(look)
        if not look.text or not is_taken or look.kind == "folder":
            self.app.bell()
            return None
        return look.path

    def _is_wanted(self, look: PathLook) -> bool:
        return not self._endings or look.text.lower().endswith(tuple(self._endings))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.run_worker(self.look(), group="look", exclusive=True, exit_on_error=False)

    async def action_complete(self) -> None:
        """Type what follows from what is there; where nothing does, stay: what is typed next is for it."""
        look = await self.look()
        if look.completed == self.path:
            self.app.bell()
        elif look.text == self.path:
            self.path = look.completed

    def _show(self, look: PathLook) -> None:
        if look.text != self.path.strip():
            return
        self.query_one(".path-look", Static).update(content([self._said(look)] if look.text else ()))
        others = [name for name in look.names if name != os.path.basename(look.text)]
        names, room = self.query_one(".path-names", Static), max(1, self.size.width)
        names.display = bool(others) and look.kind != "file"
        names.update(content([Piece(fit_text("  ".join(others), room), Tone.MUTED)]))

    def _said(self, look: PathLook) -> Piece:
        """A word on what is there, and whether that is what is wanted."""
        match look.kind:
            case "folder":
                return Piece("a folder: the file goes into it" if self._is_new else "a folder", Tone.MUTED)
            case "file" if self._is_new:
                return Piece(f"{ATTENTION} there already: a number is added to the name", Tone.WARNING)
            case "file" if self._is_wanted(look):
                return Piece(f"✓ {size_words(look.size)}", Tone.GOOD)
            case "file":
                return Piece(f"✗ must end in {' or '.join(self._endings)}", Tone.BAD)
        if not look.has_folder:
            return Piece("✗ no such folder", Tone.BAD)
        if look.names and not self._is_new:
            return Piece("tab completes it", Tone.MUTED)
        return Piece("✓ new file", Tone.GOOD) if self._is_new else Piece("✗ no such file", Tone.BAD)


def size_words(size: int) -> str:
    """The size of a file: `512 bytes`, `12.3 kB`."""
    number, unit = float(size), 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:,.1f} {_UNITS[unit]}" if unit else f"{size} {_UNITS[0] if size != 1 else 'byte'}"
