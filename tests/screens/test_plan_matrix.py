"""The matrix of plans on the screen: titles stay, a plan is chosen, differences are marked."""

import re

import pytest

from linkdash.api.resources.plans import Plan
from linkdash.demo.server import Running
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.resources.plans import plan_lines
from linkdash.screens.windows.picker import PickerScreen
from linkdash.widgets.matrix import Matrix
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.screens.exports import choose
from tests.screens.hand import Hand
from tests.waiting import resize, wait_until


async def opened(driver: Driver) -> PlanMatrixScreen:
    await driver.go("plans")
    await driver.press("m")
    screen = driver.app.screen
    assert isinstance(screen, PlanMatrixScreen)
    await driver.wait_for("Starter")
    return screen


def line_of(driver: Driver, title: str) -> str:
    """The row of the matrix, without what stands beside it."""
    lines = (cell for line in driver.lines for cell in line.split("│"))
    return next(line for line in lines if title in line and "→" not in line)


async def test_its_key_opens_plans_side_by_side_at_no_cost_and_escape_their_list(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="domains") as driver:
        await driver.settled()
        await driver.press("9")
        await driver.opened(PlanMatrixScreen)
        await driver.wait_for("Starter")
        assert line_of(driver, " Links  ").split()[1:] == ["50", "1,000", "10,000", "0", "(unlimited?)"]
        assert "geo targeting" in driver.text
        await driver.press("escape")
        assert driver.screen.place_id == "plans"
        assert driver.table.display

        asked = len(driver.asked)
        await opened(driver)
        assert line_of(driver, "A month").split() == ["A", "month", "free", "9.00", "29.50", "99.00"]
        team = line_of(driver, "several users")
        assert team.split()[:2] == ["several", "users"]
        assert team.split()[2:] == ["–", "–", "✓", "5", "✓", "50"]
        assert line_of(driver, "Known users").split()[2:] == ["?"] * 4
        assert "no users loaded" in driver.text
        await driver.press("escape")
        assert driver.screen.place_id == "plans"
        assert len(driver.asked) == asked


async def test_only_what_differs_is_shown_until_all_is_wanted_and_the_chosen_plan_is_in_sight(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="plans") as driver:
        screen = await opened(driver)
        assert not any(line.split()[1:3] == ["API", "access"] for line in driver.lines)
        await driver.press("D")
        await wait_until(lambda: "API access" in driver.text, lambda: driver.text)
        await driver.press("D", "right")
        await driver.wait_for("free → 9.00")
        assert "Instead of" in driver.text
        await driver.press("x")
        await choose(driver, PickerScreen, "Matrix")
        await driver.wait_for("Markdown to a file")
        await driver.press("escape", "escape", "left")
        await resize(driver.pilot, 60, 24)
        assert "Enterprise" not in line_of(driver, "A month")
        await driver.press("right", "right", "right", "right")
        assert screen.query_one(Matrix).chosen == 3, "there is none right of the last"
        await wait_until(lambda: "99.00" in line_of(driver, "A month"), lambda: driver.text)
        await driver.press("end")
        await driver.wait_for("data export")
        assert "Enterprise" in driver.text, "the heads stay"


@pytest.mark.parametrize("sizes", [[(60, 15), (100, 30)], [(80, 24), (60, 15), (80, 24), (140, 40)]])
async def test_the_chosen_plan_is_in_sight_in_every_size_and_no_number_is_cut(
    demo: Running, run_app: RunApp, sizes: list[tuple[int, int]]
) -> None:
    async with run_app(demo, size=(100, 30)) as driver:
        for place in ("pixels", "domains", "overlays", "splash"):
            await driver.go(place)
        screen = await opened(driver)
        shown = screen.query_one(Matrix)
        await driver.press("right", "right", "right")
        await driver.wait_for("fits, as far as known")
        whole = cells_of(driver)
        assert whole["Your use"] == ["✗ 4 short"] * 3 + ["✓"], "all four have room at 100"
        for size in sizes:
            await resize(driver.pilot, *size)
            await wait_until(lambda: "Enterprise" in cells_of(driver).get("", []), lambda: driver.text)
            for title, cells in cells_of(driver).items():
                assert whole.get(title, cells)[-len(cells) :] == cells, driver.text
            hidden = 4 - len(cells_of(driver)["A month"])
            assert (f"{hidden} column" in driver.text) == (hidden > 0), driver.text
            await driver.press("left", "left", "left")
            await wait_until(lambda: "Starter" in cells_of(driver).get("", []), lambda: driver.text)
            await driver.press("right", "right", "right")
        assert shown.chosen == 3


def cells_of(driver: Driver) -> dict[str, list[str]]:
    """The cells of each row of the matrix that is in sight, by its title; the heads have none."""
    area = driver.app.screen.query_one(Matrix).content_region
    lines = [line[area.x : area.right] for line in driver.lines[area.y : area.bottom]]
    rows = [re.split(r" {2,}", re.sub(r"[▁-█▔]+ *$", "", line).strip()) for line in lines if line.strip()]
    return {
        ("" if line.startswith("  ") else row[0]): row[not line.startswith("  ") :]
        for line, row in zip(lines, rows, strict=False)
    }


def line_of_details(driver: Driver, beginning: str) -> str:
    return next((line for line in driver.details.splitlines() if line.startswith(beginning)), "")


@pytest.mark.nightly
async def test_what_the_account_uses_is_put_against_every_plan(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        for place in ("pixels", "domains", "users"):
            await driver.go(place)
        await driver.press("9")
        await driver.opened(PlanMatrixScreen)
        screen = driver.app.screen
        assert isinstance(screen, PlanMatrixScreen)
        await driver.wait_for("Starter")
        assert [one.fits for one in screen.fits] == [False, False, False, True]
        assert line_of(driver, "Your use").count("✗ 2 short") == 3
        assert "Smallest fit Enterprise" in " ".join(driver.text.replace("│", " ").split())
        assert screen.query_one(Matrix).chosen == 3, "the account's own plan"
        await driver.press("left")
        assert "Pixels 130 of" in driver.text
        await resize(driver.pilot, 80, 24)
        await driver.press("enter")
        await driver.wait_for("y Copy all")
        await driver.wait_for("Pixels 130 of")
        await driver.press("escape")
        await driver.press("escape")
        await driver.go("account")
        await wait_until(lambda: "Plan: Enterprise (4)" in driver.details)
        await wait_until(lambda: "130 of 250  52 %" in line_of_details(driver, "Pixels: ━"))
        assert "Links, Clicks: 0 (unlimited?)  use not reported" in driver.details


async def test_known_users_are_counted_and_lead_to_the_plans_and_to_a_subscription(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users", size=(140, 40)) as driver:
        await driver.settled()
        users = driver.app.session.collection("users").records
        await driver.press("9")
        await driver.opened(PlanMatrixScreen)
        await driver.wait_for("Starter")
        counts = [f"{sum(user.planid == plan for user in users):,}" for plan in (1, 2, 3, 4)]
        assert line_of(driver, "Known users").split()[2:] == counts
        assert f"{len(users):,} users known" in driver.text

        await driver.press("0")
        await driver.settled()
        await driver.press("j")
        user = driver.screen.row
        assert user is not None
        await driver.press("m")
        await driver.opened(PlanMatrixScreen)
        await driver.wait_for("not reported:")
        await driver.press("left", "a")
        await wait_until(lambda: not isinstance(driver.app.screen, PlanMatrixScreen))
        await driver.wait_for("Subscribe user")
        assert driver.screen.place_id == "users"
        assert driver.screen.row is not None
        assert driver.screen.row.id == user.id
        hand = Hand(driver)
        await wait_until(hand.has_form)
        assert hand.typed("plan_id") == "3", "the plan that was chosen, not the one there is"


async def test_a_subscription_begins_at_the_chosen_plan(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="plans") as driver:
        await opened(driver)
        await driver.press("right", "a")
        await wait_until(lambda: not isinstance(driver.app.screen, PlanMatrixScreen))
        await driver.wait_for("Subscribe a user to")
        assert driver.screen.row is not None
        assert driver.screen.row.id == 2


def test_what_0_of_an_allowance_means_is_not_claimed() -> None:
    limits = {"links": 0, "clicks": 100, "retention": 30}
    lines = plan_lines(Plan.model_validate({"id": 4, "name": "All", "limits": limits}))
    (told,) = (line.text for line in lines if line.title == "Allowances")
    assert told.startswith("0 links · 100 clicks · 30 retention")
    assert "does not say what 0 means" in told
    limits = {"links": 1, "clicks": 100, "retention": 30}
    lines = plan_lines(Plan.model_validate({"id": 4, "name": "All", "limits": limits}))
    (told,) = (line.text for line in lines if line.title == "Allowances")
    assert told == "1 links · 100 clicks · 30 retention  unit not reported"


async def test_the_known_users_of_a_plan_stand_in_a_column(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40), place="plans") as driver:
        await driver.settled()
        await driver.wait_for("users not known, 0 loads them")
        assert "Users" not in driver.records[0]
        await driver.go("users")
        await driver.settled()
        users = driver.app.session.collection("users").records
        await driver.go("plans")
        await driver.settled()
        await driver.wait_for(f"{len(users):,} users known")
        for size in ((140, 40), (80, 24)):
            await resize(driver.pilot, *size)
            await wait_until(lambda: "Users" in driver.records[0], lambda: driver.text)
            for plan, record in zip(driver.screen.collection.records, driver.records[1:], strict=False):
                own = sum(user.planid == plan.id for user in users)
                assert re.search(rf" {own}\b", record), record


async def test_the_plan_that_the_account_has_is_told_in_every_size(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="account", size=(140, 40)) as driver:
        await driver.read("pixels", "users")
        await driver.press("9")
        await driver.opened(PlanMatrixScreen)
        for size in ((80, 24), (140, 40), (200, 50)):
            await resize(driver.pilot, *size)
            await driver.wait_for("yours: Enterprise · ")
            await wait_until(lambda: "✓ yours" in driver.text)
        await driver.press("escape", "G")
        for size in ((80, 24), (140, 40), (200, 50)):
            await resize(driver.pilot, *size)
            await driver.wait_for("• yours: Enterprise")
            assert [record.split()[:2] for record in driver.records if "•" in record] == [
                ["▌•", "Enterprise"]
            ]
            assert "Enterprise  yours" in driver.text, "the frame of its strip says it, too"
        await driver.press("g")
        await wait_until(lambda: "Enterprise  yours" not in driver.text, lambda: driver.text)


async def test_names_of_the_features_of_the_own_plan_are_whole(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(200, 50), place="plans") as driver:
        await driver.settled()
        await driver.read("users")
        await driver.go("account")
        for name in ("custom alias", "device targeting", "geo targeting", "link parameters"):
            await driver.wait_for(name)
