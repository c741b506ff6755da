"""A selection across pages, the question before many writes, their progress and report, leaving meanwhile."""

import re

import pytest
from textual.widgets import Button

from linkdash.api.resources.channels import Channel
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.screens.lists.list_actions import UNDO
from linkdash.screens.windows.help import HelpScreen
from linkdash.screens.writes.bulk_job import ItemRow, JobScreen
from linkdash.store.jobs import Jobs
from linkdash.store.journal_entry import Author, WriteIntent
from linkdash.widgets.details import Details
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.frame.message_line import MessageKind
from linkdash.widgets.panel import Window
from tests.conftest import RunApp, StartDemo
from tests.screens.conftest import USERS
from tests.screens.driver import shown
from tests.screens.hand import Hand, stored
from tests.service.visitor import Visitor
from tests.waiting import resize, wait_until

NEVER = Fault(delay=3600)
"""The service does what it is asked to, and its answer does not come while the test runs."""


async def test_a_selection_holds_across_pages_until_its_job_is_begun(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space", "]")
        await driver.settled()
        await hand.press("space")
        selected = [130, 129, 30]
        assert driver.table.marks == set(selected)
        assert driver.status_line.startswith("3 selected")
        service.write("DELETE", "/api/pixel/129/delete")
        question = await hand.ask("d")
        assert all(f" ({id}) " in line for id, line in zip(selected, hand.listed, strict=True))
        assert hand.listed[0].split()[-1] == "TW-621316885", "what tells those of one name apart"
        assert "Delete 3 pixels?" in question
        assert "3 requests, now" in question
        assert "A delete cannot be undone." in question
        await hand.press("d", "enter")
        assert not hand.asks(), "the trigger did not confirm, and enter took the safe answer"
        await hand.ask("d")
        await hand.press("y")
        await hand.see("Finished · 2 done, 1 failed")
        assert "Pixel 129 was not found." in driver.text, "the report begins with what failed, and why"
        await hand.press("j")
        await hand.see("TW-621316885")  # all that is kept of what was deleted
        await hand.press("escape")
        assert driver.table.marks == frozenset(), "the job knows which one has failed"
        assert driver.screen.collection.listing.total == 128
        assert all(driver.screen.collection.listing.page_of(id) is None for id in (130, 30))
        assert sorted(hand.writes[1:]) == sorted(f"DELETE /api/pixel/{id}/delete" for id in selected)


async def test_a_mouse_button_that_is_held_stands_in_the_way_of_nothing(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        assert await driver.pilot.mouse_down("#list", offset=(8, 0))
        await driver.pilot.pause()
        await Hand(driver).ask("d")


async def test_however_many_are_to_be_deleted_the_answers_stay_in_sight(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("asterisk")
        for size in ((80, 24), (80, 20), (140, 40)):
            await resize(driver.pilot, *size)
            question = await hand.ask("d")
            assert f"Type {USERS} to continue:" in question
            assert f"{USERS} users can no longer log in" in question
            assert "Profile  tests · " in question
            assert f"{USERS} in all" in question
            assert not driver.app.screen.query_one("#page").show_horizontal_scrollbar or size[0] == 80
            assert "Cancel esc" in question
            assert f"Delete {USERS} enter" in question
            window, answers = (driver.app.screen.query_one(one).region for one in (Window, "#yes"))
            assert window.bottom - answers.bottom <= 2, "there is nothing but its border below them"
            await hand.press("escape")


async def test_a_question_is_as_wide_as_its_longest_line_and_red_only_for_what_is_gone(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space", "space")
        question = await hand.ask("d")
        places = [
            question.index(words) for words in ("will lead nowhere.", hand.listed[0], "Profile  ", "Cost  ")
        ]
        assert places == sorted(places), "what is lost, then names, then what is the same in every question"
        assert not any("QR code" in line for line in hand.listed), "the title says of what kind they are"
        assert driver.app.screen.query_one("#yes", Button).variant == "error"
        await hand.press("escape")
        await driver.go("pixels")
        await hand.press("space", "space")
        await hand.open("e")
        name = "A name that is longer than any window for questions has ever been wide, " * 2
        await hand.fill({"name": name.strip()[:90]})
        question = await hand.ask("ctrl+s")
        assert driver.app.screen.query_one("#yes", Button).variant == "primary"
        window = driver.app.screen.query_one(Window)
        assert 100 < window.size.width <= 140
        told = " ".join(" ".join(line.strip(" │") for line in question.splitlines()).split())
        assert all(" ".join(line.split()) in told for line in hand.listed), "no line is cut"


async def test_a_field_is_set_on_all_and_one_of_them_is_undone(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        public = {id: stored(service, "/api/campaigns", id)["public"] for id in (45, 44, 43)}
        assert public == {45: False, 44: True, 43: False}
        names = {id: stored(service, "/api/campaigns", id) for id in (45, 43)}
        await hand.press("space", "space", "space")
        await hand.open("e")
        await hand.press("ctrl+s")
        assert hand.note == "Nothing is filled in. Fill in what to change."
        await hand.fill({"public": "yes"})
        question = await hand.ask("ctrl+s")
        assert "Edit 3 campaigns: 2 changes?" in question, "one of them has it already"
        assert ["45" in hand.listed[0], "43" in hand.listed[2]] == [True, True], "as they were selected"
        assert hand.listed[1::2] == ["    Public: no → yes"] * 2, "each change in a line of its own"
        assert len(hand.listed) == 4
        assert "3 requests" in question, "the cost is that of the changes and of one read, not of the lines"
        assert "Public: yes" in question
        await hand.press("y")
        await hand.see("Finished · 2 done")
        assert [entry.members for entry in demo.service.log if entry.method == "PUT"] == [
            ("name", "public")
        ] * 2
        for id, before in names.items():
            after = stored(service, "/api/campaigns", id)
            assert after["public"] is True
            assert after.get("name", after.get("domain")) == before.get("name", before.get("domain"))
        await hand.press("B", "escape")
        assert driver.screen.place_id == "campaigns", "the bulk screen is not opened over itself"
        await hand.press("B", "w")
        driver.close_message()
        await hand.see("Go there")
        question = await hand.ask("u")
        assert "Undo the last edit of campaign" in question, "the change under the cursor, not its job"
        await hand.press("escape", "o")
        await wait_until(lambda: len(driver.app.screen_stack) == 1)
        assert driver.screen.place_id == "campaigns", "the journal leads there from anywhere"
        driver.table.move_to_key(43)
        await hand.ask("u")
        assert "Undo the last edit of campaign" in driver.text
        assert hand.listed == ["    Public: yes → no"]
        await hand.press("y")
        await hand.sent(3)
        assert stored(service, "/api/campaigns", 43)["public"] is False
        assert hand.writes.count("PUT /api/campaign/43/update") == 2


async def test_one_name_for_many_records_is_asked_about(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space", "space")
        await hand.open("e")
        await hand.fill({"name": "Twin", "slug": "twin"})
        question = await hand.ask("ctrl+s")
        assert "3 campaigns get the same name: Twin." in question
        assert "3 campaigns get the same rotator slug: twin." in question
        await hand.press("escape")
        await hand.fill({"name": "", "slug": "", "public": "yes"})
        assert "get the same" not in await hand.ask("ctrl+s")


async def test_of_several_selected_it_is_asked_also_where_only_one_changes(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space", "space")
        await hand.open("e")
        await hand.see("up to 4 requests")
        await hand.fill({"public": "no"})
        question = await hand.ask("ctrl+s")
        assert "Edit 3 campaigns: 1 change?" in question
        assert "Already so, not changed: " in question
        assert hand.listed[1:] == ["    Public: yes → no"]
        await hand.press("escape")
        assert not hand.writes
        await _save_as_job(hand)
        assert driver.table.marks == frozenset()
        assert stored(service, "/api/campaigns", 44)["public"] is False


async def test_a_form_whose_job_cannot_be_kept_says_so_and_can_be_sent_later(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        jobs = driver.app.session.store.jobs
        await hand.press("space", "space")
        await hand.open("e")
        await hand.fill({"public": "no"})
        await hand.ask("ctrl+s")
        await jobs._database.select("PRAGMA query_only = 1")
        await hand.press("y")
        await wait_until(lambda: hand.has_form() and not hand.form.is_busy, lambda: driver.text)
        assert hand.note.startswith("state.db: ")
        await jobs._database.select("PRAGMA query_only = 0")
        await _save_as_job(hand)


async def test_a_bulk_edit_is_undone_as_one_job_and_what_it_skipped_is_not_acted_on(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space", "space")
        await hand.open("e")
        await hand.fill({"public": "yes"})
        await hand.ask("ctrl+s")
        await hand.press("y")
        await hand.see("Finished · 2 done")
        await wait_until(lambda: driver.toasts[-1].endswith("2 done. u undoes them."))
        question = await hand.ask("u")
        assert "Undo the last edit of 2 campaigns?" in question
        assert "2 changes, 1 read · 3 requests" in question
        assert hand.listed[1::2] == ["    Public: yes → no"] * 2
        assert "(45)" in hand.listed[0] or " 45 " in hand.listed[0], "in the order of the job"
        await hand.press("y")
        await hand.sent(4)
        public = [stored(service, "/api/campaigns", id)["public"] for id in (45, 44, 43)]
        assert public == [False, True, False]
        await _is_said_to_be_undone(hand)
        await hand.press("5")
        await driver.settled()
        driver.table.move_to_key(45)
        await hand.press("space", "space")
        await hand.open("e")
        await hand.fill({"public": "yes"})
        await _save_as_job(hand)
        await hand.sent(5)
        assert driver.table.marks == frozenset(), "also where all but one had it already"
        driver.table.move_to_key(45)
        await hand.ask("u")
        await hand.press("escape")
        driver.table.move_to_key(44)
        await hand.press("space", "k", "k", "u")
        await wait_until(lambda: driver.toasts[-1].endswith(" (44): no change to undo."))


async def _save_as_job(hand: Hand) -> None:
    await hand.ask("ctrl+s")
    await hand.press("y")
    await hand.see("Finished · 1 done")
    await hand.press("escape")


async def _is_said_to_be_undone(hand: Hand) -> None:
    await hand.see("Finished · 2 done")
    await hand.press("escape")
    await hand.see("Undone at ")
    assert "gives back the values" not in hand.driver.text, "what was undone is not offered again"
    report = hand.driver.app.screen
    assert isinstance(report, JobScreen)
    assert report.standing_of(UNDO.binding) is None
    await hand.press("u")
    assert hand.driver.toasts[-1].startswith("Undone at ")


async def test_a_selection_is_named_by_the_keys_that_act_on_it_and_gone_after_a_create(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels", size=(110, 30)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space")
        await driver.painted()
        assert {"e Edit 2", "d Delete 2"} <= {*map(str.strip, re.split(r"\s{2,}", driver.lines[-1]))}
        assert driver.status_line.startswith("2 selected · esc clears · ")
        await hand.open("n")
        await hand.fill({"type": "gtmpixel", "name": "New one", "tag": "GTM-12345"})
        await hand.save()
        await driver.painted()
        assert driver.table.marks == frozenset()
        assert ("e", "Edit") in driver.app.screen.query_one(KeyLine).first(9)
        await hand.open("e")
        assert "▶ Edit New one" in driver.text


async def test_from_five_records_on_their_number_is_typed_and_hidden_ones_are_named(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press(*["space"] * 5, "slash", *"name:zzz", "enter")
        await driver.settled()
        driver.screen.collection.filter("id:130")
        await driver.pilot.pause()
        question = await hand.ask("d")
        assert "4 of them hidden by the filter." in question
        assert len(hand.listed) == 5, "hidden or not, each is named"
        assert "Type 5 to continue" in question
        assert {"Cancel", "Delete"} <= set(question.replace("(", " ").split()), "the buttons have room"
        await hand.press("y", "enter")
        assert hand.asks()
        await hand.press("escape")
        assert hand.writes == []
        assert driver.status_line.startswith("5 selected (4 hidden) · ")
        assert "esc clears" not in driver.status_line, "it clears the filter first"


async def test_a_job_that_ends_in_the_background_says_how_it_is_undone(
    start_demo: StartDemo, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    demo.service.faults.next("PUT", "/api/campaign/*", Fault(delay=0.5), times=2)
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space", "space")
        await hand.open("e")
        await hand.fill({"public": "yes"})
        await hand.ask("ctrl+s")
        await hand.press("y")
        await driver.opened(JobScreen)
        await hand.press("escape")
        await wait_until(lambda: "2 done. B, then u undoes them." in "".join(driver.toasts))
        await hand.press("B", "u")
        await hand.see("Undo the last edit of 2 campaigns")


@pytest.mark.nightly
async def test_a_job_that_was_stopped_says_how_it_goes_on(start_demo: StartDemo, run_app: RunApp) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    demo.service.faults.next("PUT", "/api/campaign/43/update", Fault(delay=2))
    async with run_app(demo, place="campaigns") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press(*["space"] * 5)
        await hand.open("e")
        await hand.fill({"public": "yes"})
        await hand.ask("ctrl+s")
        await hand.press("y")
        await hand.see("1 done")
        await hand.press("d")
        told = "Stopped: 2 done, 2 left. u undoes them, p resumes it."
        await wait_until(lambda: told in "".join(driver.toasts), lambda: f"{driver.toasts} {driver.text}")
        await driver.painted()
        assert "change under way" not in driver.text, "the status bar says no more than the job"
        await hand.press("g")
        await driver.painted()
        assert "Public  no → yes" in driver.text, "of what is to do, both values in words"
        await hand.press("p")
        await hand.see("Finished · 4 done")
        assert len(hand.writes) == 4


async def test_a_job_that_was_stopped_with_nothing_done_offers_no_undo(
    demo: Running, run_app: RunApp
) -> None:
    refused = Fault(handled=False, status=401, content=b"{}")
    demo.service.faults.next("PUT", "/api/campaign/45/update", refused)
    async with run_app(demo, place="campaigns", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space")
        driver.table.move_to_key(43)
        await hand.press("space")
        await hand.open("e")
        await hand.fill({"public": "yes"})
        await hand.ask("ctrl+s")
        await hand.press("y")
        await hand.see("Paused")
        steps = shown(driver.app.screen.query_one("#steps TickingLines"))
        assert "Paused: The service refuses the key." in steps, "whole, where its line would be cut"
        assert "the job goes on" not in steps
        assert "under way" not in steps
        await hand.press("d")
        await wait_until(lambda: "2 left" in driver.toasts[-1])
        assert driver.app.messages.kept[-1].kind is MessageKind.NOTE
        assert "undoes" not in driver.toasts[-1]
        steps = shown(driver.app.screen.query_one("#steps TickingLines"))
        assert "resumes the job: 2 of 2 left" in steps
        assert "discards what is left and this report" in steps
        assert "gives back" not in steps
        await hand.press("u")
        assert driver.toasts[-1] == "Only edits and subscriptions can be undone; none was done."


async def test_undo_takes_the_selected_records_not_the_one_under_the_cursor(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        before = stored(service, "/api/pixels", 130)["name"]
        await hand.open("e")
        await hand.fill({"name": "Another"})
        await hand.save()
        driver.close_message()
        await hand.press("j", "space", "space")
        await hand.see("e Edit 2")
        await wait_until(lambda: "u Undo" not in driver.text, lambda: driver.text)
        await hand.press("u")
        await hand.see("None of 2 pixels has a change that can be undone")
        await hand.press("escape", "escape", "g", "space", "space")
        driver.close_message()
        await hand.see("u Undo 1")
        question = await hand.ask("u")
        assert "Stays as it is" in question
        assert hand.listed == [f"    Name: Another → {before}"]
        await hand.press("y")
        await hand.sent(2)
        assert stored(service, "/api/pixels", 130)["name"] == before
        told = f"Undone {before}, Name: Another → {before} · u undoes it"
        await wait_until(lambda: told in driver.toasts, lambda: repr(driver.toasts))
        await hand.press("w")
        await hand.see(" undo ")


async def test_beside_the_report_of_a_job_stands_what_can_be_done_and_a_digit_leads_away_from_it(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await delete_two(hand)
        (head, *_) = [line for line in driver.lines if "Values" in line]
        assert "Name" in head
        assert "State" not in head, "all are done, which the frame says"
        await hand.see("Finished · 2 done · 2 requests")
        assert not any(line.title in ("Name", "Cost") for line in driver.app.screen.query_one(Details).lines)
        assert "What" not in head, "all of them do the same, which the title says"
        steps = shown(driver.app.screen.query_one("#steps TickingLines"))
        assert "A delete cannot be undone." in steps
        assert "d discards this report" in steps
        assert "gives back" not in steps
        await hand.press("u")
        assert driver.toasts[-1] == "A delete cannot be undone."
        await resize(driver.pilot, 80, 24)
        await driver.painted()
        assert "d  discards this report" in driver.text, "also where it is narrow"
        for back in (["7"], ["2", "7"]):
            report = driver.app.screen
            await hand.press(*back)
            await wait_until(lambda: driver.app.screen is driver.app.navigation.screen_of("pixels"))
            assert not report.is_attached
            await delete_two(hand)
        await hand.press("7")
        await hand.open("n")


async def test_undo_of_a_job_tells_nothing_of_what_was_not_done(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space")
        await hand.open("e")
        await hand.fill({"name": "Another"})
        await hand.ask("ctrl+s")
        demo.service.faults.next("PUT", "/api/pixel/129/update", Fault(handled=False, status=422))
        await hand.press("y")
        await hand.see("1 done, 1 failed")
        assert "Stays as it is" not in await hand.ask("u")


async def test_a_job_that_another_program_has_begun_to_run_is_not_discarded(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        hand, jobs = Hand(driver), driver.app.session.store.jobs
        await driver.settled()
        deletions = [WriteIntent("pixels", "delete", (id,), {}) for id in (1, 2)]
        job = await driver.app.session.jobs.create("delete 2 pixels", deletions)
        driver.app.push_screen(JobScreen(driver.app.session, job))
        await hand.see("d Discard")
        await hand.ask("d")
        assert await Jobs(jobs._database, jobs._profile, Author("ada", "laptop")).hold(job.id)
        await hand.press("y")
        await wait_until(lambda: any("ada@laptop runs this job" in toast for toast in driver.toasts))
        await hand.see("ada@laptop is running it")
        assert await jobs.load(job.id) is not None


async def test_one_key_shows_another_job(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space")
        await hand.open("e")
        await hand.fill({"tag": "T-1"})
        await hand.press("ctrl+s")
        await wait_until(hand.asks)
        await hand.press("y")
        await hand.see("Finished · 2 done")
        changed = [line for line in driver.lines if "Tag" in line and "→ T-1" in line]
        assert len(changed) == 3, "what was changed, in each row and of the item under the cursor"
        await hand.press("7")
        await hand.press("escape")
        await delete_two(hand)
        await hand.press("B")
        await hand.see("u  restores the previous values")
        assert "Edit 2 pixels" in driver.lines[0]
        await hand.ask("u")
        await hand.press("y")
        await hand.sent(6)
        await hand.see("Finished · 2 done")


async def delete_two(hand: Hand) -> None:
    """Delete the record under the cursor and the one below it, and wait for the report."""
    await hand.press("space", "space")
    await hand.ask("d")
    await hand.press("y")
    await hand.see("Finished · 2 done")


async def test_while_a_job_runs_what_went_wrong_and_what_is_sent_come_first_also_behind_a_window(
    start_demo: StartDemo, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    demo.service.faults.next("DELETE", "/api/pixel/128/delete", Fault(delay=2))
    async with run_app(demo, place="pixels", size=(120, 30)) as driver:
        hand = Hand(driver)
        await driver.settled()
        with Visitor(demo, demo.plain_key) as service:
            service.write("DELETE", "/api/pixel/130/delete")
        await hand.press(*["space"] * 4)
        await hand.ask("d")
        await hand.press("y")
        await driver.opened(JobScreen)
        report = driver.app.screen
        assert isinstance(report, JobScreen)
        table = report.table

        def states() -> list[str]:
            return [row.state for row in table.rows if isinstance(row, ItemRow)]

        await wait_until(lambda: "done" in states() and "sending" in states(), lambda: driver.text)
        assert states() == ["failed", "sending", "to do", "done"]
        assert table.cursor == 0, "the cursor that nobody moved stays on top"
        await hand.press("j")
        await wait_until(
            lambda: not any(one.is_running and one.name == "details" for one in driver.app.workers)
        )
        await driver.painted()
        assert "State  ▶ sending" in driver.text, "the journal tells of it once there is an outcome"
        await hand.press("?")
        await driver.opened(HelpScreen)
        await wait_until(lambda: states() == ["failed", "done", "done", "done"], lambda: driver.text)
        assert driver.app.screen.is_modal


async def test_how_long_a_job_takes_is_told_while_it_runs_and_not_while_it_waits(
    start_demo: StartDemo, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    demo.service.faults.next("DELETE", "/api/pixel/130/delete", NEVER)
    async with run_app(demo, place="pixels", size=(120, 30)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space", "space")
        await hand.ask("d")
        await hand.press("y")
        await hand.see("Running · 1 sending, 2 left")
        assert driver.status_line == "Running · 1 sending, 2 left · 2 requests, now"
        await hand.press("p")
        await hand.see("Paused, p resumes")
        assert driver.status_line == "Paused, p resumes · 1 sending, 2 left"


@pytest.mark.nightly
async def test_the_app_stays_usable_meanwhile_and_quitting_asks(
    start_demo: StartDemo, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=1000))
    demo.service.faults.next("DELETE", "/api/user/4/delete", NEVER)
    demo.service.faults.next("DELETE", "/api/channel/30/delete", NEVER)
    async with run_app(demo, size=(120, 30), place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("j", "j", "space", "space", "space")
        question = await hand.ask("d")
        assert "Type 3 to continue" in question, "of users the number is typed"
        assert driver.lines[-1].split() == ["esc", "Cancel"], "where something is typed, y is a letter"
        await hand.press("y", "enter")
        assert hand.asks()
        await hand.press("backspace", "3", "enter")
        await hand.see("Running · 1 done, 1 sending, 1 left")
        await hand.press("escape")
        await hand.see("▶ Delete 3 users")
        await driver.go("channels")
        assert "▶ Delete 3 users" in driver.text, "every screen has the progress"
        assert "1/3" in driver.text
        channel = driver.screen.row
        assert isinstance(channel, Channel)
        await hand.ask("d")
        await hand.press("y", "B")
        await hand.see("sending")
        await hand.press("p", "2")
        await wait_until(lambda: driver.app.current_mode == "domains")
        await hand.press("-")
        assert isinstance(driver.app.screen, JobScreen), "what is under way is there, as it was left"
        await hand.press("escape")
        await hand.see("· Delete 3 users")
        question = await hand.ask("q")
        assert hand.listed == ["delete user 4 (elif.petrova)", f"delete channel 30 ({channel.name})"]
        assert "1 item left" in question
        await hand.press("q", "enter")
        assert driver.app.is_running, "the safe answer has the focus"
        await hand.ask("q")
        await hand.press("y")
        await wait_until(lambda: not driver.app.is_running)
    assert driver.app.return_code == 0
    async with run_app(demo) as driver:
        hand = Hand(driver)
        await hand.see("Interrupted: Delete 3 users, 1 left")
        assert any("2 changes of unknown outcome" in told for told in driver.toasts)
        await hand.press("B")
        await driver.opened(JobScreen)
        await hand.press("2")
        await wait_until(lambda: driver.app.current_mode == "domains")
        await hand.press("-")
        assert isinstance(driver.app.screen, JobScreen), "also what was interrupted"
        assert hand.writes == [
            "DELETE /api/user/3/delete",
            "DELETE /api/user/4/delete",
            "DELETE /api/channel/30/delete",
        ]
