"""What a list says of itself: which part of it is shown, how old, filtered by what; why it is empty. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from linkdash.api.errors import AdminRequired, LinkdashError
from linkdash.api.model import Record
from linkdash.model.humanize import ago, counted
from linkdash.model.listing import STALE_AFTER, Listing, State

T = TypeVar("T", bound=Record)

KeyOf = Callable[[str], str]
"""The key that does an action, by the action's id, as a person reads it."""


def status_line(listing: Listing[T], now: float, offer: str = "") -> str:
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
        return (
            [f"all {total}" if listing.total != 1 else total]
            if listing.complete
            else [f"{len(listing.loaded_rows()):,} loaded", total]
        )
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


# ---- where rows would be ----


@dataclass(frozen=True)
class Words:
    """A headline and the next step."""

    headline: str
    advice: str
    failed: bool = False


def words_for(
    state: State,
    singular: str,
    error: LinkdashError | None,
    key: KeyOf,
    filter_text: str = "",
    *,
    complete: bool = True,
) -> Words | None:
    """What stands in the place of the rows; None where the rows themselves are shown.

    `complete` tells whether all rows of the service are loaded, and so were filtered.
    """
    if state is State.ERROR and error is not None:
        retry = "" if isinstance(error, AdminRequired) else f"{key('refresh')} tries again."
        return Words(error.what, f"{error.advice} {retry}".strip(), failed=True)
    if state is State.LOADING:
        return Words("Loading…", "The status bar says whether it has to wait, and for how long.")
    if state is State.FILTERED:
        rest = "" if complete else f"; {key('load-all')} loads the rest"
        return Words(
            f'No loaded {singular} matches "{filter_text}".', f"{key('back')} clears the filter{rest}."
        )
    if state is State.EMPTY:
        return Words(f"No {singular} yet.", f"{key('refresh')} asks again.")
    return None
