"""Pages of records, and paging that stops when it must (reference: paged list envelope)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

from linkdash.api.fields import read_count
from linkdash.api.http.request import Answer
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import MANY, SMALL_SLICE, Slices, at_once, making_many

T = TypeVar("T", bound=Record)

Rows: TypeAlias = Sequence[T | Unreadable]
"""Records of one resource, and what came in the place of one."""

_PAGING = frozenset({"result", "perpage", "currentpage", "nextpage", "maxpage"})


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a resource. Numbers are None where the service did not say them."""

    rows: Rows[T] = field(repr=False)
    """Every row of the answer in its order, also those that are no record."""
    result: int | None
    """Number of results on all pages."""
    perpage: int | None
    currentpage: int | None
    nextpage: int | None
    maxpage: int | None
    raw: object = field(repr=False, default=None)
    """The `data` member as it came."""
    answer: Answer | None = field(repr=False, default=None)
    """The answer it came in, with status and headers; None for a page that was stored."""

    def answered(self, answer: Answer) -> "Page[T]":
        """The same page, with the answer it came in."""
        return replace(self, answer=answer)

    def has_more(self, number: int, covered: int | None = None) -> bool | None:
        """Return whether a page comes after this one, which is the `number`-th; None where nothing tells.

        As the service says, else if this one is full. `covered` is the number of rows up to its end, where
        that is known better than by the rows of a page.
        """
        if self.maxpage:
            return number < self.maxpage
        if self.result:
            before = (number - 1) * (self.perpage or len(self.rows))
            return (before + len(self.rows) if covered is None else covered) < self.result
        if self.nextpage is not None:
            return self.nextpage > number
        return len(self.rows) >= self.perpage if self.perpage else None

    @cached_property
    def items(self) -> tuple[T, ...]:
        """The records of the page."""
        return tuple(row for row in self.rows if not isinstance(row, Unreadable))

    @cached_property
    def _places(self) -> Mapping[int, int]:
        """The place of each record by its id; of two with one id the first."""
        backwards = range(len(self.rows) - 1, -1, -1)
        return {row.id: at for at in backwards if not isinstance(row := self.rows[at], Unreadable)}

    def position(self, id: int) -> int | None:
        """Return where the record with this id stands."""
        return self._places.get(id)

    def with_ids(self, ids: Iterable[int]) -> dict[int, T]:
        """The records of the page that have one of these ids."""
        wanted, found = frozenset(ids), dict[int, T]()
        for row in self.items if wanted else ():
            if row.id in wanted:
                found.setdefault(row.id, row)
        return found

    def with_record(self, record: T) -> "Page[T]":
        """The same page with a record in the place of the one with its id, or before all others."""
        rows, at = [*self.rows], self.position(record.id)
        rows[at or 0 : 0 if at is None else at + 1] = [record]
        return replace(self, rows=rows)

    def without(self, id: int) -> "Page[T]":
        """The same page without the record with this id."""
        return replace(self, rows=[row for row in self.rows if isinstance(row, Unreadable) or row.id != id])

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def read_page(
    model: type[T], collections: Sequence[str], data: object, *, safe_text: bool = False
) -> Page[T]:
    """The page in the `data` member of a list answer; never raises."""
    return at_once(page_in_slices(model, collections, data, safe_text=safe_text))


def page_in_slices(
    model: type[T], collections: Sequence[str], data: object, *, safe_text: bool = False
) -> Slices[Page[T]]:
    """The page in the `data` member of a list answer, read in slices where it is long; never raises.

    `collections` are the keys the records may stand under. Where none is there, the only list is taken, or
    a map of positions. What holds no rows at all is a page without any.
    """
    envelope = data if isinstance(data, Mapping) else {}
    if not holds_rows(collections, data):
        raw: Sequence[object] = []
    else:
        raw = _rows_of(envelope, collections) if isinstance(data, Mapping) else _as_list(data)
    return Page(
        rows=(yield from _read_rows(model, raw, safe_text=safe_text)),
        result=_number(envelope.get("result")) if envelope else len(raw),
        perpage=_number(envelope.get("perpage")),
        currentpage=_number(envelope.get("currentpage")),
        nextpage=_number(envelope.get("nextpage")),
        maxpage=_number(envelope.get("maxpage")),
        raw=data,
    )


def _read_rows(model: type[T], raw: Sequence[object], *, safe_text: bool) -> Slices[list[T | Unreadable]]:
    read = model.read
    if len(raw) <= MANY:
        return [read(row, safe_text=safe_text) for row in raw]
    rows: list[T | Unreadable] = []
    with making_many():
        for start in range(0, len(raw), SMALL_SLICE):
            rows += [read(row, safe_text=safe_text) for row in raw[start : start + SMALL_SLICE]]
            yield
    return rows


def holds_rows(collections: Sequence[str], data: object) -> bool:
    """Return whether the `data` member of a list answer can be read as rows, or as none.

    An object that names no collection, holds no rows and counts none is no empty list.
    """
    if not isinstance(data, Mapping):
        return data is None or isinstance(data, list)
    named = [data[name] for name in collections if name in data]
    if named:
        return any(value is None or isinstance(value, list | Mapping) for value in named)
    return bool(_rows_of(data, collections)) or not _PAGING.isdisjoint(data)


class Pager:
    """The next page to ask for, page by page. Pure: it asks for nothing itself."""

    def __init__(self, first: int = 1) -> None:
        self._first = first
        self._asked = first
        self._covered: int | None = None
        self._seen: set[object] = set()
        self._stands_still = False

    @property
    def seen(self) -> int:
        """Different records seen so far."""
        return len(self._seen)

    def next_page(self, page: Page[T]) -> int | None:
        """The number of the page to ask for after `page`, the answer to the last one; None at the end.

        The end is a page without rows, the last page by `maxpage`, all results seen, a page before the one
        asked for, nothing but known records, or no word that there is more. As rows shift when records are
        made meanwhile, one page of known records is no end yet if it is by its number the one asked for.
        """
        if not page.rows or (page.currentpage and page.currentpage < self._asked):
            return None
        stood_still, self._stands_still = self._stands_still, not self._has_news(page)
        if self._stands_still and (stood_still or page.currentpage != self._asked):
            return None
        if not self._has_more(page):
            return None
        self._asked += 1
        return self._asked

    def _has_news(self, page: Page[T]) -> bool:
        """Return whether there is a record that no earlier page had."""
        known = len(self._seen)
        self._seen.update(row.key for row in page.rows)
        return len(self._seen) > known

    def _has_more(self, page: Page[T]) -> bool:
        """Return whether there may be another page."""
        if self._covered is None:
            self._covered = (self._first - 1) * (page.perpage or len(page.rows))
        self._covered += len(page.rows)
        return page.has_more(self._asked, self._covered) is not False


def _rows_of(envelope: Mapping[object, object], collections: Sequence[str]) -> Sequence[object]:
    """The rows in an envelope. What is no envelope at all is a row itself, so that nothing is lost unseen."""
    if named := [_as_list(envelope[name]) for name in collections if name in envelope]:
        return max(named, key=len)
    if envelope and all(str(name).isdigit() for name in envelope):
        return list(envelope.values())
    lists = [value for value in envelope.values() if isinstance(value, list)]
    if len(lists) == 1:
        return lists[0]
    return [envelope] if envelope and _PAGING.isdisjoint(envelope) else []


def _as_list(value: object) -> Sequence[object]:
    """A list, also where it came as a map of its positions, or as its only element."""
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping) and "id" not in value:
        return list(value.values())
    return [value] if value else []


def _number(value: object) -> int | None:
    """A count of an envelope; None for what is none, a negative number among it."""
    try:
        number = read_count(value)
    except ValueError:
        return None
    return None if number is None or number < 0 else number
