"""How values are shown: one in one cell, readable without color, or those of a record in full."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from itertools import islice, zip_longest
from typing import NamedTuple

from pydantic import BaseModel
from rich.cells import cell_len, set_cell_size, split_text
from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from linkdash.api.fields import Field, Kind, fields_of, read_color
from linkdash.api.model import Model, Unreadable
from linkdash.api.secrecy import MASK, masked_members
from linkdash.api.text import MAX_LENGTH, inert
from linkdash.model.columns import Odd, value_of
from linkdash.model.humanize import Badge, Bar, Change, Ended, TimeLeft, Trend
from linkdash.widgets import pictures
from linkdash.widgets.pieces import CUT, Align, Piece, Tone, fit_text

# ---- one value in one cell: never wider or narrower than its column ----

ABSENT = "\N{EN DASH}"
YES, NO, UNKNOWN = "\N{CHECK MARK}", "\N{EN DASH}", "?"
SWATCH = "\N{FULL BLOCK}" * 2

_ESTIMATE = ", an estimate: the service has not said it yet"
_COLORS = frozenset({Kind.HEX_COLOR, Kind.RGB_COLOR})
_ENDLESS = 1_000_000  # cells, where nothing has to be cut
_LINK_END = 4  # cells of a link's end that must be left for its host to be shown whole
_DATE_CELLS, _MOMENT_CELLS = 10, 16
_SCALES = ((10**3, "k"), (10**6, "M"), (10**9, "B"), (10**12, "T"), (10**15, "P"))


def cell(value: object, kind: Kind, width: int, align: Align = "left") -> tuple[Piece, ...]:
    """`value` as pieces that together take exactly `width` cells."""
    match value:
        case Bar():
            return pictures.bar_pieces(value, width)
        case Trend():
            return pictures.trend_pieces(value, width)
        case Change():
            return pictures.change_pieces(value, width)
        case TimeLeft():
            return pictures.time_left_pieces(value, width)
        case Ended():
            return pictures.ended_pieces(value, width)
        case Badge():
            return pictures.badge_pieces(value, width)
    if (color := as_color(value, kind)) and width > len(SWATCH):
        name = "#{:02X}{:02X}{:02X}".format(*color)
        room = width - len(SWATCH)
        return (Piece(SWATCH, color=color), Piece(fit_text(f" {name}" if len(name) < room else "", room)))
    text, tone = short(value, kind, width)
    return (Piece(fit_text(text, width, align), tone),)


def full(value: object, kind: Kind) -> tuple[Piece, ...]:
    """`value` as pieces that leave nothing out: links whole, moments to the second."""
    if color := as_color(value, kind):
        return Piece(SWATCH, color=color), Piece(f" {inert(str(value))}")
    if isinstance(value, Odd) and value.is_estimate and kind is not Kind.SECRET:
        return Piece(inert(value.text)), Piece(_ESTIMATE, Tone.MUTED)
    if kind is Kind.FLAG and isinstance(value, bool):
        mark, tone = flag(value)
        return (Piece(f"{mark} {'yes' if value else 'no'}", tone),)
    if kind is Kind.LINK and isinstance(value, str) and value:
        return (Piece(inert(value), Tone.LINK),)
    if isinstance(value, datetime) and kind is not Kind.SECRET:
        return (Piece(value.isoformat(" ", "seconds")),)
    return (Piece(*short(value, kind, _ENDLESS)),)


def short(value: object, kind: Kind, width: int) -> tuple[str, Tone]:
    """One line for a value, made for `width` cells but not cut or padded to them, and its tone."""
    if kind is Kind.SECRET:
        return (MASK, Tone.PLAIN) if value not in (None, "") else (ABSENT, Tone.MUTED)
    if isinstance(value, Odd):
        return (inert(value.text), Tone.MUTED) if value.is_estimate else (f"? {inert(value.text)}", Tone.ODD)
    if kind is Kind.FLAG:
        return flag(value)
    if value is None or value == "":
        return ABSENT, Tone.MUTED
    if kind in _COLORS and as_color(value, kind) is None:
        return f"? {inert(str(value))}", Tone.ODD
    if kind is Kind.LINK:
        return shorten_link(inert(str(value)), width), Tone.LINK
    return _plain(value, kind, width), Tone.PLAIN


def _plain(value: object, kind: Kind, width: int) -> str:
    if isinstance(value, datetime):
        shown = value.isoformat(" ", "minutes")
        return shown if width >= _MOMENT_CELLS else shown[:_DATE_CELLS]
    if isinstance(value, date):
        return value.isoformat()
    if kind is Kind.COUNT and isinstance(value, int):
        return _count(value, width)
    if isinstance(value, Decimal):
        return f"{value:,}"
    if isinstance(value, Mapping | list | tuple):
        return "1 entry" if len(value) == 1 else f"{len(value)} entries"
    return inert(str(value))


def cells_of(value: object, kind: Kind) -> int:
    """Cells that `cell` needs to leave nothing out of a value but the `https://` of a link."""
    match value:
        case Bar():
            return len(f"{max(value.value or 0, value.most):,}") + 1 + pictures.BAR_CELLS
        case Trend():
            return pictures.TREND_CELLS
        case Change():
            return len(pictures.change_words(value))
        case TimeLeft():
            return len(pictures.time_left_words(value))
        case Badge():
            return len(f"● {value.word}")
        case Ended():
            return 2 + cell_len(value.words)
    if as_color(value, kind):
        return len(f"{SWATCH} #RRGGBB")
    if kind is Kind.LINK and isinstance(value, str):
        value = value.removeprefix("https://")
    return cell_len(short(value, kind, _ENDLESS)[0])


def flag(value: object) -> tuple[str, Tone]:
    """A boolean as a mark."""
    if value is True:
        return YES, Tone.GOOD
    return (NO, Tone.MUTED) if value is False else (UNKNOWN, Tone.MUTED)


def as_color(value: object, kind: Kind) -> tuple[int, int, int] | None:
    """Red, green and blue of a value that names a color, else None."""
    try:
        return read_color(value) if kind in _COLORS and isinstance(value, str) else None
    except ValueError:
        return None


def _count(value: int, width: int) -> str:
    """Thousands separated; in larger units where the digits would have to be cut."""
    shown = f"{value:,}"
    for scale, unit in _SCALES:
        if len(shown) <= width:
            return shown
        shown = f"{value // scale:,}{unit}"
    return shown if len(shown) <= width else "#" * width


def shorten_link(link: str, width: int) -> str:
    """A web address in `width` cells: cut in the middle, so that its host and its end stay."""
    if cell_len(link) <= width:
        return link
    link = link.removeprefix("https://")
    if cell_len(link) <= width:
        return link
    start = link.find("://")
    host = link[: (link + "/").index("/", start + 3 if start >= 0 else 0)]
    kept = cell_len(host) + 1
    if kept > width - _LINK_END - 1:
        kept = width * 2 // 3
    end = max(0, width - kept - 1)
    return set_cell_size(link, width - end - 1) + CUT + split_text(link, cell_len(link) - end)[1]


# ---- one record in full: every field with its title, whatever the table has no room for ----

ALSO_SENT = "also sent"
"""The heading over members of an answer that the record's model does not know."""

_MAX_DEPTH = 8
_MOST_MEMBERS = 100  # of one list or map
_MOST_LINES, _MOST_CHARACTERS = 200, 30_000  # of one record: all are laid out at once
_TITLE_CELLS = 18, 28  # of the longest title that is told in one row: in a narrow pane, in a wide one
_GAP = 2  # cells between a title and its value
_VALUE_CELLS = 10  # of every value at least, however narrow the pane
_CONSOLE = Console()  # Rich wants one to wrap a text, and asks nothing of it


@dataclass(frozen=True, slots=True)
class Line:
    """A title and what stands beside it; a heading where nothing does."""

    title: str
    pieces: tuple[Piece, ...] = ()
    indent: int = 0

    @property
    def text(self) -> str:
        """What stands beside the title, without its looks."""
        return "".join(piece.text for piece in self.pieces)


class Details(VerticalScroll):
    """The pane that shows the record under the cursor."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._page = _Page()

    def compose(self) -> ComposeResult:
        yield self._page

    def show(
        self,
        record: BaseModel | None,
        note: str | None = None,
        lines: Sequence[Line] | None = None,
    ) -> None:
        """Shows a record, readable or not, or nothing; `lines` takes the place of its own lines.

        `note` is what is to be known about it, such as that it was changed here since it was read.
        """
        shown = tuple(lines if lines is not None else record_lines(record))
        if (shown, note) == (self._page.lines, self._page.note):
            return
        self._page.lines, self._page.note = shown, note
        self._page.refresh(layout=True)
        self.scroll_home(animate=False)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that are shown."""
        return self._page.lines

    @property
    def shows_all(self) -> bool:
        """Whether every line is in sight."""
        return self.size.height > 0 and self.max_scroll_y == 0

    @property
    def note(self) -> str | None:
        """What stands above them."""
        return self._page.note


class _Page(Widget):
    """Lines as two columns, drawn when they are needed, so that they follow the theme and the width."""

    COMPONENT_CLASSES = {"details--title", "details--note", *(f"details--{tone}" for tone in Tone)}

    lines: tuple[Line, ...] = ()
    note: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[_Row] = []
        self._rows_of: object = None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """How many rows the lines take in so many cells."""
        return len(self._rows_in(width))

    def render_line(self, y: int) -> Strip:
        """One row of the widget."""
        rows, base = self._rows_in(self.size.width), self.rich_style
        segments = [self._segment(run, base) for run in rows[y]] if y < len(rows) else []
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def _segment(self, run: "_Run", base: Style) -> Segment:
        style = self.get_visual_style(f"details--{run.look}").rich_style if run.look else base
        return Segment(run.text, style if run.color is None else style + _colored(run.color))

    def _rows_in(self, width: int) -> "list[_Row]":
        asked = self.lines, self.note, width
        if asked != self._rows_of:
            self._rows_of, self._rows = asked, list(self._laid_out(width))
        return self._rows

    def _laid_out(self, width: int) -> "Iterator[_Row]":
        lines = [
            ([_Run("  " * line.indent + inert(line.title), "title")], [*map(_run, line.pieces)])
            for line in self.lines
        ]
        if self.note:
            lines.insert(0, ([_Run("note", "note")], [_Run(inert(self.note), "note")]))
        narrow, wide = _TITLE_CELLS
        most = min(max(narrow, min(wide, width // 3)), max(1, width - _GAP - _VALUE_CELLS))
        titles = min(most, max((cell_len(title[0].text) for title, _ in lines), default=0))
        room = max(_VALUE_CELLS, width - titles - _GAP)
        for title, value in lines:
            rows = zip_longest(_wrapped(title, titles), _wrapped(value, room), fillvalue=list[_Run]())
            for left, right in rows:
                gap = titles + _GAP - sum(cell_len(run.text) for run in left)
                yield [*left, _Run(" " * gap), *right]


class _Run(NamedTuple):
    """A part of a row in one look."""

    text: str
    look: str = ""
    color: tuple[int, int, int] | None = None


_Row = list[_Run]


def _run(piece: Piece) -> _Run:
    return _Run(inert(piece.text), piece.tone, piece.color)


@cache
def _colored(color: tuple[int, int, int]) -> Style:
    return Style(color=Color.from_rgb(*color))


def _wrapped(runs: _Row, width: int) -> list[_Row]:
    """Runs in rows of at most so many cells: broken between words, or within one that is too long."""
    if sum(cell_len(run.text) for run in runs) <= width:
        return [runs]
    text = Text.assemble(*((run.text, str(index)) for index, run in enumerate(runs)))
    return [
        [
            runs[int(str(span.style))]._replace(text=line.plain[span.start : span.end])
            for span in sorted(line.spans)
        ]
        for line in text.wrap(_CONSOLE, width, overflow="fold")
    ]


# ---- a record as lines ----


def record_lines(record: BaseModel | None, name_field: str = "") -> list[Line]:
    """Every field of a record, then what the service sent besides; secrets masked, texts inert.

    `name_field` holds what a person calls it: that comes first and stands out. The id is the last.
    """
    if record is None:
        return []
    if isinstance(record, Unreadable):
        return [Line("unreadable record", (Piece(record.text, Tone.ODD),))]
    lines: list[Line] = []
    room = _MOST_CHARACTERS
    for line in _model_lines(record, 0, name_field):
        if len(lines) == _MOST_LINES or room < 0:
            return [*lines, _more("much more")]
        lines.append(line)
        room -= len(line.text)
    return lines


def _model_lines(model: BaseModel, indent: int, name_field: str = "") -> Iterator[Line]:
    fields = sorted(fields_of(type(model)), key=lambda field: _rank_of(field, name_field))
    for field in fields:
        value = value_of(model, field.name)
        if isinstance(value, str) and isinstance(model, Model):
            value = model.whole(field.name)
        for line in _field_lines(field.title, field.labels.of(value), field.kind, indent):
            yield _standing_out(line) if field.name == name_field else line
    if model.model_extra:
        yield Line(ALSO_SENT, indent=indent)
        yield from _nested_lines(model.model_extra, indent + 1)


def _rank_of(field: Field, name_field: str) -> int:
    """Where a field stands: the name first, the id last, all others as they were declared."""
    return 0 if field.name == name_field else 2 if field.kind is Kind.IDENTIFIER else 1


def _standing_out(line: Line) -> Line:
    return replace(
        line,
        pieces=tuple(
            piece._replace(tone=Tone.HERO) if piece.tone is Tone.PLAIN else piece for piece in line.pieces
        ),
    )


def _field_lines(title: str, value: object, kind: Kind, indent: int) -> Iterator[Line]:
    if not isinstance(value, BaseModel | Mapping | list | tuple) or not _is_nested(value):
        yield Line(title, full(value, kind), indent)
        if isinstance(value, str) and len(value) > MAX_LENGTH:
            yield _more(f"{len(value) - MAX_LENGTH + 1:,} more characters", indent)
    elif indent >= _MAX_DEPTH:
        yield Line(title, (Piece("nested too deep to show", Tone.MUTED),), indent)
    else:
        yield Line(title, indent=indent)
        if isinstance(value, BaseModel):
            yield from _model_lines(value, indent + 1)
        else:
            yield from _nested_lines(value, indent + 1)


def _is_nested(value: BaseModel | Mapping[object, object] | Sequence[object]) -> bool:
    return isinstance(value, BaseModel) or len(value) > 0


def _nested_lines(members: object, indent: int) -> Iterator[Line]:
    """The first members of a map by name, of a list by number, counted from 1; secrets masked."""
    if isinstance(members, Mapping):
        first = masked_members(dict(islice(members.items(), _MOST_MEMBERS)))
        for name, value in first.items():
            yield from _field_lines(inert(str(name)), value, _kind_of(value), indent)
    elif isinstance(members, list | tuple):
        for number, value in enumerate(members[:_MOST_MEMBERS], 1):
            yield from _field_lines(str(number), value, _kind_of(value), indent)
    else:
        return
    if len(members) > _MOST_MEMBERS:
        yield _more(f"{len(members) - _MOST_MEMBERS:,} more", indent)


def _more(count: str, indent: int = 0) -> Line:
    """Says that something is left out, and where it is."""
    return Line("…", (Piece(f"{count}, in the raw view, copies and exports", Tone.MUTED),), indent)


def _kind_of(value: object) -> Kind:
    """The kind of a value of which only JSON's type is known."""
    return Kind.FLAG if isinstance(value, bool) else Kind.TEXT
