"""The window that opens, saves and deletes views."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Input

from linkdash.model.lists.views import View
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.menu import LineMenu, menu_line
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone


@dataclass(frozen=True)
class WantedView:
    """A view to be opened, saved or deleted."""

    view: View
    deleted: bool = False


class _NameInput(StillInput):
    """The name of a new view."""

    BINDINGS = [Binding("enter", "submit", "Save")]


class ViewsScreen(ModalScreen[WantedView | None]):
    """The views of a list; a name for what is shown now makes another."""

    BINDINGS = [
        ("escape", "back", "Back"),
        ("enter", "open", "Open"),
        ("n", "name", "Save what is shown"),
        ("d", "delete", "Delete"),
    ]

    def __init__(self, views: Sequence[View], current: View) -> None:
        super().__init__()
        self._views, self._current = views, current

    def compose(self) -> ComposeResult:
        with Window(title="Views", id="views", classes="-lines"):
            yield LineMenu()
            yield _NameInput(placeholder="A name for what is shown now", compact=True, id="view-name")
        yield KeyLine()

    def on_mount(self) -> None:
        lines = [
            menu_line([Piece(f" {view.name}  "), Piece(view.described, Tone.MUTED)]) for view in self._views
        ]
        empty = menu_line([Piece(" No view yet. n saves what is shown now as one.", Tone.MUTED)])
        self._menu.show(lines or [empty])
        self._name_line.display = False
        self._menu.focus()
        above = [Piece(f"now: {self._current.described}", Tone.MUTED)]
        self.query_one(Window).say(above=above)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self._views) or action not in ("open", "delete")

    @property
    def _menu(self) -> LineMenu:
        return self.query_one(LineMenu)

    @property
    def _name_line(self) -> Input:
        return self.query_one("#view-name", Input)

    @property
    def _view(self) -> View | None:
        return self._views[self._menu.cursor] if self._views else None

    def action_name(self) -> None:
        self._name_line.display = True
        self._name_line.focus()

    @on(Input.Submitted)
    def _save(self, event: Input.Submitted) -> None:
        if name := " ".join(event.value.split()):
            self.dismiss(WantedView(self._current.model_copy(update={"name": name})))

    @on(LineMenu.Opened)
    def action_open(self) -> None:
        if self._view is not None:
            self.dismiss(WantedView(self._view))

    def action_delete(self) -> None:
        if self._view is not None:
            self.dismiss(WantedView(self._view, deleted=True))

    def action_back(self) -> None:
        """Go one step back: out of the name, then out of the window."""
        if self._name_line.has_focus:
            self._name_line.display = False
            self._menu.focus()
        else:
            self.dismiss(None)
