"""The window that asks as what, and to which file, something is exported."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input, OptionList, Static

from linkdash.model.copy_choices import LETTERS, PickerChoice
from linkdash.model.lists.export import Export
from linkdash.screens.windows.picker import Choices, choice_line
from linkdash.screens.windows.widths import fit_width
from linkdash.widgets.form.path_input import PathInput
from linkdash.widgets.frame.key_line import KeyLine, key_sign
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.window_screen import WindowScreen


@dataclass(frozen=True)
class SaveAs:
    """A way to export something; `path` is its file, which also a page in the browser has."""

    export: Export
    path: Path
    to_file: bool = False


class SaveChoice(NamedTuple):
    """The choice, with the path as it was typed."""

    choice: PickerChoice
    way: SaveAs


class SaveScreen(WindowScreen[SaveChoice | None]):
    """A window that asks which way and to which file; None when the user goes back."""

    BINDINGS = [
        Binding("tab", "path", "Change the file"),
        Binding("escape", "back", "Back"),
        *(Binding(letter, f"pick('{letter}')", show=False) for letter in sorted(LETTERS)),
    ]

    def __init__(
        self, title: str, ways: Mapping[PickerChoice, SaveAs], more: PickerChoice | None = None
    ) -> None:
        """`more` is the choice of the step before that has more than this one, if there is any."""
        super().__init__()
        self._title = title
        self._ways = ways
        self.choices = tuple(ways)
        self._shown = next(iter(ways.values()))
        self._more = more

    def compose(self) -> ComposeResult:
        with Window(title=self._title, classes="-choices"):
            yield Choices(*(choice_line(choice, self.choices) for choice in self.choices), compact=True)
            yield PathInput(str(self._shown.path), is_new=True)
            if self._more is not None:
                yield Static(content(self._more_pieces(self._more)), classes="window-more")
        yield KeyLine()

    def _more_pieces(self, more: PickerChoice) -> list[Piece]:
        """The keys that lead to more, and what that is and costs."""
        keys = [
            Piece(key_sign(self, "escape"), Tone.KEY),
            Piece(", then ", Tone.MUTED),
            Piece(more.key, Tone.KEY),
        ]
        return [*keys, Piece(f": {more.value}", Tone.MUTED)]

    def on_mount(self) -> None:
        lines = [str(choice_line(choice, self.choices).prompt) for choice in self.choices]
        lines += [str(way.path) for way in self._ways.values()]
        lines += [str(note.content) for note in self.query(".window-more").results(Static)]
        fit_width(self.query_one(Window), lines)
        self.query_one(OptionList).highlighted = 0

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._show_path(self._ways[self.choices[event.option_index]])

    def _show_path(self, way: SaveAs) -> None:
        """Show the file of a way; a folder and a name that were typed stay."""
        line = self.query_one(PathInput)
        if way.to_file != line.display:
            line.display = way.to_file
            self.call_after_refresh(self.refresh_bindings)
        typed = Path(line.path)
        path = way.path
        if line.path.endswith(os.sep):
            path = typed / way.path.name
        elif typed.name and typed != self._shown.path:
            path = typed.with_suffix(f".{way.export.ending}")
        self._shown = replace(way, path=path)
        line.path = str(path)

    # ---- choosing ----

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a path is typed, letters belong to it."""
        is_typing = isinstance(self.focused, Input)
        if action == "pick":
            return not is_typing and parameters[0] in {choice.key for choice in self.choices}
        return action != "path" or (not is_typing and self._shown.to_file)

    async def action_pick(self, key: str) -> None:
        at = next(at for at, choice in enumerate(self.choices) if choice.key == key)
        self.query_one(OptionList).highlighted = at
        await self._take()

    def action_path(self) -> None:
        self.query_one(PathInput).query_one(Input).focus()

    def action_back(self) -> None:
        """Go one step back: out of the path, then out of the window."""
        if isinstance(self.focused, Input):
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)

    @on(OptionList.OptionSelected)
    @on(Input.Submitted)
    async def _take(self) -> None:
        choice = self.choices[self.query_one(OptionList).highlighted or 0]
        way, line = self._ways[choice], self.query_one(PathInput)
        if way.to_file and (look := await line.look()).kind == "folder":
            line.path = os.path.join(look.text, "")  # the file goes into it
        self._show_path(way)
        if not way.to_file:
            self.dismiss(SaveChoice(choice, way))
        elif (path := await line.chosen()) is not None:
            self.dismiss(SaveChoice(choice, replace(way, path=path)))
