"""Four outcomes told apart: not sent, rejected, done, unknown; and drafts that survive what went wrong."""

from contextlib import ExitStack

import pytest

from linkdash.api.resources.users import User
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running, serve_in_thread
from linkdash.store.journal_entry import Outcome
from tests.conftest import RunApp, StartDemo
from tests.screens.driver import Driver
from tests.screens.hand import Hand, stored
from tests.service.visitor import Clock, Visitor
from tests.waiting import wait_until

LOST_AFTERWARDS = Fault(drop=True)
LOST_BEFORE = Fault(handled=False, drop=True)


async def outcomes(driver: Driver) -> list[str]:
    """Return what the journal says became of each change, oldest first."""
    entries = await driver.app.session.store.journal.recent()
    return [str(entry.outcome) for entry in reversed(entries)]


async def check(driver: Driver, words: str) -> None:
    """Check the change under the journal's cursor and wait for the answer."""
    await driver.press("f")
    await wait_until(lambda: driver.toasts and words in driver.toasts[-1])
    await driver.pilot.pause()


async def test_a_lost_answer_is_unknown_until_one_read_settles_it(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    faults = demo.service.faults
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        faults.next("POST", "/api/channel/add", LOST_AFTERWARDS)
        await hand.open("n")
        await hand.fill({"name": "News"})
        await hand.save()
        assert not hand.has_form()
        assert driver.toasts[-1].startswith("Outcome unknown w shows it; f there checks the outcome. ")
        assert "create channel" in driver.toasts[-1]
        assert "f there checks the outcome." in driver.lines[-1], "the next step is read at 80 columns, too"
        made = stored(service, "/api/channels")
        assert made["name"] == "News", "it did happen"

        faults.next("PUT", "/api/channel/*/update", LOST_BEFORE)
        changed = driver.screen.row
        assert changed is not None
        await hand.open("e")
        await hand.fill({"name": "Other"})
        await hand.save()
        assert driver.screen.table.notes == {changed.id: "unknown"}

        faults.next("DELETE", "/api/channel/*/delete", LOST_AFTERWARDS)
        await hand.press("j")
        deleted = driver.screen.row
        assert deleted is not None
        await hand.ask("d")
        await hand.press("y")
        await hand.sent(3)

        await hand.press("w")
        await hand.see("3 of unknown outcome: f checks")
        await check(driver, "Done: the record is gone.")
        await hand.press("j")
        await check(driver, "Not done: the record has its previous values.")
        await hand.press("j")
        await check(driver, f"Done: record {made['id']} has what was sent.")
        await hand.press("f")
        assert driver.toasts[-1].startswith("The outcome of this change is known")
        await hand.see("confirmed")

        await hand.press("escape")
        assert driver.screen.collection.listing.page_of(deleted.id) is None, (
            "the table shows what was found out"
        )
        await hand.open("n")
        assert hand.typed("name") == "", "what has happened after all is not offered again"
        await hand.press("escape")
        driver.table.move_to_key(changed.id)
        await hand.open("e")
        await wait_until(lambda: hand.typed("name") == "Other")  # what did not happen is
        assert len(hand.writes) == 3, "nothing was sent twice"
        assert await outcomes(driver) == [Outcome.UNKNOWN] * 3


@pytest.mark.nightly
async def test_what_was_typed_survives_a_lost_service_an_expired_key_and_the_end_of_the_program(
    run_app: RunApp,
) -> None:
    settings = DemoSettings(rate=1000, clock=Clock())
    with ExitStack() as services:
        demo = services.enter_context(serve_in_thread(settings))
        port = int(demo.base_url.rpartition(":")[2])
        async with run_app(demo, place="pixels") as driver:
            hand = Hand(driver)
            await driver.settled()
            pixel = driver.screen.row
            assert pixel is not None
            await hand.open("e")
            await hand.fill({"name": "Renamed"})
            services.close()
            await hand.save()
            assert "The service could not be reached: connection refused." in hand.note
            assert hand.typed("name") == "Renamed"

            demo = services.enter_context(serve_in_thread(settings, port))
            await hand.save()  # the key is one of the service before
            assert hand.note.startswith("The service refuses the key.")
            assert hand.typed("name") == "Renamed"
            assert await outcomes(driver) == [], "what could not be read was not sent"
            await hand.press("escape", "escape")
            assert hand.has_form(), "closing a changed form asks"

        async with run_app(demo, place="pixels") as driver:
            hand = Hand(driver)
            await driver.settled()
            await hand.open("e")
            await wait_until(lambda: driver.toasts and driver.toasts[-1].startswith("Draft from "))
            assert hand.typed("name") == "Renamed"
            await hand.save()
            assert len(hand.writes) == 1
            with Visitor(demo, demo.api_key) as service:
                assert stored(service, "/api/pixels", pixel.id)["name"] == "Renamed"
            await hand.open("e")
            assert not hand.form.changed, "what is saved is no draft any more"


async def test_an_unknown_outcome_is_marked_in_the_part_of_the_list_that_is_shown(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.press("c")
        await driver.settled()
        assert driver.screen.collection.part
        demo.service.faults.next("DELETE", "/api/user/*/delete", LOST_BEFORE)
        user = driver.screen.row
        assert isinstance(user, User)
        await hand.ask("d")
        await driver.press(*user.username)
        await driver.press("enter")
        await hand.sent(1)
        await wait_until(lambda: driver.screen.table.notes == {user.id: "unknown"})


async def test_what_is_said_to_be_saved_is_not_called_unsaved(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await hand.press("x")
        await driver.wait_for("✎ not saved")
        await hand.press("ctrl+s", "ctrl+s")
        seen = [driver.text]

        def is_saved() -> bool:
            seen.append(driver.text)
            return "✓  Saved" in seen[-1]

        await wait_until(is_saved)
        assert "not saved" not in seen[-1]


async def test_what_waits_for_its_turn_is_taken_back_to_the_form(
    start_demo: StartDemo, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=1))
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.fill({"type": "bing", "name": "News", "tag": "T-1"})
        await driver.press("ctrl+s")
        await wait_until(lambda: driver.app.session.gate.state.queued)
        assert hand.note == "Saving… esc cancels it while it is queued."
        await driver.press("escape")
        await wait_until(lambda: not hand.form.is_busy)
        assert hand.note == "Cancelled while it was queued. Nothing was sent."
        assert hand.typed("name") == "News"
        assert (hand.writes, await outcomes(driver)) == ([], [])


async def test_a_form_takes_back_nothing_but_what_it_saves(start_demo: StartDemo, run_app: RunApp) -> None:
    demo = start_demo(DemoSettings(rate=1))
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.ask("d")
        await hand.press("y")
        await wait_until(lambda: driver.app.session.gate.state.queued)
        await hand.open("n")
        await hand.fill({"type": "bing", "name": "News", "tag": "T-1"})
        hand.form.busy()  # as while it still reads what others have changed
        await driver.press("escape")
        assert hand.note == "Still saving: this stays open until there is an answer."
        assert [intent.action for intent in driver.app.session.writes.under_way] == ["delete"]
