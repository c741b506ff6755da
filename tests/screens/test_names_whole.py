"""In every list, at every width: whole names, what all rows share said once, details in their room."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest
from rich.cells import cell_len

from linkdash.api.records import Unreadable
from linkdash.demo.server import Running
from linkdash.model.lists.columns import GAP, LONGEST_NAME, alike, total_width
from linkdash.model.resources import PLACES
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.widgets.table.cell_text import without_scheme
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.waiting import resize

LISTS = [place.id for place in PLACES if place.id != "account"]
SIZES = ((80, 24), (100, 30), (140, 40), (200, 50))
LONG = ("spring-and-summer-" * 4)[:64]
WIDE = "東京ポップアップ夏の大きな展示会と音楽の夕べ、入場無料・雨天決行"
EMOJI = "Summer party \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f \U0001f389 " * 3
NAMES = ("", LONG, WIDE, EMOJI)


@pytest.mark.nightly
async def test_every_list_at_every_width(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=SIZES[-1], place="domains") as driver:
        for place in LISTS:
            await driver.go(place)
            rows = [row for row in driver.table.rows if not isinstance(row, Unreadable)]
            assert alike(driver.table.columns, rows) == [], "no column says the same in every row"
            for size in SIZES:
                await resize(driver.pilot, *size)
                _look_for_unused_room(driver, place)
                for name in NAMES:
                    with _renamed(driver, name):
                        await driver.painted()
                        _look_at_the_name(driver, place)


@pytest.mark.nightly
async def test_items_of_a_channel_have_whole_names_at_every_width(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=SIZES[-1], place="channels") as driver:
        await driver.settled()
        driver.table.move_to_key(29)
        await driver.press("enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        for size in SIZES:
            await resize(driver.pilot, *size)
            _look_for_unused_room(driver, "items")
            for name in NAMES:
                with _renamed(driver, name):
                    await driver.painted()
                    _look_at_the_name(driver, "items")


async def test_what_all_rows_share_is_said_in_the_frame_and_a_fresh_sort_shows_its_top(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="overlays") as driver:
        await driver.settled()
        for record in driver.screen.collection.records:
            driver.screen.collection.put(record.model_copy(update={"type": "poll"}))
        await driver.painted()
        assert "Type" not in driver.records[0]
        assert driver.status_line.endswith("type: poll")
        first = driver.screen.collection.records[0]
        driver.screen.collection.put(first.model_copy(update={"type": "contact"}))
        await driver.painted()
        assert "Type" in driver.records[0]
        assert "type: " not in driver.status_line
        await driver.go("domains")
        assert not any("://" in line for line in driver.records)
        assert driver.status_line.endswith("· ! 2 of 12 http"), "the sign of the rows is told"
        signed = [line.partition("!")[2].split()[0] for line in driver.records if "!" in line]
        assert signed == ["get.riverside-clinic.example", "get.green-market.example"]
        assert "http://get.riverside-clinic.example  http, not encrypted" in driver.text
        await driver.press("n")
        assert "New domain" in driver.text
        assert "http, not encrypted" not in driver.text, "that is said of the record, not of a new one"
        await driver.press("escape")
        await driver.go("pixels")
        await driver.press("G", "s")
        assert driver.table.cursor == 0
        await driver.press("G", "S")
        assert driver.table.cursor == 0
        await driver.press("j", "j")
        key = driver.table.cursor_key
        driver.screen.collection.put(driver.screen.collection.records[-1])
        await driver.painted()
        assert driver.table.cursor_key == key, "the cursor stays where only the records changed"


async def test_no_column_goes_as_the_terminal_grows(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        shown = []
        for width in (60, 80, 99, 100, 112, 140, 200):
            await resize(driver.pilot, width, 40)
            table = driver.table
            shown.append((width, {column.name for column in table.columns} - table.without_room))
        gone = {wide: less - more for (_, less), (wide, more) in pairwise(shown) if less - more}
        gone.pop(100, None)  # the sidebar comes
        assert gone == {}, shown


def _look_for_unused_room(driver: Driver, place: str) -> None:
    """The first column left out does not fit, and none has more than it needs where another is cut.

    The others are left out with it: a column that is there goes in no wider terminal.
    """
    table = driver.table
    asked = {column.name: max(cell_len(column.title), table._needs[column.name]) for column in table.columns}
    spare = table.room - total_width(table._widths) - GAP
    shown = {column.name: cells for column, cells in table._widths}
    left_out = [name for name in asked if name not in shown]
    assert all(asked[name] > spare for name in left_out[:1]), (place, driver.app.size, spare)
    if any(cells < table._needs[name] for name, cells in shown.items()):
        assert [name for name, cells in shown.items() if cells > asked[name]] == [], (place, driver.app.size)


@contextmanager
def _renamed(driver: Driver, name: str) -> Iterator[None]:
    """Give the second record another name, here alone, if any is given, until the block ends."""
    collection = driver.screen.collection
    record = collection.records[1]
    if name:
        renamed = type(record).read({**record.raw, collection.resource.name_field: name}, safe_text=True)
        assert not isinstance(renamed, Unreadable)
        collection.put(renamed)
    yield
    collection.put(record)


def _look_at_the_name(driver: Driver, place: str) -> None:
    """The names are whole, or nothing that could go stands beside so many cells of them."""
    table = driver.table
    name = driver.screen.resource.name_field
    widths = {column.name: (column, cells) for column, cells in table._widths}
    _, cells = widths[name]
    rows = [row for row in table.rows if not isinstance(row, Unreadable)]
    longest = max(cell_len(without_scheme(str(getattr(row, name)))) for row in rows)
    if cells < min(longest, LONGEST_NAME):
        others = [column for column, _ in widths.values() if column.name != name]
        assert all(column.essential for column in others), (place, driver.app.size, cells, longest)
