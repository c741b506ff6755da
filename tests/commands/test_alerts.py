"""`alerts`: raised once, told to a hook without a shell or a secret, and status 5."""

import asyncio
import json
import os
import shlex
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from linkdash.commands.parser import parser
from linkdash.demo.server import Running
from linkdash.model.configuration_file import configuration_path
from linkdash.model.insight.alert_hooks import run_hook
from linkdash.startup.run_context import run_context
from linkdash.store.alerts import Alert
from tests.commands.past import daily, keep
from tests.commands.shell import Here, environment, start
from tests.waiting import DEADLINE

pytestmark = pytest.mark.slow

QUIET = [5, *[0] * 8]
BUSY = [5] * 9
ALERT = Alert("quiet", "qr 1", "Fl\u00fcyer: $(id) `id`", datetime(2026, 11, 20, tzinfo=UTC))

posix = pytest.mark.skipif(os.name != "posix", reason="groups of processes as POSIX has them")


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


def configure(text: str) -> None:
    path = configuration_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def python(program: str) -> str:
    """A hook as the configuration has it."""
    return json.dumps([sys.executable, "-c", program])


def test_a_rule_about_no_known_code_is_told(here: Here, service: Running) -> None:
    configure('[alerts.quiet]\nwhen = "silent 7d"\ncodes = [1, 77, "Flier"]\n')
    assert here("alerts", "--check").told == "", "where no code is known, none is missed"
    keep(service, {1: daily(BUSY)})
    ran = here("alerts", "--check")
    assert (ran.status, ran.told) == (0, "linkdash: Alert quiet: no loaded QR code matches 77, Flier.\n")


def test_an_alert_is_told_once_and_again_after_it_ceased(
    here: Here, service: Running, tmp_path: Path
) -> None:
    heard = tmp_path / "heard"
    hook = python(f"import sys; open({str(heard)!r}, 'a').write(sys.stdin.read())")
    configure(f'[alerts.quiet]\nwhen = "silent 7d"\nhook = {hook}\n')
    keep(service, {1: daily(QUIET), 2: daily(BUSY)})
    before = len(service.service.log)
    ran = here("alerts", "--check", "--format", "jsonl")
    assert (ran.status, [line["subject"] for line in ran.lines]) == (5, ["qr 1"])
    assert ran.told == "linkdash: Alert quiet: QR code 1: no scans in the last 7 days\n"
    again = here("alerts", "--check", "--format", "jsonl")
    assert (again.status, again.out, again.told) == (5, ran.out, "")
    assert here("alerts", "--format", "jsonl").out == ran.out
    assert [json.loads(line) for line in heard.read_text().splitlines()] == ran.lines
    configure(f'[alerts.quiet]\nwhen = "silent 7d"\ncodes = [2]\nhook = {hook}\n')
    ceased = here("alerts", "--check", "--format", "jsonl")
    assert (ceased.status, ceased.out, ceased.told) == (0, "", "")
    configure(f'[alerts.quiet]\nwhen = "silent 7d"\nhook = {hook}\n')
    assert "Alert quiet" in here("alerts", "--check").told
    assert len(heard.read_text().splitlines()) == 2
    assert len(service.service.log) == before


def test_users_cost_a_request_and_only_where_a_rule_is_about_them(here: Here, service: Running) -> None:
    configure('[alerts]\nsoon.when = "user expires 52w"\n')
    before = len(service.service.log)
    ran = here("alerts", "--check", "--format", "jsonl")
    assert ran.status == 5
    assert {str(line["subject"]).split()[0] for line in ran.lines} == {"user"}
    assert len(service.service.log) == before + 1


def test_what_is_left_is_known_without_a_request(here: Here, service: Running) -> None:
    configure('[alerts]\nfew.when = "requests left < 100000"\n')
    assert here("alerts", "--check").status == 0
    here("list", "pixels")
    before = len(service.service.log)
    ran = here("alerts", "--check", "--format", "jsonl")
    assert (ran.status, [line["subject"] for line in ran.lines]) == (5, ["requests"])
    assert len(service.service.log) == before


def test_collect_raises_what_it_finds(here: Here, service: Running) -> None:
    configure('[alerts]\nquiet.when = "silent 7d"\n')
    keep(service, {399: daily(QUIET)})
    ran = here("collect", "--qr", "10")
    assert ran.status == 0
    assert "linkdash: Alert quiet: QR code 399: no scans in the last 7 days\n" in ran.told
    assert here("alerts").status == 5


def test_a_wrong_rule_is_told_by_its_line_and_the_others_work(here: Here, service: Running) -> None:
    configure('[alerts.bad]\nwhen = "scans drop a lot"\n\n[alerts.quiet]\nwhen = "silent 7d"\n')
    keep(service, {1: daily(QUIET)})
    ran = here("alerts", "--check", "--format", "jsonl")
    assert (ran.status, [line["rule"] for line in ran.lines]) == (5, ["quiet"])
    assert "config.toml, line 2: alerts.bad" in ran.told
    assert "is not a rule; use one of: scans drop 50% in 7d" in ran.told
    configure('[alerts.few]\nwhen = "requests left < 5"\ncodes = [1]\n')
    assert "codes work only with rules about QR codes" in here("alerts", "--check").told


def test_no_rule_says_how_to_write_one(here: Here) -> None:
    ran = here("alerts", "--check")
    assert (ran.status, ran.out) == (1, "")
    assert 'alerts.quiet.when = "silent 7d"' in ran.told


def test_the_demo_has_the_person_s_alerts_without_their_hooks() -> None:
    configure('[alerts.low]\nwhen = "silent 1d"\nhook = ["false"]\n')
    with run_context(parser().parse_args(["--demo", "list", "qr"]), {}) as place:
        assert {name: (alert.when, alert.hook) for name, alert in place.settings.alerts.items()} == {
            "low": ("silent 1d", [])
        }


# ---- hooks ----


def test_a_hook_has_no_secret_and_no_shell(service: Running, tmp_path: Path) -> None:
    found = tmp_path / "found"
    program = f"import os, sys; open({str(found)!r}, 'w').write(repr(dict(os.environ)) + sys.stdin.read())"
    configure(f'[alerts.quiet]\nwhen = "silent 7d"\nhook = {python(program)}\n')
    keep(service, {1: daily(QUIET)})
    process = start(service, "alerts", "--check", LINKDASH_PROFILE="default")
    out, told = process.communicate(timeout=30)
    assert (process.returncode, "failed" in told) == (5, False)
    text = found.read_text()
    assert '"subject": "qr 1"' in text
    assert "PATH" in text
    assert "LINKDASH_" not in text
    assert environment(service)["LINKDASH_API_KEY"] not in text + out + told


@pytest.mark.skipif(os.name != "posix", reason="a shell")
def test_hooks_run_together_until_they_succeed(here: Here, service: Running, tmp_path: Path) -> None:
    may, heard, begun = tmp_path / "may", tmp_path / "heard", tmp_path / "begun"
    begun.mkdir()
    here_too, all_are = f"touch {begun}/$$", f"test $(ls {begun} | wc -l) -ge 6"
    program = f"{here_too}; until {all_are}; do sleep 0.05; done; cat >> {heard}; test -e {may}"
    hook = json.dumps(["sh", "-c", program])
    rules = "\n".join(f'[alerts.quiet{number}]\nwhen = "silent 7d"\nhook = {hook}' for number in range(6))
    configure(f"{rules}\n")
    keep(service, {1: daily(QUIET)})
    ran = here("alerts", "--check")
    assert (ran.status, ran.told.count("failed: exit status 1")) == (5, 6)
    may.touch()
    for _ in range(2):  # they succeed, and are then left alone
        ran = here("alerts", "--check")
        assert (ran.told.count("failed"), len(heard.read_text().splitlines())) == (0, 12)


async def test_what_an_alert_says_is_only_ever_data(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    program = f"import sys; open({str(heard)!r}, 'w').write(repr(sys.argv[1:]) + sys.stdin.read())"
    assert await run_hook([sys.executable, "-c", program, "$(id)", "; id"], ALERT) is None
    assert heard.read_text().startswith("['$(id)', '; id']")
    assert json.loads(heard.read_text().partition("]")[2])["message"] == ALERT.message


@pytest.mark.parametrize(
    ("hook", "failure"),
    [
        (["/nowhere/at/all"], "cannot be run: No such file or directory"),
        ([sys.executable, "-c", "raise SystemExit(7)"], "exit status 7"),
        ([sys.executable, "-c", "import os; os.close(0)"], None),
    ],
)
async def test_what_a_hook_came_to(hook: list[str], failure: str | None) -> None:
    assert await run_hook(hook, ALERT) == failure


def wait_for_the_end_of(pid: int) -> None:
    status, end = Path(f"/proc/{pid}/status"), time.monotonic() + DEADLINE
    while status.exists() and "State:\tZ" not in status.read_text():
        assert time.monotonic() < end, "it still runs"
        time.sleep(0.01)


@posix
async def test_a_hook_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    child = tmp_path / "child"
    hook = ["sh", "-c", f"sleep 600 & echo $! > {shlex.quote(str(child))}; wait"]
    assert await run_hook(hook, ALERT, seconds=2) == "timed out after 2 s"
    await asyncio.to_thread(wait_for_the_end_of, int(child.read_text()))
