"""Every odd answer on a screen: it lives, says a sentence, sends nothing twice, and the budget still counts.

The table is that of the client; here it is what the user sees of each row.
"""

from functools import partial

import pytest

from linkdash.demo.server import Running
from tests.api.odd_answers import ROWS, Failure, deleted, domains, fault_of
from tests.conftest import RunApp
from tests.screens.driver import Driver, is_inert
from tests.screens.hand import Hand
from tests.waiting import wait_until

READS = [row for row in ROWS if row.look is domains and row.name != "nothing remaining"]
"""After that one the next request waits for a minute, as it should."""
WRITES = [row for row in ROWS if row.look is deleted]


def _has_said_more_than(driver: Driver, said: int) -> bool:
    return len(driver.toasts) > said


def complaints(driver: Driver, asked: int) -> list[str]:
    """Return what is wrong with the app after an answer that it asked for with one request."""
    budget = driver.app.session.gate.state
    checks = {
        "it ended": driver.app.is_running,
        "it says nothing": driver.state or driver.table.rows,
        "what it says acts on the terminal": all(map(is_inert, driver.toasts[-1:])),
        "it failed itself": "linkdash failed here" not in f"{driver.state} {driver.toasts[-1:]}",
        "it asked more than once": len(driver.asked) == asked,
        "a request is still counted as under way": budget.in_flight == 0,
        "requests wait": not budget.queued,
    }
    return [wrong for wrong, right in checks.items() if not right]


@pytest.mark.nightly
async def test_every_odd_answer_to_a_read_is_told_and_the_next_one_is_shown(
    demo: Running, run_app: RunApp
) -> None:
    wrong: dict[str, list[str]] = {}
    async with run_app(demo, size=(120, 30), place="domains") as driver:
        await driver.settled()
        for row in READS:
            asked = len(driver.asked)
            demo.service.faults.next("GET", "/api/domains", fault_of(row))
            await driver.refresh()
            found = complaints(driver, asked + 1)
            error = driver.screen.collection.listing.error
            told = error is not None and error.what in driver.toasts[-1]
            if isinstance(row.expected, Failure) and not told:
                found.append("no sentence")
            if found:
                wrong[row.name] = found
        await driver.refresh()
        assert len(driver.table.rows) == 12, "the service's own answer, after all of them"
        assert driver.state == ""
        assert list(driver.app.session.store.state_folder.glob("fault-*")) == []
    assert wrong == {}


@pytest.mark.nightly
async def test_every_odd_answer_to_a_write_is_told_and_nothing_is_sent_twice(
    demo: Running, run_app: RunApp
) -> None:
    wrong: dict[str, list[str]] = {}
    async with run_app(demo, size=(120, 30), place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        for sent, row in enumerate(WRITES, 1):
            said, asked = len(driver.toasts), len(driver.asked)
            demo.service.faults.next("DELETE", "/api/pixel/*", fault_of(row))
            await hand.ask("d")
            await hand.press("y")
            await hand.sent(sent)
            await wait_until(partial(_has_said_more_than, driver, said))
            found = complaints(driver, asked + 1)
            if found or len(hand.writes) != sent:
                wrong[row.name] = found
            await driver.press("j")
        assert len(set(hand.writes)) == len(WRITES), "no record was written to twice"
        assert list(driver.app.session.store.state_folder.glob("fault-*")) == []
    assert wrong == {}


def test_the_table_is_a_table() -> None:
    assert len(READS) + len(WRITES) >= 80
