"""Every line of the reference's summary, with a good body: the answer's status and its exact members."""

import re

import pytest

from linkdash.demo.service import ENDPOINTS
from tests.service.visitor import Visitor

DONE = {"error", "message"}
FOUND = {"error", "data"}
CAMPAIGN = {"error", "id", "domain", "public", "rotator", "list"}
PIXEL: dict[str, object] = {"type": "bing", "name": "Shop", "tag": "UET-1"}
USER: dict[str, object] = {"username": "new.user", "email": "new.user@example.org", "password": "12345"}

SUMMARY: list[tuple[str, str, dict[str, object] | None, set[str]]] = [
    ("GET", "/api/account", None, FOUND),
    ("PUT", "/api/account/update", {"email": "me@example.org", "password": "secret"}, DONE),
    ("GET", "/api/domains", None, FOUND),
    ("POST", "/api/domain/add", {"domain": "https://new.example.org"}, {"error", "id"}),
    ("PUT", "/api/domain/3/update", {"redirect404": "https://example.org/404"}, DONE),
    ("DELETE", "/api/domain/3/delete", None, DONE),
    ("GET", "/api/overlay", None, FOUND),
    ("GET", "/api/campaigns", None, FOUND),
    ("POST", "/api/campaign/add", {"name": "New", "slug": "new", "public": True}, CAMPAIGN),
    ("POST", "/api/campaign/4/assign/9", None, DONE),
    ("PUT", "/api/campaign/4/update", {"name": "Other"}, CAMPAIGN),
    ("DELETE", "/api/campaign/4/delete", None, DONE),
    ("GET", "/api/channels", None, FOUND),
    ("GET", "/api/channel/4", None, FOUND),
    (
        "POST",
        "/api/channel/add",
        {"name": "New", "description": "d", "color": "#A0B1c2", "starred": True},
        {"error", "id", "name", "description", "color", "starred"},
    ),
    ("POST", "/api/channel/4/assign/qr/7", None, DONE),
    ("PUT", "/api/channel/4/update", {"starred": False}, DONE),
    ("DELETE", "/api/channel/4/delete", None, DONE),
    ("GET", "/api/splash", None, FOUND),
    ("GET", "/api/pixels", None, FOUND),
    ("POST", "/api/pixel/add", PIXEL, {"error", "id"}),
    ("PUT", "/api/pixel/5/update", {"tag": "T-5"}, DONE),
    ("DELETE", "/api/pixel/5/delete", None, DONE),
    ("GET", "/api/qr", None, FOUND),
    ("GET", "/api/qr/6", None, {"error", "details", "data"}),
    ("POST", "/api/qr/add", {"type": "link", "data": "https://example.org"}, {"error", "id", "link"}),
    ("PUT", "/api/qr/6/update", {"data": "https://example.org", "foreground": "rgb(0,0,255)"}, DONE),
    ("DELETE", "/api/qr/6/delete", None, DONE),
    ("GET", "/api/plans", None, FOUND),
    ("PUT", "/api/plan/3/user/9", {"type": "yearly"}, DONE),
    ("GET", "/api/users", None, FOUND),
    ("GET", "/api/user/9", None, FOUND),
    ("POST", "/api/user/add", USER, {"error", "message", "data"}),
    ("DELETE", "/api/user/9/delete", None, DONE),
]


def test_the_service_has_the_endpoints_of_the_reference_and_no_other() -> None:
    for endpoint in ENDPOINTS:
        shape = re.sub(r"\{\w+\}", "(links|bio|qr)", re.sub(r"\{\w+:int\}", "[0-9]+", endpoint.path))
        rows = [row for row in SUMMARY if row[0] == endpoint.method and re.fullmatch(shape, row[1])]
        assert len(rows) == 1, endpoint
    assert len(ENDPOINTS) == len(SUMMARY) == 34


@pytest.mark.parametrize(
    ("method", "path", "body", "members"), SUMMARY, ids=[f"{row[0]} {row[1]}" for row in SUMMARY]
)
def test_an_endpoint_answers_with_the_documented_members(
    method: str, path: str, body: dict[str, object] | None, members: set[str], admin: Visitor
) -> None:
    response = admin.ask(method, path, body)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert set(response.json()) == members


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
