"""The states every screen is designed for: loading, empty, filtered to empty, stale, error, and ready."""

import json

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.conftest import RunApp
from tests.screens.driver import KEYS, Driver, wait_until
from tests.screens.places import ACCOUNT, Place, every_place
from tests.service.visitor import Clock, Visitor

HELD_BACK = Fault(delay=3600)
"""An answer that does not come while the test runs."""
LOST = Fault(handled=False, drop=True)
NOTHING = Fault(content=json.dumps({"error": "0", "data": []}).encode())
WEB_PAGE = Fault(content=b"<!doctype html><title>Just a moment</title>", content_type="text/html")


def costs(place: Place, times: int = 1) -> list[str]:
    """What opening the app, opening the place and asking again costs: one request each."""
    rest = times - 1 if place.request == ACCOUNT else times
    return [ACCOUNT, *[place.request] * rest]


@every_place
async def test_loading(place: Place, demo: Running, run_app: RunApp) -> None:
    demo.service.faults.next("GET", place.path, HELD_BACK)
    async with run_app(demo) as driver:
        await driver.press(KEYS[place.id])
        await wait_until(lambda: driver.asked[-1:] == [place.request])
        assert driver.state.startswith("Loading… One request is on its way.")
        assert driver.truth == "loading…"
        assert "1 on the way" in driver.text
        assert driver.asked == costs(place)


@every_place
async def test_ready_with_the_services_own_records(
    place: Place, demo: Running, twin: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, size=(240, 50)) as driver:
        await driver.go(place.id)
        header, *rows = driver.records
        records = place.records(twin)
        assert header.split() == place.titles.split()
        assert len(rows) == min(len(records), driver.table.size.height - 1)
        for row, record in zip(rows, records, strict=False):
            assert all(text in row for text in place.texts(record))
        assert all(text in driver.details for text in place.texts(records[0]))
        assert driver.state == ""
        assert driver.asked == costs(place)


@every_place
async def test_what_is_there_stays_when_it_is_filtered_away_or_cannot_be_refreshed(
    place: Place, demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.go(place.id)
        rows = driver.records
        await driver.press("slash", "z", "q")
        assert driver.state.startswith(f'No {place.singular} that is loaded matches "zq". escape clears')
        assert 'filter "zq": 0 of' in driver.truth
        await driver.press("escape", "escape")
        assert (driver.records, driver.state) == (rows, "")
        app_clock.step(310)
        demo.service.faults.next("GET", place.path, LOST)
        await driver.press("r")
        await driver.settled()
        assert driver.records == rows
        assert "old, as of 5 min ago · not refreshed" in driver.truth
        assert driver.toasts == ["The connection broke before the answer came. Try again."]
        await driver.press("r")
        await driver.settled()
        assert (len(driver.records), driver.state) == (len(rows), "")
        assert driver.truth.endswith("as of now")
        assert driver.asked == costs(place, times=3)


@every_place
async def test_an_error_says_the_next_step_and_r_recovers_to_what_may_be_nothing(
    place: Place, demo: Running, run_app: RunApp
) -> None:
    demo.service.faults.next("GET", place.path, LOST)
    demo.service.faults.next("GET", place.path, NOTHING)
    async with run_app(demo) as driver:
        await driver.go(place.id)
        assert driver.state.startswith("The connection broke before the answer came.")
        assert driver.state.endswith("r tries again.")
        assert driver.asked == costs(place)
        await driver.press("r")
        await driver.settled()
        assert driver.state == f"There is no {place.singular} here. r asks again."
        assert driver.asked == costs(place, times=2)


async def test_a_screen_says_by_itself_that_it_has_become_old(
    demo: Running, app_clock: Clock, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        app_clock.step(7 * 60)
        await wait_until(lambda: "old, as of 7 min ago" in driver.truth)
        assert driver.screen.query_one("#truth").has_class("-stale")
        assert driver.asked == [ACCOUNT]


async def test_r_shows_that_it_is_asking_again(demo: Running, run_app: RunApp) -> None:
    demo.service.faults.next("GET", "/api/account", LOST)
    demo.service.faults.next("GET", "/api/account", HELD_BACK)
    async with run_app(demo) as driver:
        await driver.settled()
        assert "The connection broke" in driver.state
        await driver.press("r")
        assert driver.state.startswith("Loading…")


REFUSALS = [
    (WEB_PAGE, "This is no answer of the API but a web page (status 200). Check the address"),
    (Fault(content=b""), "This is no answer of the API but an empty answer (status 200)."),
    (Fault(content=b'{"error": 0, "data": {'), "This is no answer of the API but broken JSON"),
    (Fault(content=b'{"error": 1, "message": "[b]No[/i] \\u001b[2Jway"}'), "[b]No[/i] \N{REPLACEMENT CHARACTER}[2Jway"),
    (Fault(status=500, content=b"{}"), "The service failed (status 500). Try again later."),
    (Fault(status=401, content=b'{"error": 1}'), "The service refuses the key. Check the key."),
    (Fault(status=302, headers={"location": "https://x.example"}), "a redirect to https://x.example."),
]


async def test_every_failure_has_words_and_r_tries_again(demo: Running, run_app: RunApp) -> None:
    for fault, _ in REFUSALS:
        demo.service.faults.next("GET", "/api/account", fault)
    async with run_app(demo) as driver:
        for number, (_, words) in enumerate(REFUSALS, 1):
            await driver.settled()
            assert words in driver.state
            assert driver.state.endswith("r tries again.")
            assert len(driver.asked) == number
            await driver.press("r")
        await driver.settled()
        assert driver.state == ""
        assert "dmitri.gruber" in driver.text


@pytest.mark.parametrize("place", ["plans", "users"])
async def test_without_admin_rights_it_says_so_and_asks_no_more(
    place: str, demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, key=demo.plain_key) as driver:
        await driver.go(place)
        assert driver.state.startswith("This needs a key with admin privileges.")
        assert "r tries again" not in driver.state
        asked = driver.asked
        assert asked == [ACCOUNT, f"GET /api/{place}"]
        await revisit(driver, place)
        assert driver.asked == asked


async def revisit(driver: Driver, place: str) -> None:
    """Goes elsewhere and comes back."""
    await driver.go("account")
    await driver.go(place)
