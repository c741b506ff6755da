"""Requests on real sockets, and the typed error each kind of failure ends with."""

import asyncio
import gzip
import socket
import threading
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from linkdash.api import Client
from linkdash.api.budget.gate import Gate
from linkdash.api.errors import (
    AdminRequired,
    AnswerLost,
    KeyRefused,
    Misconfigured,
    NotAnAnswer,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    Rejected,
    ServiceError,
    TimedOut,
)
from linkdash.api.http.envelope import judge_answer
from linkdash.api.http.proxies import proxy_of
from linkdash.api.http.request import Members, Request
from linkdash.api.http.transport import MAX_ANSWER_BYTES
from linkdash.api.resources.domains import Domain
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.api.conftest import KEY
from tests.api.raw_service import RawService, Received, http_answer, listening, raw_service
from tests.waiting import wait_until

ACCOUNT = {"error": 0, "data": {"id": 1}}
DONE = {"error": 0, "message": "Done."}
REFUSED = {"error": 1, "message": "Too many."}
AT_ONCE = {"Retry-After": "0", "X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "29"}

Hang = Callable[[asyncio.StreamWriter, Received], Awaitable[None]]


def hanging(*parts: bytes) -> Hang:
    """Send these parts and then nothing more."""

    async def hang(writer: asyncio.StreamWriter, _: Received) -> None:
        writer.write(b"".join(parts))
        await writer.wait_closed()

    return hang


async def dripping(writer: asyncio.StreamWriter, _: Received) -> None:
    """Send a byte now and then, for ever."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not writer.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@asynccontextmanager
async def speaking(greeting: bytes) -> AsyncIterator[tuple[int, bytearray]]:
    """A server that says this to whoever comes, and what it hears."""
    heard = bytearray()

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        while part := await reader.read(1000):
            heard.extend(part)

    async with listening(greet) as port:
        yield port, heard


# ---- what goes out ----


async def test_every_request_carries_the_documented_headers(odd: RawService, odd_client: Client) -> None:
    odd.answer(ACCOUNT)
    odd.answer(DONE)
    await odd_client.account.get()
    await odd_client.domains.delete(1)
    for request in odd.requests:
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["content-type"] == "application/json"
        assert request.headers["accept-encoding"] == "gzip"
    assert [(request.method, request.target) for request in odd.requests] == [
        ("GET", "/api/account"),
        ("DELETE", "/api/domain/1/delete"),
    ]


@pytest.mark.parametrize("path", ["", "/", "/api", "/api/", "/links", "/links/api/"])
async def test_a_base_address_is_taken_as_it_comes(path: str, odd: RawService) -> None:
    odd.answer(ACCOUNT)
    async with Client(odd.base_url + path, SecretStr(KEY)) as client:
        await client.account.get()
    prefix = "/links" if "links" in path else ""
    assert [request.target for request in odd.requests] == [f"{prefix}/api/account"]


async def test_the_service_gets_text_as_it_was_given(odd: RawService, odd_client: Client) -> None:
    odd.answer({"error": 0, "id": 1})
    await odd_client.qr.create(type="text", data="Zürich 😀 \ud800")
    assert odd.requests[0].members == {"type": "text", "data": "Zürich 😀 \ud800"}


async def test_a_compressed_answer_is_read(odd: RawService, odd_client: Client) -> None:
    content = gzip.compress(b'{"error":0,"data":{"id":1,"username":"ann"}}')
    odd.answer(content, headers={"Content-Encoding": "gzip"})
    assert (await odd_client.account.get()).key == 1


# ---- not sent ----


async def not_sent(client: Client) -> NotSent:
    with pytest.raises(NotSent) as read:
        await client.account.get()
    with pytest.raises(NotSent) as written:
        await client.domains.delete(1)
    assert str(read.value) == str(written.value)
    assert client.budget.in_flight == 0
    return read.value


async def test_a_refused_connection_is_not_sent() -> None:
    async with Client(f"http://127.0.0.1:{free_port()}", KEY) as client:
        assert "connection refused" in str(await not_sent(client))


async def test_a_name_with_several_addresses_is_refused_in_the_same_words() -> None:
    async with Client(f"http://localhost:{free_port()}", KEY) as client:
        assert "connection refused" in str(await not_sent(client))


async def test_a_name_that_does_not_exist_is_not_sent() -> None:
    async with Client("https://linkdash-no-such-name.invalid", KEY) as client:
        assert "host name not found" in str(await not_sent(client))


async def test_a_server_that_speaks_no_tls_is_not_sent_anything() -> None:
    async with speaking(b"220 mail.example.org ESMTP\r\n") as (port, heard):
        async with Client(f"https://127.0.0.1:{port}", KEY) as client:
            assert "TLS failed" in str(await not_sent(client))
        assert KEY.encode() not in bytes(heard)


async def test_a_handshake_without_end_is_not_sent() -> None:
    async with speaking(b"") as (port, _), Client(f"https://127.0.0.1:{port}", KEY, timeout=0.2) as client:
        assert "connection timed out" in str(await not_sent(client))


async def test_a_proxy_that_refuses_the_way_leaves_it_not_sent(
    odd: RawService, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd.answer(b"", status=502)
    monkeypatch.setenv("HTTPS_PROXY", odd.base_url)
    async with Client("https://links.example.org", KEY, timeout=5) as client:
        assert "the proxy" in str(await not_sent(client))
    assert [request.method for request in odd.requests] == ["CONNECT", "CONNECT"]
    assert all(KEY not in str(request) for request in odd.requests)


async def test_a_proxy_that_cannot_be_used_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://proxy.example")
    async with Client("https://links.example.org", KEY) as client:
        with pytest.raises(Misconfigured, match="proxy"):
            await client.account.get()


async def test_no_proxy_is_asked_for_this_machine(
    odd: RawService, odd_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY) as client:
        assert (await client.account.get()).key == 1


@pytest.mark.parametrize("exception", ["[::1]", "fd00::/8", "[fe80::]/10:8080", "[::1", "10.0.0.0/8", "a b"])
async def test_a_proxy_is_asked_whatever_else_is_excepted(
    odd: RawService, monkeypatch: pytest.MonkeyPatch, exception: str
) -> None:
    odd.answer(b"", status=502)
    monkeypatch.setenv("HTTPS_PROXY", odd.base_url)
    monkeypatch.setenv("NO_PROXY", f"intern.example,{exception}")
    async with Client("https://links.example.org", KEY, timeout=5) as client:
        assert "the proxy" in str(await not_sent(client))
    assert {request.method for request in odd.requests} == {"CONNECT"}


@pytest.mark.parametrize(
    ("address", "exceptions", "is_asked"),
    [
        ("https://links.example.org", "", True),
        ("https://links.example.org", "*", False),
        ("https://links.example.org", "[::1], .example.org", False),
        ("https://example.org", ".example.org", False),
        ("https://notexample.org", "example.org", True),
        ("https://links.example.org", "https://links.example.org/", False),
        ("https://links.example.org", "links.example.org:443", False),
        ("https://links.example.org", "links.example.org:8443", True),
        ("https://10.1.2.3", "10.0.0.0/8", False),
        ("https://11.1.2.3", "10.0.0.0/8", True),
        ("https://[fd00::7]", "fd00::/8", False),
        ("https://[fd00::7]:8443", "[fd00::7]:8443", False),
        ("https://[fd00::7]", "[fd00::]/16", False),
        ("https://[fe80::7]", "fd00::/8,::1", True),
        ("https://10.1.2.3", "example.org,[", True),
    ],
)
def test_which_addresses_are_reached_without_the_proxy(
    monkeypatch: pytest.MonkeyPatch, address: str, exceptions: str, is_asked: bool
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", exceptions)
    assert proxy_of(address) == ("http://proxy.example:3128" if is_asked else None)


async def test_a_closed_client_sends_nothing(odd: RawService) -> None:
    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY) as client:
        await client.account.get()
    await not_sent(client)
    assert len(odd.requests) == 1


# ---- sent, and no whole answer ----

ENDLESS: dict[str, Hang] = {
    "silence": hanging(),
    "half a head": hanging(b"HTTP/1.1 200 OK\r\nContent-"),
    "half a body": hanging(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"),
    "a byte at a time": dripping,
}


@pytest.mark.parametrize("name", ENDLESS)
async def test_one_deadline_covers_the_whole_answer(name: str, odd: RawService) -> None:
    odd.behave(ENDLESS[name])
    async with asyncio.timeout(5), Client(odd.base_url, KEY, timeout=0.3) as client:
        with pytest.raises(TimedOut, match="in time"):
            await client.account.get()
        with pytest.raises(OutcomeUnknown, match="check before you repeat"):
            await client.domains.delete(1)
        assert client.budget.in_flight == 0
    assert len(odd.requests) == 2


async def test_a_connection_that_breaks_loses_the_answer(odd: RawService, odd_client: Client) -> None:
    odd.answer_raw(b"")
    with pytest.raises(AnswerLost):
        await odd_client.account.get()
    with pytest.raises(OutcomeUnknown):
        await odd_client.domains.delete(1)
    assert [request.method for request in odd.requests] == ["GET", "DELETE"]


async def test_an_answer_lost_after_the_write_happened_is_unknown(client: Client, embedded: Running) -> None:
    embedded.service.faults.next("POST", "/api/domain/add", Fault(drop=True))
    with pytest.raises(OutcomeUnknown):
        await client.domains.create(domain="https://go.example.org")
    domains = [record.domain async for record in client.domains.iter()]
    assert domains.count("https://go.example.org") == 1


async def test_a_bomb_is_not_unpacked(odd: RawService, odd_client: Client) -> None:
    bomb = gzip.compress(b" " * (MAX_ANSWER_BYTES + 1), compresslevel=1)
    odd.answer(bomb, headers={"Content-Encoding": "gzip"})
    with pytest.raises(NotAnAnswer, match="larger than 16 MiB"):
        await odd_client.account.get()
    with pytest.raises(OutcomeUnknown):
        await odd_client.domains.delete(1)


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
async def test_an_answer_of_exactly_the_cap_is_read(
    encoding: str, odd: RawService, odd_client: Client
) -> None:
    content = b'{"error":0,"data":{"id":1}}'
    body = gzip.compress(content) if encoding == "gzip" else content
    odd.answer(body, headers={"Content-Encoding": encoding})
    capped = Request("GET", "/api/account", max_bytes=len(content))
    assert (await odd_client.connection.send(capped)).members["data"] == {"id": 1}
    with pytest.raises(NotAnAnswer, match="larger"):
        await odd_client.connection.send(replace(capped, max_bytes=len(content) - 1))


async def test_a_bomb_takes_no_more_memory_than_the_cap(odd: RawService, odd_client: Client) -> None:
    odd.answer(gzip.compress(b" " * 20_000_000), headers={"Content-Encoding": "gzip"})
    capped = Request("GET", "/api/account", max_bytes=100_000)
    tracemalloc.start()
    with pytest.raises(NotAnAnswer):
        await odd_client.connection.send(capped)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


async def test_compressed_data_that_breaks_off_is_no_answer(odd: RawService, odd_client: Client) -> None:
    odd.answer(gzip.compress(b'{"error":0,"data":{"id":1}}')[:-9], headers={"Content-Encoding": "gzip"})
    with pytest.raises(NotAnAnswer, match="compressed"):
        await odd_client.account.get()


# ---- refused ----


async def test_a_wrong_key_is_refused_by_the_service(embedded: Running) -> None:
    async with Client(embedded.base_url, "demo-no-such-key") as client:
        with pytest.raises(KeyRefused, match="Authorization header"):
            await client.account.get()


async def test_admin_endpoints_are_refused_to_others(plain_client: Client) -> None:
    for call in (
        plain_client.users.list(),
        plain_client.plans.list(),
        plain_client.users.get(3),
        plain_client.users.delete(3),
        plain_client.users.create(username="ann", email="ann@example.org", password="secret"),
        plain_client.plans.subscribe(2, 3, type="monthly"),
    ):
        with pytest.raises(AdminRequired, match="admin privileges"):
            await call


async def test_a_rejection_is_in_the_words_of_the_service(client: Client) -> None:
    with pytest.raises(Rejected, match=r"go\.invalid does not point to this service") as raised:
        await client.domains.create(domain="https://go.invalid")
    assert raised.value.status == 400
    with pytest.raises(Rejected, match="Pixel 99999 was not found"):
        await client.pixels.delete(99999)


async def test_a_refused_read_goes_back_to_the_gate(odd: RawService) -> None:
    skipped = 0.0
    gate = Gate(clock=lambda: time.monotonic() + skipped)
    odd.answer(REFUSED, 429, AT_ONCE)
    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY, gate=gate) as client:
        read = asyncio.create_task(client.account.get())
        await wait_until(lambda: client.budget.paused_for)
        assert [waiting.label for waiting in client.budget.queued] == ["GET /api/account"]
        assert len(odd.requests) == 1
        skipped = 100.0
        await client.domains.list()
        assert (await read).key == 1
    assert sorted(request.target for request in odd.requests) == [
        "/api/account",
        "/api/account",
        "/api/domains",
    ]


async def test_a_refused_write_is_not_sent_again(odd: RawService, odd_client: Client) -> None:
    odd.answer(REFUSED, 429, AT_ONCE)
    with pytest.raises(RateLimited):
        await odd_client.domains.delete(1)
    assert len(odd.requests) == 1


NOTHING_LEFT = {"Retry-After": "20", "X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "0"}


@pytest.mark.parametrize("status", [200, 400, 401, 403, 503])
async def test_a_no_with_a_wait_and_nothing_left_is_a_refusal_for_the_rate(
    odd: RawService, status: int
) -> None:
    skipped = 0.0
    gate = Gate(clock=lambda: time.monotonic() + skipped)
    odd.answer({"error": 1, "message": "Forbidden"}, status, NOTHING_LEFT)
    odd.answer(ACCOUNT)
    async with Client(odd.base_url, KEY, gate=gate) as client:
        read = asyncio.create_task(client.account.get())
        await wait_until(lambda: (client.budget.paused_for or 0) > 15)
        skipped = 60.0
        await client.domains.list()
        assert (await read).key == 1


@pytest.mark.parametrize(("status", "kind"), [(200, RateLimited), (403, RateLimited), (503, OutcomeUnknown)])
async def test_a_write_that_is_refused_for_the_rate_pauses_the_key(
    odd: RawService, odd_client: Client, status: int, kind: type[ServiceError]
) -> None:
    odd.answer({"error": 1, "message": "Forbidden"}, status, NOTHING_LEFT)
    with pytest.raises(kind):
        await odd_client.domains.delete(1)
    assert odd_client.budget.paused_for
    assert len(odd.requests) == 1


@pytest.mark.parametrize("missing", ["Retry-After", "X-RateLimit-Remaining"])
async def test_a_key_refused_at_the_end_of_a_window_is_refused(
    odd: RawService, odd_client: Client, missing: str
) -> None:
    told = {name: value for name, value in NOTHING_LEFT.items() if name != missing}
    odd.answer({"error": 1, "message": "Forbidden"}, 403, told)
    with pytest.raises(KeyRefused):
        await odd_client.account.get()
    assert not odd_client.budget.paused_for


async def test_a_failing_service_is_not_asked_before_it_wants_to_be(odd: RawService) -> None:
    odd.answer(b"", 503, {"Retry-After": "1"})
    odd.answer(ACCOUNT)
    begun = time.monotonic()
    async with Client(odd.base_url, KEY) as client:
        await client.account.get()
    assert time.monotonic() - begun >= 1


async def test_a_wait_too_long_to_wait_is_told(odd: RawService) -> None:
    odd.answer(b"", 503, {"Retry-After": "120"})
    async with Client(odd.base_url, KEY) as client:
        with pytest.raises(NotAnAnswer, match=r"Try again in 120 s\."):
            await client.account.get()
    assert len(odd.requests) == 1


async def test_a_redirect_is_not_followed_and_shown_to_nobody(odd: RawService, odd_client: Client) -> None:
    async with raw_service() as target:
        target.answer(ACCOUNT)
        odd.answer(b"", 307, {"Location": f"{target.base_url}/api/account"})
        with pytest.raises(NotAnAnswer, match="redirect"):
            await odd_client.account.get()
        with pytest.raises(NotAnAnswer, match="redirect"):
            await odd_client.domains.delete(1)
        assert target.requests == []


@pytest.mark.parametrize("size", [1_000, 2_000_000])
async def test_a_large_text_that_is_no_json_is_judged_beside_the_event_loop(
    size: int, odd: RawService, odd_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def watched(*given: Any, **named: Any) -> Members:
        threads.append(threading.get_ident())
        return judge_answer(*given, **named)

    monkeypatch.setattr("linkdash.api.http.connection.judge_answer", watched)
    odd.answer(b"x" * size)
    with pytest.raises(NotAnAnswer):
        await odd_client.pixels.list()
    assert [thread == threading.get_ident() for thread in threads] == [size < 1_000_000]


async def test_between_the_rows_of_a_long_list_the_loop_does_what_else_is_due(
    odd: RawService, odd_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, done, seen = asyncio.get_running_loop(), list[str](), list[int]()
    read = Domain.read

    def watched(raw: Mapping[str, object], *, safe_text: bool) -> object:
        if raw["id"] in range(1, 3_001, 100):
            time.sleep(0.005)  # longer than a turn
            loop.call_soon(done.append, "due")
            seen.append(len(done))
        return read(raw, safe_text=safe_text)

    monkeypatch.setattr(Domain, "read", watched)
    odd.answer({"error": 0, "data": [{"id": id, "domain": "x"} for id in range(1, 3_001)]})
    assert [domain.id for domain in await odd_client.domains.list()] == [*range(1, 3_001)]
    assert seen == [*range(30)]


# ---- writes are sent once ----

FAILURES: dict[str, bytes] = {
    "hangs up": b"",
    "half an answer": b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
    "nonsense": b"SSH-2.0-OpenSSH\r\n\r\n",
    "empty": http_answer(b""),
    "page": http_answer(b"<html></html>"),
    "rejected": http_answer(b'{"error":1}'),
    "key refused": http_answer(b"", 401),
    "not found": http_answer(b"", 404),
    "timed out": http_answer(b"", 408),
    "rate limited": http_answer(b"", 429, AT_ONCE),
    "failed": http_answer(b"", 500),
    "gateway": http_answer(b"", 502),
    "unavailable": http_answer(b"", 503, {"Retry-After": "0"}),
    "redirect": http_answer(b"", 307, {"Location": "/api/other"}),
}


@pytest.mark.parametrize("name", FAILURES)
async def test_a_write_is_sent_once_whatever_comes_back(
    name: str, odd: RawService, odd_client: Client
) -> None:
    odd.answer_raw(FAILURES[name])
    with pytest.raises(ServiceError) as raised:
        await odd_client.domains.create(domain="https://go.example.org")
    assert not isinstance(raised.value, NotSent)
    assert str(raised.value).isprintable()
    assert odd_client.budget.in_flight == 0
    assert len(odd.requests) == 1


async def test_a_fault_of_the_transport_gives_the_turn_back(
    odd: RawService, odd_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> httpx.Response:
        raise ZeroDivisionError

    monkeypatch.setattr(httpx.AsyncClient, "send", fail)
    with pytest.raises(NotSent):
        await odd_client.account.get()
    assert odd_client.budget.in_flight == 0


async def test_a_refusal_in_words_is_one_for_whatever_was_asked(odd: RawService) -> None:
    odd.answer(ACCOUNT)
    for _ in range(9):
        odd.answer({"error": 1, "message": "Too many requests, slow down."})
    async with Client(odd.base_url, SecretStr(KEY), retries=0) as client:
        await client.account.get()
        for failure in (RateLimited, Rejected):
            with pytest.raises(failure, match=r"refuses|Too many"):
                await (client.qr.get(7) if failure is RateLimited else client.domains.delete(7))
        await client.gate.learn()
        assert (client.gate.state.paused_for or 0) > 3, (
            "the second one in a row is believed, whatever it answers"
        )
    assert len(odd.requests) == 3


async def test_an_answer_that_arrives_is_not_moved_as_it_grows(odd: RawService, odd_client: Client) -> None:
    """To copy megabytes holds everything up; they are put together once, in a thread."""
    members, part = b'{"error":0,"data":{"id":1}}', b" " * 65_536
    count, largest = 64, list[int]()

    async def send(writer: asyncio.StreamWriter, _: Received) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (count * len(part) + len(members)))
        for piece in [part] * count:
            writer.write(piece)
            await writer.drain()
        await wait_until(lambda: tracemalloc.get_traced_memory()[0] > count * len(part))
        largest.append(max(trace.size for trace in tracemalloc.take_snapshot().traces))
        writer.write(members)

    odd.behave(send)
    tracemalloc.start()
    try:
        answer = await odd_client.connection.send(Request("GET", "/api/account"))
    finally:
        tracemalloc.stop()
    assert answer.members["data"] == {"id": 1}
    assert max(largest) < count * len(part) / 4
