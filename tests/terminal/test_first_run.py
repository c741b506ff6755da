"""The first run in a real terminal: the questions of `linkdash setup`, with a hidden prompt."""

import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.server import Running, serve_in_thread
from linkdash.model.configuration_file import configuration_path
from linkdash.model.configuration_text import change_file, put_profile
from tests.terminal.terminal import INSTALLED, Terminal

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


def answers(address: str, key: str) -> list[tuple[str, str]]:
    """Every prompt of `linkdash setup`, and an answer that keeps the key in the file."""
    return [
        ("Name of the profile", ""),
        ("Address of the service", address),
        ("API key (not shown)", key),
        ("Where to keep the key: file or keyring [file]:", ""),
        ("Color", ""),
        ("Team store", ""),
    ]


def type_slowly(terminal: Terminal, *lines: tuple[str, str]) -> None:
    """Wait for each prompt and answer it."""
    for prompt, answer in lines:
        terminal.wait_for(prompt)
        terminal.press(f"{answer}\r")


def test_the_dashboard_asks_what_setup_asks_and_opens(running: Running) -> None:
    with Terminal(columns=100, lines=30) as terminal:
        terminal.wait_for("No service is set. Answer these questions")
        type_slowly(terminal, *answers(running.base_url, running.api_key))
        terminal.wait_for("of 1000 left")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored
        assert running.api_key.encode() not in terminal.output


def test_no_word_of_the_questions_is_broken_at_80_columns() -> None:
    with Terminal(columns=80, lines=24) as terminal:
        terminal.wait_for("Name of the profile")
        told = terminal.text
        assert "linkdash --demo" in " ".join(told.split())
        terminal.press("\r")
        terminal.wait_for("Address of the service:")
        terminal.press("http://127.0.0.1:9\r")
        terminal.wait_for("API key (not shown)")
        terminal.press("some-key-of-somebody\r")
        terminal.wait_until(lambda: terminal.text.count("Address of the service:") == 2)
        told = " ".join(terminal.text.split())
        assert (
            "The service could not be reached: connection refused. Check the address and the network." in told
        )
        terminal.press("\x03")
        assert terminal.wait_for_end() == 130


def test_who_leaves_the_first_questions_has_written_nothing() -> None:
    with Terminal(columns=100, lines=30) as terminal:
        terminal.wait_for("Name of the profile")
        terminal.press("\x03")
        assert terminal.wait_for_end() == 130
        assert terminal.is_restored
    assert not configuration_path().exists()


def test_a_key_that_is_refused_is_entered_again_from_inside(running: Running) -> None:
    profile: dict[str, str | bool | list[str]] = {"base_url": running.base_url, "api_key": "nobodys-key"}
    change_file(configuration_path(), partial(put_profile, name="work", members=profile))
    with Terminal(columns=100, lines=30) as terminal:
        terminal.wait_for("refuses the key")
        terminal.press("1")
        terminal.wait_for("Set up this profile")
        terminal.press(":setup")
        terminal.wait_for("enter its address and key again")
        terminal.press("\r")
        terminal.wait_for("Address of the service")
        terminal.press("\x03")
        terminal.wait_for("The questions were left.")
        terminal.press(":setup\r")
        type_slowly(terminal, *answers("", running.api_key)[1:])
        terminal.wait_for("of 1000 left")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    kept = tomllib.loads(configuration_path().read_text())["profiles"]["work"]
    assert kept == {**profile, "api_key": running.api_key}


def test_setup_asks_for_the_key_unseen(running: Running) -> None:
    with Terminal("setup", columns=100) as terminal:
        type_slowly(
            terminal,
            ("Name of the profile", "work"),
            ("Address of the service", running.base_url),
            ("API key (not shown)", running.api_key),
            ("Where to keep the key: file or keyring [file]:", "file"),
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
            ("API key (not shown)", running.api_key),
            ("Where to keep the key: file or keyring [file]:", "keyring"),
            ("Color", ""),
            ("Team store", ""),
        )
        assert terminal.wait_for_end() == 0
    assert tomllib.loads(configuration_path().read_text())["profiles"]["default"]["keyring"] is True
    assert running.api_key not in configuration_path().read_text()
    with Terminal("get", "account", program=INSTALLED, columns=100, environment=own) as terminal:
        assert terminal.wait_for_end() == 0, terminal.text
        assert "username" in terminal.text
