"""Loading every page of a list in the largest pages that the service gives."""

import enum
from collections.abc import Collection
from itertools import count
from typing import NamedTuple, TypeVar

from linkdash.api.paging import Page, Pager
from linkdash.api.records import Record

T = TypeVar("T", bound=Record)


MOST_A_PAGE = 1_000
"""Records asked for at once at the most; services cap it lower by themselves."""

_WORTH_A_TRY = 3  # pages missing, from which a larger page is tried


class Ask(NamedTuple):
    """A page to ask for."""

    number: int
    limit: int


class PageFit(enum.Enum):
    """The fit of a page with those that are there."""

    BESIDE = "it is one more of them"
    INSTEAD = "its size makes them useless: only pages of its size count from now on"
    NOT = "its size is another, and it is cheaper to go on with those that are there"


class LoadAll:
    """The next page to ask for until all are there, and the number of those left.

    Where it is unknown how large a page may be, the first ask tries a larger one: the first missing page by
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
        """Return how many pages are not there yet. A service may claim billions: they are never listed."""
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

    def answered(self, ask: Ask, page: Page[T]) -> PageFit:
        """Take the answer to `ask`."""
        self._size_is_known = True
        perpage, fit = page.perpage or ask.limit, PageFit.BESIDE
        if perpage != self.size and ask.limit != self.size:
            cheaper = _pages(self._total, perpage) - 1 < self.missing
            fit = PageFit.INSTEAD if cheaper else PageFit.NOT
        if fit is PageFit.INSTEAD:
            self.size, self._loaded, self._last = perpage, set(), None
        if fit is not PageFit.NOT:
            self._loaded.add(ask.number)
            if self._is_end(ask, page):
                self._last = ask.number
        return fit

    def _is_end(self, ask: Ask, page: Page[T]) -> bool:
        """Return whether the service has no more, by the rules of lists: it may repeat itself for ever."""
        if ask.number != self._following:
            self._pager = Pager(ask.number)
        self._following = self._pager.next_page(page)
        return self._following is None


def _pages(total: int, size: int) -> int:
    return max(1, -(-total // max(1, size)))
