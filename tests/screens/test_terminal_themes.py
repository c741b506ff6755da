"""Themes in the terminal's own colors, which cannot be mixed: windows over a screen."""

import pytest
from rich.cells import cell_len
from rich.color import Color, ColorType
from rich.style import Style
from textual._context import visible_screen_stack
from textual.color import Color as TextualColor
from textual.geometry import Offset, Region
from textual.widget import Widget
from textual.widgets import Button, Input

from linkdash.demo.server import Running
from linkdash.widgets.panel import Window
from linkdash.widgets.themes import DAY
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.hand import Hand
from tests.waiting import resize, wait_until

Cells = dict[Offset, tuple[str, Style]]


def cells(driver: Driver) -> Cells:
    """Every letter on the screen with its look, by place, painted anew as the app does for the terminal."""
    app, found = driver.app, Cells()
    app.screen.refresh()
    visible_screen_stack.set(app._background_screens)
    for y, strip in enumerate(app.screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            style = (segment.style or Style.null()).clear_meta_and_links()
            for letter in segment.text:
                found[Offset(x, y)] = letter, style
                x += cell_len(letter)
    return found


def within(region: Region, found: Cells) -> Cells:
    return {place: cell for place, cell in found.items() if region.contains_point(place)}


def is_readable(letter: str, style: Style) -> bool:
    """Return whether a letter can be told from what it stands on, in colors that the terminal has."""
    colors = style.color or Color.default(), style.bgcolor or Color.default()
    mixed = any(color.type is ColorType.TRUECOLOR for color in colors)
    return not mixed and (not letter.strip() or colors[0] != colors[1] or colors[0].is_default)


async def test_a_window_over_a_list_and_the_line_under_the_cursor_are_readable_in_the_terminals_own_colors(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        before = looks(driver)
        await driver.go("domains")
        driver.app.theme = DAY.name
        await driver.go("pixels")
        shown = looks(driver)
        driver.app.stylesheet.update(driver.screen)
        assert shown == looks(driver)
        assert shown != before

        hand = Hand(driver)
        themes = [name for name, theme in driver.app.available_themes.items() if theme.ansi]
        assert "linkdash-terminal" in themes
        for theme in themes:
            driver.app.theme = theme
            await driver.pilot.pause()
            table, below = driver.table.region, cells(driver)
            await hand.ask("d")
            window, above = driver.app.screen.query_one(Window).region, cells(driver)
            inside = within(window, above)
            rows = [
                "".join(inside[place][0] for place in sorted(inside) if place.y == y)
                for y in window.line_range
            ]
            assert [text for row in rows[1:-1] if (text := row.strip("│ "))] == [
                "Visits will no longer be reported to this vendor.",
                "u fills in a new one, with another id.",
                f"Profile  tests · {driver.app.settings.host}",
                "Cancel esc         Delete y",
            ], f"nothing of the rows below stands between in {theme}"
            edge = window.grow((0, 1, 0, 1))  # a wide letter that the frame cuts is not drawn
            around = within(table, above).keys() - within(edge, above).keys()
            assert any(below[place][0].strip() for place in around)
            assert {place: above[place] for place in around} == {place: below[place] for place in around}
            assert [cell for cell in above.values() if not is_readable(*cell)] == [], theme
            await driver.press("escape")
        driver.app.theme = "linkdash-terminal"
        await driver.go("channels")
        row = driver.table.region.y + 1
        under = {place: cell for place, cell in cells(driver).items() if place.y == row}
        assert any(letter == "–" for letter, _ in under.values()), "what is not known is told in grey"
        words = [
            (letter, style) for letter, style in under.values() if letter != "█"
        ]  # that is a color itself
        assert [cell for cell in words if not is_readable(*cell)] == []
        await resize(driver.pilot, 140, 40)
        await driver.press("h")
        await driver.wait_for("Nothing was changed from here yet.")
        for _ in range(4):
            await driver.press("tab")
            await driver.painted()
            assert [cell for cell in cells(driver).values() if not is_readable(*cell)] == []


async def test_in_the_terminals_own_colors_only_the_button_with_the_focus_looks_chosen_and_inputs_are_seen(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        driver.app.theme = "linkdash-terminal"
        hand = Hand(driver)
        await hand.ask("d")
        found = cells(driver)
        turned = [
            button
            for button in driver.app.screen.query(Button)
            if any(style.reverse for _, style in within(button.region, found).values())
        ]
        assert turned == [driver.app.focused]
        plain = next(button for button in driver.app.screen.query(Button) if button not in turned)
        assert {str(style.bgcolor) for _, style in within(plain.region, found).values()} == {
            str(Color.default())
        }
        await driver.press("escape")
        await hand.open("n")
        field = hand.form.query(Input).first()
        field.cursor_blink = False
        field.focus()
        await wait_until(lambda: driver.app.focused is field)
        found = cells(driver)
        (cursor,) = (style for _, style in within(field.region, found).values() if style.reverse)
        assert [str(color) for color in (cursor.color, cursor.bgcolor)] == [str(Color.default())] * 2
        assert all(style.underline for _, style in within(field.region, found).values() if not style.reverse)


async def test_without_colors_the_terminals_own_are_left_to_it(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        driver.app.theme = "linkdash-terminal"
        await driver.pilot.pause()
        shown = cells(driver)
        assert any(letter.strip() for letter, _ in shown.values())
        assert [cell for cell in shown.values() if not is_readable(*cell)] == []


def looks(driver: Driver) -> list[tuple[TextualColor, TextualColor]]:
    """The colors of every widget of the screen."""
    widgets = driver.screen.walk_children(Widget)
    return [(widget.styles.background, widget.styles.color) for widget in widgets]
