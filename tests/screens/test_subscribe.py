"""Subscribing users to plans: names to choose from, when it ends, and the user's row afterwards."""

import re
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.demo.server import Running
from linkdash.model.humanize import months_later
from linkdash.model.resources.plans import ends, expiry_words, shortest_term
from linkdash.model.writes.write_words import summary_of
from linkdash.screens.writes.bulk_job import JobScreen
from linkdash.widgets.panel import Window
from linkdash.widgets.text_page import LineList
from tests.conftest import RunApp
from tests.screens.driver import Driver, shown
from tests.screens.hand import Hand, stored
from tests.screens.test_outcomes import LOST_AFTERWARDS
from tests.service.visitor import Visitor
from tests.waiting import wait_until

NOW = datetime(2026, 11, 20, 9, 30)


async def asked(hand: Hand, *keys: str) -> str:
    """Press keys that lead to a question; what it says, with one blank between its columns."""
    return re.sub(" +", " ", await hand.ask(*keys))


async def agreed(hand: Hand, writes: int) -> str:
    """Save, agree to what is asked, and wait until so many writes are sent; return the question."""
    question = await asked(hand, "ctrl+s")
    await hand.press("y")
    await hand.sent(writes)
    return question


def looks_of(driver: Driver, label: str) -> set[str]:
    """The looks of the parts of a line that a question lists."""
    listed = driver.app.screen.query_one(LineList)
    line = next(line for line in listed.lines if line.strip().startswith(label))
    return {look for row in listed.rows_of(line, 200) for _, look in row}


@pytest.mark.parametrize(
    ("term", "own", "words"),
    [
        ("monthly", None, "about 2026-12-20, set by the service"),
        ("yearly", None, "about 2027-11-20, set by the service"),
        ("lifetime", None, "set by the service, which does not say how long a lifetime is"),
        ("lifetime", datetime(2026, 11, 20, 18), "2026-11-20, in 8 h"),
        ("monthly", datetime(2026, 12, 2), "2026-12-02, in 11 days"),
        ("monthly", datetime(2026, 11, 19), "2026-11-19, 33 h ago"),
        ("", None, ""),
        ("daily", None, ""),
    ],
)
def test_when_it_ends_is_told_in_words(term: str, own: datetime | None, words: str) -> None:
    assert expiry_words(term, own, NOW) == words


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)))
def test_a_year_is_later_than_a_month_and_neither_is_far_off(now: datetime) -> None:
    month, year = ends("monthly", now), ends("yearly", now)
    assert month is not None
    assert year is not None
    assert 28 <= (month - now).days <= 31
    assert 365 <= (year - now).days <= 366


async def test_the_time_left_is_marked_as_expected_and_counted_in_the_frame(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        before = await soon(driver)
        assert driver.table.move_to_key(4)
        assert "!" not in next(line for line in driver.records if "▌" in line)
        await hand.open("a")
        await hand.fill({"plan_id": "pro", "type": "monthly"})
        await agreed(hand, 1)
        await driver.wait_for("! ≈ 29 d")
        await driver.wait_for(f" {before + 1} in 30 days")


async def soon(driver: Driver) -> int:
    """The number of users who expire within 30 days, as the frame tells it."""
    await driver.wait_for(r" in 30 days")
    found = re.search(r"(\d+) in 30 days", driver.text)
    assert found is not None
    return int(found[1])


async def test_a_form_stands_beside_the_whole_list_also_where_that_has_few_rows(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="plans", size=(140, 40)) as driver:
        await driver.settled()
        await Hand(driver).open("a")
        beside = driver.screen.query_one("#list").region
        assert beside.height == driver.screen.pane.region.height


async def test_the_price_is_that_of_the_plan_highlighted_while_one_is_chosen(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        driver.table.move_to_key(3)
        await hand.open("a")
        costs = hand.form.query_one("#expiry")
        await wait_until(lambda: "Costs: 29.50 a month" in shown(costs), lambda: shown(costs))
        hand.row("plan_id").focus_input()
        await hand.press("p", "r", "o")
        await wait_until(lambda: "Costs: 9.00 a month" in shown(costs), lambda: shown(costs))
        await hand.press("x")
        await wait_until(lambda: "Costs: " not in shown(costs), lambda: shown(costs))
        await hand.press("escape")
        await wait_until(lambda: "Costs: 29.50 a month" in shown(costs), lambda: shown(costs))
        await hand.press("down", "down")
        await wait_until(lambda: "29.50" not in shown(costs), lambda: shown(costs))


@pytest.mark.nightly
async def test_users_are_subscribed_from_their_row_and_from_a_plan_and_made_on_one(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("j", "j", "j")
        user = driver.screen.row
        assert user is not None
        assert stored(service, "/api/users", user.id)["planid"] == 1
        await hand.open("a")
        assert f"Subscribe user {driver.screen.resource.name_of(user)} ({user.id})" in driver.text
        assert "+month  +year" in driver.text, "the keys of other things are not theirs"
        await hand.fill({"plan_id": "business", "type": "yearly"})
        in_a_year = f"{months_later(driver.app.session.local_time(), 12):%Y-%m-%d}"
        assert (
            shown(hand.form.query_one("#expiry"))
            == f"Costs: 295.00 a year · Ends: about {in_a_year}, set by the service"
        )
        assert "Price: 0.00 → 295.00 a year" in await agreed(hand, 1)
        after = stored(service, "/api/users", user.id)
        assert (after["planid"], after["expires"][:10]) == (3, "2027-09-21")
        assert " Business " in driver.records[4]
        assert f"Expires: ≈ {in_a_year}, an estimate: the service has not said it yet" in driver.details
        assert f"≈ {in_a_year}" in driver.records[4]
        assert driver.screen.table.notes == {user.id: "changed"}

        await hand.open("n")
        await hand.fill({"username": "anna.new", "email": "anna@example.org", "password": "geheim-1"})
        await hand.fill({"planid": "enter", "expiration": "2031-02-03"})
        assert hand.typed("planid") == "4"
        await hand.save()
        made = stored(service, "/api/users")
        assert (made["username"], made["planid"]) == ("anna.new", 4)
        assert made["expires"] == "2031-02-03 00:00:00"
        assert any("anna.new" in line and "2031-02-03" in line for line in driver.records)
        assert hand.writes == [f"PUT /api/plan/3/user/{user.id}", "POST /api/user/add"]
        lists = driver.asked.count("GET /api/users")

        await driver.go("plans")
        await hand.press("j")
        await hand.open("a")
        await hand.press("ctrl+s")
        assert hand.problems() == {"user_id": "Required", "type": "Required"}
        await hand.fill({"user_id": "lukasz.moreau", "type": "monthly"})
        hand.row("expiration").focus_input()
        await hand.press("y", "m")
        in_thirteen_months = str(months_later(driver.app.session.local_time(), 13))
        assert hand.typed("expiration") == in_thirteen_months
        await agreed(hand, 3)
        after = service.read("/api/user/3")["data"]
        assert (after["planid"], after["expires"]) == (2, in_thirteen_months)
        await driver.go("users")
        driver.table.move_to_key(3)
        await driver.pilot.pause()
        assert any("lukasz.moreau" in line and in_thirteen_months[:10] in line for line in driver.records)
        assert driver.asked.count("GET /api/users") == lists, "the row was patched, not asked for"


async def test_another_price_is_asked_about_and_what_may_be_unlimited_is_told_in_words(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="users", size=(80, 24)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        driver.table.move_to_key(3)
        await hand.open("a")
        await hand.fill({"plan_id": "enterprise", "type": "monthly", "expiration": "2040-01-01"})
        question = await asked(hand, "ctrl+s")
        assert "Plan: Business → Enterprise" in question
        assert "Price: 29.50 → 99.00 a month" in question
        assert not driver.app.screen.query_one(Window).has_class("-danger"), "nothing is lost"
        assert hand.writes == []
        await hand.press("y")
        await hand.sent(1)
        question = await asked(hand, "u")
        assert "Price: 99.00 a month → 799.00 for life" in question, "of the term that was sent"
        assert "Term: lifetime" in question
        await hand.press("escape")
        await hand.open("a")
        await hand.fill({"plan_id": "pro", "type": "monthly", "expiration": "2040-01-01"})
        lines = [line.strip("│ ") for line in (await asked(hand, "ctrl+s")).splitlines()]
        assert "Price: 99.00 → 9.00 a month" in lines
        assert "Links: 0 (unlimited?) → 1,000" in lines
        assert "Clicks: 0 (unlimited?) → 50,000" in lines
        no_unit = "(days or months: the service does not say)"
        assert f"Retention: 0 (unlimited?) → 90 {no_unit}" in " ".join(lines)
        assert driver.app.screen.query_one(Window).has_class("-danger")


async def test_what_a_subscription_takes_away_and_costs_is_told_and_asked(
    demo: Running, run_app: RunApp, service: Visitor
) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        driver.table.move_to_key(3)
        await hand.open("a")
        await hand.fill({"plan_id": "starter", "type": "yearly", "expiration": "2040-01-01"})
        question = await asked(hand, "ctrl+s")
        assert "→ Starter" in question
        assert "Price: 295.00 → 0.00 a year" in question
        words = " ".join(question.replace("│", " ").split())
        lost = "several users (5), splash pages (10), overlays (10), own domains (5), custom features"
        assert f"No longer: {lost}, multiple domains, custom alias" in words, "all that the matrix shows"
        assert "Links: 10,000 → 50 Clicks: 500,000 → 1,000 Retention: 365 → 14 (days or months: " in words
        assert driver.app.screen.query_one(Window).has_class("-danger")
        assert looks_of(driver, "Links:") == {"before", "lost"}
        assert looks_of(driver, "Price:") == {"before", "after"}, "a lower price is no loss"
        await hand.press("enter")
        assert hand.has_form(), "the safe answer leads back to what was typed"
        assert hand.typed("type") == "yearly"
        assert hand.writes == []
        await hand.fill({"plan_id": "business"})
        question = await asked(hand, "ctrl+s")
        assert "Plan: Business, as before" in question, "what is paid for is asked about, too"
        assert "Price: 295.00 a year" in question
        assert "→ 2040-01-01" in question
        assert not driver.app.screen.query_one(Window).has_class("-danger")
        await hand.press("y")
        await hand.sent(1)
        before = service.read("/api/user/3")["data"]
        await hand.open("a")
        await hand.fill({"plan_id": "business", "type": "monthly"})
        question = await asked(hand, "ctrl+s")
        assert "to plan 3 (Business), monthly?" in question
        assert f"Until: {before['expires'][:10]} → about " in question
        assert "days less" in question
        await hand.press("y")
        await hand.sent(2)
        assert service.read("/api/user/3")["data"]["expires"] != before["expires"]

        for id in (3, 4):
            driver.table.move_to_key(id)
            await hand.press("space")
        await hand.open("a")
        await hand.fill({"plan_id": "starter", "type": "yearly", "expiration": "2040-01-01"})
        question = await asked(hand, "ctrl+s")
        assert any("Price: 295.00 → 0.00 a year" in line for line in hand.listed)
        assert any(line == "    Links: 10,000 → 50" for line in hand.listed)
        assert sum(" to plan " in line for line in hand.listed) == 2
        assert question.count("Undo can only subscribe") == 1
        assert driver.app.screen.query_one(Window).has_class("-danger")
        assert len(hand.writes) == 2


async def test_a_subscription_from_the_list_of_plans_leads_back_by_undo(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    before = service.read("/api/user/3")["data"]
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.go("plans")
        await hand.press("escape")
        driver.table.move_to_key(2)
        await hand.open("a")
        await hand.fill({"user_id": "lukasz.moreau", "type": "lifetime"})
        await agreed(hand, 1)
        (entry,) = await driver.app.session.store.journal.recent()
        assert entry.intent.before == {"planid": before["planid"], "expires": before["expires"]}
        question = await asked(hand, "u")
        assert "Undo the subscription of lukasz.moreau?" in question, "asked at the user's row"
        assert "2 requests" in question, "the user is read before"
        assert f"→ {before['expires'][:10]}" in question
        await hand.press("y")
        await hand.sent(2)
        after = service.read("/api/user/3")["data"]
        assert (after["planid"], after["expires"]) == (before["planid"], before["expires"])
        (entry, *_) = await driver.app.session.store.journal.recent()
        assert summary_of(entry.intent).endswith(", as an undo"), (
            "its term is not known to be that from before"
        )
        question = await asked(hand, "u")
        assert "Term: lifetime" in question
        assert "does not tell" not in question, "the term was sent from here"
        await hand.press("escape")
        await wait_until(lambda: driver.app.current_mode == "plans")
        await driver.go("users")
        await hand.press("w")
        await hand.see("2 changes")
        await hand.press("j", "u")
        await wait_until(lambda: driver.toasts[-1].startswith("Nothing to undo"))
        question = await asked(hand, "k", "u")
        assert "Undo the subscription of lukasz.moreau?" in question, "and from the journal"
        assert "Plan: Business → Pro" in question
        await hand.press("y")
        await hand.sent(3)
        assert service.read("/api/user/3")["data"]["planid"] == 2
        (entry, *_) = await driver.app.session.store.journal.recent()
        assert summary_of(entry.intent).endswith("(Pro), lifetime, as before")


async def test_a_subscription_of_unknown_outcome_is_told_by_the_form_that_it_was_sent_from(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        driver.table.move_to_key(3)
        demo.service.faults.next("PUT", "/api/plan/*/user/*", LOST_AFTERWARDS)
        await hand.open("a")
        await hand.fill({"plan_id": "business", "type": "yearly"})
        await agreed(hand, 1)
        await driver.wait_for("Outcome unknown")
        await hand.open("a")
        await wait_until(lambda: "It may have been sent already" in driver.toasts[-1])
        driver.table.focus()
        await driver.go("plans")
        driver.table.move_to_key(2)
        demo.service.faults.next("PUT", "/api/plan/*/user/*", LOST_AFTERWARDS)
        await hand.open("a")
        await hand.fill({"user_id": "lukasz.moreau", "type": "lifetime"})
        await agreed(hand, 2)
        await driver.wait_for("Outcome unknown")
        await hand.open("a")
        await wait_until(lambda: "It may have been sent already" in driver.toasts[-1])
        driver.table.focus()
        await hand.press("w")
        await hand.see("subscribe user")
        await hand.press("f")
        await wait_until(lambda: "Done: " in driver.toasts[-1])
        drafts = await driver.app.session.store.drafts.all()
        assert [draft.form for draft in drafts] == ["users/assign/3"], "what was done is not offered again"


async def test_a_plan_change_is_shown_in_the_journal_and_leads_back_by_undo(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        driver.table.move_to_key(4)
        await hand.press("u")
        await wait_until(lambda: driver.toasts[-1].endswith("no change to undo."))
        before = service.read("/api/user/3")["data"]
        driver.table.move_to_key(3)
        await hand.open("a")
        await hand.fill({"plan_id": "pro", "type": "lifetime"})
        assert shown(hand.form.query_one("#expiry")).startswith("Costs: 249.00 for life · Ends: ")
        await agreed(hand, 1)
        row = next(line for line in driver.records if "lukasz.moreau" in line)
        assert "≈ pro" in row
        assert "never" not in row, "what the service has not said is no end that never comes"
        await hand.press("w")
        await hand.see("Business → Pro")
        assert any("Term" in line.split() for line in driver.lines), "by its title"
        assert f"{before['expires']} → ≈ lifetime" in driver.text
        await hand.press("escape")
        question = await asked(hand, "u")
        assert "Plan: Pro → Business" in question
        assert f"Until: ≈ lifetime → {before['expires'][:10]}" in question
        assert "Term: " in question
        assert "the service does not show the previous one" in question
        await hand.press("y")
        await hand.sent(2)
        after = service.read("/api/user/3")["data"]
        assert (after["planid"], after["expires"]) == (before["planid"], before["expires"])
        day = before["expires"][:10]
        await wait_until(lambda: f"lukasz.moreau, now Business, ends {day}, in " in driver.toasts[-1])


async def test_who_was_free_before_is_free_again_after_an_undo(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    users = service.read("/api/users?filter=free")["data"]
    free = next(one for one in users if one["planid"] == 1)
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        assert driver.table.move_to_key(free["id"])
        row_before = next(line for line in driver.records if free["username"] in line)
        await hand.open("a")
        await hand.fill({"plan_id": "pro", "type": "monthly"})
        await agreed(hand, 1)
        question = await asked(hand, "u")
        assert "Plan: Pro → Starter" in question
        assert "→ no end" in question
        assert "Term:" not in question
        await hand.press("y")
        await hand.sent(2)
        await wait_until(lambda: f"{free['username']}, now Starter, ends never" in driver.toasts[-1])
        row = next(line for line in driver.records if free["username"] in line)
        assert row.replace("~", " ").split() == row_before.split(), "as it was before"
        await hand.press("w")
        await hand.see("to plan Starter")
        assert any({"undo", free["username"]} <= {*line.split()} for line in driver.lines)
        await hand.press("escape")
        assert service.read(f"/api/user/{free['id']}")["data"]["expires"] is None


async def test_the_undo_whose_term_is_chosen_is_asked_told_and_kept_as_one(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    users = service.read("/api/users")["data"]
    over = next(one for one in users if one["expires"] and one["expires"] < "2026-09" and one["planid"] < 4)
    other = 2 if over["planid"] == 3 else 3
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        assert driver.table.move_to_key(over["id"])
        await hand.open("a")
        await hand.fill({"plan_id": str(other), "type": "monthly"})
        await agreed(hand, 1)
        await driver.wait_for(f"Subscribed  {over['username']}")
        await hand.open("u")
        await driver.wait_for(f"Undo the subscription of {over['username']}")
        await driver.wait_for("not saved")
        driver.table.focus()
        await hand.press("n")
        assert "A form is open: save or close it first." in driver.toasts[-1], "it is a form like any other"
        assert hand.form.title.startswith("Undo")
        hand.form.focus_step()
        await hand.fill({"plan_id": "4", "type": "monthly"})
        assert "Subscribe user " in await asked(hand, "ctrl+s"), "another plan is no undo"
        await hand.press("escape")
        await hand.opened()
        await hand.fill({"plan_id": str(over["planid"])})
        question = await agreed(hand, 2)
        assert f"Undo the subscription of {over['username']}?" in question
        await driver.wait_for(f"Undone  {over['username']}, now ")
        await hand.press("w")
        await driver.wait_for("undo user")
        assert any({"undo", over["username"]} <= {*line.split()} for line in driver.lines)
        assert "monthly, as an undo" in driver.text
        assert "as before" not in driver.text, "its term was chosen, and its end is another"


async def test_a_bulk_subscription_is_undone_as_one(demo: Running, service: Visitor, run_app: RunApp) -> None:
    def plans() -> list[tuple[object, object]]:
        users = [service.read(f"/api/user/{id}")["data"] for id in (3, 4)]
        return [(user["planid"], user["expires"]) for user in users]

    before = plans()
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("plans")
        for id in (3, 4):
            driver.table.move_to_key(id)
            await hand.press("space")
        await hand.open("a")
        await hand.fill({"plan_id": "pro", "type": "yearly"})
        await agreed(hand, 2)
        await driver.opened(JobScreen)
        await hand.see("2 done")
        question = await asked(hand, "u")
        assert "Undo the last subscription of 2 users?" in question
        assert "Plan: Pro → Business" in question
        await hand.press("y")
        await hand.sent(4)
        assert plans() == before


@given(st.datetimes(datetime(2026, 11, 21), datetime(2100, 1, 1)))
def test_the_shortest_term_that_reaches_an_end(end: datetime) -> None:
    term = shortest_term(end, NOW)
    if (last := ends(term, NOW)) is not None:
        assert end <= last
    if term != "monthly":
        assert end > months_later(NOW, 1)


async def test_who_takes_something_from_the_own_user_is_told_so_before(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("account", "plans")
        driver.table.move_to_key(1)
        await hand.open("a")
        await hand.fill({"plan_id": "starter", "type": "yearly"})
        question = await asked(hand, "ctrl+s")
        assert "dmitri.gruber is you." in question
        await hand.press("escape", "escape")
        assert hand.writes == []
