"""The details of a record: every field with its title."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, zip_longest
from typing import NamedTuple

from pydantic import BaseModel
from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.http.secrecy import masked_members
from linkdash.api.inert_text import MAX_LENGTH
from linkdash.api.records import Unreadable
from linkdash.model.lists.columns import drawn_value
from linkdash.widgets.styled_text import STYLES, Piece, Tone, breakable, rich_style
from linkdash.widgets.table.cell_text import full

# ---- one record in full: every field with its title, whatever the table has no room for ----

ALSO_SENT = "also sent"
"""The heading over members of an answer that the record's model does not know."""

_MAX_DEPTH = 8
_MOST_MEMBERS = 100  # of one list or map
_MOST_LINES, _MOST_CHARACTERS = 200, 30_000  # of one record: all are laid out at once
_TITLE_CELLS = 24  # of the longest title that is told in one row
_GAP = 2  # cells between a title and its value
_VALUE_CELLS = 8  # of every value at least, however narrow the pane
_AFTER_ITEMS = re.compile("(?<= · )")
_TITLE, _NOTE = STYLES[Tone.MUTED], f"bold {STYLES[Tone.WARNING]}"


@dataclass(frozen=True, slots=True)
class DetailLine:
    """A title and what stands beside it; a heading where nothing does."""

    title: str
    pieces: tuple[Piece, ...] = ()
    indent: int = 0

    @property
    def text(self) -> str:
        """Return what stands beside the title, without its looks."""
        return "".join(piece.text for piece in self.pieces)


class Details(VerticalScroll):
    """The pane that shows the record under the cursor."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._page = _Page()
        self._record: BaseModel | None = None
        self._width = 0

    def compose(self) -> ComposeResult:
        yield self._page

    def show(
        self,
        record: BaseModel | None,
        note: str | None = None,
        lines: Sequence[DetailLine] | None = None,
    ) -> None:
        """Show a record, readable or not, or nothing; `lines` takes the place of its own lines.

        `note` is what is to be known about it, such as that it was changed here since it was read.
        """
        shown = tuple(lines if lines is not None else record_lines(record))
        is_same, self._record = record is not None and record is self._record, record
        if (shown, note) == (self._page.lines, self._page.note):
            return
        self._page.lines, self._page.note = shown, note
        if is_same:  # such as beside a table that tells more of it now
            self._need_what_is_shown()
        self._page.refresh(layout=self.show_vertical_scrollbar or not self._page.is_as_high)
        self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Keep the rows that were needed once in this width.

        What stands above it is not to move with every record.
        """
        if self.size.width != self._width:
            self._width = self.size.width
            self._need_what_is_shown()
        else:
            self.styles.min_height = self.size.height

    def _need_what_is_shown(self) -> None:
        self.styles.min_height = min(self.size.height, self._page.needed)

    @property
    def lines(self) -> tuple[DetailLine, ...]:
        """The lines that are shown."""
        return self._page.lines

    @property
    def shows_all(self) -> bool:
        """Return whether every line is in sight."""
        return self.size.height > 0 and self.max_scroll_y == 0

    @property
    def note(self) -> str | None:
        """Return the note above them."""
        return self._page.note


class _Page(Widget):
    """Lines as two columns, drawn when they are needed, so that they follow the theme and the width."""

    lines: tuple[DetailLine, ...] = ()
    note: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[_Row] = []
        self._rows_of: object = None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many rows the lines take in so many cells.

        Where they fit only without the scrollbar that there is, they take what they need without it, and it
        goes: else it would stay for ever, since with it they need more rows.
        """
        parent = self.parent
        if isinstance(parent, Widget) and parent.show_vertical_scrollbar:
            whole = len(self._rows_in(width + parent.scrollbar_size_vertical))
            if whole <= container.height:
                return whole
        return len(self._rows_in(width))

    @property
    def needed(self) -> int:
        """Return how many rows the lines take in the width that it has."""
        return len(self._rows_in(self.size.width)) if self.size.width else 0

    @property
    def is_as_high(self) -> bool:
        """Return whether the lines take just the rows that it has: nothing is to be laid out again."""
        return bool(self.size) and self.needed == self.size.height

    def render_line(self, y: int) -> Strip:
        """Return one row of the widget."""
        rows, base = self._rows_in(self.size.width), self.rich_style
        segments = [self._segment(run, base) for run in rows[y]] if y < len(rows) else []
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def _segment(self, run: "_Run", base: Style) -> Segment:
        style = rich_style(self, run.look) if run.look else base
        return Segment(run.text, style if run.color is None else style + _colored(run.color))

    def _rows_in(self, width: int) -> "list[_Row]":
        asked = self.lines, self.note, width
        if asked != self._rows_of:
            self._rows_of, self._rows = asked, list(self._laid_out(width))
        return self._rows

    def _laid_out(self, width: int) -> "Iterator[_Row]":
        lines: list[_Line] = [
            ([_Run("  " * line.indent + line.title, _TITLE)], [*map(_run, line.pieces)])
            for line in self.lines
        ]
        if self.note:
            lines.insert(0, ([_Run("note", _NOTE)], [_Run(self.note, _NOTE)]))
        most = min(_TITLE_CELLS, max(1, width - _GAP - _VALUE_CELLS))
        titles = min(most, max((cell_len(title[0].text) for title, value in lines if value), default=0))
        room = max(_VALUE_CELLS, width - titles - _GAP)
        for title, value in lines:
            if not value:  # a heading has the whole row
                yield from _wrapped(title, width)
                continue
            rows = zip_longest(_wrapped(title, titles), _wrapped(value, room), fillvalue=list[_Run]())
            for left, right in rows:
                gap = titles + _GAP - _cells(left)
                yield [*left, _Run(" " * gap), *right]


class _Run(NamedTuple):
    """A part of a row in one look."""

    text: str
    look: str = ""
    color: tuple[int, int, int] | None = None


_Row = list[_Run]


def _run(piece: Piece) -> _Run:
    return _Run(piece.text, STYLES[piece.tone], piece.color)


@cache
def _colored(color: tuple[int, int, int]) -> Style:
    return Style(color=Color.from_rgb(*color))


def _cells(runs: _Row) -> int:
    return sum(cell_len(run.text) for run in runs)


_Line = tuple[_Row, _Row]


# ---- a value in several rows ----


def _wrapped(runs: _Row, width: int) -> list[_Row]:
    """Runs in rows of at most so many cells; a part that is longer than a row is broken within."""
    if _cells(runs) <= width:
        return [runs]
    rows: list[_Row] = [[]]
    room = width
    for run in runs:
        for part in _parts(run.text, width):
            if cell_len(part.rstrip()) > room and rows[-1]:
                rows.append([])
                room = width
            text = part if cell_len(part) <= room else part.rstrip()
            rows[-1].append(run._replace(text=text))
            room -= cell_len(text)
    return rows


def _parts(text: str, width: int) -> Iterator[str]:
    """The parts after which a row may end: in a list such as `custom alias · geo targeting` its items."""
    items = _AFTER_ITEMS.split(text)
    for item in items:
        is_whole = len(items) > 1 and cell_len(item.rstrip()) <= width
        yield from [item] if is_whole else breakable(item, width)


# ---- a record as lines ----


def record_lines(record: BaseModel | None, name_field: str = "") -> list[DetailLine]:
    """Every field of a record, then what the service sent besides; secrets masked.

    `name_field` holds what the user calls it: that comes first and stands out. The id is the last.
    """
    if record is None:
        return []
    if isinstance(record, Unreadable):
        return [DetailLine("unreadable record", (Piece(record.text, Tone.ODD),))]
    lines: list[DetailLine] = []
    room = _MOST_CHARACTERS
    for line in _model_lines(record, 0, name_field):
        if len(lines) == _MOST_LINES or room < 0:
            return [*lines, _more("much more")]
        lines.append(line)
        room -= len(line.text)
    return lines


def _model_lines(model: BaseModel, indent: int, name_field: str = "") -> Iterator[DetailLine]:
    fields = sorted(fields_of(type(model)), key=lambda field: _rank_of(field, name_field))
    for field in fields:
        value = drawn_value(model, field.name)
        for line in _field_lines(field.title, field.labels.of(value), field.kind, indent):
            yield _standing_out(line) if field.name == name_field else line
    if model.model_extra:
        yield DetailLine(ALSO_SENT, indent=indent)
        yield from _nested_lines(model.model_extra, indent + 1)


def _rank_of(field: Field, name_field: str) -> int:
    """Return the rank of a field: the name first, the id last, all others as they were declared."""
    return 0 if field.name == name_field else 2 if field.kind is Kind.IDENTIFIER else 1


def _standing_out(line: DetailLine) -> DetailLine:
    return replace(
        line,
        pieces=tuple(
            piece._replace(tone=Tone.HERO) if piece.tone is Tone.PLAIN else piece for piece in line.pieces
        ),
    )


def _field_lines(title: str, value: object, kind: Kind, indent: int) -> Iterator[DetailLine]:
    if not isinstance(value, BaseModel | Mapping | list | tuple) or not _is_nested(value):
        yield DetailLine(title, full(value, kind), indent)
        if isinstance(value, str) and len(value) > MAX_LENGTH:
            yield _more(f"{len(value) - MAX_LENGTH + 1:,} more characters", indent)
    elif indent >= _MAX_DEPTH:
        yield DetailLine(title, (Piece("nested too deep to show", Tone.MUTED),), indent)
    else:
        yield DetailLine(title, indent=indent)
        if isinstance(value, BaseModel):
            yield from _model_lines(value, indent + 1)
        else:
            yield from _nested_lines(value, indent + 1)


def _is_nested(value: BaseModel | Mapping[object, object] | Sequence[object]) -> bool:
    return isinstance(value, BaseModel) or len(value) > 0


def _nested_lines(members: object, indent: int) -> Iterator[DetailLine]:
    """The first members of a map by name, of a list by number, counted from 1; secrets masked."""
    if isinstance(members, Mapping):
        first = masked_members(dict(islice(members.items(), _MOST_MEMBERS)))
        for name, value in first.items():
            yield from _field_lines(str(name), value, _kind_of(value), indent)
    elif isinstance(members, list | tuple):
        for number, value in enumerate(members[:_MOST_MEMBERS], 1):
            yield from _field_lines(str(number), value, _kind_of(value), indent)
    else:
        return
    if len(members) > _MOST_MEMBERS:
        yield _more(f"{len(members) - _MOST_MEMBERS:,} more", indent)


def _more(count: str, indent: int = 0) -> DetailLine:
    """Say that something is left out, and where it is."""
    return DetailLine("…", (Piece(f"{count}, in the raw view, copies and exports", Tone.MUTED),), indent)


def _kind_of(value: object) -> Kind:
    """The kind of a value of which only JSON's type is known."""
    return Kind.FLAG if isinstance(value, bool) else Kind.TEXT
