"""The top list: whole days, what the first ten hold, and pictures of as many days as their title says."""

import csv
import io
from datetime import timedelta
from pathlib import Path

import pytest

from linkdash.api.resources.qr import QrCode
from linkdash.demo.server import Running
from linkdash.model.humanize import Trend
from linkdash.model.lists.columns import Computed
from linkdash.model.resources.qr import RESOURCE as QR_CODES
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.screens.statistics.compare import CompareScreen
from linkdash.screens.statistics.top import TopRow, TopScreen
from linkdash.screens.statistics.watch import WatchScreen
from linkdash.store.reading import Reading
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.exports import downloads_folder, export, files
from tests.waiting import resize, wait_until


async def keep_a_month(driver: Driver, *, before: int = 0) -> None:
    """Readings of every code at each of the last 40 midnights; the first code has the most scans.

    Each code had `before` more than the code ahead of it when that began.
    """
    session = driver.app.session
    midnight = StatisticsReader(session).now.replace(hour=0, minute=0, second=0, microsecond=0)
    codes = [code.id for code in driver.screen.collection.records if isinstance(code, QrCode)]
    await session.store.history.record_all(
        {
            code: [
                Reading(midnight - timedelta(days=day), scans=before * rank + (40 - day) * (100 - rank))
                for day in range(40, -1, -1)
            ]
            for rank, code in enumerate(codes)
        }
    )


async def test_the_mark_is_on_the_column_that_the_rows_are_in_order_of(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        codes = driver.screen.collection.records[:3]
        history, now = driver.app.session.store.history, StatisticsReader(driver.app.session).now
        for code, (first, second, third) in zip(
            codes, [(0, 100, 110), (0, 4_000, 6_000), (0, 50, 90)], strict=True
        ):
            await history.record_all(
                {
                    code.id: [
                        Reading(now - timedelta(days=16), scans=first),
                        Reading(now.replace(hour=0, minute=0) - timedelta(days=7), scans=second),
                        Reading(now, scans=third),
                    ]
                }
            )
        await driver.press("t")
        screen = driver.app.screen
        assert isinstance(screen, TopScreen)
        await wait_until(lambda: screen.known)
        await driver.press("s", "s")
        await driver.wait_for("by fall")
        rows = [row for row in screen.table.rows if isinstance(row, TopRow) and row.over and row.over.change]
        assert screen.table.sort is not None
        (marked,) = (column for column in screen.table.columns if column.name == screen.table.sort[0])
        assert isinstance(marked, Computed)
        shown = [int(str(marked.draw(row)).replace(",", "")) for row in rows]
        assert len(shown) == 3
        assert shown == sorted(shown)
        for size in ((80, 24), (140, 40)):
            await resize(driver.pilot, *size)
            assert "Change ▴" in driver.text
            assert all(f"{change:+,}" in driver.text for change in shown)


async def test_first_ten_share_and_days_are_told_and_a_report_has_the_order_of_the_screen(
    demo: Running, run_app: RunApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads = downloads_folder(tmp_path, monkeypatch)
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        await driver.settled()
        await keep_a_month(driver, before=1_000)
        await driver.press("t")
        await driver.wait_for("top 10 of 100:")
        screen = driver.app.screen
        assert isinstance(screen, TopScreen)
        first = screen.table.rows[0]
        assert isinstance(first, TopRow)
        assert (first.now, first.before) == (700, 700)
        whole = sum(7 * (100 - rank) for rank in range(100))
        held = sum(7 * (100 - rank) for rank in range(10))
        assert f"top 10 of 100: {held / whole:.0%} of {whole:,} scans".replace("%", " %") in driver.text
        for width, days in ((140, 14), (200, 30)):
            await resize(driver.pilot, width, 40)
            await driver.wait_for(f"{days} days")
            heads = next(line for line in driver.lines if "Before" in line)
            assert "Share" in heads
            assert f"{days} days" in heads
            (drawn,) = (column for column in screen.table.columns if column.name == "days")
            assert isinstance(drawn, Computed)
            trend = drawn.draw(first)
            assert isinstance(trend, Trend)
            assert len(trend.days) == days
            assert "▇" * days in next(line for line in driver.lines if first.name in line)
        shown = [row.id for row in screen.table.rows if isinstance(row, TopRow)]
        await export(driver, "Report", "CSV to a file")
        (path,) = files(downloads)
        lines = csv.DictReader(io.StringIO(path.read_text("utf-8-sig")))
        told = [int(line["code"]) for line in lines if line["label"] == "scans" and line["code"]]
        assert told == shown


async def test_days_without_a_reading_are_dots_and_the_frame_says_so(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr", size=(200, 50)) as driver:
        await driver.settled()
        await keep_a_month(driver)
        session = driver.app.session
        code = session.collection_of(QR_CODES).records[0]
        midnight = StatisticsReader(session).now.replace(hour=0, minute=0, second=0, microsecond=0)
        await driver.press("t")
        await driver.wait_for("top 10 of 100:")
        assert "not read" not in driver.text
        newer = QrCode(id=1_001, name="Lately read", scans=9)
        readings = [Reading(midnight - timedelta(days=day), scans=20 - day) for day in range(16, -1, -1)]
        await session.store.history.record_all({newer.id: readings})
        await driver.app.push_screen(TopScreen(session, [code, newer], 2))
        await driver.wait_for("2 codes · dots: not read")
        row = next(line for line in driver.lines if "Lately read" in line)
        assert "·" * 14 + "▇" * 16 in row
        await resize(driver.pilot, 80, 24)
        await driver.wait_for("2 codes")
        assert "··" not in driver.text
        await wait_until(lambda: "not read" not in driver.text)


async def test_codes_that_fell_are_selected_where_they_stand_to_be_compared_and_watched(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        await driver.settled()
        await keep_a_month(driver)
        await driver.press("t")
        await driver.opened(TopScreen)
        top = driver.app.screen
        assert isinstance(top, TopScreen)
        await wait_until(lambda: top.table.rows)
        await driver.press("c")
        assert driver.toasts[-1].startswith("Select 2 to 6 codes with space to compare them; 0 are selected.")
        names = [row.name for row in top.table.rows[:2] if isinstance(row, TopRow)]
        await driver.press("space", "space")
        await driver.wait_for("2 selected · ")
        top.close_message()
        await driver.wait_for("c Compare")
        await driver.press("c")
        await driver.opened(CompareScreen)
        compared = driver.app.screen_stack[-1]
        assert isinstance(compared, CompareScreen)
        assert [code.name for code in compared.codes] == names
        await driver.press("escape", "W")
        await driver.opened(WatchScreen)
        watched = driver.app.screen_stack[-1]
        assert isinstance(watched, WatchScreen)
        assert {code.statistics.name for code in watched.codes.values()} == {*names}
