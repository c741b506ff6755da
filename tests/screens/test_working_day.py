"""The requests of a working day of twenty-nine steps, step by step: none more than the least it could cost.

The service's own log counts. The least: one request for a list, a class of users or a code's statistics not
seen before, one for a missing page, one for a change, none for everything else.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from linkdash.demo.server import Running
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.statistics.compare import CompareScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.windows.save_as import SaveScreen
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.exports import choose
from tests.screens.hand import Hand
from tests.screens.statistics_driver import answered
from tests.waiting import wait_until


@dataclass(frozen=True)
class Step:
    """Something the user does, and the fewest requests it can be done with."""

    words: str
    least: int
    do: Callable[[Driver], Awaitable[None]]


def keys(*pressed: str) -> Callable[[Driver], Awaitable[None]]:
    """Press keys on a list, and wait until it has what it asked for."""

    async def do(driver: Driver) -> None:
        await driver.press(*pressed)
        await driver.settled()

    return do


async def start(driver: Driver) -> None:
    """Wait for the overview, which asks for the account."""
    await wait_until(lambda: bool(driver.running.service.log))
    await driver.pilot.pause()


async def open_items(driver: Driver) -> None:
    await driver.press("j", "enter")
    await wait_until(lambda: isinstance(driver.app.screen, ChannelItemsScreen))
    await driver.settled()


async def open_items_again(driver: Driver) -> None:
    await driver.press("escape", "enter")
    await wait_until(lambda: isinstance(driver.app.screen, ChannelItemsScreen))
    await driver.settled()


async def delete(driver: Driver) -> None:
    await driver.press("escape", "d")
    await driver.wait_for("will be unassigned")
    await driver.press("y")
    await driver.settled()


async def load_all(driver: Driver) -> None:
    await driver.press("L")
    await wait_until(lambda: not driver.screen.collection.listing.lacks_rows)
    await driver.settled()


async def open_statistics(driver: Driver) -> None:
    await driver.press("enter")
    await wait_until(lambda: isinstance(driver.app.screen, StatisticsScreen))
    await answered(driver)


async def open_statistics_again(driver: Driver) -> None:
    await driver.press("escape", "enter")
    await wait_until(lambda: isinstance(driver.app.screen, StatisticsScreen))
    screen = driver.app.screen
    assert isinstance(screen, StatisticsScreen)
    await wait_until(lambda: all(code.latest and not code.loading for code in screen.codes))


async def compare(driver: Driver) -> None:
    await driver.press("escape", "space", "space", "space", "c")
    await wait_until(lambda: isinstance(driver.app.screen, CompareScreen))
    screen = driver.app.screen
    assert isinstance(screen, CompareScreen)
    await wait_until(lambda: all(code.latest and not code.loading for code in screen.codes))


async def compare_again(driver: Driver) -> None:
    await driver.press("escape", "c")
    await wait_until(lambda: isinstance(driver.app.screen, CompareScreen))
    await driver.pilot.pause()


async def edit(driver: Driver) -> None:
    hand = Hand(driver)
    await hand.open("e")
    await hand.fill({"redirect404": "https://example.org/lost"})
    await hand.save()


async def create(driver: Driver) -> None:
    hand = Hand(driver)
    await hand.open("n")
    await hand.fill({"type": "bing", "name": "Spring", "tag": "BI-1"})
    await hand.save()


async def copy_as_json(driver: Driver) -> None:
    await driver.press("x")
    await choose(driver, PickerScreen, "Shown")
    await choose(driver, SaveScreen, "JSON to the clipboard")
    await wait_until(lambda: any("clipboard" in toast for toast in driver.toasts))


STEPS = (
    Step("open the app", 1, start),
    Step("go to the domains", 1, keys("2")),
    Step("find the museum's domain", 0, keys("slash", *"museum", "enter")),
    Step("edit its 404 redirect, which is read before it is sent", 2, edit),
    Step("take the filter away, sort by name", 0, keys("escape", "s", "s")),
    Step("go to the channels", 1, keys("6")),
    Step("open the items of one", 1, open_items),
    Step("open the same items again", 0, open_items_again),
    Step("delete that channel: how many items it has is known", 1, delete),
    Step("back to the domains", 0, keys("2")),
    Step("go to the pixels", 1, keys("7")),
    Step("turn to the next page", 1, keys("right_square_bracket")),
    Step("turn back", 0, keys("left_square_bracket")),
    Step("load all: both pages are there", 0, load_all),
    Step("create a pixel", 1, create),
    Step("go to the QR codes", 1, keys("8")),
    Step("load all 400 of them", 3, load_all),
    Step("find all posters, sort by scans", 0, keys("slash", *"poster", "enter", "s", "s", "s")),
    Step("open the statistics of one", 1, open_statistics),
    Step("open the same statistics again", 0, open_statistics_again),
    Step("compare it with two others", 2, compare),
    Step("compare them again", 0, compare_again),
    Step("look at the budget and the help", 0, keys("escape", "b", "escape", "question_mark", "escape")),
    Step("go to the users", 1, keys("0")),
    Step("look at the admins", 1, keys("c")),
    Step("look at the free users", 1, keys("c")),
    Step("look at the others", 1, keys("c")),
    Step("look at all users again, and at the admins", 0, keys("c", "c")),
    Step("export the admins as JSON", 0, copy_as_json),
)


async def test_a_working_day_costs_no_request_more_than_it_must(demo: Running, run_app: RunApp) -> None:
    spent: list[int] = []
    async with run_app(demo, size=(120, 40), place="overview") as driver:
        for step in STEPS:
            before = sum(spent)
            await step.do(driver)
            await wait_until(lambda: len(driver.asked) >= before + step.least)  # noqa: B023  waited for here
            await wait_until(lambda: not driver.app.session.gate.state.in_flight)
            await driver.pilot.pause()
            spent.append(len(driver.asked) - before)
    words, least = [step.words for step in STEPS], [step.least for step in STEPS]
    assert dict(zip(words, spent, strict=True)) == dict(zip(words, least, strict=True))
    assert not any(entry.refused or entry.invalid for entry in demo.service.log)
