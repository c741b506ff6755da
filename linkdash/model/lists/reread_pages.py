"""Reading records again: the pages they were last seen on, and others for what has moved."""

import math
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar

from linkdash.api.records import Record
from linkdash.model.lists.loaded_pages import Answered, LoadedPages
from linkdash.model.lists.page_source import PageSource
from linkdash.model.session_services import SessionServices

T = TypeVar("T", bound=Record)


class RereadPages(Generic[T]):
    """The pages of one list that were read for records known before; they serve again for a while."""

    def __init__(self, context: SessionServices, source: PageSource[T], listing: LoadedPages[T]) -> None:
        self._context = context
        self._source = source
        self._listing = listing
        self._reread: dict[int, tuple[float, Answered[T]]] = {}
        self._sent: dict[int, float] = {}
        self.asked = 0
        """Pages that were asked for, in all."""

    def outdate(self, id: int) -> None:
        """A write about a record was sent: what was read before it serves for that no more."""
        self._sent[id] = self._context.now()

    def take(self, pages: Iterable[Answered[T]]) -> None:
        """Let pages that were asked for elsewhere serve as well."""
        asked = ((one, one.asked) for one in pages)
        self._reread.update({one.number: (at.at, one) for one, at in asked if at is not None})

    def forget(self) -> None:
        """Let no page that was read serve again."""
        self._reread.clear()

    def numbers(self, ids: Iterable[int]) -> list[int]:
        """The pages where these records were last seen."""
        return sorted({self._listing.page_of(id) or 1 for id in ids})

    async def with_records(
        self, ids: Iterable[int], max_age: float, *, elsewhere: bool
    ) -> AsyncIterator[tuple[Answered[T], dict[int, T]]]:
        """Read page after page until all records are found; each page with those that are on it, by id.

        Others than those where they were last seen are read only if `elsewhere`, the nearest first. A page
        that was read less than `max_age` seconds ago serves again. Raises ServiceError.
        """
        missing, read = set(ids), set[int]()
        numbers = self.numbers(missing)
        while missing and numbers:
            number = numbers.pop(0)
            answered = self._just_reread(number, missing, max_age)
            if answered is None:
                asked_at = self._context.now()
                self.asked += 1
                answered = await self._source.ask(number)
                self._reread[number] = asked_at, answered
            page = answered.page
            read.add(number)
            here = page.with_ids(missing)
            yield answered, here
            missing -= here.keys()
            if not numbers and elsewhere:
                last = (page.maxpage or number + bool(page.has_more(number))) if page.rows else number - 1
                numbers = [*islice((n for n in _outward(number, last) if n not in read), 1)]

    def _just_reread(self, number: int, ids: Iterable[int], max_age: float) -> Answered[T] | None:
        """The page as it was read lately; None where what was sent since may have changed it."""
        asked_at, answered = self._reread.get(number, (-math.inf, None))
        lately = max((self._sent.get(id, -math.inf) for id in ids), default=-math.inf)
        age = self._context.now() - asked_at  # below 0 where the clock was set back: then it tells nothing
        return answered if 0 <= age < max_age and asked_at > lately else None


def _outward(start: int, last: int) -> Iterator[int]:
    """The numbers of pages up to the last one, from those beside a page outward."""
    for distance in range(1, max(start, last)):
        yield from (number for number in (start + distance, start - distance) if 1 <= number <= last)
