"""Refusals that the table of the contract does not tell: contents by their type, other paths, no change."""

import httpx
import pytest

from linkdash.demo.server import Running
from tests.service.contract import VALID
from tests.service.visitor import Visitor


def assert_refused(response: httpx.Response, status: int, *words: str) -> None:
    assert response.status_code == status, response.text
    answer = response.json()
    assert set(answer) == {"error", "message"}
    assert answer["error"] == 1
    assert all(word in answer["message"] for word in words), answer["message"]


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


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/api", 404),
        ("GET", "/api/links", 404),
        ("POST", "/api/domains", 405),
        ("GET", "/api/domain/add", 405),
        ("POST", "/api/channel/1/assign/poster/1", 400),
        ("POST", "/api/channel/1/assign/links/999999", 404),
        ("POST", "/api/channel/1/assign/bio/0", 404),
    ],
)
def test_a_path_outside_the_reference_is_refused(
    method: str, path: str, status: int, reader: Visitor
) -> None:
    assert_refused(reader.ask(method, path), status)


@pytest.mark.parametrize("authorization", [None, "Bearer wrong", "Bearer '--"])
def test_without_a_valid_key_nothing_is_told_of_what_there_is(
    authorization: str | None, shared: Running
) -> None:
    with Visitor(shared, None) as stranger:
        headers = {} if authorization is None else {"Authorization": authorization}
        assert_refused(stranger.get("/api/nowhere", headers=headers), 401, "API key")


def test_everything_but_plans_and_users_is_open_to_a_plain_key(plain_reader: Visitor) -> None:
    for endpoint in VALID:
        if endpoint.method == "GET" and not {"plans", "users", "user"} & {*endpoint.path.split("/")}:
            assert plain_reader.ask("GET", endpoint.path).status_code == 200


def test_a_refused_write_changes_nothing(reader: Visitor) -> None:
    before = reader.read("/api/pixels?limit=100")
    reader.ask("PUT", "/api/pixel/130/update", {"tag": "new", "name": ""})
    assert reader.read("/api/pixels?limit=100") == before
