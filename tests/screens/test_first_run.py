"""The form of the first run: what does not work is said and nothing is written; what works is kept."""

import re
import tomllib
from pathlib import Path

import pytest
from textual import events
from textual.color import Color
from textual.pilot import Pilot
from textual.widgets import Input

from linkdash.api.endpoints import body_of
from linkdash.api.errors import InvalidBody
from linkdash.demo.server import Running
from linkdash.model.badge_color import COLOR_NAMES
from linkdash.model.profiles import NewProfile
from linkdash.startup.first_run import SetupApp
from linkdash.widgets.form.field_rows import FieldRow
from linkdash.widgets.form.form import Form
from tests.typist import send
from tests.waiting import wait_until


async def fill(pilot: Pilot[str], running: Running, key: str) -> Form:
    """Type address and key, to be kept in the file."""
    form = pilot.app.screen.query_one(Form)
    rows = {row.field.name: row for row in form.query(FieldRow)}
    for name, row in rows.items():
        if name in ("base_url", "key"):
            row.query_one(Input).value = running.base_url if name == "base_url" else key
    await pilot.press("ctrl+s")
    return form


async def test_a_wrong_key_leads_back_and_a_good_one_is_kept(demo: Running, tmp_path: Path) -> None:
    path = tmp_path / "config" / "config.toml"
    app = SetupApp(path)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await fill(pilot, demo, "nobody's")
        await wait_until(lambda: "-error" in form.query_one(".form-note").classes)
        assert not path.exists()
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "Where to keep the key" in text
        assert "The configuration file" in text, "without a choice, it is kept there"
        assert "nobody's" not in text
        assert len(demo.service.log) == 1
        await fill(pilot, demo, demo.api_key)
        await wait_until(lambda: app.return_value is not None)
    assert app.return_value == "default"
    assert tomllib.loads(path.read_text())["profiles"]["default"] == {
        "base_url": demo.base_url,
        "api_key": demo.api_key,
    }
    assert path.stat().st_mode & 0o777 == 0o600


async def test_what_is_wrong_is_said_as_it_is_typed_and_nothing_is_asked_for_it(tmp_path: Path) -> None:
    app = SetupApp(tmp_path / "config.toml")
    async with app.run_test(size=(80, 24)) as pilot:
        form = app.screen.query_one(Form)
        assert "f2" not in app.screen.active_bindings, "no command can stand for it"
        rows = {row.field.name: row for row in form.query(FieldRow)}
        await pilot.press(*"http://links.example.org", "tab", *"two words")
        assert "https" in rows["base_url"].problem
        assert rows["key"].problem.startswith("The API key contains a character that is not allowed")
        assert "two" not in rows["key"].problem
        rows["key"].query_one(Input).value = ""
        await pilot.press("ctrl+s")
        assert rows["key"].problem == "Required"


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_every_field_says_at_once_what_it_is_for_the_key_before_its_place(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = SetupApp(tmp_path / "config.toml")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        told = (
            "such as https://",
            "Your account",
            "type to search",
            "Optional. What",
            "Optional. Of",
        )
        assert all(words in text for words in told), text
        assert (
            text.index("Address") < text.index("API key", text.index("Address")) < text.index("Where to keep")
        )


async def test_either_the_key_is_asked_for_or_the_command_that_prints_it(tmp_path: Path) -> None:
    app = SetupApp(tmp_path / "config.toml")
    async with app.run_test(size=(80, 24)) as pilot:
        rows = {row.field.name: row for row in app.screen.query_one(Form).query(FieldRow)}
        assert (rows["key"].display, rows["command"].display) == (True, False)
        await pilot.press("tab", "tab", *"A command prints it", "enter")
        await wait_until(lambda: rows["command"].display)
        assert not rows["key"].display


@pytest.mark.parametrize("command", ["", " ", "'pass show"])
def test_a_command_that_prints_the_key_must_be_one(command: str) -> None:
    given = {"base_url": "https://links.example.org", "place": "command"}
    with pytest.raises(InvalidBody, match=r"command that prints|a quote is not closed"):
        body_of(NewProfile, given | ({"command": command} if command else {}))


def screen_of(app: SetupApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def test_what_is_needed_and_where_the_key_goes_and_what_escape_does_is_said(tmp_path: Path) -> None:
    app = SetupApp(tmp_path / "config.toml")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "API key · required" in screen_of(app)
        assert "config.toml with its key, readable by you" in " ".join(screen_of(app).split())
        assert "Quit esc" in screen_of(app)
        assert screen_of(app).splitlines()[-1].split() == [
            "tab",
            "Next",
            "field",
            "or",
            "button",
            "f1",
            "Help",
        ]
        await pilot.press("f1")
        await wait_until(lambda: re.search(r"│ +ctrl\+s +Save +│", screen_of(app)), lambda: screen_of(app))
        assert "Next field or button" in screen_of(app)
        await pilot.press("escape", "tab", "tab", *"keyring", "enter")
        await pilot.pause()
        assert "the key in the system's keyring" in " ".join(screen_of(app).split())
        await pilot.press("escape")
        await pilot.pause()
        assert "Keep editing esc" in screen_of(app)
        assert "esc Keep editing" not in screen_of(app), "the button says it"


@pytest.mark.parametrize(("typed", "kept"), [("Teal", "teal"), ("#a35", "#AA3355"), ("blurple", None)])
def test_a_badge_has_a_color_that_there_is(typed: str, kept: str | None) -> None:
    given = {"base_url": "https://links.example.org", "key": "k" * 20, "color": typed}
    if kept is None:
        with pytest.raises(InvalidBody, match="color: use a name such as teal, or #RRGGBB"):
            body_of(NewProfile, given)
    else:
        assert body_of(NewProfile, given).color == kept


def test_every_name_of_a_color_is_one_for_the_header() -> None:
    assert all(Color.parse(name) for name in COLOR_NAMES)


async def test_text_that_comes_with_the_key_before_it_goes_into_the_field_that_the_key_leads_to(
    tmp_path: Path,
) -> None:
    app = SetupApp(tmp_path / "config.toml")
    async with app.run_test(size=(80, 24)) as pilot:
        rows = {row.field.name: row for row in app.screen.query_one(Form).query(FieldRow)}
        await pilot.press("tab", "tab")
        send(app, *"comm", "enter", *"pass", "space")
        app.post_message(events.Paste("show"))
        send(app, "space", *"links")
        await wait_until(lambda: rows["command"].query_one(Input).value == "pass show links")
        assert app.screen.query_one(Form).draft.text("place") == "command"
