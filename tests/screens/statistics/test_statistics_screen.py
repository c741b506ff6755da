"""The statistics of one code, from keys to numbers: the service's own, in every state, and what is new."""

import csv
import io
from functools import partial
from pathlib import Path

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.widgets.chart import Chart
from linkdash.widgets.qr_image import QrImage
from tests.conftest import RunApp
from tests.screens.driver import is_inert
from tests.screens.statistics.driver import (
    BREAKDOWNS,
    answer,
    answered,
    chart,
    counts_in,
    line,
    open_code,
    page,
    panel,
    told,
    total,
)
from tests.service.visitor import Clock
from tests.waiting import wait_until
from tests.widgets.sample import HOSTILE

DAY = 86_400.0
HELD_BACK = Fault(delay=3600)
LOST = Fault(handled=False, drop=True)


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "downloads"
    folder.mkdir()
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(folder))
    return folder


async def test_every_number_of_the_service_stands_on_the_screen(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        code_id = await open_code(driver)
        assert driver.asked[-1] == f"GET /api/qr/{code_id}"
        assert len(driver.asked) == 3
        details, data = told(demo, code_id)
        totals = {"clicks": data["clicks"], "unique": data["uniqueClicks"], "scans": details["scans"]}
        assert {name: total(driver, name)[0] for name in totals} == {
            name: f"{value:,}" for name, value in totals.items()
        }
        assert total(driver, "ratio")[0] == f"{data['uniqueClicks'] / data['clicks']:.2f}"
        for name, member in BREAKDOWNS.items():
            assert panel(driver) == name
            found = counts_in(await chart(driver, name))
            assert found == {
                label.removeprefix("https://"): f"{int(count):,}" for label, count in data[member].items()
            }
            await driver.press("right")
        assert "history begins now" in line(driver, "since")
        assert line(driver, "truth").startswith(f"{details['link']} · as of now · 1 reading since")
        await driver.press("left", "left")
        assert panel(driver) == "systems"
        await driver.press("shift+tab", "tab", "tab")
        assert panel(driver) == "social"


async def test_what_changed_since_last_week_is_one_key_away(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        code_id = await open_code(driver)
        seen = [told(demo, code_id)[1]]
        for _ in range(2):
            await driver.press("escape")
            app_clock.step(5 * DAY)
            await open_code(driver)
            seen.append(told(demo, code_id)[1])
        first, second, third = (data["clicks"] for data in seen)
        assert total(driver, "clicks")[1] == f"+{third - second:,}"
        assert line(driver, "since").startswith("new since the last look (20")
        await driver.press("c")
        assert panel(driver) == "new"
        assert total(driver, "clicks")[1] == f"+{third - first:,}"
        news = page(driver, "new")
        assert f"clicks +{third - first:,} ({first:,} → {third:,})" in news
        for label, count in seen[2]["topCountries"].items():
            added = int(count) - int(seen[0]["topCountries"].get(label, 0))
            words = f"{added:,}" if label in seen[0]["topCountries"] else f"{int(count):,}, first seen"
            assert f"countries: {label} +{words}" in news
        await driver.press("c")
        assert line(driver, "since").startswith("new since yesterday")
        await driver.press("t", "t")
        assert panel(driver) == "time"
        assert "by week" in await chart(driver, "time")
        await driver.press("T")
        assert "Added each week" in await chart(driver, "time")


async def test_old_numbers_are_painted_before_the_answer_and_stay_when_none_comes(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        code_id = await open_code(driver)
        clicks = total(driver, "clicks")[0]
    app_clock.step(1800)
    demo.service.faults.next("GET", f"/api/qr/{code_id}", HELD_BACK)
    async with run_app(demo) as driver:
        await driver.go("qr")
        await driver.press("enter")
        await wait_until(lambda: "old, as of 30 min ago · refreshing…" in line(driver, "truth"))
        assert total(driver, "clicks")[0] == clicks
        await driver.press("r")
        assert driver.toasts == ["The numbers are on their way already."]
        await driver.press("escape")
        await wait_until(lambda: driver.app.session.gate.state.in_flight == 0)
    demo.service.faults.next("GET", f"/api/qr/{code_id}", LOST)
    async with run_app(demo) as driver:
        await open_code(driver)
        assert "as of 30 min ago · not refreshed" in line(driver, "truth")
        assert total(driver, "clicks")[0] == clicks
        await driver.press("r")
        await answered(driver)
        now = told(demo, code_id)[1]["clicks"]
        assert total(driver, "clicks") == (f"{now:,}", f"+{now - int(clicks.replace(',', '')):,}")


async def test_an_error_says_the_next_step_no_statistics_is_not_zero_and_partial_ones_are_shown(
    demo: Running, run_app: RunApp
) -> None:
    some: dict[str, object] = {
        "clicks": "1,500",
        "topCountries": {"": 4, "Unknown": 2},
        "topReferrers": dict.fromkeys(HOSTILE, 1),
        "topOs": [],
        "socialCount": None,
    }
    demo.service.faults.next("GET", "/api/qr/*", LOST)
    demo.service.faults.next("GET", "/api/qr/*", answer([]))
    demo.service.faults.next("GET", "/api/qr/*", answer(some))
    async with run_app(demo, size=(140, 40)) as driver:
        await open_code(driver)
        assert "The connection broke" in driver.text
        assert "r tries again." in driver.text
        await driver.press("r")
        await answered(driver)
        assert "r tries again." not in driver.text
        assert [total(driver, name)[0] for name in ("clicks", "unique", "scans", "ratio")] == [
            "–",
            "–",
            "3",
            "–",
        ]
        assert "no statistics for this code" in line(driver, "truth")
        assert "no statistics" in await chart(driver, "countries")
        await driver.press("r")
        await answered(driver)
        assert [total(driver, name)[0] for name in ("clicks", "unique", "ratio")] == ["1,500", "–", "–"]
        assert counts_in(await chart(driver, "countries")) == {"(blank)": "4", "Unknown": "2"}
        assert "none so far" in await chart(driver, "systems")
        assert "no statistics" in await chart(driver, "social")
        assert is_inert(driver.text.replace("\n", ""))
        assert "[/b]" in await chart(driver, "referrers")
        await driver.press("v")
        await driver.wait_for("in numbers")
        assert "no statistics" in driver.text
        assert is_inert(driver.text.replace("\n", ""))


async def test_all_charts_at_once_where_there_is_room_and_one_on_demand(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await open_code(driver)
        titles = (
            "Countries",
            "Referrers",
            "Browsers",
            "Operating systems",
            "Social",
            "Over time",
            "What is new",
        )
        await wait_until(lambda: all(title in driver.text for title in titles))
        assert "▀" in driver.text
        await driver.press("z")
        shown = [one for one in driver.app.screen.query(Chart) if one.region.height]
        assert [one.id for one in shown] == ["countries"]
        await driver.press("left")
        code = driver.app.screen.query_one(QrImage)
        assert code.region.height > 15
        await driver.press("z")
        assert all(one.region.height for one in driver.app.screen.query(Chart))


async def test_numbers_and_code_are_handed_on(
    demo: Running, run_app: RunApp, downloads: Path, tmp_path: Path
) -> None:
    async with run_app(demo) as driver:
        code_id = await open_code(driver)
        details, data = told(demo, code_id)
        await driver.press("y")
        assert driver.app.clipboard == details["link"]
        assert driver.toasts[-1] == "Landing address: sent to the terminal's clipboard."
        report, statistics_file = (
            downloads / f"qr-{code_id}-report.md",
            downloads / f"qr-{code_id}-statistics.csv",
        )
        await driver.press("x", "enter")
        await wait_until(lambda: f"Saved {report}" in driver.toasts)
        assert f"| Clicks | {data['clicks']:,} |" in report.read_text()
        for number in ("", "-2"):
            path = statistics_file.with_stem(statistics_file.stem + number)
            await driver.press("x", "j", "j", "enter")
            await wait_until(partial(lambda path: f"Saved {path}" in driver.toasts, path))
            rows = list(csv.reader(io.StringIO(path.read_text())))
            assert ["countries", *next(iter(data["topCountries"].items()))] in [row[4:] for row in rows]
        await driver.press("x", "j", "enter")
        await wait_until(lambda: driver.app.clipboard == report.read_text())
        await driver.press("x", "k", "k", "enter")
        await wait_until(lambda: (downloads / f"qr-{code_id}.svg").exists())
        await wait_until(lambda: f"Saved {downloads / f'qr-{code_id}.svg'}" in driver.toasts)
        assert b"<svg" in (downloads / f"qr-{code_id}.svg").read_bytes()
