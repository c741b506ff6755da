"""Lists of many records: no key takes a look at all of them, and what must do so does it in steps."""

from collections.abc import Iterator

import pytest
from textual.widget import Widget

from linkdash.api.paging import Rows
from linkdash.api.resources.users import User
from linkdash.demo.server import Running
from linkdash.model.lists.loaded_pages import AT_ONCE
from linkdash.screens.lists.list_needs import TARGETS
from linkdash.widgets.table.record_table import RecordTable
from tests.conftest import RunApp
from tests.waiting import wait_until

A_FEW = 300
"""Looks at rows that painting a screen may take."""


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A place for every look at a row."""
    found: list[int] = []
    one, every = Rows.__getitem__, Rows.__iter__

    def getitem(rows: Rows[User], index: int) -> object:
        found.append(index)
        return one(rows, index)

    def iterate(rows: Rows[User]) -> Iterator[object]:
        for index, row in enumerate(every(rows)):
            found.append(index)
            yield row

    monkeypatch.setattr(Rows, "__getitem__", getitem)
    monkeypatch.setattr(Rows, "__iter__", iterate)
    return found


async def test_no_key_looks_at_all_records_and_a_letter_of_a_filter_draws_no_row_before_others_are_found(
    demo: Running, run_app: RunApp, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        everybody = len(driver.table.rows)
        assert everybody > AT_ONCE
        await driver.press("space")
        looks.clear()
        assert len(driver.screen.targets) == 1
        assert len(looks) <= 1, "who was never on the screen is not read for the one that is selected"
        await driver.press("asterisk")
        await wait_until(lambda: len(driver.table.marks) == everybody)
        for key in ("j", "space", "k", "space", "end", "home"):
            looks.clear()
            await driver.press(key)
            assert len(looks) <= A_FEW, key
        looks.clear()
        await driver.a_second_later()
        assert len(looks) <= A_FEW
        assert driver.status_line.startswith("1200 selected · ")
        await driver.press("asterisk")
        await wait_until(lambda: not driver.table.marks)
        driver.screen.selecting.toggle_all()
        assert TARGETS.why_not(driver.screen) == "Still selecting; esc stops it."
        driver.screen.do_back()
        assert TARGETS.why_not(driver.screen) is None
        assert not driver.table.marks
        assert len(driver.screen.targets) == 1
        await driver.press("slash")
        drawn: list[Widget] = []
        refresh = RecordTable.refresh

        def note(table: RecordTable[User], **how: bool) -> RecordTable[User]:
            drawn.append(table)
            return refresh(table, **how)

        monkeypatch.setattr(RecordTable, "refresh", note)
        driver.screen.collection.filter("a")
        assert driver.screen.collection.listing.work is not None
        assert not drawn
        await wait_until(lambda: drawn)
        assert driver.screen.collection.listing.work is None


async def test_to_ask_again_draws_no_row_before_others_have_come(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        drawn: list[object] = []
        arrange = RecordTable._arrange

        def note(table: RecordTable[User]) -> None:
            drawn.append(table.rows)
            arrange(table)

        monkeypatch.setattr(RecordTable, "_arrange", note)
        before = driver.table.rows
        await driver.refresh()
        assert drawn
        assert before not in drawn
