"""Where Textual 8.2 fails, it is guarded here; nothing else of linkdash uses its private names.

Read against Textual 8.2.8, and therefore pinned to `>=8.2,<8.3`: with another version every guard is to be
read again. `GuardedApp` and `install` are all that the app needs.
"""

import asyncio
import inspect
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache, partial, wraps
from itertools import count
from pathlib import Path
from types import FrameType
from typing import NamedTuple, ParamSpec, Self, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import _xterm_parser, events, on
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual._context import active_message_pump
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.cache import FIFOCache, LRUCache
from textual.color import Color
from textual.css.model import RuleSet
from textual.css.query import NoMatches
from textual.css.styles import RenderStyles, RulesMap
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.dom import DOMNode
from textual.driver import Driver
from textual.geometry import Offset, Region, Size
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget
from textual.widgets import OptionList
from textual.worker import Worker

from linkdash.widgets.terminal import TerminalPicture

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class GuardedApp(App[Result]):
    """An app that writes only the cells that changed, and is whole again after it was suspended.

    Textual repaints the whole terminal each time something changes on a screen that lies under another,
    writes a line where one digit of it differs, and the whole screen several times until the first
    picture stands.
    """

    def __init__(self) -> None:
        install()
        self._picture = TerminalPicture()
        super().__init__()
        self.stylesheet: RememberingStylesheet = RememberingStylesheet(variables=self.get_css_variables())

    def get_theme(self, theme_name: str) -> Theme | None:
        """As Textual's own, which copies the list of all themes twice for every line that is drawn."""
        return self._registered_themes.get(theme_name) or super().get_theme(theme_name)

    def get_driver_class(self) -> type[Driver]:
        """Textual's own; on Linux and macOS the one that stands SIGCONT at any moment."""
        driver = super().get_driver_class()
        return _standing_sigcont(driver) if driver.__name__ == "LinuxDriver" else driver

    @on(Driver.SignalResume)
    def _paint_anew(self) -> None:
        """Paints everything anew: what another program wrote meanwhile is not known."""
        self.repaint()

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Lets other programs have the terminal until the block ends, however it ends."""
        failure: BaseException | None = None
        with super().suspend():  # resumes only where the block does not raise
            try:
                yield
            except BaseException as error:  # noqa: BLE001  it is raised again below
                failure = error
        self.repaint()
        if failure is not None:
            raise failure

    def repaint(self) -> None:
        """Writes every cell of the screen again."""
        self._picture.forget()
        self.screen.refresh()

    def _handle_exception(self, error: Exception) -> None:
        """Textual composes nothing any more in what ends: what a new screen then misses is no fault."""
        where = active_message_pump.get(None)
        ends = self._exit or (isinstance(where, Widget) and _is_removed(where))
        if not (ends and isinstance(error, NoMatches)):
            super()._handle_exception(error)

    async def _close_all(self) -> None:
        """Closes every screen; to go to another place meanwhile changes what is iterated: RuntimeError."""
        try:
            await super()._close_all()
        except RuntimeError:
            await super()._close_all()

    def _fatal_error(self) -> None:
        """Ends with one line: Textual shows a trace with local variables, which could hold anything."""
        error = sys.exc_info()[1]
        self.panic(Text(f"linkdash: {self.last_words(error)}" if error is not None else ""))

    def last_words(self, error: BaseException) -> str:
        """What is said of a fault of the program that ends the app."""
        return f"It failed and had to end ({type(error).__name__})."

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """A key that was on its way when the last screen was closed finds none: ScreenStackError."""
        return bool(self.screen_stack) and await super()._check_bindings(key, priority)

    def end_now(self, status: int) -> None:
        """Ends the process from any thread, also while the event loop is held; the terminal is given back."""
        if self._driver is not None:
            _give_back_terminal(self._driver)
        os._exit(status)

    def style_sheets(self, screen: Screen[object]) -> Iterable[Path]:
        """The style sheets that have to be read before a screen comes, besides those of `CSS_PATH`."""
        return ()

    def _load_screen_css(self, screen: Screen[object]) -> None:
        self.stylesheet.complete(self.style_sheets(screen))
        super()._load_screen_css(screen)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            renderable = _Changes(self._picture, self.size, renderable)
        super()._display(screen, renderable)


class _Changes(CompositorUpdate):
    """What an update of Textual's compositor changes of what the terminal shows."""

    def __init__(
        self, picture: TerminalPicture, size: tuple[int, int], update: LayoutUpdate | ChopsUpdate
    ) -> None:
        self._picture, self._size, self._update = picture, size, update

    def __rich__(self) -> str:
        """Only by this can it be handed to Textual; it is asked for `render_segments`."""
        return ""

    def render_segments(self, console: Console) -> str:
        """The bytes to write."""
        colors = console._color_system or ColorSystem.TRUECOLOR
        return self._picture.changes(self._size, pieces_of(self._update), colors)


def pieces_of(update: LayoutUpdate | ChopsUpdate | None) -> Iterator[tuple[int, int, Strip]]:
    """The pieces of lines that an update paints: column, row, and what stands there."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in line:
                yield x, y, strip
                x += strip.cell_length
    elif update is not None:
        # Every piece that a changed span touches: what of it did not change is not written anyway. A piece
        # that begins where the span ends was not composed for this update, and holds only what lies below.
        for y, start, end in update.spans:
            for x, piece in update.chops[y].items():
                if piece is not None and x < end and x + piece.cell_length > start:
                    yield x, y, piece


def drawn_strips(screen: Screen[Result]) -> list[Strip]:
    """The lines of a screen as they were laid out last, also while it lies under another."""
    return screen._compositor.render_strips()


_RESET = (
    b"\x18\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"
    b"\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"
)
"""Ends what was begun and turns off every mode that Textual's driver turns on."""


def _give_back_terminal(driver: Driver) -> None:
    """What the driver does when it stops, without its threads, and without waiting for who does not read.

    What these have still to write goes nowhere: it would set again what is reset here.
    """
    try:
        import termios

        from textual.drivers.linux_driver import LinuxDriver
    except ImportError:  # no such terminal on this system
        return
    if not isinstance(driver, LinuxDriver) or driver._file is None:
        return
    with suppress(OSError, ValueError, termios.error):
        if driver.attrs_before is not None:
            termios.tcsetattr(driver.fileno, termios.TCSANOW, driver.attrs_before)
        terminal = os.dup(driver._file.fileno())
        os.dup2(os.open(os.devnull, os.O_WRONLY), driver._file.fileno())
        os.set_blocking(terminal, False)
        try:
            os.write(terminal, _RESET)
        finally:
            os.set_blocking(terminal, True)


def _standing_sigcont(driver: type[Driver]) -> type[Driver]:
    from textual.drivers.linux_driver import LinuxDriver

    class StandingDriver(LinuxDriver):
        """Textual's driver starts a second reader of the keyboard at a SIGCONT without a SIGTSTP before."""

        def _sigcont_application(self, *_: int | FrameType | None) -> None:
            if self._auto_restart and not self._must_signal_resume:
                self.suspend_application_mode()
                self._must_signal_resume = True
            super()._sigcont_application()

    return StandingDriver


# ---- styles ----


class _Matched(NamedTuple):
    """What the style sheet says of a node, and by what else of it."""

    rules: RulesMap
    has_hover: bool
    has_focus_within: bool
    has_order: bool
    has_parity: bool

    @classmethod
    def by(cls, node: DOMNode, rules: RulesMap) -> Self:
        """What a node has just got."""
        order, parity = node._has_order_style, node._has_odd_or_even
        return cls(rules, node._has_hover_style, node._has_focus_within, order, parity)


class _Kind(NamedTuple):
    """What the rules of a style sheet ask of nodes of one type, id and classes."""

    states: tuple[str, ...]
    """The pseudo-classes that can make a difference to them, or to what lies in them."""
    candidates: int
    """The number of the rules that may be theirs."""


class _Parts(dict[str, RenderStyles]):
    """The styles of a widget's component classes, each of which is found when it is first asked for."""

    def __init__(self, names: frozenset[str], find: Callable[[str], RenderStyles]) -> None:
        super().__init__()
        self._names, self._find = names, find

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __missing__(self, name: str) -> RenderStyles:
        styles = self[name] = self._find(name)
        return styles


class _Memory:
    """What was read and found by any style sheet; a number in it never means anything else.

    Every widget that comes for the first time brings rules of its own, and a theme is left and comes back:
    what was found by the same rules stays true.
    """

    def __init__(self) -> None:
        self.parsed: LRUCache[Hashable, list[RuleSet]] = LRUCache(1024)
        self.found: dict[tuple[int, int], _Matched] = {}
        self._numbers: dict[Hashable, int] = {}
        self._next = count(1)

    def number(self, thing: Hashable) -> int:
        """The number of a way, or of some rules."""
        number = self._numbers.get(thing)
        if number is None:
            number = self._numbers[thing] = next(self._next)
        return number

    def bound(self) -> None:
        """Forgets everything when it has become much."""
        if len(self._numbers) > _MOST_NUMBERS:
            self._numbers.clear()
            self.found.clear()


def _brought() -> Iterator[tuple[CSSLocation, str, int, str]]:
    """The style sheets that widgets bring themselves: those of ours that are imported, and Textual's own."""
    from textual.containers import Horizontal
    from textual.widgets import Button, Switch

    package = __name__.partition(".")[0]
    kinds: list[type[Widget]] = [Button, Horizontal, Switch]
    kinds += [kind for kind in _below(Widget) if kind.__module__.startswith(package)]
    for kind in kinds:
        yield from kind._get_default_css(kind.__new__(kind))


def _below(kind: type[Widget]) -> Iterator[type[Widget]]:
    """The classes that derive from one."""
    for below in kind.__subclasses__():
        yield below
        yield from _below(below)


_MOST_NUMBERS = 20_000
_SYSTEM = "-textual-system"  # the class that a rule for all nodes leaves out


class RememberingStylesheet(Stylesheet):
    """A style sheet that matches its rules once for all nodes that stand in the same way and state.

    Textual matches every rule anew for each node, and each component class of it, whenever a class, the
    focus or the pointer moves. What can make a rule match are the types, classes, ids and states of a node
    and of those above it: its way, which is numbered here, and what was found for a way is kept.
    """

    # Textual keeps nothing that depends on these: they are a part of the way here.
    _EXCLUDE_PSEUDO_CLASSES_FROM_CACHE = set()  # type: ignore[misc]  # declared final

    memory = _Memory()

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._read: object = None
        self._states: dict[str, set[str]] = {}
        self._kinds: dict[Hashable, _Kind] = {}
        self._parts: dict[str, int] = {}
        self._types: dict[type[DOMNode], frozenset[str]] = {}
        self._known_ways: dict[DOMNode, int] | None = None
        self._applied: WeakKeyDictionary[DOMNode, int] = WeakKeyDictionary()

    # ---- the rules ----

    def _parse_rules(
        self,
        css: str,
        read_from: CSSLocation,
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        """As Textual's own, whose cache ends with the theme."""
        variables = frozenset(self._variables.items())
        key = css, read_from, is_default_rules, tie_breaker, scope, variables
        rules = self.memory.parsed.get(key)
        if rules is None:
            rules = super()._parse_rules(css, read_from, is_default_rules, tie_breaker, scope)
            self.memory.parsed[key] = rules
        return rules

    def reparse(self) -> None:
        """As Textual's own: what cannot be parsed takes nothing away."""
        self.parse()

    def prepare(self, paths: Iterable[Path]) -> None:
        """Parses sheets, and what the widgets of ours bring, for `complete_all`; in a thread, too."""
        for path in paths:
            self._parse_rules(path.read_text("utf-8"), (str(path), ""))
        for place, css, tie_breaker, scope in _brought():
            if place not in self.source:
                self._parse_rules(css, place, True, tie_breaker, scope)

    def complete_all(self, paths: Iterable[Path]) -> None:
        """Reads all of that. A widget that comes with rules of its own makes all rules be looked through."""
        self.complete(paths)
        for place, css, tie_breaker, scope in _brought():
            self.add_source(css, place, True, tie_breaker, scope)
        self._read_rules()

    def complete(self, paths: Iterable[Path]) -> None:
        """Reads those of these sheets that are missing.

        Whenever that is, they count as if all had been read in the order of their names at the beginning.
        """
        missing = [path for path in paths if not self.has_source(str(path))]
        for path in missing:
            self.read(path)
        if missing:
            sheets = {key: source for key, source in self.source.items() if not source.is_defaults}
            self.source = {**dict(sorted(sheets.items())), **self.source}

    def _read_rules(self) -> None:
        """Reads what the rules ask, when there are others."""
        rules = self.rules  # these are parsed if they have to be, and only then the map is theirs
        if self._read is self.rules_map:
            return
        self._read = self.rules_map
        if self._known_ways is not None:  # in the midst of an update
            self._known_ways.clear()
        self._applied.clear()
        self._states.clear()
        self._kinds.clear()
        self._parts.clear()
        self._types.clear()
        for rule in rules:
            for chain in rule.selector_set:
                for selector in chain.selectors:
                    self._states.setdefault(selector.name, set()).update(selector.pseudo_classes)

    # ---- nodes ----

    def update_nodes(self, nodes: Iterable[DOMNode], animate: bool = False) -> None:
        """As Textual's own: nothing moves meanwhile, so that a way is found once for all nodes below."""
        self._known_ways = {}
        try:
            super().update_nodes(nodes, animate=animate)
        finally:
            self._known_ways = None

    def apply(
        self, node: DOMNode, *, animate: bool = False, cache: dict[tuple[object, ...], RulesMap] | None = None
    ) -> None:
        """As Textual's own, whose cache serves one update only."""
        self._read_rules()
        self.memory.bound()
        way = self._way(node)
        if self._applied.get(node) != way:
            self._applied[node] = way
            self._apply(node, way, self._kind_of(node).candidates, animate=animate)

    def _apply(self, node: DOMNode, way: int, candidates: int, *, animate: bool) -> None:
        found = self.memory.found.get((way, candidates))
        if found is None:
            rules: dict[tuple[object, ...], RulesMap] = {}
            super().apply(node, animate=animate, cache=rules)
            example = DOMNode()  # its values are as a node keeps them, and none is on its way to another
            for matched in rules.values():  # none where no rule matches
                self.replace_rules(example, matched)
            self.memory.found[way, candidates] = _Matched.by(node, example.styles.base._rules)
            return
        node._has_hover_style, node._has_focus_within = found.has_hover, found.has_focus_within
        node._has_order_style, node._has_odd_or_even = found.has_order, found.has_parity
        if node.styles.base._rules != found.rules:
            self.replace_rules(node, found.rules, animate=animate)
        else:  # the colours that it stands on may be others
            node.notify_style_update()
        self._process_component_classes(node)

    def _process_component_classes(self, node: DOMNode) -> None:
        """Styles those parts of a widget that were asked for; what stays as it is stays."""
        names, parts = node._get_component_classes(), node._component_styles
        if not names:
            return
        if not isinstance(parts, _Parts):
            node._component_styles = _Parts(names, partial(self._part, node))
            return
        changed = False
        for name, old in [*parts.items()]:
            parts[name] = self._part(node, name, old)
            changed = changed or old != parts[name]
        if changed:
            node.refresh()

    def _part(self, node: DOMNode, component: str, old: RenderStyles | None = None) -> RenderStyles:
        """The styles of a part, found as those of a node of its own; the old ones where they are the same."""
        self._read_rules()
        key = self.memory.number((self._way(node), component)), self._candidates_of_part(component)
        found = self.memory.found.get(key)
        if old is not None and found is not None and old.base._rules == found.rules:
            return old
        part = DOMNode(classes=component)
        part._attach(node)
        if found is not None:
            part.styles.base._rules.update(found.rules)
        else:
            self._apply(part, *key, animate=False)
        return part.styles

    def _candidates_of_part(self, component: str) -> int:
        """The number of the rules that may be those of a part."""
        if component not in self._parts:
            self._parts[component] = self._kind_of(DOMNode(classes=component)).candidates
        return self._parts[component]

    # ---- what can make a rule match ----

    def _way(self, node: DOMNode) -> int:
        """The number of all that can make a rule match a node."""
        known = self._known_ways
        if known is not None and node in known:
            return known[node]
        above = self._way(node._parent) if isinstance(node._parent, DOMNode) else 0
        states = self._kind_of(node).states
        state = [name for name in states if node.has_pseudo_class(name)] if states else ()
        way = self.memory.number((above, self._kind(node), *state))
        if known is not None:
            known[node] = way
        return way

    def _kind(self, node: DOMNode) -> Hashable:
        types = self._types.get(type(node))
        if types is None:  # those that no rule names make no difference, such as those of most screens
            types = self._types[type(node)] = node._css_type_names.intersection(self._states)
        classes = frozenset(name for name in node._classes if name in self._states or name == _SYSTEM)
        return types, node._id if node._id in self._states else None, classes

    def _kind_of(self, node: DOMNode) -> _Kind:
        key = self._kind(node)
        kind = self._kinds.get(key)
        if kind is None:
            names, by_name = node._selector_names, self.rules_map
            rules = {rule for name in by_name.keys() & names for rule in by_name[name]}
            candidates = self.memory.number(tuple(rule for rule in self.rules if rule in rules))
            kind = self._kinds[key] = _Kind(self._states_asked_of(node), candidates)
        return kind

    def _states_asked_of(self, node: DOMNode) -> tuple[str, ...]:
        """The pseudo-classes that some rule asks of a node of its kind."""
        names = ("*", *node._css_type_names, *node._classes, *([node.id] if node.id else []))
        return tuple(sorted(set().union(*(self._states.get(name, ()) for name in names))))


# ---- what Textual's own classes do wrong ----


def install() -> None:
    """Puts the guards around Textual's own methods, once for the process."""
    if not getattr(Widget.render_lines, "guarded", False):
        for owner, name, guard in (
            (BackgroundScreen, "process_segments", _tinted_by_style),
            (Widget, "render_lines", _nothing_of_removed),
            (Widget, "_pre_process", _never_comes_if_removed),
            (Screen, "get_widget_and_offset_at", _nothing_at_removed),
            (Screen, "dismiss", _only_the_top),
            (Screen, "_on_screen_resume", _styled_once),
            (Screen, "_on_screen_resume", _drawn_once),
            (Screen, "_screen_resized", _laid_out_once),
            (Screen, "_on_timer_update", _laid_out_and_then_drawn),
            (Worker, "_start", _closed_if_never_begun),
            (OptionList, "_move_page", _once_laid_out),
            (_xterm_parser.XTermParser, "_parse_extended_key", _no_key),
        ):
            method = guard(getattr(owner, name))
            setattr(method, _MARK, True)
            setattr(owner, name, method)
        _read_any_bytes()
        # Every rule of every style sheet is looked up for every part of a widget that is styled.
        RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]  # the same hash, without a call of Python
        # Seven caches are made for each line of each widget, and most of them are never looked at.
        Strip.__init__ = _bare_strip  # type: ignore[method-assign]  # nothing else is left out of Textual's own
        Strip.__getattr__ = _cache_when_wanted  # type: ignore[attr-defined]  # asked for what is not there yet


_MARK = "guarded"
_DECODER = "getincrementaldecoder"
_DRAW = "_compositor_refresh"


def _nothing() -> None:
    """Draws nothing."""


def blank(crop: Region) -> list[Strip]:
    """What is painted of a widget that was removed."""
    return [Strip.blank(crop.width)] * crop.height


def _nothing_of_removed(
    render_lines: Callable[[Widget, Region], list[Strip]],
) -> Callable[[Widget, Region], list[Strip]]:
    """A widget that was removed is painted once more, when its component styles are gone: KeyError.

    A TextArea asks for its styles before that: `Lines` of the forms does the same as here.
    """

    @wraps(render_lines)
    def guarded(self: Widget, crop: Region) -> list[Strip]:
        return blank(crop) if self.parent is None else render_lines(self, crop)

    return guarded


def _bare_strip(self: Strip, segments: Iterable[Segment], cell_length: int | None = None) -> None:
    self._segments = list(segments)
    self._cell_length = cell_length
    self._render_cache = None
    self._link_ids = None
    self._cell_count = None


def _cache_when_wanted(self: Strip, name: str) -> FIFOCache[Hashable, Strip]:
    if name not in _STRIP_CACHES:
        raise AttributeError(name, name=name, obj=self)
    cache: FIFOCache[Hashable, Strip] = FIFOCache(_STRIP_CACHES[name])
    setattr(self, name, cache)
    return cache


_STRIP_CACHES = {
    "_divide_cache": 4,
    "_crop_cache": 16,
    "_style_cache": 16,
    "_filter_cache": 4,
    "_line_length_cache": 4,
    "_crop_extend_cache": 4,
    "_offsets_cache": 4,
}


def _is_removed(widget: Widget) -> bool:
    return widget._pruning


def _never_comes_if_removed(
    pre_process: Callable[[Widget], Coroutine[None, None, bool]],
) -> Callable[[Widget], Coroutine[None, None, bool]]:
    """A screen that is left before it is composed is told that it is mounted, without parts: NoMatches."""

    @wraps(pre_process)
    async def guarded(self: Widget) -> bool:
        if not _is_removed(self) and await pre_process(self):
            return True
        came: asyncio.Event = self._mounted_event
        came.set()
        self._is_mounted = True
        return _is_removed(self)  # then it goes as all others do

    return guarded


def _tinted_by_style(
    tint: Callable[[Iterable[Segment], Color], Iterable[Segment]],
) -> "staticmethod[[Iterable[Segment], Color], Iterator[Segment]]":
    """Every piece of what lies under a window gets colours reckoned for it alone: hundreds, in few styles."""

    @lru_cache(maxsize=1024)
    def tinted(style: Style, color: Color) -> Style | None:
        (segment,) = tint([Segment("", style)], color)
        return segment.style

    @wraps(tint)
    def guarded(segments: Iterable[Segment], color: Color) -> Iterator[Segment]:
        for text, style, control in segments:
            bare = Style.null() if style is None else style.clear_meta_and_links()
            yield Segment(text, style if control else tinted(bare, color), control)

    return staticmethod(guarded)


_Found = tuple[Widget | None, Offset | None]
_Done = Callable[[Worker[object]], None] | None


def _nothing_at_removed(
    found_at: Callable[[Screen[object], int, int], _Found],
) -> Callable[[Screen[object], int, int], _Found]:
    """The beginning of a mouse selection meets a widget that has no parent any more: AttributeError."""

    @wraps(found_at)
    def guarded(self: Screen[object], x: int, y: int) -> _Found:
        widget, offset = found_at(self, x, y)
        return (None, None) if widget is not None and widget.parent is None else (widget, offset)

    return guarded


def _only_the_top(
    dismiss: Callable[[Screen[object], object], AwaitComplete],
) -> Callable[[Screen[object], object], AwaitComplete]:
    """A key that was pressed twice dismisses a screen that is gone: the one below it goes too."""

    @wraps(dismiss)
    def guarded(self: Screen[object], result: object = None) -> AwaitComplete:
        return dismiss(self, result) if self.is_attached and self is self.app.screen else AwaitComplete()

    return guarded


_Resumed = Callable[[Screen[object], events.ScreenResume], None]


def _styled_once(resume: _Resumed) -> _Resumed:
    """A screen that is shown for the first time has just been styled: all of it is styled again.

    The first of a mode even twice, as it is told twice that it is shown.
    """

    @wraps(resume)
    def guarded(self: Screen[object], event: events.ScreenResume) -> None:
        if self.stack_updates <= 1:
            event.refresh_styles = False
        resume(self, event)

    return guarded


def _drawn_once(resume: _Resumed) -> Callable[[Screen[object], events.ScreenResume], Awaitable[None]]:
    """A screen that comes is drawn twice: as it is laid out, and at the next update, which finds more on it.

    Keys and clocks get their turn between. The very first is drawn at once: nobody sees anything yet.
    """

    @wraps(resume)
    async def guarded(self: Screen[object], event: events.ScreenResume) -> None:
        with _undrawn(self) if self.app._dom_ready else nullcontext():
            resume(self, event)
        await asyncio.sleep(0)

    return guarded


def _laid_out_and_then_drawn(update: Callable[[Screen[object]], None]) -> Callable[[Screen[object]], None]:
    """What changed as a whole is laid out and drawn, and drawn again: it is drawn at the next update.

    That draws it whatever comes: where a key is held down, every update finds something to lay out.
    """
    to_draw: WeakSet[Screen[object]] = WeakSet()

    @wraps(update)
    def guarded(self: Screen[object]) -> None:
        both = self._layout_required and self._repaint_required and not self.app._batch_count
        if not both or not self.is_current or self in to_draw:
            to_draw.discard(self)
            update(self)
            return
        to_draw.add(self)
        with _undrawn(self):
            self._refresh_layout(scroll=self._scroll_required)
        self._layout_required = self._scroll_required = False
        self._update_timer.resume()

    return guarded


@contextmanager
def _undrawn(screen: Screen[object]) -> Iterator[None]:
    """Draws nothing of a screen until the block ends."""
    setattr(screen, _DRAW, _nothing)
    try:
        yield
    finally:
        delattr(screen, _DRAW)


def _laid_out_once(
    resized: Callable[[Screen[object], Size], None],
) -> Callable[[Screen[object], Size], None]:
    """A screen that comes is laid out, told of the size that it has then, and laid out again."""

    @wraps(resized)
    def guarded(self: Screen[object], size: Size) -> None:
        if self._size != size:
            resized(self, size)

    return guarded


def _closed_if_never_begun(
    start: Callable[[Worker[object], App[object], _Done], None],
) -> Callable[[Worker[object], App[object], _Done], None]:
    """A worker that is cancelled before it begins leaves its coroutine unawaited: RuntimeWarning."""

    @wraps(start)
    def guarded(self: Worker[object], app: App[object], done_callback: _Done = None) -> None:
        start(self, app, done_callback)
        work = self._work
        if self._task is not None and inspect.iscoroutine(work):
            self._task.add_done_callback(lambda _: work.close())

    return guarded


def _once_laid_out(
    move_page: Callable[[OptionList, int], None],
) -> Callable[[OptionList, int], None]:
    """A page key before the first layout finds no lines: KeyError."""

    @wraps(move_page)
    def guarded(self: OptionList, direction: int) -> None:
        if self._lines:
            move_page(self, direction)

    return guarded


def _no_key(
    parse: Callable[[_xterm_parser.XTermParser, str], list[events.Key] | None],
) -> Callable[[_xterm_parser.XTermParser, str], list[events.Key] | None]:
    """A key report with numbers that no character has ends the app: ValueError, OverflowError."""

    @wraps(parse)
    def guarded(self: _xterm_parser.XTermParser, sequence: str) -> list[events.Key] | None:
        try:
            return parse(self, sequence)
        except (ValueError, OverflowError):
            return []

    return guarded


def _read_any_bytes() -> None:
    """Bytes on standard input that are not UTF-8 end the app, which decodes strictly: they are left out."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # no such terminal on this system
        return
    decoder = getattr(linux_driver, _DECODER)
    setattr(linux_driver, _DECODER, lambda name: partial(decoder(name), errors="ignore"))
