"""Importing inside the dashboard: every row is checked first, then each is sent once, as a job."""

from pathlib import Path

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.screens.windows.open_file import OpenFileScreen
from linkdash.widgets.form.path_input import PathInput
from linkdash.widgets.panel import Window
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.hand import Hand, stored
from tests.service.visitor import Visitor
from tests.waiting import resize, wait_until


async def asked_for(driver: Driver, path: Path) -> None:
    await driver.press("I")
    await driver.opened(OpenFileScreen)
    await Hand(driver).paste(str(path))
    await driver.press("enter")


async def test_rows_are_checked_then_sent_once_as_a_job(
    demo: Running, run_app: RunApp, tmp_path: Path
) -> None:
    path = tmp_path / "pixels.csv"
    path.write_text("type,name,tag\nbing,Spring,1\nnonsense,Summer,2\n")
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.press("I")
        await hand.see("A row without an id creates a pixel: needs type, name, tag")
        assert "A row with an id changes that pixel: name, tag" in driver.text
        await resize(driver.pilot, 140, 40)
        await hand.see("A CSV or JSON file, such as an export. You see every change before it is sent.")
        assert driver.app.screen.query_one(Window).outer_size.width == 85, "as wide as that"
        await driver.press("escape")
        await asked_for(driver, path)
        await hand.see("1 row of pixels.csv cannot be sent")
        assert 'row 3, type "nonsense": ' in driver.text
        assert "The other rows: 1 new." in driver.text
        assert hand.writes == []
        await hand.press("escape", "I")
        await driver.opened(OpenFileScreen)
        await driver.wait_for("✓ 46 bytes")
        assert driver.app.screen.query_one(PathInput).path == str(path), "it may have been mended"
        await hand.press("escape")
        path.write_text("type,name,tag,colour\nbing,Spring,1,red\nbing,Summer,2,blue\n")
        await asked_for(driver, path)
        await wait_until(hand.asks)
        assert hand.listed == [
            f"{name} (new) · Type: Bing · Tag: {tag}" for name, tag in (("Spring", 1), ("Summer", 2))
        ]
        assert "2 new." in driver.text
        assert "Ignored (cannot be sent): colour." in driver.text
        await hand.press("y")
        await hand.sent(2)
        await hand.see("Bulk job › Import pixels.csv into Pixels")
        await hand.see("Finished · 2 done")
        await hand.press("escape", "I")
        await driver.opened(OpenFileScreen)
        assert driver.app.screen.query_one(PathInput).path == "", "it was sent"
        await hand.press("escape")
        await asked_for(driver, path)
        await wait_until(hand.asks)
        await hand.see("All of it was imported before")
        assert len(hand.writes) == 2, "what was sent is not sent again unasked"
        await hand.press("escape")


async def test_a_corrected_file_goes_on_with_what_was_not_done(
    demo: Running, run_app: RunApp, tmp_path: Path
) -> None:
    path = tmp_path / "pixels.csv"
    path.write_text("type,name,tag\nbing,Spring,1\nbing,Summer,2\nbing,Autumn,3\n")
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        refused = Fault(handled=False, status=422, content=b'{"error": 1, "message": "Taken."}')
        demo.service.faults.next("POST", "/api/pixel/add", refused)
        await asked_for(driver, path)
        await wait_until(hand.asks)
        await hand.press("y")
        await hand.see("Finished · 2 done, 1 failed")
        await hand.see("Taken.")
        await hand.press("escape")
        path.write_text(path.read_text().replace("Spring", "Early spring"))
        await asked_for(driver, path)
        await wait_until(hand.asks)
        assert hand.listed == ["Early spring (new) · Type: Bing · Tag: 1"]
        await hand.see("2 rows sent before, not sent again.")
        await hand.press("y")
        await hand.see("Finished · 3 done")
        assert len(hand.writes) == 4


async def test_what_a_row_changes_stands_below_its_record_and_what_cannot_be_imported_is_said(
    demo: Running, run_app: RunApp, tmp_path: Path
) -> None:
    path = tmp_path / "pixels.csv"
    path.write_text("id,tag\n130,T-1\n")
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await asked_for(driver, path)
        await wait_until(hand.asks)
        await hand.see("(130)  Tag: TW-621316885 → T-1")
        assert (
            "1 row of no export known here: every value that differs from the service is sent."
            in " ".join(" ".join(line.strip(" │") for line in driver.lines).split())
        )
        assert "1 change, 1 read · 2 requests, now" in driver.text
        assert "↵" not in driver.text
        await hand.press("escape")
        await asked_for(driver, tmp_path / "nowhere.csv")
        await driver.wait_for("✗ no such file")
        path = tmp_path / "other.csv"
        path.write_text("foo,bar\n1,2\n")
        (tmp_path / "other.txt").write_text("foo,bar\n1,2\n")
        await driver.press("ctrl+u")
        await Hand(driver).paste(str(tmp_path / "ot"))
        await driver.wait_for("other.csv")
        assert "other.txt" not in driver.text, "only what can be imported"
        await driver.press("tab")
        await driver.wait_for("✓ 12 bytes")
        await driver.press("enter")
        await wait_until(lambda: bool(driver.toasts))
        assert driver.toasts[-1] == "No column is a field of a pixel. Nothing was sent."
        await driver.press("3", "I")
        assert driver.toasts[-1] == "The service offers no way to create or edit an overlay."


async def test_an_emptied_cell_is_told_and_no_value_is_cut(
    demo: Running, run_app: RunApp, tmp_path: Path
) -> None:
    path, long = tmp_path / "channels.csv", f"Everything {'that hangs on the walls ' * 8}of the north hall"
    async with run_app(demo, place="channels", size=(80, 24)) as driver:
        hand = Hand(driver)
        await driver.settled()
        path.write_text(f"id,name,description\n30,{long},\n")
        await asked_for(driver, path)
        await wait_until(hand.asks)
        await hand.see("Emptied: Description in 1 row.")
        await hand.see("→ (empty)")
        told = " ".join(line.strip(" │") for line in driver.lines)
        assert long in " ".join(told.split())
        await hand.press("y")
        await hand.sent(1)
        with Visitor(demo, demo.api_key) as visitor:
            assert stored(visitor, "/api/channels", 30)["description"] == ""
