"""Groups of lines that a search has found, with a cursor that their owner moves."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from linkdash.widgets.frame.key_line import key_sign
from linkdash.widgets.frame.sidebar import CURSOR, SPARE
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, fitted

OPENS = "enter"
"""The key that opens what the cursor is on."""


@dataclass(frozen=True)
class FoundLine:
    """Something that was found: its sign, what it is called, what else there is to say, its key."""

    icon: str
    label: str
    note: str = ""
    key: str = ""
    hits: Sequence[tuple[int, int]] = ()
    """The parts of the label that were looked for: from and to."""
    icon_tone: Tone = Tone.ICON


@dataclass(frozen=True)
class FoundGroup:
    """Lines that belong together."""

    title: str
    lines: Sequence[FoundLine]
    note: str = ""


class FoundList(DrawnLines):
    """Groups of lines with a cursor; its owner moves that, and keeps the focus."""

    class Moved(Message):
        """The cursor is on another line, or lines are shown anew."""

    class Opened(Message):
        """The line under the cursor was clicked."""

    class Resized(Message):
        """There is room for more or fewer lines."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._groups: Sequence[FoundGroup] = ()
        self._rows: list[tuple[FoundGroup, FoundLine | None]] = []
        """A row for each title, without a line, and for each line."""
        self._stops: list[int] = []
        """The rows that the cursor can be on."""
        self._top = 0
        self.cursor = 0
        """Which of all lines it is on."""

    def show(self, groups: Sequence[FoundGroup]) -> None:
        """Show other groups, with the cursor on their first line; groups without lines are left out."""
        self._groups = [group for group in groups if group.lines]
        self._rows = [(group, line) for group in self._groups for line in (None, *group.lines)]
        self._stops = [number for number, (_, line) in enumerate(self._rows) if line is not None]
        self._top = 0
        self.move_to(0)

    def move(self, by: int) -> None:
        """Move the cursor so many lines; over an end it comes in at the other by single steps."""
        last = len(self._stops) - 1
        over = abs(by) == 1 and not 0 <= self.cursor + by <= last
        self.move_to((last if by < 0 else 0) if over else self.cursor + by)

    def page(self, by: int) -> None:
        """Move the cursor as many lines as are in sight."""
        self.move(by * max(2, self.size.height - 1))

    def next_group(self, by: int) -> None:
        """Move the cursor to the first line of the group after this one, or before it."""
        if not self._groups:
            return
        current = next(number for number, group in enumerate(self._groups) if group is self._group)
        wanted = (current + by) % len(self._groups)
        self.move_to(sum(len(group.lines) for group in self._groups[:wanted]))

    def move_to(self, index: int) -> None:
        """Put the cursor on a line, or the nearest there is."""
        self.cursor = max(0, min(index, len(self._stops) - 1))
        self._bring_into_sight()
        self.update_lines()
        self.post_message(self.Moved())

    @property
    def _group(self) -> FoundGroup:
        return self._rows[self._stops[self.cursor]][0]

    # ---- drawing ----

    def _bring_into_sight(self) -> None:
        if not self._stops or not self.size.height:
            return
        row = self._stops[self.cursor]
        first = row - 1 if self._rows[row - 1][1] is None else row
        self._top = max(min(self._top, first), row - self.size.height + 1)

    def on_resize(self) -> None:
        self._bring_into_sight()
        self.update_lines()
        self.post_message(self.Resized())

    def lines(self, width: int, height: int) -> Lines:
        return [self._row(number, width) for number in range(self._top, len(self._rows))[:height]]

    def _row(self, number: int, width: int) -> list[Piece]:
        group, line = self._rows[number]
        if line is None:
            note = [Piece(f" {group.note}", Tone.MUTED)] if group.note else []
            rule = width - len(group.title) - 1 - sum(len(piece.text) for piece in note)
            return [Piece(f"{group.title} ", Tone.KEY), Piece("─" * max(0, rule), Tone.FAINT), *note]
        is_current = self._stops[self.cursor] == number
        left = [
            Piece(CURSOR if is_current else SPARE, Tone.KEY),
            Piece(f"{line.icon} ", line.icon_tone),
            *_label(line, bold=is_current),
            Piece(f"  {line.note}" if line.note else "", Tone.MUTED),
        ]
        key = line.key or (key_sign(self, OPENS) if is_current else "")
        room = width - len(key) - 1
        return [*fitted(left, room), Piece(" "), Piece(key, Tone.KEY)]

    def current(self) -> int | None:
        return self._stops[self.cursor] - self._top if self._stops else None

    # ---- the mouse ----

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        row = -1 if offset is None else offset.y + self._top
        if row in self._stops:
            self.move_to(self._stops.index(row))
            self.post_message(self.Opened())

    def on_mouse_scroll_down(self) -> None:
        self.move_to(self.cursor + 1)

    def on_mouse_scroll_up(self) -> None:
        self.move_to(self.cursor - 1)


def _label(line: FoundLine, *, bold: bool) -> list[Piece]:
    """The label with what was looked for underlined."""
    pieces, end = [], 0
    for first, last in line.hits:
        if first >= end:
            pieces += [Piece(line.label[end:first], bold=bold), Piece(line.label[first:last], Tone.HIT)]
            end = last
    return [*pieces, Piece(line.label[end:], bold=bold)]
