"""Every widget of the frame in one picture, to be looked at.

python -m tests.widgets.gallery [--theme linkdash-day] [--message error] [--window] [--ascii]
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from linkdash.api.budget.scheduler import BudgetState
from linkdash.api.fields import Kind as FieldKind
from linkdash.model.humanize import CountChange, Trend
from linkdash.model.lists.columns import Column
from linkdash.widgets.frame.header import AccountBadge, Header
from linkdash.widgets.frame.key_line import KeyLine
from linkdash.widgets.frame.message_line import Message, MessageKind, MessageLine, Messages
from linkdash.widgets.frame.sidebar import Freshness, JobEntry, PlaceEntry, RecentEntry, Sidebar, WatchedEntry
from linkdash.widgets.frame.sizes import HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS
from linkdash.widgets.frame.status_bar import BudgetBar, StatusFacts
from linkdash.widgets.frame.tabs import Tabs
from linkdash.widgets.panel import Panel, PanelText, Window
from linkdash.widgets.styled_text import Piece, Tone, content
from linkdash.widgets.table.record_table import RecordTable
from linkdash.widgets.terminal.ascii_filter import AsciiFilter
from linkdash.widgets.themes import ThemedApp, style_paths

NOON = datetime(2026, 11, 21, 13, 14)
STATE = BudgetState(30, 24, 24, False, 42.0, 60.0, 0, (), None, None)
EVERY, WHOLE = [("M", "all messages")], [("M", "all of it")]
PLACES = (
    PlaceEntry("overview", "h", "Overview", "Home"),
    PlaceEntry("account", "1", "Account", "Acc", Freshness.FRESH, "1", "Manage"),
    PlaceEntry("domains", "2", "Domains", "Dom", Freshness.FRESH, "12"),
    PlaceEntry("overlays", "3", "Overlays", "Ovl", Freshness.AGED, "14"),
    PlaceEntry("splash", "4", "Splash pages", "Spl", Freshness.AGED, "6"),
    PlaceEntry("campaigns", "5", "Campaigns", "Camp", Freshness.FRESH, "15"),
    PlaceEntry("channels", "6", "Channels", "Chan", Freshness.FRESH, "9"),
    PlaceEntry("pixels", "7", "Pixels", "Pix", Freshness.FRESH, "28"),
    PlaceEntry("qr", "8", "QR codes", "QR", Freshness.FRESH, "400"),
    PlaceEntry("plans", "9", "Plans", "Plan", Freshness.AGED, "5", "Admin"),
    PlaceEntry("users", "g u", "Users", "User", Freshness.NOT_LOADED, "–"),
)
WEEK = (9, 5, 3, 2, 2, 1, 1)


@dataclass(frozen=True)
class Code:
    id: int
    name: str
    scans: int
    trend: Trend
    change: CountChange
    age: str


def codes() -> list[Code]:
    numbers = ((300, 1600), (135, 100), (103, 100), (3, 7), (0, 0), (90, 92), (24, 18))
    return [
        Code(
            number,
            f"Harbor Coffee · Shop window {number}" if number % 5 else "東京ポップアップ · Table 7",
            number**3 % 40_000,
            Trend(tuple((day * number) % 17 for day in (*WEEK,)), CountChange(*numbers[number % 7])),
            CountChange(*numbers[number % 7]),
            f"{number} d",
        )
        for number in range(1, 60)
    ]


COLUMNS: Sequence[Column[Code]] = (
    Column("name", "Name", FieldKind.TEXT, 24, grow=True, essential=True),
    Column("scans", "Scans", FieldKind.COUNT, 7, essential=True, align="right"),
    Column("trend", "7 days", FieldKind.TEXT, 7),
    Column("change", "▲▼ %", FieldKind.TEXT, 8, align="right"),
    Column("age", "Age", FieldKind.TEXT, 5, align="right"),
)


class Main(Screen[None]):
    HORIZONTAL_BREAKPOINTS = HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = VERTICAL_BREAKPOINTS
    BINDINGS: ClassVar = [("e", "app.bell", "Edit"), ("n", "app.bell", "New"), ("d", "app.bell", "Delete")]

    def __init__(self, messages: Messages) -> None:
        super().__init__()
        self.messages = messages

    def compose(self) -> ComposeResult:
        account = AccountBadge("demo", "127.0.0.1", "dmitri.gruber", "pro")
        yield Header(account, ["QR codes", "New"], lambda: NOON)
        yield Tabs()
        with Horizontal(id="middle"):
            yield Sidebar()
            yield Panel(RecordTable(COLUMNS, lambda row: row.id), title="QR codes", id="list")
            yield Panel(Static(id="details"), title="Details", id="details-panel")
        yield BudgetBar(lambda: STATE, lambda: StatusFacts("all saved", True, "as of 14 s ago"))
        with Container(id="bottom"):
            yield KeyLine()
            yield MessageLine(self.messages, lambda: 0.0, lambda stays: EVERY, lambda: WHOLE)

    def on_mount(self) -> None:
        self.query_one(Tabs).show_places(PLACES, "qr")
        side = self.query_one(Sidebar)
        side.show_places(PLACES, "qr")
        side.show_recent(
            [RecentEntry("1", "▣", "Harbor Coffee · Shop window"), RecentEntry("2", "@", "ana.costa")]
        )
        change = CountChange(300, 1600)
        side.show_watched([WatchedEntry("1", "Harbor Coffee", Trend(WEEK, change), change)])
        side.show_job(JobEntry("Recolour 40 codes", 26, 40, 24, 1, 1, True), [Piece("J", Tone.KEY), " open"])
        table = self.query_one(RecordTable)
        table.sort = ("age", True)
        table.show_rows(codes())
        table.marks = {2, 4}
        table.move_cursor(6)
        table.focus()
        self.query_one("#list", Panel).say(
            above=[Piece("newest first", Tone.MUTED)],
            below=[
                Piece("400 codes", Tone.HERO),
                Piece(" · page 1 of 4", Tone.MUTED),
                Piece(" ● fresh", Tone.GOOD),
            ],
        )
        details = [
            Piece("Harbor Coffee · Shop window 4\n", Tone.HERO),
            Piece("https://lnk.example/qr/28af611\n\n", Tone.LINK),
            Piece("Scans    ", Tone.MUTED),
            Piece("32,104\n", Tone.HERO),
        ]
        self.query_one("#details", Static).update(content(details))


class Question(ModalScreen[None]):
    def compose(self) -> ComposeResult:
        keys: PanelText = [Piece("esc", Tone.KEY), " close"]
        yield Window(Static("7 QR codes and their statistics go for good."), title="Delete 7", keys=keys)


class Gallery(ThemedApp[None]):
    CSS_PATH: ClassVar[list[str | PurePath]] = [*style_paths(), PurePath(__file__).with_suffix(".tcss")]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, *, theme: str = "", message: str = "", window: bool = False, ascii: bool = False
    ) -> None:
        self.plain = AsciiFilter() if ascii else None
        super().__init__()
        self.theme = theme or self.theme
        self.window = window
        self.messages = Messages()
        if message:
            said = "Not saved: the service refused the logo. The draft is kept."
            self.messages.say(Message(MessageKind[message.upper()], said, "e: open it again"), 0.0)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *([self.plain] if self.plain else [])]

    def get_default_screen(self) -> Main:
        return Main(self.messages)

    def on_mount(self) -> None:
        if self.window:
            self.push_screen(Question())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--theme", default="")
    parser.add_argument("--message", default="", choices=["success", "warning", "error", "note"])
    parser.add_argument("--window", action="store_true")
    parser.add_argument("--ascii", action="store_true")
    Gallery(**vars(parser.parse_args())).run()


if __name__ == "__main__":
    main()
