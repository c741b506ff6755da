"""What a person sees of bad input in a real terminal: one line before the app is up, a state of it after."""

import socket
import sys
from pathlib import Path

import pytest

from linkdash.demo.gate import Fault
from linkdash.demo.server import Running
from linkdash.frame_settings import configuration_path
from tests.terminal.terminal import Terminal

KEY = "a-key-nobody-must-see"


@pytest.mark.parametrize(
    ("environment", "words", "status"),
    [
        ({"TERM": "dumb"}, "This terminal cannot display linkdash.", 2),
        (
            {"LINKDASH_BASE_URL": "https://x.example", "LINKDASH_API_KEY": f"{KEY}\n{KEY}"},
            "The API key holds a character that no key has. Copy it again",
            1,
        ),
        (
            {"LINKDASH_BASE_URL": "http://x.example", "LINKDASH_API_KEY": KEY},
            "Plain http to x.example would show the key to the network. Use https.",
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


def test_what_is_found_behind_a_kept_frame_is_told_when_the_terminal_is_given_back(demo: Running) -> None:
    with Terminal(environment=pointing_at(demo.base_url, demo.api_key)) as terminal:
        terminal.wait_for("dmitri.gruber")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    with Terminal(columns=400, environment=pointing_at(demo.base_url, f"{KEY}\n{KEY}")) as terminal:
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored
        drawn, _, told = terminal.output.decode().rpartition("\x1b[?1049l")
        assert "Opening…" in drawn
        assert "linkdash: The API key holds a character that no key has. Copy it again" in told
        assert KEY not in drawn + told


def test_what_was_seen_last_is_there_before_the_settings_are_read(demo: Running) -> None:
    path = configuration_path()
    path.parent.mkdir(parents=True)
    path.write_text(
        f'profile = "work"\n[profiles.work]\nbase_url = "{demo.base_url}"\napi_key = "{demo.api_key}"\n'
    )
    path.chmod(0o600)
    drawn = []
    for _ in range(3):
        with Terminal() as terminal:
            terminal.wait_for("dmitri.gruber")
            terminal.wait_for("No scans are known yet.")
            terminal.wait_for("all saved")
            terminal.press("q")
            assert terminal.wait_for_end() == 0
        drawn.append(terminal.output.decode().partition("Opening… This is as of ")[0])
    first, *others = ["dmitri.gruber" in text for text in drawn]
    assert first, "there it is drawn by the overview alone"
    assert others == [True, True], "and here before the program has opened"
    assert [text.count("all saved") for text in drawn] == [1, 0, 0]


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
        terminal.wait_for("This is no answer of the API but a web page (status 200).")
        terminal.wait_for("r tries again.")
        terminal.press("r")
        terminal.wait_for("dmitri.gruber")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert demo.api_key.encode() not in terminal.output


def test_a_wrong_key_is_refused_in_words(demo: Running) -> None:
    with Terminal(environment=pointing_at(demo.base_url, KEY)) as terminal:
        terminal.wait_for("The service refuses the key.")
        terminal.wait_for("r tries again.")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert KEY.encode() not in terminal.output


def test_a_service_that_is_not_there_is_told_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Terminal(environment=pointing_at(f"http://127.0.0.1:{port}", KEY)) as terminal:
        terminal.wait_for("The service could not be reached: nothing listens at its address.")
        terminal.wait_for("r tries again.")
        assert KEY.encode() not in terminal.output


def pointing_at(address: str, key: str) -> dict[str, str]:
    """The environment of a person who uses this service."""
    return {"LINKDASH_BASE_URL": address, "LINKDASH_API_KEY": key}
