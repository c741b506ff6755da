"""The output that turns one picture into the next, on an emulated terminal."""

import re
from collections.abc import Sequence
from unicodedata import combining

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from rich.cells import cell_len, set_cell_size
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from linkdash.widgets.terminal.terminal_picture import TerminalPicture
from tests.nightly import is_nightly

COLUMNS, ROWS = 24, 4
SIZE = (COLUMNS, ROWS)
STYLES = [
    Style(),
    Style(bold=True),
    Style(color="#112233", bgcolor="#445566"),
    Style(reverse=True),
    Style(color="#778899", bgcolor="#445566", bold=True),
    Style(color="#112233"),
    Style(bgcolor="default", italic=True, bold=True),
]
Placed = tuple[int, int, Strip]

texts = some.text(some.sampled_from("ab ─█⣿é日本e\u0301●"), min_size=1, max_size=COLUMNS)


@some.composite
def strips(draw: some.DrawFn) -> Placed:
    """A strip somewhere on the screen that ends on it."""
    x, y = draw(some.integers(0, COLUMNS - 2)), draw(some.integers(0, ROWS - 1))
    segments, room = [], COLUMNS - x
    for text, style in draw(
        some.lists(some.tuples(texts, some.sampled_from(STYLES)), min_size=1, max_size=3)
    ):
        part = set_cell_size(text, min(cell_len(text), room)).lstrip("\u0301")
        segments.append(Segment(part, style))
        room -= cell_len(part)
    return x, y, Strip(segments)


def full() -> list[Placed]:
    return [(0, y, Strip([Segment(" " * COLUMNS, STYLES[2])])) for y in range(ROWS)]


def shown(written: Sequence[str]) -> list[list[object]]:
    """The cells of a terminal that was written to."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    for text in ("\x1b[?7l", *written):  # no line is wrapped, as Textual asks for
        stream.feed(text)
    return [[screen.buffer[y][x] for x in range(COLUMNS)] for y in range(ROWS)]


def changes(picture: TerminalPicture, placed: Sequence[Placed]) -> str:
    return picture.changes(SIZE, placed, ColorSystem.TRUECOLOR)


@settings(max_examples=2_000 if is_nightly() else 25)
@given(some.lists(some.lists(strips(), max_size=6), min_size=1, max_size=5))
def test_what_changed_alone_makes_the_same_picture_as_everything(frames: list[list[Placed]]) -> None:
    picture = TerminalPicture()
    bits = [changes(picture, frame) for frame in [full(), *frames]]
    # Every row once more, as a terminal that shows nothing yet would be given it.
    whole = [strip for frame in [full(), *frames] for strip in frame]
    assert shown(bits) == shown([changes(TerminalPicture(), whole)])


@given(some.lists(some.sampled_from(STYLES), min_size=1, max_size=COLUMNS))
def test_each_cell_has_its_style_whatever_stood_before_it(styles: list[Style]) -> None:
    row = Strip([Segment("x", style) for style in styles])
    codes = [Strip.render_ansi(style, ColorSystem.TRUECOLOR) for style in styles]
    in_full = "".join(f"\x1b[0;{code}mx" if code else "\x1b[0mx" for code in codes)
    assert (
        shown([changes(TerminalPicture(), [(0, 0, row)])])[0][: len(styles)]
        == (shown([in_full])[0][: len(styles)])
    )


def test_a_color_that_is_another_alone_is_written_alone() -> None:
    row = Strip([Segment("a", STYLES[2]), Segment("b", STYLES[4]), Segment("c", STYLES[2])])
    assert changes(TerminalPicture(), [(0, 0, row)]) == (
        "\x1b[1;1H\x1b[0;38;2;17;34;51;48;2;68;85;102ma\x1b[1;38;2;119;136;153mb"
        "\x1b[0;38;2;17;34;51;48;2;68;85;102mc\x1b[0m"
    )


def test_a_digit_costs_a_digit() -> None:
    picture = TerminalPicture()
    changes(picture, full())
    changes(picture, [(0, 1, Strip([Segment("full in 42 s", STYLES[1])]))])
    assert changes(picture, [(0, 1, Strip([Segment("full in 41 s", STYLES[1])]))]) == (
        "\x1b[2;10H\x1b[0;1m1\x1b[0m"
    )
    assert changes(picture, [(0, 1, Strip([Segment("full in 41 s", STYLES[1])]))]) == ""


def test_after_forgetting_everything_is_written() -> None:
    picture = TerminalPicture()
    first = changes(picture, full())
    assert changes(picture, full()) == ""
    picture.forget()
    assert changes(picture, full()) == first


def test_what_stands_behind_a_doubtful_character_is_placed_anew() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    written = changes(TerminalPicture(), [(0, 0, Strip([Segment(f"a{family}|b")]))])
    column = cell_len(f"a{family}") + 1
    assert f"{family}\x1b[{column}G|b" in written


def as_tmux_has_it(*written: str) -> str:
    """The row of a terminal that gives an emoji's selector no cell, and each vowel sign one of its own."""
    cells = [" "] * COLUMNS
    x = 0
    for move, column, text in re.findall(
        r"(\x1b\[[\d;]*?(\d+)[HG])|\x1b\[[\d;]*m|([^\x1b])", "".join(written)
    ):
        if move:
            x = int(column) - 1
        elif text and (combining(text) or text in "\ufe0f\u094d\u200d"):
            cells[x - 1] += text
        elif text and x < COLUMNS:
            cells[x], x = text, x + 1
    return "".join(cells).rstrip()


def test_no_letter_of_before_is_left_behind_an_emoji_that_a_terminal_takes_for_narrow() -> None:
    picture = TerminalPicture()
    before = changes(picture, [(0, 0, Strip([Segment("somewhere else".ljust(COLUMNS))]))])
    after = changes(picture, [(0, 0, Strip([Segment("\u26a0\ufe0f warn".ljust(COLUMNS - 1))]))])
    assert as_tmux_has_it(before, after) == "\u26a0\ufe0f  warn"


@pytest.mark.parametrize("name", ["हिन्दी", "தமிழ் மொழி", "বাংলা ভাষা", "ภาษา", "ကြောင်"])
def test_vowel_signs_stay_where_a_terminal_gives_them_cells_of_their_own(name: str) -> None:
    picture = TerminalPicture()
    before = changes(picture, [(0, 0, Strip([Segment("somewhere else".ljust(COLUMNS))]))])
    there = changes(
        picture, [(0, 0, Strip([Segment(name), Segment(" " * (COLUMNS - cell_len(name) - 1)), Segment("|")]))]
    )
    assert as_tmux_has_it(before, there).split() == [*name.split(), "|"], "words stay apart"
    gone = changes(picture, [(0, 0, Strip([Segment("a".ljust(COLUMNS))]))])
    assert as_tmux_has_it(before, there, gone) == "a"


def test_a_resize_writes_everything() -> None:
    picture = TerminalPicture()
    changes(picture, full())
    assert picture.changes((COLUMNS + 1, ROWS), full(), ColorSystem.TRUECOLOR).count(" " * COLUMNS) == ROWS
