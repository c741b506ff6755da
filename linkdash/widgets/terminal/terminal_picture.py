"""The fewest bytes: what is shown at the moment is known, and only cells that differ are written."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from unicodedata import category

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style
from textual.strip import Strip

_RESET = "\x1b[0m"
_HOP = 6  # unchanged cells that cost no more to write again than to jump over
_PLAIN = Style()
_EMOJI_SELECTOR = "\N{VARIATION SELECTOR-16}"  # makes a sign of one cell a picture of two
_NARROW_SIGNS = frozenset("…–·‹›×")


class _Codes(NamedTuple):
    """The codes of a style: of attributes, as bold is one, and of both colors; an empty one sets nothing."""

    attributes: str
    foreground: str
    background: str

    def after(self, before: "_Codes | None") -> str:
        """The code that makes this of what is set: what differs, or all of it where something has to go."""
        if self == before:
            return ""
        if before is None or self._lacks(before):
            return f"\x1b[{';'.join(filter(None, ('0', *self)))}m"
        return f"\x1b[{';'.join(code for code, old in zip(self, before, strict=True) if code != old)}m"

    def _lacks(self, before: "_Codes") -> bool:
        """Return whether something that is set has to go, for which there is only a reset of all."""
        went = any(old and not code for code, old in zip(self, before, strict=True))
        return went or (before.attributes not in ("", self.attributes))


class TerminalPicture:
    """A memory of every cell that was written, so that only those that differ are written again.

    Text goes to its own column: behind a character that terminals may take for wider or narrower than
    it was measured, the next one is placed anew, so that nothing behind it moves. What such a character may
    leave free is made blank before it comes, and a text that may grow is written in one go into the blanks
    behind it.
    """

    def __init__(self) -> None:
        self._size = (0, 0)
        self._texts: list[list[str]] = []
        self._styles: list[list[Style]] = []
        self._codes: dict[Style, _Codes] = {}
        self._set: _Codes | None = None
        """The codes that the terminal was given last; None where that is not known."""

    def forget(self) -> None:
        """Take nothing for granted any more: the next changes write every cell they hold."""
        self._size = (0, 0)

    def changes(
        self, size: tuple[int, int], placed: Iterable[tuple[int, int, Strip]], colors: ColorSystem
    ) -> str:
        """The output that puts the strips, each given as column, row, strip, on a screen of `size`."""
        if size != self._size:
            self._size = size
            columns, rows = size
            self._texts = [["\0"] * columns for _ in range(rows)]  # equal to nothing that can be drawn
            self._styles = [[_PLAIN] * columns for _ in range(rows)]
            self._codes.clear()
        self._set = None
        touched: dict[int, tuple[list[str], list[Style]]] = {}
        for x, y, strip in placed:
            if 0 <= y < self._size[1]:
                row = touched.get(y) or (self._texts[y].copy(), self._styles[y].copy())
                touched[y] = row
                _lay(row, x, strip)
        written = "".join(self._row_changes(y, *row, colors) for y, row in touched.items())
        return written + _RESET if written else ""

    def _row_changes(self, y: int, texts: list[str], styles: list[Style], colors: ColorSystem) -> str:
        old_texts, old_styles = self._texts[y], self._styles[y]
        if texts == old_texts and styles == old_styles:
            return ""
        self._texts[y], self._styles[y] = texts, styles
        changed = [
            x
            for x in range(len(texts))
            if texts[x] != old_texts[x]
            or (
                styles[x] is not old_styles[x]
                and self._codes_of(styles[x], colors) != self._codes_of(old_styles[x], colors)
            )
        ]
        growing = _growing_texts(texts)
        for one in (*growing, *_growing_texts(old_texts)):
            if any(one.start <= x < one.room for x in changed):
                changed = sorted({*changed, *range(one.start, one.room)})
        runs = _runs(changed, texts)
        return "".join(self._run(y, start, end, texts, styles, growing, colors) for start, end in runs)

    def _run(
        self,
        y: int,
        start: int,
        end: int,
        texts: list[str],
        styles: list[Style],
        growing: Sequence["_GrowingText"],
        colors: ColorSystem,
    ) -> str:
        """The cells of one row from `start` to before `end`."""
        parts = [f"\x1b[{y + 1};{start + 1}H"]
        cells = ((x, texts[x], styles[x]) for x in range(start, end) if texts[x])
        placed = True
        for style, group in groupby(cells, key=lambda cell: cell[2]):
            codes = self._codes_of(style, colors)
            parts.append(codes.after(self._set))
            self._set = codes
            for x, text, _ in group:
                grows = next((one for one in growing if one.start <= x < one.room), None)
                if grows is not None and grows.end <= x:
                    continue  # the blanks are there, or what the text has grown into
                is_within = grows is not None and grows.start < x
                if not placed and not is_within:
                    parts.append(f"\x1b[{x + 1}G")
                room = _room(x, texts) if grows is None else 0 if is_within else grows.room - x
                parts += [" " * room, f"\x1b[{x + 1}G"] if room else []
                parts.append(" " if text == "\0" else text)
                placed = grows is None and _is_certain(text)
        return "".join(parts)

    def _codes_of(self, style: Style, colors: ColorSystem) -> _Codes:
        codes = self._codes.get(style)
        if codes is None:
            parts = style.without_color, Style(color=style.color), Style(bgcolor=style.bgcolor)
            codes = self._codes[style] = _Codes(*(Strip.render_ansi(part, colors) for part in parts))
        return codes


def _lay(row: tuple[list[str], list[Style]], x: int, strip: Strip) -> None:
    """Put a strip into the cells of a row; the second cell of a wide character holds no text.

    Of a wide character that was there before and is covered in part, a blank is left, as in a terminal.
    """
    texts, styles = row
    columns = len(texts)
    if 0 < x < columns and not texts[x]:
        texts[x - 1] = " "
    for segment in strip:
        if segment.control:
            continue
        text, style = segment.text, segment.style or _PLAIN
        cells = [*text] if text.isascii() else [*_cells(text)]
        room = cells[: max(0, columns - x)]
        texts[x : x + len(room)] = room
        styles[x : x + len(room)] = [style] * len(room)
        x += len(cells)
    if x < columns and not texts[x]:
        texts[x] = " "


def _cells(text: str) -> Iterator[str]:
    """The text of each cell: marks stay with what they stand on, a wide character is followed by nothing."""
    cell, width = "", 0
    for character in text:
        grown = cell_len(cell + character)
        is_part = character == _EMOJI_SELECTOR or cell.endswith("\N{ZERO WIDTH JOINER}")
        if cell and grown > width and not is_part:
            yield cell
            yield from [""] * (width - 1)
            cell, grown = "", cell_len(character)
        cell, width = cell + character, grown
    if cell:
        yield cell
        yield from [""] * (width - 1)


def _runs(changed: list[int], texts: list[str]) -> Iterator[tuple[int, int]]:
    """The starts and ends of writing: over short gaps, and never within a wide character."""
    start = end = -1
    for x in changed:
        if start < 0:
            start = x
        elif x - end > _HOP:
            yield _whole(start, end, texts)
            start = x
        end = x + 1
    if start >= 0:
        yield _whole(start, end, texts)


def _whole(start: int, end: int, texts: list[str]) -> tuple[int, int]:
    while start > 0 and not texts[start]:
        start -= 1
    while end < len(texts) and not texts[end]:
        end += 1
    return start, end


class _GrowingText(NamedTuple):
    """Words with signs that some terminals give a cell of their own, though they were measured with none."""

    start: int
    end: int
    room: int
    """The end of the blanks behind it that it may take."""


def _growing_texts(texts: list[str]) -> list[_GrowingText]:
    """The texts of a row that hold vowel signs with a width of their own in some terminals.

    Such a text goes on until the blanks behind it are more than these signs.
    """
    if "".join(texts).isascii():
        return []
    found, start, end, growth = list[_GrowingText](), 0, 0, 0
    for is_blank, group in groupby(texts, key=lambda text: text in (" ", "\0")):
        cells = [*group]
        if not is_blank:
            start = start if growth else end
            growth += sum(category(sign) == "Mc" for cell in cells for sign in cell[1:])
        elif growth and len(cells) > growth:  # one of them stays between words
            found.append(_GrowingText(start, end, end + growth))
            growth = 0
        end += len(cells)
    return [*found, _GrowingText(start, end, end)] if growth else found


def _room(x: int, texts: list[str]) -> int:
    """The cells to make blank for a wide character that a terminal may take for narrow; 0 for any other."""
    is_wide = x + 1 < len(texts) and not texts[x + 1]
    return 2 if is_wide and not _is_certain(texts[x]) else 0


def _is_certain(text: str) -> bool:
    """True if every terminal gives this the cells it was measured with."""
    code = ord(text[0])
    return len(text) == 1 and (
        code < 0x250
        or 0x2500 <= code < 0x25A0
        or 0x2800 <= code < 0x2900
        or 0x2E80 <= code < 0xE000
        or text in _NARROW_SIGNS
    )
