"""The frame of every screen: header, sidebar, tabs, budget, messages, panels."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Input

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.scheduler import Budget, BudgetState, Waiting
from linkdash.model import resources as model
from linkdash.model.humanize import CountChange, Trend
from linkdash.widgets.charts.budget_level import level
from linkdash.widgets.frame.header import AccountBadge, Header
from linkdash.widgets.frame.key_help import KeyColumns, KeyGroup, KeyHelp
from linkdash.widgets.frame.message_line import Message, MessageKind, MessageLine, Messages
from linkdash.widgets.frame.sidebar import (
    EntryChosen,
    Freshness,
    JobEntry,
    PlaceEntry,
    Recent,
    RecentEntry,
    Sidebar,
    Watched,
    WatchedEntry,
    in_two_rows,
)
from linkdash.widgets.frame.sizes import HORIZONTAL_BREAKPOINTS
from linkdash.widgets.frame.status_bar import BudgetBar, StatusFacts, fitting_budget
from linkdash.widgets.frame.tabs import Tabs
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone, cells
from linkdash.widgets.themes import ThemedApp, style_paths
from tests.waiting import wait_until
from tests.widgets.sample import drawn

NOON = datetime(2026, 11, 21, 13, 14)
PLACES = (
    PlaceEntry("overview", "h", "Overview", "Home"),
    PlaceEntry("account", "1", "Account", "Acc", Freshness.FRESH, "1", "Manage"),
    PlaceEntry("qr", "8", "QR codes", "QR", Freshness.AGED, "400"),
    PlaceEntry("users", "gu", "[red]Users", "User", Freshness.NOT_LOADED, "–"),
)
SHEETS = ("frame", "header", "sidebar", "panel", "status_bar", "message_line")


class Frame(ThemedApp[None]):
    """An app of some widgets of the frame; keeps what was chosen."""

    CSS_PATH = [*style_paths(*SHEETS)]
    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS

    def __init__(self, *make: Callable[[], Widget]) -> None:
        super().__init__()
        self.make = make
        self.chosen: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        for make in self.make:
            yield make()

    def on_entry_chosen(self, message: EntryChosen) -> None:
        self.chosen.append((message.kind, message.id))


def screen_text(app: Frame) -> str:
    """Return what stands on the screen, line by line."""
    strips = app.screen._compositor.render_strips(app.screen.size)
    return "\n".join("".join(segment.text for segment in line) for line in strips)


def state(remaining: int | None, waiting: int = 0, reset_in: float | None = 42.0) -> BudgetState:
    queued = tuple(Waiting("qr/1", Lane.BACKGROUND, 0.0) for _ in range(waiting))
    return BudgetState(
        30, remaining, remaining, False, reset_in, 60.0, 0, queued, None, "paced" if waiting else None
    )


# ---- the budget ----


@pytest.mark.parametrize(
    ("remaining", "word"),
    [
        (30, "full"),
        (29, "enough"),
        (11, "enough"),
        (10, "low"),
        (4, "low"),
        (3, "almost none"),
        (1, "almost none"),
        (0, "none"),
    ],
)
def test_the_budget_in_a_word(remaining: int, word: str) -> None:
    assert level(remaining, 30)[0] == word


@pytest.mark.parametrize("width", range(10, 160, 7))
@pytest.mark.parametrize("known", [state(24, waiting=2), state(None), state(0), state(3, reset_in=0)])
def test_the_budget_fits_and_says_what_waits_to_the_last(width: int, known: BudgetState) -> None:
    pieces = fitting_budget(known, width)
    text = "".join(piece.text for piece in pieces)
    assert cells(pieces) <= max(width, len("budget unknown until the first answer"))
    assert not known.queued or "2 requests wait: paced" in text


def test_what_nobody_tells_is_counted_and_a_window_that_has_turned_is_full() -> None:
    budget = Budget()
    for second in range(5):
        budget.enqueue(Lane.READ, "domains", second)
        ticket = budget.due(second)
        assert ticket is not None
        budget.answered(ticket, 200, {}, second + 0.1)
    told = ["".join(piece.text for piece in fitting_budget(budget.state(at), 140)) for at in (6.0, 70.0)]
    assert "25 of 30 left" in told[0]
    assert "30 of 30 left" in told[1]


async def test_the_budget_bar_says_how_much_is_left_and_how_old_the_list_is() -> None:
    seconds = [42.0]
    bar = BudgetBar(
        lambda: state(24, reset_in=seconds[0]), lambda: StatusFacts("all saved", True, "as of 14 s ago")
    )
    async with Frame(lambda: bar).run_test(size=(140, 3)):
        await wait_until(lambda: "full in 42 s" in drawn(bar)[0])
        assert drawn(bar)[0].startswith(" Requests ━")
        assert drawn(bar)[0].rstrip().endswith("✓ all saved │ as of 14 s ago")
        seconds[0] = 41.0
        bar.update_lines()
        await wait_until(lambda: "full in 41 s" in drawn(bar)[0])
        for width in range(20, 140, 3):
            (pieces,) = bar.lines(width, 1)
            left = fitting_budget(state(24, reset_in=41.0), width - 2)
            told, rest = ("".join(piece.text for piece in part) for part in (left, pieces))
            assert told in rest
            assert rest.replace(told, "").strip() in ("✓ all saved │ as of 14 s ago", "as of 14 s ago", "")
            assert ("as of 14 s ago" in rest) == (cells(left) + 18 <= width), "what fits of it is told"
            assert cells(pieces) <= width


async def test_what_is_not_saved_is_told_in_any_width() -> None:
    bar = BudgetBar(lambda: state(24, reset_in=41.0), lambda: StatusFacts("not saved: Pixels", False, "now"))
    async with Frame(lambda: bar).run_test(size=(140, 3)):
        for width in range(40, 140, 3):
            (pieces,) = bar.lines(width, 1)
            told = "".join(piece.text for piece in pieces)
            assert "✎ not saved" in told
            assert "24 of 30 left" in told
            assert cells(pieces) <= width


# ---- messages ----


def test_the_same_message_is_counted_and_others_are_kept() -> None:
    messages = Messages()
    for _ in range(1_000):
        messages.say(Message(MessageKind.NOTE, "A page is on its way."), 0.0)
    messages.say(Message(MessageKind.SUCCESS, "Saved."), 1.0)
    assert [message.sentence for message in messages.kept] == ["A page is on its way. (1000 times)", "Saved."]


def test_a_message_is_not_counted_with_one_before_another_action() -> None:
    messages, nothing = Messages(), Message(MessageKind.NOTE, "esc has nothing to close here.")
    for _ in range(2):
        messages.go_on(0.0)
        messages.say(nothing, 0.0)
    for _ in range(3):  # something is opened, closed by esc, and esc is pressed again
        messages.go_on(0.5)
    messages.say(nothing, 0.5)
    assert [message.times for message in messages.kept] == [2, 1]


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [(MessageKind.SUCCESS, 6), (MessageKind.NOTE, 6), (MessageKind.WARNING, 12), (MessageKind.ERROR, None)],
)
def test_how_long_a_message_is_shown(kind: MessageKind, seconds: int | None) -> None:
    messages = Messages()
    messages.say(Message(kind, "It happened."), 100.0)
    if seconds is None:
        assert messages.shown(10_000.0) is not None
        messages.dismiss()
    else:
        assert messages.shown(100.0 + seconds - 0.1) is not None
    assert messages.shown(100.0 + (seconds or 0)) is None
    assert len(messages.kept) == 1


def test_a_message_that_could_be_read_stays_with_the_screen_it_was_said_on() -> None:
    messages = Messages()
    messages.say(Message(MessageKind.WARNING, "Nothing is selected."), 10.0)
    messages.go_on(10.5)
    assert messages.shown(10.5), "it was said as the other screen came"
    messages.go_on(11.5)
    assert messages.shown(11.5) is None
    messages.say(Message(MessageKind.ERROR, "It failed."), 12.0)
    messages.go_on(20.0)
    assert messages.shown(20.0), "an error is taken away by whoever has read it"


async def test_the_message_line_is_there_only_while_there_is_a_message() -> None:
    messages, clock, whole = Messages(), [0.0], list[tuple[str, str]]
    keys = [("M", "all messages"), ("esc", "dismiss")]
    line = MessageLine(messages, lambda: clock[0], lambda stays: keys[: 1 + stays], whole)
    async with Frame(lambda: line).run_test(size=(80, 3)) as pilot:
        assert not line.display
        messages.say(Message(MessageKind.ERROR, "Not saved: [b]refused[/b].", "e opens it again"), 0.0)
        line.update_lines()
        await pilot.pause()
        assert drawn(line)[0].startswith(" ✗  Not saved: [b]refused[/b].  e opens it again")
        assert drawn(line)[0].rstrip().endswith("M all messages  esc dismiss")
        assert line.dismiss()
        assert not line.display
        messages.say(Message(MessageKind.WARNING, "There is no order to reverse."), 0.0)
        line.update_lines()
        await pilot.pause()
        assert drawn(line)[0].rstrip().endswith("M all messages"), "it goes by itself"
        assert not line.dismiss()
        assert line.display


async def test_a_message_that_is_cut_names_the_key_that_shows_all_of_it() -> None:
    messages, dismiss, whole = Messages(), [("esc", "dismiss")], [("M", "all of it")]
    line = MessageLine(messages, lambda: 0.0, lambda stays: dismiss, lambda: whole)
    async with Frame(lambda: line).run_test(size=(80, 3)) as pilot:
        messages.say(Message(MessageKind.ERROR, "Not saved", "The service said no. " * 5), 0.0)
        line.update_lines()
        await pilot.pause()
        said = drawn(line)[0].rstrip()
        assert said.startswith(" ✗  Not saved  The service said no.")
        assert said.endswith("… M all of it")
        assert cell_len(said) <= 80


# ---- where the user is ----


@pytest.mark.parametrize("columns", [60, 80, 100, 140])
async def test_the_header_says_where_and_as_whom(columns: int) -> None:
    account = AccountBadge(
        "acme", "api.lnk.example", "dmitri.gruber", "pro", is_production=True, read_only=True
    )
    header = Header(account, ["QR codes", "New"], lambda: NOON)
    async with Frame(lambda: header).run_test(size=(columns, 3)):
        (line,) = drawn(header)
        assert cell_len(line) == columns
        assert "! ACME read-only" in line
        assert "QR codes › New" in line
        assert line.rstrip().endswith("13:14")
        assert ("dmitri.gruber" in line) == (columns != 60)
        assert ("dmitri.gruber  status pro  " in line) == (columns >= 100), "no plan of that name is meant"


async def test_the_header_turns_with_the_clock_and_the_place() -> None:
    moment = [NOON]
    header = Header(AccountBadge("demo", "127.0.0.1"), ["QR codes"], lambda: moment[0])
    async with Frame(lambda: header).run_test(size=(100, 3)):
        moment[0] += timedelta(minutes=1)
        header.show(trail=["Users"])
        await wait_until(lambda: "Users" in drawn(header)[0] and "13:15" in drawn(header)[0])


async def test_the_sidebar_shows_and_leads() -> None:
    app = Frame(Sidebar)
    async with app.run_test(size=(140, 40)) as pilot:
        side = app.query_one(Sidebar)
        assert [panel.id for panel in side.query(Panel) if panel.display] == ["places"]
        side.show_places(PLACES, "qr")
        side.show_recent([RecentEntry("7", "▣", "A [b]name[/b]")])
        change = CountChange(300, 1600)
        side.show_watched([WatchedEntry("9", "Harbor Coffee", Trend((9, 5, 1), change), change)])
        side.show_job(JobEntry("Recolour", 26, 40, 24, 1, 1, True), [Piece("J", Tone.KEY), " open"])
        await wait_until(lambda: "26/40" in screen_text(app))
        text = screen_text(app)
        names = ("▌8 QR codes", "gu [red]Users", "A [b]name[/b]")
        for said in (*names, "400", "▼ 81 %", "✓ 24  ✗ 1  ? 1", "J open"):
            assert said in text, said
        for selector, y in (("Places", 4), ("Recent", 0), ("Watched", 0), ("JobList", 1), ("Places", 1)):
            assert await pilot.click(selector, offset=(3, y))
        await wait_until(lambda: len(app.chosen) == 4)
        assert app.chosen == [("place", "users"), ("recent", "7"), ("watched", "9"), ("job", "job")]


async def test_what_is_shown_while_the_sidebar_is_made_is_in_it() -> None:
    app = Frame(Sidebar)
    async with app.run_test(size=(80, 24)):
        side = app.query_one(Sidebar)
        side.show_places(PLACES, "qr")
        side.display = True
        made = asyncio.create_task(side.on_show())
        while not made.done():
            side.show_recent([RecentEntry("7", "▣", "Table 7")])
            await asyncio.sleep(0)
        await made
        await wait_until(lambda: "Table 7" in " ".join(drawn(side.query_one(Recent))))


async def test_a_sidebar_that_has_no_room_any_more_is_made_the_next_time() -> None:
    app = Frame(Sidebar)
    async with app.run_test(size=(80, 24)):
        side = app.query_one(Sidebar)
        side.show_places(PLACES, "qr")
        await side.on_show()  # as when the terminal became narrow again before it was handled
        assert not side.children
        side.display = True
        await wait_until(lambda: "QR codes" in screen_text(app))


@pytest.mark.parametrize(("rows", "is_whole"), [(30, True), (13, False)])
async def test_names_in_the_sidebar_are_whole_where_there_are_rows_to_spare(
    rows: int, is_whole: bool
) -> None:
    long, change = "Riverside Clinic · Trade fair stand 35", CountChange(300, 1600)
    app = Frame(Sidebar)
    async with app.run_test(size=(140, rows)):
        side = app.query_one(Sidebar)
        side.show_places(PLACES, "qr")
        side.show_recent([RecentEntry("7", "▣", long)])
        side.show_watched([WatchedEntry("9", long, Trend((9, 5, 1), change), change)])
        await wait_until(lambda: "▼ 81 %" in screen_text(app))
        said = " ".join(screen_text(app).replace("│", " ").split())
        assert said.count("Riverside Clinic · Trade fair stand 35") == 2 * is_whole
        watched = [" ".join(line.split()) for line in drawn(side.query_one(Watched))]
        whole = ["Riverside Clinic ·", "Trade fair stand 35", "300 ▇▄▂ ▼ 81 %"]
        assert watched == (whole if is_whole else watched[:1])


async def test_recent_records_give_up_rows_so_that_every_watched_name_is_whole() -> None:
    change = CountChange(300, 1600)
    recent = [RecentEntry(str(id), "▣", f"Tidewater Hotel · Table {id}0") for id in range(5)]
    names = [f"Riverside Clinic · Delivery note {id}" for id in range(3)]
    watched = [WatchedEntry(name, name, Trend((9, 5, 1), change), change) for name in names]
    app = Frame(Sidebar)
    async with app.run_test(size=(140, 28)) as pilot:
        side = app.query_one(Sidebar)
        side.show_places(PLACES, "qr")
        side.show_recent(recent)
        side.show_watched(watched)
        list, last = side.query_one(Watched), side.query_one(Recent)
        await wait_until(lambda: len(drawn(list)) == 9, lambda: screen_text(app))
        assert [" ".join(drawn(list)[at : at + 2]).split() for at in (0, 3, 6)] == [
            name.split() for name in names
        ]
        said = " ".join(" ".join(drawn(last)).split())
        shown = [number for number in range(5) if f"Tidewater Hotel · Table {number}0" in said]
        assert shown == [0, 1, 2, 3][: len(shown)]
        assert 3 <= len(shown) < 5
        await pilot.resize_terminal(140, 60)
        await wait_until(lambda: "Table 40" in " ".join(drawn(last)), lambda: screen_text(app))


async def test_a_watched_name_has_two_rows_only_as_long_as_the_recent_ones_leave_them() -> None:
    long, change = "Riverside Clinic · Trade fair stand 35", CountChange(300, 1600)
    app = Frame(Sidebar)
    async with app.run_test(size=(140, 18)):
        side = app.query_one(Sidebar)
        side.show_places(PLACES, "qr")
        watched = [WatchedEntry(id, long, Trend((9, 5, 1), change), change) for id in "89"]
        side.show_watched(watched)
        list = side.query_one(Watched)
        await wait_until(lambda: len(drawn(list)) == 6, lambda: screen_text(app))
        side.show_recent([RecentEntry("7", "▣", long)])
        await wait_until(lambda: len(drawn(list)) == 5, lambda: screen_text(app))
        assert "Riverside C…r stand 35" in screen_text(app)
        side.show_job(JobEntry("Recolour", 26, 40, 24, 1, 1, True), [])
        await wait_until(lambda: len(drawn(list)) == 2, lambda: screen_text(app))


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("Tidewater Hotel · Table 4", ("Tidewater Hotel ·", "Table 4")),
        ("Velo Station · Table 4", ("Velo Station · Table 4", "")),
        ("A very long name of a street · 4", ("A very long name of a", "street · 4")),
        ("Kita Sonnenblume season tickets", ("Kita Sonnenblume season", "tickets")),
    ],
)
def test_a_name_is_broken_between_its_parts(name: str, rows: tuple[str, str]) -> None:
    assert in_two_rows(name, 24) == rows


@pytest.mark.parametrize("columns", [1, 5, 20, 60, 80])
async def test_tabs_name_the_open_place(columns: int) -> None:
    tabs = Tabs()
    app = Frame(lambda: tabs)
    async with app.run_test(size=(columns, 5)) as pilot:
        tabs.show_places(PLACES, "qr")
        await wait_until(lambda: drawn(tabs) and cell_len(drawn(tabs)[0]) == columns)
        if columns >= 20:
            assert "▌8 QR codes" in drawn(tabs)[0]
            await pilot.click(Tabs, offset=(drawn(tabs)[0].index("8"), 0))
            await wait_until(lambda: app.chosen == [("place", "qr")])


@pytest.mark.parametrize("current", [one.id for one in model.PLACES])
def test_no_tab_is_cut_in_a_terminal_of_80_columns(current: str) -> None:
    tabs = Tabs()
    tabs.show_places([PlaceEntry(*one[:4]) for one in (model.OVERVIEW, *model.PLACES)], current)
    (line,) = tabs.lines(80, 1)
    assert cells(line) <= 80
    assert "9 Plans 0 Users" in "".join(piece.text for piece in line).replace("▌", "")


async def test_tabs_have_whole_names_where_there_is_room() -> None:
    tabs = Tabs()
    async with Frame(lambda: tabs).run_test(size=(60, 5)) as pilot:
        tabs.show_places(PLACES, "qr")
        await wait_until(lambda: "1 Account" in drawn(tabs)[0])
        await pilot.resize_terminal(30, 5)
        await wait_until(lambda: "1 Acc" in drawn(tabs)[0])


@pytest.mark.parametrize("width", range(60, 130, 5))
def test_a_tab_is_called_the_same_whatever_place_is_open(width: int) -> None:
    places = [PlaceEntry(*one[:4]) for one in (model.OVERVIEW, *model.PLACES)]
    tabs, said = Tabs(), set[str]()
    for place in places:
        tabs.show_places(places, place.id)
        (line,) = tabs.lines(width, 1)
        said.add("".join(piece.text for piece in line).replace("▌", ""))
    assert len(said) == 1 or width < 80, said


# ---- keys in columns ----

GROUPS = (
    KeyGroup("Move", (KeyHelp("j k", "row"), KeyHelp("g G", "first, last"))),
    KeyGroup(
        "Records", (KeyHelp("n", "new"), KeyHelp("e", "edit"), KeyHelp("d", "delete", "Delete, it asks"))
    ),
    KeyGroup("Program", (KeyHelp("?", "this help"),)),
)


@pytest.mark.parametrize(("columns", "rows"), [(40, 11), (80, 7), (120, 4)])
async def test_help_takes_as_many_columns_as_there_is_room_for(columns: int, rows: int) -> None:
    help = KeyColumns(GROUPS)
    async with Frame(lambda: help).run_test(size=(columns, 30)):
        text = [line.rstrip() for line in drawn(help)]
        assert len(text) <= rows
        for group in GROUPS:
            assert any(group.title in line for line in text)
            for key, label, *_ in group.keys:
                assert any(f"{key} " in line and label in line for line in text)
        help.find("delete")
        await wait_until(lambda: "new" not in "".join(drawn(help)))
        assert "delete  Delete, it asks" in "".join(drawn(help)), "what it is called, and what it does"


# ---- panels ----


async def test_a_rule_leaves_counts_out_where_it_would_have_to_cut_them() -> None:
    panel = Panel(title="Top codes")
    async with Frame(lambda: panel).run_test(size=(60, 5)) as pilot:
        panel.say(above=["by scans"], below=["400 codes have a history"])
        assert drawn(panel)[0].strip("─ ") == "Top codes  by scans  400 codes have a history"
        await pilot.resize_terminal(40, 5)
        await wait_until(lambda: drawn(panel)[0].strip("─ ") == "Top codes  by scans")
        await pilot.resize_terminal(100, 5)
        panel.say(below=["400 codes"], keys=["o order"])
        await wait_until(lambda: "400 codes · o order" in drawn(panel)[-1])
        panel.say(keys=["o order, then any of the letters of " + "what it can be ordered by " * 3])
        await wait_until(lambda: drawn(panel)[-1].strip("╰╯─ ") == "400 codes")


@pytest.mark.parametrize("columns", [80, 140])
async def test_a_panel_says_the_same_as_a_box_and_as_a_rule(columns: int) -> None:
    panel = Panel(Input(compact=True), title="[b]QR codes")
    app = Frame(lambda: panel, lambda: Input(id="other", compact=True))
    async with app.run_test(size=(columns, 10)) as pilot:
        panel.say(above=["newest first"], below=["400 codes"], keys=["S order"])
        app.query_one("#other").focus()
        await wait_until(lambda: "▶" not in drawn(panel)[0])
        top, bottom = drawn(panel)[0], drawn(panel)[-1]
        assert "[b]QR codes  newest first" in top
        assert ("400 codes" in top, "400 codes · S order" in bottom) == (
            (True, False) if columns < 100 else (False, True)
        )
        panel.query_one(Input).focus()
        await wait_until(lambda: "▶ [b]QR codes" in drawn(panel)[0])
        await pilot.pause()


@pytest.mark.parametrize("columns", [40, 120])
async def test_what_a_frame_has_no_room_for_is_left_out_whole(columns: int) -> None:
    panel = Panel(title="Velo Station · Ticket 39")
    app = Frame(lambda: panel)
    async with app.run_test(size=(columns, 6)):
        for said, told in (("7 days · 14 days before them", "7 days"), ("x" * columns, "")):
            panel.say(above=[Piece(said)])
            (title,) = (line for line in screen_text(app).splitlines() if "Ticket" in line)
            whole = said if columns == 120 and told else told
            assert f"Velo Station · Ticket 39{'  ' * bool(whole)}{whole}" == title.strip("─━╭╮ ")
