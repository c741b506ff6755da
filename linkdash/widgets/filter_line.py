"""The filter line: an input that does not blink, the filter, and what can be typed into it."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.reactive import reactive
from textual.widgets import Input, Static

from linkdash.api.fields import pasted
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, fit_text


def one_line(text: str) -> str:
    """Pasted text for an input of one line: every line of it, with nothing a terminal could act on."""
    return " ".join(filter(None, map(pasted, text.splitlines())))


class StillInput(Input):
    """Textual's own in everything else; its screen lets go of it when it is removed, and no line is lost."""

    cursor_blink = reactive(False, init=False)
    virtual_size = reactive(Size(0, 0))
    """The size of its text: in Textual's own a letter more lays the whole screen out."""

    def on_unmount(self) -> None:
        self.screen.text_selection_started_signal.unsubscribe(self)

    def on_paste(self, event: events.Paste) -> None:
        event.text = one_line(event.text)

    def action_paste(self) -> None:
        self.replace(one_line(self.app.clipboard), *self.selection)


_POINTER = "↑"
_PADDING = 1  # cells left of the text


class FilterInput(StillInput):
    """Up and down go through the filters that were typed before; what was begun is the newest of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Apply", id="filter.apply"),
        Binding("escape", "screen.do('back')", "Cancel", id="back"),
        Binding("up", "older(1)", "Earlier filter", id="filter.older", show=False),
        Binding("down", "older(-1)", "Later filter", id="filter.newer", show=False),
    ]

    def __init__(self, *, placeholder: str, id: str) -> None:
        super().__init__(placeholder=placeholder, id=id, compact=True)
        self.history: Sequence[str] = ()
        self._begun = ""
        self._at = -1

    def offer_history(self, history: Sequence[str]) -> None:
        """Go through these from now on, the last one typed first."""
        self.history, self._at = tuple(history), -1

    def action_older(self, by: int) -> None:
        if self._at == -1:
            self._begun = self.value
        self._at = max(-1, min(self._at + by, len(self.history) - 1))
        self.value = self._begun if self._at == -1 else self.history[self._at]
        self.cursor_position = len(self.value)


class FilterLine(Vertical):
    """The input, and below it, only while there is one, what is wrong, under the place where that begins."""

    def __init__(self, *, placeholder: str) -> None:
        super().__init__(id="filter-line")
        self._placeholder = placeholder
        self._mistake = "", "", 0
        self._pointed_out = ""

    def compose(self) -> ComposeResult:
        yield FilterInput(placeholder=self._placeholder, id="filter")
        yield Static(id="filter-error", markup=False)

    def on_mount(self) -> None:
        self.query_one("#filter-error", Static).display = False

    def point_out(self, what: str, advice: str, at: int) -> None:
        """Say what is wrong with what begins after so many characters, and what would be right.

        Nothing is said where `what` is empty.
        """
        self._mistake = what, advice, at
        if self.size.width or not what:  # else it has no place yet
            self._say_mistake()

    def on_resize(self) -> None:
        """Say it again in the room that there is now."""
        self._say_mistake()

    def _say_mistake(self) -> None:
        (what, advice, at), room = self._mistake, max(20, self.size.width - 2 * _PADDING)
        text = _pointed(what, advice, min(at, room - 1), room) if what else ""
        if text != self._pointed_out:  # to say the same again would lay the whole screen out
            self._pointed_out = text
            line = self.query_one("#filter-error", Static)
            line.update(text)
            line.display = bool(what)


def _pointed(what: str, advice: str, indent: int, room: int) -> str:
    """A mistake beside the pointer, with the advice behind it, or below where there is no room for that."""
    whole = _beside_pointer(f"{what}: {advice}", indent, room)
    if cell_len(whole) <= room:
        return whole
    return "\n".join(fit_text(text, room) for text in (_beside_pointer(what, indent, room), advice))


def _beside_pointer(words: str, indent: int, room: int) -> str:
    """Words behind the pointer; before it, where only there is room for them."""
    behind = f"{' ' * indent}{_POINTER} {words}"
    is_too_long = len(behind) > room and indent > len(words)
    return f"{words} {_POINTER}".rjust(indent + 1) if is_too_long else behind


_COLUMN = 36  # cells of an example with its meaning, of which two stand side by side
_EXAMPLE = 18  # the most cells of an example


class FilterHelp(DrawnLines):
    """Examples with their meaning, in two columns; in the narrowest terminals in one."""

    def __init__(self) -> None:
        super().__init__(id="filter-help")
        self._examples: Sequence[tuple[str, str]] = ()

    def show(self, examples: Sequence[tuple[str, str]]) -> None:
        """Show these examples."""
        self._examples = tuple(examples)
        self.update_lines()

    def lines(self, width: int, height: int) -> Lines:
        count = 2 if width >= 2 * _COLUMN else 1
        rows = -(-len(self._examples) // count)
        columns = [_told(self._examples[at * rows :][:rows], width // count) for at in range(count)]
        return [[piece for line in row for piece in line] for row in zip_longest(*columns, fillvalue=[])]


def _told(examples: Sequence[tuple[str, str]], width: int) -> list[list[Piece]]:
    """Examples below each other, each with its meaning, in so many cells."""
    typed = min(_EXAMPLE, max((cell_len(example) for example, _ in examples), default=0))
    named = [Piece(f"{fit_text(example, typed)} ", Tone.BRAND) for example, _ in examples]
    meant = [Piece(f"{fit_text(meaning, width - typed - 2)} ", Tone.MUTED) for _, meaning in examples]
    return [[*told] for told in zip(named, meant, strict=True)]
