"""A record that others change while it is edited: theirs stays, or the user is asked, with three sides."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.conftest import RunApp
from tests.postgres import PostgresServer
from tests.screens.hand import Hand, stored
from tests.screens.two_desks import two_desks
from tests.service.visitor import Visitor
from tests.waiting import wait_until

PIXEL = 130
PATH = f"/api/pixel/{PIXEL}/update"
NAME = "Kita Sonnenblume season tickets"


@pytest.fixture
def other(demo: Running) -> Visitor:
    """Somebody else with a key of the same account."""
    return Visitor(demo, demo.api_key)


@asynccontextmanager
async def on_pixels(demo: Running, run_app: RunApp, other: Visitor) -> AsyncIterator[Hand]:
    """The list of pixels, which somebody else can change."""
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        with other:
            yield Hand(driver)


async def rename(hand: Hand, name: str = "Mine") -> None:
    """Type another name into the form of the record under the cursor, and do not save it."""
    await hand.open("e")
    await hand.fill({"name": name})


def pixel(other: Visitor) -> tuple[str, str]:
    found = stored(other, "/api/pixels", PIXEL)
    return found["name"], found["tag"]


async def test_what_was_left_alone_is_sent_as_it_is_now_and_what_others_changed_too_is_asked_about(
    demo: Running, other: Visitor, run_app: RunApp
) -> None:
    async with on_pixels(demo, run_app, other) as hand:
        await hand.open("e")
        await hand.see("2 requests")
        await hand.fill({"name": "Mine"})
        other.write("PUT", PATH, {"tag": "NEW-1"})
        asked = len(hand.driver.asked)
        await hand.save()
        assert hand.driver.asked[asked:] == ["GET /api/pixels?limit=100&page=1", f"PUT {PATH}"]
        assert pixel(other) == ("Mine", "NEW-1")

        await rename(hand, "Mine again")
        other.write("PUT", PATH, {"name": "Theirs", "tag": "NEW-2"})
        await hand.press("ctrl+s")
        question = await hand.ask("ctrl+s")
        assert "Changed on the service since" in question
        assert hand.listed == ["    Name: Mine → Theirs → Mine again"]
        await hand.press("enter")
        await wait_until(lambda: hand.has_form() and not hand.form.is_busy)
        assert pixel(other) == ("Theirs", "NEW-2"), "enter took the safe answer"
        assert hand.typed("name") == "Mine again"
        await hand.press("ctrl+s")
        await hand.ask("ctrl+s")
        other.write("PUT", PATH, {"name": "Theirs, later", "tag": "NEW-3"})
        await hand.press("y")
        later = ["    Name: Mine → Theirs, later → Mine again"]
        await wait_until(lambda: hand.asks() and hand.listed == later)
        assert pixel(other) == ("Theirs, later", "NEW-3"), "also while the question is open"
        await hand.press("y")
        await hand.sent(5)
        assert pixel(other) == ("Mine again", "NEW-3")


async def test_a_record_that_has_moved_to_another_page_is_found_there(
    demo: Running, other: Visitor, run_app: RunApp
) -> None:
    async with on_pixels(demo, run_app, other) as hand:
        await rename(hand)
        for number in range(100):
            body = {"type": "bing", "name": f"Newer {number}", "tag": str(70_000_000 + number)}
            other.write("POST", "/api/pixel/add", body)
        await hand.save()
        rows = other.read("/api/pixels?limit=100&page=2")["data"]["pixels"]
        assert next(row["name"] for row in rows if row["id"] == PIXEL) == "Mine"


async def test_a_record_that_cannot_be_read_or_is_gone_is_not_written(
    demo: Running, other: Visitor, run_app: RunApp
) -> None:
    async with on_pixels(demo, run_app, other) as hand:
        await rename(hand)
        demo.service.faults.next("GET", "/api/pixels", Fault(delay=3600))
        reads = len(hand.driver.asked)
        await hand.press("ctrl+s", "ctrl+s")
        await wait_until(lambda: len(hand.driver.asked) > reads)
        await hand.press("escape")
        await wait_until(lambda: not hand.form.is_busy)
        assert hand.note.startswith("Cancelled")
        assert (hand.typed("name"), hand.writes) == ("Mine", [])
        demo.service.faults.next("GET", "/api/pixels", Fault(status=503))
        await hand.save()
        assert hand.note != ""
        other.write("DELETE", f"/api/pixel/{PIXEL}/delete")
        await hand.save()
        assert hand.note.startswith(f"Not found: pixel {NAME} ({PIXEL})")
        assert hand.typed("name") == "Mine"
        assert len(hand.writes) == 1, "theirs"


async def test_of_a_bulk_edit_what_others_have_changed_is_left_out_and_asked_about_once_at_the_end(
    demo: Running, other: Visitor, run_app: RunApp
) -> None:
    async with on_pixels(demo, run_app, other) as hand:
        await edit_three(hand, "Same")
        other.write("PUT", PATH, {"name": "Theirs", "tag": "NEW-1"})
        other.write("PUT", "/api/pixel/129/update", {"tag": "NEW-2"})
        asked = len(hand.driver.asked)
        await hand.press("y")
        await hand.see("Others have changed 1 of 3")
        writes = [f"PUT /api/pixel/{id}/update" for id in (129, 128)]
        assert hand.driver.asked[asked:] == ["GET /api/pixels?limit=100&page=1", *writes]
        assert hand.listed[1:] == [f"    Name: {NAME} → Theirs → Same"]
        await hand.press("escape")
        await hand.see("Stopped, p resumes it · 2 done, 1 left")
        assert pixel(other) == ("Theirs", "NEW-1")
        changed = stored(other, "/api/pixels", 129)
        assert (changed["name"], changed["tag"]) == ("Same", "NEW-2")
        await hand.press("p")
        await hand.see("Others have changed 1 of 3")
        await hand.press("y")
        await hand.see("Finished · 3 done")
        assert pixel(other) == ("Same", "NEW-1")


async def test_after_a_stop_nothing_is_asked_and_a_newer_change_is_asked_about_in_turn(
    demo: Running, other: Visitor, run_app: RunApp
) -> None:
    async with on_pixels(demo, run_app, other) as hand:
        await edit_three(hand, "Same")
        jobs = hand.driver.app.session.jobs
        for id in (PIXEL, 128):
            other.write("PUT", f"/api/pixel/{id}/update", {"name": "Theirs", "tag": "NEW-1"})
        unwatch = hand.driver.app.session.job_changes.watch(lambda: jobs.stop() if jobs.clashes else None)
        await hand.press("y")
        await hand.see("Stopped, p resumes it · 3 left")
        await hand.driver.painted()
        unwatch()
        assert not hand.asks()
        await hand.press("p")
        await hand.see("Others have changed 2 of 3")
        other.write("PUT", PATH, {"name": "Theirs, later", "tag": "NEW-1"})
        await hand.press("y")
        await hand.see("Others have changed 1 of 3")
        assert hand.listed[1:] == [f"    Name: {NAME} → Theirs, later → Same"]
        assert pixel(other) == ("Theirs, later", "NEW-1")


async def edit_three(hand: Hand, name: str) -> None:
    """Give the first three records another name, as far as the question about it."""
    await hand.press("space", "space", "space")
    await hand.open("e")
    await hand.fill({"name": name})
    await hand.ask("ctrl+s")


async def test_undo_touches_its_members_alone_and_asks_where_they_were_changed_since(
    demo: Running, other: Visitor, run_app: RunApp
) -> None:
    async with on_pixels(demo, run_app, other) as hand:
        await rename(hand)
        await hand.save()
        other.write("PUT", PATH, {"tag": "NEW-1"})
        await hand.ask("u")
        await hand.press("y")
        await wait_until(lambda: pixel(other) == (NAME, "NEW-1"))
        await hand.sent(2)
        await hand.open("e")
        await hand.fill({"name": "Again"})
        await hand.save()
        other.write("PUT", PATH, {"name": "Theirs", "tag": "NEW-1"})
        await hand.press("r")
        await hand.see("Theirs")
        await hand.ask("u")
        await hand.press("y")
        await wait_until(lambda: hand.asks() and " anyway?" in hand.driver.text)
        assert hand.listed == [f"    Name: Again → Theirs → {NAME}"]
        await hand.press("escape")
        await hand.driver.settled()
        assert not hand.has_form()
        assert pixel(other) == ("Theirs", "NEW-1")


async def test_whose_change_it_was_is_told_where_a_team_has_one_journal(
    demo: Running, run_app: RunApp, postgresql: PostgresServer
) -> None:
    async with two_desks(demo, run_app, postgresql, "pixels") as (mine, theirs):
        await mine.open("e")
        await mine.fill({"name": "From the desk"})
        await theirs.open("e")
        await theirs.fill({"name": "From the laptop"})
        await theirs.save()
        await mine.press("ctrl+s")
        question = await mine.ask("ctrl+s")
        assert "Changed by laptop@laptop at" in question
        assert mine.listed == [f"    Name: {NAME} → From the laptop → From the desk"]


async def test_what_a_colleague_changes_while_the_question_is_open_stays(
    demo: Running, other: Visitor, run_app: RunApp, postgresql: PostgresServer
) -> None:
    async with two_desks(demo, run_app, postgresql, "pixels") as (mine, theirs):
        with other:
            await mine.open("e")
            await mine.fill({"name": "From the desk"})
            other.write("PUT", PATH, {"name": "Elsewhere", "tag": pixel(other)[1]})
            await mine.press("ctrl+s")
            await mine.ask("ctrl+s")
            await theirs.open("e")
            await theirs.fill({"tag": "HER-TAG"})
            await theirs.save()
            await mine.press("y")
            await mine.sent(3)
            assert pixel(other) == ("From the desk", "HER-TAG")
