"""The week of QR codes that belong together: those in a channel, or those that lead to a host. Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from linkdash.api.resources.qr import QrCode
from linkdash.model.humanize import CountChange
from linkdash.model.statistics.scan_activity import Activity


class Usage(NamedTuple):
    """The scans of some codes over the last two weeks, as far as they are kept."""

    codes: int
    told: int
    """Of how many of them both weeks are kept."""
    change: CountChange
    """What those were scanned."""


def usage(codes: Iterable[int], activities: Mapping[int, Activity]) -> Usage:
    """The scans of codes, given by their ids."""
    ids = [*codes]
    found = [activities[id].change for id in ids if id in activities]
    changes = [change for change in found if change is not None]
    week = CountChange(sum(one.now for one in changes), sum(one.before for one in changes))
    return Usage(len(ids), len(changes), week)


def codes_by_host(codes: Iterable[QrCode]) -> dict[str, set[int]]:
    """The ids of codes, by the host that they lead to."""
    found: dict[str, set[int]] = {}
    for code in codes:
        found.setdefault(host_of(code.link), set()).add(code.id)
    return found


def host_of(link: str) -> str:
    """The host of an address, with its scheme or without; "" where there is none."""
    try:
        return urlsplit(link if "://" in link else f"//{link}").hostname or ""
    except ValueError:
        return ""
