"""Facts about codes and users before there is a history: from one look at their lists. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from linkdash.model.humanize import LATER, SOON, TimeLeft

if TYPE_CHECKING:  # the overview does not wait for them
    from linkdash.api.resources.qr import QrCode
    from linkdash.api.resources.users import User

_TERMS = ("expired", "in 7 days", "in 8-30 days", "later", "never")

_NEWEST = 2


class CodeRate(NamedTuple):
    """A code and its scans a day since it was made."""

    code: "QrCode"
    a_day: float


class FirstDay(NamedTuple):
    """Codes by what one look at the list tells."""

    rates: Sequence[CodeRate]
    """Those with the most scans a day since they were made."""
    newest: Sequence["QrCode"]
    unscanned: Sequence["QrCode"]
    """Those that were never scanned."""


def first_day(codes: Sequence["QrCode"], now: datetime, most: int) -> FirstDay:
    """With at most so many rates; `now` is without a zone, as the service's moments are."""
    dated = [(code.date, code) for code in codes if code.date is not None]
    rates = [CodeRate(code, (code.scans or 0) / max(1, (now - made).days)) for made, code in dated]
    return FirstDay(
        nlargest(most, (one for one in rates if one.a_day), key=lambda one: one.a_day),
        [code for _, code in nlargest(_NEWEST, dated, key=lambda one: one[0])],
        [code for code in codes if code.scans == 0],
    )


def by_term(users: Iterable["User"], now: datetime) -> list[tuple[str, int]]:
    """The numbers of users by the time they have left, in this order; terms that none has are left out."""
    counts = Counter(_term(TimeLeft(user.expires, now)) for user in users)
    return [(term, counts[term]) for term in _TERMS if counts[term]]


def _term(left: TimeLeft) -> str:
    expired, week, month, later, endless = _TERMS
    if left.end is None:
        return endless
    if left.is_over:
        return expired
    return week if left.is_within(SOON) else month if left.is_within(LATER) else later
