"""Usual questions: answered in at most four keys from the start; a name that is typed is one."""

import re

import pytest

from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.users import User
from linkdash.demo.server import Running
from linkdash.screens.insight.overview import OverviewScreen
from linkdash.screens.journal import JournalScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.test_overview import keep_scans
from tests.waiting import wait_until

pytestmark = pytest.mark.nightly  # it walks through the whole program

MOST = 4


class Asking:
    """The count of the keys of a user who begins at the overview."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.keys = 0

    async def press(self, *keys: str) -> None:
        """Press keys, each of which counts."""
        for key in keys:
            self.keys += 1
            await self.driver.press(key)

    async def type(self, name: str) -> None:
        """Type a name, which counts once."""
        self.keys += 1
        await self.driver.press(*name)

    @property
    def answer(self) -> str:
        """Return what is on the screen, where that took no more keys than it may."""
        assert self.keys <= MOST, f"{self.keys} keys"
        return self.driver.text


async def started(driver: Driver) -> Asking:
    await driver.wait_for("dmitri.gruber")
    assert isinstance(driver.app.screen, OverviewScreen)
    return Asking(driver)


async def test_did_the_code_that_fell_most_drop_since_last_week_and_where(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="overview") as driver:
        asking = await started(driver)
        await keep_scans(driver, 7, 40, 10)
        await driver.press("r")
        await driver.wait_for("1 code fell sharply")
        lines = driver.lines
        above = next(index for index, line in enumerate(lines) if "1 code fell sharply" in line) - 3
        await asking.press(*["down"] * above, "enter")
        await driver.opened(StatisticsScreen)
        await driver.wait_for("in the 7 before: ▼ 75 %")
        assert "Countries" in asking.answer


async def test_did_a_code_drop_that_is_asked_for_by_name(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="overview") as driver:
        asking = await started(driver)
        await keep_scans(driver, 400, 40, 10)
        await asking.press("8")
        await driver.settled()
        await driver.wait_for("▼ 75 %")
        name = driver.screen.resource.name_of(driver.screen.collection.records[0])
        assert name in asking.answer, "in the list itself: one key"
        await asking.press("enter")
        await driver.opened(StatisticsScreen)
        await driver.wait_for("in the 7 before: ▼ 75 %")
        await driver.wait_for("Countries")
        assert asking.keys == 2
    async with run_app(demo, place="overview") as driver:
        asking = await started(driver)
        await asking.press("8", "/")
        await driver.wait_for(name)
        await asking.type("velo")
        await wait_until(lambda: "filter" in driver.text and "City Museum" not in driver.text)
        await driver.wait_for("▼ 75 %")
        assert name in asking.answer
    async with run_app(demo, place="overview") as driver:
        asking = await started(driver)
        await asking.press("colon")
        await driver.wait_for("Find anything")
        await asking.type("400")
        await driver.wait_for(name)
        await asking.press("enter")
        await wait_until(lambda: driver.app.current_mode == "qr" and driver.table.cursor_key == 400)
        await asking.press("enter")
        await driver.opened(StatisticsScreen)
        await driver.wait_for("in the 7 before: ▼ 75 %")
        await driver.wait_for("Countries")
        assert asking.answer, "also where it fell"


async def test_who_expires_this_month_and_is_still_pro(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="overview", size=(140, 40)) as driver:
        asking = await started(driver)
        await asking.press("colon")
        await driver.wait_for("Find anything")
        await asking.type("within 30")
        await driver.wait_for("expires within 30 days")
        await asking.press("enter")
        await driver.wait_for("view expires within 30 days")
        first = driver.screen.row
        assert isinstance(first, User)
        assert first.username in asking.answer
        assert first.status in asking.answer, "beside each user, or once where it is so of all"


async def test_which_plan_allows_50_000_clicks(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="overview") as driver:
        asking = await started(driver)
        await asking.press("9")
        await driver.wait_for("Clicks")
        names = next(line for line in asking.answer.splitlines() if "Starter" in line).split()
        clicks = re.findall(r"[\d,]+", next(line for line in asking.answer.splitlines() if "Clicks" in line))
        assert dict(zip(names[-4:], clicks, strict=True))["Pro"] == "50,000"


async def test_what_did_i_change_today_and_did_it_work(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        row = driver.screen.row
        assert isinstance(row, Pixel)
        await driver.press("d")
        await driver.wait_for("Delete")
        await driver.press("y")
        await wait_until(lambda: any("delete pixel" in told for told in driver.toasts))
        await driver.press("h")
    async with run_app(demo, place="overview", size=(140, 40)) as driver:
        asking = await started(driver)
        await driver.wait_for("✓ delete pixel Kita Sonnenblume")
        assert asking.keys == 0, "already where it opens"
        await asking.press("w")
        await driver.opened(JournalScreen)
        await driver.wait_for("1 change")
        assert re.search(rf"✓ +delete pixel +{re.escape(row.name)}", asking.answer)


async def test_how_many_requests_are_left_and_who_spent_them(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="overview") as driver:
        asking = await started(driver)
        await driver.wait_for(" of 1000 left")
        assert asking.keys == 0
        await asking.press("b")
        await driver.wait_for("GET /account")
        assert " of 1000 left" in asking.answer
        reading = next(line for line in asking.answer.splitlines() if "■ what you open" in line)
        assert "1" in reading.split("you open")[1].split()
