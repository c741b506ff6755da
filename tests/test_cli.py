"""The command line before the app is up: what it is told, what it answers, and how it ends."""

import importlib.util
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from functools import partial
from operator import ne
from pathlib import Path

import pytest

from linkdash import cli
from linkdash.model.configuration_file import configuration_path

KEY = "a-key-nobody-must-see"


def ends(arguments: list[str], capsys: pytest.CaptureFixture[str], no_terminal: str = "") -> tuple[int, str]:
    """The status, and the one line on standard error; `no_terminal` is the stream that is none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm-256color")
        for stream in ("stdin", "stdout", "stderr"):
            patch.setattr(getattr(sys, stream), "isatty", partial(ne, stream, no_terminal))
        status = cli.main(arguments)
    out, told = capsys.readouterr()
    assert out == ""
    assert told.endswith("\n")
    assert told.count("\n") == 1
    assert KEY not in told
    return status, told.removesuffix("\n")


CANNOT_BE_USED = [
    (
        {"BASE_URL": "https://x.example"},
        "No API key is set. Set LINKDASH_API_KEY or api_key in the profile.",
    ),
    ({"BASE_URL": "x.example", "API_KEY": KEY}, "The service's address is not a web address."),
    ({"BASE_URL": "ftp://x.example", "API_KEY": KEY}, "The service's address is not a web address."),
    ({"BASE_URL": "https://x.example:99999", "API_KEY": KEY}, "The service's address is not a web address."),
    ({"BASE_URL": f"https://me:{KEY}@x.example", "API_KEY": KEY}, "The service's address contains more than"),
    ({"BASE_URL": "http://x.example", "API_KEY": KEY}, "Plain http to x.example would expose the key"),
    ({"BASE_URL": "http://192.0.2.1", "API_KEY": KEY}, "Plain http to 192.0.2.1 would expose the key"),
    ({"BASE_URL": "https://x.example", "API_KEY": f"{KEY}\n{KEY}"}, "The API key contains a character"),
    ({"BASE_URL": "https://x.example", "API_KEY": f"{KEY}\x1b[2J"}, "The API key contains a character"),
    ({"BASE_URL": "https://x.example", "API_KEY": "ключ"}, "The API key contains a character"),
    ({"PROFILE": "nowhere"}, "There is no profile named 'nowhere'."),
]


@pytest.mark.parametrize(("environment", "words"), CANNOT_BE_USED)
def test_what_cannot_be_used_is_told_in_one_line(
    environment: dict[str, str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(f"LINKDASH_{name}", value)
    status, told = ends([], capsys)
    assert status == 1
    assert told.startswith(f"linkdash: {words}")


def test_a_verb_says_that_no_service_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    status, told = ends(["list", "qr"], capsys)
    assert status == 1
    assert told.startswith(
        "linkdash: No service is set. Run linkdash setup, or set LINKDASH_BASE_URL and LINKDASH_API_KEY"
    )


def test_a_configuration_file_that_cannot_be_used_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    path = configuration_path()
    path.parent.mkdir(parents=True)
    for text, words in (
        ("profile = ", "is not valid TOML"),
        ("[profiles.default]\nbase = 1", "line 2: profiles.default.base is not a setting"),
        (f'[profiles.default]\nbase_url = "https://x.example"\napi_key = "{KEY}"', "others can read it"),
    ):
        path.write_text(text)
        path.chmod(0o644)
        status, told = ends([], capsys)
        assert status == 1
        assert told.startswith(f"linkdash: {path}")
        assert words in told


@pytest.mark.skipif(os.name != "posix", reason="elsewhere every user has a home")
def test_a_user_without_a_home_is_told_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    told = "This user has no home folder. Set HOME to a folder."
    assert ends(["collect"], capsys) == (1, f"linkdash: {told}")
    assert cli.main(["doctor"]) == 1
    assert capsys.readouterr().out == f"!!  settings  {told}\n"


def test_flags_beat_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LINKDASH_BASE_URL", "https://x.example")
    monkeypatch.setenv("LINKDASH_API_KEY", KEY)
    assert ends(["--base-url", "http://y.example"], capsys)[1].startswith("linkdash: Plain http to y.example")
    assert ends(["--profile", "mine"], capsys)[1].startswith("linkdash: There is no profile named 'mine'.")


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_every_stream_must_be_a_terminal(stream: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = (2, "linkdash: This terminal cannot display linkdash.")
    assert ends(["--demo"], capsys, no_terminal=stream) == expected


@pytest.mark.parametrize("arguments", [["--api-key", KEY], ["demo-server"], ["demo-server", "--port", "x"]])
def test_wrong_usage_ends_with_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: linkdash")


def modules_after(code: str, *arguments: str) -> set[str]:
    """The modules that a new interpreter has loaded after this code; what it prints goes nowhere."""
    program = (
        "import sys, atexit;"
        f"atexit.register(lambda: print(*sys.modules, file=sys.stderr)); sys.argv[0] = 'linkdash'; {code}"
    )
    command = [sys.executable, "-c", program, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "linkdash" in ran.stdout
    return {*ran.stderr.split()}


def test_help_imports_hardly_more_than_argparse() -> None:
    """Whatever else is imported is paid by everyone who asks for help, a version or a completion."""
    usual = modules_after("import argparse; argparse.ArgumentParser(prog='linkdash').print_help()")
    own = {"linkdash", "linkdash.cli", "linkdash.commands", "linkdash.interrupts"}
    own |= {f"linkdash.commands.{name}" for name in ("argument_types", "parser", "verbs")}
    own |= {"linkdash.model", "linkdash.model.file_formats", "linkdash.model.gone"}
    small = {"contextlib", "collections.abc", "signal"}
    begin = "from linkdash.cli import main; sys.exit(main())"
    assert modules_after(begin, "--help") - usual == own | small
    assert modules_after(begin, "--version") - usual <= own | small
    completion = {"linkdash.commands.completion"}
    by_name = {"importlib", "importlib._bootstrap", "importlib._bootstrap_external"}
    assert modules_after(begin, "completion", "zsh") - usual == own | small | completion | by_name


def test_children_get_no_key_and_libraries_no_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("LINKDASH_API_KEY", "TEXTUAL_LOG", "SSLKEYLOGFILE"):
        monkeypatch.setenv(name, KEY)
    before = os.umask(0o022)
    try:
        assert ends(["--base-url", "http://x.example"], capsys)[0] == 1
        assert os.umask(before) == 0o077
    finally:
        os.umask(before)
    assert KEY not in os.environ.values()


def test_what_is_printed_is_inert_and_repeats_no_value(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["list", "qr", f"--api-key={KEY}", KEY],
        ["list", "\x1b[2J\x9b"],
        ["journal", "--limit", "\x1b[2J"],
        ["--profile", "\x1b]0;x\x07", "list", "qr"],
    ):
        with suppress(SystemExit):
            cli.main(arguments)
        out, told = capsys.readouterr()
        assert all(line.isprintable() for line in (out + told).splitlines()), told
        assert KEY not in told


INTERRUPTED = """
import signal, sys

MODULE = sys.argv.pop(1)

class Interrupting:
    def find_spec(self, name, *_):
        if name == MODULE:
            signal.raise_signal(signal.SIGINT)

for stream in (sys.stdin, sys.stdout, sys.stderr):
    stream.isatty = lambda: True
sys.meta_path.insert(0, Interrupting())
from linkdash.__main__ import main
sys.exit(main())
"""
"""Runs linkdash; ctrl+c comes while it imports a module."""


@pytest.mark.parametrize(
    ("module", "arguments", "status"),
    [
        ("linkdash.commands.parser", ["--demo"], -signal.SIGINT),
        ("linkdash.api.errors", ["--demo"], -signal.SIGINT),
        ("textual.app", ["--demo"], -signal.SIGINT),
        ("linkdash.demo.server", ["--demo"], -signal.SIGINT),
        ("linkdash.commands.run_verb", ["collect", "--demo"], 130),
        ("linkdash.commands.doctor", ["doctor", "--offline"], 130),
    ],
)
def test_an_interruption_before_the_app_is_up_is_no_crash(
    module: str, arguments: list[str], status: int
) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module, *arguments]
    environment = {**os.environ, "TERM": "xterm-256color"}
    ran = subprocess.run(command, capture_output=True, env=environment, timeout=30, check=False)
    assert (ran.returncode, ran.stderr) == (status, b"")


AT_EACH_LINE = """
import os, signal, sys

def trace(frame, *_):
    if frame.f_globals.get("__name__") == "linkdash.__main__" or frame.f_code.co_name == "_find_and_load":
        return traced
    return None

def traced(frame, event, _):
    global left
    if event == "line" and frame.f_globals.get("__name__") == "linkdash.__main__":
        left -= 1
        if not left:
            signal.raise_signal(signal.SIGINT)
    return traced

left = int(sys.argv.pop(1))
from linkdash import interrupts
import linkdash.__main__ as program
sys.settrace(trace)
status = program.main()
sys.settrace(None)
print(left)
sys.exit(status)
"""
"""Runs linkdash; ctrl+c comes at a line of its entry."""


@pytest.mark.parametrize("line", range(1, 7))
def test_an_interrupt_at_any_line_of_the_entry_ends_it_without_a_trace(line: int) -> None:
    command = [sys.executable, "-c", AT_EACH_LINE, str(line), "completion", "bash"]
    ran = subprocess.run(command, capture_output=True, timeout=30, check=False)
    assert (ran.returncode, ran.stderr) == (-signal.SIGINT, b"")


IN_A_CHANGE = """
import os, signal
from linkdash.interrupts import end_at_interrupt

plain = signal.signal

def interrupted(number, handler):
    os.kill(os.getpid(), number)
    try:
        plain(number, handler)
    except KeyboardInterrupt:
        os._exit(1)

signal.signal = interrupted
try:
    end_at_interrupt()
except KeyboardInterrupt:
    os._exit(1)
"""


def test_an_interrupt_in_the_midst_of_a_change_of_its_handler_is_heeded() -> None:
    ran = subprocess.run([sys.executable, "-c", IN_A_CHANGE], timeout=30, check=False)
    assert ran.returncode == -signal.SIGINT


@pytest.mark.parametrize("arguments", [["--help"], ["doctor", "--offline"]])
@pytest.mark.parametrize("both", [False, True])
def test_output_that_nobody_reads_ends_it_quietly(arguments: list[str], both: bool) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "linkdash", *arguments]
    error = writer if both else subprocess.PIPE
    environment = {**os.environ, "PYTHONUNBUFFERED": ""}
    ran = subprocess.run(command, stdout=writer, stderr=error, env=environment, timeout=30, check=False)
    os.close(writer)
    assert ran.stderr in (b"", None)
    assert ran.returncode == (0 if arguments == ["--help"] else 1)  # no service is set for the doctor


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["doctor", "--offline"]])
@pytest.mark.parametrize("both", [False, True])
def test_output_that_has_no_room_is_told_in_one_line(arguments: list[str], both: bool) -> None:
    command = [sys.executable, "-m", "linkdash", *arguments]
    with Path("/dev/full").open("wb") as full:
        error = full if both else subprocess.PIPE
        ran = subprocess.run(command, stdout=full, stderr=error, timeout=30, check=False)
    told = b"" if both else b"linkdash: The output cannot be written: No space left on device.\n"
    assert (ran.returncode, ran.stderr or b"") == (1, told)


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_stream_that_is_closed_is_no_terminal(stream: int) -> None:
    closing = f"import os, sys; os.close({stream}); os.execv(sys.executable, sys.argv[1:])"
    command = [sys.executable, "-c", closing, sys.executable, "-m", "linkdash"]
    ran = subprocess.run(command, capture_output=True, timeout=30, check=False)
    told = b"" if stream == 2 else b"linkdash: This terminal cannot display linkdash.\n"
    assert (ran.returncode, ran.stderr) == (2, told)


def test_a_demo_that_cannot_start_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, told = ends(["demo-server", "--port", str(port)], capsys)
    assert (status, told.partition(" cannot be used: ")[0]) == (1, f"linkdash: Port {port} of 127.0.0.1")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    status, told = ends(["demo-server", "--port", "0"], capsys)
    assert status == 1
    assert told.endswith("pip install 'linkdash[demo]'")


def test_an_interrupt_that_an_import_makes_another_error_of_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def importing(*_: object) -> int:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise SyntaxError("cannot load a module") from None
        return 0

    monkeypatch.setattr(cli, "_run", importing)
    assert cli.main(["list", "qr"]) == 130
    assert capsys.readouterr() == ("", "")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    "arguments",
    [
        ["--profile", "{}", "list", "pixels"],
        ["{}"],
        ["help", "{}"],
        ["list", "{}"],
        ["list", "pixels", "--sort", "{}"],
        ["--api-key={}", "list", "pixels"],
        ["get", "pixels", "{}"],
        ["metrics", "--listen", "{}:80"],
        ["profiles", "remove", "{}"],
        ["api", "GET", "/api/../{}"],
    ],
    ids=" ".join,
)
def test_a_key_that_is_typed_in_a_wrong_place_is_not_repeated(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINKDASH_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("LINKDASH_API_KEY", "another")
    key = "sk_live_4f7a1e9c0d2b8a6f7e5d"
    with suppress(SystemExit):
        cli.main([argument.format(key) for argument in arguments])
    out, told = capsys.readouterr()
    assert "linkdash" in told
    assert key[8:] not in out + told


def test_names_and_dates_are_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("backup20261123T120000", "a-very-long-name-of-a-profile", "1234567890123456"):
        assert cli.main(["--profile", name, "list", "pixels"]) == 1
        assert name in capsys.readouterr().err


def test_a_flag_that_is_no_more_is_told_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "demo.db"
    assert cli.main(["list", "pixels", "--demo", "--demo-data", str(kept)]) == 0
    assert "--demo-data has no effect any more: the demo keeps nothing." in capsys.readouterr().err
    assert not kept.exists()
    assert cli.main(["--linear", "list", "pixels", "--demo"]) == 0
    assert "--linear has no effect any more: the commands say in lines" in capsys.readouterr().err
