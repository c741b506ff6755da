"""The arrangement of a list: its columns, its order by several of them, its views and recent filters."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from linkdash.api.fields import Kind
from linkdash.api.records import Record, Unreadable
from linkdash.model.insight.findings import find
from linkdash.model.lists.columns import Column, alike, not_known, schemes, told_once
from linkdash.model.lists.known_facts import known_facts
from linkdash.model.lists.loaded_pages import AT_ONCE
from linkdash.model.lists.views import (
    ColumnChoice,
    Finding,
    ListPreferences,
    View,
    every_choice,
    other_columns,
    shown_columns,
)
from linkdash.screens.lists.columns import ASCENDING, DESCENDING, ColumnsScreen
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.lists.views import ViewsScreen
from linkdash.screens.windows.confirm import ConfirmScreen

T = TypeVar("T", bound=Record)


class Arranging(Generic[T]):
    """The flows of one list that change how it is shown; what they change is kept for the profile."""

    def __init__(self, records: RecordList[T], preferences: ListPreferences) -> None:
        self._records, self._kept = records, preferences
        self._screen = records.screen
        self._chosen: Sequence[ColumnChoice] = ()
        self._is_recalled = False
        self._facts: Sequence[Column[T]] = ()
        """The columns of what is known beside the fields, as it was looked up last."""
        self._opened: View | None = None
        """The view that was opened or saved last."""

    @property
    def shown(self) -> list[Column[T]]:
        """The columns that are shown now, in their order."""
        return shown_columns(self._columns, self._choices)

    def differing(self) -> tuple[list[Column[T]], list[str]]:
        """The columns that are shown without those that say the same in every row, and what those say once.

        Of very many rows nobody says that they are all alike. What is sorted by and what keeps its room stay.
        """
        collection, shown = self._records.collection, self.shown
        loaded = collection.listing.loaded_rows()
        rows = [row for row in loaded if not isinstance(row, Unreadable)] if len(loaded) <= AT_ONCE else []
        kept = {name for name, _ in collection.arrangement.orders}
        kept |= {choice.name for choice in self._chosen if choice.wide}
        unknown = not_known(shown, rows)
        same = [one for one in alike(shown, rows) if one not in unknown and one.name not in kept]
        said = [told_once(column, rows[0]) for column in same]
        found = [*same, *(column for column in unknown if column.name not in kept)]
        name = collection.resource.name_field
        said += [
            schemes(column, rows) for column in shown if column.name == name and column.kind is Kind.LINK
        ]
        return [column for column in shown if column not in found], [*filter(None, said)]

    @property
    def _others(self) -> list[Column[T]]:
        own = {column.name for column in self._records.columns}
        facts = [column for column in self._facts if column.name not in own]
        return [*other_columns(self._records.resource.record, self._records.columns), *facts]

    @property
    def _choices(self) -> list[ColumnChoice]:
        return every_choice(self._records.columns, self._others, self._chosen)

    async def recall(self) -> None:
        """Show the columns that were chosen, in this run or before."""
        if not self._is_recalled:
            self._is_recalled = True
            self._use(await self._kept.columns())

    async def look_up_facts(self) -> None:
        """Look up anew what is known beside the fields, and show, filter and sort by that."""
        self._facts = await known_facts(self._screen.session, self._records.resource)
        collection = self._records.collection
        collection.arrangement.use(self.shown, self._columns)
        is_shown = any(column in self._facts for column in self.shown)
        if (collection.arrangement or is_shown) and collection.arrangement.error is None:
            collection.filter(collection.arrangement.text)

    def _use(self, chosen: Sequence[ColumnChoice]) -> None:
        self._chosen = chosen
        collection = self._records.collection
        collection.arrangement.use(self.shown, self._columns)
        collection.order_by(collection.arrangement.orders)

    @property
    def _columns(self) -> list[Column[T]]:
        """All columns that there are."""
        return [*self._records.columns, *self._others]

    @property
    def words(self) -> str:
        """The view that is shown, until it is changed; else an order that no title above the rows tells."""
        if self._opened is not None and self._is_as_opened:
            return f"view {self._opened.name}"
        orders = self._records.collection.arrangement.orders
        drawn = {column.name for column in self._records.table.columns} - self._records.table.without_room
        if len(orders) == 1 and orders[0][0] in drawn:
            return ""
        told = (
            f"{self.titles.get(name, name)} {DESCENDING if down else ASCENDING}"
            f"{'' if name in drawn else ' (hidden)'}"
            for name, down in orders
        )
        return f"by {', '.join(told)}" if orders else ""

    @property
    def _is_as_opened(self) -> bool:
        if self._opened is None:
            return False
        now = self._view(self._opened.name)
        return (now.filter, now.order) == (self._opened.filter, self._opened.order) and (
            isinstance(self._opened, Finding) or now.columns == self._opened.columns
        )

    @property
    def is_worth_a_view(self) -> bool:
        """Return whether a filter or an order is shown that is no view yet."""
        arrangement = self._records.collection.arrangement
        return bool(arrangement.text or arrangement.orders) and not self._is_as_opened

    @property
    def titles(self) -> dict[str, str]:
        """The titles of all columns that there are, by their names."""
        return {column.name: column.title for column in self._columns}

    # ---- the order ----

    def sort(self) -> None:
        """Sort by the next column that is in sight."""
        self._records.collection.sort_by_next(self._records.table.without_room)

    def reverse(self) -> None:
        """Reverse the order."""
        if not self._records.collection.reverse():
            self._screen.say(f"There is no order to reverse; {self._screen.key_of('sort')} sorts.")

    # ---- columns ----

    async def columns(self) -> None:
        """Ask which columns are shown, in which order, and what is sorted by."""
        titles = self.titles
        orders = self._records.collection.arrangement.orders
        plain = every_choice(self._records.columns, self._others, ())
        table = self._records.table
        asked = ColumnsScreen(titles, self._choices, orders, plain, lambda: table.without_room)
        wanted = await self._screen.app.push_screen_wait(asked)
        if wanted is not None:
            self._use(wanted.choices)
            self._records.collection.order_by(wanted.orders)
            await self._kept.keep_columns(wanted.choices if wanted.choices != tuple(plain) else ())

    # ---- views ----

    async def views(self) -> None:
        """Open a finding or a view, save what is shown as one, or rename or delete one."""
        await self.look_up_facts()
        while True:
            known = [*self._records.resource.findings, *await self._kept.views()]
            wanted = await self._screen.app.push_screen_wait(self._asked_view(known))
            if wanted is None:
                return
            if wanted.deleted:
                await self._delete(wanted.view)
            elif wanted.renamed:
                await self._rename(wanted.view, wanted.renamed)
            else:
                break
        if wanted.view in known:
            self.open(wanted.view)
        else:
            self._opened = self._view(wanted.view.name)
            await self._kept.keep_view(self._opened)
            self._say_saved(self._opened)

    async def _find(self, views: Sequence[View]) -> Sequence[str]:
        """Count what each view finds of what is loaded, in words."""
        found = await find(self._screen.session, self._records.collection, views, self._columns)
        return [f"{len(one.rows):,}" if one.is_known else "not known" for one in found]

    def _asked_view(self, known: Sequence[View]) -> ViewsScreen:
        return ViewsScreen(
            known,
            self._view(""),
            self.titles,
            self._find(known),
            lasts="" if self._is_kept else "kept until the demo ends",
        )

    async def _delete(self, view: View) -> None:
        question = ConfirmScreen(f"Delete the view {view.name}?", [view.described(self.titles)], "Delete")
        if await self._screen.app.push_screen_wait(question):
            await self._kept.delete_view(view.name)
            self._opened = None if self._opened == view else self._opened

    async def _rename(self, view: View, name: str) -> None:
        await self._kept.rename_view(view, name)
        if self._opened == view:
            self._opened = view.model_copy(update={"name": name})

    @property
    def _is_kept(self) -> bool:
        """Return whether the next run knows the views of this one."""
        return self._screen.session.settings.keeps_state

    def _say_saved(self, view: View) -> None:
        if self._is_kept:
            self._screen.done(view.described(self.titles), f"Saved the view {view.name}")
        else:
            self._screen.done("The demo keeps nothing.", f"Saved {view.name} until the demo ends")

    def _view(self, name: str) -> View:
        """The list as it is shown now, as a view."""
        arrangement = self._records.collection.arrangement
        return View(name=name, filter=arrangement.text, order=arrangement.orders, columns=tuple(self._chosen))

    def open(self, view: View) -> None:
        """Show what a view says; a finding with the columns that are shown anyway."""
        is_finding = isinstance(view, Finding)
        self._opened = view
        self._use(self._chosen if is_finding else view.columns)
        self._records.collection.order_by(view.order)
        self._records.collection.filter(view.filter)
        told = f"{view.why} {view.advice}" if isinstance(view, Finding) else view.described(self.titles)
        self._screen.say(told, f"View {view.name}")

    # ---- filters ----

    async def filters(self) -> tuple[str, ...]:
        """The filters typed before, the last one first."""
        return await self._kept.filters()

    async def keep_filter(self) -> None:
        """Remember the filter that is on."""
        arrangement = self._records.collection.arrangement
        if arrangement.filtering and arrangement.error is None:
            await self._kept.keep_filter(arrangement.text)
