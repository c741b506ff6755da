"""Paging asks for every page once, for no page more, and stops whatever the service says."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.endpoints import Caller, Listing, PagedList
from linkdash.api.http.request import Answer, Options, Request
from linkdash.api.paging import Page, Pager, page_in_slices, read_page
from linkdash.api.resources.domains import Domain
from linkdash.api.slices import MANY, SMALL_SLICE

ODD_NUMBERS: tuple[object, ...] = (None, "", False, 0, -1, "1", 1, 2, "3", 10**9, "x", [])


def page_of(ids: Sequence[int], **numbers: object) -> Page[Domain]:
    return read_page(Domain, ("domains",), {"domains": [{"id": id} for id in ids], **numbers})


@dataclass
class Book:
    """A list as a service pages it: `says` are the numbers it gives away, `cap` the most rows a page."""

    ids: list[int]
    cap: int = 100
    says: tuple[str, ...] = ("result", "perpage", "currentpage", "nextpage", "maxpage")
    past_the_end: str = "empty"

    def page(self, number: int, limit: int) -> Page[Domain]:
        size = min(limit, self.cap)
        last = -(-len(self.ids) // size)
        shown = min(number, max(1, last)) if self.past_the_end == "last page" else number
        numbers = {
            "result": len(self.ids),
            "perpage": size,
            "currentpage": shown,
            "nextpage": shown + 1 if shown < last else None,
            "maxpage": last,
        }
        rows = self.ids[(shown - 1) * size : shown * size]
        return page_of(rows, **{name: numbers[name] for name in self.says})

    def read_all(self, limit: int, first: int = 1) -> list[Page[Domain]]:
        """All pages a pager asks for; more than a thousand are no paging any more."""
        pager, number, pages = Pager(first), first, []
        for _ in range(1000):
            pages.append(self.page(number, limit))
            following = pager.next_page(pages[-1])
            if following is None:
                return pages
            number = following
        raise AssertionError("it does not stop")


def ids_in(pages: Sequence[Page[Domain]]) -> list[int]:
    return [record.id for page in pages for record in page]


said = st.sampled_from(
    [
        ("result", "perpage", "currentpage", "nextpage", "maxpage"),
        ("maxpage",),
        ("result",),
        ("currentpage", "maxpage"),
        ("result", "perpage"),
    ]
)


@given(st.integers(0, 60), st.integers(1, 12), st.integers(1, 12), said)
def test_every_record_is_read_in_the_fewest_requests(
    count: int, limit: int, cap: int, says: tuple[str, ...]
) -> None:
    book = Book(list(range(1, count + 1)), cap, says)
    pages = book.read_all(limit)
    assert ids_in(pages) == book.ids
    assert len(pages) == max(1, -(-count // min(limit, cap)))


@given(st.integers(0, 60), st.integers(1, 12), st.sampled_from([("nextpage",), ("perpage",), ()]))
def test_a_service_that_says_little_costs_one_request_more_at_most(
    count: int, limit: int, says: tuple[str, ...]
) -> None:
    book = Book(list(range(1, count + 1)), says=says)
    pages = book.read_all(limit)
    assert ids_in(pages) == book.ids
    assert len(pages) <= max(1, -(-count // limit)) + 1


@given(st.integers(1, 60), st.integers(1, 12), st.integers(1, 5), said)
def test_paging_can_begin_in_the_middle(count: int, limit: int, first: int, says: tuple[str, ...]) -> None:
    book = Book(list(range(1, count + 1)), says=says)
    pages = book.read_all(limit, first)
    assert ids_in(pages) == book.ids[(first - 1) * limit :]
    assert len(pages) <= max(1, -(-count // limit) - first + 1) + 1


@given(st.integers(0, 40), st.integers(1, 12), said)
def test_a_service_that_repeats_its_last_page_is_read_once(
    count: int, limit: int, says: tuple[str, ...]
) -> None:
    book = Book(list(range(1, count + 1)), says=says, past_the_end="last page")
    pages = book.read_all(limit)
    assert list(dict.fromkeys(ids_in(pages))) == book.ids


def test_a_thousand_records_at_a_hundred_a_page_are_ten_requests() -> None:
    assert len(Book(list(range(1, 1001))).read_all(100)) == 10


odd_page = st.builds(
    lambda ids, numbers: page_of(ids, **numbers),
    st.lists(st.integers(1, 6), max_size=4),
    st.dictionaries(
        st.sampled_from(["result", "perpage", "currentpage", "nextpage", "maxpage"]),
        st.sampled_from(ODD_NUMBERS),
    ),
)


@given(st.lists(odd_page, min_size=1, max_size=4))
def test_whatever_the_service_says_paging_stops(pages: list[Page[Domain]]) -> None:
    """Six records are news at most six times, and between two news there is at most one page without."""
    pager = Pager()
    asked = itertools.takewhile(lambda page: pager.next_page(page) is not None, itertools.cycle(pages))
    assert sum(1 for _ in asked) <= 2 * 6


@given(st.lists(odd_page, min_size=1, max_size=12))
def test_pages_are_asked_for_in_their_order(pages: list[Page[Domain]]) -> None:
    pager = Pager()
    numbers: Iterator[int | None] = (pager.next_page(page) for page in pages)
    asked = list(itertools.takewhile(lambda number: number is not None, numbers))
    assert asked == list(range(2, len(asked) + 2))


@pytest.mark.parametrize(
    ("numbers", "following"),
    [
        ({"currentpage": 1, "maxpage": 2}, 2),
        ({"currentpage": "1", "maxpage": "2"}, 2),
        ({"maxpage": 2, "nextpage": None}, 2),
        ({"maxpage": 1, "nextpage": 2}, None),
        ({"maxpage": 0, "result": 2}, None),
        ({"maxpage": 0, "result": 3}, 2),
        ({"maxpage": "", "nextpage": 2}, 2),
        ({"nextpage": 1}, None),
        ({"nextpage": 0}, None),
        ({"nextpage": False}, None),
        ({"nextpage": "2"}, 2),
        ({"currentpage": 0, "maxpage": 2}, 2),
        ({"result": 0, "nextpage": 2}, 2),
        ({"perpage": 3}, None),
        ({"perpage": 2}, 2),
        ({}, 2),
    ],
)
def test_what_says_that_there_is_more(numbers: dict[str, object], following: int | None) -> None:
    assert Pager().next_page(page_of([1, 2], **numbers)) == following


def test_what_stands_before_the_first_page_counts() -> None:
    last = read_page(Domain, ("domains",), {"domains": [{"id": 5}, {"id": 6}], "result": 6, "perpage": 2})
    assert Pager(first=3).next_page(last) is None
    assert Pager(first=2).next_page(last) == 3


def test_the_end_of_a_list() -> None:
    pager = Pager()
    assert pager.next_page(page_of([1, 2], currentpage=1, maxpage=9)) == 2
    assert pager.next_page(page_of([], currentpage=2, maxpage=9)) is None
    pager = Pager()
    assert pager.next_page(page_of([1, 2], currentpage=1, maxpage=9)) == 2
    assert pager.next_page(page_of([3], currentpage=1, maxpage=9)) is None


def test_a_page_of_known_records_is_no_end_where_rows_have_shifted() -> None:
    pager = Pager()
    assert pager.next_page(page_of([9], currentpage=1, maxpage=3)) == 2
    assert pager.next_page(page_of([9], currentpage=2, maxpage=4)) == 3
    assert pager.next_page(page_of([8], currentpage=3, maxpage=4)) == 4
    assert pager.next_page(page_of([7], currentpage=4, maxpage=4)) is None
    assert pager.seen == 3


def test_a_service_that_gives_one_page_for_ever_is_left() -> None:
    pager = Pager()
    assert pager.next_page(page_of([1], currentpage=1, maxpage=99)) == 2
    assert pager.next_page(page_of([1], currentpage=2, maxpage=99)) == 3
    assert pager.next_page(page_of([1], currentpage=3, maxpage=99)) is None


class Shelf:
    """A sender of nothing: answers from a book, to which records can be added meanwhile."""

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids
        self.asked: list[int] = []

    async def answer(self, request: Request, options: Options) -> Answer:
        number, limit = int(request.params["page"]), int(request.params["limit"])
        self.asked.append(number)
        page = Book(self.ids).page(number, limit)
        self.ids = [max(self.ids) + 1, *self.ids] if len(self.asked) == 1 else self.ids
        return Answer(request, 200, {}, {"error": "0", "data": page.raw})


async def test_a_row_that_shifts_into_the_next_page_is_given_once() -> None:
    shelf = Shelf([5, 4, 3, 2, 1])
    domains = PagedList(Caller(shelf.answer), Domain, "/api/domains", "domains")
    assert [domain.id async for domain in Listing(domains, limit=2)] == [5, 4, 3, 2, 1]
    assert shelf.asked == [1, 2, 3]


@given(st.lists(st.one_of(st.integers(-3, 9), st.integers(), st.none(), st.just("8")), max_size=9))
def test_a_record_is_where_its_id_comes_first(ids: list[object]) -> None:
    page = read_page(Domain, ("domains",), [{"id": id} for id in ids])
    known = [row.id if isinstance(row, Domain) else None for row in page.rows]
    for id in (*range(-4, 11), *(id for id in known if id is not None)):
        assert page.position(id) == (known.index(id) if id in known else None)
        assert [*page.with_ids([id])] == [id] * (id in known)


@pytest.mark.parametrize("data", ["abc", 5, True, {"domains": "x"}, {"domains": 5, "result": 1}])
def test_what_was_stored_and_holds_no_rows_is_a_page_without_any(data: object) -> None:
    page = read_page(Domain, ("domains",), data)
    assert (len(page.rows), page.raw) == (0, data)


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        ({"domains": {"0": {"id": 1}, "1": {"id": 2}}, "result": 2}, [1, 2]),
        ({"domains": {"id": 5}, "result": 1}, [5]),
        ({"domains": [], "result": 0}, []),
        ({"0": {"id": 1}, "1": {"id": 2}}, [1, 2]),
        ({"rows": [{"id": 1}, {"id": 2}], "result": 2}, [1, 2]),
        ({"rows": [{"id": 1}], "others": [{"id": 2}], "result": 2}, []),
        ({"domains": [{"id": 9}], "urls": [{"id": 1}, {"id": 2}]}, [1, 2]),
        ({"id": 7, "domain": "https://go.example.org"}, [7]),
        ({}, []),
    ],
)
def test_rows_are_found_in_whatever_shape_they_come(data: object, ids: list[int]) -> None:
    page = read_page(Domain, ("domains", "urls"), data)
    assert [row.id for row in page.rows if isinstance(row, Domain)] == ids
    assert len(page.rows) == len(ids)


def test_of_very_many_rows_each_is_read_in_steps() -> None:
    rows = [{"id": id, "domain": f"go\x07{id}"} for id in range(1, MANY + 2)]
    steps, paused = page_in_slices(Domain, ("domains",), {"domains": rows}, safe_text=True), 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            page: Page[Domain] = end.value
            break
        paused += 1
    assert [row.id for row in page] == [row["id"] for row in rows]
    assert {row.domain for row in page} == {f"go\N{REPLACEMENT CHARACTER}{row.id}" for row in page}
    assert paused == -(-len(rows) // SMALL_SLICE)


def test_a_page_counts_its_records_and_keeps_its_rows() -> None:
    page = read_page(Domain, ("domains",), {"domains": [{"id": 1}, None, {"id": 2}]})
    assert len(page) == len(list(page)) == 2
    assert len(page.rows) == 3


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        ({"other": [{"id": 1}, {"id": 2}], "result": 2}, [1, 2]),
        ({"other": [{"id": 1}], "more": [{"id": 2}], "result": 2}, []),
        ({"result": 0, "maxpage": 0}, []),
        ({"result": 0, "maxpage": 0, "note": "none"}, []),
        ({"id": 3, "domain": "https://go.example.org"}, [3]),
        ({"0": {"id": 4}, "1": {"id": 5}}, [4, 5]),
        ({"domains": {"id": 6}}, [6]),
        ({"domains": {"a": {"id": 7}, "b": {"id": 8}}}, [7, 8]),
        ({"domains": None, "result": 0}, []),
        ({}, []),
        ([{"id": 8}, {"id": 9}], [8, 9]),
        (None, []),
    ],
)
def test_rows_are_found_wherever_they_stand(data: object, ids: list[int]) -> None:
    assert [record.id for record in read_page(Domain, ("domains",), data)] == ids


def test_a_record_takes_the_place_of_the_one_with_its_id_or_comes_first() -> None:
    page = page_of([1, 2, 3])
    changed, new = (Domain.read({"id": id, "domain": "https://new.example.org"}) for id in (2, 9))
    assert isinstance(changed, Domain)
    assert isinstance(new, Domain)
    found = page.with_record(changed).rows
    assert [row.key for row in found] == [1, 2, 3]
    assert found[1] is changed
    assert [row.key for row in page.with_record(new).rows] == [9, 1, 2, 3]
    assert [row.key for row in page.without(2).rows] == [1, 3]


def test_no_repr_of_a_page_shows_what_came() -> None:
    """The list of users carries their keys."""
    data = {"domains": [{"id": 1, "apikey": "s3cret-key"}]}
    answer = Answer(Request("GET", "/api/users"), 200, {"X-Key": "s3cret-key"}, {"data": data})
    assert "s3cret" not in repr(read_page(Domain, ("domains",), data).answered(answer))
