"""Flags beat the environment, which beats the file; what is wrong is said in one line."""

import os
from functools import partial
from pathlib import Path

import pytest

from linkdash.api.errors import Misconfigured
from linkdash.config import (
    ConfigurationFile,
    Flags,
    Settings,
    configuration_path,
    read_configuration,
    settings,
)

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


def written(path: Path, text: str | bytes = FILE, mode: int = 0o600) -> ConfigurationFile:
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
    assert read_configuration(path) == ConfigurationFile()


def test_a_file_is_read(path: Path) -> None:
    found = written(path)
    assert (found.profile, found.theme, found.keys) == ("work", "nord", {"refresh": "f5"})
    assert found.profiles["work"].api_key.get_secret_value() == KEY
    assert KEY not in repr(found)


def test_a_byte_order_mark_is_no_fault(path: Path) -> None:
    assert written(path, b"\xef\xbb\xbftheme = 'nord'").theme == "nord"


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o644, 0o666])
def test_a_key_that_others_can_read_is_refused(path: Path, mode: int) -> None:
    assert f"chmod 600 {path}" in refused(path, FILE, mode)


def test_a_file_without_a_key_may_be_read_by_all(path: Path) -> None:
    assert written(path, "[profiles.work]\nbase_url = 'https://a.example'", 0o644).profiles.keys() == {"work"}


def test_unknown_settings_are_named(path: Path) -> None:
    assert "profiles.work.apikey is not a setting" in refused(path, f"[profiles.work]\napikey = '{KEY}'")
    assert "them is not a setting" in refused(path, "them = 'nord'")


def test_a_setting_of_the_wrong_kind_is_named(path: Path) -> None:
    assert "profiles.work.read_only" in refused(path, "[profiles.work]\nread_only = 'perhaps'")
    assert "profiles.work.api_key" in refused(path, "[profiles.work]\napi_key = 17")


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
        with pytest.raises(Misconfigured, match="is no regular file"):
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
    found = settings(ConfigurationFile(), ENVIRONMENT, Flags())
    assert (found.profile, found.base_url, found.read_only) == ("default", "https://env.example.org", False)


@pytest.mark.parametrize(
    ("environment", "flags", "words"),
    [
        ({}, Flags(), r"No service is set.*LINKDASH_BASE_URL and LINKDASH_API_KEY.*linkdash --demo"),
        ({"LINKDASH_BASE_URL": "https://a.example"}, Flags(), "no API key.*LINKDASH_API_KEY"),
        ({**ENVIRONMENT, "LINKDASH_API_KEY": f"{KEY}\n{KEY}"}, Flags(), "character that no key has"),
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
        settings(ConfigurationFile(), environment, flags)
    assert str(raised.value).isprintable()
    assert KEY not in str(raised.value)


def test_a_profile_that_the_file_names_must_be_in_it() -> None:
    with pytest.raises(Misconfigured, match="no profile named 'gone'"):
        settings(ConfigurationFile(profile="gone"), ENVIRONMENT, Flags())
