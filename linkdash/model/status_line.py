"""The line of truth: what is shown of a list, which page of how many, how old, filtered by what. Pure."""

from typing import TypeVar

from linkdash.api.model import Record
from linkdash.model.humanize import ago, counted
from linkdash.model.listing import STALE_AFTER, Listing

T = TypeVar("T", bound=Record)


def truth(listing: Listing[T], now: float, offer: str = "") -> str:
    """One line; `now` is in seconds of the wall clock.

    `offer` is how the rest could be loaded; it stands where a filter may have missed something.
    """
    total = listing.total
    if listing.filter_text and total is not None and not listing.complete:
        rest = [] if listing.error else [offer]
        parts = [f"{_filtered(listing)} of {total:,}", *rest, *_when(listing, now)]
    else:
        filtered = [_filtered(listing)] if listing.filter_text else []
        parts = [*_where(listing), *_when(listing, now), *filtered]
    return " · ".join(filter(None, parts))


def _where(listing: Listing[T]) -> list[str]:
    page = listing.page
    if page is None:
        return ["loading…" if listing.loading else "nothing loaded"]
    total = counted(len(page.rows) if listing.total is None else listing.total, "result")
    if listing.whole or listing.arrange or not page.maxpage:
        return [f"all of {total}"] if listing.complete else [f"{len(listing.loaded_rows()):,} loaded", total]
    each = [f"{page.perpage} a page"] if page.perpage else []
    return [f"page {listing.current} of {page.maxpage}", *each, total]


def _when(listing: Listing[T], now: float) -> list[str]:
    age = listing.age(now)
    if age is None:
        return []
    fresh = "refreshing…" if listing.loading else "not refreshed" if listing.error else ""
    old = "old, " if age > STALE_AFTER else ""
    return [part for part in (f"{old}as of {ago(age)}", fresh) if part]


def _filtered(listing: Listing[T]) -> str:
    matching, loaded = len(listing.rows), len(listing.loaded_rows())
    return f'filter "{listing.filter_text}": {matching:,} of {loaded:,} loaded'
