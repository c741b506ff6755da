"""A question is as wide as its longest line, or folds it: nothing has to be scrolled sideways to be read."""

from functools import partial
from itertools import product
from textwrap import wrap

from linkdash.demo.server import Running
from linkdash.model.lists.rows import MappedSequence
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.widgets.panel import Window
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.test_names_whole import EMOJI, LONG, WIDE
from tests.waiting import resize, wait_until

SIZES = ((80, 24), (140, 40), (200, 50))


def scrolled_sideways(driver: Driver) -> list[str]:
    """The widgets of which a part can only be seen by scrolling sideways."""
    widgets = driver.app.screen.query("*")
    return [str(one) for one in widgets if one.allow_horizontal_scroll and one.max_scroll_x > 0]


def _is_wide(window: Window, cells: int) -> bool:
    return window.outer_size.width == cells


def _is_laid_out(question: ConfirmScreen, size: tuple[int, int]) -> bool:
    return question._compositor.size == size


async def test_a_question_never_scrolls_sideways_and_of_very_many_looks_at_a_few(
    demo: Running, run_app: RunApp
) -> None:
    names = [LONG * 3, WIDE * 3, EMOJI * 3, "short"]
    listed = [f"delete campaign {number} ({name})" for number, name in enumerate(names * 3)]
    looked_at = set[int]()

    def named(number: int) -> str:
        looked_at.add(number)
        return f"pixel {number}"

    many = MappedSequence(named, range(100_000))
    async with run_app(demo, size=SIZES[0]) as driver:
        for typed in (None, "Type 25"):
            question = ConfirmScreen(f"Delete {WIDE}?", ["short"], "Delete", typed=typed, listed=listed)
            await driver.app.push_screen(question)
            for size in SIZES:
                await driver.pilot.resize_terminal(*size)
                await wait_until(partial(_is_laid_out, question, size))
                await driver.painted()
                assert scrolled_sideways(driver) == [], size
                assert "short" in driver.text
                assert ("Delete y" if typed is None else "Delete enter") in driver.text, driver.text
            await driver.press("escape")

        await driver.app.push_screen(ConfirmScreen("Delete 100,000 pixels?", [], "Delete", listed=many))
        await driver.wait_for("100,000 in all")
        await resize(driver.pilot, *SIZES[1])
        assert len(looked_at) < 100


async def test_whatever_it_says_its_answers_are_in_sight(demo: Running, run_app: RunApp) -> None:
    name, lines = "Riverside Clinic · Trade fair stand " * 4, [f"Line {number} of it." for number in range(9)]
    listed = [f"pixel {number} of the list" for number in range(12)]
    async with run_app(demo) as driver:
        await driver.settled()
        for size, typed in product([(60, 15), (80, 24)], [None, "12"]):
            await resize(driver.pilot, *size)
            driver.app.push_screen(
                ConfirmScreen(f"Delete {name}?", lines, "Delete", typed=typed, listed=listed, is_danger=True)
            )
            await driver.wait_for("Cancel esc")
            seen = ["Delete enter", "Type 12 to continue:"] if typed else ["Delete y"]
            assert all(words in driver.text for words in [*seen, "Line 0 of it.", "down scrolls"])
            await driver.press(*["tab"] * bool(typed), *["down"] * 24)
            await driver.wait_for("pixel 11 of the list")
            assert "Line 8 of it." in driver.text, "all of it was scrolled by, and the end is seen"
            await driver.press("escape")


async def test_a_new_value_is_in_sight_whatever_it_stands_beside(demo: Running, run_app: RunApp) -> None:
    name = "Kita Sonnenblume season tickets"
    listed = [line for id in (7, 8) for line in (f"{name} ({id})", f"  Name: {name} → ABC {id}")]
    async with run_app(demo, size=SIZES[0]) as driver:
        for size in SIZES:
            await driver.pilot.resize_terminal(*size)
            question = ConfirmScreen("Edit 2 pixels?", [], "Start", listed=listed)
            await driver.app.push_screen(question)
            await wait_until(partial(_is_laid_out, question, size))
            await driver.painted()
            assert all(f"→ ABC {id}" in driver.text for id in (7, 8)), driver.text
            await driver.press("escape")


async def test_a_page_is_as_wide_as_its_longest_line_unless_it_is_wrapped(
    demo: Running, run_app: RunApp
) -> None:
    def wrapped(width: int | None) -> str:
        return "\n".join(wrap("a few words " * 20, width or 1_000))

    def short(width: int | None) -> str:
        return "x" * 70

    async with run_app(demo, size=(140, 40)) as driver:
        await driver.settled()
        for text, cells in (
            (f"short\n{'x' * 40}", 60),
            (f"short\n{'x' * 90}", 97),
            ("x" * 400, 120),
            (short, 77),
            (wrapped, 120),
        ):
            driver.app.push_screen(ViewerScreen("Page", text))
            await driver.opened(ViewerScreen)
            await wait_until(
                partial(_is_wide, driver.app.screen.query_one(Window), cells), lambda: driver.text
            )
            await driver.press("escape")
