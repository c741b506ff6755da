"""Beside the strip of details: what uses a record, kinds and counts, in every width and height."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkdash.api.records import Record
from linkdash.api.resources.channels import Channel
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.qr import QrCode
from linkdash.demo.server import Running
from linkdash.model.humanize import CountChange, counted
from linkdash.model.insight.related import Tally, codes_by_host, host_of
from linkdash.model.resources.channels import ITEMS
from linkdash.model.resources.qr import RESOURCE as QR
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.statistics.scan_activity import Activity, activities, by_prefix, without_prefix
from linkdash.screens.change_lines import change_pieces, changed_lines, signed_pieces
from linkdash.screens.lists.related import RelatedPanel, TallyOf, UsedCodes, code_lines, tally_facts
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.resources.domains import DomainsScreen
from linkdash.screens.windows.viewer import ViewerScreen
from linkdash.store.journal_entry import JournalEntry, Outcome, WriteIntent
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.details import Details
from linkdash.widgets.styled_text import Lines, cells
from linkdash.widgets.table.cell_text import without_scheme
from tests.conftest import RunApp
from tests.model.statistics.test_period_comparison import DAY
from tests.model.statistics.test_period_comparison import NOW as SATURDAY
from tests.model.statistics.test_sentences import dropped
from tests.screens.clock import HoldingClock
from tests.waiting import resize, wait_until

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
CODES = {1: "Poster", 2: "Flyer · " + "東京" * 20, 3: "Menu", 4: "Never read"}


def known() -> dict[int, Activity]:
    """Of three codes both weeks, each scanned evenly."""
    return activities(
        {id: [(NOW - timedelta(days=16 - day), id * 10 * day) for day in range(17)] for id in (1, 2, 3)}, NOW
    )


def text(lines: Lines) -> list[str]:
    return ["".join(piece.text for piece in line) for line in lines]


def test_codes_are_told_the_most_scanned_first_with_numbers_in_columns() -> None:
    lines = text(code_lines(CODES, known(), 40, has_days=True))
    assert [line[:4] for line in lines] == ["Menu", "Flye", "Post", "Neve"]
    assert [line.split()[-4:] for line in lines[::2]] == [["210", "=", "0", "%"], ["70", "=", "0", "%"]]
    assert lines[3].rstrip().endswith("–"), "of the last no reading is kept"
    assert "…" in lines[1]
    assert {cells(line) for line in code_lines(CODES, known(), 40, has_days=True)} == {40}
    assert code_lines({}, known(), 40, has_days=True) == []


@pytest.mark.parametrize(("width", "days"), [(60, 14), (32, 9), (29, 0)])
def test_the_last_days_of_a_code_are_drawn_beside_its_numbers_where_that_cuts_no_name(
    width: int, days: int
) -> None:
    codes = {id: CODES[id] for id in (1, 3, 4)}
    first, *_, last = text(code_lines(codes, known(), width, has_days=True))
    assert re.fullmatch(rf"Menu {{8}}210 = 0 %{f'  ▇{{{days}}}' if days else ''}", first)
    assert re.fullmatch(r"Never read +– *", last)
    assert "▇" not in text(code_lines(codes, known(), width, has_days=False))[0]


def test_in_a_wide_panel_all_codes_are_told_in_columns() -> None:
    codes = {number: f"Trade fair stand of the clinic · {number:02}" for number in range(1, 17)}
    lines = text(UsedCodes(codes, known(), "▣", in_numbers=False).lines(166, 15))
    assert all(name in "\n".join(lines) for name in codes.values())
    assert len(lines) <= 15
    assert re.match(
        r"▣ 16 QR codes  420 scans in 7 days, 3 of them  = 0 %  420 in the 7 days before", lines[0]
    )
    told = lines[lines.index("") + 2]
    assert re.match(r"Trade fair stand of the clinic · 03  210 = 0 %  ▇{14}   Trade", told), told


@given(st.integers(20, 200), st.integers(1, 30), st.integers(0, 40))
@example(20, 1, 2)
def test_what_uses_a_record_fits_its_room_and_nothing_is_left_out_unsaid(
    width: int, height: int, count: int
) -> None:
    codes = {number: f"code {number}" for number in range(1, count + 1)}
    lines = UsedCodes(codes, known(), "▣", in_numbers=False).lines(width, height)
    said = " ".join(text(lines))
    assert len(lines) <= max(3, height)
    named = sum(f"code {number} " in f"{said} " for number in codes)
    if "Codes, 7 days" in said and named < count:
        assert f"and {count - named} more" in said
    assert f"{count} QR code" in said or not count


@pytest.mark.parametrize("width", [40, 60, 120])
def test_days_are_drawn_whole_or_not_at_all(width: int) -> None:
    codes = {id: CODES[id] for id in (1, 2, 3)}
    drawn = UsedCodes(codes, known(), "▣", in_numbers=False).lines(width, 4)
    (days,) = (line for line in drawn if "before" in text([line])[0])
    assert cells(days) <= width
    assert text([days])[0].count("▇") == (14 if width > 40 else 0)
    assert "▣" not in text(UsedCodes(codes, known(), "▣", in_numbers=True).lines(width, 4))[-1]


def test_numbers_stand_beside_what_they_are_of_where_they_have_room_so_that_more_names_have_some() -> None:
    codes = {id: CODES[id] for id in (1, 2, 3)}
    first, second, *_ = text(UsedCodes(codes, known(), "▣", in_numbers=False).as_a_whole(53, 6))
    assert first.startswith("▣ 3 QR codes  ")
    assert "scans in 7 days" in first
    assert "in the 7 days before" in second


def test_codes_of_one_name_are_told_apart_by_their_ids() -> None:
    codes = {1: "Menu", 2: "Poster", 3: "Menu"}
    told = text(UsedCodes(codes, known(), "▣", in_numbers=False).lines(60, 12))
    assert [line.split("  ")[0] for line in told[-3:]] == ["Menu (3)", "Poster", "Menu (1)"]


def test_a_name_is_told_once() -> None:
    for width, height in ((40, 5), (40, 12), (120, 12)):
        said = "\n".join(text(UsedCodes({1: "Poster"}, known(), "▣", in_numbers=False).lines(width, height)))
        assert said.count("Poster") == 1


@pytest.mark.parametrize(
    ("width", "height", "told"),
    [
        (90, 5, ["  2 codes have 83 %: Menu, Poster"]),
        (24, 9, ["  2 codes have 83 %: ", "    Menu", "    Poster"]),
        (24, 5, ["  2 codes have 83 %: ", "    Menu and 1 more"]),
        (24, 4, ["  2 codes have 83 %: "]),
    ],
)
def test_of_codes_that_have_rows_it_is_told_how_few_have_most_of_the_scans(
    width: int, height: int, told: list[str]
) -> None:
    scans = {id: [(NOW - timedelta(days=16 - day), id * 10 * day) for day in range(17)] for id in (1, 3, 2)}
    codes = {1: "Flyer", 2: "Poster", 3: "Menu"}
    used = UsedCodes(codes, activities(scans, NOW), "▣", in_numbers=False)
    lines = text(used.as_a_whole(width, height))
    assert [line.rstrip() for line in lines[-len(told) :]] == [line.rstrip() for line in told]
    assert lines[0].startswith("▣ 3 QR codes")
    assert not any("Codes, 7 days" in line for line in lines)
    unread = UsedCodes(codes, {}, "▣", in_numbers=False).as_a_whole(width, height)
    assert not any("have" in line for line in text(unread))


async def test_kinds_are_told_of_what_is_loaded_and_more_of_them_where_there_is_height(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="overlays") as driver:
        await driver.settled()
        assert "By age" in driver.text
        assert "By name" not in driver.text, "most names begin as no other does"
        ways: tuple[TallyOf[Record], ...] = (
            TallyOf("By type", lambda records: [Tally("poll", len(records))]),
            TallyOf("By age", lambda records: [Tally("last month", 7), Tally("older", 2)]),
        )
        facts = tally_facts(driver.screen.collection, *ways)
        assert facts is not None
        count = len(driver.screen.collection.records)
        assert (facts.title, facts.of) == ("By type", f"of {count} loaded")
        assert text(facts.lines(40, 4))[0].split() == ["poll", "▆" * 20, str(count)]
        assert len(facts.lines(40, 4)) == 1
        told = [line.split(" ")[0] for line in text(facts.lines(40, 5))]
        assert told == ["poll", "", "By", "last", "older"]


async def test_codes_of_the_same_name_are_told_of_an_overlay_and_where_there_is_room_of_a_campaign(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(80, 24), place="qr") as driver:
        await driver.settled()
        name, codes = next(iter(by_prefix(driver.app.session.collection("qr").records).items()))
        await driver.go("overlays")
        asked = driver.asked
        resource, records = driver.screen.resource, driver.screen.collection.records
        driver.table.move_to_key(next(one.id for one in records if name in resource.name_of(one)))
        await driver.wait_for(f"{len(codes)} named {name} ")
        assert driver.details.count(name) <= 2
        await driver.pilot.resize_terminal(140, 40)
        await driver.wait_for("Codes, 7 days")
        assert f"QR codes named {name} ─" in driver.text, "no field of the overlay"
        assert f" named {name} " not in driver.details, "not said twice"
        each = driver.text.partition("Codes, 7 days")[2]
        assert f"│ {without_prefix(codes[0].name)} " in each
        assert f"{name} · " not in each.partition("Watched")[0].replace("Recent", ""), "told by the heading"
        assert driver.asked == asked
        await resize(driver.pilot, 200, 50)
        groups = by_prefix(driver.app.session.collection("qr").records)
        await driver.go("campaigns")
        asked = driver.asked
        resource, records = driver.screen.resource, driver.screen.collection.records
        named = ((one.id, prefix) for one in records for prefix in groups if prefix in resource.name_of(one))
        id, prefix = next(named)
        driver.table.move_to_key(id)
        await driver.wait_for(f"▣ {len(groups[prefix])} QR codes")
        assert f"╭─ QR codes named {prefix} ─" in driver.text
        assert driver.asked == asked


async def test_beside_codes_that_are_named_alike_the_frame_says_that_their_use_is_not_known(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        for place in ("overlays", "splash"):
            await driver.go(place)
            await driver.settled()
            panel = driver.screen.query_one("#related", RelatedPanel)

            def below(panel: RelatedPanel = panel) -> str:
                return str(panel.border_subtitle)

            await wait_until(lambda: "by name only · real use not reported" in below(), below)
        await driver.go("pixels")
        await driver.settled()
        await wait_until(lambda: re.search(r"QR codes: \d+ named ", driver.details), lambda: driver.details)
        assert "QR codes named" not in driver.text, "a low panel has the types alone"
        await driver.go("domains")
        await driver.settled()
        panel = driver.screen.query_one("#related", RelatedPanel)
        await wait_until(lambda: "Used by" in str(panel.border_title))
        assert not panel.border_subtitle, "a code leads to its domain"


async def test_a_plan_tells_of_its_users_and_of_the_plan_before_it_as_far_as_there_is_room(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(80, 24), place="users") as driver:
        await driver.settled()
        users = driver.app.session.collection_of(USERS).records
        of_pro = sum(user.planid == 2 for user in users)
        await driver.go("plans")
        driver.table.move_to_key(2)
        await wait_until(lambda: f"Users: {of_pro:,} of {len(users):,} known" in driver.details)
        assert driver.screen.query_one(Details).shows_all
        assert "free" in driver.records[1], "no dash where a plan costs nothing"
        unsaid = [record for record in driver.records if "0 as sent" in record]
        assert [record.split()[0] for record in unsaid] == ["Enterprise"], (
            "nobody reads that nothing is allowed"
        )
        await driver.pilot.resize_terminal(140, 40)
        _, last = max((one.registered, one.username) for one in users if one.planid == 2 and one.registered)
        await driver.wait_for("Users of every plan")
        await driver.wait_for("Registered last")
        await wait_until(lambda: "Retention: 90  unit not reported" in driver.details)
        assert not re.search("^(Price|Id):", driver.details, re.MULTILINE), "the row above tells it"
        assert last in driver.text
        assert any("API access" in line and "data export" in line for line in driver.lines), "two abreast"
        await wait_until(lambda: "Instead of: Starter" in driver.details)
        assert driver.screen.query_one(Details).shows_all
        assert "Or: " not in driver.details, "there is no room for all of it"
        await wait_until(lambda: re.search("Retention: 14 → 90  no unit", driver.details) is not None)
        await driver.pilot.resize_terminal(200, 50)
        await wait_until(
            lambda: bool(re.search("Against Pro: +Starter +Business +Enterprise", driver.details))
        )
        assert driver.screen.query_one(Details).shows_all
        assert re.search("Retention: +14 +365 +0 as sent  no unit", driver.details)
        driver.table.move_to_key(1)
        await wait_until(
            lambda: bool(re.search("Against Starter: +Pro +Business +Enterprise", driver.details)),
            lambda: driver.details,
        )
        assert re.search("splash pages: +✓ 2 +✓ 10 +✓ 100", driver.details)
        assert "Next plan" not in driver.details
        await driver.wait_for("Time left: no end date")
        assert "no end date ▆" not in driver.text, "one bar alone compares nothing"


async def test_users_that_expire_next_are_named_where_the_details_leave_room(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(200, 50), place="users") as driver:
        await driver.settled()
        now = driver.app.session.local_time()
        users = driver.app.session.collection_of(USERS).records
        ends, name = min((one.expires, one.username) for one in users if one.expires and one.expires > now)
        named = f"{ends:%-d %b}: {name}"
        await wait_until(lambda: named in driver.details, lambda: driver.details)
        await driver.pilot.resize_terminal(140, 40)
        await wait_until(
            lambda: "no end date" in driver.details and driver.screen.query_one(Details).shows_all
        )


def entry(outcome: Outcome, begun: datetime) -> JournalEntry:
    intent = WriteIntent("pixels", "update", (4,), {}, ("Spring",))
    return JournalEntry(1, begun, intent, "PUT", "/api/pixel/4/update", outcome)


def test_a_change_says_what_it_set_or_why_it_failed_beside_it_or_below_it() -> None:
    at = datetime(2026, 11, 23, 9, 30).astimezone()
    done = replace(entry(Outcome.DONE, at), intent=renamed())
    assert text(changed_lines(done, at.date(), 60)) == ["09:30  ✓ edit pixel Spring  tag → A-2"]
    assert text(changed_lines(done, at.date(), 30)) == ["09:30  ✓ edit pixel Spring", "         tag → A-2"]
    failed = replace(entry(Outcome.REJECTED, at), message="no such tag")
    assert text(changed_lines(failed, at.date(), 60)) == ["09:30  ✗ edit pixel Spring  no such tag"]
    given = WriteIntent("users", "subscribe", (7, 4), {"type": "yearly"}, ("anna", "Pro"))
    (told,) = text(changed_lines(replace(done, intent=given), at.date(), 60))
    assert told == "09:30  ✓ subscribe user anna to plan Pro, yearly"


@pytest.mark.parametrize(
    ("intent", "told"),
    [
        (WriteIntent("pixels", "update", (4,), {}, ("Spring",)), "▪ Spring"),
        (WriteIntent("pixels", "update", (4,), {}, ("Spring",), undoes="a1"), "undo ▪ Spring"),
        (
            WriteIntent("campaigns", "delete", (5,), {}, ("Spring (2)",)),
            "delete ◎ Spring (2)",
        ),
        (WriteIntent("domains", "create", (), {}, ("https://a.example",)), "create ⌂ a.example"),
        (
            WriteIntent("users", "subscribe", (7, 4), {}, ("anna", "Pro")),
            "@ anna → Pro",
        ),
        (
            WriteIntent("channels", "assign", (29, 12), {"type": "links"}, ("Wayfinding",)),
            "link 12 → Wayfinding",
        ),
        (
            WriteIntent(
                "qr",
                "assign",
                (3, 9),
                {},
                ("Menu", "Spring"),
            ),
            "▣ Menu → Spring",
        ),
        (WriteIntent("newer", "update", (4,), {}, ("Spring",)), "edit newer Spring"),
    ],
)
def test_a_change_is_told_in_few_cells_by_the_sign_of_its_kind(intent: WriteIntent, told: str) -> None:
    at = datetime(2026, 11, 23, 9, 30).astimezone()
    (line,) = text([signed_pieces(replace(entry(Outcome.DONE, at), intent=intent), at.date())])
    assert line == f"09:30  ✓ {told}"


def renamed() -> WriteIntent:
    return WriteIntent("pixels", "update", (4,), {"tag": "A-2"}, ("Spring",), {"tag": "A-1"})


def test_a_change_says_when_how_it_ended_and_what_it_was() -> None:
    at = datetime(2026, 11, 23, 9, 30).astimezone()
    today = [piece.text for piece in change_pieces(entry(Outcome.DONE, at), at.date())]
    assert today == ["09:30  ", "✓ ", "edit pixel Spring"]
    later = (at + timedelta(days=3)).date()
    failed = change_pieces(entry(Outcome.REJECTED, at), later, outcome=12)
    assert [piece.text for piece in failed] == ["23 Nov ", "✗ rejected  ", "edit pixel Spring"]
    ends = [cells(change_pieces(entry(outcome, at), later, 12)[:2]) for outcome in Outcome]
    assert len(set(ends)) == 1, "whatever it ended with, what it was begins in one column"


async def test_a_channel_without_known_codes_says_how_to_load_them_and_rows_tell_how_others_are_scanned(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = SATURDAY.timestamp()
    async with run_app(demo, size=(140, 40), place="channels") as driver:
        await driver.settled()
        assert driver.screen.row is not None
        empty = driver.screen.row.id
        await driver.wait_for("enter loads them: 1 request.")
        assert "7 days" not in driver.records[0], "of none anything is known"
        for _ in range(2):
            await driver.press("enter")
            await driver.opened(ChannelItemsScreen)
            await driver.settled()
            await driver.press("escape", "j")
            await driver.settled()
        await driver.press("g")
        assert driver.screen.row.id == empty
        await driver.wait_for("No QR code.")
        loaded = driver.screen.collection.records[1]
        assert isinstance(loaded, Channel)
        items = driver.app.session.collection_of(ITEMS, loaded.id).records
        code = next(item for item in items if item.type == "qr")
        await driver.app.session.store.history.record_all({code.id: dropped()})
        driver.screen.show_related()
        await wait_until(lambda: "7 days" in driver.records[0], lambda: driver.text)
        assert re.search(r" – +– ", driver.records[1]), "there is no code in it"
        assert re.search(r" [\d,]+ +▼ \d+ % ", driver.records[2])
        assert all(record.count("?") == 1 for record in driver.records[3:]), "they were not opened"
        number = len(driver.screen.collection.records)
        await driver.wait_for(f"? {number - 2} not opened yet · enter opens one")
        assert "Description" in driver.records[0]
        assert "Description: " not in driver.details, "its row says it"
        await resize(driver.pilot, 80, 24)
        await wait_until(lambda: "Description" not in driver.records[0], lambda: driver.text)
        assert "7 days" in driver.records[0]
        await driver.wait_for(f"? {number - 2} not opened yet · enter opens one")
        assert "Description: " in driver.details
        assert "hidden" not in driver.text


async def test_the_linear_way_says_in_words_what_is_not_known_of_a_channel(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = SATURDAY.timestamp()
    async with run_app(demo, size=(140, 40), place="channels", linear=True) as driver:
        await driver.settled()
        for _ in range(2):
            await driver.press("enter")
            await driver.opened(ChannelItemsScreen)
            await driver.settled()
            await driver.press("escape", "j")
            await driver.settled()
        loaded = driver.screen.collection.records[1]
        items = driver.app.session.collection_of(ITEMS, loaded.id).records
        code = next(item for item in items if item.type == "qr")
        await driver.app.session.store.history.record_all({code.id: dropped()})
        driver.screen.show_related()
        await wait_until(lambda: "7 days" in driver.records[0], lambda: driver.text)
        assert [driver.records[row].count(word) for row, word in ((1, "no code"), (3, "unknown"))] == [1, 1]
        assert re.search(r"[^?] \d+ not opened yet", driver.text)


async def test_campaigns_tell_in_every_row_how_codes_named_so_are_scanned_and_that_use_is_not_known(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = SATURDAY.timestamp()
    async with run_app(demo, size=(80, 24), place="qr") as driver:
        await driver.settled()
        codes = driver.screen.collection.records
        await driver.go("campaigns")
        await driver.settled()
        assert "7 days" not in driver.text, "nothing is kept of the scans of any"
        first, *_ = driver.screen.collection.records
        shared = by_prefix(code for code in codes if isinstance(code, QrCode))
        name = next(one for one in shared if one in driver.screen.resource.name_of(first))
        await driver.app.session.store.history.record_all({shared[name][0].id: dropped()})
        driver.screen.show_related()
        await wait_until(lambda: "By name" in driver.records[0], lambda: driver.text)
        assert "7 days" not in driver.records[0], "those are no scans of the campaign"
        for one, row in zip(driver.screen.collection.records, driver.records[1:], strict=False):
            told = r" [\d,]+ +▼ \d+ % " if name in driver.screen.resource.name_of(one) else r" – +– "
            assert re.search(told, row), row
        await driver.wait_for("7 days by name only · real use not reported")
        await driver.press("/", *"name:nothing", "enter")
        await wait_until(lambda: 'filter "name:nothing"' in driver.status_line, lambda: driver.status_line)
        assert driver.status_line.startswith('filter "name:nothing"'), "what was found is never cut"


async def test_a_channel_without_a_code_does_not_say_so_beside_codes_that_are_named_like_it(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(200, 50), place="qr") as driver:
        await driver.settled()
        await driver.go("channels")
        await driver.settled()
        await driver.press("enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        await driver.press("escape")
        await wait_until(lambda: "In it: No QR code" in driver.details, lambda: driver.text)
        told = driver.screen.related_panel
        assert told is not None
        assert "QR codes named " in str(told.border_title)
        assert "QR codes in it" not in driver.text


async def test_the_room_that_a_list_leaves_tells_what_else_is_known(demo: Running, run_app: RunApp) -> None:
    rooms = {
        "splash": {(140, 40): "beside", (80, 24): "", (100, 30): "below"},
        "overlays": {(100, 30): "", (126, 40): "below"},
        "pixels": {(140, 40): "below"},
        "domains": {(80, 24): "below"},
    }
    async with run_app(demo) as driver:
        for place, sizes in rooms.items():
            await driver.go(place)
            for size, stands in sizes.items():
                await resize(driver.pilot, *size)
                await driver.painted()
                listed, told = (driver.screen.query_one(id) for id in ("#list", "#related"))
                assert told.display == bool(stands), (place, size)
                if stands == "beside":
                    assert told.region.x == listed.region.right
                elif stands:
                    assert told.region.y >= listed.region.bottom
                has_room = driver.table.content_size.height > len(driver.table.rows)
                assert place == "pixels" or has_room or not stands, "no row gives way"


async def test_a_short_list_is_as_high_as_its_rows_and_tells_its_kinds_below(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(200, 50), place="qr") as driver:
        await driver.settled()
        await driver.go("overlays")
        await driver.wait_for("QR codes named")
        rows = len(driver.table.rows)
        await wait_until(lambda: driver.table.outer_size.height == 1 + rows)
        listed, kinds, told = (driver.screen.query_one(id) for id in ("#list", "#kinds", "#related"))
        assert kinds.region.y == driver.screen.pane.region.bottom > listed.region.bottom
        assert (told.region.x, told.region.y) == (listed.region.right, listed.region.y)
        assert told.region.bottom == kinds.region.bottom
        assert "By age" in driver.text
        await driver.go("campaigns")
        await driver.settled()
        assert driver.table.outer_size.height < 1 + len(driver.table.rows)
        await driver.go("overlays")
        kinds = driver.screen.query_one("#kinds")
        await wait_until(lambda: kinds.display)
        row, name = driver.screen.row, driver.screen.resource.name_field
        assert row is not None
        driver.screen.collection.put(row.model_copy(update={name: "like no code"}))
        await wait_until(lambda: not kinds.display, lambda: driver.text)
        await wait_until(lambda: driver.text.count("By type") == 1, lambda: driver.text)
        driver.screen.collection.put(row)
        await wait_until(lambda: kinds.display)
        driver.screen.collection.filter("type:nothing")
        await wait_until(lambda: not kinds.display, lambda: driver.text)


async def test_below_the_kinds_the_scans_of_all_names_are_told(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = SATURDAY.timestamp()
    async with run_app(demo, size=(200, 50), place="qr") as driver:
        await driver.settled()
        codes = driver.app.session.collection_of(QR).records
        history = driver.app.session.store.history
        await history.record_all({code.id: dropped() for code in codes})
        groups = by_prefix(codes)
        await driver.go("splash")
        names = " ".join(driver.screen.resource.name_of(one) for one in driver.screen.collection.records)
        kinds = driver.screen.query_one("#kinds")
        await wait_until(lambda: kinds.display)
        await driver.wait_for("QR codes by client name, 7 days")
        told = [line[kinds.region.x : kinds.region.right] for line in driver.lines[kinds.region.y :]]
        for group in groups:
            rows = [line for line in told if re.match(rf"│ {re.escape(group)} +[\d,]+ +▼ \d+ %  ", line)]
            assert len(rows) == (group in names), (group, told)


async def test_the_room_below_what_uses_a_domain_has_a_chart_of_its_scans(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    app_clock.now = SATURDAY.timestamp()
    async with run_app(demo, size=(200, 50), place="qr") as driver:
        await driver.settled()
        codes = driver.app.session.collection_of(QR).records
        await driver.go("domains")
        await driver.wait_for("of 100 codes")
        hosts = codes_by_host(codes)
        records = driver.screen.collection.records
        domain = next(one for one in records if isinstance(one, Domain) and host_of(one.domain) in hosts)
        driver.table.move_to_key(domain.key)
        used = hosts[host_of(domain.domain)]
        await driver.wait_for(counted(len(used), "QR code"))
        related = driver.screen.query_one("#related")
        assert "Scans a day" not in driver.text, "nothing is kept of its codes"
        await driver.app.session.store.history.record_all({id: dropped() for id in used})
        driver.screen.show_related()
        await driver.wait_for("Scans a day")
        chart = related.query_one(Chart)
        await wait_until(lambda: chart.region.height > 8, lambda: driver.text)
        below = "\n".join(driver.lines[chart.region.y :])
        assert "7 days before" in below
        assert "last 7 days" in below
        assert "0▔" in below, "zero stands on the axis"
        await resize(driver.pilot, 140, 40)
        await wait_until(lambda: chart.region.bottom <= related.region.bottom - 1 or not chart.display)
        named = [name for name in used.values() if name in driver.text]
        assert named, "the codes come first"
        await resize(driver.pilot, 80, 24)
        await wait_until(lambda: not chart.display, lambda: driver.text)
        driver.table.move_to_key(next(one.key for one in records if one.key != domain.key))
        await resize(driver.pilot, 200, 50)
        await wait_until(lambda: "Scans a day" not in driver.text, lambda: driver.text)
        await driver.go("account")
        await driver.wait_for("Scans a day  of all codes")
        kept, scans = (driver.screen.query_one(id) for id in ("#related", "#scans"))
        assert not kept.query_one(Chart).display, "they are not what is kept of the lists"
        assert "Scans a day" in driver.lines[scans.region.y][scans.region.x :]
        assert scans.query_one(Chart).region.height > 8


async def test_what_is_not_loaded_is_not_said_to_be_none(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40), place="domains") as driver:
        await driver.settled()
        await driver.wait_for("QR codes are not loaded; 8 loads them")
        assert "Campaigns are not loaded; 5 loads them" in driver.text
        assert "of 0 codes" not in driver.text
        await driver.go("qr")
        await driver.settled()
        await driver.go("domains")
        await driver.wait_for("of 100 codes")
        assert "no QR code" in driver.text or "1 QR code" in driver.text
        assert "Campaigns are not loaded; 5 loads them" in driver.text


async def test_of_domains_addresses_are_whole_and_the_room_there_is_tells_of_all_of_them(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="domains") as driver:
        await driver.settled()
        first, second, *_ = driver.screen.collection.records
        root, broken = "https://www.museum.example/", "https://www.museum.example/lost?from=go"
        driver.screen.collection.put(first.model_copy(update={"redirectroot": root, "redirect404": broken}))
        driver.screen.collection.put(second.model_copy(update={"redirectroot": None, "redirect404": broken}))
        await driver.painted()
        assert re.search(r" www\.museum\.example +www\.museum\.example/lost\?from=go ", driver.records[1])
        assert re.search(r" – +www\.museum\.example/lost\?from=go ", driver.records[2])
        assert "7 days" not in driver.records[0], "nothing is kept of the scans of any"
        await resize(driver.pilot, 200, 50)
        screen = driver.app.screen
        assert isinstance(screen, DomainsScreen)
        names = [without_scheme(one.domain) for one in screen.collection.records]
        screen._weeks = {names[1]: CountChange(1_035, 935)}
        screen.show_columns_anew()
        await wait_until(lambda: re.search(r" 1,035 +▲ 11 % ", driver.records[2]))
        assert re.search(r" – +– ", driver.records[1])
        await wait_until(lambda: driver.table.outer_size.height == 1 + len(names), lambda: driver.text)
        await resize(driver.pilot, 80, 24)
        assert driver.records[0].split() == ["Domain", "Root", "redirect", "7", "days", "Week"]
        assert not any("…" in record for record in driver.records)
        assert "hidden" not in driver.status_line, "the details tell what the row does not"
        assert f"404 redirect: {broken}" in driver.details
        told = driver.screen.query_one("#related")
        await wait_until(lambda: told.display)
        await driver.press("e")
        await wait_until(lambda: driver.screen.pane.form is not None and driver.screen.pane.form.is_mounted)
        await driver.pilot.resize_terminal(80, 21)
        await driver.press("escape", "escape")
        await wait_until(lambda: driver.screen.pane.form is None)
        await wait_until(lambda: not told.display)
        await driver.painted()
        assert driver.table.content_size.height > len(driver.table.rows), "no row gives way"


async def test_two_lines_of_details_say_what_the_row_does_not_and_enter_says_all(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(80, 24), place="qr") as driver:
        await driver.settled()
        groups = by_prefix(driver.app.session.collection("qr").records)
        for place, told, left_out in (
            ("campaigns", {"Link list", "Id"}, {"Public", "Rotator"}),
            ("pixels", {"Created"}, {"Type", "Tag"}),
        ):
            await driver.go(place)
            asked = driver.asked
            resource, records = driver.screen.resource, driver.screen.collection.records
            id, group = next(
                (one.id, group) for one in records for group in groups if group in resource.name_of(one)
            )
            driver.table.move_to_key(id)
            await driver.wait_for(f" {len(groups[group])} named {group} ")
            titles = {line.title for line in driver.screen.query_one(Details).lines}
            assert titles == told | {"QR codes"}
            assert driver.screen.query_one(Details).shows_all
            assert (" ago" in driver.details) == ("age" in driver.table.without_room)
            await wait_until(lambda: "hidden" not in driver.status_line, lambda: driver.status_line)
            await driver.press("enter")
            await driver.opened(ViewerScreen)
            assert all(title in driver.text for title in left_out)
            await driver.press("escape")
            assert driver.asked == asked


async def test_a_campaign_tells_of_codes_of_its_name_first(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 40), place="qr") as driver:
        await driver.settled()
        groups = by_prefix(driver.app.session.collection("qr").records)
        await driver.go("campaigns")
        record = driver.screen.collection.records[0]
        (group,) = [name for name in groups if name in driver.screen.resource.name_of(record)]
        await driver.wait_for(f"╭─ QR codes named {group} ─")
        assert f"▣ {len(groups[group])} QR codes" in driver.text
        assert f"│ {without_prefix(groups[group][0].name)} " in driver.text


async def test_a_channel_says_in_every_size_how_what_is_in_it_is_scanned(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(80, 24), place="channels") as driver:
        await driver.settled()
        await wait_until(lambda: "In it: enter loads them: 1 request" in driver.details)
        await driver.press("j", "enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        await driver.press("escape")
        await wait_until(lambda: "In it: ▣ " in driver.details)
        (codes,) = re.findall(r"In it: ▣ (\d+) QR codes", driver.details)
        await resize(driver.pilot, 140, 40)
        await driver.wait_for(f"▣ {codes} QR codes ")
        assert "In it" not in driver.details, "said beside them"
        channel = driver.screen.row
        assert channel is not None
        items = driver.app.session.collection_of(ITEMS, channel.id).records
        below = driver.text.partition("their week is not kept yet")[2]
        assert any(item.title in below for item in items if item.type == "qr")


async def test_below_what_a_plan_allows_a_user_the_ends_of_all_are_told_where_there_is_room(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(140, 40), place="users") as driver:
        await driver.go("plans")
        await driver.go("users")
        await driver.settled()
        users = driver.app.session.collection_of(USERS).records
        endless = sum(user.expires is None for user in users)
        now = driver.app.session.local_time()
        coming = sorted(
            (user.expires, user.username) for user in users if user.expires and user.expires >= now
        )
        await wait_until(lambda: "Next to expire" in driver.details)
        for ends, name in coming[:3]:
            assert f"{ends:%-d %b}: {name}" in driver.details, "who expires next comes before how many"
        assert "Price: 99.00 monthly · 990.00 yearly" in driver.details, "what the user's plan costs"
        assert driver.screen.query_one(Details).shows_all
        await resize(driver.pilot, 200, 50)
        await wait_until(lambda: f"Time left of {len(users):,} users" in driver.details)
        assert f": {endless:,} no end date" in driver.details
        assert driver.screen.query_one(Details).shows_all
        await resize(driver.pilot, 80, 24)
        await wait_until(lambda: "no end date" not in driver.details)


async def test_a_code_that_is_scanned_no_more_says_since_when_in_its_row_and_its_details(
    demo: Running, app_clock: HoldingClock, run_app: RunApp
) -> None:
    dead = [replace(one, at=one.at + 4 * DAY) for one in dropped(after=0)]
    app_clock.now = SATURDAY.timestamp()
    async with run_app(demo, size=(80, 24), place="qr") as driver:
        await driver.settled()
        codes = driver.app.session.collection_of(QR).records
        code = next(one for one in codes if (one.scans or 0) > 2_000)
        driver.table.move_to_key(code.key)
        before = (code.scans or 0) - (dead[-1].scans or 0)  # so that it comes to what the list tells now
        known = [replace(one, scans=before + (one.scans or 0)) for one in dead if one.at <= SATURDAY]
        await driver.app.session.store.history.record_all({code.id: known})
        driver.screen.show_related()
        await driver.wait_for("none 3 d")
        assert "None: since Wed 18 Nov" in driver.details


def test_in_two_rows_numbers_come_first_and_names_are_whole() -> None:
    codes = {
        1: "東京ポップアップ · Table 37",
        2: "東京ポップアップ · Hotel room 11",
        3: "東京ポップアップ · Poster 2",
    }
    used = UsedCodes(codes, known(), "▣", in_numbers=False)
    rows = text(used.lines(78, 2))[:2]
    assert re.match(r"▣ 3 QR codes  420 scans in 7 days", rows[0])
    assert all(name in " ".join(rows) for name in codes.values())
    assert all(cells(row) <= 78 for row in used.lines(78, 2)[:2])
    many = {number: f"Trade fair stand of the clinic · {number:02}" for number in range(1, 17)}
    said = " ".join(text(UsedCodes(many, known(), "▣", in_numbers=False).lines(78, 2))[:2])
    named = sum(name in said for name in many.values())
    assert said.rstrip().endswith(f" and {16 - named} more")
