"""`linkdash doctor`: what it finds out, what that costs, and that it can be pasted into a ticket."""

import json
import os
import socket
import sqlite3
import subprocess
import time
from email.utils import formatdate
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash import cli
from linkdash.api.http.address import profile_key
from linkdash.commands import doctor
from linkdash.commands.doctor import (
    Folders,
    clock_finding,
    examine,
    lock_finding,
    machine,
    rate_finding,
    shape,
    tls_finding,
)
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.configuration_file import configuration_path
from linkdash.model.settings import Settings
from linkdash.store.store import Store
from tests import prestarted
from tests.conftest import StartDemo


@pytest.fixture
def service(start_demo: StartDemo) -> Running:
    return start_demo(DemoSettings(clock=time.time))


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path / "state", tmp_path / "cache")


async def found(
    running: Running, folders: Folders, key: str = "", *, offline: bool = False
) -> dict[str, str]:
    """The lines by what they are about."""
    settings = Settings("tests", running.base_url, SecretStr(key or running.api_key))
    return {finding.title: str(finding) async for finding in examine(settings, folders, offline=offline)}


async def test_three_requests_say_everything(service: Running, folders: Folders) -> None:
    lines = await found(service, folders)
    assert len(list(service.service.log)) == 3
    assert not [title for title, line in lines.items() if not line.startswith("ok")]
    assert lines["address"].endswith(service.base_url)
    assert "none: plain http, which does not leave this machine" in lines["TLS"]
    assert "it accepts the key" in lines["service"]
    assert "yes: the key sees 4 plans" in lines["admin"]
    assert "returned at most: 100" in lines["page"]
    assert "same as the service's" in lines["clock"]
    assert "X-RateLimit-Limit: 30, X-RateLimit-Remaining: 27" in lines["rate"]
    assert "So 27 of 30 are left" in lines["rate"]
    assert "(seconds since 1970)" in lines["rate"]
    assert "every linkdash with this key on this machine shares the budget" in lines["sharing"]
    assert service.api_key not in str(lines)


async def test_a_key_without_admin_rights(service: Running, folders: Folders) -> None:
    lines = await found(service, folders, service.plain_key)
    assert "no: plans and users are not for this key" in lines["admin"]
    assert not [title for title, line in lines.items() if not line.startswith("ok")]


async def test_the_first_request_that_fails_is_the_last(service: Running, folders: Folders) -> None:
    lines = await found(service, folders, "no-key-of-anybody")
    assert lines["service"].startswith("!!  service   The service refuses the key.")
    assert len(list(service.service.log)) == 1
    assert "rate" in lines
    assert "no-key-of-anybody" not in str(lines)
    service.service.faults.next("GET", "/api/plans", Fault(handled=False, drop=True))
    assert (await found(service, folders))["service"].startswith("!!  service   The connection broke")


async def test_offline_sends_nothing_and_says_what_was_learned(service: Running, folders: Folders) -> None:
    store = Store(folders.state, folders.cache, profile_key(service.base_url, service.api_key))
    await store.pages.learn_page_size("/api/qr", 500)
    await store.close()
    lines = await found(service, folders, offline=True)
    assert "records a page learned: qr 500" in lines["kept"]
    assert lines["cache"].startswith("ok")
    assert not [*service.service.log]
    (folders.cache / "cache.db").write_bytes(b"no database" * 999)
    assert "was damaged" in (await found(service, folders, offline=True))["kept"]


async def test_without_a_shared_file_it_says_why(service: Running, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    folders = Folders(tmp_path / "state", tmp_path / "cache")
    assert "the shared budget cannot be opened: " in (await found(service, folders))["sharing"]


async def test_no_trusted_connection_and_a_proxy_between(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    line = str(await tls_finding(f"https://127.0.0.1:{port}"))
    assert line == "!!  TLS       no trusted connection: connection failed"
    monkeypatch.setenv("https_proxy", "http://user:secret@proxy.example")
    assert "there is a proxy in between" in str(await tls_finding("https://links.example"))


async def test_what_no_proxy_has_that_is_no_address_is_told(
    service: Running, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@proxy.example")
    monkeypatch.setenv("NO_PROXY", "intern.example,[::1],not one,fd00::/8")
    settings = Settings("tests", service.base_url, SecretStr(service.api_key))
    found = [str(one) async for one in examine(settings, folders, offline=True)]
    lines = [line for line in found if "proxy" in line]
    assert lines[0].endswith("the environment sets HTTPS_PROXY, NO_PROXY, not for this address")
    assert lines[1] == "!!  proxy     left out of NO_PROXY, as neither a name nor an address: not one"


def test_clocks_are_compared_in_words() -> None:
    headers = {"date": formatdate(1_790_000_000, usegmt=True)}
    assert "same as the service's" in str(clock_finding(headers, 1_790_000_001.0))
    assert "3,600 s ahead of the service's" in str(clock_finding(headers, 1_790_003_600.0))
    assert "90 s behind the service's" in str(clock_finding(headers, 1_789_999_910.0))
    assert "does not send its time" in str(clock_finding({"Date": "soon"}, 0.0))


def test_rate_headers_are_shown_as_they_are_and_as_they_are_understood() -> None:
    odd = {"x-ratelimit-limit": "30", "x-ratelimit-remaining": "12", "x-ratelimit-reset": "41\x1b[2J"}
    line = str(rate_finding(odd))
    assert "So 12 of 30 are left; reset not believed (not understood)" in line
    assert "\x1b" not in line
    missing = rate_finding({})
    assert not missing.good
    assert "X-RateLimit-Limit: (missing)" in missing.words


def test_a_key_is_told_by_its_shape() -> None:
    assert shape("aB3-") == "4 characters: letters, digits, other characters (not shown)"
    assert shape("123") == "3 characters: digits (not shown)"


def test_the_command_ends_with_a_status(
    service: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cli.main(["doctor"]) == 1
    assert "!!  settings  No service is set." in capsys.readouterr().out
    monkeypatch.setenv("LINKDASH_BASE_URL", service.base_url)
    monkeypatch.setenv("LINKDASH_API_KEY", service.api_key)
    assert cli.main(["doctor", "--offline"]) == 0
    monkeypatch.setenv("LINKDASH_API_KEY", service.api_key)  # a run takes it out
    assert cli.main(["doctor"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert service.api_key not in told.out
    assert str(tmp_path) not in told.out, "a ticket need not know whose home this is"
    assert len(list(service.service.log)) == 3


@pytest.mark.parametrize(
    ("wrong", "words"),
    [('theme = "nowhere"', "There is no theme 'nowhere'"), ('[keys]\nrefresh = "q"', "q")],
)
def test_it_checks_what_keeps_the_dashboard_from_starting(
    service: Running,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wrong: str,
    words: str,
) -> None:
    monkeypatch.setenv("LINKDASH_BASE_URL", service.base_url)
    monkeypatch.setenv("LINKDASH_API_KEY", service.api_key)
    configuration_path().parent.mkdir(parents=True, exist_ok=True)
    configuration_path().write_text(f"{wrong}\n")
    configuration_path().chmod(0o600)
    assert cli.main(["doctor", "--offline"]) == 1
    found = [line for line in capsys.readouterr().out.splitlines() if "!!  dashboard" in line]
    assert words in found[0]


def test_a_setting_without_meaning_is_told_once_and_in_the_report(
    service: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LINKDASH_BASE_URL", service.base_url)
    monkeypatch.setenv("LINKDASH_API_KEY", service.api_key)
    configuration_path().parent.mkdir(parents=True, exist_ok=True)
    configuration_path().write_text("colour = 1\n")
    configuration_path().chmod(0o600)
    assert cli.main(["doctor", "--offline"]) == 1
    told = capsys.readouterr()
    assert told.err == ""
    assert told.out.count("colour is not a setting") == 1


def test_a_program_gets_the_findings_as_members(
    service: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LINKDASH_BASE_URL", service.base_url)
    monkeypatch.setenv("LINKDASH_API_KEY", service.api_key)
    assert cli.main(["doctor", "--offline", "--format", "json"]) == 0
    told = capsys.readouterr().out
    found = {row["check"]: (row["ok"], row["finding"]) for row in json.loads(told)}
    assert found["service"] == (True, "skipped: --offline")
    assert found["address"] == (True, service.base_url)
    assert service.api_key not in told
    monkeypatch.setenv("LINKDASH_BASE_URL", "http://example.org")
    assert cli.main(["doctor", "--format", "jsonl"]) == 1
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["check"], last["ok"]) == ("settings", False)


def test_a_database_that_somebody_else_holds_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_LOCK_SECONDS", 0.1)
    path = tmp_path / "state.db"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("CREATE TABLE one (two)")
    assert lock_finding(path) is None
    holder.execute("BEGIN EXCLUSIVE")
    found = lock_finding(path)
    assert found is not None
    assert (found.good, "locked" in str(found)) == (False, True)
    holder.close()


def test_versions_are_those_that_are_installed() -> None:
    lines = [str(finding) for finding in machine()]
    assert any("linkdash 0." in line and "textual 8." in line for line in lines)


def test_nothing_is_said_beside_the_report_on_a_bare_machine(service: Running, folders: Folders) -> None:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("XDG_RUNTIME")}
    command = [prestarted.program(), "doctor"]
    own = {**bare, "LINKDASH_BASE_URL": service.base_url, "LINKDASH_API_KEY": service.api_key}
    ran = subprocess.run(command, env=own, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
