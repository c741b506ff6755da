"""The audit: from what is loaded, without a request; what it could not see; each finding a way in."""

import re
import threading
from collections.abc import Sequence
from functools import partial

import pytest

from linkdash.demo.server import Running
from linkdash.model.insight.audit import AuditFacts, Check, Suspect, audit
from linkdash.screens.insight import audit as audit_screen
from linkdash.screens.insight.audit import AuditScreen, CheckLines, common_why
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


async def shown(driver: Driver, screen: AuditScreen, title: str) -> Check:
    """Go on until the findings of this check are shown."""
    for _ in screen.checks:
        if screen.check is not None and screen.check.title == title:
            await driver.wait_for(f"▌{title}")
            return screen.check
        await driver.press("tab")
    raise AssertionError(f"there is no {title!r}")


async def test_a_finding_leads_to_its_record_at_no_cost(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        asked = len(driver.asked)
        screen = await audited(driver)
        await driver.wait_for("of 6 are incomplete")
        begun = []
        for _ in screen.checks:
            await driver.press("tab")
            begun.append(screen.check)
        assert {check.title for check in begun if check} == {check.title for check in screen.checks}
        await driver.press("shift+tab", "tab")
        assert screen.check == begun[-1]
        await shown(driver, screen, "Domains lacking redirects")
        await driver.press("down")
        row = screen.row
        assert row is not None
        assert "redirect" in row.why
        await driver.press("enter")
        await wait_until(lambda: driver.app.screen is not screen)
        await driver.settled()
        assert driver.screen.place_id == "domains"
        assert driver.screen.row is not None
        assert driver.screen.row.id == row.id
        assert driver.asked[asked:] == []


async def test_it_is_still_there_as_it_was_left(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await driver.press("h")
        screen = await audited(driver)
        check = await shown(driver, screen, "Domains lacking redirects")
        await driver.press("down", "enter")
        await wait_until(lambda: driver.app.current_mode != "overview")
        await driver.press("-")
        assert driver.app.screen is screen
        await wait_until(lambda: screen.row == check.found[1])


async def test_only_records_are_rows_and_what_all_have_in_common_is_said_once(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns", size=(200, 50)) as driver:
        await driver.settled()
        screen = await audited(driver)
        check = await shown(driver, screen, "Campaigns never used")
        assert [*screen.table.rows] == [*check.found]
        for size in ((200, 50), (140, 40), (100, 30)):
            await resize(driver.pilot, *size)
            await driver.wait_for("▶ Campaigns never used  no rotator, no known link · links are not listed")
            await wait_until(lambda: driver.text.count("no rotator, no known link") == 1)
            assert "? Campaigns" not in driver.text
            found = driver.text.partition("▶")[2]
            names = [suspect.name for suspect in check.found[:12]]
            assert [name for name in names if f"  {name}  " not in found] == []
        await resize(driver.pilot, 80, 24)
        row = screen.row
        assert row is not None
        told = {"Where": "Campaigns · enter goes there", "Not seen": "links are not listed"}
        for title, text in told.items():
            await wait_until(partial(_is_told, driver, title, text))
        assert driver.text.count("no rotator, no known link") == 1
        assert driver.text.count("links are not listed") == 1


def test_a_reason_is_in_common_only_where_all_findings_have_it() -> None:
    found = [Suspect("domains", id, "", why) for id, why in enumerate(["no root", "no root", "no 404"])]
    assert common_why(Check("Domains", "domains", found)) == ""
    assert common_why(Check("Domains", "domains", found[:2])) == "no root"
    assert common_why(Check("Domains", "domains")) == ""


async def test_reasons_that_differ_stand_in_their_rows(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains", size=(140, 40)) as driver:
        await driver.settled()
        screen = await audited(driver)
        check = await shown(driver, screen, "Domains lacking redirects")
        await driver.wait_for(check.found[0].why)
        lines = driver.lines
        for suspect in check.found:
            assert any(suspect.name in line and suspect.why in line for line in lines)


async def test_escape_leads_back_and_what_was_not_seen_to_where_it_is_loaded(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        screen = await audited(driver)
        for days in (90, 7, 30):
            await driver.press("t")
            await driver.wait_for(f"▌Codes silent for {days} days")
            assert screen.days == days
        await driver.press("escape")
        assert driver.screen.place_id == "account"

        screen = await audited(driver)
        await shown(driver, screen, "Codes in no channel")
        await driver.wait_for("Unknown: no channels are loaded.")
        await driver.wait_for("enter goes to Channels.")
        await driver.press("enter")
        await wait_until(lambda: driver.app.current_mode == "channels")


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
        checks = [Check("Domains lacking redirects", "campaigns", found, "no list"), Check("Other", "qr")]
        driver.app.screen.query_one(CheckLines).show(checks)
        await driver.wait_for("Domains lacking redirects ! 17 or more Other")


async def test_details_tell_what_the_table_has_no_room_for_as_soon_as_it_has_none(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns", size=(100, 30)) as driver:
        await driver.settled()
        screen = await audited(driver)
        await shown(driver, screen, "Campaigns never used")
        row = screen.row
        assert row is not None
        assert driver.text.count(row.facts) == 1
        screen.query_one("#list").styles.width = 50
        await wait_until(lambda: _is_told(driver, "Details", row.facts))
        screen.query_one("#list").styles.width = 100
        await wait_until(lambda: not _is_told(driver, "Details", row.facts))
