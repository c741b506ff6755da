import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult
from textual.color import Color
from textual.widgets import Static

from linkdash.model.resources import PLACES
from linkdash.widgets.charts.chart_text import SIGNS
from linkdash.widgets.terminal.ascii_filter import AsciiFilter
from linkdash.widgets.terminal.inert_filter import InertFilter
from tests.widgets.sample import HOSTILE, TableApp, drawn

_BLACK = Color(0, 0, 0)
_JOINERS = "\u200c\u200d"


class HostileApp(TableApp):
    """Text that never passed the model's boundary, in a widget that does not clean it either."""

    def compose(self) -> ComposeResult:
        yield Static(Text("\n".join(text.replace("\n", " ") for text in HOSTILE)), markup=False)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_a_terminal_could_act_on_passes(text: str) -> None:
    shown = _filtered(text + "   ")
    assert _is_inert(shown)
    assert cell_len(shown) == cell_len(text + "   ")


@given(st.text())
def test_every_text_becomes_inert_and_keeps_its_width(text: str) -> None:
    shown = _filtered(text)
    assert _is_inert(shown)
    assert cell_len(shown) == cell_len(text)


def test_styles_and_control_segments_pass_as_they_are() -> None:
    bold = Style(bold=True)
    control = Segment("\x1b[1;1H", None, [(ControlType.CURSOR_MOVE_TO, 0, 0)])
    segments = [control, Segment("a\x07b", bold), Segment("plain")]
    first, second, third = InertFilter().apply(segments, _BLACK)
    assert first is control
    assert (second.text, second.style) == ("a\ufffd", bold)
    assert third.text == "plain"


def test_a_line_that_is_inert_is_not_copied() -> None:
    segments = [Segment("plain"), Segment("日本語 ✓")]
    assert InertFilter().apply(segments, _BLACK) is segments


async def test_it_covers_every_widget_of_an_app() -> None:
    app: App[None] = HostileApp()
    async with app.run_test(size=(60, 12)):
        lines = drawn(app.query_one(Static))
    assert any("[@click=app.quit]x" in line for line in lines)
    assert any("]52;c;" in line for line in lines)
    assert all(_is_inert(line) for line in lines)


def test_series_are_told_apart_in_plain_signs_too() -> None:
    (segment,) = AsciiFilter().apply([Segment("".join(SIGNS))], Color.parse("black"))
    assert segment.text.isascii()
    assert len(set(segment.text)) == len(SIGNS)


def test_a_plain_sign_stands_for_one_of_ours_that_the_help_explains() -> None:
    explained = "●◐○✓✗–▲▼≈✎…=!?+~*◎★"  # the last three mark rows, campaigns and what is starred
    shown = ["".join(one.text for one in AsciiFilter().apply([Segment(sign)], _BLACK)) for sign in explained]
    assert len(set(shown)) == len(explained), shown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Scans 240 → 53 in a day    ", "Scans 240 -> 53 in a day   "),
        ("   ≥1,200  ▼ 8 %", "  >=1,200  v 8 %"),
        ("Velo     ▼ 75 %", "Velo     v 75 %"),
        ("Velo     ▲ 75 %", "Velo     ^ 75 %"),
        ("Velo ▼ 75 %", "Velo v 75 %"),
        ("▲ 10 codes rose sharply", "^ 10 codes rose sharply"),
        ("▼ 15 %  Table 4         ", "v 15 %  Table 4         "),
        ("   haruto ✗ 143 d ago Pro      ", "   haruto x 143 d ago Pro      "),
        ("last 7 days: 544 ▼    ", "last 7 days: 544 v    "),
        ("qr.tokyo   1,420   ▼ 33 % ", "qr.tokyo   1,420   v 33 % "),
        ("20 Sep ✗ create domain        ", "20 Sep x create domain        "),
        ("Foreground   ✗ use #RRGGBB       ", "Foreground   x use #RRGGBB       "),
        ("New: w ✗ w would be both       ", "New: w x w would be both       "),
        ("Starred  – no   ", "Starred  - no   "),
        ("≥ at least  – no value", ">= at least - no value"),
        ("·  No other bulk job  ", ".  No other bulk job  "),
        ("▣ 3 QR codes   ● pro  ○ free", "# 3 QR codes   O pro  . free"),
        ("▤ Summer   ⌂ go.example   ▥ Sale", "% Summer   ^ go.example   % Sale"),
        ("      7 days▾ Before", "     7 days v Before"),
        ("≥1 → 2   ≈3    ", ">=1 -> 2 c3    "),
        ("pro     ✓ 653 d", "pro     Y 653 d"),
        ("≈ 2026-12-23     ", "about 2026-12-23 "),
        ("pro     ✗ 156 d ago", "pro     x 156 d ago"),
        ("22:10 ✗ create domain        ", "22:10 x create domain        "),
        ("✗ refused     ", "x refused     "),
        ("20:57 ✗ rejected        create", "20:57 x rejected        create"),
        ("22:10 ✓ edit      ", "22:10 Y edit      "),
        ("22:10 ✓ edit", "22:10 Y edit"),
        ("22:10 ✓ done   edit", "22:10 Y done   edit"),
        ("full in 9 s   ✓ all saved", "full in 9 s   Y all saved"),
        ("Your use    ✗ 4 over    ✓   ", "Your use    x 4 over    Y   "),
        ("Pixels   ✗ 100 %", "Pixels   x 100 %"),
        ("Domains ✎", "Domains @"),
        ("Opening…   ", "Opening... "),
        ("Velo Sta… 12", "Velo Sta> 12"),
        ("7 days▾ Before", "7 daysv Before"),
        ("7 days ▴  Before", "7 days ^  Before"),
        (" → Domains  ", " > Domains  "),
        ("a → b", "a > b"),
    ],
)
def test_signs_between_words_are_spelled_where_a_blank_can_be_spared(text: str, written: str) -> None:
    bold = Style(bold=True)
    for cut in range(len(text)):
        segments = [Segment(text[:cut], bold), Segment(text[cut:])]
        assert "".join(segment.text for segment in AsciiFilter().apply(segments, _BLACK)) == written


@pytest.mark.parametrize("end", "▁▂▃▄▅▆▇")
def test_the_end_of_a_scrollbar_is_no_sign_beside_the_text(end: str) -> None:
    thumb = Style(color="red", bgcolor="black", meta={"@mouse.down": "grab"})
    line = [Segment("Id   129"), Segment(end, thumb)]
    assert "".join(segment.text for segment in AsciiFilter().apply(line, _BLACK)) == "Id   129 "


def test_every_kind_of_record_has_a_plain_sign() -> None:
    (shown,) = AsciiFilter().apply([Segment("".join(place.icon for place in PLACES))], _BLACK)
    assert shown.text.isascii()


def _filtered(text: str) -> str:
    return "".join(segment.text for segment in InertFilter().apply([Segment(text)], _BLACK))


def _is_inert(text: str) -> bool:
    live = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return not any(unicodedata.category(letter) in live and letter not in _JOINERS for letter in text)
