from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.color import Color
from textual.pilot import Pilot
from textual.strip import Strip

from linkdash.api.fields import Kind
from linkdash.api.records import Unreadable
from linkdash.model.humanize import Trend
from linkdash.model.lists.columns import SAMPLED, Computed, column
from linkdash.widgets.table.cell_text import NO, UNKNOWN, YES
from linkdash.widgets.table.common_beginning import without_beginning
from linkdash.widgets.table.record_table import RecordTable
from linkdash.widgets.table.row_line import CURSOR_SIGN, DOWN_SIGN, MARK_SIGN, NOTE_SIGNS
from tests.waiting import resize, wait_until
from tests.widgets.sample import COLUMNS, HOSTILE, Code, Lazy, TableApp, code, codes, drawn


@pytest.fixture
async def pilot() -> AsyncIterator[Pilot[None]]:
    async with TableApp().run_test(size=(60, 12)) as pilot:
        yield pilot


@pytest.fixture
def app(pilot: Pilot[None]) -> TableApp:
    assert isinstance(pilot.app, TableApp)
    return pilot.app


@pytest.fixture
def table(app: TableApp) -> RecordTable[Code]:
    return app.table


async def test_rows_are_drawn_under_a_header_that_stays(pilot: Pilot[None], table: RecordTable[Code]) -> None:
    table.show_rows(codes(40))
    first = drawn(table)
    assert first[0].split() == ["Id", "Label", "Link", "Scans", "Made", "Key"]
    assert first[1].split()[:6] == [CURSOR_SIGN, "1", "code", "1", "–", "10"]
    await pilot.press("end")
    last = drawn(table)
    assert last[0] == first[0]
    assert last[-1].split()[:6] == [CURSOR_SIGN, "40", "code", "40", "–", "400"]


@pytest.mark.parametrize(
    ("cells", "head"), [(20, "Link lnk.example/r/…"), (19, "Link lnk.example/…"), (17, "Link")]
)
def test_the_beginning_of_all_links_stands_in_the_head_as_far_as_whole_parts_fit(
    cells: int, head: str
) -> None:
    assert without_beginning(column(Code, "link"), cells, "lnk.example/r/").title == head


async def test_links_that_are_cut_say_once_how_all_of_them_begin(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    paths = ("spring-in-the-north-hall", "summer-in-the-south-hall", "")
    links = [f"https://lnk.example/r/{path}" if path else "" for path in paths]
    rows = [code(number, link=link) for number, link in enumerate(links, 1)]
    columns = [column(Code, "name", essential=True), column(Code, "link", width=30)]
    table.show_rows(rows, columns)
    assert drawn(table)[0].split()[-1] == "Link", "there is room"
    await resize(pilot, 48, 12)
    lines = drawn(table)
    assert lines[0].split()[1:] == ["Link", "lnk.example/r/…"]
    assert [line.split()[-1] for line in lines[1:4]] == [f"…/{paths[0]}", f"…/{paths[1]}", "–"]
    other = code(4, link="https://other.example/a-very-long-path-to-somewhere-else")
    table.show_rows([*rows, other], columns)
    assert drawn(table)[0].split()[1:] == ["Link"], "not all of them begin so"
    assert "other.example" in drawn(table)[4]


async def test_a_record_that_changed_is_drawn_anew(pilot: Pilot[None], app: TableApp) -> None:
    app.table.show_rows(codes(3))
    drawn(app.table)
    await pilot.pause()
    app.table.show_rows([code(1, name="renamed"), *codes(2, first=2)])
    assert drawn(app.table)[1].split()[:3] == [CURSOR_SIGN, "1", "renamed"]
    await pilot.pause()
    assert app.moves == [1, 1]


async def test_of_100_000_rows_only_those_in_sight_and_a_sample_are_touched(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    rows = Lazy(100_000, first=6)
    table.show_rows(rows, index_of=rows.index_of)
    await pilot.pause()
    sample = set(range(0, 100_000, 50))
    assert rows.touched <= {*sample, *range(11)}
    await pilot.press("G", "k")
    assert table.cursor_key == 100_004
    assert rows.touched <= {*sample, *range(11), *range(99_987, 100_000)}
    again = Lazy(100_005, first=1)
    table.show_rows(again, index_of=again.index_of)
    await pilot.pause()
    assert table.cursor_key == 100_004
    assert drawn(table)[-1].split()[0] == "100005"
    assert len(again.touched - set(range(99_987, 100_005))) <= SAMPLED


async def test_a_column_has_the_room_its_values_need_and_keeps_it(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    await resize(pilot, 50, 12)
    table.show_rows([*codes(150), code(999, name="Velo Station, tab 39"), *codes(20)])
    titles = drawn(table)[0]
    assert titles.split() == ["Id", "Label", "Link", "Scans", "Made"]
    table.move_to_key(999)
    assert "Velo Station, tab 39  " in "\n".join(drawn(table))
    table.show_rows(codes(3))
    assert drawn(table)[0] == titles


async def test_a_column_that_has_another_title_has_the_room_of_its_new_values(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    await resize(pilot, 60, 12)
    names, ids = column(Code, "name", width=7), column(Code, "id")
    table.show_rows([code(1, name="a" * 30)], [names, ids])
    wide = drawn(table)[0].index("Id")
    table.show_rows([code(1, name="b")], [replace(names, title="Other"), ids])
    assert drawn(table)[0].index("Id") < wide - 20


async def test_the_same_rows_are_not_drawn_again(pilot: Pilot[None], table: RecordTable[Code]) -> None:
    looks: list[int] = []

    def look(code: Code) -> str:
        looks.append(code.id)
        return code.name

    columns = [Computed[Code]("name", "Name", Kind.TEXT, 10, essential=True, draw=look)]
    rows = codes(3)
    table.show_rows(rows, columns)
    assert drawn(table)[1].split() == [CURSOR_SIGN, "code", "1"]
    looks.clear()
    table.show_rows(rows, columns)
    drawn(table)
    assert not looks
    table.show_rows(rows, [replace(columns[0], title="Called")])
    assert drawn(table)[0].split() == ["Called"]
    assert looks


async def test_a_picture_that_is_known_later_has_its_room_when_the_rows_are_measured_anew(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    await resize(pilot, 40, 12)
    known: dict[int, Trend] = {}
    name = column(Code, "name", width=10, grow=True, essential=True)
    days = Computed[Code]("days", "Days", Kind.TEXT, 4, draw=lambda code: known.get(code.id))
    link = column(Code, "link", width=30)
    rows = codes(3)
    table.show_rows(rows, [name, days, link])
    known[1] = Trend((0, 1, 2, 3, 4, 5, 6))
    table.show_rows(rows, [name, days, link])
    assert "▁▂▃▄▅▆▇" not in drawn(table)[1], "the same rows are not measured again"
    table.measure_anew()
    table.show_rows(rows, [name, days, link])
    assert "▁▂▃▄▅▆▇" in drawn(table)[1]


@pytest.mark.parametrize(
    ("keys", "cursor"),
    [
        ("down j j up", 2),
        ("k", 0),
        ("pagedown", 11),
        ("pagedown pagedown pageup", 11),
        ("end", 39),
        ("G j", 39),
        ("end g", 0),
        ("end home", 0),
    ],
)
async def test_keys_move_the_cursor_and_it_stays_in_sight(
    pilot: Pilot[None], app: TableApp, keys: str, cursor: int
) -> None:
    app.table.show_rows(codes(40))
    await pilot.press(*keys.split())
    assert app.table.cursor == cursor
    assert app.moves[-1] == cursor + 1
    assert [line.split()[1] for line in drawn(app.table) if line.startswith(CURSOR_SIGN)] == [str(cursor + 1)]


async def test_cursor_and_scroll_stay_on_their_record_across_a_refresh(
    pilot: Pilot[None], app: TableApp
) -> None:
    table = app.table
    table.show_rows(codes(100, first=11))
    table.move_to_key(60)
    await pilot.press("up", "up")
    line = _cursor_line(table)
    table.show_rows(codes(107, first=4))
    await pilot.pause()
    assert (table.cursor_key, _cursor_line(table)) == (58, line)
    assert app.moves[-1] == 58


async def test_what_is_in_sight_stays_when_the_cursor_is_not(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    table.show_rows(codes(100))
    table.scroll_to(y=30, animate=False, force=True)
    table.show_rows([*codes(1), *codes(5, first=200), *codes(99, first=2)])
    await pilot.pause()
    assert drawn(table)[1].split()[0] == "31"
    assert table.cursor_key == 1


async def test_cursor_keeps_its_position_when_its_record_is_gone(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    table.show_rows(codes(10))
    table.move_to_key(8)
    table.show_rows([row for row in codes(10) if isinstance(row, Code) and row.id != 8])
    assert (table.cursor, table.cursor_key) == (7, 9)
    table.show_rows(codes(3))
    assert (table.cursor, table.cursor_key) == (2, 3)
    table.show_rows([])
    assert (table.cursor_row, table.cursor_key) == (None, None)
    await pilot.press("down", "pagedown", "G")
    table.show_rows(codes(3))
    assert table.cursor_key == 1


async def test_fewer_rows_are_never_scrolled_out_of_sight(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    table.show_rows(codes(100))
    await pilot.press("end")
    table.show_rows(codes(3, first=500))
    await pilot.pause()
    assert _ids(table) == ["500", "501", "502"]


async def test_a_key_that_is_not_there_moves_nothing(table: RecordTable[Code]) -> None:
    table.show_rows(codes(5))
    assert table.move_to_key(3)
    assert not table.move_to_key(77)
    assert table.cursor_key == 3


async def test_a_click_moves_the_cursor_and_another_opens(pilot: Pilot[None], app: TableApp) -> None:
    app.table.show_rows(codes(40))
    app.table.scroll_to(y=10, animate=False, force=True)
    await pilot.pause()
    assert await pilot.click(RecordTable, offset=(8, 4))
    assert (app.table.cursor_key, app.opened) == (14, [])
    assert await pilot.click(RecordTable, offset=(20, 4))
    assert app.opened == [14]
    app.table.show_rows([Unreadable(text="{}")])
    assert await pilot.click(RecordTable, offset=(8, 1))
    assert app.opened == [14], "there is nothing behind what could not be read"


async def test_a_click_below_the_last_row_does_nothing(pilot: Pilot[None], app: TableApp) -> None:
    app.table.show_rows(codes(3))
    assert await pilot.click(RecordTable, offset=(8, 9))
    assert (app.table.cursor_key, app.opened) == (1, [])


@pytest.mark.parametrize(
    ("x", "names"), [(1, []), (5, ["id"]), (10, ["id"]), (11, ["name"]), (30, ["link"]), (38, ["scans"])]
)
async def test_a_click_on_the_header_names_its_column(
    pilot: Pilot[None], app: TableApp, x: int, names: list[str]
) -> None:
    app.table.show_rows(codes(3))
    assert await pilot.click(RecordTable, offset=(x, 0))
    assert app.headers == names


async def test_marks_and_notes_have_signs_left_of_their_rows(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    table.show_rows([*codes(5), Unreadable(text="{}")])
    table.marks = frozenset({2, 4})
    table.notes = {2: "changed", 3: "new", 5: "whatever"}
    await pilot.pause()
    signs = [line[:3] for line in drawn(table)[1:7]]
    marked = f" {MARK_SIGN} "
    assert signs == [f"{CURSOR_SIGN}  ", marked, " + ", marked, " ! ", "   "], "a mark before a note"


def test_the_sign_of_a_selected_row_is_that_of_no_value_or_note() -> None:
    assert MARK_SIGN not in (YES, NO, UNKNOWN, CURSOR_SIGN, *NOTE_SIGNS.values())


async def test_a_set_of_marks_that_has_changed_is_drawn_when_it_is_set_again(
    pilot: Pilot[None], table: RecordTable[Code]
) -> None:
    table.show_rows(codes(2))
    marked = {1: "one"}
    table.marks = marked.keys()
    await pilot.pause()
    assert [line[1] for line in drawn(table)[1:3]] == [MARK_SIGN, " "]
    marked[2] = marked.pop(1)
    table.marks = marked.keys()
    await pilot.pause()
    assert [line[1] for line in drawn(table)[1:3]] == [" ", MARK_SIGN]


async def test_the_sorted_column_has_a_sign(pilot: Pilot[None], table: RecordTable[Code]) -> None:
    table.show_rows(codes(12)[::-1])
    table.sort = ("name", True)
    await pilot.pause()
    lines = drawn(table)
    assert f"Label {DOWN_SIGN}" in lines[0]
    assert lines[1].split()[1] == "12"


async def test_unreadable_rows_are_said_to_be_so(table: RecordTable[Code]) -> None:
    table.show_rows([code(1), Unreadable.of({"Id": 1, "name": "[/b]"})])
    assert drawn(table)[2].strip() == "unreadable record: {'Id': 1, 'name': '[/b]'}"


async def test_columns_without_room_are_counted_and_come_back(pilot: Pilot[None]) -> None:
    table = _table(pilot)
    table.show_rows(codes(3))
    await resize(pilot, 26, 12)
    await wait_until(lambda: table.hidden == 3)
    await resize(pilot, 120, 12)
    assert table.hidden == 0
    header = drawn(table)[0]
    assert header.split() == ["Id", "Label", "Link", "Scans", "Made", "Key"]
    await resize(pilot, 20, 12)
    await wait_until(lambda: table.hidden == 3)
    assert all(cell_len(line) == 20 for line in drawn(table))


class Filmed(RecordTable[Code]):
    """A table that remembers every header it has drawn."""

    def __init__(self) -> None:
        super().__init__(COLUMNS, lambda code: code.id)
        self.drawn: list[str] = []

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if y == 0:
            self.drawn.append(strip.text)
        return strip


async def test_its_first_picture_has_the_columns_there_is_room_for() -> None:
    app = TableApp()
    app.table = table = Filmed()
    table.display = False
    async with app.run_test(size=(120, 12)) as pilot:
        table.show_rows(codes(3))
        table.display = True
        await wait_until(lambda: table.drawn)
        await pilot.pause()
        assert table.drawn[0].split() == ["Id", "Label", "Link", "Scans", "Made", "Key"]


async def test_essential_columns_that_exceed_the_width_are_scrolled_to(pilot: Pilot[None]) -> None:
    table = _table(pilot)
    rows = [code(id, name=f"code {'x' * 25}") for id in range(100_001, 100_004)]
    table.show_rows(
        rows, [column(Code, "id", essential=True), column(Code, "name", width=30, essential=True)]
    )
    await resize(pilot, 20, 12)
    before = drawn(table)
    await pilot.press("right")
    after = drawn(table)
    assert (before[0][:13], before[1][:14]) == ("       Id  La", f"{CURSOR_SIGN}  100001  cod")
    assert (after[0][:8], after[1][:8]) == ("   Label", f"{CURSOR_SIGN}  code ")
    await pilot.press("left")
    assert drawn(table) == before


async def test_the_cursor_stays_in_sight_when_the_table_becomes_lower(pilot: Pilot[None]) -> None:
    table = _table(pilot)
    table.show_rows(codes(40))
    table.move_to_key(11)
    await resize(pilot, 60, 6)
    assert _cursor_line(table) == 5


async def test_a_table_that_becomes_lower_is_drawn_once() -> None:
    app = TableApp()
    app.table = table = Filmed()
    async with app.run_test(size=(60, 12)) as pilot:
        table.show_rows(codes(40))
        await pilot.pause()
        table.drawn.clear()
        table.styles.height = 6
        await wait_until(lambda: table.size.height == 6)
        await pilot.pause()
        assert len(table.drawn) == 1


async def test_hostile_names_are_text_and_keep_the_columns(pilot: Pilot[None]) -> None:
    table = _table(pilot)
    raw = [Code.model_construct(id=index, name=name) for index, name in enumerate(HOSTILE, 1)]
    table.show_rows([*raw, *(code(index, name=name) for index, name in enumerate(HOSTILE, 100))])
    await resize(pilot, 55, 30)
    lines = drawn(table)
    text = "\n".join(lines)
    assert "[/b]" in text
    assert "[@click=app.quit]" in text
    assert not any(sign in text for sign in "\x1b\x9b\x07\x00\u202e\u2066\u200b\t")
    assert {cell_len(line) for line in lines} == {55}
    assert len(lines) == 30


async def test_colors_follow_theme_and_focus(pilot: Pilot[None]) -> None:
    table = _table(pilot)
    table.show_rows(codes(3))
    focused = _background(table, 1)
    table.blur()
    await pilot.pause()
    blurred = _background(table, 1)
    assert len({focused, blurred, _background(table, 2)}) == 3
    pilot.app.theme = "textual-light"
    await pilot.pause()
    assert _background(table, 1) not in {focused, blurred}


def _table(pilot: Pilot[None]) -> RecordTable[Code]:
    assert isinstance(pilot.app, TableApp)
    return pilot.app.table


def _cursor_line(table: RecordTable[Code]) -> int:
    return next(y for y, line in enumerate(drawn(table)) if line.startswith(CURSOR_SIGN))


def _ids(table: RecordTable[Code]) -> list[str]:
    return [line[3:].split()[0] for line in drawn(table)[1:] if line.strip()]


def _background(table: RecordTable[Code], y: int) -> Color:
    style = list(table.render_line(y))[1].style
    assert style is not None
    assert style.bgcolor is not None
    return Color.from_rich_color(style.bgcolor)
