"""Changes of the configuration file from inside: by several programs, of files that are odd."""

import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.errors import LinkdashError, Misconfigured
from linkdash.model.configuration_file import read_configuration
from linkdash.model.configuration_text import change_file, changed_text, put_profile, set_setting

IN_NORD = partial(set_setting, name="theme", value="nord")
_CHANGES = 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "linkdash" / "config.toml"


def test_changes_of_two_at_once_are_both_kept(path: Path) -> None:
    def change_all(name: str) -> None:
        for number in range(_CHANGES):
            members = {"base_url": "https://links.example"}
            change_file(path, partial(put_profile, name=f"{name}-{number}", members=members))

    with ThreadPoolExecutor() as pool:
        [*pool.map(change_all, "ab")]
    assert len(read_configuration(path).file.profiles) == 2 * _CHANGES
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_end_as_before_and_signs_that_end_them_elsewhere_stay_in_a_comment(
    path: Path, end: str
) -> None:
    path.parent.mkdir()
    path.write_bytes(f"# a\u2028[keys] \x85{end}[keys]{end}quit = 'Q'  # \u2029{end}".encode())
    change_file(path, IN_NORD)
    added = f'theme = "nord"{end}{end}'
    assert (
        path.read_bytes().decode() == f"# a\u2028[keys] \x85{end}{added}[keys]{end}quit = 'Q'  # \u2029{end}"
    )


COMMENTED = """\
# mine
theme = "nord"   # as ever

[profiles.work]  # the office
# not the old one
base_url = "https://old.example"  # until June
api_key = "old"
read_only = true

[keys]
refresh = "f5"  # what else's is "r" for?
"""
SPELLINGS = (
    COMMENTED,
    "",
    'profile = "x"\n[keys]\nquit = "Q"\n',
    "profiles.work.base_url = 'https://old.example'\nprofiles.work.api_key = 'x'\n",
    "profiles = { work = { api_key = 'x' } }\n",
    "[profiles.other]\nread_only = true\n[keys]\n[profiles.work]\nkeyring = true\n",
)


def test_comments_and_all_else_stay() -> None:
    new: dict[str, str | bool | list[str]] = {"base_url": "https://new.example", "keyring": True}
    changed = changed_text(COMMENTED, partial(put_profile, name="work", members=new))
    assert changed == COMMENTED.replace("https://old.example", "https://new.example").replace(
        'api_key = "old"\n', ""
    ).replace("read_only = true\n", "read_only = true\nkeyring = true\n")


@given(
    st.sampled_from(SPELLINGS),
    st.one_of(st.just("work"), st.text(min_size=1, max_size=9)),
    st.text(max_size=9),
    st.lists(st.text(max_size=9), min_size=1, max_size=3),
)
def test_whatever_is_written_reads_as_it_was_meant(
    text: str, name: str, address: str, command: list[str]
) -> None:
    members: dict[str, str | bool | list[str]] = {"base_url": address, "key_command": command}
    try:
        changed = tomllib.loads(changed_text(text, partial(put_profile, name=name, members=members)))
    except Misconfigured:
        return
    before = tomllib.loads(text)
    known = before.get("profiles", {})
    kept = {key: value for key, value in known.get(name, {}).items() if key not in ("api_key", "keyring")}
    used = {} if known or "profile" in before or name == "default" else {"profile": name}
    assert changed == {**before, **used, "profiles": {**known, name: {**kept, **members}}}


def test_a_file_that_is_no_toml_is_left_alone() -> None:
    with pytest.raises(Misconfigured):
        changed_text("x = [\n", IN_NORD)


def _is_a_pipe(path: Path) -> None:
    os.mkfifo(path)


def _is_read_only(path: Path) -> None:
    path.touch(0o400)


def _is_no_text(path: Path) -> None:
    path.write_bytes(b"# caf\xe9\n")


@pytest.mark.parametrize("make", [_is_a_pipe, _is_read_only, _is_no_text])
def test_what_is_no_file_of_settings_or_not_to_be_written_is_left_alone(
    path: Path, make: "partial[None]"
) -> None:
    path.parent.mkdir()
    make(path)
    before = path.stat()
    with pytest.raises(LinkdashError):
        change_file(path, IN_NORD)
    assert path.stat() == before
