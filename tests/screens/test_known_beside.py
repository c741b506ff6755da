"""Facts about records beside their fields, in columns and details: nothing is asked for them."""

import re
from dataclasses import replace

from linkdash.api.resources.channels import Channel
from linkdash.demo.server import Running
from linkdash.model.humanize import CountChange
from linkdash.model.resources.channels import ITEMS
from linkdash.model.resources.qr import RESOURCE as QR
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.resources.domains import DomainsScreen
from linkdash.widgets.table.cell_text import without_scheme
from tests.conftest import RunApp
from tests.model.statistics.test_period_comparison import DAY
from tests.model.statistics.test_period_comparison import NOW as SATURDAY
from tests.model.statistics.test_sentences import dropped
from tests.screens.clock import HoldingClock
from tests.waiting import resize, wait_until


async def test_a_channel_without_known_codes_says_how_to_load_them_and_rows_tell_how_others_are_scanned(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = SATURDAY.timestamp()
    async with run_app(demo, size=(140, 40), place="channels") as driver:
        await driver.settled()
        assert driver.screen.row is not None
        empty = driver.screen.row.id
        await wait_until(lambda: "In it: enter loads them: 1 request" in driver.details)
        assert "7 days" not in driver.records[0], "of none anything is known"
        for _ in range(2):
            await driver.press("enter")
            await driver.opened(ChannelItemsScreen)
            await driver.settled()
            await driver.press("escape", "j")
            await driver.settled()
        await driver.press("g")
        assert driver.screen.row.id == empty
        await wait_until(lambda: "In it: No QR code" in driver.details)
        loaded = driver.screen.collection.records[1]
        assert isinstance(loaded, Channel)
        items = driver.app.session.collections.of(ITEMS, loaded.id).records
        code = next(item for item in items if item.type == "qr")
        await driver.app.session.store.history.record_all({code.id: dropped()})
        driver.screen.show_known()
        await wait_until(lambda: "7 days" in driver.records[0], lambda: driver.text)
        assert re.search(r" – +– ", driver.records[1]), "there is no code in it"
        assert re.search(r" [\d,]+ +▼ \d+ % ", driver.records[2])
        assert all(record.count("?") == 1 for record in driver.records[3:]), "they were not opened"
        number = len(driver.screen.collection.records)
        await driver.wait_for(f"? {number - 2} not opened yet · enter opens one")
        assert "Description" in driver.records[0]
        await resize(driver.pilot, 80, 24)
        await wait_until(lambda: "Description" not in driver.records[0], lambda: driver.text)
        assert "7 days" in driver.records[0]
        await driver.wait_for(f"? {number - 2} not opened yet")
        assert "Description: " in driver.details


async def test_of_domains_addresses_are_whole_and_rows_tell_the_week_of_their_codes(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="domains") as driver:
        await driver.settled()
        first, second, *_ = driver.screen.collection.records
        root, broken = "https://www.museum.example/", "https://www.museum.example/lost?from=go"
        driver.screen.collection.put(first.model_copy(update={"redirectroot": root, "redirect404": broken}))
        driver.screen.collection.put(second.model_copy(update={"redirectroot": None, "redirect404": broken}))
        await driver.painted()
        assert re.search(r" www\.museum\.example +www\.museum\.example/lost\?from=go ", driver.records[1])
        assert re.search(r" – +www\.museum\.example/lost\?from=go ", driver.records[2])
        assert "7 days" not in driver.records[0], "nothing is kept of the scans of any"
        await resize(driver.pilot, 200, 50)
        screen = driver.app.screen
        assert isinstance(screen, DomainsScreen)
        names = [without_scheme(one.domain) for one in screen.collection.records]
        screen._weeks = {names[1]: CountChange(1_035, 935)}
        screen.show_columns_anew()
        await wait_until(lambda: re.search(r" 1,035 +▲ 11 % ", driver.records[2]))
        assert re.search(r" – +– ", driver.records[1])
        await resize(driver.pilot, 80, 24)
        assert driver.records[0].split() == ["Domain", "Root", "redirect", "7", "days", "Week"]
        assert not any("…" in record for record in driver.records)
        assert f"404 redirect: {broken}" in driver.details


async def test_a_channel_says_in_every_size_how_what_is_in_it_is_scanned(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(80, 24), place="channels") as driver:
        await driver.settled()
        await wait_until(lambda: "In it: enter loads them: 1 request" in driver.details)
        await driver.press("j", "enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        await driver.press("escape")
        for shape in ((80, 24), (140, 40)):
            await resize(driver.pilot, *shape)
            await wait_until(
                lambda: re.search(r"In it: \d+ QR codes  their week is not known", driver.details)
            )


async def test_a_code_that_is_scanned_no_more_says_since_when_in_its_row_and_its_details(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    dead = [replace(one, at=one.at + 4 * DAY) for one in dropped(after=0)]
    app_clock.now = SATURDAY.timestamp()
    async with run_app(demo, size=(80, 24), place="qr") as driver:
        await driver.settled()
        codes = driver.app.session.collections.of(QR).records
        code = next(one for one in codes if (one.scans or 0) > 2_000)
        driver.table.move_to_key(code.key)
        before = (code.scans or 0) - (dead[-1].scans or 0)  # so that it comes to what the list tells now
        known = [replace(one, scans=before + (one.scans or 0)) for one in dead if one.at <= SATURDAY]
        await driver.app.session.store.history.record_all({code.id: known})
        driver.screen.show_known()
        await driver.wait_for("none 3 d")
        assert "None: since Wed 18 Nov" in driver.details
