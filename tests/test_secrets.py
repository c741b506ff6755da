"""The key is nowhere: not in a file, a line, a log, a repr, a picture or a report, whatever went wrong."""

import base64
import html
import json
import logging
import re
import urllib.parse
from pathlib import Path

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.demo.settings import Settings as DemoSettings
from tests.commands.shell import Here, run
from tests.conftest import PLENTY, RunApp, StartDemo
from tests.screens.clock import HoldingClock
from tests.screens.hand import Hand

KEY = "sk_live/Zx9+canary=4f7a1e"
PASSWORD = 'Pw/canary"9&<b>é'

BAD_ANSWERS = (
    Fault(status=500, content=json.dumps({"error": 1, "message": f"Key {KEY} failed"}).encode()),
    Fault(content=f"<html>{KEY}</html>".encode(), content_type="text/html"),
    Fault(handled=False, status=401, content=json.dumps({"error": 1, "message": f"No: {KEY}"}).encode()),
    Fault(handled=False, status=302, headers={"Location": f"https://evil.example/?key={KEY}"}),
    Fault(content=json.dumps({"error": 0, "data": {"id": 1, "username": KEY, "api_key": KEY}}).encode()),
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

CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list", "arguments": {}}}
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
    aligned = [base64.b64encode(b"." * lead + raw)[4 if lead else 0 : -4] for lead in range(3)]
    return [
        raw,
        urllib.parse.quote(secret, safe="").encode(),
        html.escape(secret).encode(),
        json.dumps(secret)[1:-1].encode(),
        json.dumps(secret)[1:-1].replace("/", "\\/").encode(),
        *aligned,
    ]


def found_in(data: bytes | str) -> list[bytes]:
    """The spellings of the secrets in some data."""
    data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    return [form for secret in (KEY, PASSWORD) for form in spellings(secret) if form in data]


def assert_no_file_holds_one(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert {str(path): found for path in files if (found := found_in(path.read_bytes()))} == {}


@pytest.fixture
def canary(start_demo: StartDemo, app_clock: HoldingClock) -> Running:
    """A service whose key is known to the test."""
    return start_demo(DemoSettings(rate=PLENTY, clock=app_clock, admin_key=KEY))


def test_the_search_finds_what_it_looks_for() -> None:
    for form in spellings(KEY):
        assert found_in(b"before " + form + b" after")


def test_no_verb_leaves_a_secret(
    canary: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, logger="linkdash")
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
    served = run(canary, "mcp", typed="".join(f"{json.dumps(line)}\n" for line in (HELLO, CALL)))
    assert '"id":1' in served.out
    assert found_in(served.out + served.told) == []
    assert found_in(caplog.text) == []
    assert_no_file_holds_one(tmp_path)


async def test_no_day_in_the_dashboard_leaves_a_secret(
    canary: Running, run_app: RunApp, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, logger="linkdash")
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
