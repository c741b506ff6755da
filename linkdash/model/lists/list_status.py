"""The status line of a list, and the words where it is empty, loading or failed."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from linkdash.api.errors import TRY_AGAIN, AdminRequired, KeyRefused, LinkdashError
from linkdash.api.records import Record
from linkdash.model.humanize import age_words, counted
from linkdash.model.lists.loaded_pages import STALE_AFTER, LoadedPages, State

T = TypeVar("T", bound=Record)

KeyOf = Callable[[str], str]
"""The key that does an action, by the action's id, as the user reads it."""


def status_line(listing: LoadedPages[T], now: float, offer: str = "", not_known: int = 0) -> str:
    """A line; `now` is in seconds of the wall clock. What a filter found goes first, as the end may be cut.

    `offer` is how the rest could be loaded; it stands where a filter may have missed something.
    `not_known` rows were left out because what the filter asks for is not known of them.
    """
    total = listing.total
    unknown = f"not known of {not_known:,}" if not_known else ""
    if listing.filter_text and total is not None and not listing.complete:
        rest = [] if listing.error else [offer]
        parts = [f"{_filtered(listing)} of {total:,}", unknown, *rest, *_when(listing, now)]
    else:
        filtered = [_filtered(listing), unknown] if listing.filter_text else []
        parts = [*filtered, *_where(listing), *_when(listing, now)]
    return " · ".join(filter(None, parts))


def _where(listing: LoadedPages[T]) -> list[str]:
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
    if listing.current == page.maxpage == 1:
        return [total]
    each = [f"{page.perpage} a page"] if page.perpage else []
    return [f"page {listing.current} of {page.maxpage}", *each, total]


def _when(listing: LoadedPages[T], now: float) -> list[str]:
    age = listing.age(now)
    if age is None:
        return []
    fresh = "refreshing…" if listing.loading else "not refreshed" if listing.error else ""
    old = "changed since, " if listing.outdated else "old, " if age > STALE_AFTER else ""
    return [part for part in (f"{old}as of {age_words(age)}", fresh) if part]


def _filtered(listing: LoadedPages[T]) -> str:
    matching, loaded = len(listing.rows), len(listing.loaded_rows())
    return f'filter "{listing.filter_text}": {matching:,} of {loaded:,} loaded'


# ---- where rows would be ----


class Words(NamedTuple):
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
    is_mistaken: bool = False,
    meant: str = "",
    filled_by: str = "",
) -> Words | None:
    """Return the words in the place of the rows; None where the rows themselves are shown.

    `complete` tells whether all rows of the service are loaded, and so were filtered; `is_mistaken` whether
    what was typed has no meaning, so that the filter before it stays. `meant` is what it was perhaps meant to
    say, and `filled_by` how records get there.
    """
    if state is State.ERROR and error is not None:
        return Words(error.what, " ".join(advice_of(error, key)), failed=True)
    if state is State.LOADING:
        return Words("Loading…", "The status bar says whether it has to wait, and for how long.")
    if state is State.FILTERED:
        if is_mistaken:
            before = f'No loaded {singular} matches "{filter_text}", the last valid filter.'
            return Words("The filter has a mistake.", f"{before} {key('back')} clears it.")
        rest = "" if complete else f"; {key('load-all')} loads the rest"
        advice = f"{key('back')} clears the filter{rest}."
        return Words(f'No loaded {singular} matches "{filter_text}".', f"{meant} {advice}".lstrip())
    if state is State.EMPTY:
        return Words(f"No {singular} yet.", f"{filled_by} {key('refresh')} refreshes.".lstrip())
    return None


def advice_of(error: LinkdashError, key: KeyOf) -> list[str]:
    """The advice of a read that failed, and last the key that reads again, where that helps."""
    if isinstance(error, KeyRefused):
        return [error.advice, f"{key('palette')}, then Set up this profile, asks for it again."]
    advice = [error.advice] if error.advice and error.advice != TRY_AGAIN else []
    return advice if isinstance(error, AdminRequired) else [*advice, f"{key('refresh')} tries again."]
