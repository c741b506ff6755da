"""The past of the demo: what a user would have kept in some weeks, and done to its records; made up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from linkdash.demo.endpoint import ADMIN_ID
from linkdash.demo.service import DemoService
from linkdash.demo.statistics import (
    DAY,
    CodeProfile,
    Times,
    breakdowns,
    profile,
    totals,
)

# ---- the history of statistics, as plain numbers ----

DAYS = 60
"""The number of days that it goes back."""
CLOSE_DAYS = 16
"""For how many of its last days there are several readings a day."""
_HOUR, _QUARTER = 3_600, 900


Codes = Mapping[int, float]
"""The ids of codes with the moments at which they were created."""


class Past(NamedTuple):
    """A reading of a code at a moment in epoch seconds; only the scans where it was read in the list."""

    at: float
    scans: int
    clicks: int | None = None
    unique: int | None = None
    breakdowns: Mapping[str, Mapping[str, int]] = MappingProxyType({})


def listed(codes: Codes, seed: int, made: float, now: float) -> dict[int, list[Past]]:
    """The scans of each code as the list told them, once a day."""
    found = {}
    for code_id, created in codes.items():
        code, moments = profile(seed, code_id), [*_every(DAY, CLOSE_DAYS, created, now), now]
        found[code_id] = [Past(at, totals(code, Times(created, made, at)).scans) for at in moments]
    return found


def history(
    codes: Codes, seed: int, made: float, now: float, days: int = DAYS
) -> Iterator[tuple[int, list[Past]]]:
    """Of each busy code what was read of it alone, several times a day; the newest codes first.

    Only of the last `days`, where less than all of it is looked at.
    """
    far, close = min(days, DAYS), min(days, CLOSE_DAYS)
    for code_id in sorted((id for id in codes if id % 10 == 0), reverse=True):
        code, created = profile(seed, code_id), codes[code_id]
        moments = {*_every(DAY, far, created, now), *_every(DAY // 4, close, created, now)}
        if code_id % 50 == 0:  # followed closely for the last two days, and more so for some hours
            moments.update(_every(_HOUR, 2, created, now), _every(_QUARTER, 0.125, created, now))
        yield code_id, [_read(code, Times(created, made, at)) for at in sorted(moments)]


def _every(seconds: int, days: float, created: float, now: float) -> list[float]:
    """Round moments of the last days, none before the code was there."""
    last = int(now // seconds)
    first = int((now - days * DAY) // seconds) + 1
    return [float(number * seconds) for number in range(first, last + 1) if number * seconds > created]


def _read(code: CodeProfile, times: Times) -> Past:
    clicks, scans, unique = totals(code, times)
    if code.silent:
        return Past(times.now, scans)
    return Past(times.now, scans, clicks, unique, breakdowns(code, times, clicks))


# ---- lists that were asked for, and changes ----

_MINUTE = 60


class KeptPage(NamedTuple):
    """The `data` of an answer to a list request, and when it was given, in epoch seconds."""

    path: str
    params: Mapping[str, str | int]
    data: object
    at: float


class _List(NamedTuple):
    path: str
    seconds: float
    """Ago, when it was asked for."""
    is_paged: bool = True


_OPENED = 8  # channels

LIST_OF_CODES = "/api/qr"
"""The list of the QR codes."""
_LISTS = (
    _List("/api/account", 12 * _MINUTE, is_paged=False),
    _List(LIST_OF_CODES, 12 * _MINUTE),
    _List("/api/users", 26 * _MINUTE, is_paged=False),
    _List("/api/plans", 26 * _MINUTE, is_paged=False),
    _List("/api/channels", 2 * _HOUR),
    _List("/api/campaigns", 2 * _HOUR),
    _List("/api/pixels", 26 * _HOUR),
    _List("/api/domains", 26 * _HOUR),
    _List("/api/overlay", 75 * _HOUR),
    _List("/api/splash", 75 * _HOUR),
)


def kept_pages(service: DemoService, only: str) -> Iterator[KeptPage]:
    """Every page of every list, or of the one at the path `only`, as of some minutes, hours or days ago."""
    now, limit = service.settings.clock(), service.settings.page_cap
    for path, seconds, is_paged in _LISTS:
        if only not in ("", path):
            continue
        at = now - seconds
        if not is_paged:
            yield KeptPage(path, {}, service.data(path, {}, at), at)
            continue
        number, last = 1, 1
        while number <= last:
            params = {"limit": limit, "page": number}
            data: Any = service.data(path, params, at)
            yield KeptPage(path, params, data, at)
            number, last = number + 1, data["maxpage"]


def pages_of_channels(service: DemoService) -> Iterator[KeptPage]:
    """The items of the newest channels, as of some hours ago."""
    at, params = service.settings.clock() - 2 * _HOUR, {"limit": service.settings.page_cap, "page": 1}
    data: Any = service.data("/api/channels", {"limit": _OPENED}, at)
    for id in (channel["id"] for channel in data["channels"]):
        items = service.data("/api/channel/{id:int}", params, at, id=id)
        yield KeptPage(f"/api/channel/{id}", params, items, at)


@dataclass(frozen=True)
class MadeChange:
    """A write of the last days, as a journal keeps it."""

    seconds: float
    """Ago, when it was sent."""
    method: str
    path: str
    resource: str
    action: str
    ids: tuple[int, ...]
    names: tuple[str, ...]
    sent: Mapping[str, object] = field(default_factory=dict)
    before: Mapping[str, object] | None = None
    outcome: str = "done"
    message: str = ""
    found: str = ""
    """The evidence, found later, that a change of unknown outcome had been made."""


def made_changes(service: DemoService) -> Sequence[MadeChange]:
    """Write to records that are there, the oldest first; what they have set is what the records say."""
    pixel = _newest(service, "/api/pixels", "pixels")
    code = _newest(service, "/api/qr", "qrs")
    channel = _newest(service, "/api/channels", "channels", but=1)
    campaign = _newest(service, "/api/campaigns", "campaigns")
    user, plan = _subscriber(service)
    name = campaign.get("name") or campaign["domain"]
    return (
        MadeChange(
            *(51 * _HOUR, "DELETE", "/api/domain/13/delete", "domains", "delete", (13,)),
            ("https://old.museum.example",),
        ),
        MadeChange(
            *(27 * _HOUR, "POST", "/api/domain/add", "domains", "create", ()),
            ("https://shop.invalid",),
            {"domain": "https://shop.invalid"},
            outcome="rejected",
            message="shop.invalid does not point to this service.",
        ),
        MadeChange(
            *(26 * _HOUR, "PUT", f"/api/pixel/{pixel['id']}/update", "pixels", "update", (pixel["id"],)),
            (pixel["name"],),
            {"tag": pixel["tag"]},
            {"tag": f"{pixel['tag'][:3]}000000000"},
        ),
        MadeChange(
            *(3 * _HOUR, "PUT", f"/api/qr/{code['id']}/update", "qr", "update", (code["id"],)),
            (code["name"],),
            {"foreground": "rgb(61,90,128)"},
            {"foreground": None},
            outcome="unknown",
            message="The connection ended before the answer came.",
            found="The service shows what was sent.",
        ),
        MadeChange(
            *(95 * _MINUTE, "POST", f"/api/channel/{channel['id']}/assign/links/12"),
            *("channels", "assign", (channel["id"], 12)),
            (channel["name"],),
            {"type": "links"},
        ),
        MadeChange(
            *(40 * _MINUTE, "PUT", f"/api/plan/{plan['id']}/user/{user['id']}"),
            *("users", "subscribe", (user["id"], plan["id"])),
            (user["username"], plan["name"]),
            {"type": "monthly"},
        ),
        MadeChange(
            *(14 * _MINUTE, "PUT", f"/api/campaign/{campaign['id']}/update"),
            *("campaigns", "update", (campaign["id"],)),
            (name,),
            {"name": name},
            {"name": f"{name} (draft)"},
        ),
    )


class OpenedRecord(NamedTuple):
    """A record that a visitor would have opened."""

    resource: str
    id: int
    name: str


def opened_records(service: DemoService) -> list[OpenedRecord]:
    """Some of each kind, the latest first."""
    code, older = (_newest(service, "/api/qr", "qrs", but) for but in (0, 10))
    pixel = _newest(service, "/api/pixels", "pixels")
    channel = _newest(service, "/api/channels", "channels", but=1)
    campaign = _newest(service, "/api/campaigns", "campaigns")
    user, _ = _subscriber(service)
    return [
        OpenedRecord("qr", code["id"], code["name"]),
        OpenedRecord("users", user["id"], user["username"]),
        OpenedRecord("channels", channel["id"], channel["name"]),
        OpenedRecord("qr", older["id"], older["name"]),
        OpenedRecord("campaigns", campaign["id"], campaign.get("name") or campaign["domain"]),
        OpenedRecord("pixels", pixel["id"], pixel["name"]),
    ]


_WATCHED = (0, 20, 5)  # how many codes are newer than it


def watched_codes(service: DemoService) -> dict[int, str]:
    """Codes that a visitor would watch, by id, with their names: one fell, one rose, one is as ever."""
    codes = (_newest(service, "/api/qr", "qrs", but) for but in _WATCHED)
    return {code["id"]: code["name"] for code in codes}


def _newest(service: DemoService, path: str, member: str, but: int = 0) -> dict[str, Any]:
    """The newest record of a list, but for so many."""
    data: Any = service.data(path, {"limit": but + 1}, service.settings.clock())
    newest: dict[str, Any] = data[member][but]
    return newest


def _subscriber(service: DemoService) -> tuple[dict[str, Any], dict[str, Any]]:
    """A user who pays, not the one whose key is shown, and their plan."""
    now = service.settings.clock()
    users: Any = service.data("/api/users", {}, now)
    plans: Any = service.data("/api/plans", {}, now)
    user = next(user for user in users if user["status"] == "pro" and user["id"] != ADMIN_ID)
    return user, next(plan for plan in plans if plan["id"] == user["planid"])
