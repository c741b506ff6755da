"""Loading every page of a list in the fewest requests. Pure: it is told the answers and says what to ask."""

import enum
from collections.abc import Collection
from dataclasses import dataclass

MOST_A_PAGE = 1_000
"""Records asked for at once at the most; services cap it lower by themselves."""

_WORTH_A_TRY = 3  # pages missing, from which a larger page is tried


@dataclass(frozen=True)
class Ask:
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
        self._ended = False

    @property
    def missing(self) -> list[int]:
        """Pages that are not there yet."""
        if self._ended:
            return []
        return [number for number in range(1, self.pages + 1) if number not in self._loaded]

    @property
    def pages(self) -> int:
        """Pages of the present size that hold all records."""
        return _pages(self._total, self.size)

    def next(self) -> Ask | None:
        """The page to ask for now; None when all are there."""
        missing = self.missing
        if not missing:
            return None
        number, limit = missing[0], self.size
        if not self._size_is_known and len(missing) >= _WORTH_A_TRY:
            limit = max(limit, min(MOST_A_PAGE, _pages(self._total, number)))
        return Ask(number, limit)

    def answered(self, ask: Ask, perpage: int, rows: int) -> Fit:
        """Takes the answer to `ask`: a page of `rows` records, of `perpage` as the service said."""
        self._size_is_known = True
        self._ended = rows == 0
        fit = Fit.BESIDE
        if perpage != self.size and ask.limit != self.size:
            cheaper = _pages(self._total, perpage) - 1 < len(self.missing)
            fit = Fit.INSTEAD if cheaper else Fit.NOT
        if fit is Fit.INSTEAD:
            self.size, self._loaded = perpage, set()
        if fit is not Fit.NOT:
            self._loaded.add(ask.number)
        return fit


def _pages(total: int, size: int) -> int:
    return max(1, -(-total // max(1, size)))
