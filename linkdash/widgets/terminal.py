"""What goes to the terminal, in the fewest bytes and with nothing that acts on it; and how it is given back.

`InertFilter` is the last of three layers that keep text of the service inert. `AsciiFilter` is for terminals
that know ASCII alone, and for screen readers: every sign of ours becomes a plain one. `TerminalPicture` knows
what is shown at the moment.
"""

import asyncio
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import groupby
from types import FrameType

from rich.cells import cell_len, set_cell_size
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from linkdash.api.text import inert

# ---- nothing acts on the terminal ----


class InertFilter(LineFilter):
    """Replaces characters a terminal could act on in what any widget draws, whoever made the text.

    For `App.get_line_filters`. Every line keeps its width in cells; control segments, which are
    Textual's own, pass as they are.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with inert text; the same list where it was inert already."""
        if all(segment.control or segment.text.isprintable() for segment in segments):
            return segments
        return [made for segment in segments if (made := _inert_segment(segment)).text or not segment.text]


def _inert_segment(segment: Segment) -> Segment:
    if segment.control or segment.text.isprintable():
        return segment
    return Segment(_inert_as_wide(segment.text), segment.style)


@lru_cache(maxsize=4096)
def _inert_as_wide(text: str) -> str:
    """`text` made inert and as wide as it was measured, controls being measured as nothing."""
    return set_cell_size(inert(text), cell_len(text))


# ---- plain signs ----

_PICTURES = {
    "-": "─╌┄╴╶",
    "=": "━═╸╺▅▄▐▍▎",
    "|": "│┃║▏▕",
    "+": "┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┣┫┳┻╋╔╗╚╝",
    "#": "█▇▆▉▊▋▀",
    "_": "▁",
    ".": "▃▂",
    ":": "▒",
    "*": "".join(map(chr, range(0x2801, 0x2900))),  # braille, of which curves are made
    " ": "\u2800",
}
"""What lines, bars, curves and frames are drawn with."""
_PLAIN_SIGNS = {
    ".": "·•▪∙○☆◌▯",
    "-": "–—−",
    "^": "▲▴△↑⌂",
    "v": "▼▾▽↓",
    ">": "▶›❯❱→▸▌≥",
    "<": "◀‹←◂⏎",
    "+": "✓✚",
    "*": "●★",
    "#": "◆■▣▮",
    "x": "✗×",
    "o": "◐◑",
    "@": "◎",
    "~": "…≈✎±",
    "!": "≠",
    "=": "≡",
}


def _table(*groups: dict[str, str]) -> dict[int, str]:
    return {ord(sign): plain for group in groups for plain, signs in group.items() for sign in signs}


_KEYS = str.maketrans({"⏎": "enter", "←": "left", "→": "right", "↑": "up", "↓": "down", "⌫": "backspace"})
_SENTENCE_SIGNS = re.compile(r"(?<=\S )→(?= \S)|≥")
"""Signs between words and before numbers: with one plain sign each they would say something else."""
_WRITTEN = {"→": "->", "≥": ">="}
_READ_OUT = {"→": "to", "≥": ">="}
_SPARE = re.compile(r"(?<= ) | (?= |$)")
"""A blank that can go without two words becoming one."""


def key_in_words(key: str) -> str:
    """How a key is named where its sign would become that of another key: `enter`, `up`."""
    return key.translate(_KEYS)


_ASCII = _table(_PICTURES, _PLAIN_SIGNS)
_SPOKEN = _table({" ": "".join(_PICTURES.values())}, _PLAIN_SIGNS)


class AsciiFilter(LineFilter):
    """Puts an ASCII sign in the place of each sign that we draw, also where one stands in a name.

    Letters of other scripts stay as they are. For `App.get_line_filters`. Every line keeps its
    width in cells: a sign that needs two of them takes the nearest blank that can be spared. With
    `without_pictures`, lines, bars and frames become blanks: a screen reader would spell them out.
    """

    def __init__(self, *, without_pictures: bool = False) -> None:
        super().__init__()
        self._signs = _SPOKEN if without_pictures else _ASCII
        self._words = _READ_OUT if without_pictures else _WRITTEN

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with plain signs; the same list where they were plain already."""
        if all(segment.text.isascii() for segment in segments):
            return segments
        if _SENTENCE_SIGNS.search("".join(segment.text for segment in segments)):
            segments = _spelled(segments, self._words)
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(segment.text.translate(self._signs), segment.style)
            for segment in segments
        ]


def _spelled(segments: list[Segment], words: Mapping[str, str]) -> list[Segment]:
    """The segments with words of two cells in the place of signs, each where a blank can be spared."""
    if any(segment.control for segment in segments):
        return segments
    letters = [(letter, segment.style) for segment in segments for letter in segment.text]
    at = 0
    while found := _SENTENCE_SIGNS.search(text := "".join(letter for letter, _ in letters), at):
        at = found.end()
        spare = min((blank.start() for blank in _SPARE.finditer(text)), key=lambda x: abs(x - at), default=-1)
        if spare >= 0:
            style = letters[at - 1][1]
            letters[at - 1 : at] = [(letter, style) for letter in words[found[0]]]
            del letters[spare + (spare >= at)]
    runs = groupby(letters, key=lambda letter: letter[1])
    return [Segment("".join(letter for letter, _ in run), style) for style, run in runs]


# ---- the fewest bytes ----

_RESET = "\x1b[0m"
_HOP = 6  # unchanged cells that cost no more to write again than to jump over
_PLAIN = Style()
_NARROW_SIGNS = frozenset("…–·‹›×")


class TerminalPicture:
    """Remembers every cell that was written, so that only those that differ are written again.

    Text goes to its own column: behind a character that terminals may take for wider or narrower than
    it was measured, the next one is placed anew, so that nothing behind it moves.
    """

    def __init__(self) -> None:
        self._size = (0, 0)
        self._texts: list[list[str]] = []
        self._styles: list[list[Style]] = []
        self._codes: dict[Style, str] = {}

    def forget(self) -> None:
        """Takes nothing for granted any more: the next changes write every cell they hold."""
        self._size = (0, 0)

    def changes(
        self, size: tuple[int, int], placed: Iterable[tuple[int, int, Strip]], colors: ColorSystem
    ) -> str:
        """What to write so that the strips, each given as column, row, strip, stand on a screen of `size`."""
        if size != self._size:
            self._size = size
            columns, rows = size
            self._texts = [["\0"] * columns for _ in range(rows)]  # equal to nothing that can be drawn
            self._styles = [[_PLAIN] * columns for _ in range(rows)]
            self._codes.clear()
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
                and self._code(styles[x], colors) != self._code(old_styles[x], colors)
            )
        ]
        runs = _runs(changed, texts)
        return "".join(self._run(y, start, end, texts, styles, colors) for start, end in runs)

    def _run(
        self, y: int, start: int, end: int, texts: list[str], styles: list[Style], colors: ColorSystem
    ) -> str:
        """The cells of one row from `start` to before `end`."""
        parts = [f"\x1b[{y + 1};{start + 1}H"]
        cells = ((x, texts[x], styles[x]) for x in range(start, end) if texts[x])
        placed = True
        for style, group in groupby(cells, key=lambda cell: cell[2]):
            parts.append(self._code(style, colors))
            for x, text, _ in group:
                if not placed:
                    parts.append(f"\x1b[{x + 1}G")
                parts.append(" " if text == "\0" else text)
                placed = _is_certain(text)
        return "".join(parts)

    def _code(self, style: Style, colors: ColorSystem) -> str:
        code = self._codes.get(style)
        if code is None:
            ansi = Strip.render_ansi(style, colors)
            code = self._codes[style] = f"\x1b[0;{ansi}m" if ansi else _RESET
        return code


def _lay(row: tuple[list[str], list[Style]], x: int, strip: Strip) -> None:
    """Puts a strip into the cells of a row; the second cell of a wide character holds no text.

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
        if cell and grown > width and not cell.endswith("\N{ZERO WIDTH JOINER}"):
            yield cell
            yield from [""] * (width - 1)
            cell, grown = "", cell_len(character)
        cell, width = cell + character, grown
    if cell:
        yield cell
        yield from [""] * (width - 1)


def _runs(changed: list[int], texts: list[str]) -> Iterator[tuple[int, int]]:
    """Where to begin and end writing: over short gaps, and never within a wide character."""
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


def _is_certain(text: str) -> bool:
    """Whether every terminal gives this the cells it was measured with."""
    code = ord(text[0])
    return len(text) == 1 and (
        code < 0x250
        or 0x2500 <= code < 0x25A0
        or 0x2800 <= code < 0x2900
        or 0x2E80 <= code < 0xE000
        or text in _NARROW_SIGNS
    )


# ---- ending when a signal says so, with the terminal restored, also where it is gone ----

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_END_WITHIN = 5.0  # seconds; who writes to a terminal that is gone may wait for ever

Exit = Callable[[int], object]
Handler = Callable[[int, FrameType | None], object] | int | None


class Signals:
    """Calls `end` with the exit status 128 + n for signal n, in the event loop it was made in.

    Python's own handlers are used instead of the loop's, since they are called also while the main thread
    waits for a lock. For a program that has not ended some seconds later, `end_now` is called in a thread.
    """

    def __init__(self, end: Exit, end_now: Exit) -> None:
        self._end = end
        self._end_now = end_now
        self._loop = asyncio.get_running_loop()
        self._before: dict[int, Handler] = {}
        if threading.current_thread() is threading.main_thread():
            for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS)):
                self._before[number] = signal.signal(number, self._called)

    def _called(self, number: int, _frame: FrameType | None) -> None:
        status = 128 + number
        self._loop.call_soon_threadsafe(self._end, status)
        end = threading.Timer(_END_WITHIN, partial(self._end_now, status))
        end.daemon = True
        end.start()

    def close(self) -> None:
        """Gives the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)


@contextmanager
def ending_at_once(end_now: Exit) -> Iterator[None]:
    """Ends the program at a signal as long as there is no event loop that could: at its start and its end."""
    for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS[1:])):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: end_now(128 + number))
    yield
