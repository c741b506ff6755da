"""Answers of deployed services that stray from the reference: a table, one line a row."""
# ruff: noqa: E501  a row that is folded is no row

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple, TypeVar

from linkdash.api import Client
from linkdash.api.errors import (
    AdminRequired,
    AnswerLost,
    KeyRefused,
    NotAnAnswer,
    OutcomeUnknown,
    Rejected,
    ServiceError,
    UnreadableAnswer,
)
from linkdash.api.paging import Page
from linkdash.api.records import Record, Unreadable
from linkdash.demo.faults import Fault

R = TypeVar("R", bound=Record)
Look = Callable[[Client], Awaitable[object]]
"""Asks for something and returns what the row is about."""


class Row(NamedTuple):
    """A service's answer and what must come out of it: a value, or an error and a part of its text."""

    name: str
    look: Look
    answer: object
    expected: object


class Failure(NamedTuple):
    """The error that must come out, and words of it."""

    kind: type[ServiceError]
    words: str = ""


@dataclass(frozen=True)
class Http:
    """An answer with more than a JSON body."""

    body: object = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


# ---- what a row looks at ----


def rows_of(page: Page[R]) -> list[object]:
    """The ids of the records of a page; the text of each row that is none."""
    return [row.text if isinstance(row, Unreadable) else row.id for row in page.rows]


async def domains(client: Client) -> object:
    return rows_of(await client.domains.list())


async def overlays(client: Client) -> object:
    return rows_of(await client.overlays.list())


async def items(client: Client) -> object:
    return [row.key for row in (await client.channels.items(1)).rows]


async def plans(client: Client) -> object:
    return rows_of(await client.plans.list())


async def users(client: Client) -> object:
    return rows_of(await client.users.list())


async def numbers(client: Client) -> object:
    page = await client.domains.list()
    return page.result, page.perpage, page.currentpage, page.nextpage, page.maxpage


async def made(client: Client) -> object:
    return (await client.domains.create(domain="https://go.example.org")).id_or_none


async def deleted(client: Client) -> object:
    return (await client.domains.delete(1)).message


async def campaign(client: Client) -> object:
    made = await client.campaigns.create(name="Spring")
    return made.id_or_none, made.name, made.rotator, made.model_extra


async def account(client: Client) -> object:
    found = await client.account.get()
    return found.id, found.username


async def new_user(client: Client) -> object:
    made = await client.users.create(username="ann", email="ann@example.org", password="secret")
    return made.id_or_none, made.username


async def one_user(client: Client) -> object:
    found = await client.users.get(3)
    return found.id


async def qr_counts(client: Client) -> object:
    reading = await client.qr.get(1)
    statistics = reading.statistics
    counts = statistics and (statistics.clicks, statistics.unique_clicks, statistics.countries)
    return reading.code.key, counts


def field_of(resource: str, name: str) -> Look:
    """Look at one field of the only record of a list, and at its text where it was not understood."""

    async def look(client: Client) -> object:
        (record,) = (await getattr(client, resource).list()).rows
        return record.odd.get(name, getattr(record, name))

    return look


async def day(client: Client) -> object:
    (item,) = (await client.channels.items(1)).items
    return item.date


async def limit_team(client: Client) -> object:
    (found,) = (await client.plans.list()).items
    assert found.limits is not None
    team = found.limits.features["team"]
    return team.enabled, team.count, dict(team.odd), dict(found.limits.odd)


async def monthly(client: Client) -> object:
    (found,) = (await client.plans.list()).items
    return found.prices and found.prices.odd.get("monthly", found.prices.monthly)


# ---- answers ----


def listed(*records: object, collection: str = "domains", **numbers: object) -> dict[str, object]:
    """A list answer as documented, with what is given in the place of its numbers."""
    envelope = {"result": len(records), "perpage": 25, "currentpage": 1, "nextpage": 1, "maxpage": 1}
    return {"error": "0", "data": {**envelope, **numbers, collection: list(records)}}


def one(collection: str, **members: object) -> dict[str, object]:
    """A list of one record."""
    return listed({"id": 1, **members}, collection=collection)


def user(**members: object) -> dict[str, object]:
    return {"error": 0, "data": [{"id": 1, **members}]}


def plan(**members: object) -> dict[str, object]:
    return {"error": 0, "data": [{"id": 1, **members}]}


def counted(data: object, details: object = {"id": 1}) -> dict[str, object]:
    return {"error": 0, "details": details, "data": data}


GOOD = listed({"id": 1})
TEXT = json.dumps(GOOD)
HTML = "<!DOCTYPE html><html><body>Checking your browser</body></html>"


# ---- the table ----

# fmt: off

ENVELOPE = (
    Row("error 0", domains, {**GOOD, "error": 0}, [1]),
    Row('error "0"', domains, {**GOOD, "error": "0"}, [1]),
    Row("error false", domains, {**GOOD, "error": False}, [1]),
    Row("error null", domains, {**GOOD, "error": None}, [1]),
    Row("error missing", domains, {"data": GOOD["data"]}, [1]),
    Row("error empty", domains, {**GOOD, "error": ""}, [1]),
    Row('error "false"', domains, {**GOOD, "error": "false"}, [1]),
    Row("error 1", domains, {"error": 1, "message": "No."}, Failure(Rejected, "No.")),
    Row('error "1"', domains, {"error": "1", "message": "No."}, Failure(Rejected, "No.")),
    Row("error true", domains, {"error": True, "message": "No."}, Failure(Rejected, "No.")),
    Row("error 2", domains, {"error": 2, "message": "No."}, Failure(Rejected, "No.")),
    Row("error is the message", domains, {"error": "Gone fishing"}, Failure(Rejected, "Gone fishing")),
    Row("error beside data", domains, {**GOOD, "error": 1}, Failure(Rejected, "without a reason")),
    Row("message as msg", deleted, {"error": 0, "msg": "Deleted."}, "Deleted."),
    Row("message missing", deleted, {"error": 0}, ""),
    Row("message null", deleted, {"error": 0, "message": None}, ""),
    Row("message with HTML", deleted, {"error": 0, "message": "<b>Gone</b><br/>now &amp; here"}, "Gone now & here"),
    Row("message with controls", deleted, {"error": 0, "message": "a\u001b[2Jb"}, "a\ufffd[2Jb"),
    Row("message as entities", deleted, {"error": 0, "message": "&#27;[2J"}, "[2J"),
    Row("message translated", domains, {"error": 1, "message": "Erfolgreich"}, Failure(Rejected, "Erfolgreich")),
    Row("message as a list", domains, {"error": 1, "message": ["No", "way"]}, Failure(Rejected, "No way")),
    Row("message by member", domains, {"error": 1, "message": {"name": ["too long"]}}, Failure(Rejected, "too long")),
    Row("message of many lines", deleted, {"error": 0, "message": "one\r\ntwo"}, "one two"),
    Row("message endless", deleted, {"error": 0, "message": "x" * 9999}, "x" * 500),
)

IDENTIFIERS = (
    Row("id at the top", made, {"error": 0, "id": 7}, 7),
    Row("id as text", made, {"error": 0, "id": "7"}, 7),
    Row("id under data", made, {"error": 0, "data": {"id": "7"}}, 7),
    Row("id is data", made, {"error": 0, "data": 7}, 7),
    Row("id missing", made, {"error": 0, "message": "Made."}, None),
    Row("id null beside data", made, {"error": 0, "id": None, "data": {"id": 7}}, 7),
    Row("id in a list as text", domains, listed({"id": "12"}), [12]),
    Row("id with a comma", domains, listed({"id": "1,234"}), [1234]),
    Row("id that is none", domains, listed({"id": "abc"}, {"id": 2}), ["{'id': 'abc'}", 2]),
    Row("id null", domains, listed({"id": None}, {"id": 2}), ["{'id': None}", 2]),
    Row("id missing in a row", domains, listed({"domain": "x"}, {"id": 2}), ["{'domain': 'x'}", 2]),
    Row("id zero", domains, listed({"id": 0}, {"id": 2}), ["{'id': 0}", 2]),
    Row("id below zero", domains, listed({"id": "-3"}, {"id": 2}), ["{'id': '-3'}", 2]),
    Row("id beyond 64 bits", domains, listed({"id": 2**63}, {"id": 2**63 - 1}), ["{'id': 9223372036854775808}", 2**63 - 1]),
    Row("id beyond 64 bits of what was made", made, {"error": 0, "id": 2**63, "message": "Made."}, None),
    Row("id true", domains, listed({"id": True}, {"id": 2}), ["{'id': True}", 2]),
    Row("campaign at the top", campaign, {"error": 0, "id": "4", "domain": "Spring", "rotator": False}, (4, "Spring", "", {})),
    Row("campaign under data", campaign, {"error": 0, "data": {"id": 4, "name": "Spring"}}, (4, "Spring", "", {})),
    Row("campaign beside empty data", campaign, {"error": 0, "data": [], "id": 4, "name": "S"}, (4, "S", "", {})),
    Row("account as a list of one", account, {"error": 0, "data": [{"id": 1, "username": "ann"}]}, (1, "ann")),
    Row("account at the top", account, {"error": 0, "id": 1, "username": "ann"}, (1, "ann")),
    Row("account empty", account, {"error": 0, "data": []}, Failure(UnreadableAnswer, "no readable account")),
    Row("new user at the top", new_user, {"error": 0, "id": 5, "username": "ann", "message": "Made."}, (5, "ann")),
    Row("another user", one_user, {"error": 0, "data": {"id": 4}}, Failure(UnreadableAnswer, "another user: 4 instead of 3")),
    Row("user as a list of one", one_user, {"error": 0, "data": [{"id": 3}]}, 3),
)

VALUES = (
    Row("count as text", field_of("qr", "scans"), one("qrs", scans="12"), 12),
    Row("count with a comma", field_of("qr", "scans"), one("qrs", scans="1,234,567"), 1234567),
    Row("count with points", field_of("qr", "scans"), one("qrs", scans="1.234.567"), 1234567),
    Row("count with a point", field_of("qr", "scans"), one("qrs", scans="1.234"), 1234),
    Row("count null", field_of("qr", "scans"), one("qrs", scans=None), None),
    Row("count missing", field_of("qr", "scans"), one("qrs"), None),
    Row("count empty", field_of("qr", "scans"), one("qrs", scans=""), None),
    Row("count as a float", field_of("qr", "scans"), one("qrs", scans=12.0), 12),
    Row("count in words", field_of("qr", "scans"), one("qrs", scans="many"), "many"),
    Row("count beyond 64 bits", field_of("qr", "scans"), one("qrs", scans=2**64), "18446744073709551616"),
    Row("numbers of a list beyond 64 bits", domains, listed({"id": 1}, result=2**64, maxpage=2**64), [1]),
    Row("count NaN", field_of("qr", "scans"), b'{"error":0,"data":{"qrs":[{"id":1,"scans":NaN}]}}', "nan"),
    Row("boolean 0", field_of("channels", "starred"), one("channels", starred=0), False),
    Row('boolean "1"', field_of("channels", "starred"), one("channels", starred="1"), True),
    Row("boolean null", field_of("channels", "starred"), one("channels", starred=None), None),
    Row("boolean in words", field_of("channels", "starred"), one("channels", starred="maybe"), "maybe"),
    Row("rotator false", field_of("campaigns", "rotator"), one("campaigns", rotator=False), ""),
    Row('rotator "0"', field_of("campaigns", "rotator"), one("campaigns", rotator="0"), ""),
    Row("name under domain", field_of("campaigns", "name"), one("campaigns", domain="Spring"), "Spring"),
    Row("name null beside domain", field_of("campaigns", "name"), one("campaigns", name=None, domain="Spring"), "Spring"),
    Row("name odd under domain", field_of("campaigns", "name"), one("campaigns", domain=["Spring"]), "['Spring']"),
    Row("text null", field_of("pixels", "tag"), one("pixels", tag=None), ""),
    Row("text as a number", field_of("pixels", "tag"), one("pixels", tag=123), "123"),
    Row("text as a map", field_of("pixels", "tag"), one("pixels", tag={"a": 1}), "{'a': 1}"),
    Row("text with controls", field_of("pixels", "name"), one("pixels", name="a\u0007\u202eb"), "a\u0007\u202eb"),
    Row("pixel type unknown", field_of("pixels", "type"), one("pixels", type="mastodon"), "mastodon"),
    Row("overlay type unknown", field_of("overlays", "type"), one("cta", type="countdown"), "countdown"),
    Row("status unknown", field_of("users", "status"), user(status="banned"), "banned"),
    Row("unknown member", field_of("users", "model_extra"), user(vip=1), {"vip": 1}),
    Row("date null", field_of("users", "expires"), user(expires=None), None),
    Row("date empty", field_of("users", "expires"), user(expires=""), None),
    Row("date of zeros", field_of("users", "expires"), user(expires="0000-00-00 00:00:00"), None),
    Row("date only", field_of("users", "expires"), user(expires="2026-03-01"), datetime(2026, 3, 1)),
    Row("date without zone", field_of("users", "expires"), user(expires="2026-03-01 10:20:30"), datetime(2026, 3, 1, 10, 20, 30)),
    Row("date that is none", field_of("users", "expires"), user(expires="2026-02-30 00:00:00"), "2026-02-30 00:00:00"),
    Row("day with a time", day, one("items", date="2026-03-01 10:20:30"), date(2026, 3, 1)),
    Row("prices as a list", field_of("plans", "prices"), plan(prices=[]), None),
    Row("prices false", field_of("plans", "prices"), plan(prices=False), None),
    Row("price as text", monthly, plan(prices={"monthly": "1,250.5"}), Decimal("1250.50")),
    Row("price null", monthly, plan(prices={"monthly": None}), None),
    Row("price enormous", monthly, plan(prices={"monthly": 1e300}), "1e+300"),
    Row("price in words", monthly, plan(prices={"monthly": "ask us"}), "ask us"),
    Row("limits as a list", field_of("plans", "limits"), plan(limits=[]), None),
    Row("feature as text", limit_team, plan(limits={"team": {"enabled": "1", "count": "5"}}), (True, 5, {}, {})),
    Row("feature odd", limit_team, plan(limits={"team": {"enabled": "perhaps", "count": "5"}}), (None, 5, {"enabled": "perhaps"}, {})),
    Row("feature as a flag", limit_team, plan(limits={"team": "1"}), (True, None, {}, {})),
    Row("feature as a list", limit_team, plan(limits={"team": {}, "links": "x"}), (None, None, {}, {"links": "x"})),
)

LISTS = (
    Row("empty list", domains, listed(maxpage=0, result=0, nextpage=0), []),
    Row("data as an empty list", domains, {"error": "0", "data": []}, []),
    Row("data null", domains, {"error": "0", "data": None}, []),
    Row("data missing", domains, {"error": "0"}, Failure(NotAnAnswer)),
    Row("data an empty object", domains, {"error": 0, "data": {}}, Failure(NotAnAnswer)),
    Row("collection null", domains, {"error": "0", "data": {"result": 0, "domains": None}}, []),
    Row("collection missing", domains, {"error": "0", "data": {"result": 0, "maxpage": 0}}, []),
    Row("collection as a map of positions", domains, {"error": 0, "data": {"domains": {"0": {"id": 1}, "2": {"id": 3}}}}, [1, 3]),
    Row("collection under another name", domains, listed({"id": 1}, collection="sites"), [1]),
    Row("list without an envelope", domains, {"error": 0, "data": [{"id": 1}, {"id": 2}]}, [1, 2]),
    Row("envelope at the top", domains, {"error": 0, "domains": [{"id": 1}], "result": 1}, [1]),
    Row("overlays under cta", overlays, listed({"id": 1}, collection="cta"), [1]),
    Row("overlays under overlay", overlays, listed({"id": 1}, collection="overlay"), [1]),
    Row("overlays beside an empty cta", overlays, {"error": 0, "data": {"cta": [], "overlay": [{"id": 1}]}}, [1]),
    Row("users as a map of positions", users, {"error": 0, "data": {"0": {"id": 1}, "5": {"id": 2}}}, [1, 2]),
    Row("users under a name", users, {"error": 0, "data": {"users": [{"id": 1}]}}, [1]),
    Row("plan that is no list", plans, {"error": 0, "data": {"id": 1, "name": "Pro"}}, [1]),
    Row("list in words", plans, {"error": 0, "data": "no plans"}, Failure(NotAnAnswer, "list")),
    Row("number for a list", domains, {"error": 0, "data": 5}, Failure(NotAnAnswer, "list")),
    Row("words for a collection", domains, {"error": 0, "data": {"domains": "x"}}, Failure(NotAnAnswer, "list")),
    Row("null among rows", domains, listed(None, {"id": 2}), ["None", 2]),
    Row("text among rows", domains, listed("x\u001b[2J", {"id": 2}), ["x\ufffd[2J", 2]),
    Row("list among rows", domains, listed([1, 2], {"id": 2}), ["[1, 2]", 2]),
    Row("the same id twice", domains, listed({"id": 2}, {"id": 2}), [2, 2]),
    Row("items of two types with one id", items, listed({"id": 1, "type": "qr"}, {"id": 1, "type": "bio"}, collection="items"), [("qr", 1), ("bio", 1)]),
    Row("secret of an unreadable row", users, {"error": 0, "data": [{"apikey": "s3cret"}]}, ["{'apikey': '••••••••'}"]),
    Row("numbers as text", numbers, listed(result="1,204", perpage="25", currentpage="2", nextpage="3", maxpage="49"), (1204, 25, 2, 3, 49)),
    Row("numbers missing", numbers, {"error": 0, "data": {"domains": [{"id": 1}]}}, (None,) * 5),
    Row("nextpage null", numbers, listed(nextpage=None), (0, 25, 1, None, 1)),
    Row("nextpage false", numbers, listed(nextpage=False), (0, 25, 1, 0, 1)),
    Row("nextpage empty", numbers, listed(nextpage=""), (0, 25, 1, None, 1)),
    Row("numbers in words", numbers, listed(result="some", maxpage=[]), (None, 25, 1, 1, None)),
    Row("numbers below zero", numbers, listed(result=-5, perpage="-1", maxpage=-3), (None, None, 1, 1, None)),
    Row("limit capped", numbers, listed(perpage=15), (0, 15, 1, 1, 1)),
)

STATISTICS = (
    Row("statistics", qr_counts, counted({"clicks": 3, "uniqueClicks": 2, "topCountries": {"Peru": "2"}}), (1, (3, 2, {"Peru": 2}))),
    Row("statistics as a list", qr_counts, counted([]), (1, None)),
    Row("statistics null", qr_counts, counted(None), (1, None)),
    Row("statistics missing", qr_counts, {"error": 0, "details": {"id": 1}}, (1, None)),
    Row("counts as text", qr_counts, counted({"clicks": "1,003", "uniqueClicks": "2"}), (1, (1003, 2, {}))),
    Row("countries as a list", qr_counts, counted({"clicks": 0, "topCountries": []}), (1, (0, None, {}))),
    Row("countries as counts in order", qr_counts, counted({"clicks": 0, "topCountries": ["4", "2"]}), (1, (0, None, {"0": 4, "1": 2}))),
    Row("country without a name", qr_counts, counted({"topCountries": {"": "2", "Unknown": 1}}), (1, (None, None, {"": 2, "Unknown": 1}))),
    Row("country null", qr_counts, counted({"clicks": 1, "topCountries": None}), (1, (1, None, {}))),
    Row("country in words", qr_counts, counted({"clicks": 1, "topCountries": "none"}), (1, (1, None, {}))),
    Row("countries that look alike", qr_counts, counted({"topCountries": {"a\u200b": 1, "a\u200c": 2}}), (1, (None, None, {"a\u200b": 1, "a\u200c": 2}))),
    Row("more clicks than scans, and a sum of neither", qr_counts, counted({"clicks": 5, "topCountries": {"Peru": 9}}), (1, (5, None, {"Peru": 9}))),
    Row("details under data", qr_counts, {"error": 0, "data": {"details": {"id": 1}, "data": {"clicks": 4}}}, (1, (4, None, {}))),
    Row("details as a list of one", qr_counts, counted({"clicks": 4}, [{"id": 1}]), (1, (4, None, {}))),
    Row("details of another code", qr_counts, counted({"clicks": 4}, {"id": 2}), Failure(UnreadableAnswer, "another QR code: 2 instead of 1")),
    Row("details missing", qr_counts, {"error": 0, "data": {"clicks": 4}}, (1, (4, None, {}))),
)

BODIES = (
    Row("byte order mark", domains, b"\xef\xbb\xbf" + TEXT.encode(), [1]),
    Row("notice before the JSON", domains, f"<br />\n<b>Notice</b>: Undefined index\n{TEXT}", [1]),
    Row("deprecation before a failure", domains, 'Deprecated: x\n{"error": 1, "message": "No."}', Failure(Rejected, "No.")),
    Row("space around the JSON", domains, f"\n\n {TEXT} \n", [1]),
    Row("wrong content type", domains, Http(TEXT, headers={"Content-Type": "text/html"}), [1]),
    Row("invalid UTF-8", field_of("pixels", "name"), b'{"error":0,"data":{"pixels":[{"id":1,"name":"a\xffb"}]}}', "a\ufffdb"),
    Row("half a surrogate pair", field_of("pixels", "name"), b'{"error":0,"data":{"pixels":[{"id":1,"name":"a\\ud800b"}]}}', "a\ud800b"),
    Row("whole surrogate pair beside half of one", field_of("pixels", "name"), b'{"error":0,"data":{"pixels":[{"id":1,"name":"\\ud83d\\ude00\\udc00"}]}}', "😀\udc00"),
    Row("raw control character", field_of("pixels", "name"), b'{"error":0,"data":{"pixels":[{"id":1,"name":"a\x01b\nc"}]}}', "a\x01b\nc"),
    Row("web page", domains, HTML, Failure(NotAnAnswer, "a web page (status 200)")),
    Row("web page for a write", deleted, HTML, Failure(OutcomeUnknown, "a web page")),
    Row("empty", domains, b"", Failure(NotAnAnswer, "an empty answer")),
    Row("empty for a write", deleted, b"", Failure(OutcomeUnknown, "an empty answer")),
    Row("blank", domains, b" \n ", Failure(NotAnAnswer, "an empty answer")),
    Row("truncated JSON", domains, TEXT[:-3], Failure(NotAnAnswer, "broken JSON")),
    Row("truncated JSON for a write", deleted, '{"error": 0, "mess', Failure(OutcomeUnknown, "broken JSON")),
    Row("truncated body", domains, Http(TEXT, headers={"Content-Length": "9999"}), Failure(AnswerLost)),
    Row("truncated body of a write", deleted, Http('{"error":0}', headers={"Content-Length": "99"}), Failure(OutcomeUnknown)),
    Row("deep JSON", domains, '{"error":0,"data":' + "[" * 9000 + "]" * 9000 + "}", Failure(NotAnAnswer, "broken JSON")),
    Row("deep row", domains, {"error": 0, "data": [json.loads("[" * 90 + "]" * 90), {"id": 2}]}, ["[" * 90 + "]" * 90, 2]),
    Row("JSON text", domains, '"hello"', Failure(NotAnAnswer, "not an object")),
    Row("JSON null", domains, "null", Failure(NotAnAnswer, "broken JSON")),
    Row("JSON of something else", domains, {"detail": "hello"}, Failure(NotAnAnswer, "something else")),
    Row("empty object", domains, {}, Failure(NotAnAnswer, "something else")),
    Row("empty object for a write", deleted, {}, Failure(OutcomeUnknown, "something else")),
    Row("the same member twice", domains, b'{"error":1,"error":0,"data":[{"id":1}]}', [1]),
)

STATUSES = (
    Row("failure with 200", domains, {"error": 1, "message": "No."}, Failure(Rejected, "No.")),
    Row("failure with 400", deleted, Http({"error": 1, "message": "No."}, 400), Failure(Rejected, "No.")),
    Row("failure with 404", deleted, Http({"error": 1, "message": "None."}, 404), Failure(Rejected, "None.")),
    Row("failure with 422 and no error", deleted, Http({"message": "Bad."}, 422), Failure(Rejected, "Bad.")),
    Row("success with 404", domains, Http(GOOD, 404), Failure(Rejected, "status 404")),
    Row("bad key with 401", domains, Http({"error": 1, "message": "Bad key."}, 401), Failure(KeyRefused, "Bad key.")),
    Row("bad key with 403", domains, Http({"error": 1, "message": "Bad key."}, 403), Failure(KeyRefused, "Bad key.")),
    Row("bad key with 401 and a page", domains, Http(HTML, 401), Failure(KeyRefused, "Authorization")),
    Row("bad key with 401 and nothing", domains, Http(b"", 401), Failure(KeyRefused, "refuses the key")),
    Row("protection page with 403", domains, Http(HTML, 403), Failure(NotAnAnswer, "a web page (status 403)")),
    Row("no admin with 403", users, Http({"error": 1, "message": "No."}, 403), Failure(AdminRequired, "No.")),
    Row("no admin with 200", plans, {"error": 1, "message": "No."}, Failure(AdminRequired, "No.")),
    Row("no admin for one user", one_user, Http({"error": 1}, 403), Failure(AdminRequired)),
    Row("no admin for a new user", new_user, Http({"error": 1}, 403), Failure(AdminRequired)),
    Row("no such user", one_user, {"error": 1, "message": "No user."}, Failure(Rejected, "No user.")),
    Row("user name taken", new_user, Http({"error": 1, "message": "Taken."}, 400), Failure(Rejected, "Taken.")),
    Row("bad key for the users", users, Http({"error": 1}, 401), Failure(KeyRefused)),
    Row("service failed for a read", domains, Http({"error": 1, "message": "Oops."}, 500), Failure(NotAnAnswer, "Oops.")),
    Row("service failed for a write", deleted, Http({"error": 1, "message": "Oops."}, 500), Failure(OutcomeUnknown, "Oops.")),
    Row("service ran out of time for a write", deleted, Http({"error": 1, "message": "Late."}, 408), Failure(OutcomeUnknown, "Late.")),
    Row("service ran out of time for a read", domains, Http({"error": 1, "message": "Late."}, 408), Failure(Rejected, "Late.")),
    Row("framework failed for a write", deleted, Http({"message": "Server Error"}, 500), Failure(OutcomeUnknown, "500")),
    Row("page with 500 for a write", deleted, Http(HTML, 500), Failure(OutcomeUnknown, "500")),
    Row("page with 404 for a write", deleted, Http(HTML, 404), Failure(NotAnAnswer, "a web page (status 404)")),
    Row("gateway for a read", domains, Http(HTML, 502), Failure(NotAnAnswer, "502")),
    Row("gateway for a write", deleted, Http(HTML, 502), Failure(OutcomeUnknown, "check before")),
    Row("gateway with JSON for a write", deleted, Http({"error": 1, "message": "Bad gateway"}, 502), Failure(OutcomeUnknown, "Bad gateway")),
    Row("gateway timed out for a write", deleted, Http({"error": True}, 504), Failure(OutcomeUnknown)),
    Row("moved", domains, Http(b"", 301, {"Location": "https://other.example/"}), Failure(NotAnAnswer, "https://other.example/")),
    Row("moved for a write", deleted, Http(b"", 308, {"Location": "https://other.example/"}), Failure(NotAnAnswer, "redirect")),
    Row("led away after a write", deleted, Http(b"", 302, {"Location": "/login"}), Failure(OutcomeUnknown, "/login")),
    Row("moved nowhere", domains, Http(b"", 302), Failure(NotAnAnswer, "nowhere")),
    Row("unknown compression", domains, Http(TEXT, headers={"Content-Encoding": "br"}), Failure(NotAnAnswer, "compressed")),
    Row("compressed in name only", domains, Http(TEXT, headers={"Content-Encoding": "gzip"}), Failure(NotAnAnswer, "compressed")),
    Row("compressed twice", domains, Http(TEXT, headers={"Content-Encoding": "gzip, gzip"}), Failure(NotAnAnswer, "compressed")),
    Row("compression named identity", domains, Http(TEXT, headers={"Content-Encoding": "identity"}), [1]),
    Row("no rate headers", domains, TEXT, [1]),
    Row("nothing remaining", domains, Http(TEXT, headers={"X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "0"}), [1]),
    Row("garbage in the rate headers", domains, Http(TEXT, headers={"X-RateLimit-Limit": "x", "X-RateLimit-Reset": "\u00e9"}), [1]),
)

ROWS = (*ENVELOPE, *IDENTIFIERS, *VALUES, *LISTS, *STATISTICS, *BODIES, *STATUSES)


def fault_of(row: Row) -> Fault:
    """The answer of a row, with the rate headers of the demo: without them the budget rightly waits."""
    answer = row.answer if isinstance(row.answer, Http) else Http(row.answer)
    body = answer.body
    content = (
        body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    )
    return Fault(content=content, status=answer.status, headers=answer.headers)
