"""`api`: answers as they came, through the budget, and the key goes nowhere but to the service."""

import json

import pytest

from linkdash.api.http.request import Request
from linkdash.commands.api import request_to
from linkdash.commands.exit_status import WrongUsage
from linkdash.demo.server import Running
from tests.commands.shell import Here

BASE = "https://links.example.org/sub"


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def test_an_answer_is_shown_as_it_came(here: Here, service: Running) -> None:
    before = len(service.service.log)
    ran = here("api", "GET", "/api/qr?limit=2")
    assert (ran.status, ran.told) == (0, "")
    answer = json.loads(ran.out)
    assert [row["id"] for row in answer["data"]["qrs"]] == [400, 399]
    assert answer["data"]["maxpage"] == 200
    entry = [*service.service.log][-1]
    assert (entry.method, entry.path, entry.query) == ("GET", "/api/qr", "limit=2")
    assert len(service.service.log) == before + 1
    assert here("api", "GET", f"{service.base_url}/api/account").status == 0
    assert service.api_key not in here("api", "GET", "/api/account").out


def test_every_page_is_a_line(here: Here, service: Running) -> None:
    before = len(service.service.log)
    ran = here("api", "GET", "/api/qr", "--paginate")
    assert ran.status == 0
    found = [row["id"] for line in ran.lines for row in line["data"]["qrs"]]  # type: ignore[index]
    assert found == list(range(400, 0, -1))
    assert len(service.service.log) == before + 4
    rest = here("api", "GET", "/api/qr?page=3&limit=150", "--paginate")
    assert len(rest.lines) in (1, 2), "the service gives fewer than were asked for"


def test_a_no_has_the_status_of_a_no(here: Here) -> None:
    assert here("api", "GET", "/api/qr/99999").status == 3
    assert here("api", "GET", "/api/nothing").status == 3


@pytest.mark.parametrize(
    "path",
    [
        "qr",
        "//evil.example/api/qr",
        "https://evil.example/api/qr",
        f"{BASE}.evil.example/api/qr",
        f"{BASE}@evil.example/api/qr",
        "https://links.example.org/api/qr",
        "/qr",
        "/api/../admin",
        "/api/%2e%2e/admin",
        "/api/qr/..%2f..%2fadmin",
        "/api/qr\\..\\x",
        "/api//qr",
        "/api/qr#part",
        "/api/qr\r\nHost: evil.example",
        "/api/q r",
        "/api/qr?limit=1&limit=2",
        "",
    ],
)
def test_no_other_address_is_asked(path: str) -> None:
    with pytest.raises(WrongUsage):
        request_to(path, BASE)


def test_addresses_of_the_service_are_taken() -> None:
    assert request_to(f"{BASE}/api/qr/7", BASE) == Request("GET", "/api/qr/7", {})
    assert request_to("/api/qr?limit=5&page=2", BASE).params == {"limit": "5", "page": "2"}


def test_nothing_but_get_is_sent(here: Here, service: Running) -> None:
    before = len(service.service.log)
    for method in ("DELETE", "post", "PUT"):
        assert here("api", method, "/api/pixel/1/delete").status == 2
    assert len(service.service.log) == before
