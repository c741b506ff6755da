"""The design's tokens in every theme."""

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from linkdash.widgets import styled_text as looks
from linkdash.widgets.styled_text import Tone
from linkdash.widgets.themes import DAY, NIGHT, OWN_THEMES, READABLE, TERMINAL, ThemedApp, contrast, tokens

TOKENS = {"hero", "muted", "faint", "edge", "track", "cursor", "onfill"} | {f"s{n}" for n in range(1, 7)}
UNDER_CURSOR = ("error", "warning", "success", "muted", "faint", "primary", "secondary", "accent", "s1")
THEMES = {theme.name: theme for theme in (*OWN_THEMES, *BUILTIN_THEMES.values())}
COLORED = [theme for theme in THEMES.values() if not theme.name.startswith("ansi")]


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_every_theme_has_every_token(theme: Theme) -> None:
    found = tokens(theme)
    assert found.keys() == TOKENS | {f"cursor-{name}" for name in UNDER_CURSOR}
    for value in found.values():
        Color.parse(value)


def test_every_theme_has_all_that_style_sheets_ask_of_one() -> None:
    app = ThemedApp[None]()
    asked = set(app.get_css_variables())
    for name in app.available_themes:
        app.theme = name
        assert asked <= set(app.get_css_variables()), name


@pytest.mark.parametrize("theme", COLORED, ids=lambda theme: theme.name)
def test_what_is_said_under_the_cursor_can_be_read(theme: Theme) -> None:
    found = tokens(theme)
    cursor = Color.parse(found["cursor"])
    # A percent is lost where a color is rounded to 8 bits.
    assert all(
        contrast(Color.parse(found[f"cursor-{name}"]), cursor) >= READABLE * 0.99
        for name in ("error", "warning", "success")
    )


def test_under_the_cursor_the_terminals_own_colors_give_way_to_its_foreground() -> None:
    found, named = tokens(TERMINAL), {look.rpartition("$")[2] for look in looks.UNDER_CURSOR.values()}
    series = {look.rpartition("$")[2] for look in (*looks.HUES[1:], looks.STYLES[Tone.BRAND])}
    assert {found[name] for name in named - series if name} == {"ansi_default"}, "its grey is that of the row"


@pytest.mark.parametrize("theme", COLORED, ids=lambda theme: theme.name)
def test_no_series_is_taken_for_good_or_bad(theme: Theme) -> None:
    if theme in OWN_THEMES:
        pytest.skip("chosen by hand")
    found, system = tokens(theme), theme.to_color_system().generate()
    for series in ("s2", "s3", "s4", "s5", "s6"):
        hue = Color.parse(found[series]).hsl.h
        for name in ("error", "success"):
            other = Color.parse(system[name]).hsl.h
            assert min((hue - other) % 1, (other - hue) % 1) > 28 / 360, (series, name)


@pytest.mark.parametrize("name", ["primary", "secondary", "success", "warning", "error", "muted"])
def test_what_is_read_in_the_terminals_own_colors_stands_out_on_black_and_on_white(name: str) -> None:
    color = Color.parse({**TERMINAL.to_color_system().generate(), **tokens(TERMINAL)}[name])
    assert min(contrast(color, Color.parse(ground)) for ground in ("black", "white")) >= 3


@pytest.mark.parametrize("theme", [NIGHT, DAY], ids=lambda theme: theme.name)
def test_our_own_themes_are_readable(theme: Theme) -> None:
    found, system = tokens(theme), theme.to_color_system().generate()
    colors = {**system, **found}
    for name in (
        "foreground",
        "hero",
        "muted",
        "primary",
        "accent",
        "secondary",
        "error",
        "warning",
        "success",
    ):
        for behind in ("background", "surface", "panel"):
            assert contrast(Color.parse(colors[name]), Color.parse(colors[behind])) >= READABLE, (
                name,
                behind,
            )
    for series in range(1, 7):
        assert contrast(Color.parse(found[f"s{series}"]), Color.parse(colors["background"])) >= 3, series


def test_the_contrast_of_black_and_white() -> None:
    assert contrast(Color(0, 0, 0), Color(255, 255, 255)) == pytest.approx(21)


def test_in_the_terminals_own_colors_nothing_is_dark_blue_which_black_swallows() -> None:
    assert "ansi_blue" not in tokens(TERMINAL).values()
