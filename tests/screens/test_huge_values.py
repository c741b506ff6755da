"""Values of megabytes: little of them is laid out, which is said; the whole is still to be had."""

import json

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.screens.windows import ViewerScreen
from linkdash.widgets.details import Details
from tests.conftest import RunApp

LONG = "x" * 1_000_000
RECORD = {
    "id": 1,
    "type": "gtmpixel",
    "name": "huge",
    "tag": "GTM-1",
    "blob": LONG,
    "numbers": list(range(10_000)),
    "members": {f"m{number}": {"password": "hunter2", "n": [number] * 20} for number in range(500)},
}


async def test_a_record_with_huge_values_is_laid_out_in_part_and_is_whole_in_the_raw_view(
    demo: Running, run_app: RunApp
) -> None:
    data = {"result": 1, "currentpage": 1, "maxpage": 1, "pixels": [RECORD]}
    demo.service.faults.next(
        "GET", "/api/pixels", Fault(content=json.dumps({"error": 0, "data": data}).encode())
    )
    async with run_app(demo, size=(120, 40)) as driver:
        await driver.go("pixels")
        assert "huge" in driver.details, driver.state
        lines = driver.screen.query_one(Details).lines
        assert len(lines) <= 201, "all of them are laid out at once"
        assert sum(len(line.text) for line in lines) <= 41_000
        assert "9,900 more, in the raw view" in driver.details
        assert "hunter2" not in driver.details
        await driver.press("v")
        viewer = driver.app.screen
        assert isinstance(viewer, ViewerScreen)
        assert "more characters: Copy all has them." in str(viewer._drawn)
        assert LONG in viewer._text.plain
        assert "hunter2" not in viewer._text.plain
