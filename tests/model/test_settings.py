"""Flags beat the environment, which beats the file; what is wrong is said in one line."""

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from pydantic import SecretStr

from linkdash.api.errors import Misconfigured
from linkdash.model.configuration_file import (
    Configuration,
    ConfigurationFile,
    Profile,
    configuration_path,
    configuration_schema,
    read_configuration,
)
from linkdash.model.settings import Flags, NotSetUp, Settings, settings

KEY = "lk-7f3a9c51e2d84b60"
FILE = f"""
profile = "work"
theme = "nord"

[profiles.work]
base_url = "https://work.example.org/api/"
api_key = "{KEY}"
read_only = true

[profiles.home]
base_url = "https://home.example.org"
api_key = "home-{KEY}"

[keys]
refresh = "f5"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def written(path: Path, text: str | bytes = FILE, mode: int = 0o600) -> Configuration:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return read_configuration(path)


def refused(path: Path, text: str | bytes, mode: int = 0o600) -> str:
    with pytest.raises(Misconfigured) as raised:
        written(path, text, mode)
    assert str(raised.value).isprintable()
    assert KEY not in f"{raised.value!r}"
    assert str(path) in str(raised.value)
    return str(raised.value)


# ---- the file ----


def test_no_file_is_the_defaults(path: Path) -> None:
    assert read_configuration(path) == Configuration()


def test_a_file_is_read(path: Path) -> None:
    found = written(path).file
    assert (found.profile, found.theme, found.keys) == ("work", "nord", {"refresh": "f5"})
    assert found.profiles["work"].api_key.get_secret_value() == KEY
    assert KEY not in repr(found)


def test_a_byte_order_mark_is_no_fault(path: Path) -> None:
    assert written(path, b"\xef\xbb\xbftheme = 'nord'").file.theme == "nord"


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o644, 0o666])
def test_a_key_that_others_can_read_is_refused(path: Path, mode: int) -> None:
    assert f"chmod 600 {path}" in refused(path, FILE, mode)


def test_a_file_without_a_key_may_be_read_by_all(path: Path) -> None:
    text = "[profiles.work]\nbase_url = 'https://a.example'"
    assert written(path, text, 0o644).file.profiles.keys() == {"work"}


WRONG = f"""
profile = "home"
theme = 7
them = "nord"

[profiles.work]
base_url = "https://work.example.org"
read_only = "perhaps"
apikey = "{KEY}"

[profiles."at home"]
key_command = ["pass", 5]
keyring = true
api_key = "{KEY}"

[profiles.home]  # as it should be
base_url = "https://home.example.org"
api_key = "home-{KEY}"

[keys]
refresh = "f5"
quit = 1
"""


def test_a_list_that_there_is_not_is_told_with_those_that_there_are(path: Path) -> None:
    found = written(path, '[commands.mine]\nkey = "f9"\nrun = ["true"]\nscope = ["pixel"]\n')
    assert "unknown list; use one of: account, domains, overlays" in str(found.notices)


def test_no_text_of_a_record_is_put_into_a_command_line(path: Path) -> None:
    found = written(path, '[commands.mine]\nkey = "f9"\nrun = ["awk", "-v", "name={name}"]\n')
    assert "{name} is not filled in; use the variable RECORD_NAME" in str(found.notices)
    assert found.file.commands == {}
    assert not written(path, '[commands.mine]\nkey = "f9"\nrun = ["awk", "{ print $1 }"]\n').notices


def test_what_is_no_setting_any_more_is_told_and_all_else_works(path: Path) -> None:
    keys = '[keys]\naudit = "f5"\nundo = "U"\n'
    found = written(path, f'linear = true\n{keys}[alerts.mine]\nwhen = "silent 7d"\nhook = ["tell-me"]\n')
    assert found.file.alerts["mine"].when == "silent 7d"
    assert [notice.partition(" any more: ")[0] for notice in found.notices] == [
        f"{path}, line 7: alerts.mine.hook has no effect",
        f"{path}, line 1: linear has no effect",
        f"{path}, line 3: keys.audit has no effect",
    ]
    assert found.file.keys == {"undo": "U"}


@pytest.mark.parametrize(
    "wrong", ['codes = "Atlas"', "codes = [3.5]", "code = [1]", "codes = {}\nhooks = []"]
)
def test_an_alert_with_a_mistake_does_not_count_for_every_code(path: Path, wrong: str) -> None:
    right = '[alerts.right]\nwhen = "silent 7d"\ncodes = ["Atlas"]\n'
    found = written(path, f'{right}[alerts.mine]\nwhen = "silent 7d"\n{wrong}\n')
    assert [*found.file.alerts] == ["right"]
    (notice,) = found.notices
    assert notice.startswith(f"{path}, line 6: alerts.mine: code"), notice


def test_what_is_wrong_is_told_by_its_line_and_the_rest_works(path: Path) -> None:
    found = written(path, WRONG)
    told = {notice.removeprefix(f"{path}, ").partition(":")[0].partition(" ")[2] for notice in found.notices}
    assert told == {"3", "4", "8", "9", "11", "12", "22"}, found.notices
    assert KEY not in str(found.notices)
    chosen = settings(found, {}, Flags())
    assert (chosen.base_url, chosen.keys, chosen.theme) == ("https://home.example.org", {"refresh": "f5"}, "")


def test_what_is_wrong_is_told_in_plain_words(path: Path) -> None:
    found = written(path, '[profiles.a]\nbase_url = 3\n[alerts.x]\nwhen = "silent 7d"\ncodes = "12"\n')
    told = sorted(notice.partition(": ")[2] for notice in found.notices)
    assert told == ["alerts.x: codes: must be a list.", "profiles.a.base_url: must be text."]


@pytest.mark.parametrize(("profile", "words"), [("work", "line 8: profiles.work"), ("at home", "line 12")])
def test_a_profile_that_is_wrong_is_not_used_at_all(path: Path, profile: str, words: str) -> None:
    with pytest.raises(Misconfigured, match=words) as raised:
        settings(written(path, WRONG), {}, Flags(profile=profile))
    assert KEY not in str(raised.value)


def test_profiles_that_are_none_are_not_used(path: Path) -> None:
    for text in ("profiles = 5", "[profiles]\nwork = 5"):
        with pytest.raises(Misconfigured, match="line"):
            settings(written(path, text), ENVIRONMENT, Flags(profile="work"))


def test_only_one_place_has_the_key(path: Path) -> None:
    text = f"[profiles.default]\napi_key = '{KEY}'\nkeyring = true"
    with pytest.raises(Misconfigured, match="only one of api_key, key_command and keyring"):
        settings(written(path, text), {}, Flags())


def test_the_schema_is_of_the_model_that_reads_the_file() -> None:
    schema = json.dumps(configuration_schema())
    assert all(f'"{name}"' in schema for name in ("key_command", "read_only", "color", "theme", "keys"))


def test_what_is_no_toml_is_placed(path: Path) -> None:
    assert "is not valid TOML: Invalid value (at line 2" in refused(path, f"[profiles.work]\napi_key = {KEY}")
    assert "is not valid TOML" in refused(path, "a\x1b[2J")


def test_what_cannot_be_read_is_explained(path: Path) -> None:
    assert "not UTF-8" in refused(path, b"theme = '\xff'")
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(Misconfigured, match="cannot be read: Too many levels"):
        read_configuration(path)


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices lie in folders on POSIX only")
def test_what_may_never_end_is_not_read(path: Path) -> None:
    for make in (path.mkdir, partial(os.mkfifo, path), partial(path.symlink_to, os.devnull)):
        make()
        with pytest.raises(Misconfigured, match="is not a regular file"):
            read_configuration(path)
        path.rmdir() if path.is_dir() else path.unlink()


def test_values_that_are_too_much_are_refused(path: Path) -> None:
    assert "nests its values too deeply" in refused(path, f"theme = {'[' * 5_000}{']' * 5_000}")
    assert "is not valid TOML" in refused(path, f"theme = {'9' * 5_000}")


def test_the_file_lies_where_the_platform_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert configuration_path() == tmp_path / "linkdash" / "config.toml"


# ---- what a run works with ----

ENVIRONMENT = {"LINKDASH_BASE_URL": "https://env.example.org", "LINKDASH_API_KEY": "env-key"}


def chosen(path: Path, environment: dict[str, str] | None = None, flags: Flags = Flags()) -> Settings:  # noqa: B008
    return settings(written(path), environment or {}, flags)


def test_the_file_names_the_profile(path: Path) -> None:
    found = chosen(path)
    assert (found.profile, found.base_url, found.read_only) == ("work", "https://work.example.org", True)
    assert found.api_key.get_secret_value() == KEY
    assert (found.theme, found.keys) == ("nord", {"refresh": "f5"})
    assert KEY not in repr(found)


def test_the_environment_beats_the_file(path: Path) -> None:
    found = chosen(path, ENVIRONMENT)
    assert (found.profile, found.base_url) == ("work", "https://env.example.org")
    assert found.api_key.get_secret_value() == "env-key"
    assert chosen(path, {"LINKDASH_PROFILE": "home"}).base_url == "https://home.example.org"


def test_flags_beat_the_environment(path: Path) -> None:
    found = chosen(
        path,
        {**ENVIRONMENT, "LINKDASH_PROFILE": "work"},
        Flags(profile="home", base_url="https://flag.example.org", read_only=True),
    )
    assert (found.profile, found.base_url, found.read_only) == ("home", "https://flag.example.org", True)
    assert found.api_key.get_secret_value() == "env-key"


def test_what_is_set_to_nothing_is_not_set(path: Path) -> None:
    nothing = dict.fromkeys(("LINKDASH_BASE_URL", "LINKDASH_API_KEY", "LINKDASH_PROFILE"), "")
    assert chosen(path, nothing, Flags(profile="", base_url="")) == chosen(path)


def test_the_environment_alone_is_enough() -> None:
    found = settings(Configuration(), ENVIRONMENT, Flags())
    assert (found.profile, found.base_url, found.read_only) == ("default", "https://env.example.org", False)


@pytest.mark.parametrize(
    ("environment", "flags", "words"),
    [
        ({}, Flags(), r"No service is set.*LINKDASH_BASE_URL and LINKDASH_API_KEY.*linkdash --demo"),
        ({"LINKDASH_BASE_URL": "https://a.example"}, Flags(), "No API key.*LINKDASH_API_KEY"),
        ({**ENVIRONMENT, "LINKDASH_API_KEY": f"{KEY}\n{KEY}"}, Flags(), "character that is not allowed"),
        (ENVIRONMENT, Flags(base_url="http://a.example"), "Use https"),
        (ENVIRONMENT, Flags(base_url="a.example"), "not a web address"),
        (ENVIRONMENT, Flags(profile="\x1bwork"), "no profile named"),
        ({**ENVIRONMENT, "LINKDASH_PROFILE": "work"}, Flags(), "no profile named 'work'"),
    ],
)
def test_what_is_missing_or_wrong_is_one_clear_line(
    environment: dict[str, str], flags: Flags, words: str
) -> None:
    with pytest.raises(Misconfigured, match=words) as raised:
        settings(Configuration(), environment, flags)
    assert str(raised.value).isprintable()
    assert KEY not in str(raised.value)


def test_a_profile_that_the_file_names_must_be_in_it() -> None:
    with pytest.raises(Misconfigured, match="no profile named 'gone'"):
        settings(Configuration(ConfigurationFile(profile="gone")), ENVIRONMENT, Flags())


def test_whoever_has_profiles_and_chose_none_is_told_of_them() -> None:
    profiles = {name: Profile(base_url="https://a.example") for name in ("work", "\x1breview")}
    configuration = Configuration(ConfigurationFile(profiles=profiles))
    with pytest.raises(Misconfigured, match=r"No profile is chosen.*--profile.*work, .*review") as raised:
        settings(configuration, {}, Flags())
    assert not isinstance(raised.value, NotSetUp), "another one is not asked for"
    assert str(raised.value).isprintable()
    assert settings(configuration, ENVIRONMENT, Flags()).base_url == "https://env.example.org"


def test_the_only_profile_is_used_where_nothing_names_another() -> None:
    work = Profile(base_url="https://a.example", api_key=SecretStr("k" * 20))
    configuration = Configuration(ConfigurationFile(profiles={"work": work}))
    assert settings(configuration, {}, Flags()).profile == "work"
    assert settings(configuration, ENVIRONMENT, Flags()).base_url == "https://env.example.org"
    with pytest.raises(Misconfigured, match="No profile is chosen"):
        settings(configuration, {}, Flags(profile="default"))
    doubtful = replace(configuration, problems={("profiles", "shop", "base_url"): "Line 3: no address"})
    with pytest.raises(Misconfigured, match="No profile is chosen"):
        settings(doubtful, {}, Flags())


# ---- where a key goes, and where it comes from ----


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example",
        "https://work.example.org.evil.example",
        "https://work.example.org:8443",
        "http://127.0.0.1:8080",
    ],
)
def test_a_key_goes_to_the_service_of_its_profile_only(path: Path, address: str) -> None:
    for environment, flags in (({"LINKDASH_BASE_URL": address}, Flags()), ({}, Flags(base_url=address))):
        with pytest.raises(Misconfigured, match=r"belongs to https://work\.example\.org/api/, not") as raised:
            chosen(path, environment, flags)
        assert "Set LINKDASH_API_KEY" in str(raised.value)
        assert KEY not in str(raised.value)
        given = chosen(path, {**environment, "LINKDASH_API_KEY": "mine"}, flags)
        assert given.api_key.get_secret_value() == "mine"


def test_another_path_of_the_same_service_is_no_other_service(path: Path) -> None:
    found = chosen(path, {}, Flags(base_url="https://WORK.example.org/sub/"))
    assert found.api_key.get_secret_value() == KEY


def test_a_key_without_an_address_goes_nowhere(path: Path) -> None:
    configuration = written(path, f"[profiles.default]\napi_key = '{KEY}'")
    with pytest.raises(Misconfigured, match="belongs to no address"):
        settings(configuration, {"LINKDASH_BASE_URL": "https://a.example"}, Flags())


def with_command(path: Path, *command: str) -> Settings:
    text = f"[profiles.default]\nbase_url = 'https://a.example'\nkey_command = {json.dumps(command)}"
    return settings(written(path, text, 0o644), {}, Flags())


def test_a_command_gives_the_key(path: Path) -> None:
    found = with_command(path, sys.executable, "-c", f"print('{KEY}'); print('a note')")
    assert found.api_key.get_secret_value() == KEY


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["/no/such/program"], "'/no/such/program' cannot be run: No such file or directory."),
        (
            [sys.executable, "-c", f"print('{KEY}'); raise SystemExit(3)"],
            "no key; exit status 3",
        ),
        ([sys.executable, "-c", "pass"], "printed no key"),
        ([sys.executable, "-c", "import os; os.write(1, b'\\xff')"], "printed no key: it is not UTF-8."),
        ([sys.executable, "-c", "while True: print('k' * 999)"], "printed no key: more than 65,536 bytes."),
    ],
)
def test_a_command_that_gives_none_is_told(path: Path, command: list[str], words: str) -> None:
    with pytest.raises(Misconfigured) as raised:
        with_command(path, *command)
    assert words in str(raised.value)
    assert KEY not in str(raised.value)


@pytest.mark.skipif(os.name != "posix", reason="the command is a POSIX shell's")
def test_what_a_command_leaves_running_is_not_waited_for(path: Path) -> None:
    """An agent that it has started may keep its output open."""
    left = path.parent / "left"
    found = with_command(path, "sh", "-c", f"echo {KEY}; sleep 600 & echo $! > {left}")
    assert found.api_key.get_secret_value() == KEY
    os.kill(int(left.read_text()), signal.SIGKILL)  # it still runs


def test_a_command_has_a_deadline(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linkdash.model.key_command_and_keyring._COMMAND_SECONDS", 0.05)
    with pytest.raises(Misconfigured, match="gave no key within"):
        with_command(path, sys.executable, "-c", "import time; time.sleep(60)")


RING = "[profiles.work]\nbase_url = 'https://a.example'\nkeyring = true"


def ring(kind: str, priority: int = 5, body: str = "return None") -> type[object]:
    """A keyring of a system."""
    from keyring.backend import KeyringBackend

    def get_password(self: object, service: str, user: str) -> str | None:
        found: dict[str, object] = {}
        exec(f"def get(service, user):\n    {body}", found)  # noqa: S102
        return cast("Callable[[str, str], str | None]", found["get"])(service, user)

    nothing = dict.fromkeys(("set_password", "delete_password"), lambda *_: None)
    return type(kind, (KeyringBackend,), {"priority": priority, "get_password": get_password, **nothing})


@pytest.mark.parametrize(
    ("kind", "priority", "body", "words"),
    [
        ("Ring", 5, "return None", "has no key for the profile 'work'"),
        ("Ring", 0, "return 'x'", "no keyring that protects secrets was found"),
        ("PlaintextKeyring", 5, "return 'x'", "no keyring that protects secrets was found"),
        ("Ring", 5, "raise OSError('key')", "cannot be used: OSError."),
        ("Ring", 5, "import time; time.sleep(5)", "no answer within 0 s"),
    ],
)
def test_a_keyring_that_gives_no_key_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, priority: int, body: str, words: str
) -> None:
    keyring = pytest.importorskip("keyring")
    monkeypatch.setattr(keyring, "get_keyring", ring(kind, priority, body))
    monkeypatch.setattr("linkdash.model.key_command_and_keyring._KEYRING_SECONDS", 0.2)
    with pytest.raises(Misconfigured, match=words):
        settings(written(path, RING), {}, Flags(profile="work"))


def test_the_keyring_gives_the_key(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring")
    monkeypatch.setattr(keyring, "get_keyring", ring("Ring", 5, f"return '{KEY}' + service + user"))
    found = settings(written(path, RING), {}, Flags(profile="work"))
    assert found.api_key.get_secret_value() == f"{KEY}linkdashwork"


def test_a_keyring_that_is_not_installed_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(Misconfigured, match=r"pip install 'linkdash\[keyring\]'"):
        settings(written(path, RING), {}, Flags(profile="work"))


# ---- a team's store ----


def with_store(path: Path, *lines: str) -> Configuration:
    return written(path, "\n".join(["[profiles.work]", "base_url = 'https://a.example'", *lines]))


STORE = "store = 'postgresql://me@db.example.org/linkdash'"
MINE = {"LINKDASH_API_KEY": "mine"}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["store = 'mysql://me@db/linkdash'"], "is not a database address"),
        ([f"store = 'postgresql://me:{KEY}@db/linkdash'"], "contains a password; use store_password"),
        ([f"store = 'postgresql://me@db/linkdash?password={KEY}'"], "contains a password"),
        ([f"store_password = '{KEY}'"], "there is a password for a store, but no store"),
        ([STORE, "store_keyring = true", "store_password_command = ['x']"], "only one of store_password"),
    ],
)
def test_what_is_wrong_with_a_store_is_told_without_its_password(
    path: Path, lines: list[str], words: str
) -> None:
    with pytest.raises(Misconfigured, match=words) as raised:
        settings(with_store(path, *lines), MINE, Flags(profile="work"))
    assert KEY not in str(raised.value)


def test_a_store_and_its_password_are_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring")
    monkeypatch.setattr(keyring, "get_keyring", ring("Ring", 5, "return service + user"))
    printed = json.dumps([sys.executable, "-c", "print('printed')"])
    for line, password in (
        ("", None),
        ("store_password = 'written'", "written"),
        (f"store_password_command = {printed}", "printed"),
        ("store_keyring = true", "linkdash-storework"),
    ):
        found = settings(with_store(path, STORE, line), MINE, Flags(profile="work"))
        assert found.store == "postgresql://me@db.example.org/linkdash"
        told = found.store_password
        assert (told and told.get_secret_value()) == password
        assert password is None or password not in repr(found)
    given = {**MINE, "LINKDASH_STORE_PASSWORD": "given"}
    found = settings(with_store(path, STORE, "store_password = 'written'"), given, Flags(profile="work"))
    assert found.store_password is not None
    assert found.store_password.get_secret_value() == "given"


def test_what_is_kept_of_another_service_goes_into_no_team_store(path: Path) -> None:
    other = Flags(profile="work", base_url="https://b.example")
    assert settings(with_store(path, STORE), MINE, other).store == ""


def test_a_password_that_others_can_read_is_refused(path: Path) -> None:
    words = refused(path, f"[profiles.work]\n{STORE}\nstore_password = 'x'", 0o644)
    assert "others can read it" in words
