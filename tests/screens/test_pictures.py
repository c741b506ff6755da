"""Pages and pictures of what stands on the screen: they hold what it shows, load nothing and keep secrets."""

import json
import re
import webbrowser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.segment import Segment
from textual.color import Color
from textual.geometry import Region
from textual.strip import Strip

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.screens.insight.overview import OverviewScreen
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.pictures import masked_line, part_of
from linkdash.widgets.terminal.svg import svg
from linkdash.widgets.themes import TERMINAL
from tests.conftest import RunApp
from tests.screens.driver import is_inert
from tests.screens.exports import downloads_folder, export, files
from tests.screens.hostile import HOSTILE
from tests.waiting import wait_until

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return downloads_folder(tmp_path, monkeypatch)


def text_of(picture: str) -> str:
    return "".join(ElementTree.fromstring(picture).itertext()).replace("\xa0", " ")


async def test_the_screen_is_saved_as_it_stands_also_from_the_palette(
    demo: Running, run_app: RunApp, downloads: Path
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await export(driver, "Whole screen", "SVG to a file")
        (path,) = files(downloads)
        assert driver.toasts[-1] == f"Saved {path}"
        picture = path.read_text()
        assert "url(" not in picture.replace("url(#", ""), "no font is fetched"
        told = text_of(picture)
        row = driver.table.rows[0]
        assert str(getattr(row, "name", "")) in told
        assert re.search(r"linkdash · Pixels · \d{4}-\d\d-\d\d \d\d:\d\d ", told), "when it was taken"

        before = len(driver.toasts)
        await driver.press(":", *"picture")
        await wait_until(lambda: "Save the screen as a picture" in driver.text)
        await driver.press("enter")
        await wait_until(lambda: len(driver.toasts) > before)
        again = next(found for found in files(downloads) if found != path)
        assert "Find anything" not in text_of(again.read_text())


async def test_what_records_hold_is_inert_in_a_picture(
    demo: Running, run_app: RunApp, downloads: Path
) -> None:
    texts = [*HOSTILE.values(), "<script>alert(1)</script>", "]]><svg onload='x()'>"]
    rows = [{"id": id, "type": "bing", "name": text, "tag": text} for id, text in enumerate(texts, 1)]
    content = json.dumps({"error": 0, "data": {"result": len(rows), "maxpage": 1, "pixels": rows}}).encode()
    demo.service.faults.next("GET", "/api/pixels", Fault(content=content))
    async with run_app(demo, place="pixels", size=(200, 90)) as driver:
        await driver.settled()
        await export(driver, "Whole screen", "SVG to a file")
    (path,) = files(downloads)
    picture = path.read_text()
    assert "alert(1)" in text_of(picture)
    assert not re.search("<script|<svg onload", picture)
    assert all(is_inert(line) for line in picture.replace("\xa0", " ").split("\n"))


def test_a_part_of_the_screen_alone() -> None:
    lines = [Strip([Segment("left "), Segment("right & <b>")]) for _ in range(3)]
    told = text_of(svg(part_of(lines, Region(5, 1, 11, 1)), "linkdash", "#000000"))
    assert "right & <b>" in told
    assert "left" not in told


def test_bars_are_shapes_which_no_font_parts() -> None:
    picture = svg([Strip([Segment("▂▅██ 4")])] * 2, "linkdash", "#000000")
    assert text_of(picture).split() == ["linkdash", "4", "4"]
    tall = [
        shape for shape in ElementTree.fromstring(picture).iter(f"{SVG}rect") if shape.get("height") == "18.0"
    ]
    assert [shape.get("y") for shape in tall] == ["0.0", "18.0"], "one begins where the other ends"


async def test_a_picture_in_the_terminals_own_colours_can_be_read(
    demo: Running, run_app: RunApp, downloads: Path
) -> None:
    async with run_app(demo, place="pixels") as driver:
        driver.app.theme = TERMINAL.name
        await driver.settled()
        await export(driver, "Whole screen", "SVG to a file")
        (path,) = files(downloads)
        picture = path.read_text()
        ground, ink = (
            re.findall(f'<{shape} [^>]*fill="(#.{{6}})"', picture)[0] for shape in ("rect", "text")
        )
        assert Color.parse(ground).brightness < 0.3, "its bright colours are made for a dark ground"
        assert Color.parse(ink).brightness > 0.6


def test_a_secret_is_never_in_a_picture() -> None:
    line = Strip([Segment("茶 key-"), Segment("12345 and key-12345")])
    masked = masked_line(line, ["key-12345"])
    assert masked.cell_length == line.cell_length
    assert "12345" not in masked.text
    assert masked.text.startswith("茶 •")
    assert " and •" in masked.text


async def test_the_matrix_is_a_page(demo: Running, run_app: RunApp, downloads: Path) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        await driver.press("9")
        await driver.opened(PlanMatrixScreen)
        await driver.wait_for("Starter")
        await export(driver, "Matrix", "HTML to a file")
        (path,) = files(downloads)
        assert "<h2>Allowances</h2>" in (page := path.read_text())
        assert f"· profile {driver.app.settings.profile} ·" in page


async def test_a_report_opens_in_the_browser(
    demo: Running, run_app: RunApp, downloads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("h")
        await driver.opened(OverviewScreen)
        await export(driver, "Report", "HTML in the browser")
        (path,) = files(downloads)
        await wait_until(lambda: opened == [path.as_uri()])
        assert "<!DOCTYPE html>" in path.read_text()
        monkeypatch.delenv("DISPLAY")
        await export(driver, "Report", "HTML in the browser")
        assert "No browser can open from here." in driver.toasts[-1]
        assert len(opened) == 1
