"""Columns, order by several of them, views and the filters typed before, as the user uses them."""

from itertools import groupby

import pytest
from textual.widgets import Static

from linkdash.api.resources.pixels import Pixel
from linkdash.demo.server import Running
from linkdash.model.declaration import declaration
from linkdash.model.lists.order import natural_key
from linkdash.screens.lists.columns import ColumnsScreen
from linkdash.screens.lists.views import ViewsScreen
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.widgets.filter_line import FilterHelp, FilterInput
from linkdash.widgets.menu import LineMenu
from tests.conftest import RunApp
from tests.screens.driver import Driver, shown
from tests.waiting import resize, wait_until


async def asked_by(driver: Driver, key: str, screen: type) -> None:
    await driver.press(key)
    await wait_until(lambda: isinstance(driver.app.screen, screen))
    await driver.pilot.pause()


async def back(driver: Driver) -> None:
    await wait_until(lambda: driver.app.screen is driver.app.screen_stack[0])
    await driver.pilot.pause()


async def test_columns_are_hidden_moved_and_shown_and_stay_so_in_the_next_run(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        assert driver.records[0].split()[:2] == ["Username", "Class"]
        await asked_by(driver, "C", ColumnsScreen)
        await driver.press(
            "j", "space", "k", "J", "J", "G", *["j"] * 9, *["k"] * 3, "space", *["K"] * 5, "enter"
        )
        await back(driver)
        header = driver.records[0]
        await driver.press("escape")
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        assert driver.records[0] == header
        words = header.split()
        assert "Class" not in words
        assert "Registered" in words
        assert words.index("Plan") < words.index("Username")
        await asked_by(driver, "C", ColumnsScreen)
        await driver.press("R", "enter")
        await back(driver)
        assert driver.records[0].split()[:2] == ["Username", "Class"]


async def test_a_column_that_is_shown_where_there_is_room_says_that_there_is_none(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        await asked_by(driver, "C", ColumnsScreen)
        told = [line for line in driver.lines if "no room" in line]
        assert told
        assert all("✓" in line for line in told)
        assert driver.lines[-1].split()[-7:] == ["show", "s", "Sort", "J/K", "Move", "R", "Reset"]
        await driver.press("w")
        assert "always: also where room is scarce" in driver.text
        await resize(driver.pilot, 200, 40)
        await driver.painted()
        assert "no room" not in driver.text, "there is room now"


async def test_rows_are_sorted_by_several_columns(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(120, 24), place="pixels") as driver:
        await driver.settled()
        await asked_by(driver, "C", ColumnsScreen)
        await driver.press("j", "s", "k", "s", "s")
        assert "rows by Type, Name" in driver.text
        await driver.press("enter")
        await back(driver)
        rows = [row for row in driver.table.rows if isinstance(row, Pixel)]
        groups = [[pixel.name for pixel in group] for _, group in groupby(rows, lambda pixel: pixel.type)]
        assert len(groups) == len({pixel.type for pixel in rows}) < len(rows)
        assert all(names == sorted(names, key=natural_key, reverse=True) for names in groups)
        assert "▴, Name ▾" in driver.text


async def test_a_view_belongs_to_its_list_and_comes_back_as_do_filters_typed_before(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await driver.press("slash", *"mus", "enter", "s")
        seen = driver.records
        await asked_by(driver, "F", ViewsScreen)
        await driver.press("n", *"Museum", "enter")
        await driver.wait_for("Saved the view Museum")
        await driver.wait_for("Domains  view Museum")
        await driver.press("escape", "s")
        assert "Domains  view Museum" not in driver.text, "something else is shown"
        await driver.press("slash", "ctrl+u", *"go.", "enter")
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        assert driver.records != seen
        await driver.press("slash")
        line = driver.app.screen.query_one(FilterInput)
        await wait_until(lambda: line.history)
        await driver.press("l", "up")
        assert line.value == "go."
        await driver.press("up", "up")
        assert (line.value, len(driver.table.rows)) == ("mus", 1)
        await driver.press("down", "down")
        assert line.value == "l", "what was begun is the newest of them"
        await driver.press("escape")
        await asked_by(driver, "F", ViewsScreen)
        await driver.press("G")
        await wait_until(lambda: "Museum" in driver.text)
        told = " ".join(driver.text.split())
        assert all(one in told for one in ("Filter mus", "Order Domain ▴", "Columns those of the list"))
        await driver.press("enter")
        await back(driver)
        assert driver.records == seen
        assert "Domains  view Museum" in driver.text
        await driver.go("overlays")
        await asked_by(driver, "F", ViewsScreen)
        assert not driver.app.screen.query_one(LineMenu).display, "there is nothing to choose"
        await driver.press("escape")
        await driver.go("domains")
        await asked_by(driver, "F", ViewsScreen)
        assert "d Delete" not in driver.lines[-1], "a finding stays"
        await driver.press("G")
        await asked_by(driver, "d", ConfirmScreen)
        await driver.press("y")
        await driver.opened(ViewsScreen)
        findings = len(declaration("domains").findings)
        menu = driver.app.screen.query_one(LineMenu)
        await wait_until(lambda: len(menu.entries) == findings)


async def test_what_could_be_kept_as_a_view_shows_the_key_for_that(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        assert "F Views" not in driver.lines[-1]
        await driver.press("slash", *"mus", "enter")
        await driver.wait_for(" F Views ")
        await asked_by(driver, "F", ViewsScreen)
        await driver.press("n", *"Museum", "enter")
        await driver.wait_for("Domains  view Museum")
        driver.close_message()
        await driver.wait_for("esc Clear filter")
        assert "F Views" not in driver.lines[-1], "it is one"


def test_a_long_example_does_not_move_its_meaning() -> None:
    help = FilterHelp()
    help.show([("velo", "in any text"), ("link:example.org/spring-sale", "link")])
    short, long = ("".join(piece.text for piece in line) for line in help.lines(37, 2))
    assert short.index("in any text") == long.index(" link ") + 1


def test_no_meaning_of_an_example_is_cut_where_the_examples_are_short() -> None:
    help = FilterHelp()
    help.show(
        [
            ("velo", "in any text"),
            ("week<-30", "fell by more than 30 %"),
            ("age>90d", "longer than 90 days"),
            ("link:lnk.example", "link"),
            ("date>-1w", "last week; h d w m y"),
        ]
    )
    lines = ["".join(piece.text for piece in line) for line in help.lines(78, 3)]
    assert lines[1].startswith("week<-30 fell by more than 30 %  ")
    assert lines[2].startswith("age>90d  longer than 90 days")
    assert lines[1].rstrip().endswith("date>-1w         last week; h d w m y")


async def test_a_window_over_a_list_and_the_help_beside_the_filter_say_what_can_be_typed_there(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        for key, own in (
            ("C", "R Reset"),
            ("F", "n Save what is shown"),
            (":", "tab Next group"),
            ("?", "f2 Guide"),
        ):
            await driver.press(key)
            await driver.wait_for(own)
            assert own in driver.lines[-1]
            assert "Filter" not in driver.lines[-1], "the list has no keys now"
            await driver.press("escape")

        await driver.press("slash")
        words = shown(driver.app.screen.query_one(FilterHelp))
        assert "velo in any text" in words
        assert "scans>" in words
        assert "date>-1w" in words
        await driver.press(*"velo nam:x sc:")
        error = driver.app.screen.query_one("#filter-error", Static)
        assert shown(error).startswith("↑ scans: needs a value")
        assert driver.text.count("needs a value") == 1, "it stands below what was typed alone"
        assert driver.lines[error.region.y].index("↑") == error.region.x + 1 + len("velo nam:x ")
        await driver.press("escape")
        assert not driver.app.screen.query_one(FilterHelp).display
        assert driver.app.screen.query_one("#details").display

        await driver.press("slash", *"nobody")
        await driver.wait_for('No loaded QR code matches "nobody".')
        assert '"velo …" exact words' in driver.text, "it is wanted most where nothing is found"
        await driver.press("escape")

        before = "museum " * 8
        await driver.press("slash", *f"{before}scans:")
        error = driver.app.screen.query_one("#filter-error", Static)
        assert shown(error) == 'scans: needs a value: scans:"" finds what is empty ↑'
        assert driver.lines[error.region.y].index("↑") == error.region.x + 1 + len(before)


async def test_a_view_of_a_run_that_keeps_nothing_is_said_to_last_as_long(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains", keeps_state=False) as driver:
        await driver.settled()
        await asked_by(driver, "F", ViewsScreen)
        assert "kept until the demo ends" in driver.text
        await driver.press("n", *"All")
        assert "⏎ Save" in driver.lines[-1]
        await driver.wait_for("⏎ saves what is shown now under this name.")
        await driver.press("escape")
        await driver.press("n", *"All")
        await driver.press("enter")
        await driver.wait_for("Saved All until the demo ends")
        assert "The demo keeps nothing." in driver.toasts[-1]
        await asked_by(driver, "F", ViewsScreen)
        await driver.press("G")
        assert {"⏎ Open", "r Rename", "d Delete"} <= {*driver.lines[-1].strip().split("  ")}
        await driver.press("r", "end", *" of it", "enter")
        await driver.opened(ViewsScreen)
        await driver.wait_for("All of it")
        await driver.press("G", "enter")
        await driver.wait_for("Domains  view All of it")


async def test_users_are_filtered_by_the_plan_that_the_list_shows(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40), place="users") as driver:
        await driver.settled()
        await driver.press("9")
        await driver.wait_for("Starter")
        await driver.press("0")
        await driver.settled()
        await driver.press("slash", *"plan:start")
        told = shown(driver.app.screen.query_one(FilterHelp))
        assert all(part in told for part in ("plan:starter by name", "class:pro class", "registered>-1w"))
        await driver.wait_for('filter "plan:start": 155 of 240 loaded')


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_a_description_that_is_cut_takes_no_room_from_other_columns(
    demo: Running, run_app: RunApp, size: tuple[int, int]
) -> None:
    async with run_app(demo, size=size, place="channels") as driver:
        await driver.settled()
        assert not driver.table.without_room
        assert "Description" in driver.text
