"""The picker: a list to choose from."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from linkdash.api.inert_text import inert
from linkdash.model.copying import PickerChoice
from linkdash.model.humanize import shortened
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone, content, fit_text

_VALUE_CELLS = 40


class Choices(OptionList):
    """The choices; a page key before the first layout would be a KeyError of Textual's."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self.size) and super().check_action(action, parameters)


class PickerScreen(ModalScreen[PickerChoice | None]):
    """Asks which of some choices is meant; None when the user goes back."""

    BINDINGS = [
        Binding("escape,q", "dismiss", "Back"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    def __init__(self, title: str, choices: Sequence[PickerChoice]) -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)

    def compose(self) -> ComposeResult:
        with Window(title=self._title, classes="-choices"):
            yield Choices(*(Option(self._line(choice)) for choice in self._choices), compact=True)
        yield KeyLine()

    def _line(self, choice: PickerChoice) -> Content:
        width = max(cell_len(inert(choice.label)) for choice in self._choices)
        value = shortened(choice.value, _VALUE_CELLS)
        return content([Piece(f"{fit_text(choice.label, width)}  "), Piece(value, Tone.MUTED)])

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index])

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()
