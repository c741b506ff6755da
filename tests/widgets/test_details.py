"""A record in full."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.geometry import Size
from textual.pilot import Pilot

from linkdash.api.http.secrecy import MASK
from linkdash.api.records import Unreadable
from linkdash.widgets.details import ALSO_SENT, DetailLine, Details, _Page, record_lines
from linkdash.widgets.styled_text import STYLES, Piece, Tone
from tests.waiting import resize, wait_until
from tests.widgets.sample import HOSTILE, Code, TableApp, code, drawn


class DetailsApp(TableApp):
    """A details pane alone."""

    def __init__(self) -> None:
        super().__init__()
        self.details = Details()

    def compose(self) -> ComposeResult:
        yield self.details

    def on_mount(self) -> None:
        self.details.focus()


@pytest.fixture
async def pilot() -> AsyncIterator[Pilot[None]]:
    async with DetailsApp().run_test(size=(44, 24)) as pilot:
        yield pilot


@pytest.fixture
def details(pilot: Pilot[None]) -> Details:
    assert isinstance(pilot.app, DetailsApp)
    return pilot.app.details


async def test_it_stays_as_high_as_its_longest_record(pilot: Pilot[None], details: Details) -> None:
    heights = []
    for count in (2, 5, 1, 100):
        details.show(
            None, lines=[DetailLine(f"Title {number}", (Piece("value"),)) for number in range(count)]
        )
        await pilot.pause()
        heights.append(details.size.height)
    assert heights == [2, 5, 5, 24], "the table above it moves down only, and never out of sight"


async def test_the_same_record_takes_what_it_needs_now(pilot: Pilot[None], details: Details) -> None:
    """A table that becomes wider tells what the details told of its row until then."""
    lines = [DetailLine(f"Title {number}", (Piece("value"),)) for number in range(5)]
    one, other = code(1), code(2)
    heights = []
    for record, count in ((one, 5), (other, 4), (other, 2), (one, 3), (one, 4)):
        details.show(record, lines=lines[:count])
        await pilot.pause()
        heights.append(details.size.height)
    assert heights == [5, 5, 2, 3, 4]


async def test_in_another_width_it_takes_what_it_needs_there(pilot: Pilot[None], details: Details) -> None:
    details.show(None, lines=[DetailLine("Title", (Piece("word " * 16),))])
    heights = []
    for width in (44, 24, 100, 44):
        await resize(pilot, width, 24)
        heights.append(details.size.height)
    narrow, narrowest, wide, again = heights
    assert (wide, again) == (1, narrow)
    assert narrow < narrowest


async def test_nothing_is_laid_out_again_for_a_record_as_high_as_the_one_before(
    pilot: Pilot[None], details: Details
) -> None:
    layouts: list[object] = []
    pilot.app.screen.screen_layout_refresh_signal.subscribe(pilot.app, layouts.append, immediate=True)
    for values, is_laid_out in ((["one", "two"], True), (["four", "five"], False), (["long " * 20], True)):
        layouts.clear()
        details.show(None, lines=[DetailLine("Title", (Piece(value),)) for value in values])
        await pilot.pause()
        shown = "\n".join(drawn(details.query_one(_Page)))
        assert all(value.split()[0] in shown for value in values)
        assert bool(layouts) == is_laid_out, values


def test_every_field_has_its_title_and_its_whole_value() -> None:
    link = "https://go.example.org/" + "long/" * 40
    record = code(7, name="Poster", link=link, scans="1,200", made="2026-11-20 14:03:59", starred="1")
    lines = {line.title: line.text for line in record_lines(record)}
    assert lines["Id"] == "7"
    assert lines["Label"] == "Poster"
    assert lines["Link"] == link
    assert lines["Scans"] == "1,200"
    assert lines["Made"] == "2026-11-20 14:03:59"
    assert lines["Starred"] == "✓ yes"
    assert lines["Color"] == "–"


def test_secrets_are_masked_wherever_they_are() -> None:
    secrets = {"token": "hunter2", "secret": "hunter2"}
    record = code(1, apikey="hunter2", price=secrets, settings=secrets, password="hunter2", box=[secrets])
    shown = "\n".join(line.text for line in record_lines(record))
    assert "hunter2" not in shown
    assert shown.count(MASK) == 8


def test_nested_members_are_indented_under_their_title() -> None:
    record = code(1, price={"monthly": "1,000", "extra": {"a": [1, True], "b": {}}})
    lines = [(line.indent, line.title, line.text) for line in record_lines(record)]
    start = lines.index((0, "Price", ""))
    assert lines[start:] == [
        (0, "Price", ""),
        (1, "Monthly", "1,000"),
        (1, "Token", "–"),
        (1, ALSO_SENT, ""),
        (2, "extra", ""),
        (3, "a", ""),
        (4, "1", "1"),
        (4, "2", "✓ yes"),
        (3, "b", "0 entries"),
        (0, "Id", "1"),
    ]


def test_unknown_members_come_last_and_odd_ones_are_marked() -> None:
    lines = record_lines(code(1, made="soon", novel="x\x1b[2J", empty=None))
    assert next(line for line in lines if line.title == "Made").pieces == (Piece("? soon", Tone.ODD),)
    assert [(line.title, line.text) for line in lines[-3:]] == [
        (ALSO_SENT, ""),
        ("novel", "x\ufffd[2J"),
        ("empty", "–"),
    ]


def test_members_nested_without_end_stop_with_a_word() -> None:
    deep: object = "bottom"
    for _ in range(50):
        deep = {"in": deep}
    lines = record_lines(code(1, deep=deep))
    assert lines[-1].text == "nested too deep to show"
    assert len(lines) < 30


async def test_long_texts_and_links_wrap_beside_their_title(pilot: Pilot[None], details: Details) -> None:
    link = "https://go.example.org/" + "0123456789" * 6
    details.show(code(1, name="word " * 20, link=link))
    await pilot.pause()
    lines = [line.rstrip() for line in _shown(details)]
    assert sum("word" in line for line in lines) == 4
    assert link in "".join(line.strip().removeprefix("Link").strip() for line in lines)


async def test_rows_end_after_a_slash_or_an_at_before_a_dot(pilot: Pilot[None], details: Details) -> None:
    link, mail = "https://lnk.example/qr/27bfa4d", "somebody.longer@stores.example.com"
    details.styles.width = 32
    details.show(
        None, lines=[DetailLine(title, (Piece(text),)) for title, text in (("L", link), ("M", mail))]
    )
    await pilot.pause()
    lines = [line.split()[-1] for line in _shown(details) if line.strip()]
    assert lines == ["https://lnk.example/qr/", "27bfa4d", "somebody.longer@", "stores.example.com"]


async def test_a_note_stands_above_and_own_lines_replace_the_record_s(
    pilot: Pilot[None], details: Details
) -> None:
    details.show(
        code(1), note="changed here", lines=[DetailLine("Price", (Piece("9.99 a month", Tone.GOOD),))]
    )
    await pilot.pause()
    lines = [line.split() for line in _shown(details) if line.strip()]
    assert lines == [["note", "changed", "here"], ["Price", "9.99", "a", "month"]]


async def test_unreadable_records_and_none_at_all(pilot: Pilot[None], details: Details) -> None:
    details.show(Unreadable(text="{'Id': 1}"))
    await pilot.pause()
    assert "{'Id': 1}" in "\n".join(_shown(details))
    details.show(None)
    await pilot.pause()
    assert not "".join(_shown(details)).strip()


async def test_hostile_texts_are_harmless(pilot: Pilot[None], details: Details) -> None:
    for name in HOSTILE:
        bypassing: dict[str, Any] = {"id": 1, "name": name, "[b]" + name: name}
        details.show(Code.model_construct(**bypassing))
        await pilot.pause()
        text = "\n".join(_shown(details))
        assert not any(sign in text for sign in "\x1b\x9b\x07\x00\u202e\u2066\u200b\t")
    assert pilot.app.is_running
    details.show(code(1, name="[@click=app.quit]x[/b]"))
    await pilot.pause()
    assert "[@click=app.quit]x[/b]" in "\n".join(_shown(details))


async def test_a_long_record_is_scrolled_by_keys_and_the_next_begins_at_its_top(
    pilot: Pilot[None], details: Details
) -> None:
    details.show(code(1, **{f"member{index}": "x" for index in range(60)}))
    await pilot.pause()
    await pilot.press("pagedown")
    await wait_until(lambda: details.scroll_offset.y == details.scroll_target_y > 0)
    scrolled = details.scroll_offset.y
    details.show(code(1, **{f"member{index}": "x" for index in range(60)}))
    await pilot.pause()
    assert details.scroll_offset.y == scrolled
    details.show(code(2, **{f"member{index}": "x" for index in range(60)}))
    await pilot.pause()
    await wait_until(lambda: details.scroll_offset.y == 0)


@given(
    titles=st.lists(st.text("ab c界é", max_size=40), max_size=4),
    words=st.lists(st.text("xyz 界\u0301", max_size=60), min_size=1, max_size=4),
    width=st.integers(24, 120),
)
@example(titles=["a" * 40], words=["x" * 60], width=24)
@example(titles=["ab"], words=["x" * 28], width=30)
def test_every_cell_of_every_value_is_told_in_its_own_column(
    titles: list[str], words: list[str], width: int
) -> None:
    page = _Page()
    pieces = tuple(Piece(word, Tone.GOOD) for word in words)
    page.lines = tuple(DetailLine(title, pieces) for title in titles)
    rows = page._rows_in(width)
    assert page.get_content_height(Size(width, 9), Size(width, 9), width) == len(rows)
    assert all(sum(cell_len(run.text) for run in row) <= width for row in rows)
    told = "".join(run.text for row in rows for run in row if run.look == STYLES[Tone.GOOD])
    assert "".join(told.split()) == "".join("".join(words).split()) * len(titles)
    named = "".join(run.text for row in rows for run in row if run.look == STYLES[Tone.MUTED])
    assert sorted("".join(named.split())) == sorted("".join("".join(titles).split())), "long ones stand below"


async def test_colors_follow_the_theme(pilot: Pilot[None], details: Details) -> None:
    details.show(code(7, name="Poster"))
    await pilot.pause()
    page = details.children[0]
    night = [segment.style for segment in page.render_line(0)]
    pilot.app.theme = next(name for name, theme in pilot.app.available_themes.items() if not theme.dark)
    await pilot.pause()
    day = [segment.style for segment in page.render_line(0)]
    assert len(night) == len(day)
    assert all(before != after for before, after in zip(night, day, strict=True))


def _shown(details: Details) -> list[str]:
    return drawn(details.children[0])
