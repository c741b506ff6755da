"""Lists of many records: what looks at all of them does it in steps."""

import pytest
from textual.widget import Widget

from linkdash.api.resources.users import User
from linkdash.demo.server import Running
from linkdash.model.lists.loaded_pages import AT_ONCE
from linkdash.widgets.table.record_table import RecordTable
from tests.conftest import RunApp
from tests.records import Records
from tests.waiting import wait_until


@pytest.fixture(scope="session")
def records() -> Records:
    """Return as many as the demo has."""
    return Records()


async def test_a_letter_of_a_filter_draws_no_row_before_others_are_found(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        everybody = len(driver.table.rows)
        assert everybody > AT_ONCE
        await driver.press("asterisk")
        assert len(driver.table.marks) == everybody
        assert driver.status_line.startswith("1200 selected · ")
        await driver.press("asterisk")
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
        assert all(rows is not before for rows in drawn)
