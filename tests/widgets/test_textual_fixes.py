"""Each fault of Textual that is mended, mended here and still there in plain Textual.

A test of plain Textual that fails is good news: the fix it belongs to can go.
"""

import asyncio
import gc
import sys
import warnings
import weakref
from codecs import IncrementalDecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from inspect import getattr_static
from io import StringIO
from selectors import EVENT_READ, SelectSelector

import pytest
from rich.console import Console
from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult, ScreenStackError
from textual.await_remove import AwaitRemove
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.css.query import NoMatches
from textual.css.stylesheet import Stylesheet
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Offset, Region, Size
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static, TextArea

from linkdash.screens.windows.picker import Choices
from linkdash.widgets.filter_line import StillInput
from linkdash.widgets.form.field_input import TextEdit
from linkdash.widgets.textual_fixes.cell_writer import pieces_of
from linkdash.widgets.textual_fixes.fixed_app import FixedApp
from linkdash.widgets.textual_fixes.patch import Patch
from linkdash.widgets.textual_fixes.patches import PATCHES, install
from linkdash.widgets.textual_fixes.unexpected_keys import parted
from linkdash.widgets.themes import style_paths
from tests.waiting import wait_until


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual as it is."""
    undo(monkeypatch, *PATCHES)


def undo(monkeypatch: pytest.MonkeyPatch, *patches: Patch) -> None:
    """Have Textual's own functions again until a test ends."""
    install()
    for patch in patches:
        mended = getattr_static(patch.owner, patch.name)
        monkeypatch.setattr(patch.owner, patch.name, mended.__wrapped__)


class PlainApp(App[None]):
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Input("one")


class MendedApp(FixedApp[None]):
    compose = PlainApp.compose


class Question(ModalScreen[bool]):
    pass


class Middle(Screen[None]):
    pass


class Seeking(Screen[None]):
    """A screen that looks for its parts as soon as it has them."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Input("one")

    def on_mount(self) -> None:
        self.query_one(Input)


# ---- widgets that were removed ----


async def draw_removed(app: App[None], area: TextArea) -> list[int]:
    """The widths of the lines of a text area that was removed."""
    async with app.run_test():
        await app.screen.mount(area)
        await area.remove()
        area._rich_style_cache.clear()
        return [strip.cell_length for strip in area.render_lines(Region(0, 0, 20, 2))]


async def test_a_removed_text_area_can_be_drawn_once_more() -> None:
    assert await draw_removed(MendedApp(), TextEdit("one")) == [20, 20]


async def test_textual_fails_to_draw_a_removed_text_area() -> None:
    with pytest.raises(KeyError):
        await draw_removed(PlainApp(), TextArea("one"))


async def leave_while_it_comes(app: App[None], ticks: int) -> int:
    """Leave a screen so many turns of the loop after it was pushed; the number of widgets left of it."""
    async with app.run_test():
        before = len(app._registry)
        app.push_screen(Seeking())
        for _ in range(ticks):
            await asyncio.sleep(0)
        await app.pop_screen()
        return len(app._registry) - before


_AS_IT_COMES = 0


@pytest.mark.parametrize("ticks", range(4))
async def test_a_screen_can_be_left_while_it_comes(ticks: int) -> None:
    assert await leave_while_it_comes(MendedApp(), ticks) == 0


@pytest.mark.usefixtures("plain")
async def test_textual_mounts_a_screen_that_was_left() -> None:
    with pytest.raises(NoMatches):
        await leave_while_it_comes(PlainApp(), _AS_IT_COMES)


async def select_removed(app: App[None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin to select with the mouse on a widget that the layout still has."""
    async with app.run_test() as pilot:
        static = Static("one")
        await app.screen.mount(static)
        await static.remove()
        with monkeypatch.context() as patch:
            compositor = app.screen._compositor
            patch.setattr(compositor, "get_widget_and_offset_at", lambda x, y: (static, Offset(0, 0)))
            app.screen._forward_event(
                events.MouseDown(static, 1, 1, 0, 0, 1, False, False, False, 1, 1, None)
            )
            await pilot.pause()


async def test_a_selection_cannot_begin_on_a_removed_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    await select_removed(MendedApp(), monkeypatch)


@pytest.mark.usefixtures("plain")
async def test_textual_fails_to_select_on_a_removed_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AttributeError):
        await select_removed(PlainApp(), monkeypatch)


async def test_a_page_key_before_the_first_layout_is_no_fault() -> None:
    async with MendedApp().run_test() as pilot:
        choices = Choices("one")
        pilot.app.screen.mount(choices)
        assert not choices.check_action("page_down", ())
        await pilot.pause()
        assert choices.check_action("page_down", ())


async def test_textual_fails_at_a_page_key_before_the_first_layout() -> None:
    async with PlainApp().run_test() as pilot:
        options = OptionList("one")
        pilot.app.screen.mount(options)
        options.highlighted = 0
        with pytest.raises(KeyError):
            await options.run_action("page_down")


class Growing(Widget):
    """A widget as high as it is said to be."""

    rows = 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.rows


async def grow_twice(app: App[None]) -> int:
    """The height of a widget that grows, is laid out, and grows again before it is idle."""
    async with app.run_test() as pilot:
        growing = Growing()
        growing.styles.height = "auto"
        mounted = app.screen.mount(growing)
        growing.refresh(layout=True)
        app.screen._refresh_layout()
        growing.rows = 3
        growing.refresh(layout=True)
        await mounted
        await pilot.pause()
        return growing.size.height


async def test_what_grows_twice_is_as_high_as_it_grew() -> None:
    assert await grow_twice(MendedApp()) == 3


async def test_textual_loses_what_grows_twice(plain: None) -> None:
    assert await grow_twice(PlainApp()) == 1


async def is_let_go_of(make: Callable[[], Widget]) -> bool:
    """Return whether nothing keeps a widget that was removed from a screen that stays."""
    gc.freeze()  # what earlier tests left is not looked through
    widget = make()
    async with PlainApp().run_test() as pilot:
        await pilot.app.screen.mount(widget)
        await widget.remove()
        _ = pilot.app.screen.displayed_children
        known = weakref.ref(widget)
        del widget
        await pilot.pause()
        gc.collect()
        return known() is None


@pytest.mark.parametrize("make", [StillInput, partial(TextEdit, "one")])
async def test_an_input_that_was_removed_is_let_go_of(make: Callable[[], Widget]) -> None:
    assert await is_let_go_of(make)


@pytest.mark.parametrize("make", [Input, TextArea])
async def test_textual_keeps_an_input_that_was_removed(make: Callable[[], Widget]) -> None:
    assert not await is_let_go_of(make)


class OneLine(App[None]):
    """An input as wide as the screen."""

    def __init__(self, make: Callable[[], Input]) -> None:
        super().__init__()
        self._make = make

    def compose(self) -> ComposeResult:
        yield self._make()


async def layouts_of_a_letter(make: Callable[[], Input], monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of times that the screen is laid out for a letter that is typed."""
    found: list[Screen[object]] = []
    lay_out = Screen._refresh_layout

    def note(screen: Screen[object], size: Size | None = None, scroll: bool = False) -> None:
        found.append(screen)
        lay_out(screen, size, scroll)

    async with OneLine(make).run_test() as pilot:
        await pilot.pause()
        monkeypatch.setattr(Screen, "_refresh_layout", note)
        await pilot.press("a")
        await wait_until(lambda: pilot.app.query_one(Input).value == "a")
        await pilot.pause()
        return len(found)


async def test_a_letter_lays_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await layouts_of_a_letter(StillInput, monkeypatch) == 0


async def test_textual_lays_the_screen_out_for_each_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await layouts_of_a_letter(Input, monkeypatch)


# ---- screens ----


async def answer_twice(app: App[None]) -> tuple[list[bool | None], bool]:
    """The answers to a question that is answered twice, and whether the screen below it stays."""
    answers: list[bool | None] = []
    async with app.run_test() as pilot:
        await app.push_screen(Middle())
        question = Question()
        await app.push_screen(question, answers.append)
        question.dismiss(True)
        question.dismiss(True)  # what a second press comes to that was on its way by then
        await pilot.pause()
        return answers, isinstance(app.screen, Middle)


async def test_a_question_is_answered_once() -> None:
    assert await answer_twice(MendedApp()) == ([True], True)


@pytest.mark.usefixtures("plain")
async def test_textual_closes_two_screens_for_two_answers() -> None:
    assert not (await answer_twice(PlainApp()))[1]


def send(app: App[None]) -> None:
    """Have a widget of the screen below handle a message, its last one."""
    app.query_one(Vertical).call_later(nothing, app)


def mount(app: App[None]) -> None:
    """Mount a widget in the screen below, as the layout mounts scroll bars."""
    app.screen.mount(Static("one"))


def nothing(_: App[None]) -> None:
    """Do nothing."""


async def leave(app: App[None], do: Callable[[App[None]], None]) -> "weakref.ref[Middle]":
    """Leave a screen that does something to the one below as it goes."""
    screen = Middle()
    await app.push_screen(screen)
    await app.pop_screen()
    with screen._context():
        do(app)
    return weakref.ref(screen)


async def lets_go(app: App[None], do: Callable[[App[None]], None]) -> bool:
    """Return whether a screen that has done so is let go of before one that left later and did nothing."""
    async with app.run_test():
        left, later = await leave(app, do), await leave(app, nothing)
        await wait_until(lambda: gc.collect() and later() is None)
        return left() is None


@pytest.mark.parametrize("do", [send, mount])
async def test_a_screen_that_was_left_is_let_go_of(do: Callable[[App[None]], None]) -> None:
    assert await lets_go(MendedApp(), do)


@pytest.mark.parametrize(("do", "name"), [(send, "_dispatch_message"), (mount, "_start_messages")])
async def test_textual_keeps_a_screen_that_was_left(
    do: Callable[[App[None]], None], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    undo(monkeypatch, *(patch for patch in PATCHES if patch.name == name))
    assert not await lets_go(PlainApp(), do)


class Following(Screen[None]):
    """A screen that has something to do whenever it gets another size, as most have."""

    resizes = 0

    def on_resize(self) -> None:
        self.resizes += 1
        if self.resizes <= _ENDLESS:
            self.call_later(self.follow)

    def follow(self) -> None:
        """Do what follows a resize."""


_ENDLESS = 100


async def follow_two_sizes(app: App[None]) -> tuple[int, bool]:
    """The number of resizes of a screen that is told of two sizes; whether it ends with the terminal's."""
    async with app.run_test(size=(80, 24)) as pilot:
        screen = Following()
        await app.push_screen(screen)
        await pilot.pause()
        for width in (100, 80):
            screen.post_message(events.Resize(Size(width, 24), Size(width, 24)))
            screen.call_later(screen.follow)
        await wait_until(lambda: not screen.message_queue_size)
        return screen.resizes, screen.size == app.size


async def test_a_screen_that_is_told_of_two_sizes_takes_the_one_of_the_terminal() -> None:
    resizes, is_right = await follow_two_sizes(MendedApp())
    assert is_right
    assert resizes < _ENDLESS


@pytest.mark.usefixtures("plain")
async def test_textual_follows_each_of_two_sizes_for_ever() -> None:
    assert (await follow_two_sizes(PlainApp()))[0] > _ENDLESS


async def test_a_screen_of_a_size_that_changes_little_is_laid_out_for_it() -> None:
    app = MendedApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(Seeking())
        await pilot.resize_terminal(81, 24)
        await wait_until(lambda: app.screen.query_one(Vertical).outer_size.width == 81)


async def count_layouts(app: App[None]) -> int:
    """The layouts of a new screen in a terminal that keeps its size."""
    async with app.run_test() as pilot:
        screen, layouts = Middle(), 0

        def count(_: Screen[None]) -> None:
            nonlocal layouts
            layouts += 1

        screen.screen_layout_refresh_signal.subscribe(app, count, immediate=True)
        await app.push_screen(screen)
        await pilot.pause()
        return layouts


async def test_a_new_screen_is_laid_out_for_the_terminal_and_for_what_stands_in_it() -> None:
    assert await count_layouts(MendedApp()) == 2


@pytest.mark.usefixtures("plain")
async def test_textual_lays_a_new_screen_out_once_more() -> None:
    assert await count_layouts(PlainApp()) == 3


# ---- style sheets ----


class Styled(Screen[None]):
    """A screen with a style sheet of its own."""

    CSS_PATH = [*style_paths("key_line")]


async def parsed_again_for(app: App[None], monkeypatch: pytest.MonkeyPatch) -> int:
    """The times that all sheets are parsed again for a screen that has one of its own."""
    times = 0
    reparse = Stylesheet.reparse

    def counted(sheet: Stylesheet) -> None:
        nonlocal times
        times += 1
        reparse(sheet)

    async with app.run_test() as pilot:
        monkeypatch.setattr(Stylesheet, "reparse", counted)
        await app.push_screen(Styled())
        await pilot.pause()
        assert app.stylesheet.has_source(str(Styled.CSS_PATH[0]))
        return times


async def test_sheets_are_not_parsed_again_for_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await parsed_again_for(MendedApp(), monkeypatch) == 0


@pytest.mark.usefixtures("plain")
async def test_textual_parses_all_sheets_for_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await parsed_again_for(PlainApp(), monkeypatch) == 1


# ---- the end ----


async def go_elsewhere_at_the_end(app: App[None], monkeypatch: pytest.MonkeyPatch) -> None:
    """End, while something opens another place."""
    prune = app._prune

    def go_elsewhere(*nodes: Widget) -> AwaitRemove:
        app._screen_stacks.setdefault("elsewhere", [])
        return prune(*nodes)

    async with app.run_test():
        monkeypatch.setattr(app, "_prune", go_elsewhere)


async def test_it_can_end_while_another_place_is_gone_to(monkeypatch: pytest.MonkeyPatch) -> None:
    await go_elsewhere_at_the_end(MendedApp(), monkeypatch)


async def test_textual_fails_where_another_place_is_gone_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError):
        await go_elsewhere_at_the_end(PlainApp(), monkeypatch)


async def open_at_the_end(app: App[None]) -> None:
    """Open a screen in an app that has been told to end."""
    async with app.run_test() as pilot:
        app.exit()
        app.push_screen(Seeking())
        await pilot.pause()


async def test_a_screen_that_comes_too_late_is_no_fault() -> None:
    await open_at_the_end(MendedApp())


@pytest.mark.usefixtures("plain")
async def test_textual_fails_where_a_screen_comes_too_late() -> None:
    with pytest.raises(NoMatches):
        await open_at_the_end(PlainApp())


async def test_a_key_finds_nothing_where_the_last_screen_was_closed() -> None:
    assert not await MendedApp()._check_bindings("x")


async def test_textual_fails_at_a_key_where_the_last_screen_was_closed() -> None:
    with pytest.raises(ScreenStackError):
        await PlainApp()._check_bindings("x")


SECRET = "a-secret-of-a-local-variable"


def words_of_a_fault(app: App[None]) -> str:
    """The words of an app about a fault where a secret was in the hands of what failed."""
    told = StringIO()
    app.error_console = Console(file=told, width=200)
    try:
        key = SECRET
        raise ZeroDivisionError(len(key))
    except ZeroDivisionError:
        app._fatal_error()
    app._print_error_renderables()
    return told.getvalue()


async def test_a_fault_tells_no_local_variables() -> None:
    assert words_of_a_fault(MendedApp()) == "linkdash: Crashed (ZeroDivisionError).\n"


async def test_textual_tells_local_variables() -> None:
    assert SECRET in words_of_a_fault(PlainApp())


# ---- the terminal ----


@pytest.mark.parametrize("sequence", ["\x1b[:u", "\x1b[99999999999u", "\x1b[48;9;99999999999~"])
def test_keys_that_no_keyboard_has_are_left_out(sequence: str) -> None:
    install()
    assert [*XTermParser().feed(sequence)] == []


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("sequence", ["\x1b[99999999999u", "\x1b[48;9;99999999999~"])
def test_textual_fails_at_keys_that_no_keyboard_has(sequence: str) -> None:
    with pytest.raises((ValueError, OverflowError)):
        [*XTermParser().feed(sequence)]


@pytest.mark.parametrize("character", "5/a A\x13:é")
def test_a_key_right_after_escape_is_that_key_with_alt(character: str) -> None:
    install()
    (key,) = XTermParser().feed(f"\x1b{character}")
    assert isinstance(key, events.Key)
    assert key.key.startswith("alt+")
    assert [one.character for one in parted(key)] == ["\x1b", character]


@pytest.mark.parametrize("sequence", ["\x1b[A", "\x1bOP", "\x1b\x7f", "\x1b[1;3D", "\x1b[97;3u", "5"])
def test_what_is_one_key_stays_one(sequence: str) -> None:
    install()
    keys = [key for key in XTermParser().feed(sequence) if isinstance(key, events.Key)]
    assert [parted(key) for key in keys] == [[key] for key in keys] != []


@pytest.mark.usefixtures("plain")
def test_textual_reads_a_key_right_after_escape_as_another() -> None:
    parser = XTermParser()
    assert [key.character for key in parser.feed("\x1b5") if isinstance(key, events.Key)] == ["∞"]


def waits_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds for which it waits for a key, the key having come, and for what comes next."""
    from textual.drivers import linux_driver

    waits: list[float] = []
    name = "selectors"  # which it imports
    selector = getattr(linux_driver, name).SelectSelector()
    answers = [[0], []]

    def select(_read: object, _write: object, _other: object, timeout: float) -> tuple[list[int], ...]:
        waits.append(timeout)
        return answers.pop(0), [], []

    monkeypatch.setattr(SelectSelector, "_select", staticmethod(select))
    selector.register(0, EVENT_READ)
    for _ in range(2):
        selector.select(0.1)
    return waits


@pytest.mark.skipif(sys.platform == "win32", reason="another driver")
def test_an_escape_is_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    install()
    first, second = waits_of_the_driver(monkeypatch)
    assert (first, second < first) == (0.1, True)


def keys_after(monkeypatch: pytest.MonkeyPatch, first: str, seconds: float, then: str = "") -> list[str]:
    """The keys that are read of what comes, and of what comes so many seconds later."""
    now = 0.0
    monkeypatch.setattr("textual._parser.get_time", lambda: now)
    parser = XTermParser()
    found = [*parser.feed(first)]
    now = seconds
    found += [*parser.tick(), *(parser.feed(then) if then else ())]
    return [event.key for event in found if isinstance(event, events.Key)]


def test_an_escape_alone_is_told_sooner_than_one_in_a_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    install()
    assert keys_after(monkeypatch, "\x1b", 0.05) == ["escape"]
    assert keys_after(monkeypatch, "\x1b[", 0.09, "B") == ["down"]
    monkeypatch.setenv("ESCDELAY", "100")
    assert keys_after(monkeypatch, "\x1b", 0.05) == []


@pytest.mark.usefixtures("plain")
def test_textual_tells_an_escape_late(monkeypatch: pytest.MonkeyPatch) -> None:
    assert keys_after(monkeypatch, "\x1b", 0.05) == []


@pytest.mark.usefixtures("plain")
@pytest.mark.skipif(sys.platform == "win32", reason="another driver")
def test_textual_looks_late_for_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    assert waits_of_the_driver(monkeypatch) == [0.1, 0.1]


def decoder() -> Callable[[], IncrementalDecoder]:
    """The decoder of the driver's standard input."""
    from textual.drivers import linux_driver

    name = "getincrementaldecoder"  # which it imports
    found: Callable[[str], Callable[[], IncrementalDecoder]] = getattr(linux_driver, name)
    return found("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="another driver")
def test_bytes_that_are_no_text_are_left_out() -> None:
    install()
    assert decoder()().decode(b"a\xffb") == "ab"


@pytest.mark.usefixtures("plain")
@pytest.mark.skipif(sys.platform == "win32", reason="another driver")
def test_textual_fails_at_bytes_that_are_no_text() -> None:
    with pytest.raises(UnicodeDecodeError):
        decoder()().decode(b"a\xffb")


class Suspendable(HeadlessDriver):
    """A driver that tells whether the terminal is its own."""

    can_suspend = True
    is_suspended = False

    def suspend_application_mode(self) -> None:
        self.is_suspended = True

    def resume_application_mode(self) -> None:
        self.is_suspended = False

    @contextmanager
    def no_automatic_restart(self) -> Iterator[None]:
        yield


async def fail_suspended(app: App[None]) -> bool:
    """Fail while another program has the terminal; whether that is left to it."""
    async with app.run_test():
        driver = app._driver = Suspendable(app)
        with pytest.raises(ZeroDivisionError), app.suspend():
            raise ZeroDivisionError
        return driver.is_suspended


async def test_what_fails_while_it_is_suspended_gives_the_terminal_back() -> None:
    assert not await fail_suspended(MendedApp())


async def test_textual_leaves_the_terminal_to_what_failed() -> None:
    assert await fail_suspended(PlainApp())


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
@pytest.mark.parametrize("is_mended", [True, False])
def test_a_second_sigcont_begins_a_second_reader_only_in_textual(is_mended: bool) -> None:
    from textual.drivers.linux_driver import LinuxDriver

    from linkdash.widgets.textual_fixes.linux_driver import FixedLinuxDriver

    done: list[str] = []
    driver = object.__new__(FixedLinuxDriver if is_mended else LinuxDriver)
    assert isinstance(driver, LinuxDriver)
    driver._auto_restart, driver._must_signal_resume = True, False
    for name in ("suspend_application_mode", "resume_application_mode"):
        setattr(driver, name, partial(done.append, name.partition("_")[0]))
    driver._sigcont_application()
    assert done == (["suspend", "resume"] if is_mended else ["resume"])


# ---- the cells that are written ----


class SideBySide(FixedApp[None]):
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


# ---- workers that were cancelled before they began ----


async def begin_and_cancel(app: App[None]) -> list[warnings.WarningMessage]:
    """The warnings that are left of work that is cancelled as soon as it is asked for."""

    async def work() -> None:
        raise AssertionError("it has not begun")

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        async with app.run_test():
            app.run_worker(work()).cancel()
            await asyncio.sleep(0)
        gc.collect()
    return [one for one in told if "never awaited" in str(one.message)]


async def test_work_that_never_began_leaves_no_warning() -> None:
    assert await begin_and_cancel(MendedApp()) == []


async def test_textual_leaves_a_warning_of_work_that_never_began() -> None:
    assert len(await begin_and_cancel(PlainApp())) == 1


# ---- widgets that are not there yet ----


async def styled_before_it_is_there(app: App[None], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether a widget gets styles for a class that it is made with."""
    async with app.run_test():
        styled: list[Widget] = []
        monkeypatch.setattr(Stylesheet, "apply", lambda _, node, **__: styled.append(node))
        made = Input(compact=True)
        return made in styled


async def test_a_widget_is_not_styled_before_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not await styled_before_it_is_there(MendedApp(), monkeypatch)


async def test_textual_styles_a_widget_for_each_class_that_it_is_made_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert await styled_before_it_is_there(PlainApp(), monkeypatch)
