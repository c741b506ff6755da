"""The kept frame: it is that of a start like this one, or it is none."""

import json
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import SecretStr

from linkdash.config import Settings
from linkdash.frame_settings import FrameSettings, KeptFrame, KeptPicture, configuration_path
from linkdash.store.files import cache_folder

KEY = "a-key-nobody-must-see"
ENVIRONMENT = {"LINKDASH_BASE_URL": "https://links.example.org", "LINKDASH_API_KEY": KEY}
SETTINGS = Settings("work", "https://links.example.org", SecretStr(KEY), theme="nord", keys={"quit": "x"})
SHOWN = FrameSettings("work", "https://links.example.org", theme="nord", keys={"quit": "x"})


PICTURE = KeptPicture(
    "2026-03-01T09:30+00:00", "nord", 80, 24, ["bold #ffffff on #000000", "none"], [[("a", 0), ("東", 1)], []]
)
CONFIGURED = {"LINKDASH_PROFILE": "work"}  # the key is the profile's


def kept(environment: dict[str, str] = ENVIRONMENT, **flags: object) -> KeptFrame:
    return KeptFrame(Namespace(profile=None, **flags), environment)


def configured(text: str) -> None:
    path = configuration_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_frame_is_kept_without_what_is_secret() -> None:
    assert kept().read() is None
    kept().write(SETTINGS)
    assert kept().read() == SHOWN
    file = cache_folder() / "frame.json"
    assert KEY not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "other",
    [
        lambda: kept(linear=True),
        lambda: kept({**ENVIRONMENT, "LINKDASH_PROFILE": "home"}),
        lambda: kept({**ENVIRONMENT, "LINKDASH_BASE_URL": "https://other.example.org"}),
        lambda: kept({"LINKDASH_BASE_URL": "https://links.example.org"}),
    ],
    ids=["flags", "profile", "address", "no key"],
)
def test_it_is_none_for_a_start_of_another_kind(other: Callable[[], KeptFrame]) -> None:
    kept().write(SETTINGS)
    assert other().read() is None


def test_it_is_none_once_the_configuration_has_changed() -> None:
    kept().write(SETTINGS)
    configured("theme = 'nord'")
    assert kept().read() is None, "there is a file now"
    kept().write(SETTINGS)
    assert kept().read() == SHOWN
    configured("theme = 'ford'")
    assert kept().read() is None, "the same size, another time"
    kept().write(SETTINGS)
    configuration_path().unlink()
    assert kept().read() is None


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"origin": 1}', "[" * 100_000, "\x80"])
def test_a_file_that_was_spoiled_is_none(text: str) -> None:
    kept().write(SETTINGS)
    (cache_folder() / "frame.json").write_text(text, encoding="latin-1")
    assert kept().read() is None


def test_a_frame_of_other_members_is_none() -> None:
    kept().write(SETTINGS)
    file = cache_folder() / "frame.json"
    whole = json.loads(file.read_text())
    file.write_text(json.dumps({**whole, "frame": {**whole["frame"], "odd": 1}}))
    assert kept().read() is None


def test_where_it_cannot_be_kept_it_is_not() -> None:
    cache_folder().parent.mkdir(parents=True, exist_ok=True)
    cache_folder().write_text("no folder")
    kept().write(SETTINGS)
    assert kept().read() is None


def a_picture_is_kept() -> KeptFrame:
    run = kept(CONFIGURED)
    run.write(replace(SETTINGS, holds_api_key=True))
    run.write_picture(PICTURE)
    return kept(CONFIGURED)


def test_a_picture_is_kept_for_its_owner_alone() -> None:
    found = a_picture_is_kept().read_picture()
    assert found is not None
    assert json.dumps(found) == json.dumps(PICTURE)
    assert (cache_folder() / "picture.json").stat().st_mode & 0o077 == 0


def test_a_picture_of_whoever_has_the_key_elsewhere_is_not_kept() -> None:
    """A variable or a keyring can hold another's key at the next start."""
    for environment, settings in (
        (ENVIRONMENT, replace(SETTINGS, holds_api_key=True)),
        (CONFIGURED, SETTINGS),
    ):
        run = kept(environment)
        run.write(settings)
        run.write_picture(PICTURE)
        assert kept(environment).read_picture() is None


def test_a_picture_is_none_without_the_frame_that_it_stands_in() -> None:
    kept(CONFIGURED).write_picture(PICTURE)
    assert kept(CONFIGURED).read_picture() is None


def test_a_picture_is_none_for_a_start_of_another_kind() -> None:
    a_picture_is_kept()
    assert kept(CONFIGURED, linear=True).read_picture() is None
    configured("theme = 'nord'")
    assert kept(CONFIGURED).read_picture() is None


@pytest.mark.parametrize(
    "spoiled",
    [
        {"at": "noon"},
        {"at": 7},
        {"styles": ["bold of #fff", "none"]},
        {"styles": ["none"]},
        {"styles": ["none", 7]},
        {"rows": [[["a", 1.0]]]},
        {"rows": [[["a", -1]]]},
        {"rows": [[[7, 0]]]},
        {"rows": [["abc"]]},
        {"rows": None},
        {"odd": 1},
    ],
)
def test_a_picture_that_was_spoiled_is_none(spoiled: dict[str, object]) -> None:
    a_picture_is_kept()
    file = cache_folder() / "picture.json"
    whole = json.loads(file.read_text())
    file.write_text(json.dumps({**whole, "picture": {**whole["picture"], **spoiled}}))
    assert kept(CONFIGURED).read_picture() is None
    assert kept(CONFIGURED).read() is not None
