"""From place to place, from a record to what it names, and from one account to another."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr
from textual.worker import Worker

from linkdash.app import LinkdashApp
from linkdash.demo import DemoSettings
from linkdash.demo.server import Running
from linkdash.model.session import ProfileChoice, Session
from linkdash.model.settings import Settings
from linkdash.screens.palette.palette_screen import PaletteScreen
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.store.database import StoreUnavailable
from linkdash.store.store import Store
from tests.conftest import PLENTY, RunApp, StartDemo
from tests.postgres import PostgresServer
from tests.screens.clock import HoldingClock
from tests.screens.driver import Driver
from tests.screens.hand import Hand
from tests.screens.test_palette import retyped
from tests.waiting import wait_until


async def test_from_a_user_to_the_plan_and_back_and_by_minus_to_the_place_before(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        await driver.press("-")
        assert driver.toasts == ["There is no previous place."]
        await driver.go("domains")
        await driver.press("j", "j")
        await driver.go("pixels")
        await driver.press("-")
        assert (driver.app.current_mode, driver.table.cursor) == ("domains", 2)
        await driver.press("-")
        assert driver.app.current_mode == "pixels"
        await driver.go("users")
        await driver.press("j", "f")
        user = driver.app.session.collection("users").records[1]
        await wait_until(lambda: driver.app.current_mode == "plans")
        await wait_until(lambda: driver.table.cursor_key == user.planid)
        await driver.press("escape")
        await wait_until(lambda: driver.app.current_mode == "users")
        assert driver.table.cursor_key == user.id, "back where the key led from"
        await driver.press("escape")
        assert driver.toasts[-1] == "esc has nothing to close here; - goes to the previous place, q quits."
        await driver.press("-", "-")
        assert (driver.app.current_mode, driver.table.cursor_key) == ("users", user.id)
        await driver.go("domains")
        await driver.press("f")
        assert driver.toasts[-1] == "Records of this list have no linked record; enter opens it."


async def test_from_an_item_to_its_code_and_from_the_code_to_its_channel(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("f")
        assert "In no channel that is known" in driver.toasts[-1]
        await driver.go("channels")
        await driver.press("j", "enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        items = driver.screen.collection.records
        at = next(number for number, item in enumerate(items) if getattr(item, "type", "") == "qr")
        driver.table.move_cursor(at)
        await driver.press("f")
        await wait_until(lambda: driver.app.current_mode == "qr")
        assert driver.table.cursor_key == items[at].id
        asked = driver.asked
        await driver.press("f")
        await wait_until(lambda: driver.app.current_mode == "channels")
        assert driver.asked == asked


@asynccontextmanager
async def two_accounts(
    tmp_path: Path, start_demo: StartDemo, clock: HoldingClock, team: str | None = None
) -> AsyncIterator[tuple[Driver, Running]]:
    """The app on one account, with another to switch to, each with a service of its own."""
    work, other = (start_demo(DemoSettings(rate=PLENTY, clock=clock)) for _ in range(2))

    def session(settings: Settings) -> Session:
        return Session(
            settings, Store(tmp_path, tmp_path, settings.profile, team=team), clock=clock, retries=0
        )

    def settings(name: str) -> Settings:
        running = work if name == "work" else other
        return Settings(name, running.base_url, SecretStr(running.api_key), read_only=name != "work")

    def choice(name: str) -> ProfileChoice:
        found = settings(name)
        return ProfileChoice(name, found.host, found.read_only, False, lambda: found, session)

    choices = [choice("work"), choice("review")]
    first = settings("work")
    app = LinkdashApp(first, lambda: session(first), lambda: choices)
    await app.action_go("account")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(lambda: app.is_open)
        yield Driver(app, pilot, work), other


async def switch(driver: Driver, name: str) -> None:
    await driver.press("colon")
    await wait_until(lambda: isinstance(driver.app.screen, PaletteScreen))
    await retyped(driver, f"profile {name}", f"Profile: {name}")
    await driver.press("enter")


@pytest.mark.nightly
async def test_another_profile_is_opened_and_nothing_of_the_first_is_left(
    tmp_path: Path, start_demo: StartDemo, app_clock: HoldingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: None)  # it hides what is kept
    async with two_accounts(tmp_path, start_demo, app_clock) as (driver, other):
        await driver.go("domains")
        first, asked = driver.app.session, len(driver.asked)
        await switch(driver, "review")
        await wait_until(lambda: driver.app.is_open and driver.app.session is not first)
        await driver.wait_for("review read-only")
        assert driver.app.current_mode == "overview"
        assert driver.toasts == [f"Profile review {other.base_url.partition('://')[2]}, read-only"]
        assert driver.app.session.collections.known("domains") is None or not (
            driver.app.session.collection("domains").records
        )
        await driver.press("2")
        await wait_until(lambda: any("/api/domains" in entry.path for entry in other.service.log))
        assert len(driver.asked) == asked, "the first account is not asked for anything any more"
        assert first not in results_kept()
        await switch(driver, "work")
        await driver.wait_for("● work ")
        assert "read-only" not in driver.lines[0]


def results_kept() -> list[object]:
    """Return the results of all tasks that are over and still known."""
    gc.collect()
    tasks = [one for one in gc.get_objects() if isinstance(one, asyncio.Task) and one.done()]
    return [task.result() for task in tasks if not task.cancelled() and task.exception() is None]


@pytest.mark.nightly
async def test_what_was_typed_is_asked_for_and_kept(
    tmp_path: Path, start_demo: StartDemo, app_clock: HoldingClock
) -> None:
    async with two_accounts(tmp_path, start_demo, app_clock) as (driver, _):
        await driver.go("campaigns")
        hand = Hand(driver)
        await hand.open("n")
        await driver.press(*"Spring", "ctrl+p")
        await wait_until(lambda: isinstance(driver.app.screen, PaletteScreen))
        await retyped(driver, "profile review", "Profile: review")
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, ConfirmScreen))
        assert "kept as drafts" in driver.text
        assert "Campaigns" in driver.text
        await driver.press("n")
        assert hand.typed("name") == "Spring"
        await driver.press("ctrl+p")
        await wait_until(lambda: isinstance(driver.app.screen, PaletteScreen))
        await retyped(driver, "profile review", "Profile: review")
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, ConfirmScreen))
        await driver.press("y")
        await driver.wait_for("review read-only")
        await switch(driver, "work")
        await driver.wait_for("● work ")
        await wait_until(lambda: driver.app.is_open)
        await driver.press("5")
        await driver.settled()
        await hand.open("n")
        await wait_until(lambda: hand.typed("name") == "Spring")


async def test_a_profile_that_cannot_be_opened_leaves_the_first_one_open(
    tmp_path: Path, start_demo: StartDemo, app_clock: HoldingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(settings: Settings) -> Session:
        raise StoreUnavailable("The store of this profile cannot be opened.", "Look at its folder.")

    async with two_accounts(tmp_path, start_demo, app_clock) as (driver, _):
        await driver.go("domains")
        first, rows = driver.app.session, driver.screen.collection.records
        choices = [choice._replace(open=broken) for choice in driver.app.profiles()]
        monkeypatch.setattr(driver.app, "profiles", lambda: choices)
        await switch(driver, "review")
        await wait_until(lambda: driver.toasts)
        assert driver.toasts == ["The store of this profile cannot be opened. Look at its folder."]
        assert (driver.app.session, driver.app.current_mode) == (first, "domains")
        await driver.press("r")
        await driver.settled()
        assert driver.screen.collection.records == rows


async def test_what_the_first_profile_kept_for_its_team_is_handed_in_no_more(
    tmp_path: Path, start_demo: StartDemo, app_clock: HoldingClock, postgresql: PostgresServer
) -> None:
    team = postgresql.url(postgresql.new_database())
    async with two_accounts(tmp_path, start_demo, app_clock, team) as (driver, _):

        def handing_in() -> list[Worker[object]]:
            return [worker for worker in driver.app.workers if worker.name == "keep_handing_in"]

        await wait_until(handing_in)
        (first,) = handing_in()
        await switch(driver, "review")
        await driver.wait_for("review read-only")
        assert first.is_finished
        await wait_until(handing_in)
        (second,) = handing_in()
        assert second.is_running
