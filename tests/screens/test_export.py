"""Handing records on: what is marked, shown or loaded, as CSV or JSON, to a file or the clipboard."""

import csv
import io
import json
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from linkdash.api.paging import Page
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.users import User
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.last_choice import last_answer
from linkdash.model.lists.export import list_exports, records_csv, records_json
from linkdash.model.lists.loaded_pages import Answered, LoadedPages
from linkdash.model.resources.pixels import RESOURCE as PIXELS
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.screens import clipboard
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.windows.picker import PickerScreen
from linkdash.screens.windows.save_as import SaveScreen
from linkdash.store import files as saving
from linkdash.widgets.form.path_input import PathInput
from linkdash.widgets.panel import Window
from tests.conftest import RunApp
from tests.screens.conftest import USERS
from tests.screens.exports import choose, downloads_folder, export, files
from tests.screens.hand import Hand
from tests.service.visitor import Visitor
from tests.waiting import wait_until

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return downloads_folder(tmp_path, monkeypatch)


def cells(path: Path) -> list[list[str]]:
    """The cells of a CSV file, which has the mark by which spreadsheets know its set of characters."""
    text = path.read_text("utf-8")
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:], newline="")))


async def test_what_is_shown_goes_to_a_new_file_and_what_is_not_loaded_is_loaded_where_all_are_wanted(
    demo: Running, run_app: RunApp, downloads: Path
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("slash", *"type:gtmpixel", "enter", "s", "s", "S")
        shown = len(driver.table.rows)
        assert 1 < shown < 100
        assert all("Google Tag Manager" in line for line in driver.records[1:])
        await export(driver, "Shown", "CSV to a file")
        (path,) = files(downloads)
        assert driver.toasts[-1] == f"Saved {shown} of 100 records, 30 not loaded {path}"
        header, *rows = cells(path)
        assert header == ["id", "name", "type", "tag", "date"]
        assert [row[1] for row in rows] == [str(getattr(row, "name", "")) for row in driver.table.rows]
        assert {row[2] for row in rows} == {"gtmpixel"}
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

        await export(driver, "Shown", "CSV to a file")
        assert driver.toasts[-1].endswith(f"loaded {path.with_name(path.stem + '-2.csv')}")
        assert cells(path.with_name(path.stem + "-2.csv")) == [header, *rows]
        assert len(driver.asked) == 1

        await driver.press("escape")
        await driver.press("x")
        await choose(driver, PickerScreen, "Shown")
        await driver.opened(SaveScreen)
        assert "esc, then a: 130 records, loads the rest first: 1 request, now" in driver.text
        assert driver.app.screen.query_one(Window).outer_size.width < 80, "as wide as its longest line"
        await driver.press("escape", "escape")
        await export(driver, "Shown", "JSON to a file")
        (path,) = (found for found in files(downloads) if found.suffix == ".json")
        assert driver.toasts[-1] == f"Saved 100 records, 30 not loaded {path}"
        assert len(json.loads(path.read_text())["records"]) == 100
        await driver.press("x")
        await driver.wait_for("130 records, loads the rest first: 1 request, now")
        await driver.press("a", "c")
        await wait_until(lambda: driver.toasts[-1].startswith("Saved /"))
        path = Path(driver.toasts[-1].removeprefix("Saved "))
        assert path.suffix == ".csv"
        assert len(cells(path)) == 1 + 130
        assert len(driver.asked) == 2
        await driver.press("x")
        await driver.wait_for("130 records")
        assert "not loaded" not in driver.text
        await choose(driver, PickerScreen, "Shown")
        await driver.wait_for("Export shown · 130 records")
        assert "esc, then" not in driver.text, "there is no more of it"


async def test_where_loading_the_rest_is_stopped_nothing_is_exported(
    demo: Running, run_app: RunApp, downloads: Path
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        demo.service.faults.next("GET", "/api/qr", Fault(delay=3600))
        await driver.press("x", "a", "c")
        await wait_until(lambda: driver.screen.collection.load is not None)
        await driver.press("escape")
        await wait_until(lambda: driver.toasts[-1] == "Nothing was exported Not all records were loaded.")
        assert files(downloads) == []


async def test_selected_ones_alone_all_that_are_loaded_and_a_folder_that_takes_no_file(
    demo: Running, run_app: RunApp, downloads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes, *, for_all: bool) -> None:
        raise OSError(28, "No space left on device")

    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await driver.press("space", "j", "space", "slash", *"museum", "enter")
        await export(driver, "Selected", "JSON to the clipboard")
        records = json.loads(driver.app.clipboard)["records"]
        assert [record["id"] for record in records] == [12, 10]
        await export(driver, "Loaded", "JSON to a file")
        (path,) = files(downloads)
        assert len(json.loads(path.read_text())["records"]) == 12
        monkeypatch.setattr(saving, "write_atomically", full)
        await export(driver, "Loaded", "CSV to a file")
        assert "could not be written: No space left on device." in driver.toasts[-1]
        assert files(downloads) == [path]


async def test_a_path_is_typed_and_what_was_chosen_is_first_the_next_time(
    demo: Running, run_app: RunApp, downloads: Path
) -> None:
    async with run_app(demo, place="domains", size=(80, 24)) as driver:
        await driver.settled()
        await driver.press("x")
        await choose(driver, PickerScreen, "Shown")
        await driver.opened(SaveScreen)
        (downloads / "reports").mkdir()
        await driver.press("down", "down")
        await driver.wait_for("domains-")
        assert ".json" in driver.text, "the file has the ending of what the cursor is on"
        await driver.press("tab", "ctrl+u")
        await Hand(driver).paste(f"{downloads}/rep")
        await driver.wait_for("reports/")
        await driver.press("tab", *"mine", "tab", *".json")
        await driver.wait_for("✓ new file")
        await driver.press("enter")
        path = downloads / "reports" / "mine.json"
        await wait_until(lambda: driver.toasts[-1:] == [f"Saved {path}"])
        await driver.press("x", "enter")
        await driver.opened(SaveScreen)
        screen = driver.app.screen
        assert isinstance(screen, SaveScreen)
        assert screen.choices[0].label == "JSON to a file"
        assert Path(screen.query_one(PathInput).path).parent == path.parent, "the folder of the last time"
        await driver.press("tab", "ctrl+u")
        await Hand(driver).paste(str(path))
        await driver.wait_for("there already: a number is added")
        await driver.press("enter")
        await wait_until(lambda: driver.toasts[-1].endswith("mine-2.json"))
        for folder in (f"{downloads}/reports", f"{downloads}/reports/"):
            await driver.press("x", "enter")
            await driver.opened(SaveScreen)
            await driver.press("tab", "ctrl+u")
            await Hand(driver).paste(folder)
            await driver.wait_for("a folder: the file goes into it")
            await driver.press("enter")
            await wait_until(lambda: "/reports/domains-" in driver.toasts[-1], lambda: driver.toasts[-1])
            assert driver.toasts[-1].endswith(".json")
        await driver.press("x", "enter", "tab", "ctrl+u", *"/nowhere/at.csv", "enter")
        await driver.wait_for("✗ no such folder")
        await driver.press("escape", "escape", "escape")
        assert driver.screen.is_current
        saved = sorted(file.name for file in (downloads / "reports").iterdir())
        assert [name for name in saved if not name.startswith("domains-")] == ["mine-2.json", "mine.json"]
        assert len(saved) == 4, "two went into the folder that was typed, by the name that was offered"
        kept = await last_answer(driver.app.session, "saved-to")
        assert kept == str(downloads / "reports"), "which the next run knows, too"


async def test_no_key_of_any_user_is_exported_and_a_clipboard_that_may_be_too_small_is_told(
    demo: Running, twin: Visitor, run_app: RunApp, downloads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard, "MANY_BYTES", 10_000)
    keys = [user["apikey"] for user in twin.read("/api/users")["data"]]
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        await export(driver, "Shown", "JSON to a file")
        await export(driver, "Shown", "CSV to a file")
        await export(driver, "Shown", "JSON to the clipboard")
        assert driver.toasts[-1].endswith("MB is large; if the paste is cut off, export to a file.")
        copied = driver.app.clipboard
    texts = [path.read_text() for path in files(downloads)]
    assert len(texts) == 2
    assert len(keys) == USERS
    assert not [key for key in keys if any(key in text for text in (copied, *texts))]
    assert "apikey" not in "".join((copied, *texts))


async def test_items_of_a_channel_are_named_after_it(demo: Running, run_app: RunApp, downloads: Path) -> None:
    async with run_app(demo, place="channels") as driver:
        await driver.settled()
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, ChannelItemsScreen))
        await driver.settled()
        await driver.press("x")
        assert driver.toasts[-1] == "There is no item to export."
        await driver.press("escape", "j", "enter")
        await driver.settled()
        shown = len(driver.table.rows)
        await export(driver, "Shown", "JSON to a file")
    (path,) = files(downloads)
    assert path.name.startswith("channel-29-items-")
    assert len(json.loads(path.read_text())["records"]) == shown > 1


def test_no_cell_is_a_formula_and_numbers_stay_numbers() -> None:
    odd: list[Any] = [
        {"id": 7, "type": "bing", "name": "=HYPERLINK(1)", "tag": "-1", "date": "2026-03-01 10:00:00"},
        {"id": "1,234", "type": "new one", "name": "\ud800 lone", "tag": "@a", "date": "soon"},
        {"name": "no id"},
    ]
    header, first, second, lost = csv.reader(
        io.StringIO(records_csv(Pixel, (), [Pixel.read(raw) for raw in odd]), newline="")
    )
    assert header == ["id", "name", "type", "tag", "date", "unreadable"]
    assert first == ["7", "'=HYPERLINK(1)", "bing", "'-1", "2026-03-01 10:00:00"]
    assert second == ["1234", "\N{REPLACEMENT CHARACTER} lone", "new one", "'@a", "soon"]
    assert lost[:5] == [""] * 5
    assert "no id" in lost[5]


def test_json_has_numbers_moments_and_what_nobody_documented_but_no_secret() -> None:
    raw = {"id": "5", "email": "a@b.example", "expires": None, "registered": "2026-03-01", "planid": "2"}
    users = [User.read({**raw, "apikey": "correct-horse", "login_token": "battery", "shoe": {"size": 9}})]
    data = json.loads(records_json(users, NOON))
    assert data["as_of"] == "2026-03-01T12:00:00+00:00"
    (user,) = data["records"]
    assert (user["id"], user["planid"], user["expires"]) == (5, 2, None)
    assert user["registered"] == "2026-03-01 00:00:00"
    assert user["shoe"] == {"size": 9}
    assert "correct-horse" not in str(data)
    assert "battery" not in str(data)


def test_a_plan_has_its_prices_as_numbers() -> None:
    raw = {"id": 2, "name": "Pro", "free": False, "prices": {"monthly": "9.50", "yearly": 90}, "limits": []}
    header, row = csv.reader(io.StringIO(records_csv(Plan, PLANS.columns, [Plan.read(raw)])))
    found = dict(zip(header, row, strict=True))
    assert (found["monthly"], found["yearly"], found["lifetime"], found["free"]) == ("9.5", "90", "", "false")
    (plan,) = json.loads(records_json([Plan.read(raw)], NOON))["records"]
    assert plan["prices"] == {"monthly": 9.5, "yearly": 90, "lifetime": None}


def test_an_export_is_named_after_the_day_it_is_written_and_says_how_old_its_data_is() -> None:
    written = NOON.timestamp()
    listing = LoadedPages[Pixel]()
    page = Page([Pixel(id=1, name="One")], 1, 100, 1, None, 1)
    listing.answered(Answered(1, page, written - 26 * 3600))
    (csv_export, json_export) = list_exports(Pixel, PIXELS.columns, listing, frozenset(), written, None)
    assert csv_export.part == "2026-03-01"
    assert (csv_export.what, csv_export.about) == ("Shown", "1 record, data of 26 h ago")
    assert json.loads(json_export.write())["as_of"].startswith("2026-02-28T10:00")


def test_an_export_of_what_is_selected_tells_how_much_of_it_is_not_loaded() -> None:
    listing = LoadedPages[Pixel]()
    listing.answered(Answered(1, Page([Pixel(id=1), Pixel(id=2)], 2, 100, 1, None, 1), 0.0))
    gone = Pixel(id=3)
    keys = {row.key for row in (*listing.loaded_rows(), gone)}
    csv_export, *_ = list_exports(Pixel, PIXELS.columns, listing, keys, 0.0, None)
    assert (csv_export.what, csv_export.about) == ("Selected", "2 records, 1 not loaded")
    assert len(csv_export.write().splitlines()) == 3
