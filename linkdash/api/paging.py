"""Pages of records, and paging that stops when it must (reference: paged list envelope)."""

import re
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Generator, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from operator import lt
from typing import Generic, TypeVar, cast, overload

from linkdash.api.fields import read_count
from linkdash.api.http.raw_rows import RawRows
from linkdash.api.http.request import Answer
from linkdash.api.records import Record, Unreadable

T = TypeVar("T", bound=Record)

_CANONICAL = re.compile("0|-?[1-9][0-9]{0,18}", re.ASCII)
_PAGING = frozenset({"result", "perpage", "currentpage", "nextpage", "maxpage"})
_READ_KEPT = 5_000  # rows; one that was read takes some kilobytes
_A_STEP = 5_000  # ids that are looked at in one go


class Rows(Sequence[T | Unreadable]):
    """The rows of an answer, each read when it is looked at: 100,000 rows cost nothing until then."""

    def __init__(self, model: type[T], raw: Sequence[object], *, safe_text: bool = False) -> None:
        self._model = model
        self.safe_text = safe_text
        """True where the texts of each row are made safe to show."""
        self._raw = raw
        self._read: dict[int, T | Unreadable] = {}
        self._places: tuple[Sequence[int], Sequence[int]] | None = None
        """The ids in their order, and where each stands; of two that are the same the first one first."""

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {self._model.__name__}>"

    @property
    def model(self) -> type[T]:
        """The model that rows are read as."""
        return self._model

    @property
    def raw(self) -> Sequence[object]:
        """The rows as they came."""
        return self._raw

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, index: int) -> T | Unreadable: ...
    @overload
    def __getitem__(self, index: slice) -> "list[T | Unreadable]": ...
    def __getitem__(self, index: int | slice) -> "T | Unreadable | list[T | Unreadable]":
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = range(len(self._raw))[index]
        row = self._read.get(position)
        if row is None:
            if len(self._read) >= _READ_KEPT:
                self._read.clear()
            row = self._read[position] = self._model.read(self._raw[position], safe_text=self.safe_text)
        return row

    def __iter__(self) -> Iterator[T | Unreadable]:
        return map(self.__getitem__, range(len(self._raw)))

    def find_places(self) -> Iterator[None]:
        """Get ready for `position`, in steps of a millisecond where the ids ascend, as in most lists."""
        if self._places is None:
            ascending = yield from self._ascending_ids()
            self._places = self._sorted_ids() if ascending is None else (ascending, range(len(ascending)))

    def _ascending_ids(self) -> Generator[None, None, Sequence[int] | None]:
        """Return the ids, step by step, without reading a row; None where they do not ascend."""
        if not isinstance(self._raw, RawRows) or self._raw.whole:
            return None
        members, ascending = self._raw.member("id"), array("q")
        for start in range(0, len(members), _A_STEP):
            ids = cast("list[int]", members[start : start + _A_STEP])
            if set(map(type, ids)) != {int} or not _ascend([*ascending[-1:], *ids]):
                return None
            try:
                ascending.extend(ids)
            except OverflowError:
                return None
            yield
        return ascending

    def _sorted_ids(self) -> tuple[Sequence[int], Sequence[int]]:
        ids = self._ids()
        known = [place for place, id in enumerate(ids) if id is not None]
        places = sorted(known, key=cast("Sequence[int]", ids).__getitem__)
        return _bare([id for place in places if (id := ids[place]) is not None]), _bare(places)

    def _ids(self) -> list[int | None]:
        """The id in each row, without reading it."""
        if not isinstance(self._raw, RawRows):
            return [_id_in(raw) for raw in self._raw]
        members = [*self._raw.member("id")]
        ordinary = set(map(type, members)) == {int}
        ids = cast("list[int | None]", members) if ordinary else [*map(_id, members)]
        for index in self._raw.whole:
            ids[index] = _id_in(self._raw[index])
        return ids

    @property
    def ids(self) -> list[int]:
        """The ids of the rows that have one, in their order; none is read for it."""
        return [id for id in self._ids() if id is not None]

    def position(self, id: int) -> int | None:
        """Return the position of the record with this id, without reading the others."""
        if self._places is None:
            deque(self.find_places(), maxlen=0)
        ids, places = self._places or ((), ())
        found = bisect_left(ids, id)
        return places[found] if found < len(ids) and ids[found] == id else None

    def with_ids(self, ids: Set[Hashable]) -> "list[T | Unreadable]":
        """The rows that have one of these ids, in any order, without reading the others."""
        found = (self.position(id) for id in ids if isinstance(id, int))
        return [self[place] for place in found if place is not None]

    def with_record(self, record: T) -> "Rows[T]":
        """The same rows with a record in the place of the one with its id, or before all others."""
        index = self.position(record.id)
        if index is None:
            return self._with_raw(_spliced(self._raw, 0, 0, [record.row]))
        rows = self._with_raw(_spliced(self._raw, index, index + 1, [record.row]))
        rows._read = {**self._read, index: record}
        return rows

    def without(self, id: int) -> "Rows[T]":
        """The same rows without the record with this id."""
        raw = self._raw
        for index in [index for index, known in enumerate(self._ids()) if known == id][::-1]:
            raw = _spliced(raw, index, index + 1, [])
        return self._with_raw(raw)

    def _with_raw(self, raw: Sequence[object]) -> "Rows[T]":
        return Rows(self._model, raw, safe_text=self.safe_text)


def _ascend(numbers: Sequence[int]) -> bool:
    return all(map(lt, numbers, islice(numbers, 1, None)))


def _bare(numbers: Sequence[int]) -> Sequence[int]:
    """The same numbers in less memory, where none is too large for that."""
    try:
        return array("q", numbers)
    except OverflowError:
        return numbers


def _spliced(raw: Sequence[object], start: int, end: int, rows: Sequence[object]) -> Sequence[object]:
    """The same rows with others in the place of those from `start` to `end`."""
    if isinstance(raw, RawRows):
        return raw.spliced(start, end, rows)
    return [*raw[:start], *rows, *raw[end:]]


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a resource. Numbers are None where the service did not say them."""

    rows: Rows[T]
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

    @cached_property
    def items(self) -> tuple[T, ...]:
        """The records of the page."""
        return tuple(row for row in self.rows if not isinstance(row, Unreadable))

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def _id_in(raw: object) -> int | None:
    """The id in a row as it came, a number or its digits; None where there is none."""
    return _id(raw.get("id")) if isinstance(raw, dict) else None


def _id(value: object) -> int | None:
    if isinstance(value, str):
        return int(value) if _CANONICAL.fullmatch(value) else None
    return value if isinstance(value, int) else None


def read_page(
    model: type[T], collections: Sequence[str], data: object, *, safe_text: bool = False
) -> Page[T]:
    """The page in the `data` member of a list answer; never raises.

    `collections` are the keys the records may stand under. Where none is there, the only list is taken, or
    a map of positions. What holds no rows at all is a page without any.
    """
    envelope = data if isinstance(data, Mapping) else {}
    if not holds_rows(collections, data):
        raw: Sequence[object] = []
    else:
        raw = _rows_of(envelope, collections) if isinstance(data, Mapping) else _as_list(data)
    return Page(
        rows=Rows(model, raw, safe_text=safe_text),
        result=_number(envelope.get("result")) if envelope else len(raw),
        perpage=_number(envelope.get("perpage")),
        currentpage=_number(envelope.get("currentpage")),
        nextpage=_number(envelope.get("nextpage")),
        maxpage=_number(envelope.get("maxpage")),
        raw=data,
    )


def holds_rows(collections: Sequence[str], data: object) -> bool:
    """Return whether the `data` member of a list answer can be read as rows, or as none.

    An object that names no collection, holds no rows and counts none is no empty list.
    """
    if not isinstance(data, Mapping):
        return data is None or isinstance(data, list | RawRows)
    named = [data[name] for name in collections if name in data]
    if named:
        return any(value is None or isinstance(value, list | RawRows | Mapping) for value in named)
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
        """Return whether there is another page: as the service says, else if this one is full."""
        if self._covered is None:
            self._covered = (self._first - 1) * (page.perpage or len(page.rows))
        self._covered += len(page.rows)
        if page.maxpage and page.maxpage > 0:
            return self._asked < page.maxpage
        if page.result:
            return self._covered < page.result
        if page.nextpage is not None:
            return page.nextpage > self._asked
        return len(page.rows) >= (page.perpage or 0)


def _rows_of(envelope: Mapping[object, object], collections: Sequence[str]) -> Sequence[object]:
    """The rows in an envelope. What is no envelope at all is a row itself, so that nothing is lost unseen."""
    if named := [_as_list(envelope[name]) for name in collections if name in envelope]:
        return max(named, key=len)
    if envelope and all(str(name).isdigit() for name in envelope):
        return list(envelope.values())
    lists = [value for value in envelope.values() if isinstance(value, list | RawRows)]
    if len(lists) == 1:
        return lists[0]
    return [envelope] if envelope and _PAGING.isdisjoint(envelope) else []


def _as_list(value: object) -> Sequence[object]:
    """A list, also where it came as a map of its positions, or as its only element."""
    if isinstance(value, list | RawRows):
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
