"""Lines that say something else as time goes by look every second, and rest while they are out of sight."""

from linkdash.demo import DemoSettings
from linkdash.screens.host_screen import HostScreen
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece
from tests.conftest import RunApp, StartDemo
from tests.screens.driver import Driver
from tests.waiting import wait_until


class Clock(DrawnLines):
    """Lines that count how often they looked."""

    ticks = True

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def lines(self, width: int, height: int) -> Lines:
        self.looks += 1
        return [[Piece("now")]]

    async def looks_again(self) -> None:
        before = self.looks
        await wait_until(lambda: self.looks > before)


async def clock_on(driver: Driver) -> Clock:
    """Mount a clock on the screen that is shown."""
    clock = Clock()
    assert isinstance(driver.app.screen, HostScreen)
    await driver.app.screen.query_one("#middle").mount(clock)
    await clock.looks_again()
    return clock


async def test_lines_rest_while_another_screen_hides_them(start_demo: StartDemo, run_app: RunApp) -> None:
    async with run_app(start_demo(DemoSettings())) as driver:
        await driver.go("domains")
        hidden = await clock_on(driver)
        await driver.go("pixels")
        seen = await clock_on(driver)
        looks = hidden.looks
        await driver.press(":")
        assert driver.app.screen.is_modal
        await seen.looks_again()  # a window lets it be seen
        await seen.looks_again()
        assert hidden.looks == looks
        await driver.press("escape")
        await driver.press(driver.key("domains"))
        await wait_until(lambda: driver.app.current_mode == "domains")
        assert hidden.looks > looks, "at once, when it is seen again"


async def test_the_time_goes_by_also_below_two_windows(start_demo: StartDemo, run_app: RunApp) -> None:
    async with run_app(start_demo(DemoSettings())) as driver:
        await driver.go("pixels")
        await driver.settled()
        await driver.press("?", "f2")
        await wait_until(lambda: len(driver.app.screen_stack) == 3)
        await driver.wait_for("full in ")
        before = driver.lines[-2]
        await wait_until(lambda: driver.lines[-2] != before)
        assert "full in " in driver.lines[-2]
