"""Paths while they are typed."""

from pathlib import Path

import pytest

from linkdash.widgets.form.path_completion import look_at


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("pixels-1.csv", "pixels-2.csv", "plans.json", "notes.txt", ".hidden.csv", "odd\x1b.csv"):
        (tmp_path / name).write_text("12345")
    (tmp_path / "pictures").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("begun", "completed", "names"),
    [
        ("pix", "pixels-", ["pixels-1.csv", "pixels-2.csv"]),
        ("pixels-1", "pixels-1.csv", ["pixels-1.csv"]),
        ("pic", "pictures/", ["pictures/"]),
        ("p", "p", ["pictures/", "pixels-1.csv", "pixels-2.csv", "plans.json"]),
        (".h", ".hidden.csv", [".hidden.csv"]),
        ("nowhere", "nowhere", []),
        ("", "", ["notes.txt", "pictures/", "pixels-1.csv", "pixels-2.csv", "plans.json"]),
    ],
)
def test_a_path_goes_on_as_far_as_the_names_agree(
    folder: Path, begun: str, completed: str, names: list[str]
) -> None:
    look = look_at(f"{folder}/{begun}")
    assert (look.completed, list(look.names)) == (f"{folder}/{completed}", names)


def test_only_files_of_the_wanted_endings_and_folders_are_named(folder: Path) -> None:
    assert look_at(f"{folder}/p", [".json"]).names == ["pictures/", "plans.json"]


def test_what_is_there_is_known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    file, place, nothing = look_at("~/plans.json"), look_at("~/pictures"), look_at("~/none.csv")
    assert (file.kind, file.size, place.kind) == ("file", 5, "folder")
    assert (nothing.kind, nothing.has_folder) == ("nothing", True)
    assert not look_at("~/none/at-all.csv").has_folder
    assert look_at("~").completed == "~/"
    assert look_at("a\0b").kind == "nothing"
