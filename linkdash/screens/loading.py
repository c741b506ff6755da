"""Loading every page of a list in the fewest requests. Pure: it is told the answers and says what to ask."""

from dataclasses import dataclass

MOST_A_PAGE = 1_000
"""Records asked for at once at the most; services cap it lower by themselves."""

_WORTH_A_TRY = 3  # pages missing, from which a larger page is tried


@dataclass(frozen=True)
class Ask:
    """A page to ask for."""

    number: int
    limit: int


class LoadAll:
    """Which page to ask for next until all are there, and how many are left.

    Where nobody knows how large a page may be, the first page asked for is the second one of twice as few
    pages: whatever the service's cap makes of it, it holds records that are still missing.
    """

    def __init__(self, total: int, size: int, loaded: set[int], *, size_is_known: bool) -> None:
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
        return max(1, -(-self._total // max(1, self.size)))

    def next(self) -> Ask | None:
        """The page to ask for now; None when all are there."""
        missing = self.missing
        if not missing:
            return None
        if not self._size_is_known and len(missing) >= _WORTH_A_TRY and 2 in missing:
            return Ask(2, min(MOST_A_PAGE, -(-self._total // 2)))
        return Ask(missing[0], self.size)

    def answered(self, ask: Ask, perpage: int, rows: int) -> bool:
        """Takes the answer to `ask`; true where its page size makes the pages before it useless."""
        changed = perpage != self.size and ask.limit != self.size
        if changed:
            self.size = perpage
            self._loaded = set()
        self._size_is_known = True
        self._loaded.add(ask.number)
        self._ended = rows == 0
        return changed
