"""Changes of the configuration file from inside: by several programs, of files that are odd."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from linkdash.api.errors import LinkdashError
from linkdash.model.configuration_file import read_configuration
from linkdash.model.configuration_text import change_file, with_key

HELP_ON_F5 = partial(with_key, action="help", keys="f5")
_CHANGES = 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "linkdash" / "config.toml"


def test_changes_of_two_at_once_are_both_kept(path: Path) -> None:
    def change_all(name: str) -> None:
        for number in range(_CHANGES):
            change_file(path, partial(with_key, action=f"{name}-{number}", keys="x"))

    with ThreadPoolExecutor() as pool:
        [*pool.map(change_all, "ab")]
    assert len(read_configuration(path).file.keys) == 2 * _CHANGES
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_end_as_before_and_signs_that_end_them_elsewhere_stay_in_a_comment(
    path: Path, end: str
) -> None:
    path.parent.mkdir()
    path.write_bytes(f"# a\u2028[keys] \x85{end}[keys]{end}quit = 'Q'  # \u2029{end}".encode())
    change_file(path, HELP_ON_F5)
    added = f'help = "f5"{end}'
    assert (
        path.read_bytes().decode() == f"# a\u2028[keys] \x85{end}[keys]{end}{added}quit = 'Q'  # \u2029{end}"
    )


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
        change_file(path, HELP_ON_F5)
    assert path.stat() == before
