"""The same statistics for several codes at once: what is selected, what is named alike, a channel's codes."""

import re

from rich.cells import cell_len

from linkdash.demo.server import Running
from linkdash.model.statistics.charts import PANEL_TITLES
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.widgets.charts.cards import Card
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.hand import Hand
from tests.screens.statistics_driver import open_code, status
from tests.waiting import wait_until


async def summed(driver: Driver) -> StatisticsScreen:
    await driver.opened(StatisticsScreen)
    screen = driver.app.screen
    assert isinstance(screen, StatisticsScreen)
    assert screen.is_group
    return screen


async def test_what_is_selected_is_summed_without_a_request_and_many_are_not_asked_for_without_a_question(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        asked = len(driver.asked)
        chosen = [code.id for code in driver.screen.collection.records[:3]]
        await driver.press("space", "space", "space", "+")
        screen = await summed(driver)
        assert screen.subject == "Selected codes"
        assert sorted(code.code.id for code in screen.codes) == sorted(chosen)
        assert driver.asked[asked:] == []

        hand = Hand(driver)
        await driver.press("escape")
        await driver.settled()
        await driver.press(*["space"] * 4, "+")
        await summed(driver)
        question = await hand.ask("r")
        assert "Refresh 7 codes of Selected codes?" in question
        assert "7 requests, now" in question
        await driver.press("escape")
        assert driver.asked[asked:] == []
        await hand.ask("r")
        await driver.press("y")
        await wait_until(lambda: len(driver.asked) == asked + 7)


async def test_a_breakdown_that_not_every_code_tells_says_of_how_many_it_is(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await open_code(driver)
        await driver.press("escape")
        await driver.press("space", "space", "+")
        screen = await summed(driver)
        assert status(driver).startswith("2 codes · ")
        countries = screen.panels.panel("countries")
        await wait_until(lambda: "1 of 2 codes" in str(countries.border_title), lambda: driver.text)
        scans, clicks, unique = [card.figure for card in screen.query(Card) if card.figure]
        assert [scans.reach, clicks.reach, unique.reach] == ["", "1 of 2 codes", "1 of 2 codes"]
        assert [one.value.startswith("≥") for one in (scans, clicks, unique)] == [False, True, True]
        assert driver.text.count("1 of 2 codes") == 2 + len(PANEL_TITLES), "each card and panel says it"
        await driver.pilot.resize_terminal(80, 24)
        line = (
            f"All scans {scans.value}   All clicks {clicks.value}   All unique {unique.value} of 1 of 2 codes"
        )
        await driver.wait_for(line)
        assert all("1 of 2 codes" in str(screen.panels.panel(name).border_title) for name in PANEL_TITLES)
        await driver.press("r")
        await wait_until(lambda: "of 2 codes" not in driver.text, lambda: driver.text)


async def test_codes_that_are_named_alike_are_summed_from_one_of_them_chosen_in_columns(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        row = driver.screen.row
        assert row is not None
        brand = getattr(row, "name").partition(" · ")[0]  # noqa: B009  the screen shows any record
        alike = [
            code.id
            for code in driver.screen.collection.records
            if getattr(code, "name").startswith(f"{brand} · ")  # noqa: B009
        ]
        await driver.press("+")
        await driver.wait_for("Sum codes by name prefix · 100 of 400 loaded")
        lines = [line.partition(" codes")[0] for line in driver.lines if re.search(r"\d codes ", line)]
        assert any("東京" in line for line in lines), "cells and not letters make a column"
        assert len(lines) > 2
        assert len({cell_len(line.rstrip("0123456789 ")) for line in lines}) > 1
        assert len({cell_len(line) for line in lines}) == 1
        await driver.press("enter")
        screen = await summed(driver)
        assert screen.subject == brand
        assert sorted(code.code.id for code in screen.codes) == sorted(alike)
        await driver.wait_for(f"{len(alike)} codes")

        await driver.press("escape", "L")
        await wait_until(lambda: not driver.screen.collection.listing.lacks_rows, lambda: driver.text)
        await driver.press("+")
        await driver.wait_for("Sum codes by name prefix")
        assert "loaded" not in next(line for line in driver.lines if "Sum codes" in line)


async def test_a_channel_is_summed_and_asked_for_its_items_once_or_says_that_it_has_no_codes(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="channels") as driver:
        await driver.settled()
        asked = len(driver.asked)
        await driver.press("j", "+")
        screen = await summed(driver)
        items = len(driver.asked) - asked
        assert items == 1
        session = driver.app.session
        channel = driver.app.navigation.screen_of("channels")
        assert screen.subject in {one.name for one in session.collection("channels").records}
        await driver.press("escape")
        await wait_until(lambda: driver.app.screen is channel)
        await driver.press("+")
        await summed(driver)
        assert len(driver.asked) == asked + items

        await driver.press("escape")
        await wait_until(lambda: driver.app.screen is channel)

        table = driver.table
        assert table.move_to_key(10), "the demo leaves every tenth channel empty"
        await driver.press("+")
        await wait_until(lambda: any("no QR code in" in told for told in driver.toasts))
