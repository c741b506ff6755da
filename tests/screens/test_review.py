"""The review of users: from what is loaded, without a request, and back into the list with a selection."""

import csv
from pathlib import Path

import pytest

from linkdash.demo.server import Running
from linkdash.model.insight.review import WEEKS
from linkdash.screens.insight.review import ReviewScreen, UserRow
from linkdash.widgets.form.field_rows import FieldRow
from linkdash.widgets.menu import LineMenu
from linkdash.widgets.styled_text import Tone
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.exports import downloads_folder, export, files
from tests.screens.hand import Hand, stored
from tests.service.visitor import Visitor
from tests.waiting import resize, wait_until
from tests.widgets.sample import drawn


async def review(driver: Driver) -> ReviewScreen:
    await driver.press("V")
    screen = driver.app.screen
    assert isinstance(screen, ReviewScreen)
    await wait_until(lambda: screen.finding is not None)
    return screen


def _ends_with_plans(screen: ReviewScreen) -> bool:
    """Return whether weeks take just the room that the other findings leave."""
    return screen.query_one("#plan").region.bottom == screen.query_one("#found").region.bottom


async def test_weeks_that_are_cut_say_in_their_frame_how_many_users_expire_after_them(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="plans") as driver:
        await driver.settled()
        await driver.go("users")
        screen = await review(driver)
        now = driver.app.session.local_time()
        users = driver.app.session.collection("users").records
        coming = sum(u.expires is not None and u.expires > now for u in users)
        weeks = [int(line.split()[-1]) for line in drawn(screen.query_one("#week-lines", LineMenu))]
        told = f"─Expiring by week  {coming - sum(weeks):,} later─"
        await wait_until(lambda: told in driver.text, lambda: f"{told}\n{driver.text}")
        await resize(driver.pilot, 100, 30)
        await driver.press("home")
        assert "Until" not in drawn(screen.table)[0], "how long ago they ended takes the room"
        await driver.press("down")
        assert "Until" in drawn(screen.table)[0], "and what ends soon does not"
        await resize(driver.pilot, 140, 40)
        await driver.wait_for("─ Expiring by week ─")


async def test_findings_are_counted_and_lead_to_their_users_and_to_plans(
    demo: Running, run_app: RunApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = downloads_folder(tmp_path, monkeypatch)
    async with run_app(demo, size=(140, 40), place="plans") as driver:
        await driver.settled()
        await driver.go("users")
        asked = len(driver.asked)
        screen = await review(driver)
        users = driver.app.session.collection("users").records
        now = driver.app.session.local_time()
        expired = [u for u in users if u.status == "pro" and u.expires is not None and u.expires < now]
        assert screen.finding is not None
        assert screen.finding.title == "expired, still pro"
        assert {user.id for user in screen.finding.users} == {user.id for user in expired}
        assert drawn(screen.menu)[0].split() == ["!", "expired,", "still", "pro", str(len(expired))]
        assert "d ago" in driver.text
        assert len(drawn(screen.query_one("#week-lines", LineMenu))) > WEEKS
        coming = sum(u.expires is not None and u.expires > now for u in users)
        for size in ((80, 24), (100, 30), (200, 50), (140, 40)):
            await resize(driver.pilot, *size)
            await wait_until(lambda: _ends_with_plans(screen), lambda: driver.text)
        *weeks, after = [line.split() for line in drawn(screen.query_one("#week-lines", LineMenu))]
        assert (after[0], sum(int(line[-1]) for line in (*weeks, after))) == ("later", coming)
        fullest = len(max(weeks, key=lambda line: int(line[-1]))[2])
        assert fullest == max(len(line[2]) for line in weeks if line[-1] != "0") > 20, (
            "the longest takes its room"
        )
        assert all(f"─ {title} ─" in driver.text for title in ("Expiring by week", "By status", "By plan"))
        tones = [line.left(40)[-1].tone for line in screen.query_one("#week-lines", LineMenu).entries[:-1]]
        assert tones == [Tone.WARNING] * 5 + [Tone.TREND] * (len(weeks) - 5), "what a month reaches into"
        assert f"{len(expired)} of {len(users):,} users" in driver.text
        await driver.press("down")
        assert screen.finding.title == "expires within 7 days"
        await driver.press("up", "up")
        assert screen.finding.title == "plan Starter", "over the end of the first panel comes the last"
        await driver.press("tab")
        assert screen.table.has_focus
        assert screen.finding.title == "plan Starter", "the list of the group that was left"
        await driver.press("tab")
        await driver.press("up", "up", "up")
        assert "─ Plan Business ─" in driver.text, "a name stays as it is written"
        business = [user for user in users if user.planid == 3]
        assert drawn(screen.menu)[0].split()[-3:] == [
            f"{len(business)}",
            f"{len(business) / len(users) * 100:.0f}",
            "%",
        ]
        await driver.press("enter")
        assert screen.table.has_focus, "each line is a way in"
        assert len(screen.table.rows) == len(business)
        assert len(driver.asked) == asked
        await _leads_to_a_user_and_a_plan(driver, screen)
        await export(driver, "Shown", "CSV to a file")
        await review(driver)
        await export(driver, "Users", "CSV to a file")
        for path in files(folder):
            rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
            named = {(row["planid"], row["plan"]) for row in rows}
            assert ("3", "Business") in named, "the plan by its name beside its id"
        assert len(files(folder)) == 2


async def _leads_to_a_user_and_a_plan(driver: Driver, screen: ReviewScreen) -> None:
    await driver.press("escape")
    assert screen.menu.has_focus
    await driver.press("enter", "j")
    wanted, finding = screen.table.cursor_key, screen.finding
    await driver.press("enter")
    await wait_until(lambda: driver.app.screen is not screen)
    await driver.settled()
    assert driver.screen.row is not None
    assert driver.screen.row.id == wanted
    assert not driver.screen.collection.selection
    await driver.press("escape")
    await driver.opened(ReviewScreen)
    back = driver.app.screen
    assert isinstance(back, ReviewScreen)
    await wait_until(lambda: back.table.cursor_key == wanted and back.table.has_focus)
    assert back.finding == finding, "back where the user was opened from"
    await driver.press("escape")
    screen = back
    assert screen.finding is not None
    await driver.press("f")
    await wait_until(lambda: driver.app.current_mode == "plans")
    await driver.settled()
    assert driver.table.cursor_key == screen.finding.users[0].planid
    await driver.press("escape")
    await wait_until(lambda: driver.app.screen is screen)
    assert not driver.toasts, "it is still there, as it was left"
    await driver.press("1", "0")
    assert driver.app.screen is screen
    assert driver.toasts[-1] == "This is as you left it; press 0 again for the list."
    await driver.press("0")
    assert driver.screen.place_id == "users", "a digit leads to the list itself"


async def test_a_user_of_a_finding_is_subscribed_whatever_is_selected_in_the_list(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.press("space", "space")
        screen = await review(driver)
        await driver.painted()
        keys = driver.lines[-1]
        assert all(key in keys for key in ("a Subscribe", "tab Next", "* Select", "f Plan")), keys
        assert screen.menu.has_focus
        all_of_them = screen.table.rows
        await driver.press("p")
        plan = next(row.plan for row in screen.table.rows if isinstance(row, UserRow))
        assert 0 < len(screen.table.rows) < len(all_of_them)
        assert {row.plan for row in screen.table.rows if isinstance(row, UserRow)} == {plan}
        await driver.wait_for(f" · {plan}")
        while len(screen.table.rows) < len(all_of_them):
            await driver.press("p")
        await driver.press("enter", "j")
        row = screen.table.cursor_row
        assert isinstance(row, UserRow)
        await hand.open("a")
        await driver.wait_for(f"Subscribe user {row.username}")


async def test_a_plan_is_lowered_from_a_finding_in_a_few_keys_that_lead_back_to_it(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        screen = await review(driver)
        await driver.painted()
        row = screen.table.cursor_row
        assert isinstance(row, UserRow)
        assert screen.menu.has_focus, "the cursor of the table names a user all the same"
        await hand.open("a")
        await hand.see("then back to Users · review")
        assert [one.field.name for one in hand.form.query(FieldRow)] == ["plan_id", "type", "expiration"]
        assert (hand.typed("plan_id"), hand.typed("type")) == (str(row.user.planid), "monthly")
        await hand.press("s", "t")
        await hand.ask("ctrl+s")
        await hand.press("y")
        await hand.sent(1)
        assert stored(service, "/api/users", row.user.id)["planid"] == 1
        await driver.opened(ReviewScreen)
        await driver.wait_for(f"Subscribed  {row.username} · u undoes it")


async def test_a_subscription_from_a_finding_is_undone_there_and_its_end_that_is_over_is_told(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.press("space", "space")
        screen = await review(driver)
        await driver.press("tab")
        row = screen.table.cursor_row
        assert isinstance(row, UserRow)
        user, other = row.user, screen.table.rows[1]
        assert isinstance(other, UserRow)
        await hand.open("a")
        await hand.fill({"plan_id": "enterprise"})
        await hand.ask("ctrl+s")
        await hand.press("y")
        await hand.sent(1)
        await driver.opened(ReviewScreen)
        await driver.wait_for(f"Subscribed  {user.username} · u undoes it")
        after = driver.app.screen
        assert isinstance(after, ReviewScreen)
        await wait_until(lambda: after.menu.has_focus)
        assert user.id not in [one.user.id for one in after.table.rows if isinstance(one, UserRow)]
        await hand.open("u")
        assert user.expires is not None
        told = f"It had ended on {user.expires:%Y-%m-%d}; that end does not come back."
        await driver.wait_for(told)
        assert hand.typed("plan_id") == str(user.planid)
        assert hand.row("type").has_focus_within, "the first that is left to fill in"
        await hand.fill({"type": "monthly"})
        await hand.ask("ctrl+s")
        await hand.press("y")
        await hand.sent(2)
        assert stored(service, "/api/users", user.id)["planid"] == user.planid
        await driver.opened(ReviewScreen)
        again = await hand.ask("u")
        assert f"Undo the subscription of {user.username}?" in again
        await hand.press("escape")
        await driver.opened(ReviewScreen)


@pytest.mark.nightly
async def test_a_finding_becomes_the_selection_of_the_whole_list(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        await driver.press("space", "c")
        await driver.settled()
        await driver.wait_for("Users › admin")
        screen = await review(driver)
        finding = screen.finding
        assert finding is not None
        await driver.press("*")
        await wait_until(lambda: driver.app.screen is not screen)
        await driver.settled()
        await driver.wait_for("Users › all classes")
        assert f"{len(finding.users)} selected" in driver.status_line
        assert {user.id for user in driver.screen.targets} == {user.id for user in finding.users}
        await driver.press("a")
        await driver.wait_for(f"Subscribe {len(finding.users)} users")
        hand = Hand(driver)
        await wait_until(hand.has_form)
        await hand.fill({"type": "monthly"})
        await hand.ask("ctrl+s")
        plans = {
            (f"{user.username} ({user.id}) to plan ", f"({user.planid}), monthly") for user in finding.users
        }
        heads = [line for line in hand.listed if not line.startswith(" ")]
        assert len(heads) == len(plans) == len(finding.users)
        kept = {(name, end) for name, end in plans for line in heads if name in line and line.endswith(end)}
        assert kept == plans, "each keeps their own plan"
        await hand.press("escape")
        assert hand.writes == []


async def test_where_no_users_are_known_it_says_how_to_get_them_and_what_an_earlier_run_kept_is_enough(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        asked = len(driver.asked)
        screen = ReviewScreen(driver.app.session)
        driver.app.push_screen(screen)
        await driver.wait_for("No users are loaded.")
        screen.post_message(LineMenu.Left(screen.query_one("#finding-lines", LineMenu), 1))
        await driver.pilot.pause()
        assert driver.app.screen is screen, "a key at the end of lines that have gone is no fault"
        await driver.press("*")
        assert "No users are loaded." in driver.toasts[-1]
        await driver.press("escape")
        assert len(driver.asked) == asked
        await driver.go("users")
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.settled()
        asked = len(driver.asked)
        driver.app.push_screen(ReviewScreen(driver.app.session))
        await driver.wait_for("expired, still pro")
        assert "plans not loaded, 9 opens them" in driver.text
        assert len(driver.asked) == asked


async def test_the_users_of_the_review_are_asked_for_again_there(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="users") as driver:
        await driver.settled()
        screen = await review(driver)
        assert screen.finding is not None
        expired, asked = len(screen.finding.users), len(driver.asked)
        first = screen.finding.users[0]
        service.write("PUT", f"/api/plan/4/user/{first.id}", {"type": "yearly"})
        await driver.press("r")
        await wait_until(lambda: screen.finding is not None and len(screen.finding.users) == expired - 1)
        assert [one for one in driver.asked[asked:] if one.startswith("GET")] == ["GET /api/users"]
