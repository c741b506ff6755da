"""What a screen knows of its records: pages, age, filter, order, failure, and what it says of them. Pure.

The clock is handed in. To load every page in the fewest requests, `LoadAll` is told the answers and says what
to ask.
"""

import enum
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from linkdash.api.errors import AdminRequired, LinkdashError
from linkdash.api.model import Record, Unreadable
from linkdash.api.pages import Page, Pager, Rows
from linkdash.model.humanize import age_words, counted
from linkdash.model.rows import RowsOf, Steps, at_once, each_once, index_of

# ---- what is known ----

T = TypeVar("T", bound=Record)
Arrange: TypeAlias = Callable[[RowsOf[T]], Steps[RowsOf[T]]]
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


@dataclass(frozen=True)
class Answered(Generic[T]):
    """A page, its number, and when it was answered, in seconds of the wall clock."""

    number: int
    page: Page[T]
    at: float


class Listing(Generic[T]):
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
        self.error: LinkdashError | None = None
        self.filter_text = ""
        self.arrange: Arrange[T] | None = None
        self._loaded: RowsOf[T] | None = None
        self._rows: RowsOf[T] = ()
        self._is_due = False
        self._work: Steps[RowsOf[T]] | None = None

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
        """Makes a page that is loaded the current one; False where it is not loaded."""
        if number not in self.pages:
            return False
        self.current = self.wanted = number
        self._changed()
        return True

    def answered(self, answered: Answered[T]) -> None:
        """The page that was asked for came, and is shown."""
        self.loading = False
        self.error = None
        self.added(answered)
        if answered.number not in self.pages:
            self.settle()
        self.current = self.wanted = answered.number

    def added(self, answered: Answered[T]) -> None:
        """A page that nobody has asked for by its number came."""
        if any(other.page.perpage == answered.page.perpage for other in self._coming.values()):
            self._coming[answered.number] = answered
            if answered.number == 1:
                self.settle()
        else:
            self.pages[answered.number] = answered
        self._changed()

    def settle(self) -> None:
        """What has come of another size takes the place of what was here."""
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

    def keep_only(self, number: int) -> None:
        """The other pages do not go with this one: the list has moved since they were read."""
        self.pages = {number: self.pages[number]}
        self._changed()

    def failed(self, error: LinkdashError) -> None:
        """The page that was asked for did not come; what was there stays."""
        self.loading = False
        self.error = error

    def rearranged(self, arrange: Arrange[T] | None, filter_text: str) -> None:
        """Filter or order changed."""
        self.arrange = arrange
        self.filter_text = filter_text
        self._changed()

    def page_of(self, id: int) -> int | None:
        """The loaded page that a record with this id is on."""
        found = (number for number, loaded in self.pages.items() if loaded.page.rows.position(id) is not None)
        return next(found, None)

    def read_at(self, id: int) -> float | None:
        """When a record was last read, in seconds of the wall clock; None where it is not loaded."""
        number = self.page_of(id)
        return None if number is None else self.pages[number].at

    def ids_on(self, number: int) -> list[int]:
        """The ids on a loaded page, in their order."""
        loaded = self.pages.get(number)
        return [record.id for record in loaded.page.items] if loaded else []

    def record(self, id: int | None) -> T | None:
        """The loaded record with this id, without reading the others."""
        for loaded in self.pages.values():
            index = None if id is None else loaded.page.rows.position(id)
            row = None if index is None else loaded.page.rows[index]
            if row is not None and not isinstance(row, Unreadable):
                return row
        return None

    def put(self, record: T) -> None:
        """A record was changed or made here: it takes the place of the one with its id, or the first one.

        Ages stay: nothing was asked of the service.
        """
        if self.page is not None and self.page_of(record.id) is None:
            self._patch(self.current, self.page.rows.with_record(record))
            self._recount(1)
            return
        for number, loaded in tuple(self.pages.items()):
            if loaded.page.rows.position(record.id) is not None:
                self._patch(number, loaded.page.rows.with_record(record))

    def remove(self, id: int) -> None:
        """A record was deleted here."""
        if self.page_of(id) is None:
            return
        for number, loaded in tuple(self.pages.items()):
            if loaded.page.rows.position(id) is not None:
                self._patch(number, loaded.page.rows.without(id))
        self._recount(-1)

    def _patch(self, number: int, rows: Rows[T]) -> None:
        loaded = self.pages[number]
        self.pages[number] = replace(loaded, page=replace(loaded.page, rows=rows))
        self._changed()

    def _recount(self, more: int) -> None:
        """There are more records of the list than before, or fewer; every page of it says how many."""
        for number, loaded in tuple(self.pages.items()):
            if loaded.page.result is not None:
                page = replace(loaded.page, result=loaded.page.result + more)
                self.pages[number] = replace(loaded, page=page)

    # ---- what is shown ----

    @property
    def page(self) -> Page[T] | None:
        """The current page."""
        loaded = self.pages.get(self.current)
        return loaded.page if loaded else None

    @property
    def rows(self) -> RowsOf[T]:
        """The rows to show; those of before while there is `work`."""
        if self.work is not None:
            return self._rows or self._current_rows()
        if self._is_due:
            self.arranged(at_once(self._arranging()))
        return self._rows

    @property
    def work(self) -> Steps[RowsOf[T]] | None:
        """What makes the rows to show, where that takes long: the same until something changes."""
        if self._is_due and self._work is None and self.arrange and len(self.loaded_rows()) > AT_ONCE:
            self._work = self._arranging()
        return self._work

    def arranged(self, rows: RowsOf[T]) -> None:
        """These are the rows to show."""
        self._rows = rows
        self._is_due = False
        self._work = None

    def _arranging(self) -> Steps[RowsOf[T]]:
        shown = self.loaded_rows() if self.whole or self.arrange else self._current_rows()
        return (yield from self.arrange(shown)) if self.arrange else shown

    def _changed(self) -> None:
        """Pages, filter or order are not those of the rows any more."""
        self._loaded = None
        self._is_due = True
        self._work = None

    def loaded_rows(self) -> RowsOf[T]:
        """The rows of all loaded pages in their order, each record once."""
        if self._loaded is None:
            self._loaded = self._all_rows()
        return self._loaded

    def _all_rows(self) -> RowsOf[T]:
        if len(self.pages) == 1:
            return next(iter(self.pages.values())).page.rows
        if not self.pages:
            return ()
        return at_once(each_once([self.pages[number].page.rows for number in sorted(self.pages)]))

    def _current_rows(self) -> RowsOf[T]:
        return () if self.page is None else self.page.rows

    def index_of(self, key: Hashable) -> int | None:
        """Where the row with this key is among those shown, without reading more of them than it must."""
        return index_of(self.rows, key)

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
        return None if self.page is None else self.page.result

    @property
    def complete(self) -> bool:
        """Whether every record of the service is loaded."""
        return self.total is not None and len(self.loaded_rows()) >= self.total


# ---- loading every page ----

MOST_A_PAGE = 1_000
"""Records asked for at once at the most; services cap it lower by themselves."""

_WORTH_A_TRY = 3  # pages missing, from which a larger page is tried


class Ask(NamedTuple):
    """A page to ask for."""

    number: int
    limit: int


class Fit(enum.Enum):
    """How a page goes with those that are there."""

    BESIDE = "it is one more of them"
    INSTEAD = "its size makes them useless: only pages of its size count from now on"
    NOT = "its size is another, and it is cheaper to go on with those that are there"


class LoadAll:
    """Which page to ask for next until all are there, and how many are left.

    Where nobody knows how large a page may be, the first ask tries a larger one: the first missing page by
    its number, so large that it is still within the list. If the service's cap makes it one of the usual
    size, it is the missing page, and the try has cost nothing.
    """

    def __init__(self, total: int, size: int, loaded: Collection[int], *, size_is_known: bool) -> None:
        """`total` records, of which pages `loaded` of `size` records are there."""
        self._total = total
        self.size = size
        self._loaded = set(loaded)
        self._size_is_known = size_is_known
        self._last: int | None = None  # the page after which the service had no more
        self._pager = Pager()
        self._following: int | None = None

    @property
    def pages(self) -> int:
        """Pages of the present size that hold all records."""
        return _pages(self._total, self.size)

    @property
    def missing(self) -> int:
        """How many pages are not there yet. A service may claim billions: they are never listed."""
        pages = self.pages if self._last is None else min(self.pages, self._last)
        return pages - sum(1 <= number <= pages for number in self._loaded)

    def next(self) -> Ask | None:
        """The page to ask for now; None when all are there."""
        if self.missing <= 0:
            return None
        number, limit = next(filter(lambda page: page not in self._loaded, count(1))), self.size
        if not self._size_is_known and self.missing >= _WORTH_A_TRY:
            limit = max(limit, min(MOST_A_PAGE, _pages(self._total, number)))
        return Ask(number, limit)

    def answered(self, ask: Ask, page: Page[T]) -> Fit:
        """Takes the answer to `ask`."""
        self._size_is_known = True
        perpage, fit = page.perpage or ask.limit, Fit.BESIDE
        if perpage != self.size and ask.limit != self.size:
            cheaper = _pages(self._total, perpage) - 1 < self.missing
            fit = Fit.INSTEAD if cheaper else Fit.NOT
        if fit is Fit.INSTEAD:
            self.size, self._loaded, self._last = perpage, set(), None
        if fit is not Fit.NOT:
            self._loaded.add(ask.number)
            if self._is_end(ask, page):
                self._last = ask.number
        return fit

    def _is_end(self, ask: Ask, page: Page[T]) -> bool:
        """Whether the service has no more, by the rules of every list: it may repeat itself for ever."""
        if ask.number != self._following:
            self._pager = Pager(ask.number)
        self._following = self._pager.next_page(page)
        return self._following is None


def _pages(total: int, size: int) -> int:
    return max(1, -(-total // max(1, size)))


# ---- what a list says of itself ----

KeyOf = Callable[[str], str]
"""The key that does an action, by the action's id, as a person reads it."""


def status_line(listing: Listing[T], now: float, offer: str = "") -> str:
    """One line; `now` is in seconds of the wall clock. What a filter found goes first, as the end may be cut.

    `offer` is how the rest could be loaded; it stands where a filter may have missed something.
    """
    total = listing.total
    if listing.filter_text and total is not None and not listing.complete:
        rest = [] if listing.error else [offer]
        parts = [f"{_filtered(listing)} of {total:,}", *rest, *_when(listing, now)]
    else:
        filtered = [_filtered(listing)] if listing.filter_text else []
        parts = [*filtered, *_where(listing), *_when(listing, now)]
    return " · ".join(filter(None, parts))


def _where(listing: Listing[T]) -> list[str]:
    page = listing.page
    if page is None:
        return ["loading…" if listing.loading else "nothing loaded"]
    total = counted(len(page.rows) if listing.total is None else listing.total, "result")
    if listing.whole or listing.arrange or not page.maxpage:
        return (
            [f"all {total}" if listing.total != 1 else total]
            if listing.complete
            else [f"{len(listing.loaded_rows()):,} loaded", total]
        )
    each = [f"{page.perpage} a page"] if page.perpage else []
    return [f"page {listing.current} of {page.maxpage}", *each, total]


def _when(listing: Listing[T], now: float) -> list[str]:
    age = listing.age(now)
    if age is None:
        return []
    fresh = "refreshing…" if listing.loading else "not refreshed" if listing.error else ""
    old = "old, " if age > STALE_AFTER else ""
    return [part for part in (f"{old}as of {age_words(age)}", fresh) if part]


def _filtered(listing: Listing[T]) -> str:
    matching, loaded = len(listing.rows), len(listing.loaded_rows())
    return f'filter "{listing.filter_text}": {matching:,} of {loaded:,} loaded'


# ---- where rows would be ----


class Words(NamedTuple):
    """A headline and the next step."""

    headline: str
    advice: str
    failed: bool = False


def words_for(
    state: State,
    singular: str,
    error: LinkdashError | None,
    key: KeyOf,
    filter_text: str = "",
    *,
    complete: bool = True,
    is_mistaken: bool = False,
) -> Words | None:
    """What stands in the place of the rows; None where the rows themselves are shown.

    `complete` tells whether all rows of the service are loaded, and so were filtered; `is_mistaken` whether
    what was typed has no meaning, so that the filter before it stays.
    """
    if state is State.ERROR and error is not None:
        retry = "" if isinstance(error, AdminRequired) else f"{key('refresh')} tries again."
        return Words(error.what, f"{error.advice} {retry}".strip(), failed=True)
    if state is State.LOADING:
        return Words("Loading…", "The status bar says whether it has to wait, and for how long.")
    if state is State.FILTERED:
        if is_mistaken:
            before = f'No loaded {singular} matches "{filter_text}", the last filter with a meaning.'
            return Words("The filter has a mistake.", f"{before} {key('back')} clears it.")
        rest = "" if complete else f"; {key('load-all')} loads the rest"
        return Words(
            f'No loaded {singular} matches "{filter_text}".', f"{key('back')} clears the filter{rest}."
        )
    if state is State.EMPTY:
        return Words(f"No {singular} yet.", f"{key('refresh')} asks again.")
    return None
