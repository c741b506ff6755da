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
from linkdash.model.humanize import CountChange
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
    WatchedEntry,
)
from linkdash.widgets.frame.sizes import HORIZONTAL_BREAKPOINTS
from linkdash.widgets.frame.status_bar import BudgetBar, StatusFacts, budget_pieces
from linkdash.widgets.frame.tabs import Tabs
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Piece, Tone
from linkdash.widgets.themes import ThemedApp, style_paths
from tests.waiting import wait_until
from tests.widgets.sample import drawn

NOON = datetime(2026, 11, 21, 13, 14)
PLACES = (
    PlaceEntry("overview", "h", "Overview"),
    PlaceEntry("account", "1", "Account", Freshness.FRESH, "1", "Manage"),
    PlaceEntry("qr", "8", "QR codes", Freshness.AGED, "400"),
    PlaceEntry("users", "gu", "[red]Users", Freshness.NOT_LOADED, "–"),
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


def test_what_nobody_tells_is_counted_and_a_window_that_has_turned_is_full() -> None:
    budget = Budget()
    for second in range(5):
        budget.enqueue(Lane.READ, "domains", second)
        ticket = budget.due(second)
        assert ticket is not None
        budget.answered(ticket, 200, {}, second + 0.1)
    told = ["".join(piece.text for piece in budget_pieces(budget.state(at))) for at in (6.0, 70.0)]
    assert "25 of 30 left" in told[0]
    assert "30 of 30 left" in told[1]


@pytest.mark.parametrize("width", [60, 80, 100, 140])
async def test_the_budget_stands_first_and_whole_and_the_rest_is_cut_at_the_end(width: int) -> None:
    seconds = [42.0]
    bar = BudgetBar(
        lambda: state(24, waiting=2, reset_in=seconds[0]),
        lambda: StatusFacts("not saved: Pixels", False, "now"),
    )
    async with Frame(lambda: bar).run_test(size=(width, 3)):
        whole = "24 of 30 left · full in 42 s │ 2 requests wait: paced │ ✎ not saved: Pixels │ now"
        await wait_until(lambda: "full in 42 s" in drawn(bar)[0])
        said = drawn(bar)[0].strip("━╸─ ")
        assert said == whole or (said.endswith("…") and whole.startswith(said.removesuffix("…").rstrip()))
        seconds[0] = 41.0
        bar.update_lines()
        await wait_until(lambda: "full in 41 s" in drawn(bar)[0])


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
        assert ("dmitri.gruber pro" in line, line.rstrip().endswith("13:14")) == (
            columns >= 80,
            columns >= 100,
        )


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
        side.show_watched([WatchedEntry("9", "Harbor Coffee", change)])
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


async def test_the_change_of_what_is_watched_is_whole_and_its_name_has_the_rest() -> None:
    changes = [CountChange(0, 400, quiet_days=3), CountChange(80, 4), CountChange(10, 0)]
    app = Frame(Sidebar)
    async with app.run_test(size=(100, 30)):
        name = "Wayfinding Velo Station"
        app.query_one(Sidebar).show_watched([WatchedEntry("9", name, change) for change in changes])
        await wait_until(lambda: "7 days" in screen_text(app))
        for change in changes:
            line = f"{name[: 20 - len(change.words)]}… {change.words} "
            assert line in screen_text(app), screen_text(app)


@pytest.mark.parametrize("high", [27, 26])
async def test_every_panel_of_the_sidebar_has_its_frame_where_the_terminal_is_low(high: int) -> None:
    app = Frame(Sidebar)
    async with app.run_test(size=(100, high)):
        side = app.query_one(Sidebar)
        side.show_places([PlaceEntry(str(n), "1", f"Place {n}") for n in range(13)], "1")
        side.show_recent([RecentEntry(str(n), "▣", f"Opened {n}") for n in range(5)])
        side.show_watched([WatchedEntry(str(n), f"Watched {n}", CountChange(300, 1600)) for n in range(3)])
        await wait_until(lambda: "Watched 2" in screen_text(app), lambda: screen_text(app))
        side.show_job(JobEntry("Recolour", 26, 40, 24, 1, 1, True), [Piece("J", Tone.KEY), " open"])
        await wait_until(lambda: "26/40" in screen_text(app) and screen_text(app).count("╰") == 4)
        assert "Opened 0" in screen_text(app)
        assert "Watched 0" in screen_text(app)


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


@pytest.mark.parametrize("columns", [60, 80])
async def test_tabs_name_the_open_place(columns: int) -> None:
    tabs = Tabs()
    app = Frame(lambda: tabs)
    async with app.run_test(size=(columns, 5)) as pilot:
        tabs.show_places(PLACES, "qr")
        await wait_until(lambda: drawn(tabs) and cell_len(drawn(tabs)[0]) == columns)
        assert "▌8 QR codes" in drawn(tabs)[0]
        await pilot.click(Tabs, offset=(drawn(tabs)[0].index("8"), 0))
        await wait_until(lambda: app.chosen == [("place", "qr")])


@pytest.mark.parametrize("current", [one.id for one in model.PLACES])
def test_the_open_place_and_the_next_are_whole_and_each_is_called_as_ever(current: str) -> None:
    places = [PlaceEntry(*one[:3]) for one in (model.OVERVIEW, *model.PLACES)]
    tabs = Tabs()
    tabs.show_places(places, current)
    whole = "".join(f" {place.key} {place.name}" for place in places)
    at = [place.id for place in places].index(current)
    for width in (60, 80, 99):
        (line,) = tabs.lines(width, 1)
        said = "".join(piece.text for piece in line).replace("▌", " ")[:width]
        assert said.removeprefix("…") in whole
        assert all(place.name in said for place in places[at : at + 2])


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


@pytest.mark.parametrize("columns", [40, 120])
async def test_what_a_frame_has_no_room_for_is_cut_at_its_end(columns: int) -> None:
    panel = Panel(title="[b]Velo Station")
    app = Frame(lambda: panel)
    async with app.run_test(size=(columns, 6)):
        panel.say(above=["by scans, " + "then by name, " * 12], below=["400 codes"])
        (title,) = (line for line in screen_text(app).splitlines() if "Velo" in line)
        assert title.strip("─━╭╮ ").startswith("[b]Velo Station  by scans")
        assert title.strip("─━╭╮ ").endswith("…")


@pytest.mark.parametrize("columns", [80, 140])
async def test_a_panel_says_the_same_as_a_box_and_as_a_rule(columns: int) -> None:
    panel = Panel(Input(compact=True), title="[b]QR codes")
    app = Frame(lambda: panel, lambda: Input(id="other", compact=True))
    async with app.run_test(size=(columns, 10)) as pilot:
        panel.say(above=["newest first"], below=["400 codes"], keys=["S order"])
        app.query_one("#other").focus()
        await wait_until(lambda: "▶" not in drawn(panel)[0])
        top, bottom = drawn(panel)[0], drawn(panel)[-1]
        if columns < 100:
            assert "[b]QR codes  newest first  400 codes" in top
        else:
            assert "[b]QR codes  newest first" in top
            assert "400 codes · S order" in bottom
        panel.query_one(Input).focus()
        await wait_until(lambda: "▶ [b]QR codes" in drawn(panel)[0])
        await pilot.pause()
