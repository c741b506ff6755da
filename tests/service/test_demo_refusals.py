"""Refusals: keys, rights, bodies, identifiers, paths. Always JSON, error 1 and a message."""

import httpx
import pytest

from linkdash.demo.server import Running
from linkdash.demo.service import ENDPOINTS
from tests.service.test_demo_endpoints import SUMMARY
from tests.service.visitor import Visitor

WRITES = [(method, path, body) for method, path, body, _ in SUMMARY if body is not None]
GOOD: dict[tuple[str, str], dict[str, object]] = {(method, path): body for method, path, body in WRITES}
ADD_USER = ("POST", "/api/user/add")
ADD_QR = ("POST", "/api/qr/add")
ADD_DOMAIN = ("POST", "/api/domain/add")
ADD_PIXEL = ("POST", "/api/pixel/add")
ADD_CHANNEL = ("POST", "/api/channel/add")
ADD_CAMPAIGN = ("POST", "/api/campaign/add")
SUBSCRIBE = ("PUT", "/api/plan/3/user/9")


def assert_refused(response: httpx.Response, status: int, *words: str) -> None:
    assert response.status_code == status, response.text
    answer = response.json()
    assert set(answer) == {"error", "message"}
    assert answer["error"] == 1
    assert all(word in answer["message"] for word in words), answer["message"]


REQUIRED = [
    (ADD_DOMAIN, "domain"),
    (("PUT", "/api/campaign/4/update"), "name"),
    (ADD_CHANNEL, "name"),
    (ADD_PIXEL, "type"),
    (ADD_PIXEL, "name"),
    (ADD_PIXEL, "tag"),
    (("PUT", "/api/pixel/5/update"), "tag"),
    (ADD_QR, "type"),
    (ADD_QR, "data"),
    (("PUT", "/api/qr/6/update"), "data"),
    (SUBSCRIBE, "type"),
    (ADD_USER, "username"),
    (ADD_USER, "email"),
    (ADD_USER, "password"),
]


@pytest.mark.parametrize(("endpoint", "member"), REQUIRED)
def test_a_required_member_left_out_is_named(endpoint: tuple[str, str], member: str, reader: Visitor) -> None:
    body = {name: value for name, value in GOOD[endpoint].items() if name != member}
    assert_refused(reader.ask(*endpoint, body), 400, f"{member} is required.")


def test_the_required_members_are_those_of_the_reference() -> None:
    declared = [name for each in ENDPOINTS for name, member in (each.body or {}).items() if member.required]
    assert sorted(declared) == sorted(member for _, member in REQUIRED)


BAD_VALUES: list[tuple[tuple[str, str], str, list[object]]] = [
    (("PUT", "/api/account/update"), "email", ["", "me", "me@", "me@host", "a b@example.org", None, 7]),
    (("PUT", "/api/account/update"), "password", ["", None, 12345]),
    (
        ADD_DOMAIN,
        "domain",
        ["", "go.example.org", "ftp://go.example.org", "https://", "https://go.example/x", 1],
    ),
    (ADD_DOMAIN, "redirectroot", ["example.org", "javascript:alert(1)", "https://a b", "http://[", None, 1]),
    (("PUT", "/api/domain/3/update"), "redirect404", ["/404", "//example.org", None, []]),
    (("PUT", "/api/domain/3/update"), "domain", ["https://other.example.org"]),
    (ADD_CAMPAIGN, "name", ["", "  ", None, 3, "\ud800"]),
    (ADD_CAMPAIGN, "slug", ["a b", "ä", None, 3]),
    (ADD_CAMPAIGN, "public", [1, 0, "true", None]),
    (ADD_CHANNEL, "name", ["", None, []]),
    (ADD_CHANNEL, "description", [None, 5, "\0"]),
    (ADD_CHANNEL, "color", ["", "red", "#12345", "#1234567", "#GGGGGG", "rgb(0,0,0)", None]),
    (ADD_CHANNEL, "starred", [1, "1", None]),
    (("PUT", "/api/channel/4/update"), "name", ["", None]),
    (ADD_PIXEL, "type", ["", "facebook", "FBPIXEL", None, 1, []]),
    (ADD_PIXEL, "name", ["", None, 1]),
    (ADD_PIXEL, "tag", ["", None, 1]),
    (("PUT", "/api/pixel/5/update"), "name", ["", 1]),
    (("PUT", "/api/pixel/5/update"), "type", ["bing"]),
    (ADD_QR, "type", ["", "url", None]),
    (ADD_QR, "data", ["", "example.org", "ftp://example.org", [], {"url": "https://example.org"}, None, 1]),
    (ADD_QR, "background", ["#FFFFFF", "rgb(0,0)", "rgb(0,0,256)", "rgb(0, 0, 0)", "rgb(-1,0,0)", "", None]),
    (ADD_QR, "foreground", ["white", "rgb(0,0,0,1)", 0]),
    (ADD_QR, "logo", ["logo.gif", "logo", ".png", None, 1]),
    (("PUT", "/api/qr/6/update"), "type", ["link"]),
    (SUBSCRIBE, "type", ["weekly", "", None, 1]),
    (SUBSCRIBE, "expiration", ["2030-01-01", "2030-02-30 00:00:00", "2030-01-01T00:00:00", "", None, 1]),
    (ADD_USER, "username", ["", "a b", "ü", "-a", None, 1]),
    (ADD_USER, "email", ["", "nobody", None]),
    (ADD_USER, "password", ["", "1234", None]),
    (ADD_USER, "planid", ["2", 2.0, True, None, 1]),
    (ADD_USER, "expiration", ["tomorrow", "0000-00-00 00:00:00", None]),
]
BAD = [(endpoint, member, value) for endpoint, member, values in BAD_VALUES for value in values]


@pytest.mark.parametrize(("endpoint", "member", "value"), BAD)
def test_a_bad_value_is_refused_by_its_members_name(
    endpoint: tuple[str, str], member: str, value: object, reader: Visitor
) -> None:
    assert_refused(reader.ask(*endpoint, {**GOOD[endpoint], member: value}), 400, f"{member} ")


@pytest.mark.parametrize(
    ("method", "path", "member"), [(method, path, member) for method, path, body in WRITES for member in body]
)
def test_every_member_is_checked(method: str, path: str, member: str, reader: Visitor) -> None:
    assert_refused(reader.ask(method, path, {**GOOD[method, path], member: 1.5}), 400, f"{member} ")


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_member_the_reference_does_not_know_is_refused(
    method: str, path: str, body: dict[str, object], reader: Visitor
) -> None:
    assert_refused(reader.ask(method, path, {**body, "colour": "red"}), 400, "colour is not a member")


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("text", "hello", {"text": "hello"}),
        ("link", "https://example.org", "mailto:a@example.org"),
        ("phone", "+49 30 1234", ["+49"]),
        ("email", {"email": "a@example.org", "subject": "s"}, {}),
        ("sms", {"phone": "+49", "message": "m"}, ""),
        ("wifi", {"ssid": "Guests", "encryption": "WPA", "pass": "x"}, []),
        ("vcard", ["Ada", "Lovelace"], 7),
    ],
)
def test_qr_data_follows_its_type(kind: str, good: object, bad: object, admin: Visitor) -> None:
    assert_refused(admin.ask("POST", "/api/qr/add", {"type": kind, "data": bad}), 400, "data ")
    code = admin.write("POST", "/api/qr/add", {"type": kind, "data": good})
    assert_refused(admin.ask("PUT", f"/api/qr/{code['id']}/update", {"data": bad}), 400, "data ")


BODIES = [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b"[" * 100_000]


@pytest.mark.parametrize("content", BODIES, ids=[repr(body[:8]) for body in BODIES])
def test_a_body_that_is_no_json_object_is_refused(content: bytes, reader: Visitor) -> None:
    response = reader.post("/api/pixel/add", content=content, headers={"Content-Type": "application/json"})
    assert_refused(response, 400, "request body is not")


def test_a_body_not_declared_as_json_is_refused(reader: Visitor) -> None:
    for kind in ("", "text/plain", "application/x-www-form-urlencoded"):
        headers = {"Content-Type": kind}
        assert_refused(reader.post("/api/pixel/add", content=b"{}", headers=headers), 400, "Content-Type")
        assert_refused(reader.get("/api/account", headers=headers), 400, "Content-Type")


UNKNOWN = [
    ("PUT", "/api/domain/{}/update"),
    ("DELETE", "/api/domain/{}/delete"),
    ("POST", "/api/campaign/{}/assign/1"),
    ("POST", "/api/campaign/1/assign/{}"),
    ("PUT", "/api/campaign/{}/update"),
    ("DELETE", "/api/campaign/{}/delete"),
    ("GET", "/api/channel/{}"),
    ("POST", "/api/channel/{}/assign/qr/1"),
    ("POST", "/api/channel/1/assign/links/{}"),
    ("POST", "/api/channel/1/assign/bio/{}"),
    ("POST", "/api/channel/1/assign/qr/{}"),
    ("PUT", "/api/channel/{}/update"),
    ("DELETE", "/api/channel/{}/delete"),
    ("PUT", "/api/pixel/{}/update"),
    ("DELETE", "/api/pixel/{}/delete"),
    ("GET", "/api/qr/{}"),
    ("PUT", "/api/qr/{}/update"),
    ("DELETE", "/api/qr/{}/delete"),
    ("PUT", "/api/plan/{}/user/1"),
    ("PUT", "/api/plan/1/user/{}"),
    ("GET", "/api/user/{}"),
    ("DELETE", "/api/user/{}/delete"),
]
UPDATES: dict[str, dict[str, object]] = {
    "campaign": {"name": "x"},
    "pixel": {"tag": "x"},
    "qr": {"data": "https://example.org"},
    "plan": {"type": "monthly"},
}


@pytest.mark.parametrize("record_id", ["0", "999999", "9" * 30])
@pytest.mark.parametrize(("method", "path"), UNKNOWN)
def test_an_unknown_identifier_is_not_found(method: str, path: str, record_id: str, reader: Visitor) -> None:
    body = UPDATES.get(path.split("/")[2], {}) if method == "PUT" else None
    assert_refused(reader.ask(method, path.format(record_id), body), 404, record_id, "not found")


def test_true_is_no_plan(reader: Visitor) -> None:
    assert_refused(
        reader.ask(*ADD_USER, {**GOOD[ADD_USER], "planid": True}), 400, "planid must be an integer"
    )


def test_an_unknown_plan_for_a_new_user_is_not_found(reader: Visitor) -> None:
    assert_refused(reader.ask(*ADD_USER, {**GOOD[ADD_USER], "planid": 99}), 404, "Plan 99")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/api", 404),
        ("GET", "/api/links", 404),
        ("GET", "/api/domains/", 404),
        ("GET", "/api/qr/abc", 404),
        ("DELETE", "/api/domain/-1/delete", 404),
        ("POST", "/api/domains", 405),
        ("GET", "/api/domain/add", 405),
        ("PUT", "/api/channel/1/assign/qr/1", 405),
        ("POST", "/api/channel/1/assign/poster/1", 400),
    ],
)
def test_a_path_or_method_outside_the_reference_is_refused(
    method: str, path: str, status: int, reader: Visitor
) -> None:
    assert_refused(reader.ask(method, path), status)


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer wrong", "Basic {key}", "{key}", "Bearer {key}x", "Bearer '--"],
)
@pytest.mark.parametrize("path", ["/api/account", "/api/users", "/api/nowhere"])
def test_without_a_valid_key_nothing_is_told(authorization: str | None, path: str, shared: Running) -> None:
    with Visitor(shared, None) as stranger:
        headers = {} if authorization is None else {"Authorization": authorization.format(key=shared.api_key)}
        assert_refused(stranger.get(path, headers=headers), 401, "API key")


ADMIN_ONLY = [row for row in SUMMARY if "/user" in row[1] or "/plan" in row[1]]


@pytest.mark.parametrize(("method", "path", "body"), [row[:3] for row in ADMIN_ONLY])
def test_plans_and_users_are_for_admins(
    method: str, path: str, body: dict[str, object] | None, plain_reader: Visitor
) -> None:
    assert_refused(plain_reader.ask(method, path, body), 403, "admin")


def test_the_admin_only_endpoints_are_those_of_the_reference() -> None:
    assert len(ADMIN_ONLY) == len([each for each in ENDPOINTS if each.admin]) == 6


def test_everything_else_is_open_to_a_plain_key(plain_reader: Visitor) -> None:
    for method, path, _, _ in SUMMARY:
        if method == "GET" and (method, path) not in {row[:2] for row in ADMIN_ONLY}:
            assert plain_reader.ask(method, path).status_code == 200


def test_a_refused_write_changes_nothing(reader: Visitor) -> None:
    before = reader.read("/api/pixels?limit=100")
    reader.ask("PUT", "/api/pixel/130/update", {"tag": "new", "name": ""})
    assert reader.read("/api/pixels?limit=100") == before
