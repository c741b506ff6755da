"""The service on its socket: quick to start and stop, silent, and on loopback only."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from linkdash.demo import DemoError, DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve, serve_forever, serve_in_thread
from linkdash.demo.service import DemoService
from tests.service.visitor import Visitor
from tests.waiting import DEADLINE

_LATE = 60.0  # seconds
JSON = {"Content-Type": "application/json"}


async def test_it_serves_in_the_callers_event_loop() -> None:
    async with serve(DemoService()) as running:
        headers = {"Authorization": f"Bearer {running.plain_key}", **JSON}
        async with httpx.AsyncClient(base_url=running.base_url, headers=headers) as client:
            assert (await client.get("/api/account")).json()["data"]["id"] == 2
        async with httpx.AsyncClient(base_url=running.base_url) as stranger:
            assert (await stranger.get("/api/account")).status_code == 401
    async with httpx.AsyncClient() as late:
        with pytest.raises(httpx.ConnectError):
            await late.get(running.base_url)


async def test_stopping_waits_neither_for_open_connections_nor_for_late_answers() -> None:
    service = DemoService()
    service.faults.next("GET", "/api/qr", Fault(delay=_LATE))
    async with httpx.AsyncClient() as client:
        async with serve(service) as running:
            headers = {"Authorization": f"Bearer {running.api_key}", **JSON}
            await client.get(f"{running.base_url}/api/account", headers=headers)
            late = asyncio.create_task(client.get(f"{running.base_url}/api/qr", headers=headers))
            async with asyncio.timeout(DEADLINE):
                while len(service.log) < 2:  # noqa: ASYNC110 - the log is no event
                    await asyncio.sleep(0)
            begun = time.monotonic()
        assert time.monotonic() - begun < _LATE / 2
        with pytest.raises(httpx.TransportError):
            await late


def test_nothing_reaches_the_terminal_even_when_a_connection_is_dropped(
    running: Running,
    admin: Visitor,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    running.service.faults.next("GET", "*", Fault(drop=True))
    with pytest.raises(httpx.TransportError):
        admin.get("/api/account")
    admin.get("/api/nowhere")
    assert capfd.readouterr() == ("", "")
    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []


def test_a_taken_port_is_told_in_every_way_of_serving(shared: Running) -> None:
    port = int(shared.base_url.rpartition(":")[2])
    with pytest.raises(DemoError, match=f"Port {port}"), serve_in_thread(port=port):
        pytest.fail("two services on one port")
    with pytest.raises(DemoError, match=f"Port {port}"):
        asyncio.run(serve_forever(port, print, rate=30))
    with pytest.raises(DemoError, match="Port 70000"):
        asyncio.run(serve_forever(70_000, print, rate=30))


def test_the_keys_tell_what_they_are_and_are_not_in_the_log(shared: Running, reader: Visitor) -> None:
    reader.read("/api/users")
    assert shared.api_key.startswith("demo-admin-")
    assert shared.plain_key.startswith("demo-user-")
    assert all(shared.api_key not in repr(entry) for entry in shared.service.log)


def test_the_keys_are_those_of_one_service_unless_they_are_given() -> None:
    services = [DemoService() for _ in range(2)]
    assert len({key for each in services for key in (each.admin_key, each.plain_key)}) == 4
    given = DemoService(DemoSettings(admin_key="mine", plain_key="theirs"))
    assert (given.admin_key, given.plain_key) == ("mine", "theirs")
    with serve_in_thread(DemoSettings(admin_key="mine")) as running, Visitor(running, "mine") as admin:
        assert admin.get("/api/users").status_code == 200
    for each in (*services, given):
        each.close()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"])
def test_a_page_that_gives_this_machine_another_name_is_told_nothing(host: str, running: Running) -> None:
    with Visitor(running, running.api_key) as admin:
        response = admin.get("/api/users", headers={"Host": host})
    assert (response.status_code, response.json()["error"]) == (421, 1)
    assert len(running.service.log) == 0


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:80"])
def test_this_machine_goes_by_its_usual_names(host: str, reader: Visitor) -> None:
    assert reader.get("/api/account", headers={"Host": host}).status_code == 200


def test_a_body_has_a_limit(reader: Visitor) -> None:
    assert reader.ask("PUT", "/api/pixel/1/update", {"tag": "x" * 1_000_001}).status_code == 413


def test_the_log_tells_whose_key_what_and_how_it_ended(running: Running, admin: Visitor) -> None:
    with Visitor(running, running.plain_key) as plain, Visitor(running, None) as stranger:
        admin.get("/api/pixels?limit=2")
        admin.ask("PUT", "/api/pixel/1/update", {"tag": "", "name": "x"})
        plain.get("/api/plans")
        stranger.get("/api/plans")
    told = [
        (each.method, each.path, each.query, each.status, each.key_class, each.members, each.invalid)
        for each in running.service.log
    ]
    assert told == [
        ("GET", "/api/pixels", "limit=2", 200, "admin", (), False),
        ("PUT", "/api/pixel/1/update", "", 400, "admin", ("tag", "name"), True),
        ("GET", "/api/plans", "", 403, "user", (), False),
        ("GET", "/api/plans", "", 401, "none", (), False),
    ]
    assert [each.content_type for each in running.service.log] == ["application/json"] * 4


@pytest.mark.skipif(os.name != "posix", reason="interrupts a process")
def test_it_runs_until_interrupted_and_says_its_address_and_keys_only() -> None:
    command = [sys.executable, "-u", "-m", "linkdash", "demo-server", "--port", "0", "--rate", "7"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(3)]
        address = told[0].split()[4]
        key = told[1].split()[-1]
        headers = {"Authorization": f"Bearer {key}", **JSON}
        response = httpx.get(f"{address}/api/users", headers=headers)
        with socket.create_connection(("127.0.0.1", httpx.URL(address).port or 0)) as raw:
            raw.sendall(b"this is not HTTP\r\n\r\n")
            assert b" 400 " in raw.recv(1000)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (response.status_code, response.headers["x-ratelimit-limit"]) == (200, "7")
    assert (process.returncode, errors) == (0, "")


INTERRUPTED = """
import os, signal
from linkdash.demo import server

serve = server.serve

def interrupted(*given):
    os.kill(os.getpid(), signal.SIGINT)
    return serve(*given)

server.serve = interrupted
with server.serve_in_thread():
    pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="another signal")
def test_it_ends_where_it_is_interrupted_before_it_has_started() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], stderr=subprocess.PIPE, timeout=60, check=False
    )
    assert ended.returncode == -signal.SIGINT
    assert b"KeyboardInterrupt" in ended.stderr
