"""A page of text to be read, with lines that are fitted or drawn as they are seen."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from linkdash.api.inert_text import inert
from linkdash.widgets.styled_text import breakable


class TextPage(VerticalScroll, can_focus=False):
    """A text as it is."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._static = Static()
        self._text: Text | Content = Text()

    def compose(self) -> ComposeResult:
        yield self._static

    def show(self, text: Text | Content) -> None:
        """Show another text, from its beginning."""
        if text != self._text:
            self._text = text
            self._static.update(text)
            self.scroll_home(animate=False)


class FittingText(Widget):
    """A text that is written for the cells there are."""

    def __init__(self, written: Callable[[int], Text]) -> None:
        super().__init__()
        self._written = written

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._content(width).get_height(self.styles.get_rules(), width)

    def on_resize(self) -> None:
        self.refresh()

    def render(self) -> Content:
        return self._content(self.size.width)

    def _content(self, width: int) -> Content:
        return Content.from_rich_text(self._written(width))


_SAMPLED = 20  # lines from which the width is learned; one that is wider makes room when it is seen
_MOST_FOLDED = 2_000  # lines; of more only those in sight are made, a row each
_BEYOND = 4  # cells by which the rest of a line stands further right than its beginning


_LABEL = re.compile(r" +[^:]+: {2,}")
"""The beginning of a line whose value stands below those of other lines."""
_PAIR_CUT = 2  # cells less that a line is indented by beside another
_ARROW = "→ "  # between what is and what will be


Row = Sequence[tuple[str, str]]
"""A row of a line: its parts, each with its look: `before` or `after` a change, `lost` by it, or none."""


class LineList(ScrollView, can_focus=False):
    """Lines, each drawn when it is scrolled into sight. In an indented one the new value stands out."""

    COMPONENT_CLASSES = {"line-list--before", "line-list--after", "line-list--lost"}

    def __init__(
        self, lines: Sequence[str] = (), *, lost: Collection[str] = (), id: str | None = None
    ) -> None:
        """Those of the lines that are `lost` tell of a loss."""
        super().__init__(id=id)
        self.lines = lines
        self._lost = lost
        self._paired = _paired(lines) if len(lines) <= _MOST_FOLDED else ()
        self._folded: Sequence[Row] | None = None
        """Its rows, once a width is known; None for so many that a line is a row, made when it is seen."""
        step = 1 if len(lines) <= _MOST_FOLDED else -(-len(lines) // _SAMPLED)
        sampled = range(0, len(lines), step)
        self.widest = max((cell_len(inert(lines[index])) for index in sampled), default=0)
        """The cells of its longest line, as far as it looked."""
        self.virtual_size = Size(self.widest, len(lines))

    @property
    def is_row_each(self) -> bool:
        """Return whether every line is a row, no part of the one before it; of many the first ones tell."""
        if self._paired and self._folded is self._paired:
            return True
        has_parts = any(line.startswith(" ") for line in self.lines[:_SAMPLED])
        return not has_parts and (self._folded is None or len(self._folded) == len(self.lines))

    def wanted(self, width: int) -> int:
        """Return the cells that it would have, where there are so many."""
        return max(map(_row_cells, self._paired)) if self._shares_rows(width) else self.widest

    def _shares_rows(self, width: int) -> bool:
        """Return whether every line has room beside it for the only one that is indented below it."""
        return bool(self._paired) and max(map(_row_cells, self._paired)) <= width

    def fold(self, width: int) -> int:
        """Lay lines that are longer than so many cells out in several rows; how many rows there are then.

        A line and the only one that is indented below it share a row where all of these fit.
        """
        if len(self.lines) > _MOST_FOLDED:
            return len(self.lines)
        self._folded = self._paired if self._shares_rows(width) else [*self._folded_all(width)]
        self.virtual_size = Size(min(max(map(_row_cells, self._folded), default=0), width), len(self._folded))
        self.refresh(layout=True)
        return len(self._folded)

    def _folded_all(self, width: int) -> Iterator[Row]:
        for line in self.lines:
            yield from self.rows_of(line, width)

    def rows_of(self, line: str, width: int) -> Sequence[Row]:
        """Return the rows of a line in so many cells."""
        rows = folded(inert(line), width)
        return [*map(_as_lost, rows)] if line in self._lost else rows

    def render_line(self, y: int) -> Strip:
        """Return one row of the widget."""
        left, top = self.scroll_offset
        style, width = self.rich_style, self.scrollable_content_region.width
        if not 0 <= top + y < self.virtual_size.height:
            return Strip.blank(width, style)
        row = _in_one_row(inert(self.lines[top + y])) if self._folded is None else self._folded[top + y]
        line = Strip([self._segment(*part) for part in row])
        if line.cell_length > self.virtual_size.width:
            self.call_later(self._widen, line.cell_length)
        return line.crop_extend(left, left + width, style).apply_style(style)

    def _segment(self, text: str, look: str) -> Segment:
        return Segment(text, self.get_visual_style(f"line-list--{look}").rich_style if look else None)

    def _widen(self, width: int) -> None:
        if width > self.virtual_size.width:
            self.virtual_size = Size(width, self.virtual_size.height)


def _row_cells(row: Row) -> int:
    return sum(cell_len(text) for text, _ in row)


def _as_lost(row: Row) -> Row:
    """A row of a line that tells of a loss."""
    return [(text, "lost" if look == "after" else look) for text, look in row]


def _paired(lines: Sequence[str]) -> Sequence[Row]:
    """Lines in rows of two, below each other; none where not every second line alone is indented."""
    firsts, seconds = [*map(inert, lines[::2])], [*map(inert, lines[1::2])]
    is_indented = [line.startswith(" ") for line in lines]
    if not lines or is_indented != [False, True] * (len(lines) // 2):
        return ()
    cells = max(map(cell_len, firsts))
    return [
        [(first + " " * (cells - cell_len(first)), ""), *_in_one_row(second[_PAIR_CUT:])]
        for first, second in zip(firsts, seconds, strict=True)
    ]


def _in_one_row(line: str) -> Row:
    before, arrow, after = line.rpartition(_ARROW)
    if not line.startswith(" ") or not arrow:
        return [(line, "")]
    return [(before + arrow, "before"), (after, "after")]


def folded(line: str, width: int) -> list[Row]:
    """A line in rows of at most so many cells; in a longer one what will be has rows of its own."""
    row = _in_one_row(line)
    if cell_len(line) <= width:
        return [row]
    label = _LABEL.match(line)
    hangs_at = len(line) - len(line.lstrip(" ")) + _BEYOND if label is None else label.end()
    beyond = " " * min(hangs_at, width // 2)
    if len(row) == 1:
        return [[(text, "")] for text in hung(line, width, beyond)]
    (before, _), (after, _) = row
    rows: list[Row] = [[(text, "before")] for text in hung(before.removesuffix(_ARROW), width, beyond)]
    first, *others = hung(f"{beyond}{_ARROW}{after}", width, f"{beyond}  ")
    arrow = len(beyond) + len(_ARROW)
    rows.append([(first[:arrow], "before"), (first[arrow:], "after")])
    return rows + [[(text, "after")] for text in others]


def hung(text: str, width: int, beyond: str) -> Iterator[str]:
    """A text in rows, all but the first of which begin with `beyond`; broken after a blank or a sign.

    Half of the width at the least is for the text.
    """
    row, beyond = "", beyond[: width // 2]
    for part in breakable(text, width - len(beyond)):
        if row.strip() and cell_len(row + part.rstrip()) > width:
            yield row.rstrip()
            row = beyond
        row += part
    yield row.rstrip()
