"""The key is nowhere: not in a file, a line, a log, a repr, a picture or a report, whatever went wrong."""

import html
import json
import logging
import re
import signal
import subprocess
import urllib.parse
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from linkdash.api.http.secrecy import MASK
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.configuration_file import configuration_path
from linkdash.startup import run_context as work_place
from linkdash.startup.run_context import RunContext
from tests.commands.shell import PROGRAM, Here, start
from tests.conftest import PLENTY, RunApp, StartDemo
from tests.screens.clock import HoldingClock
from tests.screens.hand import Hand
from tests.service.visitor import NO_TLS

KEY = "sk_live/Zx9+canary=4f7a1e"
USER_KEY = "uk_live/Qy8+canary=77c0de"
"""That of another user, which the service sends to admins."""
PASSWORD = 'Pw/canary"9&<b>é'

BAD_ANSWERS = (
    Fault(status=500, content=json.dumps({"error": 1, "message": f"Key {KEY} failed"}).encode()),
    Fault(content=f"<html>{KEY}</html>".encode(), content_type="text/html"),
    Fault(handled=False, status=401, content=json.dumps({"error": 1, "message": f"No: {KEY}"}).encode()),
    Fault(handled=False, status=302, headers={"Location": f"https://evil.example/?key={KEY}"}),
    Fault(content=json.dumps({"error": 0, "data": {"id": 1, "username": KEY, "api_key": KEY}}).encode()),
    Fault(
        handled=False,
        status=302,
        headers={
            "Location": f"/?{urllib.parse.urlencode({'key': KEY})}",
            "X-Echo": KEY,
            "Set-Cookie": f"k={KEY}",
        },
    ),
    Fault(status=400, content=json.dumps({"error": 1, "message": f"No: {urllib.parse.quote(KEY)}"}).encode()),
)

VERBS = (
    "list pixels",
    "get pixels 1",
    "get account --format jsonl",
    "create pixels type=bing name=Canary tag=12345678",
    "update pixels 1 name=Other",
    "delete pixels 2 --yes",
    "assign channel 1 qr:1 --yes",
    "subscribe 5 2 --term monthly --yes",
    "journal --format jsonl",
    "journal --unknown --check",
    "collect --qr 1",
    "review",
    "profiles",
    "doctor",
    "export pixels {folder}/pixels.json",
    "import pixels {folder}/pixels.json --dry-run",
    "completion bash",
)

CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("list_records", {"resource": "users"}),
    ("get_record", {"resource": "users", "id": 3}),
    ("list_records", {"resource": "pixels"}),
    (
        "create_record",
        {
            "resource": "users",
            "members": {"username": "m", "email": "m@example.org", "password": PASSWORD},
        },
    ),
    ("journal", {}),
)
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


def spellings(secret: str) -> list[bytes]:
    """A secret in every form in which it could lie somewhere."""
    raw = secret.encode()
    return [
        raw,
        urllib.parse.quote(secret, safe="").encode(),
        html.escape(secret).encode(),
        json.dumps(secret)[1:-1].encode(),
        json.dumps(secret)[1:-1].replace("/", "\\/").encode(),
    ]


def found_in(data: bytes | str, secrets: Sequence[str] = (KEY, USER_KEY, PASSWORD)) -> list[bytes]:
    """The spellings of the secrets in some data."""
    data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    return [form for secret in secrets for form in spellings(secret) if form in data]


def assert_no_file_holds_one(folder: Path, *meant: Path) -> None:
    """No file but those that are meant to."""
    files = [path for path in folder.rglob("*") if path.is_file() and path not in meant]
    assert files
    assert {str(path): found for path in files if (found := found_in(path.read_bytes()))} == {}


@pytest.fixture
def canary(start_demo: StartDemo, app_clock: HoldingClock) -> Running:
    """A service whose key is known to the test."""
    return start_demo(DemoSettings(rate=PLENTY, clock=app_clock, admin_key=KEY, plain_key=USER_KEY))


def test_the_search_finds_what_it_looks_for() -> None:
    for form in spellings(KEY):
        assert found_in(b"before " + form + b" after")


@pytest.mark.nightly
def test_no_verb_leaves_a_secret(
    canary: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    here = Here(canary, capsys)
    typed = here(
        "create", "users", "username=c", "email=c@example.org", "password=-", "--yes", typed=PASSWORD
    )
    assert typed.status == 0, typed.told
    assert found_in(typed.out + typed.told) == []
    for number, verb in enumerate(VERBS):
        for fault in (None, BAD_ANSWERS[number % len(BAD_ANSWERS)]):
            if fault is not None:
                canary.service.faults.next("*", "*", fault)
            ran = here(*verb.format(folder=tmp_path).split())
            assert found_in(ran.out + ran.told) == [], verb
            for _ in range(canary.service.faults.pending):
                canary.service.faults.take("GET", "/")
    assert found_in(caplog.text) == []
    assert_no_file_holds_one(tmp_path)


def test_no_tool_of_mcp_leaves_a_secret(canary: Running, tmp_path: Path) -> None:
    lines = [HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    lines += [
        {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": given}}
        for id, (name, given) in enumerate(CALLS, 2)
    ]
    for fault in BAD_ANSWERS:
        canary.service.faults.next("*", "/api/pixels", fault)
    with start(canary, "mcp", "--writes", stdin=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(f"{json.dumps(line)}\n" for line in lines))
        server.stdin.flush()
        answers = [server.stdout.readline() for _ in range(len(CALLS) + 1)]  # its end would cut them off
        out, told = server.communicate(timeout=60)
    said = "".join([*answers, out])
    assert {json.loads(answer)["id"] for answer in answers} == set(range(1, len(CALLS) + 2))
    assert MASK in said
    assert found_in(said + told) == []
    assert_no_file_holds_one(tmp_path)


def test_setup_leaves_the_key_in_its_file_only_and_a_fault_in_none(
    canary: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Here(canary, capsys)
    typed = f"work\n{canary.base_url}\n{KEY}\nfile\n\n"
    ran = here("setup", typed=typed, set={"LINKDASH_API_KEY": "", "LINKDASH_BASE_URL": ""})
    assert ran.status == 0, ran.told
    assert found_in(ran.out + ran.told) == []

    def fail(place: RunContext) -> None:
        key = place.settings.api_key.get_secret_value()
        raise ZeroDivisionError(f"{key} {urllib.parse.quote(key, safe='')}")

    monkeypatch.setattr(work_place, "open_session", fail)
    ran = here("list", "pixels")
    assert ran.status == 1
    assert "ZeroDivisionError" in ran.told
    assert found_in(ran.out + ran.told) == []
    assert len(list(tmp_path.rglob("fault-*"))) == 1
    assert configuration_path().stat().st_mode & 0o777 == 0o600
    assert_no_file_holds_one(tmp_path, configuration_path())


def test_the_demo_server_says_its_own_two_keys_once_and_nothing_else(tmp_path: Path) -> None:
    command = [PROGRAM, "demo-server", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path) as server:
        assert server.stdout is not None
        first = [server.stdout.readline() for _ in range(5)]
        address, key, plain_key = first[0].split()[4], first[1].split()[-1], first[2].split()[-1]
        made = {"username": "c", "email": "c@example.org", "password": PASSWORD}
        with httpx.Client(base_url=address, headers=bearing(key), verify=NO_TLS) as client:
            client.post("/api/user/add", json=made)
            client.post("/api/user/add", content=json.dumps(made)[:-1])
            client.put("/api/account/update", json={"password": PASSWORD})
            client.get("/api/account", params={"key": key, "password": PASSWORD})
            client.get("/api/account", headers=bearing(KEY))
            users = client.get("/api/users").json()["data"]
            client.get(f"/api/user/{users[-1]['id']}", headers=bearing(users[-1]["apikey"]))
        server.terminate()
        rest, told = server.communicate(timeout=60)
    ended = "linkdash: Ended by SIGTERM.\n"
    assert (server.returncode, rest, told) == (128 + signal.SIGTERM, "Stopped after 7 requests.\n", ended)
    secret = [KEY, PASSWORD, *{user["apikey"] for user in users} - {key, plain_key}]
    assert found_in("".join(first), secret) == []
    assert found_in("".join(first), [key, plain_key]), "for who started it"
    holding = {path for path in tmp_path.rglob("*") if path.is_file() and found_in(path.read_bytes(), secret)}
    assert holding == set()


def bearing(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}


@pytest.mark.nightly
async def test_no_day_in_the_dashboard_leaves_a_secret(
    canary: Running, run_app: RunApp, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    async with run_app(canary, size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.go("account")
        for fault in BAD_ANSWERS:
            canary.service.faults.next("GET", "/api/account", fault)
            await driver.refresh()
            seen += [driver.text, *driver.toasts]
        for key in ("v", "y", "b", "M"):
            await driver.press(key)
            seen += [driver.text, driver.app.export_screenshot()]
            await driver.press("escape")
        await driver.go("users")
        await hand.open("n")
        await hand.fill({"username": "canary", "email": "c@example.org", "password": PASSWORD})
        seen += [driver.text, driver.app.export_screenshot()]
        await hand.save()
        seen += [driver.text, driver.app.export_screenshot()]
        await driver.press("w")
        seen += [driver.text, driver.app.export_screenshot()]
        await driver.press("escape")
        session = driver.app.session
        parts = [session, session.client, session.settings, session.gate, session.store, driver.app]
        seen += [f"{part!r} {part!s}" for part in parts]
        path = session.faults.write(ValueError(f"The header was Bearer {KEY}"))
        assert path is not None
        seen.append(path.read_text())
    pictures = [re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL) for text in seen]
    assert [found for text in pictures if (found := found_in(html.unescape(text)))] == []
    assert [found for text in pictures if (found := found_in(text))] == []
    assert found_in(caplog.text) == []
    assert_no_file_holds_one(tmp_path)
