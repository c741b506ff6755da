"""The table of every screen: drawn line by line from a sequence of rows, however many they are."""

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from linkdash.api.fields import Kind
from linkdash.api.records import Unreadable
from linkdash.model.humanize import counted
from linkdash.model.lists.columns import GAP, Column, Row, fit, sampled, total_width
from linkdash.widgets.panel import Panel
from linkdash.widgets.styled_text import Tone, rich_style
from linkdash.widgets.table.cell_text import cells_of
from linkdash.widgets.table.common_beginning import common_beginning, without_beginning
from linkdash.widgets.table.row_line import (
    CURSOR,
    CURSOR_SIGN,
    HEADER,
    MARK_SIGN,
    NOTE_SIGNS,
    RESTING_CURSOR,
    ROW,
    IndexOf,
    KeyedRows,
    header_line,
    looks_on,
    row_line,
    unreadable_line,
)

_WIDEST = 400  # letters


def needs(columns: Sequence[Column[Row]], rows: Sequence[Row | Unreadable]) -> dict[str, int]:
    """Cells that the longest value of each column takes, by the column's name.

    Of many rows only some are looked at; a longer value between them will be cut.
    """
    sample = [row for index in sampled(len(rows)) if not isinstance(row := rows[index], Unreadable)]
    return {
        column.name: max((cells_of(_begun(column.shown(row)), column.kind) for row in sample), default=0)
        for column in columns
    }


def _begun(value: object) -> object:
    """A value, of a long text its beginning: no screen is wider."""
    return value[:_WIDEST] if isinstance(value, str) else value


_HEADER_LINES = 1
_GUTTER = 3  # the cursor's sign, that of the mark, else of the note, and a blank before the first cell
_SIDEWAYS = 8  # cells that one key press scrolls to the left or right
_CACHED_LINES = 1_000

Shown = TypeVar("Shown")


class RecordTable(ScrollView, Generic[Row], can_focus=True, inherit_bindings=False):
    """Rows of one type with a cursor that stays on its record.

    Only rows on the screen, and some hundred for the widths of the columns, are ever taken from the
    sequence, so it may be lazy. Rows are told apart by their key; an `Unreadable` one has none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next row", id="table.down", show=False),
        Binding("up,k", "move(-1)", "Previous row", id="table.up", show=False),
        Binding("pagedown", "page(1)", "One screen down", id="table.page_down", show=False),
        Binding("pageup", "page(-1)", "One screen up", id="table.page_up", show=False),
        Binding("home,g", "first", "First row", id="table.first", show=False),
        Binding("end,G", "last", "Last row", id="table.last", show=False),
        Binding("left", "sideways(-1)", "Columns to the left", id="table.left", show=False),
        Binding("right", "sideways(1)", "Columns to the right", id="table.right", show=False),
    ]

    marks: reactive[Set[Hashable]] = reactive(frozenset, always_update=True)
    """Keys of the rows that carry the mark's sign; set it again where the set itself has changed."""
    notes: reactive[Mapping[Hashable, str]] = reactive(dict)
    """Notes on rows, by key, such as "changed"; set a new mapping to change it."""
    sort: reactive[tuple[str, bool] | None] = reactive(None)
    """The name of the column that the header shows as sorted, and whether it is in reverse."""

    class CursorMoved(Message, Generic[Shown]):
        """The cursor is on another row, or rows were shown anew; `row` is None where there are none."""

        def __init__(
            self, table: "RecordTable[Shown]", row: Shown | Unreadable | None, key: Hashable
        ) -> None:
            super().__init__()
            self.table, self.row, self.key = table, row, key

        @property
        def control(self) -> "RecordTable[Shown]":
            return self.table

    class Opened(Message, Generic[Shown]):
        """The row under the cursor was clicked."""

        def __init__(self, table: "RecordTable[Shown]", row: Shown, key: Hashable) -> None:
            super().__init__()
            self.table, self.row, self.key = table, row, key

        @property
        def control(self) -> "RecordTable[Shown]":
            return self.table

    class HeaderClicked(Message, Generic[Shown]):
        """A column's title was clicked."""

        def __init__(self, table: "RecordTable[Shown]", column: Column[Shown]) -> None:
            super().__init__()
            self.table, self.column = table, column

        @property
        def control(self) -> "RecordTable[Shown]":
            return self.table

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], Hashable],
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._columns = tuple(columns)
        self._rows = KeyedRows[Row]((), key)
        self._cursor = 0
        self._room = 1
        self._widths: list[tuple[Column[Row], int]] = []
        self._measured: Sequence[Row | Unreadable] = []  # a list of its own: `()` is that of everybody
        self._needs: dict[str, int] = {}
        self._beginnings: dict[str, str] = {}
        self._strips: LRUCache[tuple[int, str], Strip] = LRUCache(_CACHED_LINES)
        self._rich_styles: dict[tuple[str, ...], Style] = {}

    # ---- what it shows ----

    def show_rows(
        self,
        rows: Sequence[Row | Unreadable],
        columns: Sequence[Column[Row]] | None = None,
        *,
        index_of: IndexOf | None = None,
        measured: Sequence[Row | Unreadable] | None = None,
    ) -> None:
        """Show these rows; the cursor and what is in sight stay on their records where they are still there.

        `index_of` finds a key's position in `rows`. Without it every row may be looked at to find the
        cursor's record again, which a lazy sequence should spare itself. `measured` are rows from which the
        columns learn their widths, where that are more than these. The very sequence that is shown is not
        drawn again, unless it is in other columns or to be measured anew.
        """
        if columns is not None and self._columns != tuple(columns):
            self._take_columns(tuple(columns))
        measured = rows if measured is None else measured
        if rows is not self._rows.rows or measured is not self._measured:
            self._draw_rows(rows, index_of, measured)
        self.post_message(self.CursorMoved(self, self.cursor_row, self.cursor_key))

    def _draw_rows(
        self, rows: Sequence[Row | Unreadable], index_of: IndexOf | None, measured: Sequence[Row | Unreadable]
    ) -> None:
        anchor = self._cursor if self._in_sight(self._cursor) else self._top
        keys = self._rows.key_at(self._cursor), self._rows.key_at(anchor)
        self._measure(measured)
        self._rows = KeyedRows(rows, self._rows.key, index_of)
        self._cursor = self._rows.follow(keys[0], self._cursor)
        top = self._top + self._rows.follow(keys[1], anchor) - anchor
        self._arrange()
        self.scroll_to(y=max(0, top), animate=False, force=True)

    def _take_columns(self, columns: tuple[Column[Row], ...]) -> None:
        """Draw other columns; one whose title is another has other values, and the room for those."""
        titles = {column.name: column.title for column in self._columns}
        others = {column.name for column in columns if titles.get(column.name) != column.title}
        self._needs = {name: cells for name, cells in self._needs.items() if name not in others}
        self._columns, self._measured = columns, []

    def measure_anew(self) -> None:
        """Ask the rows again how wide they are: what columns draw beside the records is known by now."""
        self._measured = []

    def _measure(self, rows: Sequence[Row | Unreadable]) -> None:
        """Columns keep the room they once needed, so that none jumps from page to page."""
        if rows is self._measured:
            return
        self._measured, self._beginnings = rows, {}
        found = needs(self._columns, rows)
        self._needs = {name: max(cells, self._needs.get(name, 0)) for name, cells in found.items()}

    @property
    def rows(self) -> Sequence[Row | Unreadable]:
        """The rows as they were given to `show`."""
        return self._rows.rows

    @property
    def columns(self) -> tuple[Column[Row], ...]:
        """Every column, also those that have no room."""
        return self._columns

    @property
    def hidden(self) -> int:
        """Return how many columns are left out because the table is too narrow."""
        return len(self.without_room)

    @property
    def without_room(self) -> Set[str]:
        """The names of the columns that are left out because the table is too narrow."""
        if self._room != self.room:
            self._share_out()
        return {column.name for column in self._columns} - {column.name for column, _ in self._widths}

    def told_of(self, row: Row) -> Set[str]:
        """The names of the columns in which a row says all that it has."""
        if self._room != self.room:
            self._share_out()
        return {
            column.name for column, cells in self._widths if cells_of(column.shown(row), column.kind) <= cells
        }

    # ---- the cursor ----

    @property
    def cursor(self) -> int:
        """The position of the cursor among the rows."""
        return self._cursor

    @property
    def cursor_row(self) -> Row | Unreadable | None:
        """The row under the cursor, None where there are no rows."""
        return self._rows.rows[self._cursor] if len(self._rows) else None

    @property
    def cursor_key(self) -> Hashable:
        """The key of the row under the cursor, None where it has none."""
        return self._rows.key_at(self._cursor)

    def move_cursor(self, index: int) -> None:
        """Put the cursor on the row at a position, or the nearest there is, and bring it into sight."""
        index = self._rows.clamp(index)
        if index != self._cursor:
            self.refresh_line(self._cursor + _HEADER_LINES)
            self.refresh_line(index + _HEADER_LINES)
            self._cursor = index
            self.post_message(self.CursorMoved(self, self.cursor_row, self.cursor_key))
        self._bring_into_sight()

    def move_to_key(self, key: Hashable) -> bool:
        """Put the cursor on the row of a key; False, and nothing moved, where no row has it."""
        index = self._rows.find(key)
        if index is not None:
            self.move_cursor(index)
        return index is not None

    def has_key(self, key: Hashable) -> bool:
        """Return whether a row has a key."""
        return self._rows.find(key) is not None

    # ---- scrolling ----

    @property
    def _top(self) -> int:
        """The position of the first row in sight."""
        return self.scroll_offset.y

    @property
    def _page(self) -> int:
        """Return how many rows are in sight at once."""
        return max(1, self.scrollable_content_region.height - _HEADER_LINES)

    def _in_sight(self, index: int) -> bool:
        return self._top <= index < self._top + self._page

    def _bring_into_sight(self) -> None:
        if not self._in_sight(self._cursor):
            above = self._cursor < self._top
            self.scroll_to(
                y=self._cursor if above else self._cursor - self._page + 1, animate=False, force=True
            )

    def action_move(self, rows: int) -> None:
        self.move_cursor(self._cursor + rows)

    def action_page(self, pages: int) -> None:
        self.scroll_to(y=self._top + pages * self._page, animate=False, force=True)
        self.move_cursor(self._cursor + pages * self._page)

    def action_first(self) -> None:
        self.move_cursor(0)

    def action_last(self) -> None:
        self.move_cursor(len(self._rows) - 1)

    def action_sideways(self, steps: int) -> None:
        self.scroll_to(x=self.scroll_offset.x + steps * _SIDEWAYS, animate=False, force=True)

    def _open(self) -> None:
        row = self.cursor_row
        if row is not None and not isinstance(row, Unreadable):
            self.post_message(self.Opened(self, row, self._rows.key(row)))

    # ---- the mouse ----

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or event.button != 1:
            return
        if offset.y < _HEADER_LINES:
            if (column := self._column_at(offset.x)) is not None:
                self.post_message(self.HeaderClicked(self, column))
            return
        index = offset.y - _HEADER_LINES + self._top
        if index == self._cursor:
            self._open()
        elif index < len(self._rows):
            self.move_cursor(index)

    def _column_at(self, x: int) -> Column[Row] | None:
        end = _GUTTER - self.scroll_offset.x
        for column, width in self._widths:
            end += width + GAP
            if _GUTTER <= x < end:
                return column
        return None

    # ---- drawing ----

    def on_resize(self) -> None:
        """Bring the cursor into sight; the lines themselves were drawn in this size before it is told."""
        self._fit_width()
        self._bring_into_sight()

    def notify_style_update(self) -> None:
        """Forget what was drawn in the colors before."""
        self._strips.clear()
        self._rich_styles.clear()
        super().notify_style_update()

    def _arrange(self) -> None:
        """Share out the width and forget what was drawn before."""
        self._share_out()
        self._set_extent()
        self.refresh()

    def _fit_width(self) -> None:
        """Share out the width anew where it is another one."""
        if self._room != self.room:
            self._share_out()
        self._set_extent()

    def _share_out(self) -> None:
        self._room = self.room
        widths = fit(self._columns, self._room, self._needs)
        self._widths = [(self._shortened(column, cells), cells) for column, cells in widths]
        self._strips.clear()
        self._tell_hidden()

    def _tell_hidden(self) -> None:
        """Have the panel say how many columns there are that have no room, if there are rows to miss them."""
        if isinstance(self.parent, Panel):
            hidden = self.hidden if len(self._rows) else 0
            self.parent.say_aside(f"{counted(hidden, 'column')} hidden" if hidden else "")

    def _shortened(self, column: Column[Row], cells: int) -> Column[Row]:
        """The column; one of links that it would cut without the beginning that all of them have."""
        if cells >= self._needs.get(column.name, 0) or column.kind is not Kind.LINK:
            return column
        if column.name not in self._beginnings:
            sample = [self._measured[index] for index in sampled(len(self._measured))]
            self._beginnings[column.name] = common_beginning(column, sample)
        beginning = self._beginnings[column.name]
        return without_beginning(column, cells, beginning) if beginning else column

    def _set_extent(self) -> None:
        """Say how far it scrolls: where all columns have room, the same at any width."""
        width = _GUTTER + total_width(self._widths)
        scrolled = width if width > self.scrollable_content_region.width else 0
        self.virtual_size = Size(scrolled, len(self._rows) + _HEADER_LINES)

    @property
    def room(self) -> int:
        """The cells that its columns share."""
        return max(1, self.scrollable_content_region.width - _GUTTER)

    def render_line(self, y: int) -> Strip:
        """Return one line of the widget: the header, which does not scroll, or a row."""
        if self._room != self.room:
            self._share_out()  # the first picture in another size comes before the table is told of it
        if y < _HEADER_LINES:
            return self._header()
        index = y - _HEADER_LINES + self._top
        if index >= len(self._rows):
            return Strip.blank(self.size.width, self._style(ROW))
        look = self._look(index)
        line = self._strips.get((index, look))
        if line is None:
            line = self._strips[index, look] = self._line(index, look)
        return self._beside_gutter(self._signs(index, look), line, look)

    def _beside_gutter(self, gutter: Sequence[Segment], line: Strip, look: str) -> Strip:
        """The part of a line that is scrolled into sight, right of its gutter, which does not scroll."""
        left = self.scroll_offset.x
        room = max(0, self.size.width - _GUTTER)
        part = line.crop_extend(left, left + room, self._style(look))
        return Strip([*gutter, *part], _GUTTER + room).crop(0, self.size.width)

    def _style(self, *styles: str) -> Style:
        style = self._rich_styles.get(styles)
        if style is None:
            style = self._rich_styles[styles] = rich_style(self, *styles)
        return style

    def _look(self, index: int) -> str:
        if index != self._cursor:
            return ROW
        return CURSOR if self.has_focus else RESTING_CURSOR

    def _signs(self, index: int, look: str) -> Sequence[Segment]:
        """Return what stands left of a row: the cursor; the mark, or else the note; a blank."""
        key, looks = self._rows.key_at(index), looks_on(look)
        sign = self._style(look, looks[Tone.KEY])
        note = self.notes.get(key)
        cursor = Segment(CURSOR_SIGN if index == self._cursor else " ", sign)
        if key is not None and key in self.marks:
            return cursor, Segment(f"{MARK_SIGN} ", self._style(look, looks[Tone.WARNING], "bold"))
        return cursor, Segment(f"{' ' if note is None else NOTE_SIGNS.get(note, '!')} ", sign)

    def _line(self, index: int, look: str) -> Strip:
        row = self._rows.rows[index]
        if isinstance(row, Unreadable):
            return unreadable_line(row, max(0, self.size.width - _GUTTER), look, self._style)
        return row_line(row, self._widths, look, self._style)

    def _header(self) -> Strip:
        plain = self._style(HEADER)
        line = header_line(self._widths, self.sort, self._style)
        return self._beside_gutter([Segment(" " * _GUTTER, plain)], line, HEADER)
