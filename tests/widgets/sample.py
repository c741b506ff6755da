"""A record, rows of it and a small app, for the tests of the table and what belongs to it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field
from textual.app import ComposeResult
from textual.filter import LineFilter
from textual.geometry import Region
from textual.widget import Widget

from linkdash.api.fields import Color, Count, Day, Flag, Kind, Labels, Link, Moment, Secret, Text, Word
from linkdash.api.records import Model, Record, Unreadable
from linkdash.model.lists.columns import column
from linkdash.widgets.table.record_table import RecordTable
from linkdash.widgets.terminal.inert_filter import InertFilter
from linkdash.widgets.themes import ThemedApp, style_paths

HOSTILE = (
    "[/b]",
    "[@click=app.quit]x",
    "\x1b]52;c;aGVsbG8=\x07",
    "\x1b[2J\x9b31m\x00",
    "abc\u202edef\u2066ghi\u200b",
    "日本語の名前がとても長く続きます",
    "e\u0301\u0301\u0301a\u0308",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "two\nlines\tand a tab",
)


class Price(Model):
    monthly: Count = None
    token: Secret = None


class Code(Record):
    name: Annotated[Text, Field(title="Label")] = ""
    link: Link = ""
    scans: Count = None
    starred: Flag = None
    color: Color = ""
    kind: Annotated[Word, Labels({"gtm": "Tag Manager"})] = ""
    made: Moment = None
    day: Day = None
    apikey: Secret = None
    settings: Annotated[dict[str, str], Kind.NESTED] = {}
    price: Annotated[Price | None, Kind.NESTED] = None


COLUMNS = (
    column(Code, "id", essential=True),
    column(Code, "name", width=16, grow=True, essential=True),
    column(Code, "link", width=20, grow=True),
    column(Code, "scans"),
    column(Code, "made"),
    replace(column(Code, "apikey"), title="Key"),
)


def code(id: int, **members: object) -> Code:
    """A record as the program's client reads it; the members must suffice for one."""
    record = Code.read({"id": id, **members}, safe_text=True)
    assert isinstance(record, Code)
    return record


def codes(count: int, first: int = 1) -> list[Code | Unreadable]:
    return [code(id, name=f"code {id}", scans=id * 10) for id in range(first, first + count)]


class Lazy(Sequence[Code | Unreadable]):
    """Rows with ids from `first` on, made when they are asked for; it remembers which positions were."""

    def __init__(self, count: int, first: int = 1) -> None:
        self._count, self._first = count, first
        self.touched: set[int] = set()

    def index_of(self, key: object) -> int | None:
        return key - self._first if isinstance(key, int) else None

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # slices are never asked for
        self.touched.add(index)
        return code(index + self._first, name="code")


class TableApp(ThemedApp[None]):
    """An app that is one table and remembers the table's messages."""

    CSS_PATH = [*style_paths("record_table", "details")]

    def __init__(self) -> None:
        super().__init__()
        self.table: RecordTable[Code] = RecordTable(COLUMNS, lambda code: code.id)
        self.moves: list[object] = []
        self.opened: list[object] = []
        self.headers: list[str] = []

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), InertFilter()]

    def compose(self) -> ComposeResult:
        yield self.table

    def on_mount(self) -> None:
        self.table.focus()

    def on_record_table_cursor_moved(self, message: RecordTable.CursorMoved[Code]) -> None:
        self.moves.append(message.key)

    def on_record_table_opened(self, message: RecordTable.Opened[Code]) -> None:
        self.opened.append(message.key)

    def on_record_table_header_clicked(self, message: RecordTable.HeaderClicked[Code]) -> None:
        self.headers.append(message.column.name)


def drawn(widget: Widget) -> list[str]:
    """Return what a widget puts on the screen, line by line, through the filters of its app."""
    return [strip.text for strip in widget.render_lines(Region(0, 0, *widget.outer_size))]
