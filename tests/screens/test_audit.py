"""The audit: from what is loaded, without a request; what it could not see; each finding a way in."""

import re
import threading
from collections.abc import Sequence
from functools import partial

import pytest

from linkdash.demo.server import Running
from linkdash.model.insight.audit import AuditFacts, Check, Suspect, audit
from linkdash.screens.insight import audit as audit_screen
from linkdash.screens.insight.audit import AuditRow, AuditScreen, CheckLines, audit_rows
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.waiting import DEADLINE, resize, wait_until


async def audited(driver: Driver) -> AuditScreen:
    await driver.press("A")
    screen = driver.app.screen
    assert isinstance(screen, AuditScreen)
    await wait_until(lambda: bool(screen.checks))
    await driver.press("g")
    return screen


def _is_told(driver: Driver, title: str, text: str) -> bool:
    return re.search(f"{title} +{re.escape(text)}", driver.text) is not None


async def test_a_finding_leads_to_its_record_at_no_cost(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        asked = len(driver.asked)
        screen = await audited(driver)
        assert "of 6 could not see all, as they say" in driver.text
        begun = []
        for _ in screen.table.rows:
            await driver.press("tab")
            assert screen.row is not None
            begun.append((screen.row.check.title, screen.table.cursor))
        assert {title for title, _ in begun} == {row.check.title for row in audit_rows(screen.checks)}
        assert len({cursor for _, cursor in begun}) < len(screen.table.rows), "the first of each"
        await driver.press("shift+tab", "tab")
        assert screen.table.cursor == begun[-1][1]
        await driver.press("g")
        while screen.row is not None and screen.row.check.title != "Domains without redirects":
            await driver.press("down")
        assert screen.row is not None
        assert screen.row.suspect is not None
        assert "redirect" in screen.row.why
        id = screen.row.suspect.id
        await driver.press("enter")
        await wait_until(lambda: driver.app.screen is not screen)
        await driver.settled()
        assert driver.screen.place_id == "domains"
        assert driver.screen.row is not None
        assert driver.screen.row.id == id
        assert driver.asked[asked:] == []
        await driver.press("h")
        screen = await audited(driver)
        await driver.press("down")
        cursor = screen.table.cursor
        await driver.press("enter")
        await wait_until(lambda: driver.app.current_mode != "overview")
        await driver.press("-")
        assert driver.app.screen is screen, "it is still there, as it was left"
        assert screen.table.cursor == cursor == 1

        await driver.press("g")
        first = screen.row
        assert first is not None
        assert first.suspect is not None, "what was found comes first"
        await driver.press("G")
        last = screen.row
        assert last is not None
        assert last.suspect is None
        for size in ((80, 24), (100, 30), (120, 30), (140, 40)):
            await resize(driver.pilot, *size)
            await driver.wait_for(last.why)
            assert f"  {last.why}" in driver.text
            assert f"? {last.check.title}  " in driver.text, "what could not be seen is named"
            assert driver.text.index("Checks") < driver.text.index("Findings")


async def test_what_a_check_could_not_see_stands_below_what_it_has_found(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        screen = await audited(driver)
        rows = [row for row in screen.table.rows if isinstance(row, AuditRow)]
        unseen = [number for number, row in enumerate(rows) if row.suspect is None]
        assert len(unseen) > 1
        for number in unseen:
            check = rows[number].check
            found = [row.suspect for row in rows[number - len(check.found) : number]]
            assert found == [*check.found]


async def test_every_row_says_why_it_is_there_and_the_strip_says_it_whole(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns", size=(140, 40)) as driver:
        await driver.settled()
        screen = await audited(driver)
        await driver.wait_for("▌Campaigns never used")
        for size in ((140, 40), (80, 24)):
            await resize(driver.pilot, *size)
            await driver.painted()
            lines = driver.text.partition("Findings")[2].splitlines()
            found = [row for row in screen.table.rows if isinstance(row, AuditRow) and row.suspect]
            shown = [(row, line) for row in found for line in lines if f" {row.record}  " in line]
            assert len(shown) > 6
            assert [row.record for row, line in shown if row.why not in line] == []
            assert "unkn…" not in driver.text
            assert "public" not in driver.text, "which says nothing of whether it is used"
        await driver.press("g", "down")
        assert screen.row is not None
        row = screen.row
        told = {"Why": row.why, "Where": "Campaigns · enter goes there", "Not seen": row.check.unseen}
        for title, text in told.items():
            await wait_until(partial(_is_told, driver, title, text))
        await driver.press("G")
        await driver.wait_for(f"▌{screen.row.check.title}")
        await driver.wait_for(f"Why  {screen.row.why}")


async def test_escape_leads_back_and_what_was_not_seen_to_where_it_is_loaded(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        screen = await audited(driver)
        for days in (90, 7, 30):
            await driver.press("t")
            await driver.wait_for(f"Codes silent for {days} days")
            assert screen.days == days
        await driver.press("escape")
        assert driver.screen.place_id == "account"

        screen = await audited(driver)
        await driver.press("G")
        assert screen.row is not None
        assert screen.row.suspect is None
        place = screen.row.check.resource
        assert f"no {'QR codes' if place == 'qr' else place} are loaded" in screen.row.why
        await driver.press("enter")
        await wait_until(lambda: driver.app.current_mode == place)


async def test_keys_reach_the_findings_also_where_the_size_changes_before_they_are_there(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = threading.Event()

    def audit_later(known: AuditFacts) -> Sequence[Check]:
        looked.wait(DEADLINE)
        return audit(known)

    monkeypatch.setattr(audit_screen, "audit", audit_later)
    async with run_app(demo, place="campaigns") as driver:
        await driver.settled()
        await driver.press("A")
        screen = driver.app.screen
        assert isinstance(screen, AuditScreen)
        await resize(driver.pilot, 140, 40)
        looked.set()
        await wait_until(lambda: bool(screen.checks))
        await driver.painted()
        assert screen.table.has_focus


async def test_a_check_that_did_not_see_all_says_that_there_may_be_more(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await audited(driver)
        found = [Suspect("campaigns", id, "", "") for id in range(17)]
        checks = [Check("Domains without redirects", "campaigns", found, "no list"), Check("Other", "qr")]
        driver.app.screen.query_one(CheckLines).show(checks)
        await driver.wait_for("Domains without redirects ! 17 or more Other")
