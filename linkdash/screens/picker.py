"""A short list to choose one thing from."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from linkdash.api.text import inert
from linkdash.widgets.key_line import KeyLine

_VALUE_CELLS = 40


def shortened(text: str, width: int) -> str:
    """`text` in one line of at most `width` cells."""
    line = inert(" ".join(text[: width * 4].split()))
    return line if cell_len(line) <= width else set_cell_size(line, width - 1) + "…"


@dataclass(frozen=True)
class Choice:
    """Something to choose: what it is called, and what it would give."""

    label: str
    value: str


class PickerScreen(ModalScreen[Choice | None]):
    """Asks which of some choices is meant; None when a person goes back."""

    BINDINGS = [
        Binding("escape,q", "dismiss", "Back"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)

    def compose(self) -> ComposeResult:
        with Vertical(classes="window"):
            yield Static(self._title, classes="window-title", markup=False)
            yield OptionList(*(Option(self._line(choice)) for choice in self._choices), compact=True)
        yield KeyLine()

    def _line(self, choice: Choice) -> Text:
        width = max(len(choice.label) for choice in self._choices)
        line = Text(f"{choice.label:<{width}}  ")
        return line.append(shortened(choice.value, _VALUE_CELLS), style="dim")

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index])

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()
