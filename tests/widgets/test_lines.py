"""A list of lines, however long."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import ComposeResult

from linkdash.model.lists.rows import MappedSequence
from linkdash.widgets.styled_text import Piece, fitted
from linkdash.widgets.text_page import LineList, folded, hung
from linkdash.widgets.themes import ThemedApp
from tests.widgets.sample import drawn

MANY = 100_000


def test_a_cut_line_ends_in_an_ellipsis_also_between_two_pieces() -> None:
    pieces = [Piece("4 "), Piece("Splash pages"), Piece("  5 "), Piece("Campaigns")]
    for width in range(1, 27):
        line = "".join(piece.text for piece in fitted(pieces, width))
        assert cell_len(line) == width
        assert line.endswith("…"), "more follows"
    assert "".join(piece.text for piece in fitted(pieces, 27)) == "4 Splash pages  5 Campaigns"


class ListApp(ThemedApp[None]):
    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self.list = LineList(lines)

    def compose(self) -> ComposeResult:
        yield self.list


async def test_only_lines_in_sight_are_made() -> None:
    made: list[int] = []

    def line(number: int) -> str:
        made.append(number)
        return f"delete user {number}"

    app = ListApp(MappedSequence(line, range(MANY)))
    async with app.run_test(size=(40, 10)) as pilot:
        assert drawn(app.list)[1].startswith("delete user 1 ")
        app.list.scroll_to(y=MANY - 5, animate=False, force=True)
        await pilot.pause()
        assert f"delete user {MANY - 1}" in " ".join(drawn(app.list))
        assert len(made) < 1_000


async def test_a_line_that_is_wider_than_expected_can_be_scrolled_to_its_end() -> None:
    lines = ["short"] * 10_000
    lines[3] = "wide " * 40 + "end"
    app = ListApp(lines)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        app.list.scroll_to(x=200, animate=False, force=True)
        await pilot.pause()
        assert "end" in drawn(app.list)[3]


async def test_no_line_acts_on_the_terminal() -> None:
    app = ListApp(["\x1b]52;c;aGVsbG8=\x07", "[/b]"])
    async with app.run_test(size=(40, 10)):
        assert drawn(app.list)[0].isprintable()
        assert drawn(app.list)[1].startswith("[/b]")


@given(st.text(alphabet="ab ", max_size=60), st.integers(2, 30), st.integers(0, 60))
def test_a_hung_text_keeps_every_letter_however_far_it_hangs(text: str, width: int, hanging: int) -> None:
    text = " ".join(text.split())
    rows = [*hung(text, width, " " * hanging)]
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")
    assert all(len(row) <= width for row in rows)


@given(st.text("ab /.@茶→ ", max_size=200), st.integers(12, 60))
def test_a_folded_line_keeps_every_letter_in_rows_that_fit(line: str, width: int) -> None:
    rows = ["".join(text for text, _ in row) for row in folded(line, width)]
    assert all(cell_len(row.rstrip()) <= width for row in rows)
    assert "".join("".join(rows).split()) == "".join(line.split())


def test_a_value_that_stands_below_others_hangs_below_them() -> None:
    rows = folded("    No longer:      several users, splash pages, overlays", 44)
    assert ["".join(text for text, _ in row) for row in rows] == [
        "    No longer:      several users, splash",
        "                    pages, overlays",
    ]


def test_what_will_be_begins_a_row_of_its_own() -> None:
    rows = folded("    Name: Wayfinding Velo Station → Wayfinding at the station", 36)
    assert ["".join(text for text, _ in row) for row in rows] == [
        "    Name: Wayfinding Velo Station",
        "        → Wayfinding at the station",
    ]
    assert [look for _, look in rows[1]] == ["before", "after"]
