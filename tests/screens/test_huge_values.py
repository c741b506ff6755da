"""Values of megabytes: little of them is laid out, which is said; the whole is still to be had."""

import json
from datetime import UTC, datetime

import pytest
from textual.widgets import Static

from linkdash.api.inert_text import MAX_LENGTH
from linkdash.api.resources.pixels import Pixel, PixelUpdate
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.copy_choices import copies
from linkdash.model.lists.export import records_csv, records_json
from linkdash.model.writes import planned_changes
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.widgets.details import Details
from tests.conftest import RunApp

LONG = "x" * 10_000_000
TAG = "GTM-1" + "n" * 100_000
RECORD = {
    "id": 1,
    "type": "gtmpixel",
    "name": "huge",
    "tag": TAG,
    "blob": LONG,
    "numbers": list(range(10_000)),
    "members": {f"m{number}": {"password": "hunter2", "n": [number] * 20} for number in range(500)},
}
NO_RECORD = {"name": f"{'x' * 600} its end", "password": "hunter2"}
"""It has no id."""


@pytest.mark.nightly
async def test_a_record_with_huge_values_is_laid_out_in_part_and_is_whole_in_the_raw_view(
    demo: Running, run_app: RunApp
) -> None:
    data = {"result": 2, "currentpage": 1, "maxpage": 1, "pixels": [RECORD, NO_RECORD]}
    demo.service.faults.next(
        "GET", "/api/pixels", Fault(content=json.dumps({"error": 0, "data": data}).encode())
    )
    async with run_app(demo, size=(120, 40), place="pixels") as driver:
        await driver.settled()
        assert "huge" in driver.details, driver.state
        lines = driver.screen.query_one(Details).lines
        assert len(lines) <= 201, "all of them are laid out at once"
        assert sum(len(line.text) for line in lines) <= 41_000
        assert "9,900 more, in the raw view" in driver.details
        assert (
            f"{len(TAG) - MAX_LENGTH + 1:,} more characters, in the raw view, copies and exports"
            in driver.details
        )
        assert "9,990,001 more characters" in driver.details
        assert "hunter2" not in driver.details
        screen = driver.screen
        await driver.press("v")
        await driver.opened(ViewerScreen)
        viewer = driver.app.screen
        assert isinstance(viewer, ViewerScreen)
        assert "more characters: Copy all has them." in str(viewer.query_one("#page Static", Static).content)
        await driver.press("y")
        assert LONG in driver.app.clipboard
        assert "hunter2" not in driver.app.clipboard
        await driver.press("escape")
        await driver.press("j")
        assert "unreadable record: {'name': 'xxx" in driver.details
        assert screen.query_one(Details).note == "This row could not be read; v shows all of it."
        await driver.press("v")
        await driver.opened(ViewerScreen)
        await driver.press("y")
        assert NO_RECORD["name"] in driver.app.clipboard
        assert "hunter2" not in driver.app.clipboard
        record, unreadable = screen.collection.listing.rows
    assert isinstance(record, Pixel)
    assert TAG in records_csv(Pixel, (), [record])
    assert NO_RECORD["name"] in records_csv(Pixel, (), [unreadable])
    exported = records_json([record, unreadable], datetime(2026, 1, 1, tzinfo=UTC))
    assert NO_RECORD["name"] in exported
    assert TAG in exported
    assert LONG in exported
    assert "hunter2" not in exported
    assert TAG in [choice.value for choice in copies(record)]
    assert planned_changes.values_of(record, PixelUpdate)["tag"] == TAG, "what is edited is whole, too"
