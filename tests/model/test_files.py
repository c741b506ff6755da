"""Files that are handed on: where they go, what they never take the place of, and what a failure leaves."""

import errno
import os
from pathlib import Path

import pytest

from linkdash.model.file_formats import format_by_ending
from linkdash.store.files import NotSaved, replace_text, save, save_text
from linkdash.store.folders import downloads_folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_no_file_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("mine")
    (tmp_path / "codes-2.csv").symlink_to(tmp_path / "nowhere")
    assert save_text(tmp_path, "codes", "csv", "new").name == "codes-3.csv"
    assert (tmp_path / "codes.csv").read_text() == "mine"
    assert names(tmp_path) == ["codes-2.csv", "codes-3.csv", "codes.csv"]


def test_a_folder_that_is_gone_or_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, reason in (("gone", "No such file or directory"), ("file", "Not a directory")):
        with pytest.raises(NotSaved, match=f"cannot be written to: {reason}"):
            save_text(tmp_path / name, "codes", "csv", "new")
    assert names(tmp_path) == ["file"]


def test_a_disk_that_becomes_full_leaves_no_half_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotSaved, match="could not be written: No space left on device"):
        save_text(tmp_path, "codes", "csv", "new")
    assert names(tmp_path) == []


def test_what_cannot_be_made_is_told_and_leaves_no_file(tmp_path: Path) -> None:
    def fail() -> bytes:
        raise ValueError("it is too long")

    with pytest.raises(NotSaved, match=r"codes\.png could not be written: it is too long"):
        save(tmp_path, "codes", "png", fail)
    assert names(tmp_path) == []


def test_every_export_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced: list[tuple[str, bytes]] = []
    replace = Path.replace

    def watched(part: Path, target: Path) -> Path:
        replaced.append((target.name, part.read_bytes()))
        return replace(part, target)

    monkeypatch.setattr(Path, "replace", watched)
    save_text(tmp_path, "codes", "csv", "new")
    replace_text(tmp_path / "codes.json", "other")
    assert replaced == [("codes.csv", b"new"), ("codes.json", b"other")]
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in names(tmp_path)} == {0o600}


def test_without_a_home_files_go_where_it_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    assert downloads_folder() == tmp_path
    tmp_path.rmdir()
    with pytest.raises(NotSaved, match="cannot be written to"):
        save_text(downloads_folder(), "codes", "csv", "new")


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.csv", "csv"),
        ("~/b.d/A.JSONL", "jsonl"),
        ("a.csv.json", "json"),
        ("csv", None),
        (".csv", None),
        ("a.xls", None),
    ],
)
def test_the_ending_of_a_file_says_its_format(name: str, form: str | None) -> None:
    assert format_by_ending(name) == form
