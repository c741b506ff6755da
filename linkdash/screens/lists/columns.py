"""The window that chooses the columns of a list."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen

from linkdash.model.lists.views import ColumnChoice
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.menu import LineMenu, MenuLine, menu_line
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.window_screen import WindowScreen

Orders = tuple[tuple[str, bool], ...]

ASCENDING, DESCENDING = "▴", "▾"
_SHOWN, _HIDDEN = "✓", "–"


@dataclass(frozen=True)
class Arranged:
    """Columns and order as they are wanted."""

    choices: tuple[ColumnChoice, ...]
    orders: Orders


class ColumnsScreen(WindowScreen[Arranged | None]):
    """A window for the columns shown, their order, those that keep their room, and the sorting."""

    BINDINGS = [
        ("escape", "dismiss", "Cancel"),
        ("enter", "keep", "Keep"),
        ("space", "show", "Show/hide"),
        ("w", "wide", "Always show"),
        ("s", "sort", "Sort"),
        Binding("J", "carry(1)", "Move", key_display="J/K", tooltip="Move the column down, or up"),
        Binding("K", "carry(-1)", "Move up", show=False),
        ("R", "reset", "Reset"),
    ]

    def __init__(
        self,
        titles: dict[str, str],
        choices: Sequence[ColumnChoice],
        orders: Orders,
        plain: Sequence[ColumnChoice],
        without_room: Callable[[], Set[str]],
    ) -> None:
        """`titles` by column; `plain` is how the list is by itself, `without_room` says what it lacks."""
        super().__init__()
        self._titles, self._choices, self._orders, self._plain = titles, [*choices], orders, plain
        self._without_room = without_room

    def compose(self) -> ComposeResult:
        with Window(title="Columns", id="columns", classes="-lines"):
            yield LineMenu()
        yield KeyLine()

    def on_mount(self) -> None:
        self._menu.focus()
        self._show()
        below = self.app.screen_stack[-2]
        below.screen_layout_refresh_signal.subscribe(self, self._other_room)

    def _other_room(self, _below: Screen[object]) -> None:
        """Say anew what has no room, once the list is drawn in its other size."""
        self.call_after_refresh(self._show)

    @property
    def _menu(self) -> LineMenu:
        return self.query_one(LineMenu)

    @property
    def _choice(self) -> ColumnChoice:
        return self._choices[self._menu.cursor]

    def _show(self) -> None:
        self._menu.show([self._line(choice) for choice in self._choices])
        sorted_by = ", ".join(self._titles[name] for name, _ in self._orders if name in self._titles)
        above = [Piece(f"rows by {sorted_by}" if sorted_by else "rows in the service's order", Tone.MUTED)]
        wide = " · always: also where room is scarce" if any(one.wide for one in self._choices) else ""
        below = [Piece(f"{_SHOWN} chosen · {_HIDDEN} hidden{wide}", Tone.MUTED)]
        self.query_one(Window).say(above=above, below=below)

    def _line(self, choice: ColumnChoice) -> MenuLine:
        sign = Piece(f" {_SHOWN} ", Tone.GOOD) if choice.shown else Piece(f" {_HIDDEN} ", Tone.FAINT)
        name = Piece(self._titles[choice.name], Tone.PLAIN if choice.shown else Tone.MUTED)
        names = [name for name, _ in self._orders]
        rank = names.index(choice.name) if choice.name in names else None
        order = "" if rank is None else f"{rank + 1} {DESCENDING if self._orders[rank][1] else ASCENDING}"
        told = "  no room at this width" if choice.shown and choice.name in self._without_room() else ""
        room = Piece(told, Tone.MUTED)
        wide = Piece(f"{'always' if choice.wide else '':<6}", Tone.WARNING)
        return menu_line([sign, name, room], [wide, Piece(f"{order:>4} ", Tone.KEY)])

    def _change(self, choice: ColumnChoice) -> None:
        self._choices[self._menu.cursor] = choice
        self._show()

    def action_show(self) -> None:
        self._change(self._choice.model_copy(update={"shown": not self._choice.shown}))

    def action_wide(self) -> None:
        self._change(self._choice.model_copy(update={"wide": not self._choice.wide, "shown": True}))

    def action_sort(self) -> None:
        """By this column as well; pressed again in reverse; once more not by it."""
        name = self._choice.name
        if (name, False) in self._orders:
            self._orders = tuple((one, True) if one == name else (one, down) for one, down in self._orders)
        elif (name, True) in self._orders:
            self._orders = tuple(order for order in self._orders if order[0] != name)
        else:
            self._orders = (*self._orders, (name, False))
        self._show()

    def action_carry(self, by: int) -> None:
        """Move the column under the cursor."""
        at = self._menu.cursor
        to = max(0, min(at + by, len(self._choices) - 1))
        self._choices.insert(to, self._choices.pop(at))
        self._menu.cursor = to
        self._show()

    def action_reset(self) -> None:
        self._choices, self._orders = [*self._plain], ()
        self._show()

    @on(LineMenu.Opened)
    def _clicked(self) -> None:
        self.action_show()

    def action_keep(self) -> None:
        self.dismiss(Arranged(tuple(self._choices), self._orders))
