"""Finding, ordering, selecting and opening records by keys and by mouse."""

from functools import partial

from linkdash.api.resources.qr import QrCode
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.resources import PLACES
from linkdash.screens.resource_screen import ResourceScreen
from linkdash.widgets.filter_line import FilterInput, FilterLine
from linkdash.widgets.table.record_table import RecordTable
from linkdash.widgets.table.row_line import CURSOR_SIGN, DOWN_SIGN, MARK_SIGN, UP_SIGN
from tests.conftest import RunApp
from tests.screens.conftest import USERS
from tests.screens.driver import Driver
from tests.screens.places import place_of
from tests.service.visitor import Visitor
from tests.waiting import wait_until


async def test_a_filter_without_meaning_is_mended_or_given_up_and_never_applied(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        line = driver.app.screen.query_one(FilterLine)
        typed = line.query_one(FilterInput)
        mistake = driver.screen.query_one("#filter-error")
        await driver.press("slash", *"~v", "enter")
        assert (line.display, typed.value) == (False, "~v"), "it has done its work"
        found = [*driver.table.rows]
        await driver.press("slash", "end", "(")
        assert mistake.display
        assert [*driver.table.rows] == found, "that of what has a meaning"
        await driver.press("enter")
        assert typed.has_focus, "or a view would be kept of what is not meant"
        assert (line.display, typed.value, mistake.display) == (True, "~v(", True)
        await driver.press("escape")
        assert (line.display, typed.value, mistake.display) == (False, "~v", False)
        assert 'filter "~v": 19 of 100 loaded' in driver.status_line
        assert [*driver.table.rows] == found
        await driver.press("escape")
        assert "filter" not in driver.status_line
        assert len(driver.table.rows) == 100
        await driver.press("slash", *"zork:1")
        await driver.wait_for("The filter has a mistake.")
        assert 'No loaded QR code matches "zork", the last valid filter.' in driver.text


async def test_order_by_keys_and_by_mouse(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("S")
        assert driver.toasts == ["There is no order to reverse; s sorts."]
        await driver.press("s")
        assert f"Name {UP_SIGN}" in driver.records[0]
        assert driver.table.cursor == 0, "who sorts sees what comes first"
        first = driver.records[1]
        assert first[3:].startswith("Alte Brauerei")
        await driver.press("S")
        assert f"Name {DOWN_SIGN}" in driver.records[0]
        await driver.press("s")
        assert driver.table.sort == ("scans", False)
        title = driver.records[0].index("Scans")
        assert await driver.pilot.click(RecordTable, offset=(title, 0))
        assert driver.table.sort == ("scans", True)
        scans = [row.scans for row in driver.table.rows if isinstance(row, QrCode)]
        assert len(scans) == 100
        assert scans == sorted(scans, key=lambda count: count or 0, reverse=True)
        assert driver.asked == [place_of("qr").request]
        await driver.press("g")
        assert await driver.pilot.click(RecordTable, offset=(10, 3))
        assert driver.table.cursor == 2


async def test_the_selection_and_the_cursor_hold_to_their_records(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains", size=(80, 20)) as driver:
        await driver.settled()
        await driver.press("space", "space")
        assert driver.status_line.startswith("2 selected · ")
        assert [row[:2] for row in driver.records[1:4]] == [
            f" {MARK_SIGN}",
            f" {MARK_SIGN}",
            f"{CURSOR_SIGN} ",
        ]
        await driver.press("k", "space")
        assert driver.table.marks == {12}
        await driver.press("slash", *"go.", "enter", "asterisk", "escape")
        assert driver.table.marks == {12, 7, 1}
        await driver.press("asterisk")
        assert driver.status_line.startswith("12 selected · ")
        await driver.press("asterisk")
        assert driver.table.marks == frozenset()
        await driver.press("asterisk", "escape")
        assert driver.table.marks == frozenset()
        assert [record.id for record in driver.screen.targets] == [driver.table.cursor_key]
        await driver.press("g")
        await driver.press("j", "j", "j", "space")
        assert driver.table.cursor_key == 8
        with Visitor(demo, demo.api_key) as someone_else:
            for number in (1, 2):
                someone_else.write("POST", "/api/domain/add", {"domain": f"https://new{number}.example"})
            someone_else.write("DELETE", "/api/domain/11/delete")
        await driver.refresh()
        assert (driver.table.cursor_key, driver.table.cursor) == (8, 5)
        shown = [row.key for row in driver.table.rows[1:6]]
        assert shown == [13, 12, 10, 9, 8], "on the same line of the screen as before"
        assert driver.records[5].startswith(CURSOR_SIGN)
        assert "Domain: https://link.lumen-theatre.example" in driver.details
        assert driver.table.marks == {9}


async def test_users_of_one_class_are_filtered_and_sorted_as_all_were(
    demo: Running, twin: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        for user_class in ("admin", "free", "pro"):
            await driver.press("c")
            await driver.settled()
            service = twin.read(f"/api/users?filter={user_class}")["data"]
            await wait_until(partial(shows, driver, service))
            assert f"{len(service):,} results · as of now" in driver.status_line
            assert f"Users › {user_class}" in driver.lines[0]
            shown = "free" if user_class == "free" else "pro"
            assert f"class: {shown}" in driver.status_line
            assert driver.asked[-1] == f"GET /api/users?filter={user_class}"
            await wait_until(lambda: driver.table.has_focus)
            await driver.press("j")
            assert driver.table.cursor == 1
        await driver.press("c")
        assert f"all {USERS} results · as of now" in driver.status_line
        await driver.press("slash", *"studio", "enter", "s")
        order = driver.table.sort
        for user_class in ("admin", "free", "pro"):
            await driver.press("c")
            await driver.settled()
            loaded = len(driver.screen.collection.listing.loaded_rows())
            found = len(driver.table.rows)
            assert 0 < found < loaded < 1_200
            assert f'filter "studio": {found} of {loaded} loaded' in driver.status_line, user_class
            assert all("studio" in row for row in driver.records[1:])
            assert driver.table.sort == order
            assert f"Users › {user_class}" in driver.lines[0]
        assert len(driver.asked) == 4, "classes seen before cost nothing"


async def test_the_items_of_a_channel(demo: Running, twin: Visitor, run_app: RunApp) -> None:
    items = twin.read("/api/channel/29?limit=100")["data"]["items"]
    words = {"qr": "QR code", "links": "Link", "bio": "Bio page"}
    async with run_app(demo, size=(160, 40), place="channels") as driver:
        await driver.settled()
        channels = driver.records
        await driver.press("j", "enter")
        await driver.settled()
        assert driver.records[0].split() == ["Title", "Type", "Link", "Age", "Id"]
        for row, item in zip(driver.records[1:], items, strict=True):
            assert row[3:].startswith(item["title"][:8])
            assert f" {words[item['type']]} " in row
        assert "Channels › Wayfinding Velo Station" in driver.lines[0]
        asked = [place_of("channels").request, "GET /api/channel/29?limit=100&page=1"]
        assert driver.asked == asked
        await driver.press("escape")
        assert driver.records[2].strip("▌ ").startswith("Wayfinding")
        assert len(driver.records) == len(channels)
        assert driver.asked == asked


async def test_no_key_is_dead_without_a_reason(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="overlays") as driver:
        await driver.settled()
        await driver.press("n", "e", "d", "slash", "z", "q", "enter", "o")
        assert driver.toasts == [
            "The service offers no way to create an overlay.",
            "The service offers no way to edit an overlay.",
            "The service offers no way to delete an overlay.",
            "There is no overlay under the cursor.",
        ]


def shows(driver: Driver, users: list[dict[str, object]]) -> bool:
    """Return whether the rows on the screen are the first of these."""
    shown = [row[3:].split()[0] for row in driver.records[1:]]
    return bool(shown) and shown == [user["username"] for user in users[: len(shown)]]


async def test_a_filter_works_as_it_is_typed_and_escape_takes_one_step_back_at_a_time(
    demo: Running, run_app: RunApp
) -> None:
    demo.service.faults.next("GET", "/api/pixels", Fault(delay=3600))
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        everything = driver.records
        await driver.press("slash", *"mus")
        assert driver.status_line.startswith('filter "mus": 1 of 12 loaded · all 12 results')
        assert "to.museum.example" in driver.records[1]
        assert len(driver.records) == 2
        await driver.press("enter")
        assert len(driver.records) == 2, "the line is closed, the filter stays"
        assert 'filter "mus": 1 of 12 loaded · ' in driver.text
        assert driver.app.focused is driver.table
        await driver.press("escape", "g")
        assert driver.records == everything
        await driver.press("escape")
        assert driver.toasts == ["esc has nothing to close here; q quits."]
        await driver.press("slash", *"l.", "enter", "j")
        assert driver.status_line.startswith('filter "l.": 2 of 12 loaded')
        assert driver.table.cursor == 1
        assert driver.asked == [place_of("domains").request]
        await driver.press("slash", "ctrl+u", *"mus")
        assert driver.status_line.startswith('filter "mus": 1 of 12 loaded')
        await driver.press("escape")
        assert driver.status_line.startswith('filter "l.": 2 of 12 loaded')
        assert driver.app.focused is driver.table
        await driver.press("slash")
        assert driver.app.screen.query_one(FilterInput).value == "l."
        await driver.press("ctrl+u", "escape", "escape", "slash", *"nothing", "escape", "g")
        assert driver.records == everything
        await driver.press("7", "slash", *"type:bing", "enter")
        assert "Loading…" in driver.text
        assert not driver.screen.filtering.is_typed
        await driver.press("j", "j")
        assert driver.screen.collection.arrangement.text == "type:bing"
        await driver.press("escape")
        assert driver.screen.collection.arrangement.text == ""


async def test_a_word_that_is_in_no_row_but_begins_a_field_says_how_that_is_compared(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        await driver.press("/", "e", "x", "p")
        await driver.wait_for("expires: write expires<")
        await driver.press("x")
        await wait_until(lambda: "write expires" not in driver.text)
        await driver.press("escape", "escape", "/", "r", "e", "g", "i", "s")
        await driver.wait_for("registered: write registered>")


async def test_a_filter_shows_its_first_match_and_who_clears_it_stays_where_they_are(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("G", "slash", *"atlas", "enter")
        assert driver.table.cursor == 0
        await driver.press("j")
        chosen = driver.screen.row
        await driver.press("escape")
        assert not driver.screen.collection.arrangement.filtering
        assert driver.screen.row == chosen


async def test_a_word_that_a_choice_does_not_have_is_told_those_it_has(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        await driver.press("/", *"status:exp")
        await driver.wait_for("status is free or pro: write status:free")
        await driver.press(*"ired")
        await driver.wait_for("status is free or pro: write expires<0d for expired")
        await driver.press("ctrl+u", *"expired")
        await driver.wait_for("expired: write expires<0d")
        await driver.press("ctrl+u", *"expires<0d")
        await wait_until(lambda: 'filter "expires<0d": ' in driver.status_line)
        assert "write" not in driver.text
        for by_title in ("class:pro", "until<2030-12-01", "left<7d"):
            await driver.press("ctrl+u", *by_title)
            await driver.wait_for(f'filter "{by_title}": ')
            assert driver.records


async def test_a_word_of_a_record_that_rows_refer_to_is_told_how_it_is_asked_for(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        await driver.read("plans")
        await driver.press("/", *"business")
        await driver.wait_for("business: write plan:business")
        await driver.press("enter")
        await driver.wait_for("business: write plan:business. esc clears the filter.")
        await driver.press("escape", "escape", "7", "/", *"type:sms")
        await driver.wait_for("type is AdRoll, Google Ads, Bing, ")


async def test_no_column_of_a_list_ends_the_app_when_it_is_asked_for(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        for place in PLACES:
            screen = driver.app.navigation.screen_of(place.id)
            assert isinstance(screen, ResourceScreen)
            arrangement = screen.collection.arrangement
            for name in arrangement.names:
                arrangement.filter(f"{name}:1", driver.app.session.local_time())


async def test_plans_are_found_by_what_they_allow(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        await driver.go("plans")
        await driver.press("slash", *"links>100")
        await driver.wait_for('filter "links>100": ')
