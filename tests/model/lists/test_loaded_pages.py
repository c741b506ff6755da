"""Loaded pages: how many there are after records were made and deleted here."""

from linkdash.api.paging import Page, Rows
from linkdash.api.resources.pixels import Pixel
from linkdash.model.lists.loaded_pages import Answered, LoadedPages


def loaded(results: int, first: int = 1) -> LoadedPages[Pixel]:
    """The first page of a list of so many results, two a page."""
    rows = Rows(Pixel, [{"id": id, "name": f"Pixel {id}"} for id in (first, first + 1)])
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
