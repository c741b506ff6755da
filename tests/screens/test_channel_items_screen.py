"""The items of a channel: what is behind them."""

from linkdash.api.resources.channels import ChannelItem
from linkdash.demo.server import Running
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from tests.conftest import RunApp
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
        await wait_until(lambda: bool(driver.toasts))
        assert driver.toasts[-1].startswith("The details show all of ")
        assert link.link in driver.text
        driver.table.move_to_key(code.key)
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, StatisticsScreen))
        await wait_until(lambda: f"GET /api/qr/{code.id}" in driver.asked)
