"""Plain ways to be shown: ASCII signs alone, and no colors."""

import re

import pytest
from textual.color import Color

from linkdash.demo.server import Running
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.widgets.themes import DAY, NIGHT, TERMINAL
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.statistics_driver import open_code, statistics
from tests.waiting import resize, wait_until
from tests.widgets.test_qr_image import decode, photograph

OUR_SIGNS = re.compile(r"[\u2500-\u27bf\u2800-\u28ff\u2190-\u21ff\u2010-\u2027·−≈≥≠±]")
"""Frames, bars, arrows, marks and punctuation that ASCII lacks."""


@pytest.mark.nightly
async def test_no_sign_of_ours_is_left_on_any_screen(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, ascii=True) as driver:
        seen = {}
        for place in ("qr", "users"):
            await driver.go(place)
            seen[place] = driver.text
        await driver.press("F")
        await driver.wait_for("expired, still pro")
        seen["findings"] = driver.text
        await driver.press("escape", "8", "n")
        await driver.wait_for("New QR code")
        seen["form"] = driver.text
        await driver.press("escape", "b")
        await driver.wait_for("Budget")
        seen["budget"] = driver.text
        await driver.press("escape", "enter")
        await driver.opened(StatisticsScreen)
        await driver.wait_for("Countries")
        seen["statistics"] = driver.text
        await driver.press("?")
        await driver.wait_for("Keys on")
        seen["help"] = driver.text
        await driver.press("escape", "h")
        await driver.wait_for(" a day")
        seen["overview"] = driver.text
        assert {name: found for name, text in seen.items() if (found := OUR_SIGNS.findall(text))} == {}


async def test_no_key_is_named_by_the_sign_of_another(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40), ascii=True) as driver:
        await driver.go("qr")
        assert "enter Open" in driver.lines[-1]
        await driver.press("C")
        await driver.wait_for("enter Keep")
        await driver.press("escape", ":")
        await driver.wait_for("enter open")
        await driver.press("escape", "enter")
        await driver.opened(StatisticsScreen)
        await driver.press("?")
        await driver.wait_for("tab right")
        for named in ("shift+tab left", "j down", "k up"):
            assert named in driver.text


@pytest.mark.parametrize("no_color", [False, True], ids=["colors", "no-color"])
async def test_in_ascii_a_code_is_scanned_from_the_terminal(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch, no_color: bool
) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    async with run_app(demo, size=(140, 40), ascii=True, keys={"export": "E"}) as driver:
        await open_code(driver)
        link = statistics(driver).statistics.code.link
        await driver.press("Q")
        await wait_until(lambda: _scanned(driver) == [link], lambda: driver.text)
        assert not OUR_SIGNS.search(driver.text)
        await driver.press("escape")
        driver.app.theme = TERMINAL.name
        await driver.press("Q")
        if no_color:
            await driver.wait_for("cannot be drawn here. E saves it")  # there is nothing to draw it with
            return
        await wait_until(lambda: _scanned(driver) == [link], lambda: driver.text)
        await resize(driver.pilot, 80, 24)
        await driver.wait_for("E saves it as PNG or SVG.")
        assert "enlarge the" in driver.text
        assert _scanned(driver) == []


def _scanned(driver: Driver) -> list[str]:
    """Return what a camera reads from the terminal; nothing before all of its lines are drawn."""
    strips = driver.app.screen._compositor.render_strips()
    if {strip.cell_length for strip in strips} != {driver.app.size.width}:
        return []
    return decode(photograph([list(strip) for strip in strips]))


async def test_without_color_the_cursor_is_told_by_a_sign_and_a_fall_is_at_least_as_strong_as_a_rise(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        strips = driver.app.screen._compositor.render_strips()
        colors = [segment.style.color for strip in strips for segment in strip if segment.style]
        assert all(len({*color.get_truecolor()}) == 1 for color in colors if color is not None), "only greys"
        (cursor,) = (line for line in driver.records if "▌" in line)
        assert driver.screen.row is not None
        assert driver.screen.resource.name_of(driver.screen.row).partition("://")[2] in cursor
        for theme in (NIGHT, DAY):
            driver.app.theme = theme.name
            variables = driver.app.get_css_variables()
            ground, rise, *falls = (
                Color.parse(variables[name]).monochrome.brightness
                for name in ("background", "success", "error", "cursor-error")
            )
            for fall in falls:  # also of the row under the cursor
                assert abs(fall - ground) >= abs(rise - ground), theme.name


async def test_in_ascii_a_scrollbar_adds_no_sign_to_the_row_beside_its_end(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, ascii=True, place="qr") as driver:
        await driver.settled()
        table = driver.table
        await wait_until(lambda: table.show_vertical_scrollbar)
        for _ in range(8):  # its end is at another part of a cell each time
            await driver.press("j", "j", "j")
            bar = table.vertical_scrollbar.region
            await driver.painted()
            assert {line[bar.x :].strip() for line in driver.lines[bar.y : bar.bottom]} == {""}
