"""The picker: a list to choose from."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from linkdash.api.inert_text import inert
from linkdash.model.copy_choices import LETTERS, MOVING, PickerChoice
from linkdash.model.humanize import shortened
from linkdash.screens.windows.viewer import beginning
from linkdash.screens.windows.widths import fit_width
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone, content, fit_text
from linkdash.widgets.window_screen import WindowScreen

_MOST_CELLS = 400  # of a value in its line
_AROUND = 4  # rows of the frame, of the rule above the value, of the keys
_MARGIN = 2  # cells beside a value below the list
_KEY_CELLS = 3  # of a key, with the blanks around it
_MOST_ROWS = 4  # of a value below the list, which scrolls


class Choices(OptionList):
    """The choices; a page key before the first layout would be a KeyError of Textual's."""

    BINDINGS = [Binding("enter", "select", "Choose")]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self.size) and super().check_action(action, parameters)


def choice_line(choice: PickerChoice, choices: Sequence[PickerChoice]) -> Option:
    """A choice as a line: its key, if any has one, its label, its value as far as it fits."""
    key = [Piece(f" {choice.key or ' '} ", Tone.KEY)] if any(one.key for one in choices) else []
    label = Piece(f"{fit_text(choice.label, _label_cells(choices))}  ")
    return Option(content([*key, label, Piece(shortened(inert(choice.in_a_line), _MOST_CELLS), Tone.MUTED)]))


def _label_cells(choices: Sequence[PickerChoice]) -> int:
    return max(cell_len(choice.label) for choice in choices)


def _rows(value: str, width: int) -> int:
    """Return how many rows a value takes, of many not all."""
    shown = Content.from_rich_text(beginning(value[: _MOST_ROWS * width]))
    return shown.get_height({}, width)


class PickerScreen(WindowScreen[PickerChoice | None]):
    """A window that asks which of some choices is meant; None when the user goes back.

    A choice with a key is chosen by that. Where a value is not whole in its line, the whole of the one under
    the cursor stands below the list.
    """

    BINDINGS = [
        Binding("escape,q", "dismiss", "Back"),
        *(Binding(letter, f"pick('{letter}')", show=False) for letter in sorted(LETTERS)),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
        Binding("shift+down", "scroll_value(1)", "More"),
        Binding("shift+up", "scroll_value(-1)", show=False),
    ]

    def __init__(self, title: str, choices: Sequence[PickerChoice]) -> None:
        super().__init__()
        self._title = title
        self.choices = tuple(choices)

    def compose(self) -> ComposeResult:
        with Window(title=self._title, classes="-choices"):
            yield Choices(*(choice_line(choice, self.choices) for choice in self.choices), compact=True)
            with VerticalScroll(id="value", can_focus=False):
                yield Static(id="value-text")
        yield KeyLine()

    def on_mount(self) -> None:
        lines = [str(choice_line(choice, self.choices).prompt) for choice in self.choices]
        fit_width(self.query_one(Window), lines, _MOST_CELLS)
        self.watch(self.query_one("#value"), "show_vertical_scrollbar", self.refresh_bindings)
        self.query_one(OptionList).highlighted = 0

    def on_resize(self) -> None:
        """Show values whole below the list where one of them does not fit beside its label."""
        width = self.query_one(OptionList).size.width
        room = width - _label_cells(self.choices) - _KEY_CELLS - 2
        value = self.query_one("#value")
        value.display = any(
            choice.sample
            or "\n" in choice.value.strip()
            or cell_len(inert(choice.value[:_MOST_CELLS])) > room
            for choice in self.choices
        )
        self._fit_value()

    @on(OptionList.OptionHighlighted)
    def _show_value(self, event: OptionList.OptionHighlighted) -> None:
        self.query_one("#value-text", Static).update(beginning(self.choices[event.option_index].value))
        self.query_one("#value").scroll_home(animate=False)
        self._fit_value()

    def _fit_value(self) -> None:
        """Make the window as high as the value under the cursor needs; its top stays where it is.

        For that, what the longest value would need more is left free below the window, where that much is.
        """
        choices = self.query_one(OptionList)
        if choices.highlighted is None or not choices.size.width:
            return
        needed = [_rows(choice.value, choices.size.width - _MARGIN) for choice in self.choices]
        rows = [min(each, _MOST_ROWS) for each in needed]
        self.query_one("#value").styles.height = 1 + rows[choices.highlighted]
        free = self.size.height - _AROUND - len(self.choices) - max(rows)
        below = max(rows) - rows[choices.highlighted] + min(0, free)
        self.query_one(Window).styles.margin = (0, 0, max(0, below), 0)

    # ---- choosing ----

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.choices[event.option_index])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters choose; j and k move where neither does."""
        keys = {choice.key for choice in self.choices} - {""}
        if action == "pick":
            return parameters[0] in keys
        if action == "scroll_value":
            return self.query_one("#value").show_vertical_scrollbar
        return action not in ("down", "up") or not keys & MOVING

    def action_pick(self, key: str) -> None:
        self.dismiss(next(choice for choice in self.choices if choice.key == key))

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def action_scroll_value(self, lines: int) -> None:
        self.query_one("#value").scroll_relative(y=lines, animate=False)
