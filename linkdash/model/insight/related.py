"""Facts about records beside themselves: their uses, the number of each kind. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from heapq import nlargest, nsmallest
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import urlsplit

from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.humanize import LATER, SOON, CountChange, TimeLeft, Trend
from linkdash.model.statistics.scan_activity import Activity

_NAMED = 3  # codes
_NAMED_USERS = 60  # the most that are told by their names

_MOST = 80  # percent

_AGES = ((31, "last month"), (92, "1 to 3 months"), (365, "3 to 12 months"))
_OLDER, _UNDATED = "older than a year", "without a date"
_OVER, _WITHIN, _BETWEEN = "expired", f"within {SOON.days} days", f"{SOON.days} to {LATER.days} days"
_LATER, _ENDLESS = "later", "no end date"


class Tally(NamedTuple):
    """The number of records of a kind."""

    label: str
    number: int


class Usage(NamedTuple):
    """QR codes that belong together, and how they were scanned, as far as that is kept."""

    codes: int
    names: Sequence[str]
    """Of the first of them, those scanned most in the last week."""
    told: int
    """Of how many of them both weeks are kept."""
    change: CountChange
    """What those were scanned."""
    trend: Trend | None


class MostOfScans(NamedTuple):
    """The fewest codes that have most of the scans, and how many percent of them."""

    names: Sequence[str]
    percent: int


def by_label(labels: Iterable[str]) -> list[Tally]:
    """The number of each label, the most first."""
    counts = Counter(labels)
    return [Tally(label, count) for label, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]


def by_age(moments: Iterable[date | None], today: date) -> list[Tally]:
    """The number of each age, the youngest first; ages that none has are left out."""
    counts = Counter(_age(moment, today) for moment in moments)
    labels = (*(label for _, label in _AGES), _OLDER, _UNDATED)
    return [Tally(label, counts[label]) for label in labels if counts[label]]


def _age(moment: date | None, today: date) -> str:
    if moment is None:
        return _UNDATED
    days = (today - (moment.date() if isinstance(moment, datetime) else moment)).days
    return next((label for most, label in _AGES if days < most), _OLDER)


def by_end(moments: Iterable[datetime | None], now: datetime) -> list[Tally]:
    """The number of each time that is left, the least first; times that none has are left out."""
    counts = Counter(_end(TimeLeft(moment, now)) for moment in moments)
    labels = (_OVER, _WITHIN, _BETWEEN, _LATER, _ENDLESS)
    return [Tally(label, counts[label]) for label in labels if counts[label]]


def _end(left: TimeLeft) -> str:
    if left.end is None:
        return _ENDLESS
    if left.is_over:
        return _OVER
    if left.is_within(SOON):
        return _WITHIN
    return _BETWEEN if left.is_within(LATER) else _LATER


class KnownUsers(NamedTuple):
    """Users that are known, such as those of a plan: how many, and by the time that they have left."""

    number: int
    ends: Sequence[Tally]
    coming: Sequence[tuple[datetime, str]]
    """The names of those who expire next, with their ends."""
    newest: Sequence[tuple[datetime, str]] = ()
    """The names of those who were registered last, with the moments."""


def users_of_plans(users: Iterable[User], now: datetime) -> dict[int, KnownUsers]:
    """The users of each plan, by its id; `now` is without a zone, as the service's moments are."""
    found: dict[int, list[User]] = {}
    for user in users:
        found.setdefault(user.planid or 0, []).append(user)
    return {id: known_users(of_it, now) for id, of_it in found.items()}


def known_users(users: Sequence[User], now: datetime) -> KnownUsers:
    """Some users together; `now` is without a zone, as the service's moments are."""
    moments = [user.expires for user in users]
    ends = zip(moments, (user.username for user in users), strict=True)
    coming = ((end, name) for end, name in ends if end is not None and end >= now)
    registered = ((user.registered, user.username) for user in users if user.registered)
    return KnownUsers(
        len(users),
        by_end(moments, now),
        nsmallest(_NAMED_USERS, coming),
        nlargest(_NAMED_USERS, registered),
    )


def usage(codes: Mapping[int, str], activities: Mapping[int, Activity]) -> Usage:
    """The scans of codes, given as names by their ids, over the last two weeks."""
    found = [activities[id] for id in codes if id in activities]
    changes = [change for one in found if (change := one.change) is not None]
    change = CountChange(sum(one.now for one in changes), sum(one.before for one in changes))
    days = zip(*(one.days for one in found if one.change is not None), strict=False)
    known = tuple(sum(day or 0 for day in at_once) for at_once in days)
    names = sorted(codes, key=lambda id: -_scans(activities.get(id)))[:_NAMED]
    trend = Trend(known, change) if known else None
    return Usage(len(codes), [codes[id] for id in names], len(changes), change, trend)


def _scans(activity: Activity | None) -> int:
    return activity.week.now.value if activity is not None and activity.week.now is not None else 0


def most_of_scans(codes: Mapping[int, str], activities: Mapping[int, Activity]) -> MostOfScans | None:
    """The fewest codes, given as names by their ids, with most scans of last week; None without scans."""
    ranked = sorted(codes, key=lambda id: -_scans(activities.get(id)))
    scans = [_scans(activities.get(id)) for id in ranked]
    parts = [round(100 * part / total) for part in accumulate(scans)] if (total := sum(scans)) else []
    return next(
        (
            MostOfScans([codes[id] for id in ranked[:count]], percent)
            for count, percent in enumerate(parts, 1)
            if percent >= _MOST
        ),
        None,
    )


def codes_by_host(codes: Iterable[QrCode]) -> dict[str, dict[int, str]]:
    """The names of codes by id, by the host that they lead to."""
    found: dict[str, dict[int, str]] = {}
    for code in codes:
        found.setdefault(host_of(code.link), {})[code.id] = code.shown_name
    return found


def campaigns_on(domain: str, campaigns: Iterable[Campaign]) -> list[str]:
    """The names of the campaigns whose rotator or list of links is on a domain."""
    host = host_of(domain)
    return [one.name for one in campaigns if host and host in (host_of(one.rotator), host_of(one.links))]


def host_of(link: str) -> str:
    """The host of an address, with its scheme or without; "" where there is none."""
    try:
        return urlsplit(link if "://" in link else f"//{link}").hostname or ""
    except ValueError:
        return ""
