"""The states every screen is designed for: loading, empty, filtered to empty, stale, error, and ready."""

import json
import re

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.lists.page_source import PageSource
from tests.conftest import RunApp
from tests.screens.clock import HoldingClock
from tests.screens.driver import Driver
from tests.screens.places import ACCOUNT, Place, every_place
from tests.service.visitor import Visitor
from tests.waiting import wait_until

FAILED = Fault(handled=False, status=500, content=b"{}")
"""Not tried again by itself, as a broken connection would be."""
NOTHING = Fault(content=json.dumps({"error": "0", "data": []}).encode())
WEB_PAGE = Fault(content=b"<!doctype html><title>Just a moment</title>", content_type="text/html")


@every_place
async def test_all_states_of_a_screen(
    place: Place, demo: Running, twin: Visitor, app_clock: HoldingClock, run_app: RunApp
) -> None:
    for fault in (FAILED, NOTHING, Fault(), FAILED):
        demo.service.faults.next("GET", place.path, fault)
    async with run_app(demo, size=(240, 16), place=place.id) as driver:
        await driver.settled()
        assert driver.state.startswith("The service failed (status 500).")
        assert driver.state.endswith("r tries again.")
        assert driver.status_line.startswith("nothing loaded")
        assert driver.asked == [place.request]

        with app_clock.held():
            await driver.press("r")
            assert driver.state.startswith("Loading…")
            assert driver.status_line.startswith("loading…")
        await driver.settled()
        assert driver.state == f"No {place.singular} yet. r refreshes."

        await driver.refresh()
        rows = driver.records
        assert_the_services_own(place, rows, driver, twin)
        assert (driver.state, driver.asked) == ("", [place.request] * 3)

        await driver.press("slash", "z", "q")
        await driver.settled()
        assert driver.state.startswith(f'No loaded {place.singular} matches "zq".')
        assert 'filter "zq": 0 of' in driver.status_line
        await driver.press("escape", "escape")
        assert (driver.records, driver.state) == (rows, "")

        names = driver.names
        app_clock.step(310)
        await driver.refresh()
        assert driver.names == names
        assert "old, as of 5 min ago · not refreshed" in driver.status_line
        assert "The service failed" in driver.toasts[-1]
        await driver.refresh()
        assert (len(driver.records), driver.state) == (len(rows), "")
        assert "· as of now" in driver.status_line
        assert driver.asked == [place.request] * 5


def assert_the_services_own(place: Place, rows: list[str], driver: Driver, service: Visitor) -> None:
    """The rows on the screen are the service's records in its order, under the right titles."""
    records = place.records(service)
    if place.id == "account":  # a page of facts
        assert all(text in driver.details for text in place.texts(records[0]))
        return
    assert rows[0].split() == place.titles.split()
    assert len(rows) == 1 + min(len(records), driver.table.size.height - 1)
    for row, record in zip(rows[1:], records, strict=False):
        assert all(text in row for text in place.texts(record))
    in_sight = f"{rows[1]}\n{driver.details}"  # what the row tells is not told again
    assert all(text in in_sight for text in place.texts(records[0]))


async def test_every_failure_has_words_also_one_of_the_program_and_r_tries_again(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fault, _ in REFUSALS:
        demo.service.faults.next("GET", "/api/account", fault)
    async with run_app(demo) as driver:
        for number, (_, words) in enumerate(REFUSALS, 1):
            await driver.settled()
            assert words in driver.state
            assert driver.state.endswith(MEND_KEY if "refuses the key" in words else "r tries again.")
            assert len(driver.asked) == number
            await driver.press("r")
        await driver.settled()
        assert driver.state == ""
        assert "dmitri.gruber" in driver.text

        with monkeypatch.context() as patch:
            patch.setattr(PageSource, "ask", broken)
            await driver.press(driver.key("domains"))
            await driver.settled()
        assert driver.state == (
            "linkdash failed while it read this list. Please report it with what you did. r tries again."
        )
        await wait_until(lambda: driver.toasts)
        assert driver.toasts[-1].startswith("linkdash failed here (ZeroDivisionError)")
        await driver.refresh()
        assert driver.state == ""
        assert len(driver.table.rows) == 12


MEND_KEY = ":, then Set up this profile, asks for it again."


async def broken(*_: object, **__: object) -> None:
    raise ZeroDivisionError


REFUSALS = [
    (WEB_PAGE, "This is not an answer of the API but a web page (status 200). Check the address"),
    (Fault(content=b""), "This is not an answer of the API but an empty answer (status 200)."),
    (Fault(content=b'{"error": 0, "data": {'), "This is not an answer of the API but broken JSON"),
    (
        Fault(content=b'{"error": 1, "message": "[b]No[/i] \\u001b[2Jway"}'),
        "[b]No[/i] \N{REPLACEMENT CHARACTER}[2Jway",
    ),
    (Fault(status=500, content=b"{}"), "The service failed (status 500). Try again later."),
    (Fault(status=401, content=b'{"error": 1}'), "The service refuses the key. Check the key."),
    (Fault(status=302, headers={"location": "https://x.example"}), "a redirect to https://x.example."),
]


async def test_without_admin_rights_two_screens_say_so_and_ask_no_more(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, key=demo.plain_key) as driver:
        for _ in range(2):
            for place in ("plans", "users"):
                await driver.go(place)
                assert driver.state.startswith("This needs a key with admin privileges.")
                assert "r tries again" not in driver.state
        assert driver.asked == [ACCOUNT, "GET /api/plans"], "one refusal tells for both"


async def test_a_list_says_by_itself_that_it_is_old_and_going_back_takes_its_error_away_alone(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    async with run_app(demo, size=(200, 24), place="domains") as driver:
        await driver.settled()
        asked = driver.asked
        app_clock.step(7 * 60)
        await wait_until(lambda: "old, as of 7 min ago" in driver.status_line)
        assert driver.status_tone == "warning"
        assert driver.asked == asked
        await driver.press("slash", *"mus", "enter")
        demo.service.faults.next("GET", "/api/domains", FAILED)
        await driver.refresh()
        assert "esc dismiss" in driver.text
        await driver.press("escape")
        assert "esc dismiss" not in driver.text
        assert 'filter "mus"' in driver.status_line
        await driver.press("S")
        assert "There is no order to reverse" in driver.text
        assert "dismiss" not in driver.text, "it goes by itself"
        await driver.press("escape")
        assert "filter" not in driver.status_line


async def test_the_account_is_a_page_of_facts(demo: Running, run_app: RunApp) -> None:
    """Without a table of one row, and with what is kept here of it."""
    async with run_app(demo, size=(140, 40), place="domains") as driver:
        await driver.settled()
        await driver.go("account")
        await driver.wait_for("readings of ")
        assert not driver.screen.query_one("#list").display
        facts = dict(line.split(": ", 1) for line in driver.details.splitlines() if ": " in line)
        assert " in 60 s" in facts["Requests"]
        await driver.go("plans")
        await driver.settled()
        await driver.go("users")
        await driver.settled()
        await driver.go("account")
        await wait_until(lambda: "990.00 yearly" in driver.details and "geo targeting" in driver.details)
        assert " 0 pages" not in driver.details
        assert re.fullmatch(r"━*╸?─* {2}[\d,]+ days left {2}\d+ % gone", facts["Term"])
        assert "QR codes, 7 days" not in driver.text
        assert driver.screen.pane.region.size == driver.screen.query_one("#work").region.size
        once = (facts["E-mail"], facts["Registered"])
        await wait_until(lambda: all(driver.text.count(value) == 1 for value in once))
