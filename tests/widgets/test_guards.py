"""What Textual does wrong by itself does not reach a person."""

import asyncio
from inspect import CORO_CLOSED, getcoroutinestate
from typing import Any

import pytest
from rich.segment import ControlType, Segment
from rich.style import Style
from textual._compositor import Compositor
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.await_remove import AwaitRemove
from textual.color import Color
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Region
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import OptionList, Static

from linkdash.widgets.form_inputs import Lines
from linkdash.widgets.guards import GuardedApp, install, pieces_of
from tests.waiting import wait_until


class Answer(ModalScreen[bool]):
    pass


class Middle(Screen[None]):
    pass


class Filled(Screen[None]):
    """One that looks for its parts as soon as it has them."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Lines("one")

    def on_mount(self) -> None:
        self.query_one(Lines)


class Guarded(GuardedApp[None]):
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Lines("one")
            yield OptionList("one", "two")


async def test_a_text_area_that_is_gone_can_be_painted_once_more() -> None:
    async with Guarded().run_test() as pilot:
        area = pilot.app.query_one(Lines)
        await area.remove()
        assert [strip.cell_length for strip in area.render_lines(Region(0, 0, 20, 2))] == [20, 20]


async def test_a_page_key_before_the_first_layout_is_no_fault() -> None:
    install()
    options = OptionList("one", "two")
    app: App[None] = App()
    async with app.run_test():
        options._move_page(1)
        app.mount(options)
        options._move_page(1)
        options.highlighted = 0
        options._move_page(1)


async def test_a_question_is_answered_once() -> None:
    answers: list[bool | None] = []
    async with Guarded().run_test() as pilot:
        await pilot.app.push_screen(Middle())
        question = Answer()
        await pilot.app.push_screen(question, answers.append)
        question.dismiss(True)
        question.dismiss(True)  # what a second press comes to that was on its way by then
        await pilot.pause()
        assert answers == [True]
        assert isinstance(pilot.app.screen, Middle), "only one screen was left"


@pytest.mark.parametrize("ticks", range(3))
async def test_a_screen_can_be_left_while_it_comes(ticks: int) -> None:
    async with Guarded().run_test() as pilot:
        before = len(pilot.app._registry)
        pilot.app.push_screen(Filled())
        for _ in range(ticks):
            await asyncio.sleep(0)
        await pilot.app.pop_screen()
        assert len(pilot.app._registry) == before, "nothing of it is left"


async def test_it_can_end_while_another_place_is_gone_to(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Guarded()
    prune = app._prune

    def go_elsewhere(*nodes: Widget) -> AwaitRemove:
        app._screen_stacks.setdefault("elsewhere", [])
        return prune(*nodes)

    async with app.run_test():
        monkeypatch.setattr(app, "_prune", go_elsewhere)


async def test_a_selection_cannot_begin_on_a_widget_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Guarded().run_test() as pilot:
        area = pilot.app.query_one(Lines)
        await area.remove()
        screen = pilot.app.screen
        monkeypatch.setattr(screen._compositor, "get_widget_and_offset_at", lambda x, y: (area, None))
        assert screen.get_widget_and_offset_at(1, 1) == (None, None)


@pytest.mark.parametrize("sequence", ["\x1b[:u", "\x1b[99999999999u", "\x1b[48;9;99999999999~"])
def test_keys_that_no_keyboard_has_are_left_out(sequence: str) -> None:
    install()
    parser = XTermParser()
    assert [*parser.feed(sequence)] == []


async def test_a_worker_that_is_cancelled_before_it_begins_leaves_nothing_unawaited() -> None:
    async def work() -> None:
        raise AssertionError("it was cancelled")

    never_begun = work()
    async with Guarded().run_test() as pilot:
        pilot.app.run_worker(never_begun).cancel()
        await pilot.pause()
        assert getcoroutinestate(never_begun) == CORO_CLOSED


def test_a_line_makes_its_caches_when_they_are_wanted() -> None:
    install()
    line = Strip([Segment("one"), Segment("two")])
    assert [line.crop(1, 4).text for _ in range(2)] == ["net", "net"]
    assert {name for name in Strip.__slots__ if not hasattr(line, name)} == set()
    assert not hasattr(line, "_no_such_cache")


class SideBySide(GuardedApp[None]):
    CSS = "#left { width: 10; }"

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static("left", id="left")
            with VerticalScroll():  # what lies in it is composed where it is in sight only
                yield Static("right")


async def test_what_changes_alone_paints_nothing_over_its_neighbours() -> None:
    async with SideBySide().run_test() as pilot:
        compositor, left = pilot.app.screen._compositor, pilot.app.query_one("#left")
        whole = {(x, y): strip.text for x, y, strip in pieces_of(compositor.render_full_update())}
        assert whole[10, 0].strip() == "right"
        left.refresh()
        compositor.update_widgets({left})
        painted = [*pieces_of(compositor.render_partial_update())]
        assert painted
        assert all(strip.text == whole[x, y] for x, y, strip in painted)


def test_what_lies_under_a_window_is_tinted_as_by_textual_itself() -> None:
    textuals_own = BackgroundScreen.process_segments
    install()
    tint = Color(10, 20, 30, 0.5)
    link = Style(color="red", bgcolor="#123456", bold=True, link="https://example.org", meta={"a": 1})
    looks = (None, Style.null(), Style(color="#00ff00"), Style(bgcolor="white", italic=True), link, link)
    under = [Segment(str(number), style) for number, style in enumerate(looks)]
    under.append(Segment("", link, [(ControlType.HOME,)]))
    textuals_own = getattr(textuals_own, "__wrapped__", textuals_own)
    assert [*BackgroundScreen.process_segments(under, tint)] == [*textuals_own(under, tint)]


class Parted(Static):
    COMPONENT_CLASSES = {"parted--name", "parted--value"}


class PartedApp(GuardedApp[None]):
    CSS = ".parted--name { color: red; } .-bad .parted--name { color: blue; }"

    def compose(self) -> ComposeResult:
        yield Parted()


async def test_a_part_is_found_when_it_is_asked_for_and_follows_what_lies_above_it() -> None:
    async with PartedApp().run_test() as pilot:
        widget = pilot.app.query_one(Parted)
        assert not dict(widget._component_styles)
        assert widget.get_component_styles("parted--name").color == Color.parse("red")
        pilot.app.screen.add_class("-bad")
        await pilot.pause()
        assert widget.get_component_styles("parted--name").color == Color.parse("blue")
        assert [*widget._component_styles] == ["parted--name"]
        with pytest.raises(KeyError):
            widget.get_component_styles("parted--other")


async def test_a_screen_that_comes_is_not_drawn_once_more_than_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[Compositor] = []
    draw = Compositor.render_update

    def counted(compositor: Compositor, *arguments: Any, **more: Any) -> object:
        drawn.append(compositor)
        return draw(compositor, *arguments, **more)

    async with Guarded().run_test() as pilot:
        monkeypatch.setattr(Compositor, "render_update", counted)
        await pilot.app.push_screen(Filled())
        await pilot.pause()
        await wait_until(lambda: drawn)
        assert len(drawn) <= 2, "with its layout, and at the update after it"


async def test_a_screen_that_is_laid_out_again_and_again_is_drawn_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[Compositor] = []
    async with Guarded().run_test() as pilot:
        await pilot.pause()
        screen = pilot.app.screen
        monkeypatch.setattr(Compositor, "render_update", lambda compositor, **_: drawn.append(compositor))
        screen.refresh()
        for _ in range(6):  # as while a key is held down that moves a cursor
            screen.refresh(layout=True)
            screen._layout_required = True
            screen._on_timer_update()
        assert len(drawn) >= 3
