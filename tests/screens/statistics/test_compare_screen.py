"""Codes side by side, and all of them in order: the service's numbers, for the least requests."""

import json
from pathlib import Path

import pytest

from linkdash.demo.server import Running
from linkdash.model.statistics.reader import StatisticsReader
from linkdash.screens.statistics.compare import CompareScreen, Row
from linkdash.screens.statistics.screen import StatisticsScreen
from linkdash.screens.statistics.top import Row as TopRow
from linkdash.screens.statistics.top import TopScreen
from linkdash.screens.statistics.watch import WatchScreen
from linkdash.store.changes import Snapshot
from linkdash.widgets.table import RecordTable
from tests.conftest import RunApp
from tests.screens.exports import downloads_folder, files, hand_on
from tests.screens.statistics.driver import chart, panel, told
from tests.service.visitor import Clock
from tests.waiting import wait_until

WEEK = 7 * 86_400.0


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return downloads_folder(tmp_path, monkeypatch)


async def test_marked_codes_side_by_side(demo: Running, run_app: RunApp, downloads: Path) -> None:
    async with run_app(demo, size=(100, 40)) as driver:
        await driver.go("qr")
        await driver.press("space", "c")
        assert driver.toasts == ["Mark 2 to 6 codes with space to compare them; 1 are marked."]
        await driver.press("space", "space", "c")
        screen = driver.app.screen
        assert isinstance(screen, CompareScreen)
        await wait_until(lambda: all(code.answered for code in screen.statistics))
        await driver.pilot.pause()
        found = {code_id: told(demo, code_id) for code_id in screen.codes}
        assert len(found) == 3
        assert len(driver.asked) == 2 + 3 + 3
        rows = [row for row in screen.query_one(RecordTable).rows if isinstance(row, Row)]
        assert [(row.clicks, row.unique, row.scans) for row in rows] == [
            (data["clicks"], data["uniqueClicks"], details["scans"]) for details, data in found.values()
        ]
        lines = (await chart(driver, "countries")).splitlines()
        largest = max(found, key=lambda code_id: found[code_id][1]["clicks"])
        sign = [*found].index(largest) + 1
        for label, count in found[largest][1]["topCountries"].items():
            group = next(number for number, line in enumerate(lines) if line.startswith(label))
            number, part = lines[group + sign - 1].split()[-2:]
            assert number == f"{int(count):,}"
            assert part.endswith("%")
        await driver.press("c")
        assert panel(driver) == "new"
        await driver.press("t")
        assert panel(driver) == "time"
        text = await chart(driver, "time")
        assert all(f" {details['scans']:,}" in text for details, _ in found.values())
        await driver.press("v")
        await driver.wait_for("The codes in numbers")
        await driver.press("escape")
        await hand_on(driver, "Comparison (JSON) to a file")
        (path,) = files(downloads)
        handed = json.loads(path.read_text())["codes"]
        assert [(code["code"]["id"], code["scans"]) for code in handed] == [
            (row.id, row.scans) for row in rows
        ]
        assert len(driver.asked) == 2 + 3 + 3
        await driver.press("W")
        watch = driver.app.screen
        assert isinstance(watch, WatchScreen)
        assert [*watch.codes] == [*screen.codes]


async def test_top_by_scans_and_by_growth_costs_no_request(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.go("qr")
        reader = StatisticsReader(driver.app.session)
        before = {code_id: (await reader.read(code_id)).snapshot for code_id in (390, 400)}
        app_clock.step(WEEK)
        after = {code_id: (await reader.read(code_id)).snapshot for code_id in before}
        asked = len(driver.asked)
        grown = {code_id: _scans(after[code_id]) - _scans(before[code_id]) for code_id in before}
        await driver.press("t")
        top = driver.app.screen
        assert isinstance(top, TopScreen)
        await wait_until(lambda: top.growth)
        scans = [row.scans or 0 for row in top.table.rows if isinstance(row, TopRow)]
        assert scans == sorted(scans, reverse=True)
        assert len(scans) == 100
        await driver.press("s")
        rows = [row for row in top.table.rows if isinstance(row, TopRow)]
        assert [(row.id, row.grown) for row in rows[:2]] == [
            (code_id, f"{more:+,}") for code_id, more in sorted(grown.items(), key=lambda item: -item[1])
        ]
        assert {row.grown for row in rows[2:]} == {""}
        assert "100 of 400 loaded · by growth · growth in a week: known of 2" in driver.text
        assert len(driver.asked) == asked
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, StatisticsScreen))


def _scans(snapshot: Snapshot | None) -> int:
    assert snapshot is not None
    assert snapshot.scans is not None
    return snapshot.scans
