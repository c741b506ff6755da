"""Whatever a service sends, no verb hands on what acts: the bytes of each, in pipes and on terminals."""

import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from linkdash.commands.verbs import VERBS
from tests import prestarted
from tests.hostile_service import ACTS, hostile_service
from tests.screens.driver import is_inert

Runs = Sequence[Sequence[str]]
TYPED = ACTS.replace("\0", "")
"""The same in an argument, which holds no NUL."""

RUNS: Mapping[str, Mapping[str, Runs]] = {
    "profiles": {
        "setup": [["--profile", f"own{TYPED}", "--key-stdin"], ["--key-command", "false"]],
        "profiles": [[], ["--format", "json"], ["use", "\x1b[2Jnone"]],
    },
    "records": {
        "list": [
            *(["qr", "--format", form] for form in ("table", "json", "jsonl")),
            *([resource] for resource in ("users", "channels", "campaigns", "domains", "pixels", "plans")),
            ["qr", "--filter", f"\x1b[2J:{TYPED}"],
        ],
        "get": [["qr", "1"], ["account"], ["users", "1", "--format", "json"], ["qr", "999999"]],
        "review": [[], ["--format", "json"]],
        "api": [["GET", "/api/qr?limit=2"], ["GET", "/api/channels", "--paginate"], ["GET", "/api/none"]],
    },
    "changes": {
        "export": [["channels", "{folder}/channels.csv"], ["channels", "-", "--format", "json"]],
        "create": [
            ["channels", f"name=Made{TYPED}", "--yes"],
            ["channels", "name=x", "--dry-run"],
        ],
        "update": [
            ["channels", "1", "description=Other", "--yes"],
            ["channels", "999", "description=Other", "--yes"],
        ],
        "assign": [["channel", "1", "qr:1", "--yes"]],
        "subscribe": [["2", "1", "--term", "monthly", "--yes"]],
        "delete": [
            ["channels", "2", "--yes"],
            ["channels", "--filter", "id:3", "--dry-run"],
            ["channels", "99", "--yes"],
        ],
        "import": [
            ["channels", "{folder}/channels.csv", "--yes"],
            ["channels", "{folder}/wrong.csv", "--yes"],
        ],
        "journal": [[], ["--check"], ["show", "1"], ["--format", "json"]],
        "undo": [["2", "--yes"], ["999", "--yes"]],
    },
    "statistics": {
        "stats": [["1", "2"], ["1", "--format", "json"], ["999999"]],
        "collect": [["--qr", "5", "6", "999999"], ["--qr", "7", "--format", "json"]],
        "report": [[], ["--format", "html"], ["--format", "json"], ["--detail"]],
        "alerts": [["--check"]],
        "metrics": [[]],
        "budget": [[], ["--format", "csv"]],
        "doctor": [[]],
        "store": [["copy", "files", "{folder}/copy"]],
    },
    "the program": {
        "demo-server": [["--port", "0"]],
        "mcp": [[]],
        "help": [[], ["list"], ["\x1b[2J"]],
        "completion": [["bash"]],
        "man": [[]],
    },
}
"""Verbs in an order in which each has something to tell, and what each is run with."""
AS_DATA: Runs = [
    ["list", "channels", "--format", "csv", "--raw"],
    ["list", "qr", "--format", "csv", "--raw"],
    ["get", "qr", "1", "--format", "csv"],
    ["export", "channels", "-", "--format", "csv", "--raw"],
    ["stats", "400", "--format", "csv"],  # on the page that was listed
    ["report", "--format", "csv"],
    ["collect", "--qr", "8", "--format", "csv"],
]
"""Runs that write CSV with the names of the service in it."""

OWN = re.compile("\x1b\\[[01]m|\r\x1b\\[K|\r(?=\\[)|\x1b\\[K|\r?\n")
"""Bold, the place of a bar, and line ends."""
OF_THE_PROGRAM = {"help": re.compile("\x1b\\[[0-9;]*m"), "completion": re.compile("\t")}
"""What stands in texts that came with the program, and have none of the service."""
SECONDS = 30.0


class Written(NamedTuple):
    """The output of a run, and what it said beside that."""

    out: str
    told: str


def ran(words: Sequence[str], service: tuple[str, str], *, on_a_terminal: bool) -> Written:
    """Run linkdash with its output going to pipes, or to two terminals."""
    address, key = service
    own = {
        **os.environ,
        **(
            {}
            if words[0] in ("setup", "profiles")
            else {"LINKDASH_BASE_URL": address, "LINKDASH_API_KEY": key}
        ),
        "TERM": "xterm-256color",
    }
    pairs = [pty.openpty() if on_a_terminal else os.pipe() for _ in range(2)]
    if words[0] == "setup":
        words = [*words, "--base-url", address]
    process = subprocess.Popen(
        [prestarted.program(), *words],
        env=own,
        stdin=subprocess.PIPE,
        stdout=pairs[0][1],
        stderr=pairs[1][1],
    )
    for _, end in pairs:
        os.close(end)
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.write(f"{key}\n".encode() if words[0] == "setup" else b"")
        process.stdin.close()
    written = {reader: b"" for reader, _ in pairs}
    until, is_open = time.monotonic() + SECONDS, set(written)
    while is_open:
        assert time.monotonic() < until, (words, written)
        for reader in select.select([*is_open], [], [], 0.1)[0]:
            try:
                data = os.read(reader, 65_536)
            except OSError:  # the end of a terminal
                data = b""
            written[reader] += data
            if not data:
                is_open.remove(reader)
            elif b"Stop it" in data:  # the demo's service runs until then
                process.send_signal(signal.SIGINT)
    for reader in written:
        os.close(reader)
    process.wait(SECONDS)
    out, told = (data.decode() for data in written.values())
    return Written(out, told)


def acting(text: str, verb: str) -> list[str]:
    """The lines of what was written that act on a terminal, or that a text of the service has forged."""
    lines = OWN.sub("\n", OF_THE_PROGRAM[verb].sub("", text) if verb in OF_THE_PROGRAM else text).split("\n")
    return [line for line in lines if not is_inert(line) or line.lstrip(" \"'").startswith("FORGED")]


def test_every_verb_is_run() -> None:
    assert {verb for runs in RUNS.values() for verb in runs} == {*VERBS}


on_each = pytest.mark.parametrize(
    "on_a_terminal",
    [pytest.param(False, id="pipes", marks=pytest.mark.nightly), pytest.param(True, id="terminals")],
)


@pytest.fixture(scope="module")
def hostile() -> Iterator[tuple[str, str]]:
    with hostile_service() as service:
        yield service


@on_each
@pytest.mark.parametrize("about", RUNS)
def test_no_verb_hands_on_what_acts(
    hostile: tuple[str, str], about: str, on_a_terminal: bool, tmp_path: Path
) -> None:
    (tmp_path / "wrong.csv").write_text(f'id,name,color\n1,"{ACTS}","{ACTS}"\n')
    wrong = {}
    for verb, runs in RUNS[about].items():
        for words in runs:
            given = [verb, *(word.replace("{folder}", str(tmp_path)) for word in words)]
            written = ran([*given, "--verbose"], hostile, on_a_terminal=on_a_terminal)
            assert "Traceback" not in written.told
            found = [line for text in written for line in acting(text, verb)]
            if found:
                wrong[" ".join(given)] = found
    assert wrong == {}


@on_each
def test_what_is_data_acts_on_no_terminal(hostile: tuple[str, str], on_a_terminal: bool) -> None:
    wrong = {}
    for words in AS_DATA:
        written = ran(words, hostile, on_a_terminal=on_a_terminal)
        found = acting(written.told, words[0])
        if on_a_terminal:
            found += acting(written.out, words[0])
        else:
            assert ACTS.replace("\r\n", "\n") in written.out.replace("\r\n", "\n"), words
        if found:
            wrong[" ".join(words)] = found
    assert wrong == {}
