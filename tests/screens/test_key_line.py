"""The key line of the screens, at the sizes that terminals have."""

from linkdash.demo.server import Running
from tests.conftest import RunApp
from tests.waiting import resize

SIZES = ((80, 24), (100, 30), (140, 40), (200, 50))


async def test_what_a_selection_makes_possible_comes_first_and_the_way_back_is_told_at_every_size(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("space", "space", "space")
        for size in SIZES:
            await resize(driver.pilot, *size)
            await driver.wait_for("esc Deselect")
            line = driver.lines[-1]
            assert line.startswith(" c Compare  W Watch live 3  + Sum  e Edit 3  d Delete 3  "), size
            assert line.endswith("? Help "), size
        await driver.press("escape")
        await driver.wait_for("⏎ Open")
        assert "esc" not in driver.lines[-1], "there is nothing to go back from"
        await driver.press("enter")
        for size in SIZES:
            await resize(driver.pilot, *size)
            await driver.wait_for("esc Back")
            told = driver.lines[-1].split("  ")
            assert {"esc Back", "x Export", "Q Code"} <= {part.strip() for part in told}, size
            assert driver.lines[-1].endswith(" ? Help "), size


async def test_a_line_with_room_is_filled_with_what_else_can_be_done(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.press("h")
        await driver.wait_for("x Export")
        assert "R Recent" in driver.lines[-1]
        assert max(map(len, driver.lines[-1].strip().split("  "))) < 20
        for width, height in SIZES:
            await resize(driver.pilot, width, height)
            await driver.painted()
            assert driver.lines[-1].endswith(" ? Help ")


async def test_suspending_fills_no_line(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(200, 50), place="pixels") as driver:
        await driver.settled()
        for key, told in (("h", "q Quit"), ("7", "q Quit"), ("n", "ctrl+s Save")):
            await driver.press(key)
            await driver.wait_for(told)
            assert "Suspend" not in driver.lines[-1]
