"""Loaded pages: their rows as one list, and how many there are after records were made and deleted here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.paging import Page
from linkdash.api.records import Unreadable
from linkdash.api.resources.channels import ChannelItem
from linkdash.api.resources.pixels import Pixel
from linkdash.model.lists.loaded_pages import Answered, LoadedPages, State


def loaded(results: int, first: int = 1) -> LoadedPages[Pixel]:
    """The first page of a list of so many results, two a page."""
    rows = [Pixel(id=id, name=f"Pixel {id}") for id in (first, first + 1)]
    listing = LoadedPages[Pixel]()
    listing.answered(Answered(1, Page(rows, results, 2, 1, 2, -(-results // 2)), 0.0))
    return listing


def pages(listing: LoadedPages[Pixel]) -> tuple[int | None, int | None]:
    assert listing.page is not None
    return listing.page.result, listing.page.maxpage


def test_pages_are_counted_again_after_records_were_made_and_deleted() -> None:
    listing = loaded(4)
    listing.put(Pixel.model_validate({"id": 9, "name": "New"}))
    assert pages(listing) == (5, 3)
    listing.remove(1)
    assert pages(listing) == (4, 2)


def test_there_is_always_the_page_that_is_shown() -> None:
    listing = loaded(2)
    listing.remove(1)
    listing.remove(2)
    assert pages(listing) == (0, 1)


@given(st.lists(st.lists(st.sampled_from([1, 2, 3, 4, "lost", "gone"]), max_size=5), min_size=1, max_size=3))
def test_rows_of_several_pages_are_one_list_without_what_comes_twice(pages: list[list[object]]) -> None:
    rows = [[Pixel.read({"id": id} if isinstance(id, int) else id) for id in page] for page in pages]
    listing = LoadedPages[Pixel]()
    for number, some in enumerate(rows, 1):
        listing.answered(Answered(number, Page(some, None, None, None, None, None), 0.0))
    loaded = listing.loaded_rows()
    if len(pages) > 1:
        assert [row.key for row in loaded] == [*dict.fromkeys(row.key for some in rows for row in some)]


def test_items_of_several_types_are_told_apart_by_their_keys() -> None:
    raws: list[object] = [{"id": 1, "type": "links"}, {"id": 1, "type": "qr"}, "unreadable"]
    rows: list[ChannelItem | Unreadable] = [ChannelItem.read(raw) for raw in raws]
    listing = LoadedPages[ChannelItem]()
    listing.answered(Answered(1, Page(rows, 3, 9, 1, None, 1), 0.0))
    assert listing.index_of(("qr", 1)) == 1
    assert listing.index_of(("qr", 2)) is None


def test_another_arrangement_leaves_what_is_loaded_as_it_is() -> None:
    listing = loaded(4)
    listing.added(Answered(2, Page([Pixel(id=3)], 4, 2, 2, None, 2), 0.0))
    before = listing.loaded_rows()
    listing.rearranged(None, "")
    assert listing.turned_to(1)
    assert listing.loaded_rows() is before


def test_a_page_that_was_kept_while_the_clock_was_ahead_is_old() -> None:
    listing = LoadedPages[Pixel]()
    listing.recalled([Answered(1, Page([Pixel(id=1)], 1, 1, 1, None, 1), at=7200.0)])
    assert listing.is_due(0.0)
    assert listing.state(0.0) is State.STALE


@pytest.mark.parametrize(
    "numbers", [(3, 2, None, None), (3, 2, None, 2), (None, 2, 2, None), (None, 2, None, None)]
)
def test_there_is_a_next_page_by_whatever_the_service_tells(numbers: tuple[int | None, ...]) -> None:
    result, perpage, nextpage, maxpage = numbers
    listing = LoadedPages[Pixel]()
    listing.answered(
        Answered(1, Page([Pixel(id=1), Pixel(id=2)], result, perpage, 1, nextpage, maxpage), 0.0)
    )
    assert (listing.next_page, listing.lacks_rows) == (2, True)


def test_a_page_that_was_emptied_is_left_and_no_empty_list() -> None:
    listing = loaded(3)
    listing.answered(Answered(2, Page([Pixel(id=3)], 3, 2, 2, None, 2), 0.0))
    listing.remove(3)
    assert (listing.current, listing.state(0.0)) == (1, State.READY)
    listing = loaded(3)
    listing.remove(1)
    listing.remove(2)
    assert (listing.is_due(0.0), listing.state(0.0)) == (True, State.LOADING)
