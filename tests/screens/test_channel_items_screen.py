"""The items of a channel: what is behind them."""

import re

from linkdash.api.resources.channels import ChannelItem
from linkdash.demo.server import Running
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from tests.conftest import RunApp
from tests.model.statistics.test_period_comparison import NOW
from tests.model.statistics.test_sentences import dropped
from tests.screens.clock import HoldingClock
from tests.screens.hand import Hand
from tests.waiting import wait_until


async def test_a_code_in_a_channel_opens_its_statistics_and_a_link_is_shown_in_full(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="channels") as driver:
        await driver.settled()
        driver.table.move_to_key(29)
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, ChannelItemsScreen))
        await driver.settled()
        await driver.press("a")
        assert driver.toasts[-1] == "Items are assigned in the list of channels: esc, then a."
        items = [row for row in driver.screen.collection.listing.rows if isinstance(row, ChannelItem)]
        link = next(item for item in items if item.type == "links")
        code = next(item for item in items if item.type == "qr")
        driver.table.move_to_key(link.key)
        await driver.press("enter")
        await wait_until(lambda: driver.toasts[-1].startswith("Its row and the details show all of "))
        assert link.link.removeprefix("https://") in driver.text
        driver.table.move_to_key(code.key)
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, StatisticsScreen))
        await wait_until(lambda: f"GET /api/qr/{code.id}" in driver.asked)


async def test_of_a_code_in_a_channel_two_lines_of_details_say_how_it_was_scanned(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = NOW.timestamp()
    async with run_app(demo, size=(80, 24), place="channels") as driver:
        await driver.settled()
        driver.table.move_to_key(29)
        await driver.press("enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        items = [row for row in driver.screen.collection.listing.rows if isinstance(row, ChannelItem)]
        code = next(item for item in items if item.type == "qr")
        await driver.app.session.store.history.record_all({code.id: dropped()})
        driver.screen.show_known()
        driver.table.move_to_key(code.key)
        await wait_until(lambda: "7 days: " in driver.details)
        codes = sum(item.type == "qr" for item in items)
        assert re.search(rf" · 1 of {codes} codes: [\d,]+ scans ", driver.text), driver.text
        assert "Type: " not in driver.details, "its row says that"
        words = {"qr": " QR code ", "links": " Link ", "bio": " Bio page "}
        told = [words[item.type] in line for item, line in zip(items, driver.records[1:], strict=False)]
        assert len(told) > 5
        assert all(told), driver.text
        assert re.search(r" [\d,]+ +(▼ \d+ %|none \d d) ", driver.records[items.index(code) + 1])
        other = next(item for item in items if item.type != "qr")
        driver.table.move_to_key(other.key)
        await wait_until(lambda: "7 days: " not in driver.details)


async def test_rows_draw_the_days_of_codes_where_there_is_room(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = NOW.timestamp()
    async with run_app(demo, size=(200, 50), place="channels") as driver:
        await driver.settled()
        driver.table.move_to_key(29)
        await driver.press("enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        items = [row for row in driver.screen.collection.listing.rows if isinstance(row, ChannelItem)]
        codes = [item for item in items if item.type == "qr"]
        asked = driver.asked
        await driver.app.session.store.history.record_all({code.id: dropped() for code in codes})
        driver.screen.show_known()
        await wait_until(lambda: "14 days" in driver.records[0], lambda: driver.text)
        assert re.search(r" [▁-▇]{13,14} ", driver.records[items.index(codes[0]) + 1])
        kinds = rf" scans in 7 days · {len(codes)} QR codes, \d+ links, 1 bio page"
        await wait_until(lambda: re.search(kinds, driver.text), lambda: driver.text)
        assert driver.asked == asked


async def test_an_empty_channel_says_which_keys_assign_something_to_it(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="channels") as driver:
        await driver.settled()
        hand = Hand(driver)
        await hand.open("n")
        await hand.fill({"name": "Nothing yet"})
        await hand.save()
        await driver.wait_for("Nothing yet")
        await driver.press("g", "enter")
        await driver.opened(ChannelItemsScreen)
        await driver.wait_for("No item yet.")
        assert "Items are assigned in the list of channels: esc, then a." in driver.text
        assert "hidden" not in driver.text, "no row misses a column"
