"""`profiles use|rename|remove` and `setup` by flags: one file, changed line by line, and no key in a flag."""

import os
import sys
import tomllib
from functools import partial
from pathlib import Path

import pytest

from linkdash.api.errors import Misconfigured
from linkdash.demo import DemoSettings
from linkdash.demo.endpoint import ADMIN_ID
from linkdash.demo.server import Running, serve_in_thread
from linkdash.demo.service import DemoService
from linkdash.model.configuration_file import Profile, configuration_path
from linkdash.model.configuration_text import changed_text, remove_profile, rename_profile
from tests.commands.shell import Here, Ran, environment
from tests.terminal.terminal import Terminal

NO_SERVICE = {"LINKDASH_BASE_URL": "", "LINKDASH_API_KEY": ""}
FILE = """\
# mine
profile = "work"
theme = "textual-dark"

[profiles.work]  # the shop
base_url = "https://links.example.org"
api_key = "one"

[profiles."my own"]
base_url = "https://own.example.org"
key_command = ["pass", "show", "own"]

[alerts.quiet]
when = "silent 7d"
"""


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


@pytest.fixture
def path() -> Path:
    path = configuration_path()
    path.parent.mkdir(parents=True)
    path.write_text(FILE)
    path.chmod(0o600)
    return path


def data(path: Path) -> dict[str, object]:
    return tomllib.loads(path.read_text())


# ---- profiles ----


def test_another_profile_is_used(here: Here, path: Path) -> None:
    ran = here("profiles", "use", "my own")
    assert (ran.status, ran.out, ran.told) == (
        0,
        "",
        "linkdash: 'my own' is now the default profile.\n",
    )
    assert path.read_text() == FILE.replace('profile = "work"', 'profile = "my own"')
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_one_of_this_run_is_the_used_one(here: Here, path: Path) -> None:
    def used(set: dict[str, str], *flags: str) -> list[object]:
        ran = here("profiles", "--format", "jsonl", *flags, set={**NO_SERVICE, **set})
        return [line["name"] for line in ran.lines if line["used"]]

    assert used({}) == ["work"]
    assert used({"LINKDASH_PROFILE": "my own"}) == ["my own"]
    assert used({"LINKDASH_PROFILE": "my own"}, "--profile", "work") == ["work"]


def test_a_profile_gets_another_name(here: Here, path: Path) -> None:
    assert here("profiles", "rename", "work", "my shop").status == 0
    assert data(path)["profile"] == "my shop"
    assert list(data(path)["profiles"]) == ["my shop", "my own"]  # type: ignore[call-overload]
    assert "# mine" in path.read_text()
    assert here("profiles", "rename", "my shop", "my own").status == 2
    assert here("profiles", "rename", "my own").status == 2


def test_a_profile_is_removed_once_that_was_agreed_to(here: Here, path: Path) -> None:
    asked = here("profiles", "remove", "work")
    assert (asked.status, "Add --yes" in asked.told) == (2, True)
    assert path.read_text() == FILE
    assert here("profiles", "remove", "work", "--yes").status == 0
    assert "one" not in path.read_text()
    found = tomllib.loads(FILE)
    del found["profiles"]["work"], found["profile"]
    assert data(path) == found


def test_names_that_mean_nothing_change_nothing(here: Here, path: Path) -> None:
    for line, status in (("use wrok", 1), ("use", 2), ("remove work other --yes", 2), ("rename no new", 1)):
        ran = here("profiles", *line.split())
        assert ran.status == status, ran.told
    assert "did you mean work?" in here("profiles", "use", "wrok").told
    assert path.read_text() == FILE


def test_a_profile_is_renamed_and_removed_where_it_stands() -> None:
    work, after = FILE.index("[profiles.work]"), FILE.index('[profiles."my')
    renamed = changed_text(FILE, partial(rename_profile, name="my own", new_name="a.b"))
    assert renamed == FILE.replace('"my own"', '"a.b"')
    removed = changed_text(FILE, partial(remove_profile, name="work"))
    assert removed == (FILE[:work] + FILE[after:]).replace('profile = "work"\n', "")


def test_a_profile_without_a_table_of_its_own_is_renamed_by_hand() -> None:
    with pytest.raises(Misconfigured, match="by hand"):
        changed_text(
            'profiles = {work = {base_url = "x"}}\n', partial(rename_profile, name="work", new_name="other")
        )


# ---- setup by flags ----


def test_setup_asks_nothing_where_the_key_comes_by_a_pipe(here: Here, service: Running) -> None:
    before = len(service.service.log)
    ran = here(
        *("setup", "--profile", "ci", "--base-url", service.base_url, "--key-stdin", "--color", "red"),
        typed=f"{service.api_key}\n",
        set=NO_SERVICE,
    )
    assert (ran.status, ran.out) == (0, ""), ran.told
    assert "?" not in ran.told
    assert service.api_key not in ran.told
    assert len(service.service.log) == before + 1
    written = {"base_url": service.base_url, "api_key": service.api_key, "color": "red"}
    assert data(configuration_path()) == {"profile": "ci", "profiles": {"ci": written}}
    assert here("get", "account", set=NO_SERVICE).status == 0


def test_every_flag_that_a_profile_has_holds_for_it_from_then_on(here: Here, service: Running) -> None:
    ran = here(
        *("setup", "--read-only", "--base-url", service.base_url, "--key-stdin", "--color", "red"),
        typed=f"{service.api_key}\n",
        set=NO_SERVICE | {"LINKDASH_PROFILE": "ro"},
    )
    assert (ran.status, "It allows no changes" in ran.told) == (0, True), ran.told
    before = len(service.service.log)
    refused = here("--profile", "ro", "delete", "pixels", "3", "--yes", set=NO_SERVICE)
    assert (refused.status, "read-only" in refused.told) == (1, True)
    assert len(service.service.log) == before
    written = data(configuration_path())["profiles"]
    assert isinstance(written, dict)
    assert {*Profile.model_fields} - {*written["ro"]} == {
        *("key_command", "keyring"),
        *("store", "store_password", "store_password_command", "store_keyring"),
    }, "the other places of the key, and what the questions ask for"
    again = here(
        *("setup", "--base-url", service.base_url, "--key-stdin", "--profile", "ro"),
        typed=f"{service.api_key}\n",
        set=NO_SERVICE,
    )
    assert "It allows no changes" in again.told, "what no flag names stays"
    assert data(configuration_path())["profiles"] == written


def test_setup_is_not_for_the_demo(here: Here) -> None:
    assert here("--demo", "setup", "--key-stdin", set=NO_SERVICE).status == 2


def test_setup_takes_the_key_of_the_environment_or_of_a_command(here: Here, service: Running) -> None:
    assert here("setup").status == 0, "address and key are those of the environment"
    command = f"{sys.executable} -c \"print('{service.api_key}')\""
    ran = here(
        *("setup", "--profile", "other", "--base-url", service.base_url, "--key-command", command),
        set=NO_SERVICE,
    )
    assert ran.status == 0, ran.told
    profiles = data(configuration_path())["profiles"]
    assert isinstance(profiles, dict)
    assert profiles["default"]["api_key"] == service.api_key
    assert profiles["other"]["key_command"][0] == sys.executable


def test_setup_by_flags_writes_nothing_that_does_not_work(here: Here, service: Running) -> None:
    url = ("--base-url", service.base_url)
    for flags, typed, status in (
        (("--key-stdin",), f"{service.api_key}\n", 2),
        ((*url, "--key-stdin"), "wrong\n", 3),
        ((*url, "--key-stdin"), "\n", 1),
        (("--base-url", "ftp://x", "--key-stdin"), "k\n", 3),
        ((*url, "--key-command", "false"), "", 1),
        ((*url, "--key-command", "x", "--keyring"), "", 2),
        ((*url, "--key-command", "x", "--key-stdin"), "", 2),
        ((*url, "--key", "k"), "", 2),
    ):
        ran = here("setup", *flags, typed=typed, set=NO_SERVICE)
        assert ran.status == status, (flags, ran.told)
        assert service.api_key not in ran.told
    assert not configuration_path().exists()


@pytest.mark.skipif(os.name != "posix", reason="a terminal")
def test_a_mistake_is_asked_again_and_no_key_is_repeated(service: Running) -> None:
    own = {**environment(service), **NO_SERVICE}
    with Terminal("setup", environment=own, columns=200) as terminal:
        for prompt, typed in (
            ("Name of the profile", ""),
            ("Address of the service:", "ftp://nowhere"),
            ("Try again:", "http://127.0.0.1:9"),
            ("API key (not shown)", service.api_key),
            ("could not be reached: ", ""),
            ("Address of the service:", service.base_url),
            ("API key (not shown)", "a wrong key"),
        ):
            terminal.wait_for(prompt)
            terminal.spoil()  # the same words are waited for again
            terminal.press(f"{typed}\r")
        terminal.wait_for("Try again:")
        terminal.wait_for("API key (not shown)")  # before it the terminal still echoes
        terminal.press(f"{service.api_key}\r")
        terminal.wait_for("It works: ")
        terminal.wait_for("Where to keep the key: file or keyring [file]:")
        terminal.press(f"{service.api_key}\r")
        terminal.wait_for("Choose file or keyring. Try again:")
        terminal.spoil()
        terminal.press("file\r")
        terminal.wait_for("Color of its badge")
        terminal.press("\r")
        terminal.wait_for("Team store")
        terminal.press("nonsense\r")
        terminal.wait_for("is not a database address")
        terminal.press("\r")
        terminal.wait_for("The profile is saved in")
        assert terminal.output.count(service.api_key.encode()) == 1, "as the terminal echoed it"
    assert configuration_path().exists()


def test_a_new_key_of_the_same_account_has_journal_and_undo(capsys: pytest.CaptureFixture[str]) -> None:
    with serve_in_thread(DemoSettings(rate=100_000)) as service:
        here = Here(service, capsys)

        def set_up(key: str) -> None:
            flags = ("--base-url", service.base_url, "--key-stdin")
            ran = here("setup", *flags, typed=f"{key}\n", set=NO_SERVICE)
            assert ran.status == 0, ran.told

        def verb(*arguments: str) -> Ran:
            ran = here(*arguments, set=NO_SERVICE)
            assert ran.status == 0, ran.told
            return ran

        set_up(service.api_key)
        verb("update", "pixels", "3", "name=Renamed")
        service.ask(partial(_give_key, key="the-new-key"))
        set_up("the-new-key")
        (change,) = verb("journal", "--format", "jsonl").lines
        assert (change["record_ids"], change["outcome"]) == ([3], "done")
        verb("undo", str(change["id"]), "--yes")
        assert [line["outcome"] for line in verb("journal", "--format", "jsonl").lines] == ["done", "done"]
        set_up(service.plain_key)
        assert verb("journal", "--format", "jsonl").lines == [], "another account's is its own"


def _give_key(service: DemoService, key: str) -> None:
    with service.db as db:
        db.execute("UPDATE users SET apikey = ? WHERE id = ?", (key, ADMIN_ID))
