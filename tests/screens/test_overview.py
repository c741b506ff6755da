"""The overview: where the app opens, what it says of what it does not know, and where each line leads."""

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.configuration_file import AlertSetting
from linkdash.model.resources import OVERVIEW
from linkdash.screens.insight.overview import OverviewScreen
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.journal import JournalScreen
from linkdash.screens.resources.qr import QrScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.store.reading import Reading
from linkdash.widgets.frame.sidebar import EntryChosen, Recent, Sidebar, Watched
from linkdash.widgets.frame.tabs import Tabs
from linkdash.widgets.menu import LineMenu
from linkdash.widgets.panel import Panel
from tests.conftest import PLENTY, RunApp, StartDemo
from tests.records import Records
from tests.screens.clock import HoldingClock
from tests.screens.driver import Driver
from tests.screens.places import ACCOUNT
from tests.waiting import resize, wait_until
from tests.widgets.sample import drawn

DAYS = 17


def panel(driver: Driver, id: str) -> list[str]:
    """The lines of a panel."""
    menu = driver.app.screen.query_one(f"#{id}").query_one(LineMenu)
    return [line.strip() for line in drawn(menu) if line.strip()]


def current(driver: Driver) -> str:
    """The panel that has the focus."""
    focused = driver.app.screen.focused
    assert focused is not None
    assert focused.parent is not None
    return focused.parent.id or ""


def is_reading(driver: Driver) -> bool:
    """Return whether something is read of what is kept."""
    return any(worker.group == "kept" and not worker.is_finished for worker in driver.app.workers)


async def keep_scans(driver: Driver, code_id: int, before: int, after: int) -> None:
    """Put two weeks into the history: so many scans a day until a week ago, and so many since."""
    session = driver.app.session
    now = session.moment()
    count, readings = 0, []
    for hour in range(DAYS * 24, -1, -1):
        count += after if hour < 7 * 24 + now.astimezone().hour else before
        readings.append(Reading(now - timedelta(hours=hour), scans=count))
    await session.store.history.record_all({code_id: readings})


async def test_what_was_kept_is_there_in_the_next_run(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        await driver.read("account", "domains", "plans", "users")
        asked = len(driver.asked)
    async with run_app(demo, place=OVERVIEW.id, size=(140, 40)) as driver:
        await driver.wait_for("Enterprise")
        (allowed,) = (line for line in panel(driver, "account") if line.startswith("Domain "))
        assert "12 of 50" in allowed
        assert "24 %" in allowed
        unknown = "Links, Clicks, Team: use not reported"
        assert unknown in " ".join(line.strip() for line in panel(driver, "account"))
        for size in ((80, 24), (100, 30)):
            await resize(driver.pilot, *size)
            await wait_until(
                lambda: unknown in " ".join(" ".join(panel(driver, "account")).split()), lambda: driver.text
            )
        assert driver.asked[asked:] == [], "what is kept is young enough"


async def test_a_panel_with_more_lines_than_room_says_how_many(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        for code_id in range(1, 31):
            await keep_scans(driver, code_id, 40, 10)
        await driver.press("h")
        await driver.wait_for("▼ 75 %")
        menu = driver.app.screen.query_one("#moved LineMenu", LineMenu)
        panel_of_it = driver.app.screen.query_one("#moved", Panel)
        await resize(driver.pilot, 140, 40)
        await driver.painted()
        assert len(menu.entries) > menu.size.height
        assert "more ↓" in str(panel_of_it.border_subtitle), "of those that are listed there are more"
        screen = driver.app.screen
        assert isinstance(screen, OverviewScreen)
        for size in ((80, 24), (200, 50)):
            await resize(driver.pilot, *size)
            await driver.painted()
            told = driver.lines[:-2]  # the budget below them counts seconds
            screen.paint()
            await driver.painted()
            assert driver.lines[:-2] == told, "it is written for the size that it has"
        await resize(driver.pilot, 80, 24)
        await driver.press("b")
        await resize(driver.pilot, 140, 40)
        await driver.press("b")
        await wait_until(lambda: driver.app.screen is screen)
        await driver.painted()
        assert screen.query_one("#budget").display


async def test_rises_and_falls_come_from_the_history_and_sharp_falls_are_all_opened(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.settled()
        await keep_scans(driver, 7, 40, 10)
        await keep_scans(driver, 9, 10, 30)
        await driver.press("h")
        await driver.wait_for("2 of 2 codes can be compared")
        fell, rose = panel(driver, "moved")
        assert [line.split()[1:3] for line in (fell, rose)] == [["QR", "code"]] * 2
        falls, rises = (int(line.split()[0].replace(",", "")) for line in (fell, rose))
        assert falls < 0 < rises <= -falls, "the first number is that of their order"
        assert all(words in fell for words in ("▼ 75 %", "QR code 7"))
        assert "▲ 200 %" in rose
        assert "QR code 9" in panel(driver, "top")[0], "the most scanned of the week"
        told = [line for line in panel(driver, "since") if "scans in 7 days" in line]
        assert "than in the 7 before" in told[0]
        await driver.app.session.store.history.record(12, Reading(driver.app.session.moment(), scans=0))
        await driver.press("r")
        await driver.wait_for("2 of 3 codes can be compared")
        assert [line for line in panel(driver, "since") if "scans in 7 days" in line] == told
        asked = len(driver.asked)
        await driver.press(*["tab"] * 4)
        assert current(driver) == "moved"
        await driver.press("down", "enter")
        await driver.opened(StatisticsScreen)
        screen = driver.app.screen
        assert isinstance(screen, StatisticsScreen)
        await wait_until(lambda: screen.statistics.answered)
        assert screen.statistics.code.id == 9
        assert [request.partition("?")[0] for request in driver.asked[asked:]] == ["GET /api/qr/9"]
        await keep_scans(driver, 8, 80, 10)
        await keep_scans(driver, 11, 50, 50)
        await driver.press("h", "h")
        await driver.opened(OverviewScreen)
        await driver.wait_for("2 codes fell sharply")
        (at,) = [n for n, line in enumerate(panel(driver, "since")) if "fell sharply" in line]
        await driver.press(*["j"] * at, "enter")
        await driver.wait_for("view fell sharply")
        await driver.settled()
        await driver.press("L")
        await wait_until(lambda: {row.key for row in driver.table.rows} == {7, 8})
        await driver.press("h", "h", *["j"] * (at + 1), "enter")
        await driver.opened(StatisticsScreen)
        alone = driver.app.screen
        assert isinstance(alone, StatisticsScreen)
        assert alone.statistics.code.id == 9, "the only one that rose"


async def test_a_sharp_rise_from_nothing_is_told_by_its_scans(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.settled()
        await keep_scans(driver, 9, 0, 30)
        await driver.press("h")
        await driver.wait_for("1 code rose sharply")
        (line,) = [line for line in panel(driver, "since") if "rose sharply" in line]
        assert re.search(r" by [\d,]+$", line), "without a percent"


async def test_beside_a_change_stand_the_scans_that_changed_and_a_line_says_it_once(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.settled()
        await keep_scans(driver, 7, 40, 10)
        await keep_scans(driver, 9, 10, 30)
        await driver.press("h")
        await driver.wait_for("2 of 2 codes can be compared")
        (day,) = [line for line in panel(driver, "since") if "scans yesterday" in line]
        weekday = f"{driver.app.session.moment().astimezone() - timedelta(days=1):%a}"
        assert f"20 % less than the {weekday} before" in day
        first, second = panel(driver, "top")
        assert re.search(r"QR code 9 +5,0\d\d ▲ 200 %", first), "the scans of the week that it is about"
        assert "QR code 7" in second
        assert "Top codes  last 7 days" in driver.text
        assert not [line for line in panel(driver, "since") if sum(map(line.count, "▲▼")) > 1]


async def test_what_all_codes_were_scanned_leads_to_them_by_scans(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place=OVERVIEW.id) as driver:
        await driver.wait_for("dmitri.gruber")
        now = driver.app.session.moment()
        young = [Reading(now - timedelta(days=3 - day), scans=40 * day) for day in range(4)]
        await driver.app.session.store.history.record_all({11: young})
        await driver.press("r")
        await driver.wait_for("scans yesterday")
        (day,) = [line for line in panel(driver, "since") if "scans yesterday" in line]
        assert day.endswith("scans yesterday"), "its weekday before is not known, nor any change"
        await keep_scans(driver, 7, 80, 20)
        await keep_scans(driver, 9, 10, 80)
        await driver.press("r")
        await driver.wait_for("scans in 7 days")
        (week,) = [n for n, line in enumerate(panel(driver, "since")) if "scans in 7 days" in line]
        await driver.press("home", *["j"] * week, "enter")
        await driver.wait_for("view most scanned")


async def test_the_app_opens_on_it_asks_for_the_account_alone_and_no_key_is_dead(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place=OVERVIEW.id, size=(140, 40)) as driver:
        await driver.wait_for("dmitri.gruber")
        assert isinstance(driver.app.screen, OverviewScreen)
        assert driver.asked == [ACCOUNT]
        assert current(driver) == "since"
        told = "No scans are known yet: press 8 to load QR codes, 1 request a page."
        assert panel(driver, "since")[0] == told
        assert driver.text.count("No scans are known") == 1, "said once"
        assert "…" not in "".join([*panel(driver, "top"), *panel(driver, "moved"), *panel(driver, "account")])
        assert panel(driver, "changes") == ["Nothing was changed from here yet."]
        assert "The plan is not known" in panel(driver, "account")[1]
        await driver.press("tab", "tab", "tab", "tab", "tab", "tab", "left", "right")
        assert current(driver) == "since", "round and round"
        assert driver.asked == [ACCOUNT]
        await resize(driver.pilot, 80, 24)
        await driver.press("shift+tab", "G")
        menu = driver.app.screen.focused
        assert isinstance(menu, LineMenu)
        assert (current(driver), menu.cursor) == ("totals", len(menu.entries) - 1)
        await driver.press("g")
        assert menu.cursor == 0
        assert panel(driver, "totals")[0].split() == ["○", "Domains", "press", "2", "to", "load"]
        await driver.press("n")
        assert driver.toasts[-1] == "n works in lists: New ? shows the keys that work here."
        await driver.press("Y")
        assert driver.toasts[-1] == "Y does nothing here ? shows the keys that work here."


async def test_the_cursor_goes_over_the_ends_of_panels_and_each_line_leads_to_what_it_is_about(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place=OVERVIEW.id, size=(70, 24)) as driver:
        await driver.wait_for("dmitri.gruber")
        await driver.press("shift+tab", "shift+tab", "enter")
        await driver.opened(JournalScreen)
        await driver.press("escape")
        await driver.opened(OverviewScreen)
        await driver.press("right", "j", "j", "k", "enter")
        await wait_until(lambda: driver.app.current_mode == "overlays")
        await driver.press("h")
        await driver.opened(OverviewScreen)
        assert current(driver) == "totals", "the cursor stays where it was"
        assert await driver.pilot.click("#totals LineMenu", offset=(2, 1))
        await wait_until(lambda: driver.app.current_mode == "overlays")
        await driver.press("h", "h")
        await driver.wait_for("What rose and fell: after two weeks")
        await wait_until(lambda: not is_reading(driver))  # lines come with it, and r begins nothing
        menus = [menu for menu in driver.app.screen.query(LineMenu) if menu.size]
        lines = sum(len(menu.entries) for menu in menus)
        await driver.press(*["down"] * (lines - 1))
        assert current(driver) == "totals"
        for code_id in range(1, 9):
            await keep_scans(driver, code_id, 40, 40)
        overview = driver.app.screen.query_one("#overview")
        height = overview.virtual_size.height
        await driver.press("r")
        await wait_until(lambda: len(panel(driver, "top")) == 8 and overview.virtual_size.height > height)
        await driver.press("down")
        assert current(driver) == "since"
        await driver.wait_for("What changed")
        await driver.press("up")
        assert current(driver) == "totals"
        assert "min ago" not in driver.text
        await resize(driver.pilot, 140, 40)
        assert "min ago" in driver.text, "there is room for the picture of the budget now"


async def test_where_the_account_does_not_come_it_says_why_and_a_refresh_that_it_did(
    demo: Running, run_app: RunApp
) -> None:
    demo.service.faults.next("GET", "/api/account", Fault(handled=False, status=500))
    async with run_app(demo, place=OVERVIEW.id, size=(140, 40)) as driver:
        await driver.opened(OverviewScreen)
        listing = driver.app.session.collection("account").listing
        await wait_until(lambda: listing.error is not None)
        assert listing.error is not None
        await driver.wait_for(listing.error.what[:40])
        assert driver.asked == [ACCOUNT]
        await driver.press("r")
        await driver.wait_for("dmitri.gruber")
        await driver.wait_for("Account refreshed")
        assert driver.toasts[-1] == "Account refreshed A list is refreshed where it is shown."
        assert driver.asked == [ACCOUNT] * 2
        demo.service.faults.next("GET", "/api/account", Fault(delay=3600))
        await driver.press("r")
        await driver.wait_for("Loading the account…")
        await driver.press("r")
        await driver.wait_for("The account is already loading.")
        assert driver.asked == [ACCOUNT] * 3


async def test_who_expires_soon_is_listed_and_leads_to_the_user(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.settled()
        await driver.press("h")
        await driver.wait_for("Recent changes")
        assert "Expiring users" not in driver.text, "where no users are known"
        await driver.press("9")
        await driver.opened(PlanMatrixScreen)
        await driver.wait_for("Starter")
        await driver.press("escape")
        await driver.go("users")
        await driver.press("h")
        await driver.wait_for("Expiring users")
        overview = driver.app.screen
        assert isinstance(overview, OverviewScreen)
        await wait_until(lambda: len(panel(driver, "expiring")) > 1)
        first, *_ = panel(driver, "expiring")
        assert all("!" in line for line in panel(driver, "expiring")), (
            "those who did are counted in the frame"
        )
        assert " expired · " in driver.text
        assert " in 30 days ─╯" in driver.text
        assert "expire within 7 days" in panel(driver, "since")[0]
        asked = len(driver.asked)
        name = first.split()[0]
        await driver.press("shift+tab", "shift+tab")
        assert current(driver) == "expiring"
        await driver.press("enter")
        await wait_until(lambda: driver.app.current_mode == "users")
        await driver.settled()
        assert driver.screen.resource.name_of(driver.screen.row) == name  # type: ignore[arg-type]  # it is one
        await driver.press("h")
        assert current(driver) == "expiring", "as it was left"
        await driver.press("h")
        assert current(driver) == "since", "its first line"
        await driver.press("enter")
        await driver.wait_for("view expires within 7 days")
        await driver.settled()
        assert len(driver.asked) == asked
        assert driver.screen.resource.name_of(driver.screen.row) == name  # type: ignore[arg-type]  # it is one
        await driver.press("escape", "escape")
        await driver.opened(OverviewScreen)


@pytest.fixture
def nobody_expires(records: Records, start_demo: StartDemo, app_clock: HoldingClock) -> Running:
    """A service whose users are there for ever."""
    settings = records.known(DemoSettings(rate=PLENTY, clock=app_clock))
    assert settings.records is not None
    with closing(sqlite3.connect(":memory:")) as users:
        users.deserialize(settings.records)
        users.execute("UPDATE users SET expires = NULL")
        users.commit()
        return start_demo(replace(settings, records=users.serialize()))


async def test_where_nobody_expires_soon_it_says_so_and_leads_to_the_users(
    nobody_expires: Running, run_app: RunApp
) -> None:
    async with run_app(nobody_expires, size=(140, 40), place="users") as driver:
        await driver.settled()
        await driver.press("h")
        await driver.wait_for("Expiring users")
        await driver.wait_for("No user expires")
        assert panel(driver, "expiring") == ["No user expires within 30 days."]
        assert "0 expired · 0 in 30 days" in driver.text
        assert not [line for line in panel(driver, "since") if "expire" in line]
        await driver.press("shift+tab", "shift+tab")
        assert current(driver) == "expiring"
        await driver.press("enter")
        await wait_until(lambda: driver.app.current_mode == "users")


async def test_an_alert_that_stands_comes_first_and_leads_to_its_code(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = AlertSetting(when="scans drop 50% in 7d")
    wrong = AlertSetting(when="silent 7d", codes=["Flier", 7])
    async with run_app(demo) as driver:
        await driver.settled()
        monkeypatch.setattr(
            driver.app.session,
            "settings",
            replace(driver.app.settings, alerts={"fell": rule, "quiet": wrong}),
        )
        await keep_scans(driver, 7, 40, 10)
        await driver.press("h")
        await driver.wait_for("QR code 7: ")
        assert panel(driver, "since")[0].startswith("! QR code 7: ")
        assert "! Alert quiet: no loaded QR code matches Flier" in panel(driver, "since")
        assert await driver.app.session.store.alerts.raised() == [], "collect raises it, and runs its hook"
        await driver.press("enter")
        await driver.opened(StatisticsScreen)
        await driver.press("escape", "8")
        await wait_until(lambda: driver.table.notes.get(7) == "alert")


@pytest.mark.nightly
async def test_the_sidebar_remembers_what_was_opened_and_what_is_watched(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.settled()
        await keep_scans(driver, 400, 40, 10)
        await driver.go("qr")
        await driver.wait_for("▼ 75 %")
        name = driver.screen.collection.records[0].name  # type: ignore[attr-defined]  # a code has one
        assert name.startswith("Velo Station")
        await driver.press("enter")
        await driver.opened(StatisticsScreen)
        await driver.press("escape")
        await driver.go("channels")
        await driver.press("enter", "escape")
        recents, sidebar = driver.app.session.recents, driver.app.screen.query_one(Sidebar)
        await wait_until(lambda: len({id for id, _ in sidebar.query_one(Recent).rows}) == 2)
        assert [one.resource for one in recents.recent] == ["channels", "qr"], "the latest first"
        assert "▣ Velo Station" in driver.text
        await recents.watch([(400, name)])
        await wait_until(lambda: bool(sidebar.query_one(Watched).rows))
        await driver.wait_for("Watched")
        asked = len(driver.asked)
        sidebar.post_message(EntryChosen("recent", "qr 400"))
        await wait_until(lambda: driver.app.current_mode == "qr")
        assert len(driver.asked) == asked
    async with run_app(demo, place=OVERVIEW.id, size=(140, 40)) as driver:
        await driver.wait_for("Watched")
        assert "▣ Velo Station" in driver.text, "the next run has it at hand, too"


async def test_the_list_of_codes_makes_history_and_is_sorted_by_how_their_week_changed(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(200, 50)) as driver:
        await driver.settled()
        store = driver.app.session.store
        for code_id, before, after in ((400, 40, 10), (399, 10, 40), (398, 30, 27)):
            await keep_scans(driver, code_id, before, after)
        asked = len(driver.asked)
        await driver.go("qr")
        await driver.wait_for("▼ 75 %")
        header, first, *_ = driver.records
        assert "7 days" in header
        assert "Week" in header
        assert "▼ 75 %" in first
        assert len(driver.asked) == asked + 1, "nothing but the page itself"
        kept = await store.history.scans(driver.app.session.moment() - timedelta(days=1))
        assert len(kept) == 100, "every code on the page has a reading now"
        await driver.wait_for("14 days")
        listing = driver.screen.collection.listing

        def top_three() -> list[object]:
            return [row.key for row in listing.rows[:3]]

        await driver.press_until(
            "s", lambda: driver.screen.collection.arrangement.orders == (("change", False),)
        )
        assert top_three() == [400, 398, 399]
        asked = len(driver.asked)
        await driver.press("S")
        assert top_three() == [399, 398, 400], "reversed, and what is not known stays last"
        await driver.press("S")
        assert top_three() == [400, 398, 399]
        assert len(driver.asked) == asked


async def test_there_are_two_layouts(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place=OVERVIEW.id, size=(99, 40)) as driver:
        await driver.wait_for("What rose and fell: after two weeks")
        screen = driver.app.screen
        for width in (99, 100):
            await resize(driver.pilot, width, 40)
            await driver.painted()
            top, moved = (screen.query_one(f"#{id}").region for id in ("top", "moved"))
            assert screen.query_one(Sidebar).display is (width >= 100)
            assert screen.query_one(Tabs).display is (width < 100)
            assert (top.y == moved.y) is (width >= 100)
            assert screen.query_one("#budget").display is (width >= 100), "the status bar has it"


async def test_a_key_that_is_refused_is_told_before_all_else(demo: Running, run_app: RunApp) -> None:
    demo.service.faults.next("GET", "/api/account", Fault(status=401, content=b"{}"))
    async with run_app(demo, place="overview", size=(140, 40)) as driver:
        await wait_until(lambda: panel(driver, "since")[:1] == ["✗ The service refuses the key."])
        account = " ".join(" ".join(panel(driver, "account")).split())
        assert account.startswith("The service refuses the key. Check the key.")
        assert account.endswith(":, then Set up this profile, asks for it again.")


async def test_the_first_day_has_answers_and_says_what_comes_with_a_history(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="overview", size=(140, 40)) as driver:
        await driver.wait_for("The plan is not known.")
        account = " ".join(word for line in panel(driver, "account") for word in line.split())
        assert "9 and 0 load it with an admin's key, 2 requests." in account
        await driver.press("8")
        await driver.opened(QrScreen)
        await driver.settled()
        await driver.go("users")
        codes = driver.app.session.collection("qr").records
        users = driver.app.session.collection("users").records
        await driver.press("h")
        await wait_until(lambda: any("Newest" in line for line in panel(driver, "since")))
        since = panel(driver, "since")
        assert not any("than usual" in line for line in since), "0 codes can be compared"
        newest = max(codes, key=lambda code: code.date)
        assert any(line.startswith("Newest") and newest.name in line for line in since)
        unscanned = sum(code.scans == 0 for code in codes)
        assert any(f"{unscanned} code" in line and "never scanned" in line for line in since) == bool(
            unscanned
        )
        endless = sum(user.expires is None for user in users)
        await wait_until(
            lambda: any(f"{endless:,} never" in line for line in panel(driver, "since")), lambda: driver.text
        )
        assert sum("after two weeks of readings" in line for line in panel(driver, "since")) == 1
        now = driver.app.session.local_time()
        most = max(codes, key=lambda code: (code.scans or 0) / max(1, (now - code.date).days))
        a_day = (most.scans or 0) / max(1, (now - most.date).days)
        assert panel(driver, "moved")[0].split("  ")[0].strip() == most.name
        assert f"{a_day:,.1f} a day" in panel(driver, "moved")[0]


async def test_lists_that_are_kept_are_told_also_where_the_overview_is_left_at_once(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        await driver.settled()
        await wait_until(
            lambda: any("Domains" in line and line.split("│")[1].split()[-1] == "12" for line in driver.lines)
        )
