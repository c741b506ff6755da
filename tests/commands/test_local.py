"""`setup`, `profiles`, `completion`: what needs a configuration or a shell."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import linkdash
from linkdash.commands.completion import candidates
from linkdash.commands.parser import parser
from linkdash.demo.server import Running
from linkdash.model.configuration_file import configuration_path
from tests import prestarted
from tests.commands.shell import Here, environment
from tests.terminal.terminal import Terminal

NO_SERVICE = {"LINKDASH_BASE_URL": "", "LINKDASH_API_KEY": ""}


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


# ---- setup ----


def test_setup_writes_a_profile_that_works(here: Here, service: Running) -> None:
    before = len(service.service.log)
    typed = f"work\n{service.base_url}/api/\n{service.api_key}\nfile\nred\n"
    ran = here("setup", typed=typed, set=NO_SERVICE)
    path = configuration_path()
    assert (ran.status, ran.out) == (0, ""), ran.told
    assert service.api_key not in ran.told
    assert len(service.service.log) == before + 1
    assert path.stat().st_mode & 0o777 == 0o600
    assert tomllib.loads(path.read_text()) == {
        "profile": "work",
        "profiles": {"work": {"base_url": service.base_url, "api_key": service.api_key, "color": "red"}},
    }
    assert here("get", "account", set=NO_SERVICE).status == 0
    listed = here("profiles", "--format", "jsonl", set=NO_SERVICE)
    assert service.api_key not in listed.out
    assert (listed.lines[0]["name"], listed.lines[0]["used"], listed.lines[0]["key"]) == (
        "work",
        True,
        "file",
    )
    command = f"{sys.executable} -c \"print('{service.plain_key}')\""
    typed = f"{service.base_url}\n\n{command}\n\n"
    assert here("--profile", "other", "setup", typed=typed, set=NO_SERVICE).status == 0
    assert here("get", "account", "--profile", "other", set=NO_SERVICE).status == 0
    assert [line["key"] for line in here("profiles", "--format", "jsonl").lines] == ["file", "command"]


def test_setup_writes_nothing_that_does_not_work(here: Here, service: Running) -> None:
    for typed in (
        f"\n{service.base_url}\nno-key-of-anybody\nfile\n\n",
        "\nhttp://links.example\nkey\nfile\n\n",
        f"\n{service.base_url}\nclipboard\n",
        "",
    ):
        ran = here("setup", typed=typed, set=NO_SERVICE)
        assert (ran.status in (1, 2, 3), ran.out) == (True, "")
        assert "no-key-of-anybody" not in ran.told
    assert not configuration_path().exists()
    assert here("profiles", set=NO_SERVICE).told == (
        "linkdash: There is no profile yet. Run linkdash setup to create one.\n"
    )


def test_the_schema_is_json(here: Here) -> None:
    schema = json.loads(here("profiles", "--schema").out)
    assert {"profile", "profiles", "keys", "theme"} <= schema["properties"].keys()


# ---- completion ----


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", {"list", "delete", "completion"}),
        ("del", {"delete"}),
        ("list ", {"qr", "users"}),
        ("list q", {"qr"}),
        ("--read-only list --format ", {"table", "json", "jsonl", "csv"}),
        ("list qr --fo", {"--format"}),
        ("list qr --sort ", {"scans", "name"}),
        ("create pixels na", {"name="}),
        ("update pixels 5 ", {"tag="}),
        ("assign ", {"channel", "campaign"}),
        ("collect --", {"--qr", "--all", "--budget"}),
        ("report --", {"--since", "--format"}),
        ("report --format ", {"markdown", "csv", "json"}),
        ("--", {"--profile", "--demo"}),
        ("list qr --profile ", {"work"}),
        ("list qr --filter ", set[str]()),
    ],
)
def test_what_a_shell_may_offer(line: str, wanted: set[str]) -> None:
    path = configuration_path()
    path.parent.mkdir(parents=True)
    path.write_text("[profiles.work]\nbase_url = 'https://a.example'\n")
    found = candidates(line.split(" "), {})
    assert wanted <= {*found} or not (wanted or found)
    assert all(word.startswith(line.split(" ")[-1]) for word in found)


def test_every_verb_can_be_completed() -> None:
    for verb, of in parser().verbs.items():
        assert candidates([verb, "--he"], {}) == ["--help"]
        assert {flag for one in of.parser.arguments for flag in one.option_strings} >= {"--profile", "--demo"}


TABS = {
    ("list", "q"): ["qr"],
    ("list", "qr", "--sort", "na"): ["name"],
    ("list", "qr", "--columns", "id,na"): ["id,name"],
    ("list", "qr", "--profile", ""): ["my own", "work"],
    ("create", "pixels", "na"): ["name="],
    ("create", "pixels", "type=lin"): ["type=linkedinpixel"],
    ("--profile", ""): ["my own", "work"],
}
"""What stands before tab is pressed, and what is offered then."""


@pytest.fixture
def shell_environment(service: Running) -> dict[str, str]:
    """For a shell that knows the program; there are two profiles."""
    path = configuration_path()
    path.parent.mkdir(parents=True)
    base = 'base_url = "https://a.example"'
    path.write_text(f'[profiles."my own"]\n{base}\n[profiles.work]\n{base}\n')
    return environment(service, PATH=f"{os.path.dirname(prestarted.program())}:{os.environ['PATH']}")


def in_a_shell(shell: str, script: str, environment: dict[str, str]) -> str:
    """Return what a script prints in a shell that completes linkdash."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    command = [shell, "-c", script]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert ran.stderr == ""
    return ran.stdout


def test_bash_completes(shell_environment: dict[str, str]) -> None:
    lines = [shlex.join(words) for words in (*TABS, ("list", "qr", "--format", "=", "csv"))]
    script = (
        'eval "$(linkdash completion bash)"; compopt() { :; }\n'
        'offer() { COMP_WORDS=(linkdash "$@"); COMP_CWORD=$#; _linkdash; (IFS=,; echo "${COMPREPLY[*]}"); }\n'
    )
    out = in_a_shell("bash", script + "\n".join(f"offer {line}" for line in lines), shell_environment)
    wanted = [",".join(offered).replace("my own", r"my\ own") for offered in TABS.values()]
    assert out.splitlines() == [*wanted, "csv"]


@pytest.mark.nightly
def test_fish_completes(shell_environment: dict[str, str]) -> None:
    offers = [f"complete -C {shlex.quote('linkdash ' + ' '.join(words))}; echo ." for words in TABS]
    out = in_a_shell("fish", "\n".join(["linkdash completion fish | source", *offers]), shell_environment)
    assert out.split(".\n")[:-1] == ["".join(f"{word}\n" for word in offered) for offered in TABS.values()]


@pytest.mark.nightly
def test_zsh_completes(shell_environment: dict[str, str]) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("no zsh")
    with Terminal(program=("zsh", "-f", "-i"), environment=shell_environment) as terminal:
        terminal.press(
            'autoload -Uz compinit; compinit -u -D; eval "$(linkdash completion zsh)"; PS1="ready> "\n'
        )
        terminal.wait_for("\nready>")
        for line, whole in (("list q", "list qr"), ("create pixels na", "create pixels name=")):
            terminal.press(f"linkdash {line}\t")
            terminal.wait_for(f"linkdash {whole}")
            terminal.press("\x15")
        terminal.press("linkdash list qr --profile my\t")
        terminal.wait_for(r"--profile my\ own")


# ---- what it loads ----


def test_no_verb_but_the_dashboard_loads_textual(service: Running) -> None:
    runs = [
        "list qr",
        "create pixels type=bing name=x tag=61234567",
        "delete pixels 1 --yes",
        "review users",
        "journal",
        "collect --qr 1",
        "stats 1",
        "report",
        "alerts --check",
        "doctor --offline",
        "profiles",
        "completion fish",
        "import pixels none.csv",
        "--base-url http://127.0.0.1:9 collect",
        "--base-url http://127.0.0.1:9 doctor",
    ]
    program = f"""
import os, sys
from linkdash.cli import main
key = os.environ["LINKDASH_API_KEY"]
for line in {runs}:
    os.environ["LINKDASH_API_KEY"] = key
    main(line.split())
    loaded = {{name.partition(".")[0] for name in sys.modules}} & {{"textual", "plotext", "segno"}}
    assert not loaded, (line, loaded)
"""
    own = environment(service)
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=own, check=False
    )
    assert ran.returncode == 0, ran.stderr


# ---- man ----


def test_the_manual_page_of_the_wheel_is_the_parsers(here: Here) -> None:
    kept = Path(linkdash.__file__).parent / "commands" / "linkdash.1"
    page = here("man").out
    assert page == kept.read_text(), "after changing a flag: linkdash man > linkdash/commands/linkdash.1"
    for name, verb in parser().verbs.items():
        assert f".SS linkdash {name}\n" in page
        flags = [flag for one in verb.parser.arguments for flag in one.option_strings if flag != "--help"]
        assert all(flag.replace("-", r"\-") in page for flag in flags)
