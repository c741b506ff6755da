"""Codes side by side, and all of them in order: the service's numbers, for the least requests."""

import asyncio
import json
from pathlib import Path

import pytest

from linkdash.api.budget.lanes import Lane
from linkdash.api.resources.qr import QrCode
from linkdash.demo.server import Running
from linkdash.model.humanize import share
from linkdash.model.statistics.charts import PANEL_TITLES
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader
from linkdash.screens.statistics.compare import CompareScreen
from linkdash.screens.statistics.watch import WatchScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.widgets.charts.chart import Chart
from tests.conftest import RunApp
from tests.screens.exports import choose, downloads_folder, export, files
from tests.screens.statistics_driver import chart, told
from tests.service.visitor import Clock
from tests.waiting import resize, wait_until

WEEK = 7 * 86_400.0


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return downloads_folder(tmp_path, monkeypatch)


@pytest.mark.nightly
async def test_marked_codes_side_by_side(demo: Running, run_app: RunApp, downloads: Path) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        await driver.press("space", "c")
        assert driver.toasts == ["Select 2 to 6 codes with space to compare them; 1 are selected."]
        await driver.press("space", "space", "c")
        screen = driver.app.screen
        assert isinstance(screen, CompareScreen)
        await wait_until(lambda: all(code.answered for code in screen.codes))
        await driver.pilot.pause()
        found = {code.code.id: told(demo, code.code.id) for code in screen.codes}
        assert len(found) == 3
        assert len(driver.asked) == 1 + 3 + 3
        gate = driver.app.session.client.gate
        lanes = {entry.lane for entry in gate.ledger.entries(0.0) if "/api/qr/" in entry.label}
        assert lanes == {Lane.TASK}
        said = "last 7 days · breakdowns: all time, ● ■ ◆ lack readings · share of clicks"
        assert driver.text.count(said) == 1, "the history of none reaches over the period"
        assert driver.text.count("highest first") == driver.text.count("bold: 15 points apart") == 1
        assert [sign for sign in "●■◆" if f"{sign} " in driver.text] == ["●", "■", "◆"]
        row = (await chart(driver, "countries")).splitlines()[0]
        label = row.split(" ●")[0].strip()
        shares = [share_of(data["topCountries"], label) for _, data in found.values()]
        assert row.replace(label, "", 1).replace("━", "").split()[1::2] == shares
        await driver.press("m")
        counts = [data["topCountries"].get(label, "0") for _, data in found.values()]
        text = await chart(driver, "countries")
        row = next(line for line in text.splitlines() if line.startswith(label))
        first, *others = row.replace(label, "", 1).replace("━", "").replace(",", "").split()[1::2]
        assert first in (counts[0], f"{int(counts[0]) / 1000:.1f}k")
        assert others == counts[1:]
        await driver.press("m")
        assert "last 7 days · breakdowns: no comparison before " in driver.text
        assert (await chart(driver, "countries")).startswith("no comparison yet")
        await driver.press("m", "T")
        assert "Scans  in all, by hour" in driver.text
        await driver.press("v")
        await driver.wait_for("The codes in numbers")
        await driver.press("escape")
        await export(driver, "Statistics", "JSON to a file")
        exported = json.loads(files(downloads)[0].read_text())["codes"]
        assert [(code["code"]["id"], code["scans"]) for code in exported] == [
            (code_id, details["scans"]) for code_id, (details, _) in found.items()
        ]
        await export(driver, "Report", "HTML to a file")
        page = next(path for path in files(downloads) if path.suffix == ".html")
        assert page.read_text().count(">Countries, by clicks<") == len(found)
        assert len(driver.asked) == 1 + 3 + 3
        await driver.press("escape", "c")
        again = driver.app.screen
        assert isinstance(again, CompareScreen)
        await wait_until(lambda: all(code.recalled and not code.loading for code in again.codes))
        assert len(driver.asked) == 1 + 3 + 3  # read a moment ago


async def test_nothing_is_said_of_statistics_before_the_first_picture_is_drawn(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def still_drawing(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Chart, "_draw_beside", still_drawing)
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        await driver.press("space", "space", "c")
        await driver.wait_for("Loading…")
        screen = driver.app.screen
        assert isinstance(screen, CompareScreen)
        await driver.press("n")
        assert driver.toasts[-1].startswith("n works in lists: New 8 goes to the list, ? shows ")
        await wait_until(lambda: all(code.answered for code in screen.codes))
        await driver.painted()
        assert "no statistics" not in driver.text


async def test_a_panel_alone_is_in_sight_as_a_whole_in_a_narrow_terminal(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(80, 24), place="qr") as driver:
        await driver.settled()
        await driver.press("space", "space", "c")
        await driver.painted()
        comparison = driver.app.screen.query_one("#comparison")
        assert comparison.max_scroll_y > 0, "all of them are higher than the terminal"
        await driver.press("z")
        await driver.painted()
        assert comparison.max_scroll_y == 0


async def test_all_codes_are_compared_over_the_same_time(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        reader = StatisticsReader(driver.app.session)
        known, new = (QrCode.model_validate(told(demo, id)[0]) for id in (400, 398))
        for _ in range(3):
            await reader.read(CodeStatistics(known))
            app_clock.step(WEEK + 86_400.0)
        await driver.app.push_screen(CompareScreen(driver.app.session, [known, new]))
        screen = driver.app.screen
        assert isinstance(screen, CompareScreen)
        await wait_until(lambda: all(code.answered or code.recalled for code in screen.codes))
        await wait_until(lambda: not any(code.loading for code in screen.codes))
        assert "right: last day" in driver.text
        await driver.press("m")
        assert "last 7 days · breakdowns: all time, ■ lacks readings · number of clicks" in driver.text, (
            "a week of one beside all of the other would mislead"
        )
        await resize(driver.pilot, 60, 24)
        await driver.wait_for("last 7 days · breakdowns: all time")
        await driver.press("m", "m")
        for width in (80, 100):
            await resize(driver.pilot, width, 30)
            await driver.wait_for("breakdowns: all time, ■ lacks readings")

        def remarks() -> list[str]:
            return [str(screen.panels.panel(name).border_subtitle) for name in PANEL_TITLES]

        await wait_until(lambda: sum("highest first" in one for one in remarks()) == 1)
        assert sum("bold: 15 points apart" in one for one in remarks()) == 1
        assert not any("first ·" in one for one in remarks()), "each has room in its frame"
        await driver.press("m")
        await driver.press("m")
        text = await chart(driver, "countries")
        assert "■ –" in " ".join(text.split())
        assert "– too few readings" in driver.text


async def test_numbers_are_written_for_the_width_there_is_and_copied_as_tables(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(80, 24), place="qr") as driver:
        await driver.settled()
        await driver.press("space", "space", "c")
        screen = driver.app.screen
        assert isinstance(screen, CompareScreen)
        await wait_until(lambda: all(code.answered for code in screen.codes))
        await driver.wait_for("last 7 days · breakdowns: all time, ● ■ lack readings")
        await driver.press("v", "pagedown")
        await driver.wait_for("  Scans in all: ")
        await driver.pilot.resize_terminal(140, 40)
        await driver.wait_for("Scans in all  Last 7 days  7 days before  Change")
        await driver.press("y")
        assert "Code " in driver.app.clipboard
        assert "Id  Scans in all  Last 7 days" in driver.app.clipboard
        await driver.press("escape")
        await driver.opened(CompareScreen)
        await driver.press("W")
        await driver.opened(PickerScreen)
        assert "2 requests each time" in driver.text
        await driver.press("escape")
        await driver.opened(CompareScreen)
        assert [*driver.app.session.recents.watched] == []
        second = screen.codes[1].code
        await driver.press("W")
        await choose(driver, PickerScreen, second.name)
        await driver.opened(WatchScreen)
        assert [*driver.app.session.recents.watched] == [second.id], "one alone, as it was asked which"
        await driver.press("escape")
        await driver.opened(CompareScreen)
        await driver.press("W")
        await choose(driver, PickerScreen, "All 2 codes")
        await driver.opened(WatchScreen)
        assert {*driver.app.session.recents.watched} == {code.code.id for code in screen.codes}


def share_of(counts: dict[str, str], label: str) -> str:
    return share(float(counts.get(label, 0)), float(sum(map(int, counts.values())))).replace(" ", "")
