"""Faults on request, each over a real connection."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
import pytest

from linkdash.demo.faults import Fault, ResetSpelling
from linkdash.demo.server import Running
from tests.service.visitor import Clock, Visitor

PIXEL = {"type": "bing", "name": "Shop", "tag": "UET-1"}


def pixels(admin: Visitor) -> int:
    count: int = admin.read("/api/pixels")["data"]["result"]
    return count


@pytest.mark.parametrize(("handled", "count"), [(True, 131), (False, 130)])
def test_an_answer_is_lost_after_or_before_the_write(
    handled: bool, count: int, running: Running, admin: Visitor
) -> None:
    running.service.faults.next("POST", "/api/pixel/*", Fault(drop=True, handled=handled))
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        admin.ask("POST", "/api/pixel/add", PIXEL)
    assert pixels(admin) == count
    entries = [entry for entry in running.service.log if entry.method == "POST"]
    assert [entry.status for entry in entries] == [200 if handled else 0]


def client_address(visitor: Visitor) -> object:
    return visitor.get("/api/account").extensions["network_stream"].get_extra_info("client_addr")


def test_only_the_connection_of_the_dropped_request_is_cut(running: Running, admin: Visitor) -> None:
    with Visitor(running, running.plain_key) as other:
        kept, cut = client_address(other), client_address(admin)
        running.service.faults.next("GET", "/api/qr", Fault(drop=True))
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            admin.get("/api/qr")
        assert client_address(other) == kept
        assert client_address(admin) != cut


def test_a_fault_is_for_what_matches_and_used_up(running: Running, admin: Visitor) -> None:
    faults = running.service.faults
    faults.next("GET", "/api/qr/*", Fault(status=503, content=b"{}"), times=2)
    assert admin.ask("GET", "/api/qr").status_code == 200
    assert admin.ask("DELETE", "/api/qr/1/delete").status_code == 200
    assert faults.pending == 2
    assert [admin.get("/api/qr/2").status_code for _ in range(3)] == [503, 503, 200]
    assert faults.pending == 0


def test_given_bytes_take_the_place_of_the_answer(running: Running, admin: Visitor) -> None:
    challenge = Fault(
        handled=False, content=b"<h1>Are you human?</h1>", content_type="text/html", headers={"X-Host": "h"}
    )
    running.service.faults.next("POST", "*", challenge)
    response = admin.ask("POST", "/api/pixel/add", PIXEL)
    assert (response.status_code, response.content) == (200, b"<h1>Are you human?</h1>")
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["x-host"] == "h"
    assert "x-ratelimit-limit" not in response.headers
    assert pixels(admin) == 130


def test_given_bytes_after_the_write_keep_the_rate_headers(running: Running, admin: Visitor) -> None:
    running.service.faults.next("POST", "*", Fault(status=502, content=b"\xef\xbb\xbfNotice: oops"))
    response = admin.ask("POST", "/api/pixel/add", PIXEL)
    assert (response.status_code, response.content) == (502, b"\xef\xbb\xbfNotice: oops")
    assert response.headers["x-ratelimit-limit"] == "1000000"
    assert pixels(admin) == 131


def test_an_answer_can_break_off_in_the_middle(running: Running, admin: Visitor) -> None:
    running.service.faults.next("GET", "*", Fault(content=b'{"error":', headers={"Content-Length": "500"}))
    with pytest.raises(httpx.RemoteProtocolError):
        admin.get("/api/account")
    assert admin.get("/api/account").status_code == 200


def test_a_late_answer_is_given_up_but_the_write_happened(running: Running, admin: Visitor) -> None:
    running.service.faults.next("POST", "*", Fault(delay=30))
    with pytest.raises(httpx.ReadTimeout):
        admin.post("/api/pixel/add", json=PIXEL, timeout=httpx.Timeout(30, read=0.05))
    assert pixels(admin) == 131


def test_a_delay_comes_before_the_answer(running: Running, admin: Visitor) -> None:
    running.service.faults.next("GET", "*", Fault(delay=0.03))
    begun = time.monotonic()
    admin.read("/api/account")
    assert time.monotonic() - begun >= 0.03


def test_a_request_not_handled_charges_nothing(running: Running, admin: Visitor) -> None:
    first = int(admin.get("/api/account").headers["x-ratelimit-remaining"])
    running.service.faults.next("GET", "*", Fault(handled=False, status=504))
    assert admin.get("/api/account").status_code == 504
    assert int(admin.get("/api/account").headers["x-ratelimit-remaining"]) == first - 1


def test_a_fault_that_neither_handles_nor_answers_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="answer"):
        Fault(handled=False, delay=1)


SPELLINGS: list[tuple[ResetSpelling, Callable[[float], str]]] = [
    ("epoch", lambda reset: str(int(reset))),
    ("milliseconds", lambda reset: f"{int(reset)}000"),
    ("seconds", lambda reset: "48"),
    ("datetime", lambda reset: datetime.fromtimestamp(reset, UTC).strftime("%Y-%m-%d %H:%M:%S")),
]


@pytest.mark.parametrize(("spelling", "expected"), SPELLINGS)
@pytest.mark.parametrize("once", [True, False])
def test_the_reset_can_be_spelled_in_four_ways(
    spelling: ResetSpelling,
    expected: Callable[[float], str],
    once: bool,
    running: Running,
    admin: Visitor,
    clock: Clock,
) -> None:
    reset = clock.now + 60
    admin.get("/api/account")
    clock.step(12)
    if once:
        running.service.faults.next("GET", "*", Fault(reset=spelling))
    else:
        running.service.faults.reset = spelling
    assert admin.get("/api/account").headers["x-ratelimit-reset"] == expected(reset)
    following = admin.get("/api/account").headers["x-ratelimit-reset"]
    assert following == (str(int(reset)) if once else expected(reset))


def test_the_rate_headers_can_be_missing(running: Running, admin: Visitor) -> None:
    running.service.faults.reset = "none"
    assert not [name for name in admin.get("/api/account").headers if name.startswith("x-ratelimit")]
