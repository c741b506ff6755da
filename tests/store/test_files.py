"""Files of the program's own: private, nobody else's, and replaced wholly or not at all."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from linkdash.api.http.address import profile_key, state_folder
from linkdash.store.files import private_file, private_folder, write_atomically
from linkdash.store.folders import cache_folder
from tests.store.killed import can_kill, lines_until_killed

posix = pytest.mark.skipif(sys.platform == "win32", reason="owners, links and modes are POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_* is Linux's")
def test_folders_follow_the_desktop_standard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert state_folder() == tmp_path / "state" / "linkdash"
    assert cache_folder() == tmp_path / "cache" / "linkdash"
    assert list(tmp_path.iterdir()) == []


def test_a_profile_key_tells_nothing_of_the_key() -> None:
    key = profile_key("https://links.example.org", "k-12345")
    assert "12345" not in key
    assert key == profile_key("https://links.example.org", "k-12345")
    assert key != profile_key("https://links.example.org", "k-12346")
    assert key != profile_key("https://links.example.com", "k-12345")


# ---- whose they are ----


@posix
def test_another_users_file_or_folder_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user is played by being one."""
    path = private_file(tmp_path / "mine" / "file")
    path.chmod(0o644)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PermissionError, match="another user"):
        private_folder(path.parent)
    monkeypatch.setattr("linkdash.store.files.private_folder", lambda folder: folder)
    with pytest.raises(PermissionError, match="another user"):
        private_file(path)
    assert mode(path) == 0o644


@posix
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        private_file(tmp_path / "pipe")


@posix
def test_a_dangling_link_makes_no_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="link"):
        private_file(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


# ---- replaced wholly or not at all ----


def test_a_file_is_replaced_and_private(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old and longer")
    path.chmod(0o644)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert mode(path) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@posix
def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, path = tmp_path / "target", tmp_path / "file"
    target.write_bytes(b"precious")
    path.symlink_to(target)
    write_atomically(path, b"new")
    assert (path.read_bytes(), path.is_symlink(), target.read_bytes()) == (b"new", False, b"precious")


@posix
def test_a_device_and_a_pipe_are_not_replaced(tmp_path: Path) -> None:
    """As root, that would take /dev/null or /dev/stdout from every program of the machine."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(os.devnull)
    for path in (pipe, link):
        before = path.lstat()
        with pytest.raises(OSError, match="not a regular file"):
            write_atomically(path, b"new")
        assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert sorted(tmp_path.iterdir()) == [link, pipe]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_it_is_on_the_disk_before_it_has_the_name_and_the_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    synced: list[tuple[bool, bool]] = []
    really = os.fsync

    def fsync(file: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(file).st_mode), path.exists()))
        really(file)

    monkeypatch.setattr(os, "fsync", fsync)
    write_atomically(path, b"new")
    assert synced == ([(False, False), (True, True)] if sys.platform != "win32" else [(False, False)])


WRITER = """
import itertools, sys
from pathlib import Path
from linkdash.store.files import write_atomically

for number in itertools.count():
    write_atomically(Path(sys.argv[1]), str(number).encode() * 20_000)
    print(number, flush=True)
"""


@can_kill
def test_kill_9_leaves_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    said = lines_until_killed(WRITER, str(path), after=20)
    last = int(said[-1])
    assert path.read_bytes() in (str(number).encode() * 20_000 for number in (last, last + 1))


def test_a_folder_of_everybodys_is_not_closed_to_them(tmp_path: Path) -> None:
    common, own = tmp_path / "common", tmp_path / "own"
    for folder in (common, own):
        folder.mkdir()
        folder.chmod(0o1777 if folder is common else 0o755)
        private_folder(folder)
    assert [folder.stat().st_mode & 0o7777 for folder in (common, own)] == [0o1777, 0o700]


def test_what_a_link_leads_to_is_never_changed(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    shared.chmod(0o755)
    link = tmp_path / "state"
    link.symlink_to(shared)
    with pytest.raises(OSError, match="a link to a folder that others may enter"):
        private_folder(link)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    shared.chmod(0o700)
    assert private_folder(link) == link
