"""Bad input in a real terminal: one line before the app is up, a state of it after."""

import socket
import sys
from pathlib import Path

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.terminal.terminal import Terminal

KEY = "a-key-nobody-must-see"


@pytest.mark.parametrize(
    ("environment", "words", "status"),
    [
        ({"TERM": "dumb"}, "This terminal cannot display linkdash.", 2),
        (
            {"LINKDASH_BASE_URL": "https://x.example", "LINKDASH_API_KEY": f"{KEY}\n{KEY}"},
            "The API key contains a character that is not allowed. Copy it again",
            1,
        ),
        (
            {"LINKDASH_BASE_URL": "http://x.example", "LINKDASH_API_KEY": KEY},
            "Plain http to x.example would expose the key to the network. Use https.",
            1,
        ),
    ],
    ids=["no terminal", "a line end in the key", "http to another host"],
)
def test_one_line_before_the_app_is_up(environment: dict[str, str], words: str, status: int) -> None:
    with Terminal(columns=400, environment=environment) as terminal:
        assert terminal.wait_for_end() == status
        line, *rest = terminal.output.decode().splitlines()
        assert line.startswith(f"linkdash: {words}")
        assert rest == []
        assert "\x1b" not in line
        assert KEY not in line


def test_the_dashboard_is_not_drawn_into_a_file(tmp_path: Path) -> None:
    told = tmp_path / "told"
    program = ["sh", "-c", 'exec "$@" 2>"$TOLD"', "sh", sys.executable, "-m", "linkdash"]
    with Terminal("--demo", program=program, environment={"TOLD": str(told)}) as terminal:
        assert terminal.wait_for_end() == 2
    assert told.read_text() == "linkdash: This terminal cannot display linkdash.\n"


def test_an_error_in_the_app_can_be_tried_again(demo: Running) -> None:
    page = Fault(content=b"<!doctype html><title>Just a moment</title>", content_type="text/html")
    demo.service.faults.next("GET", "/api/account", page)
    with Terminal(environment=pointing_at(demo.base_url, demo.api_key)) as terminal:
        terminal.wait_for("This is not an answer of the API")
        terminal.wait_for("a web page (status 200).")
        terminal.wait_for("r tries again.")
        terminal.press("r")
        terminal.wait_for("dmitri.gruber")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert demo.api_key.encode() not in terminal.output


def test_a_wrong_key_is_refused_in_words(demo: Running) -> None:
    with Terminal(environment=pointing_at(demo.base_url, KEY)) as terminal:
        terminal.wait_for("The service refuses the key.")
        terminal.wait_for("Set up this profile")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert KEY.encode() not in terminal.output


def test_a_service_that_is_not_there_is_told_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Terminal(environment=pointing_at(f"http://127.0.0.1:{port}", KEY)) as terminal:
        terminal.wait_for("connection refused.")
        terminal.wait_for("r tries again.")
        assert KEY.encode() not in terminal.output


def pointing_at(address: str, key: str) -> dict[str, str]:
    """The environment of the user who uses this service."""
    return {"LINKDASH_BASE_URL": address, "LINKDASH_API_KEY": key}
