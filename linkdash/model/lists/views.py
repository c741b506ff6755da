"""Views: the columns, filters and orders that a list is kept with."""

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from linkdash.api.fields import Kind, fields_of
from linkdash.api.records import Record
from linkdash.model.lists.columns import Column, column

if TYPE_CHECKING:
    from linkdash.model.session_services import SessionServices

T = TypeVar("T", bound=Record)


FILTERS_KEPT = 50
"""Filters of a list that are remembered."""

_NOT_IN_A_CELL = frozenset({Kind.SECRET, Kind.NESTED, Kind.PAYLOAD, Kind.LONG_TEXT})


Row = TypeVar("Row")
Kept = TypeVar("Kept")


class ColumnChoice(BaseModel):
    """The choice of a column: shown or not, and whether it keeps its room where others have to go"""

    model_config = ConfigDict(frozen=True)

    name: str
    shown: bool = True
    wide: bool = False


class View(BaseModel):
    """A filter, an order and columns under a name."""

    model_config = ConfigDict(frozen=True)

    name: str
    filter: str = ""
    order: tuple[tuple[str, bool], ...] = ()
    """The columns that it is sorted by, the most important first, and whether each is in reverse."""
    columns: tuple[ColumnChoice, ...] = ()

    def ordered(self, titles: Mapping[str, str]) -> str:
        """Return what it is sorted by, with the titles of columns by their names; "" for nothing."""
        return ", ".join(
            f"{titles.get(name, name)} {'▾' if reverse else '▴'}" for name, reverse in self.order
        )

    def shown(self, titles: Mapping[str, str]) -> str:
        """Return the titles of the columns that it shows; "" for those that a list has by itself."""
        return ", ".join(titles.get(column.name, column.name) for column in self.columns if column.shown)

    def described(self, titles: Mapping[str, str]) -> str:
        """Return what it shows, in words, with the titles of columns by their names."""
        ordered, shown = self.ordered(titles), self.shown(titles)
        parts = (
            f'filter "{self.filter}"' if self.filter else "",
            f"by {ordered}" if ordered else "",
            f"columns {shown}" if shown else "",
        )
        return " · ".join(filter(None, parts)) or "everything"


class Finding(View):
    """A view that a list has by itself: records to look at, why, and what to do about them."""

    why: str
    advice: str


BROKEN = Finding(
    name="broken address",
    filter="broken>0",
    why="One of their addresses leads nowhere: it has no host, or begins with neither http nor https.",
    advice="Edit the address.",
)
"""The finding of resources with addresses."""

_COLUMN = TypeAdapter(ColumnChoice)
_VIEW = TypeAdapter(View)
_FILTER = TypeAdapter(str)


class ListPreferences:
    """The preferences of one list, as far as the store can keep them."""

    def __init__(self, context: "SessionServices", list_id: str) -> None:
        self._context = context
        self._id = list_id

    async def columns(self) -> tuple[ColumnChoice, ...]:
        """The columns as they were chosen; empty for the list's own."""
        return await self._load("columns", _COLUMN)

    async def keep_columns(self, chosen: Sequence[ColumnChoice]) -> None:
        """Keep the choice of columns."""
        choices = [choice.model_dump() for choice in chosen]
        await self._change("columns", lambda _: choices)

    async def views(self) -> tuple[View, ...]:
        """The views that were saved, by name."""
        return await self._load("views", _VIEW)

    async def keep_view(self, view: View) -> None:
        """Keep a view, in place of the one of its name."""
        await self._replace_views({view.name}, view)

    async def rename_view(self, view: View, name: str) -> None:
        """Keep a view under another name, in place of one that has it already."""
        await self._replace_views({view.name, name}, view.model_copy(update={"name": name}))

    async def delete_view(self, name: str) -> None:
        """Forget a view."""
        await self._replace_views({name})

    async def _replace_views(self, names: Set[str], *views: View) -> None:
        def changed(kept: Sequence[object]) -> Sequence[object]:
            others = [one for one in kept if _name_in(one) not in names]
            every = [*others, *(view.model_dump() for view in views)]
            return sorted(every, key=lambda one: str(_name_in(one)).casefold())

        await self._change("views", changed)

    async def filters(self) -> tuple[str, ...]:
        """The filters that were typed, the last one first."""
        return await self._load("filters", _FILTER)

    async def keep_filter(self, text: str) -> None:
        """Remember a filter that was typed."""
        await self._change(
            "filters", lambda kept: [text, *(known for known in kept if known != text)][:FILTERS_KEPT]
        )

    async def _load(self, what: str, kind: "TypeAdapter[Kept]") -> tuple[Kept, ...]:
        found = await self._context.kept(self._context.store.preferences.load(f"{what}/{self._id}"), None)
        readable = list[Kept]()
        for one in _listed(found):
            with suppress(ValidationError):  # of another version
                readable.append(kind.validate_python(one))
        return tuple(readable)

    async def _change(self, what: str, change: Callable[[Sequence[object]], Sequence[object]]) -> None:
        """Keep what `change` makes of what is kept, also of that which another version has kept there."""
        name, preferences = f"{what}/{self._id}", self._context.store.preferences
        await self._context.kept(preferences.change(name, lambda kept: change(_listed(kept))), None)


def _listed(kept: object) -> Sequence[object]:
    return kept if isinstance(kept, list) else ()


def _name_in(view: object) -> object:
    return view.get("name") if isinstance(view, Mapping) else None


def other_columns(model: type[T], columns: Sequence[Column[T]]) -> list[Column[T]]:
    """A column for each field of a record that has none of the list's own and can be shown in a cell."""
    own = {column.name for column in columns}
    fields = (field for field in fields_of(model) if field.name not in own)
    return [column(model, field.name) for field in fields if field.kind not in _NOT_IN_A_CELL]


def every_choice(
    own: Sequence[Column[Row]], others: Sequence[Column[Row]], chosen: Sequence[ColumnChoice]
) -> list[ColumnChoice]:
    """A choice for each column: what was chosen, then those that nothing was said of.

    Of these the list's own columns are shown, others are not.
    """
    names = {column.name for column in (*own, *others)}
    told = {choice.name: choice for choice in chosen if choice.name in names}
    shown = [ColumnChoice(name=column.name) for column in own if column.name not in told]
    hidden = [ColumnChoice(name=column.name, shown=False) for column in others if column.name not in told]
    return [*told.values(), *shown, *hidden]


def shown_columns(columns: Sequence[Column[Row]], choices: Sequence[ColumnChoice]) -> list[Column[Row]]:
    """The columns to be shown, in their order; a wide one keeps its room. There is always one."""
    named = {column.name: column for column in columns}
    shown = [
        replace(named[choice.name], essential=True, grow=True) if choice.wide else named[choice.name]
        for choice in choices
        if choice.shown
    ]
    return shown or [*columns[:1]]
