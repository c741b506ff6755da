"""Importing inside the dashboard: every row is checked first, then each is sent once, with a result file."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.writes.import_file import ImportLine
from linkdash.screens.windows.open_file import OpenFileScreen
from linkdash.screens.writes.import_file import ImportScreen
from linkdash.screens.writes.import_rows import rows_told
from linkdash.store.journal_entry import WriteIntent
from linkdash.widgets.panel import Window
from linkdash.widgets.styled_text import Piece
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.hand import Hand, stored
from tests.service.visitor import Visitor
from tests.waiting import DEADLINE, resize, wait_until


async def asked_for(driver: Driver, path: Path) -> None:
    await driver.press("I")
    await driver.opened(OpenFileScreen)
    await Hand(driver).paste(str(path))
    await driver.press("enter")


async def test_rows_are_checked_then_sent_once_with_a_result_file(
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
        assert "row 3, type: " in driver.text
        assert "The other rows: 1 new." in driver.text
        assert hand.writes == []
        await hand.press("escape")
        path.write_text("type,name,tag,colour\nbing,Spring,1,red\nbing,Summer,2,blue\n")
        await asked_for(driver, path)
        await wait_until(hand.asks)
        assert hand.listed == [
            f"{name} (new) · Type: Bing · Tag: {tag}" for name, tag in (("Spring", 1), ("Summer", 2))
        ]
        assert "2 new." in driver.text
        assert "Ignored (read-only): colour." in driver.text
        await hand.press("y")
        await hand.sent(2)
        results = tmp_path / "pixels.csv.results.jsonl"
        await wait_until(lambda: driver.toasts[-1].startswith("Imported: 2 done"))
        assert driver.toasts[-1].endswith("each row's result: pixels.csv.results.jsonl")
        lines = [json.loads(line) for line in results.read_text().splitlines()]
        assert [(line["row"], line["state"]) for line in lines] == [
            (2, "sending"),
            (2, "done"),
            (3, "sending"),
            (3, "done"),
        ]
        assert lines[1]["id"] in {record.id for record in driver.screen.collection.records}
        assert driver.table.cursor_key == lines[1]["id"]
        await asked_for(driver, path)
        await wait_until(lambda: "left to send" in driver.toasts[-1])
        assert len(hand.writes) == 2, "what was sent is not sent again"


def told(lines: Sequence[Sequence[Piece]]) -> list[str]:
    return ["".join(piece.text for piece in line) for line in lines]


def test_rows_around_the_one_on_its_way_are_shown_and_those_that_failed_stay() -> None:
    names = ["Spring" if at % 2 else "A longer name" for at in range(20)]
    intents = [
        WriteIntent("pixels", "create", (), {"type": "bing", "tag": f"T-{at}"}, (name,))
        for at, name in enumerate(names)
    ]
    lines = [ImportLine(at + 2, intent) for at, intent in enumerate(intents)]
    failed = {1: "The name is taken.", 9: "The tag is taken by another one."}
    in_sight = [
        "✓ row 9   Spring         Bing  T-7",
        "✓ row 10  A longer name  Bing  T-8",
        "✗ row 11  Spring         Bing  T-9",
        "▌ row 12  A longer name  Bing  T-10",
        "  row 13  Spring         Bing  T-11",
        "  row 14  A longer name  Bing  T-12",
        "  and 7 before, 7 more",
    ]
    narrow = rows_told(lines, 10, failed, 36)
    assert told(narrow.around) == in_sight
    assert told(narrow.below) == [
        "",
        "✗ row 3   Spring: The name is taken.",
        "  row 11  The tag is taken by",
        "          another one.",
    ], "what stands above is not named again"
    wide = rows_told(lines, 10, failed, 80)
    in_sight[2] = "✗ row 11  Spring         Bing  T-9   The tag is taken by another one."
    assert told(wide.around) == in_sight
    assert told(wide.below) == ["", "✗ row 3   Spring: The name is taken."], "there is no room beside it"
    assert rows_told(lines, 10, {}, 36).below == []
    heights = [len(rows_told(lines, at, {}, 36).around) for at in (0, 19)]
    assert heights == [7, 7], "the window keeps its height"
    before = {"name": "x", "tag": "T-1"}
    edit = WriteIntent("pixels", "update", (7,), {"tag": "T-2"}, ("x",), before)
    assert told(rows_told([ImportLine(2, edit)], 0, {}, 36).around) == ["▌ row 2  x (7)  Tag: T-1 → T-2"]


async def test_an_import_shows_every_row_there_is_room_for_and_is_not_called_saved(
    demo: Running, run_app: RunApp, tmp_path: Path
) -> None:
    path = tmp_path / "pixels.csv"
    path.write_text("type,name,tag\n" + "".join(f"bing,Spring {at},{at}\n" for at in range(40)))
    async with run_app(demo, place="pixels", size=(80, 24)) as driver:
        hand = Hand(driver)
        await driver.settled()
        answered = threading.Event()
        held = Fault(meanwhile=lambda: answered.wait(DEADLINE))
        demo.service.faults.next("POST", "*", Fault(handled=False, status=422))
        demo.service.faults.next("POST", "*", held)
        await asked_for(driver, path)
        await wait_until(hand.asks)
        await hand.press("y")
        await driver.opened(ImportScreen)
        try:
            await driver.wait_for("1 of 40 · 1 failed")
            await driver.wait_for("1 change under way")
            told = [line for line in driver.lines if "Spring" in line]
            assert len(told) == 11, "as many as fit, none of them twice"
            assert "row 2   This is not an answer of the API but an empty " in driver.text
            assert "▌ row 3   Spring 1   Bing  1 " in driver.text
            assert "and 29 more" in driver.text
            await driver.pilot.resize_terminal(140, 60)
            await driver.wait_for("row 41 ")
            await driver.press("escape")
        finally:
            answered.set()
        await wait_until(lambda: not isinstance(driver.app.screen, ImportScreen))
        await driver.wait_for("all saved")


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
        assert "1 request, now" in driver.text
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
