"""The palette: what it finds, without a request, and what choosing it does."""

from linkdash.demo.server import Running
from linkdash.model.configuration_file import configuration_path
from linkdash.model.lists.views import ListPreferences, View
from linkdash.model.resources import PLACES
from linkdash.model.session import ProfileChoice
from linkdash.screens.insight.plan_matrix import PlanMatrixScreen
from linkdash.screens.journal import JournalScreen
from linkdash.screens.palette.palette_screen import PaletteScreen
from linkdash.screens.registry import column_titles
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.found_list import FoundList
from linkdash.widgets.themes import DAY, NIGHT
from tests.conftest import RunApp
from tests.screens.driver import Driver, shown
from tests.screens.hand import Hand
from tests.waiting import wait_until
from tests.widgets.sample import drawn


async def palette(driver: Driver, typed: str, *see: str) -> str:
    """Open the palette, type, and wait until all of `see` is in its list; what it lists then."""
    await driver.press("colon")
    await wait_until(lambda: isinstance(driver.app.screen, PaletteScreen))
    return await retyped(driver, typed, *see)


async def retyped(driver: Driver, typed: str, *see: str) -> str:
    await driver.press("ctrl+u", *typed)
    await wait_until(lambda: all(text in listed(driver) for text in see), lambda: listed(driver))
    return listed(driver)


def listed(driver: Driver) -> str:
    return shown(driver.app.screen.query_one(FoundList))


async def test_a_record_is_found_by_what_is_known_of_it_and_nothing_is_asked(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await driver.read("pixels", "users")
        asked = driver.asked
        pixel = driver.app.session.collection("pixels").records[3]
        user = driver.app.session.collection("users").records[40]
        await palette(driver, pixel.tag, f"pixel · tag {pixel.tag}")
        await retyped(driver, f"@{user.email}", f"{user.username} user · e-mail {user.email}")
        noted = await retyped(driver, user.username, user.username)
        assert "plan id" not in noted, "which plan it is counts nothing"
        await retyped(driver, "example", "type more")
        found = driver.app.screen.query_one(FoundList)
        assert all(line.strip() for line in drawn(found)), "as many as there is room for"
        await retyped(driver, "museum exa", "Records", "kept here, no request", "to.museum.example domain")
        await driver.press("enter")
        assert driver.app.current_mode == "domains"
        assert "museum" in str(driver.table.cursor_row)
        await palette(driver, f"{user.id} {user.username}", user.username)
        await driver.press("enter")
        await wait_until(lambda: driver.app.current_mode == "users")
        await wait_until(lambda: driver.table.cursor_key == user.id)
        assert driver.asked == asked


async def test_every_kind_has_its_best_few_and_what_is_called_alike_is_told_apart(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("L")
        await wait_until(lambda: len(driver.app.session.collection("pixels").records) == 130)
        await driver.read("qr", "campaigns", "splash")
        await palette(driver, "velo", "type more")
        lines = drawn(driver.app.screen.query_one(FoundList))[1:]
        found = [line.strip("▌ ⏎").partition(" ")[0] for line in lines]
        assert found == sorted(found, key="▣◎▥▪".index), "the likeliest kind first"
        assert {*found} == set("▣◎▥▪")
        assert len({*lines}) == len(lines)
        await retyped(driver, "velo station back to", "pixel")
        twins = [line for line in drawn(driver.app.screen.query_one(FoundList)) if "back to school" in line]
        assert len(twins) == 2
        tags = {one.tag for one in driver.app.session.collection("pixels").records if "Velo" in one.name}
        assert all(any(f"pixel · {tag} " in line for tag in tags) for line in twins)


async def test_actions_and_places_are_found_with_their_keys_and_what_is_not_possible_says_why(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, keys={"mark-all": "f5"}, size=(100, 40), place="domains") as driver:
        await driver.settled()
        await palette(driver, "", "Do", "Go")
        assert "on the record under the cursor ▌› Edit" in listed(driver)
        seen = await retyped(driver, "#", "Go", "Users")
        assert all(place.title in seen for place in PLACES)
        assert "→ Domains 12 in all 2 " in seen
        found = await retyped(driver, ">refresh", "Refresh")
        assert "Ask the service for this page again (1 request) r" in found
        assert "Go" not in found
        for word, action in (
            ("rename", "Edit"),
            ("remove", "Delete"),
            ("search", "Filter"),
            ("save", "Export"),
        ):
            await retyped(driver, f">{word}", f"› {action} ")
        await retyped(driver, "deselect them", "Select all records shown, or deselect them f5")
        await driver.press("enter")
        await wait_until(lambda: len(driver.table.marks) == 12)
        found = await palette(driver, "#spla", "Splash pages")
        assert "Records" not in found
        await driver.press("enter")
        await wait_until(lambda: driver.app.current_mode == "splash")
        await driver.go("qr")
        found = await palette(driver, ">compare", "Compare")
        asked = list(driver.asked)
        await driver.press("enter")
        await wait_until(lambda: bool(driver.toasts))
        assert driver.toasts[-1] in found
        assert driver.asked == asked


async def test_what_a_word_begins_comes_before_records_with_the_same_beginning(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        assert any("link.nordlys" in name for name in driver.names)
        found = await palette(driver, "nord", "Theme: nord")
        assert found.index("Theme: nord") < found.index("link.nordlys.example")


async def test_what_is_called_just_that_comes_first_and_several_are_one(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await palette(driver, "keys", "Help")
        found = await retyped(driver, "view", "Views")
        assert found.index("Views") < found.index("Undo"), "the one that is called that"
        await driver.press(*"xx")
        await driver.wait_for("Nothing found")
        await driver.painted()
        assert "Next group" not in driver.text


async def test_what_is_found_first_is_what_counts_and_the_cursor_goes_through_groups_and_pages(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo) as driver:
        await palette(driver, "requests", "Budget")
        await retyped(driver, "rate limit", "Budget")
        await driver.press("escape")
        await palette(driver, "theme", "Theme: linkdash-contrast")
        assert driver.app.theme == "linkdash-contrast", "another than that in use"
        await retyped(driver, "light", f"Theme: {DAY.name}")
        assert driver.app.theme == DAY.name
        await driver.press("escape")
        driver.app.theme = "nord"
        await palette(driver, "theme", "Theme: linkdash-contrast")
        await driver.press("up")
        assert driver.app.theme == "nord", "that in use is the last"
        await driver.press("escape")
        driver.app.theme = NIGHT.name
        await palette(driver, "", "Do")
        await driver.press("tab", "tab")
        assert "▌◑ Theme: linkdash-contrast" in listed(driver)
        await driver.press("shift+tab")
        assert "▌→ Account" in listed(driver)
        await driver.press("shift+tab", "up")
        assert drawn(driver.app.screen.query_one(FoundList))[-1].startswith("▌"), "round about"
        await driver.press("pagedown", "pagedown", "pageup")
        await driver.press("down", "enter")
        await retyped_nothing(driver)


async def retyped_nothing(driver: Driver) -> None:
    await wait_until(lambda: not isinstance(driver.app.screen, PaletteScreen))


async def test_a_theme_is_shown_under_the_cursor_and_kept_once_it_is_chosen(
    demo: Running, run_app: RunApp
) -> None:
    path = configuration_path()
    path.parent.mkdir(parents=True)
    path.write_text('# mine\nprofile = "work"  # the usual\n\n[keys]\nquit = "x"\n')
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await palette(driver, "theme day", "Theme: linkdash-day")
        assert driver.app.theme == DAY.name
        await driver.press("escape")
        assert driver.app.theme == NIGHT.name
        assert "theme" not in path.read_text()
        await palette(driver, "theme day", "Theme: linkdash-day")
        await driver.press("enter")
        await wait_until(lambda: "theme" in path.read_text())
        assert driver.app.theme == DAY.name
    kept = '# mine\nprofile = "work"  # the usual\n{}\n[keys]\nquit = "x"\n'
    assert path.read_text() == kept.format(f'theme = "{DAY.name}"\n')


async def test_the_demo_keeps_no_theme(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains", keeps_state=False) as driver:
        await driver.settled()
        await palette(driver, "theme day", "Theme: linkdash-day")
        await driver.press("enter")
        await driver.wait_for("In use until linkdash ends")
        assert not configuration_path().exists()


async def test_a_theme_that_came_otherwise_stays_when_something_else_is_found(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await palette(driver, "go.", "go.")
        driver.app.theme = DAY.name
        await retyped(driver, "museum", "museum")
        assert driver.app.theme == DAY.name
        await driver.press("escape")
        assert driver.app.theme == DAY.name


async def test_whoever_looks_into_the_palette_types_on_where_they_were(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="campaigns") as driver:
        await driver.settled()
        hand = Hand(driver)
        await hand.open("n")
        await driver.press(*"abc", "ctrl+p")
        await wait_until(lambda: isinstance(driver.app.screen, PaletteScreen))
        assert "Delete" not in listed(driver)
        await driver.press("escape", "d")
        assert hand.typed("name") == "abcd"


async def test_the_titles_of_columns_are_known_without_a_screen(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        preferences = ListPreferences(driver.app.session, "domains")
        await preferences.keep_view(View(name="Often", order=(("days", True),)))
        await palette(driver, "often", "Domains: Often", "by 7 days ▾")
        assert "domains" not in driver.app.navigation._screens
        for place in PLACES:
            screen = driver.app.navigation.screen_of(place.id)
            assert isinstance(screen, ResourceScreen)
            assert column_titles(place.id) == screen.arranging.titles


async def test_a_view_of_any_list_and_what_works_elsewhere_are_found_and_lead_there(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("slash", *"bing", "enter", "s", "F", "n", *"Tik", "enter")
        await wait_until(lambda: driver.toasts and driver.toasts[-1].startswith("Saved the view Tik"))
        await driver.go("domains")
        seen = await palette(driver, "tik", "Views", "Pixels: Tik")
        assert 'filter "bing"' in seen
        await driver.press("tab")
        await driver.press_until("down", lambda: "▌▪ Pixels: Tik" in listed(driver))
        driver.app.navigation.screen_of("pixels").collection.filter("")  # type: ignore[attr-defined]
        await driver.press("enter")
        await wait_until(lambda: driver.app.current_mode == "pixels")
        await wait_until(lambda: driver.screen.collection.arrangement.text == "bing")

        await driver.go("users")
        await driver.press("s", "s", "s", "s")
        await driver.press_until(
            "s", lambda: driver.screen.collection.arrangement.orders == (("expires", False),)
        )
        await driver.press("F", "n", *"Soon", "enter")
        await wait_until(lambda: driver.toasts[-1].startswith("Saved the view Soon"))
        await palette(driver, "soon", "Views", "by Left ▴")
        await driver.press("escape")
        await driver.go("pixels")

        asked = driver.asked
        found = await palette(driver, "pause", "Elsewhere", "Pause / resume")
        assert "in Bulk job: B, then p" in found
        periods = await retyped(driver, "period", "Elsewhere")
        assert "in QR codes · statistics: 8, choose, enter, then t" in periods
        await retyped(driver, "stop watching", "in QR codes · watch: 8, choose, W, then d")
        await retyped(driver, "number change", "in QR codes · compare: 8, choose, c, then m")
        await retyped(driver, "plans differ", "in Plans · matrix: 9, m, then D")
        await retyped(driver, "expired pro", "Users: expired, still pro")
        assert "Elsewhere" not in await retyped(driver, "delete the record", "Delete"), "that works here"
        assert "Elsewhere" not in await retyped(driver, "", "Open link"), "only what is looked for"
        await retyped(driver, "check outcome", "Elsewhere")
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, JournalScreen))
        assert driver.asked == asked
        found = await palette(driver, "check outcome", "Check outcome")
        assert "Elsewhere" not in found, "it works here"
        await retyped(driver, "all rows", "Elsewhere")
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, PlanMatrixScreen))


async def test_as_many_are_found_as_there_is_room_for_when_the_terminal_changes(
    demo: Running, run_app: RunApp
) -> None:
    def is_full() -> bool:
        found = driver.app.screen.query_one(FoundList)
        lines = drawn(found)
        return len(lines) == found.size.height and all(line.strip() for line in lines)

    async with run_app(demo, size=(140, 16), place="users") as driver:
        await driver.settled()
        await palette(driver, "example", "12 of 240")
        await driver.press("down", "down")
        chosen = next(line for line in drawn(driver.app.screen.query_one(FoundList)) if line.startswith("▌"))
        before = driver.app.screen.query_one(FoundList).size.height
        await driver.pilot.resize_terminal(140, 40)
        await wait_until(lambda: driver.app.screen.query_one(FoundList).size.height > before)
        await wait_until(is_full, lambda: listed(driver))
        assert "12 of" not in listed(driver)
        assert chosen in drawn(driver.app.screen.query_one(FoundList)), "the cursor stays where it was"


async def test_a_profile_that_is_called_what_was_typed_comes_before_what_mentions_it(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        settings = driver.app.settings
        work = ProfileChoice(
            "work", settings.host, False, False, lambda: settings, lambda _: driver.app.session
        )
        driver.app.profiles = lambda: [work]
        shown = await palette(driver, "work", "Profile: work")
        assert shown.index("Profile: work") < shown.index("Help")
