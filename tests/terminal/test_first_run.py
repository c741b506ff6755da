"""The first run in a real terminal: the form of the dashboard, and `linkdash setup` with a hidden prompt."""

import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.configuration_file import configuration_path
from tests.terminal.terminal import INSTALLED, Terminal

NO_SERVICE = "linkdash: No service is set. Run linkdash setup, or set LINKDASH_BASE_URL and LINKDASH_API_KEY"
KEYRING = """
import json, pathlib
from keyring.backend import KeyringBackend

class InFile(KeyringBackend):
    priority = 9
    path = pathlib.Path(__file__).with_name("kept.json")

    def set_password(self, service, name, password):
        self.path.write_text(json.dumps([service, name, password]))

    def get_password(self, service, name):
        kept = json.loads(self.path.read_text())
        return kept[2] if kept[:2] == [service, name] else None
"""


@pytest.fixture
def running() -> Iterator[Running]:
    with serve_in_thread(DemoSettings(rate=1_000)) as running:
        yield running


def type_slowly(terminal: Terminal, *lines: tuple[str, str]) -> None:
    """Wait for each prompt and answer it."""
    for prompt, answer in lines:
        terminal.wait_for(prompt)
        terminal.press(f"{answer}\r")


def _has_color(terminal: Terminal, text: str, color: str) -> bool:
    return terminal.color_of(text) == color


def test_the_dashboard_asks_for_a_service_and_writes_nothing_for_who_goes_back() -> None:
    with Terminal(columns=100, lines=30) as terminal:
        terminal.wait_for("Set up linkdash")
        terminal.press("\x1b")
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored
        assert NO_SERVICE.encode() in terminal.output
    assert not configuration_path().exists()


def test_a_command_that_asks_for_a_passphrase_has_the_terminal_until_it_ends(
    running: Running, tmp_path: Path
) -> None:
    command = tmp_path / "key"
    command.write_text(
        '#!/bin/sh\necho x >>"$0.asked"\n'
        'printf "\\nPassphrase %d: " $(wc -l <"$0.asked") >/dev/tty; read -r given </dev/tty\n'
        f'[ "$given" = right ] && echo {running.api_key}\n'
    )
    command.chmod(0o700)
    with Terminal(columns=100, lines=36) as terminal:
        terminal.wait_for("such as https")
        terminal.wait_until(lambda: terminal.color_of("─ Address") != terminal.color_of("─ API key"))
        in_focus = terminal.color_of("─ Address")
        terminal.press(running.base_url)
        terminal.wait_for(running.base_url)
        for title in ("─ API key", "─ Where to keep"):
            terminal.press("\t")
            terminal.wait_until(partial(_has_color, terminal, title, in_focus))
        terminal.press("command\r")
        terminal.wait_for("It prints the key")
        terminal.wait_until(partial(_has_color, terminal, "─ Command", in_focus))
        terminal.press(str(command))
        terminal.wait_for(str(command))
        terminal.press("\x13")
        terminal.wait_for("Passphrase 1:")
        terminal.press("wrong\r")
        terminal.wait_until(lambda: "exit status 1" in _said(terminal))
        terminal.wait_until(lambda: "Passphrase" not in terminal.text)
        terminal.press("\x13")
        terminal.wait_for("Passphrase 2:")
        terminal.press("right\r")
        terminal.wait_for("Passphrase 3:")  # the dashboard asks the command itself
        terminal.press("right\r")
        terminal.wait_for("of 1000 left")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored
        assert running.api_key.encode() not in terminal.output


def test_setup_asks_for_the_key_unseen(running: Running) -> None:
    with Terminal("setup", columns=100) as terminal:
        type_slowly(
            terminal,
            ("Name of the profile", "work"),
            ("Address of the service", running.base_url),
            ("Where to keep the key", "file"),
            ("API key (not shown)", running.api_key),
            ("Color", ""),
            ("Team store", ""),
        )
        assert terminal.wait_for_end() == 0
        assert running.api_key.encode() not in terminal.output
    kept = tomllib.loads(configuration_path().read_text())
    assert kept["profiles"]["work"] == {"base_url": running.base_url, "api_key": running.api_key}


def test_setup_keeps_the_key_in_the_keyring(running: Running, tmp_path: Path) -> None:
    (tmp_path / "in_file.py").write_text(KEYRING)
    own = {"PYTHON_KEYRING_BACKEND": "in_file.InFile", "PYTHONPATH": str(tmp_path)}
    with Terminal("setup", program=INSTALLED, columns=100, environment=own) as terminal:
        type_slowly(
            terminal,
            ("Name of the profile", ""),
            ("Address of the service", running.base_url),
            ("Where to keep the key", "keyring"),
            ("API key (not shown)", running.api_key),
            ("Color", ""),
            ("Team store", ""),
        )
        assert terminal.wait_for_end() == 0
    assert tomllib.loads(configuration_path().read_text())["profiles"]["default"]["keyring"] is True
    assert running.api_key not in configuration_path().read_text()
    with Terminal("get", "account", program=INSTALLED, columns=100, environment=own) as terminal:
        assert terminal.wait_for_end() == 0, terminal.text
        assert "username" in terminal.text


def _said(terminal: Terminal) -> str:
    """The text on the screen without frames, its lines joined."""
    return " ".join(terminal.text.replace("│", " ").split())
