"""Paging, the envelope of lists, and how many records there are to begin with."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.service.visitor import Visitor

LISTS = [
    ("/api/domains", "domains", 12),
    ("/api/overlay", "cta", 18),
    ("/api/campaigns", "campaigns", 45),
    ("/api/channels", "channels", 30),
    ("/api/splash", "splash", 14),
    ("/api/pixels", "pixels", 130),
    ("/api/qr", "qrs", 400),
]


def every_record(reader: Visitor, path: str, collection: str) -> list[Any]:
    pages = range(1, reader.read(f"{path}?limit=100")["data"]["maxpage"] + 1)
    return [row for page in pages for row in reader.read(f"{path}?limit=100&page={page}")["data"][collection]]


@pytest.mark.parametrize(("path", "collection", "count"), LISTS)
def test_the_first_page_has_the_documented_envelope(
    path: str, collection: str, count: int, reader: Visitor
) -> None:
    answer = reader.read(path)
    page = answer["data"]
    records = page.pop(collection)
    assert answer["error"] == "0"
    maxpage = -(-count // 25)
    assert page == {
        "result": count,
        "perpage": 25,
        "currentpage": 1,
        "nextpage": min(2, maxpage),
        "maxpage": maxpage,
    }
    assert len(records) == min(25, count)


@pytest.mark.parametrize(("path", "collection", "count"), LISTS)
def test_the_pages_together_hold_every_record_once(
    path: str, collection: str, count: int, reader: Visitor
) -> None:
    seen = []
    for page in range(1, -(-count // 7) + 1):
        seen += [row["id"] for row in reader.read(f"{path}?limit=7&page={page}")["data"][collection]]
    assert sorted(seen) == list(range(1, count + 1))
    assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize(
    ("query", "perpage", "current", "following", "rows"),
    [
        ("limit=100", 100, 1, 2, 100),
        ("limit=5000", 100, 1, 2, 100),
        ("limit=60&page=3", 60, 3, 3, 10),
        ("limit=65&page=2", 65, 2, 2, 65),
        ("page=7", 25, 7, 6, 0),
        ("page=99999999999999999999999", 25, 99999999999999999999999, 6, 0),
    ],
)
def test_limit_and_page(
    query: str, perpage: int, current: int, following: int, rows: int, reader: Visitor
) -> None:
    page = reader.read(f"/api/pixels?{query}")["data"]
    assert (page["perpage"], page["currentpage"], page["nextpage"]) == (perpage, current, following)
    assert len(page["pixels"]) == rows


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=ten", "limit=", "page=0", "page=1.5"])
def test_a_limit_or_page_that_is_no_number_of_one_or_more_is_invalid(query: str, reader: Visitor) -> None:
    response = reader.get(f"/api/pixels?{query}")
    assert response.status_code == 400
    assert response.json() == {
        "error": 1,
        "message": f"{query.partition('=')[0]} must be an integer of 1 or more.",
    }


def test_a_channel_without_items_is_an_empty_page(reader: Visitor) -> None:
    page = reader.read("/api/channel/10")["data"]
    assert page == {"result": 0, "perpage": 25, "currentpage": 1, "nextpage": 0, "maxpage": 0, "items": []}


def test_channels_hold_items_of_every_type(reader: Visitor) -> None:
    items = [
        item for channel in range(1, 31) for item in every_record(reader, f"/api/channel/{channel}", "items")
    ]
    assert set(Counter(item["type"] for item in items)) == {"links", "bio", "qr"}
    assert all(datetime.strptime(item["date"], "%Y-%m-%d").tzinfo is None for item in items)


def test_the_newest_item_of_a_channel_comes_first(reader: Visitor) -> None:
    for channel in range(1, 10):
        dates = [item["date"] for item in every_record(reader, f"/api/channel/{channel}", "items")]
        assert dates == sorted(dates, reverse=True)


def test_pixels_are_of_all_13_types_and_overlays_of_an_undocumented_one_too(reader: Visitor) -> None:
    assert len({pixel["type"] for pixel in every_record(reader, "/api/pixels", "pixels")}) == 13
    assert {cta["type"] for cta in every_record(reader, "/api/overlay", "cta")} == {
        "message",
        "contact",
        "poll",
    }


def test_users_are_one_array_with_keys_and_plans(reader: Visitor) -> None:
    answer = reader.read("/api/users")
    assert answer["error"] == "0"
    users = answer["data"]
    assert len(users) == len({user["apikey"] for user in users}) == 1200
    assert set(users[0]) == {
        *("id", "email", "username", "avatar", "status", "expires", "registered", "planid", "apikey")
    }
    assert all(
        (user["status"] == "free") == (user["expires"] is None) == (user["planid"] == 1) for user in users
    )


def test_the_filter_splits_the_users_into_three_classes(reader: Visitor) -> None:
    classes = {name: reader.read(f"/api/users?filter={name}")["data"] for name in ("admin", "free", "pro")}
    assert sum(len(users) for users in classes.values()) == 1200
    assert all(len(users) > 5 for users in classes.values())
    assert {user["status"] for user in classes["admin"] + classes["pro"]} == {"pro"}
    assert reader.get("/api/users?filter=gold").status_code == 400


def test_some_memberships_end_soon_and_some_have_ended(reader: Visitor) -> None:
    now = datetime.fromtimestamp(1_790_000_000, UTC).replace(tzinfo=None)
    pros = reader.read("/api/users?filter=pro")["data"]
    days = [(datetime.fromisoformat(user["expires"]) - now).total_seconds() / 86_400 for user in pros]
    assert len([left for left in days if 0 < left < 14]) > 10
    assert len([left for left in days if left < 0]) > 10
    assert len([left for left in days if left > 14]) > 100


def test_the_same_seed_and_clock_make_the_same_records(reader: Visitor, admin: Visitor) -> None:
    for path, _, _ in LISTS:
        assert admin.read(path) == reader.read(path)
    assert [{**user, "apikey": ""} for user in admin.read("/api/users")["data"]] == [
        {**user, "apikey": ""} for user in reader.read("/api/users")["data"]
    ]


def test_every_made_address_lies_in_a_reserved_domain(reader: Visitor) -> None:
    texts = [reader.get(f"{path}?limit=100").text for path, _, _ in LISTS] + [reader.get("/api/users").text]
    hosts = {part.partition("/")[0].partition('"')[0] for text in texts for part in text.split("://")[1:]}
    assert {host.rpartition(".")[2] for host in hosts} == {"example"}
    mails = {user["email"].partition("@")[2] for user in reader.read("/api/users")["data"]}
    assert mails <= {
        *("example.com", "example.org", "example.net", "mail.example", "studio.example", "post.example")
    }


RECORDS = [
    ("/api/domains", "domains", {"id", "domain", "redirectroot", "redirect404"}),
    ("/api/overlay", "cta", {"id", "type", "name", "date"}),
    ("/api/channels", "channels", {"id", "name", "description", "color", "starred"}),
    ("/api/channel/3", "items", {"type", "id", "title", "preview", "link", "date"}),
    ("/api/splash", "splash", {"id", "name", "date"}),
    ("/api/pixels", "pixels", {"id", "type", "name", "tag", "date"}),
    ("/api/qr", "qrs", {"id", "link", "scans", "name", "date"}),
]


@pytest.mark.parametrize(("path", "collection", "members"), RECORDS, ids=[row[0] for row in RECORDS])
def test_a_listed_record_has_the_documented_members(
    path: str, collection: str, members: set[str], reader: Visitor
) -> None:
    records = reader.read(path)["data"][collection]
    assert records
    assert all(set(record) == members for record in records)
