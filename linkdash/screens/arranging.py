"""How a list is shown: its columns, its order by several of them, its views and the filters typed before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input

from linkdash.api.model import Record
from linkdash.model.arrangement import (
    ColumnChoice,
    ListPreferences,
    View,
    every_choice,
    other_columns,
    shown_columns,
)
from linkdash.model.collection import Collection
from linkdash.model.columns import Column
from linkdash.screens.host import HostScreen
from linkdash.screens.windows import ConfirmScreen
from linkdash.widgets.inputs import StillInput
from linkdash.widgets.keys import key_sign
from linkdash.widgets.lines import OPENS, LineMenu, MenuLine, menu_line
from linkdash.widgets.panel import Said, Window
from linkdash.widgets.pieces import Piece, Tone

T = TypeVar("T", bound=Record)
Orders = tuple[tuple[str, bool], ...]

ASCENDING, DESCENDING = "▴", "▾"
_SHOWN, _HIDDEN = "✓", "–"


class Arranging(Generic[T]):
    """The flows of one list that change how it is shown; what they change is kept for the profile.

    `collection` is the one that is shown now; `own` are the columns that the list has by itself.
    """

    def __init__(
        self,
        screen: HostScreen,
        preferences: ListPreferences,
        collection: Callable[[], Collection[T]],
        own: Callable[[], Sequence[Column[T]]],
    ) -> None:
        self._screen, self._kept, self._collection, self._own = screen, preferences, collection, own
        self._chosen: Sequence[ColumnChoice] = ()
        self._is_recalled = False

    @property
    def shown(self) -> list[Column[T]]:
        """The columns that are shown now, in their order."""
        return shown_columns([*self._own(), *self._others], self._choices)

    @property
    def _others(self) -> list[Column[T]]:
        return other_columns(self._collection().resource.record, self._own())

    @property
    def _choices(self) -> list[ColumnChoice]:
        return every_choice(self._own(), self._others, self._chosen)

    async def recall(self) -> None:
        """Shows the columns that were chosen, in this run or before."""
        if not self._is_recalled:
            self._is_recalled = True
            self._use(await self._kept.columns())

    def _use(self, chosen: Sequence[ColumnChoice]) -> None:
        self._chosen = chosen
        collection = self._collection()
        collection.arrangement.use(self.shown, [*self._own(), *self._others])
        collection.order_by(collection.arrangement.orders)

    @property
    def words(self) -> str:
        """What the list is sorted by, where that is more than one column."""
        orders = self._collection().arrangement.orders
        titles = {column.name: column.title for column in (*self._own(), *self._others)}
        told = (f"{titles.get(name, name)} {DESCENDING if down else ASCENDING}" for name, down in orders)
        return f"by {', '.join(told)}" if len(orders) > 1 else ""

    # ---- columns ----

    async def columns(self) -> None:
        """Asks which columns are shown, in which order, and what is sorted by."""
        columns = [*self._own(), *self._others]
        titles = {column.name: column.title for column in columns}
        orders = self._collection().arrangement.orders
        plain = every_choice(self._own(), self._others, ())
        asked = ColumnsScreen(titles, self._choices, orders, plain)
        wanted = await self._screen.app.push_screen_wait(asked)
        if wanted is not None:
            self._use(wanted.choices)
            self._collection().order_by(wanted.orders)
            await self._kept.keep_columns(wanted.choices if wanted.choices != tuple(plain) else ())

    # ---- views ----

    async def views(self) -> None:
        """Opens a view, saves what is shown as one, or deletes one."""
        while True:
            known = await self._kept.views()
            asked = ViewsScreen(known, self._view(""))
            wanted = await self._screen.app.push_screen_wait(asked)
            if wanted is None:
                return
            if not wanted.deleted:
                break
            question = ConfirmScreen(
                f"Delete the view {wanted.view.name}?", [wanted.view.described], "Delete"
            )
            if await self._screen.app.push_screen_wait(question):
                await self._kept.delete_view(wanted.view.name)
        if wanted.view in known:
            self.open(wanted.view)
        else:
            await self._kept.keep_view(self._view(wanted.view.name))
            self._screen.done(wanted.view.described, f"Saved the view {wanted.view.name}")

    def _view(self, name: str) -> View:
        """What is shown now, as a view."""
        arrangement = self._collection().arrangement
        return View(name=name, filter=arrangement.text, order=arrangement.orders, columns=tuple(self._chosen))

    def open(self, view: View) -> None:
        """Shows what a view says."""
        self._use(view.columns)
        self._collection().order_by(view.order)
        self._collection().filter(view.filter)
        self._screen.say(view.described, f"View {view.name}")

    # ---- filters ----

    async def filters(self) -> tuple[str, ...]:
        """The filters typed before, the last one first."""
        return await self._kept.filters()

    async def keep_filter(self) -> None:
        """Remembers the filter that is on."""
        arrangement = self._collection().arrangement
        if arrangement.filtering and arrangement.error is None:
            await self._kept.keep_filter(arrangement.text)


# ---- the windows that ask ----


@dataclass(frozen=True)
class Arranged:
    """Columns and order as they are wanted."""

    choices: tuple[ColumnChoice, ...]
    orders: Orders


class ColumnsScreen(ModalScreen[Arranged | None]):
    """Which columns are shown, in which order, which keep their room, and what is sorted by."""

    BINDINGS = [
        ("escape", "dismiss", "Cancel"),
        ("enter", "keep", "Keep"),
        ("space", "show", "Show or hide"),
        ("w", "wide", "Wide"),
        ("s", "sort", "Sort"),
        ("J", "carry(1)", "Down"),
        ("K", "carry(-1)", "Up"),
        ("R", "reset", "Reset"),
    ]

    def __init__(
        self,
        titles: dict[str, str],
        choices: Sequence[ColumnChoice],
        orders: Orders,
        plain: Sequence[ColumnChoice],
    ) -> None:
        """`titles` by column; `plain` is how the list is by itself."""
        super().__init__()
        self._titles, self._choices, self._orders, self._plain = titles, [*choices], orders, plain

    def compose(self) -> ComposeResult:
        keep = (key_sign(self, OPENS), "keep")
        keys = _keys(("space", "show"), ("s", "sort"), ("w", "wide"), ("J K", "move"), ("R", "reset"), keep)
        with Window(title="Columns", keys=keys, id="columns", classes="-lines"):
            yield LineMenu()

    def on_mount(self) -> None:
        self._menu.focus()
        self._show()

    @property
    def _menu(self) -> LineMenu:
        return self.query_one(LineMenu)

    @property
    def _choice(self) -> ColumnChoice:
        return self._choices[self._menu.cursor]

    def _show(self) -> None:
        self._menu.show([self._line(choice) for choice in self._choices])
        sorted_by = ", ".join(self._titles[name] for name, _ in self._orders if name in self._titles)
        above = [Piece(f"sorted by {sorted_by}" if sorted_by else "as the service orders them", Tone.MUTED)]
        self.query_one(Window).say(above=above)

    def _line(self, choice: ColumnChoice) -> MenuLine:
        sign = Piece(f" {_SHOWN} ", Tone.GOOD) if choice.shown else Piece(f" {_HIDDEN} ", Tone.FAINT)
        name = Piece(self._titles[choice.name], Tone.PLAIN if choice.shown else Tone.MUTED)
        names = [name for name, _ in self._orders]
        rank = names.index(choice.name) if choice.name in names else None
        order = "" if rank is None else f"{rank + 1} {DESCENDING if self._orders[rank][1] else ASCENDING}"
        wide = "wide" if choice.wide else ""
        return menu_line(
            [sign, name], [Piece(f"{wide:<6}", Tone.WARNING), Piece(f"{order:>4} ", Tone.KEY)], _nothing
        )

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
        """Moves the column under the cursor."""
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


@dataclass(frozen=True)
class WantedView:
    """A view to be opened, saved or deleted."""

    view: View
    deleted: bool = False


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
        keys = _keys(
            (key_sign(self, OPENS), "open"), ("n", "save what is shown"), ("d", "delete"), ("esc", "close")
        )
        with Window(title="Views", keys=keys, id="views", classes="-lines"):
            yield LineMenu()
            yield StillInput(placeholder="A name for what is shown now", compact=True, id="view-name")

    def on_mount(self) -> None:
        lines = [
            menu_line([Piece(f" {view.name}  "), Piece(view.described, Tone.MUTED)], (), _nothing)
            for view in self._views
        ]
        empty = menu_line(
            [Piece(" No view yet. n saves what is shown now as one.", Tone.MUTED)], (), _nothing
        )
        self._menu.show(lines or [empty])
        self._name_line.display = False
        self._menu.focus()
        above = [Piece(f"now: {self._current.described}", Tone.MUTED)]
        self.query_one(Window).say(above=above)

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
        """One step: out of the name, then out of the window."""
        if self._name_line.has_focus:
            self._name_line.display = False
            self._menu.focus()
        else:
            self.dismiss(None)


def _keys(*named: tuple[str, str]) -> Said:
    pieces: list[Piece | str] = []
    for key, what in named:
        pieces += [
            Piece(" · " if pieces else "", Tone.FAINT),
            Piece(key, Tone.KEY),
            Piece(f" {what}", Tone.MUTED),
        ]
    return pieces


def _nothing() -> None:
    """Lines of these windows are acted on by keys of the window."""
