"""The window that opens findings and views, and saves, renames and deletes views."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input

from linkdash.model.copy_choices import LETTERS, MOVING, PickerChoice, with_keys
from linkdash.model.lists.views import Finding, View
from linkdash.widgets.details import DetailLine, Details
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.frame.key_line import KeyLine, key_sign
from linkdash.widgets.menu import LineMenu, MenuLine, menu_line
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.window_screen import WindowScreen

_OWN = frozenset("nrd") | MOVING
"""Letters that open no view: the keys of the window."""


@dataclass(frozen=True)
class WantedView:
    """A view to be opened, saved or deleted; or to have another name."""

    view: View
    deleted: bool = False
    renamed: str = ""


class _NameInput(StillInput):
    """The name of a view."""

    BINDINGS = [Binding("enter", "submit", "Save")]


class ViewsScreen(WindowScreen[WantedView | None]):
    """The findings and views of a list; a name for what is shown now makes another view."""

    BINDINGS = [
        ("escape", "back", "Back"),
        ("enter", "open", "Open"),
        ("n", "name", "Save what is shown"),
        ("r", "rename", "Rename"),
        ("d", "delete", "Delete"),
        *(Binding(letter, f"pick('{letter}')", show=False) for letter in sorted(LETTERS - _OWN)),
    ]

    def __init__(
        self,
        views: Sequence[View],
        current: View,
        titles: Mapping[str, str],
        counts: Awaitable[Sequence[str]],
        *,
        lasts: str,
    ) -> None:
        """`titles` are those of columns; `counts` tell how many each view finds of what is loaded.

        `lasts` says how long views are kept.
        """
        super().__init__()
        self._views, self._current, self._titles, self._counting = views, current, titles, counts
        self._lasts = lasts
        self._counts: Sequence[str] = [""] * len(views)
        keyed = with_keys([PickerChoice(view.name, "") for view in views], others=_OWN)
        self._keys = [choice.key for choice in keyed]
        self._renamed: View | None = None

    def compose(self) -> ComposeResult:
        with Window(title="Findings and views", id="views", classes="-lines"):
            yield LineMenu()
            yield _NameInput(placeholder="A name for what is shown now", compact=True, id="view-name")
            told = Details(id="view-told")
            told.can_focus = False
            yield told
        yield KeyLine()

    def on_mount(self) -> None:
        self._name_line.display = False
        self._show()
        self._menu.focus()
        above = [Piece(f"now: {self._current.described(self._titles)}", Tone.MUTED)]
        self.query_one(Window).say(above=above, below=self._below)
        self.run_worker(self._count(), exit_on_error=False)

    @property
    def _below(self) -> list[Piece]:
        return [Piece(" · ".join(filter(None, ("of what is loaded", self._lasts))), Tone.MUTED)]

    async def _count(self) -> None:
        self._counts = await self._counting
        self._show()

    def _show(self) -> None:
        lines = list(map(self._line, self._keys, self._views, self._counts))
        self._menu.show(lines)
        self._menu.display = bool(lines)
        self._tell()

    def _line(self, key: str, view: View, count: str) -> MenuLine:
        tone = Tone.HERO if count[:1].isdigit() and count != "0" else Tone.FAINT
        return menu_line([Piece(f" {key or ' '} ", Tone.KEY), Piece(view.name)], [Piece(f"{count} ", tone)])

    @on(LineMenu.Moved)
    def _tell(self) -> None:
        """Say in words what the view under the cursor holds; without any, how one is made.

        While what is shown is given a name, that is told in place of it.
        """
        self.refresh_bindings()  # a finding is neither renamed nor deleted
        told = self.query_one(Details)
        if self._name_line.display and self._renamed is None:
            saves = f"{key_sign(self, 'enter')} saves what is shown now under this name."
            told.show(None, lines=[DetailLine(saves)])
            return
        if self._view is None:
            told.show(None, lines=[DetailLine("No view of this list yet.")])
            return
        why = {"Why": self._view.why, "Do": self._view.advice} if isinstance(self._view, Finding) else {}
        own = {} if why else {"Columns": self._view.shown(self._titles) or "those of the list"}
        facts = {
            **why,
            "Filter": self._view.filter or "none: all records",
            "Order": self._view.ordered(self._titles) or "as the service sends them",
            **own,
        }
        told.show(None, lines=[DetailLine(title, (Piece(text),)) for title, text in facts.items()])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "pick":
            return parameters[0] in self._keys
        if action in ("rename", "delete"):
            return self._view is not None and not isinstance(self._view, Finding)
        return bool(self._views) or action != "open"

    @property
    def _menu(self) -> LineMenu:
        return self.query_one(LineMenu)

    @property
    def _name_line(self) -> Input:
        return self.query_one("#view-name", Input)

    @property
    def _view(self) -> View | None:
        return self._views[self._menu.cursor] if self._views else None

    # ---- naming ----

    def action_name(self) -> None:
        self._ask_name(None)

    def action_rename(self) -> None:
        self._ask_name(self._view)

    def _ask_name(self, renamed: View | None) -> None:
        """Ask for the name of what is shown now, or for another one of a view."""
        self._renamed = renamed
        self._name_line.value = renamed.name if renamed is not None else ""
        self._name_line.display = True
        self._name_line.focus()
        self._tell()

    @on(Input.Changed)
    def _warn(self) -> None:
        """Say that a view of this name is going to be replaced."""
        own = [view for view in self._views if view != self._renamed and not isinstance(view, Finding)]
        is_taken = any(view.name == self._typed for view in own)
        warning = [Piece("replaces the view of this name", Tone.WARNING)]
        self.query_one(Window).say(below=warning if is_taken else self._below)

    @property
    def _typed(self) -> str:
        return " ".join(self._name_line.value.split())

    @on(Input.Submitted)
    def _save(self) -> None:
        if self._typed and self._renamed is not None:
            self.dismiss(WantedView(self._renamed, renamed=self._typed))
        elif self._typed:
            self.dismiss(WantedView(self._current.model_copy(update={"name": self._typed})))

    # ---- choosing ----

    def action_pick(self, key: str) -> None:
        self.dismiss(WantedView(self._views[self._keys.index(key)]))

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
            self._tell()
        else:
            self.dismiss(None)
