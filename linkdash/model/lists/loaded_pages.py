"""The loaded pages of a list: its records, their age, the arrangement, a failure. Pure.

The clock is handed in.
"""

import enum
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from linkdash.api.errors import LinkdashError
from linkdash.api.paging import Page, Rows
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import Slices, at_once

T = TypeVar("T", bound=Record)
Arrange: TypeAlias = Callable[[Rows[T]], Slices[Rows[T]]]
"""Filters and orders rows, in steps."""

AT_ONCE = 1_000
"""Rows that are arranged without a pause; more are arranged while those of before are still shown."""

STALE_AFTER = 300.0
"""Seconds after which a page is old: it is marked so, and asked for again when its screen is opened."""


class State(enum.StrEnum):
    """The five states every screen is designed for, and the ordinary one."""

    READY = "ready"
    LOADING = "loading"
    EMPTY = "empty"
    FILTERED = "filtered"
    STALE = "stale"
    ERROR = "error"


class Asked(NamedTuple):
    """The moment of a request for a page, in seconds of the wall clock, and the changes told of by then."""

    at: float
    changes: int


@dataclass(frozen=True)
class Answered(Generic[T]):
    """A page, its number, and when it was answered, in seconds of the wall clock."""

    number: int
    page: Page[T]
    at: float
    asked: Asked | None = None
    """None for a page that was kept."""

    def is_old(self, now: float) -> bool:
        """Return whether it should be asked for again, also as its age is not known: a clock was ahead."""
        return not 0 <= now - self.at <= STALE_AFTER


class LoadedPages(Generic[T]):
    """The pages of one resource that were loaded, and the rows to show of them.

    Without filter, order or `whole` the rows are those of the current page; with any of them, all rows
    loaded. `arrange` filters and orders rows; with many of them that is `work` to be done in steps.
    """

    def __init__(self) -> None:
        self.pages: dict[int, Answered[T]] = {}
        self._coming: dict[int, Answered[T]] = {}
        """Pages of another size, until the first of them is there."""
        self.current = 1
        self.wanted = 1
        """The page asked for last; it is the one to ask for again when it did not come."""
        self.loading = False
        self.whole = False
        self.outdated = False
        """True if a write has changed which records there are, so that they have to be read anew."""
        self.error: LinkdashError | None = None
        self.filter_text = ""
        self.arrange: Arrange[T] | None = None
        self._loaded: Rows[T] | None = None
        self._by_key: Mapping[Hashable, T] | None = None
        self._rows: Rows[T] = ()
        self._places: tuple[Rows[T], Mapping[Hashable, int]] = (self._rows, {})
        """Where each of the rows shown stands, by its key."""
        self._is_due = False
        self._work: Slices[Rows[T]] | None = None

    # ---- what happened ----

    def asked(self, number: int) -> None:
        """A page has been asked for."""
        self.wanted = number
        self.loading = True

    def begin_anew(self, answered: Answered[T]) -> None:
        """Pages of another size are coming; those that are here stay until the first page of that size."""
        self._coming = {answered.number: answered}
        if answered.number == 1:
            self.settle()

    def withdrawn(self) -> None:
        """The page that was asked for is not wanted any more."""
        self.loading = False
        self.wanted = self.current

    def turned_to(self, number: int) -> bool:
        """Make a page that is loaded the current one; False where it is not loaded."""
        if number not in self.pages:
            return False
        self.current = self.wanted = number
        self._rows_are_due()
        return True

    def answered(self, answered: Answered[T]) -> None:
        """The page that was asked for came, and is shown."""
        self.loading = False
        self.outdated = False
        self.error = None
        self.added(answered)
        if answered.number not in self.pages:
            self.settle()
        self.current = self.wanted = answered.number

    def added(self, answered: Answered[T]) -> None:
        """Take a page that was not asked for by its number."""
        if any(other.page.perpage == answered.page.perpage for other in self._coming.values()):
            self._coming[answered.number] = answered
            if answered.number == 1:
                self.settle()
        else:
            self.pages[answered.number] = answered
        self._changed()

    def settle(self) -> None:
        """Take the place of what was here, if it has come in another size."""
        if self._coming:
            self.pages, self._coming = self._coming, {}
            self.current = self.wanted = min(self.pages)
        self._changed()

    def recalled(self, pages: Sequence[Answered[T]]) -> None:
        """Pages were found in the store; the first of them is shown."""
        for answered in pages:
            self.added(answered)
        if self.pages:
            self.current = self.wanted = min(self.pages)

    def keep_first_page(self) -> None:
        """The other pages do not go with the first one: the list has moved since they were read."""
        self.pages = {1: self.pages[1]}
        self._changed()

    def failed(self, error: LinkdashError) -> None:
        """The page that was asked for did not come; what was there stays."""
        self.loading = False
        self.error = error

    def rearranged(self, arrange: Arrange[T] | None, filter_text: str) -> None:
        """Filter or order changed."""
        self.arrange = arrange
        self.filter_text = filter_text
        self._rows_are_due()

    def page_of(self, id: int) -> int | None:
        """The loaded page that a record with this id is on."""
        found = (number for number, loaded in self.pages.items() if loaded.page.position(id) is not None)
        return next(found, None)

    def read_at(self, id: int) -> float | None:
        """The last read of a record, in seconds of the wall clock; None where it is not loaded."""
        number = self.page_of(id)
        return None if number is None else self.pages[number].at

    def ids_on(self, number: int) -> list[int]:
        """The ids on a loaded page, in their order."""
        loaded = self.pages.get(number)
        return [record.id for record in loaded.page.items] if loaded else []

    def record(self, id: int | None) -> T | None:
        """The loaded record with this id."""
        for loaded in self.pages.values():
            at = None if id is None else loaded.page.position(id)
            row = None if at is None else loaded.page.rows[at]
            if row is not None and not isinstance(row, Unreadable):
                return row
        return None

    def put(self, record: T) -> None:
        """A record was changed or made here: it takes the place of the one with its id, or the first one.

        Ages stay: nothing was asked of the service.
        """
        if self.page is not None and self.page_of(record.id) is None:
            self._patch(self.current, self.page.with_record(record))
            self._recount(1)
            return
        for number, loaded in tuple(self.pages.items()):
            if loaded.page.position(record.id) is not None:
                self._patch(number, loaded.page.with_record(record))

    def remove(self, id: int) -> None:
        """A record was deleted here."""
        if self.page_of(id) is None:
            return
        for number, loaded in tuple(self.pages.items()):
            if loaded.page.position(id) is not None:
                self._patch(number, loaded.page.without(id))
        self._recount(-1)
        if not self._current_rows() and self.total:
            self._leave_empty_page()

    def _leave_empty_page(self) -> None:
        """Turn to the nearest page with rows; where none is loaded, the first has to be read anew."""
        others = [number for number, loaded in self.pages.items() if loaded.page.rows]
        if others:
            self.turned_to(min(others, key=lambda number: abs(number - self.current)))
        else:
            self.wanted, self.outdated = 1, True

    def _patch(self, number: int, page: Page[T]) -> None:
        self.pages[number] = replace(self.pages[number], page=page)
        self._changed()

    def _recount(self, more: int) -> None:
        """There are more records of the list than before, or fewer; every page of it says how many."""
        for number, loaded in tuple(self.pages.items()):
            page = loaded.page
            if page.result is not None:
                result, last = page.result + more, page.maxpage
                if last and page.perpage:
                    last += math.ceil(result / page.perpage) - math.ceil(page.result / page.perpage)
                    last = max(last, *self.pages)
                page = replace(page, result=result, maxpage=last)
                self.pages[number] = replace(loaded, page=page)

    # ---- what is shown ----

    @property
    def page(self) -> Page[T] | None:
        """The current page."""
        loaded = self.pages.get(self.current)
        return loaded.page if loaded else None

    @property
    def rows(self) -> Rows[T]:
        """The rows to show; those of before while there is `work`."""
        if self.work is not None:
            return self._rows or self._current_rows()
        if self._is_due:
            self.arranged(at_once(self._arranging()))
        return self._rows

    @property
    def work(self) -> Slices[Rows[T]] | None:
        """Return the work that makes the rows, where that takes long: the same until something changes."""
        if self._is_due and self._work is None and self.arrange and len(self.loaded_rows()) > AT_ONCE:
            self._work = self._arranging()
        return self._work

    def arranged(self, rows: Rows[T]) -> None:
        """These are the rows to show."""
        self._rows = rows
        self._is_due = False
        self._work = None

    def _arranging(self) -> Slices[Rows[T]]:
        shown = self.loaded_rows() if self.whole or self.arrange else self._current_rows()
        return (yield from self.arrange(shown)) if self.arrange else shown

    def _changed(self) -> None:
        """The loaded pages are others than before."""
        self._loaded = self._by_key = None
        self._rows_are_due()

    def _rows_are_due(self) -> None:
        """Pages, filter or order are not those of the rows any more."""
        self._is_due = True
        self._work = None

    def loaded_rows(self) -> Rows[T]:
        """The rows of all loaded pages in their order, each record once."""
        if self._loaded is None:
            self._loaded = self._all_rows()
        return self._loaded

    def _all_rows(self) -> Rows[T]:
        if len(self.pages) == 1:
            return next(iter(self.pages.values())).page.rows
        if not self.pages:
            return ()
        rows = (row for number in sorted(self.pages) for row in self.pages[number].page.rows)
        once: dict[Hashable, T | Unreadable] = {}
        for row in rows:
            once.setdefault(row.key, row)
        return [*once.values()]

    @property
    def records_by_key(self) -> Mapping[Hashable, T]:
        """The records of all loaded pages."""
        if self._by_key is None:
            self._by_key = by_key(self.loaded_rows())
        return self._by_key

    def _current_rows(self) -> Rows[T]:
        return () if self.page is None else self.page.rows

    def index_of(self, key: Hashable) -> int | None:
        """Return the index of the row with this key among those shown."""
        rows = self.rows
        if self._places[0] is not rows:
            self._places = rows, {row.key: at for at, row in enumerate(rows)}
        return self._places[1].get(key)

    @property
    def oldest_at(self) -> float | None:
        """The moment the oldest of what is loaded was answered; None before the first answer."""
        return min((loaded.at for loaded in self.pages.values()), default=None)

    def age(self, now: float) -> float | None:
        """Seconds since the oldest of what is shown was answered; None before the first answer."""
        moments = [loaded.at for loaded in self._shown_pages()]
        return max(0.0, now - min(moments)) if moments else None

    def is_old(self, now: float) -> bool:
        """Return whether some of what is shown should be asked for again."""
        shown = self._shown_pages()
        return not shown or self.outdated or any(loaded.is_old(now) for loaded in shown)

    def is_due(self, now: float) -> bool:
        """Return whether the current page should be asked for again: that makes no other page young."""
        page = self.pages.get(self.current)
        return page is None or self.outdated or page.is_old(now)

    def _shown_pages(self) -> Sequence[Answered[T]]:
        if self.whole or self.arrange:
            return [*self.pages.values()]
        return [loaded] if (loaded := self.pages.get(self.current)) is not None else []

    def state(self, now: float) -> State:
        """The state the screen is in."""
        if self.page is None:
            return State.ERROR if self.error and not self.loading else State.LOADING
        if self.rows:
            return State.STALE if self.error or self.is_old(now) else State.READY
        if self.filter_text and self.loaded_rows():
            return State.FILTERED
        if self.outdated and not self.error:
            return State.LOADING
        return State.ERROR if self.error else State.EMPTY

    # ---- paging ----

    @property
    def next_page(self) -> int | None:
        """The page after the current one; None on the last."""
        page = self.page
        has_more = page is not None and page.rows and page.has_more(self.current)
        return self.current + 1 if has_more else None

    @property
    def previous_page(self) -> int | None:
        """The page before the current one; None on the first."""
        return self.current - 1 if self.current > 1 else None

    @property
    def total(self) -> int | None:
        """Records the service has, as far as it said."""
        return None if self.page is None else self.page.result

    @property
    def complete(self) -> bool:
        """Return whether every record of the service is loaded."""
        return self.total is not None and len(self.loaded_rows()) >= self.total

    @property
    def lacks_rows(self) -> bool:
        """Return whether the service has rows that are not loaded, as far as its answers tell."""
        if self.whole or self.total is not None:
            return not (self.whole or self.complete)
        number = max(self.pages, default=0)
        return not number or bool(self.pages[number].page.has_more(number))


def by_key(rows: Rows[T]) -> dict[Hashable, T]:
    """The records among rows; of two with one key the first."""
    found: dict[Hashable, T] = {}
    for row in rows:
        if not isinstance(row, Unreadable):
            found.setdefault(row.key, row)
    return found
