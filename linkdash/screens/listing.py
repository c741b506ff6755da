"""What a screen knows of its records: pages, age, filter, order, failure. Pure; the clock is handed in."""

import enum
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from linkdash.api.errors import LinkdashError
from linkdash.api.model import Record, Unreadable
from linkdash.api.pages import Page, Rows
from linkdash.screens.words import ago, counted

T = TypeVar("T", bound=Record)

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


@dataclass(frozen=True)
class Loaded(Generic[T]):
    """A page and when it was answered, in seconds of the wall clock."""

    page: Page[T]
    at: float


class Listing(Generic[T]):
    """The pages of one resource that were loaded, and the rows to show of them.

    Without filter, order or `whole` the rows are those of the current page; with any of them, all rows
    loaded. `arrange` filters and orders rows.
    """

    def __init__(self) -> None:
        self.pages: dict[int, Loaded[T]] = {}
        self.current = 1
        self.wanted = 1
        """The page asked for last; it is the one to ask for again when it did not come."""
        self.loading = False
        self.whole = False
        self.error: LinkdashError | None = None
        self.filter_text = ""
        self.arrange: Callable[[Sequence[T | Unreadable]], Sequence[T | Unreadable]] | None = None
        self._rows: Sequence[T | Unreadable] | None = None

    # ---- what happened ----

    def asked(self, number: int) -> None:
        """A page has been asked for."""
        self.wanted = number
        self.loading = True

    def begin_anew(self) -> None:
        """Pages of another size are coming: those that are here do not fit to them."""
        self.pages = {}
        self.whole = False
        self._rows = None

    def withdrawn(self) -> None:
        """The page that was asked for is not wanted any more."""
        self.loading = False
        self.wanted = self.current

    def turned_to(self, number: int) -> bool:
        """Makes a page that is loaded the current one; False where it is not loaded."""
        if number not in self.pages:
            return False
        self.current = self.wanted = number
        self._rows = None
        return True

    def answered(self, number: int, page: Page[T], at: float, *, show: bool = True) -> None:
        """A page came, or was found in the store. `show` makes it the current one."""
        self.loading = False
        self.error = None
        self.wanted = number
        self.pages[number] = Loaded(page, at)
        if show:
            self.current = number
        self._rows = None

    def failed(self, error: LinkdashError) -> None:
        """The page that was asked for did not come; what was there stays."""
        self.loading = False
        self.error = error

    def rearranged(
        self, arrange: Callable[[Sequence[T | Unreadable]], Sequence[T | Unreadable]] | None, filter_text: str
    ) -> None:
        """Filter or order changed."""
        self.arrange = arrange
        self.filter_text = filter_text
        self._rows = None

    def page_of(self, id: int) -> int | None:
        """The loaded page that a record with this id is on."""
        found = (number for number, loaded in self.pages.items() if loaded.page.rows.position(id) is not None)
        return next(found, None)

    def put(self, record: T) -> None:
        """A record was changed or made here: it takes the place of the one with its id, or the first one.

        Ages stay: nothing was asked of the service.
        """
        if self.page is not None and self.page_of(record.id) is None:
            self._patch(self.current, self.page.rows.with_record(record), 1)
            return
        for number, loaded in tuple(self.pages.items()):
            if loaded.page.rows.position(record.id) is not None:
                self._patch(number, loaded.page.rows.with_record(record), 0)

    def remove(self, id: int) -> None:
        """A record was deleted here."""
        for number, loaded in tuple(self.pages.items()):
            if loaded.page.rows.position(id) is not None:
                self._patch(number, loaded.page.rows.without(id), -1)

    def _patch(self, number: int, rows: Rows[T], more: int) -> None:
        loaded = self.pages[number]
        result = None if loaded.page.result is None else loaded.page.result + more
        self.pages[number] = replace(loaded, page=replace(loaded.page, rows=rows, result=result))
        self._rows = None

    # ---- what is shown ----

    @property
    def page(self) -> Page[T] | None:
        """The current page."""
        loaded = self.pages.get(self.current)
        return loaded.page if loaded else None

    @property
    def rows(self) -> Sequence[T | Unreadable]:
        """The rows to show."""
        if self._rows is None:
            shown = self.loaded_rows() if self.whole or self.arrange else self._current_rows()
            self._rows = self.arrange(shown) if self.arrange else shown
        return self._rows

    def loaded_rows(self) -> Sequence[T | Unreadable]:
        """The rows of all loaded pages in their order, each record once."""
        if len(self.pages) == 1:
            return next(iter(self.pages.values())).page.rows
        rows: dict[Hashable, T | Unreadable] = {}
        for number in sorted(self.pages):
            for row in self.pages[number].page.rows:
                rows.setdefault(row.key, row)
        return list(rows.values())

    def _current_rows(self) -> Sequence[T | Unreadable]:
        return self.page.rows if self.page else ()

    def age(self, now: float) -> float | None:
        """Seconds since the oldest of what is shown was answered; None before the first answer."""
        shown = self.pages.values() if self.whole or self.arrange else [self.pages.get(self.current)]
        moments = [loaded.at for loaded in shown if loaded]
        return max(0.0, now - min(moments)) if moments else None

    def is_old(self, now: float) -> bool:
        """Whether what is shown should be asked for again when its screen is opened."""
        age = self.age(now)
        return age is None or age > STALE_AFTER

    def state(self, now: float) -> State:
        """The state the screen is in."""
        if self.page is None:
            return State.ERROR if self.error and not self.loading else State.LOADING
        if self.rows:
            return State.STALE if self.error or self.is_old(now) else State.READY
        if self.filter_text and self.loaded_rows():
            return State.FILTERED
        return State.ERROR if self.error else State.EMPTY

    # ---- paging ----

    @property
    def next_page(self) -> int | None:
        """The page after the current one; None on the last."""
        page = self.page
        if page is None or not page.rows:
            return None
        if page.maxpage:
            return self.current + 1 if self.current < page.maxpage else None
        return self.current + 1 if page.nextpage is not None and page.nextpage > self.current else None

    @property
    def previous_page(self) -> int | None:
        """The page before the current one; None on the first."""
        return self.current - 1 if self.current > 1 else None

    @property
    def total(self) -> int | None:
        """Records the service has, as far as it said."""
        return self.page.result if self.page else None

    @property
    def complete(self) -> bool:
        """Whether every record of the service is loaded."""
        return self.total is not None and len(self.loaded_rows()) >= self.total

    # ---- the line of truth ----

    def truth(self, now: float) -> str:
        """One line that says what is shown: which page, of how many, how old, filtered by what."""
        parts = [*self._where(), *self._when(now), *self._what()]
        return " · ".join(parts)

    def _where(self) -> list[str]:
        page = self.page
        if page is None:
            return ["loading…" if self.loading else "nothing loaded"]
        total = counted(len(page.rows) if self.total is None else self.total, "result")
        if self.whole or self.arrange or not page.maxpage:
            return [f"all of {total}"] if self.complete else [f"{len(self.loaded_rows()):,} loaded", total]
        each = [f"{page.perpage} a page"] if page.perpage else []
        return [f"page {self.current} of {page.maxpage}", *each, total]

    def _when(self, now: float) -> list[str]:
        age = self.age(now)
        if age is None:
            return []
        fresh = "refreshing…" if self.loading else "not refreshed" if self.error else ""
        old = "old, " if age > STALE_AFTER else ""
        return [part for part in (f"{old}as of {ago(age)}", fresh) if part]

    def _what(self) -> list[str]:
        if not self.filter_text:
            return []
        return [f'filter "{self.filter_text}": {len(self.rows):,} of {len(self.loaded_rows()):,} loaded']
