"""The rate limit: three headers on every answer, 429 past it, a window that opens with its first request."""

from collections.abc import Iterator
from email.utils import parsedate_to_datetime

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from tests.service.test_demo_refusals import assert_refused
from tests.service.visitor import Clock, Visitor


@pytest.fixture
def running(clock: Clock) -> Iterator[Running]:
    with serve_in_thread(DemoSettings(rate=3, window=60, clock=clock)) as running:
        yield running


def rates(visitor: Visitor, path: str = "/api/account") -> tuple[int, str, str, str]:
    response = visitor.get(path)
    names = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
    limit, remaining, reset = (response.headers[name] for name in names)
    return response.status_code, limit, remaining, reset


def test_the_window_counts_down_refuses_and_opens_again(admin: Visitor, clock: Clock) -> None:
    reset = str(int(clock.now) + 60)
    assert [rates(admin) for _ in range(4)] == [
        (200, "3", "2", reset),
        (200, "3", "1", reset),
        (200, "3", "0", reset),
        (429, "3", "0", reset),
    ]
    clock.step(59.9)
    assert rates(admin)[0] == 429
    clock.step(0.1)
    assert rates(admin) == (200, "3", "2", str(int(clock.now) + 60))


def test_a_refusal_says_when_to_come_again(admin: Visitor, running: Running, clock: Clock) -> None:
    for _ in range(3):
        admin.get("/api/account")
    clock.step(17.5)
    response = admin.get("/api/account")
    assert_refused(response, 429, "rate limit")
    assert response.headers["retry-after"] == "43"
    assert parsedate_to_datetime(response.headers["date"]).timestamp() == int(clock.now)
    assert [entry.refused for entry in running.service.log] == [False, False, False, True]


def test_each_key_has_a_window_of_its_own(admin: Visitor, running: Running, clock: Clock) -> None:
    assert rates(admin)[2] == "2"
    clock.step(10)
    with Visitor(running, running.plain_key) as plain, Visitor(running, "wrong") as stranger:
        assert rates(plain) == (200, "3", "2", str(int(clock.now) + 60))
        assert rates(stranger)[:3] == (401, "3", "2")
    assert rates(admin)[2] == "1"


@pytest.mark.parametrize("path", ["/api/qr/99999", "/api/nowhere", "/api/pixel/add", "/api/qr?limit=x"])
def test_a_failed_request_costs_one_too(path: str, admin: Visitor) -> None:
    assert rates(admin, path)[2] == "2"


def test_a_refused_write_does_not_happen(admin: Visitor, clock: Clock) -> None:
    for _ in range(3):
        admin.get("/api/account")
    assert admin.ask("DELETE", "/api/domain/12/delete").status_code == 429
    clock.step(60)
    assert admin.read("/api/domains")["data"]["result"] == 12
