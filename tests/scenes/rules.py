"""Rules of every screen: nothing twice in frames, one sign one meaning."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from textual.color import Color
from textual.screen import Screen
from textual.strip import Strip

from linkdash.widgets.panel import Panel

_MORE_OR_LESS = "▲▼"
_CORNERS = "╭╮╰╯─━╸╺▶ "
_WORDS = 3  # from which on something said is a statement, and no name or title


def broken_rules(screen: Screen[object], strips: Sequence[Strip]) -> list[str]:
    """Return what breaks a rule on a screen that is drawn as these strips."""
    frames = [[*_frame(panel, strips)] for panel in screen.query(Panel) if panel.is_on_screen]
    return [
        *_said_twice(frames),
        *_warning_triangles(screen, strips),
        *_sideways(screen),
        *_marked_breaks(strips),
    ]


def _frame(panel: Panel, strips: Sequence[Strip]) -> Iterator[str]:
    """The parts of the words in the frame of a panel."""
    region = panel.region.intersection(panel.screen.region)
    rows = {region.y, region.bottom - 1} if panel.is_boxed else {region.y}
    for y in sorted(rows if region else ()):
        said = strips[y].crop(region.x, region.right).text.strip(_CORNERS)
        yield from (part.strip() for part in said.replace("  ", " · ").split(" · ") if part.strip(_CORNERS))


def _said_twice(frames: Sequence[Sequence[str]]) -> list[str]:
    parts = (part for part in chain.from_iterable(frames) if not part[0].isdigit())
    count = Counter(part for part in parts if len(part.split()) >= _WORDS)
    return [f"said {times} times: {part}" for part, times in count.items() if times > 1]


def _warning_triangles(screen: Screen[object], strips: Sequence[Strip]) -> list[str]:
    """Triangles are more and less; what has to be looked at has another sign."""
    warning = Color.parse(screen.app.theme_variables["warning"]).hex.lower()
    return [
        f"a warning: {segment.text}"
        for segment in chain.from_iterable(strips)
        if any(sign in segment.text for sign in _MORE_OR_LESS)
        and segment.style is not None
        and segment.style.color is not None
        and segment.style.color.get_truecolor().hex == warning
    ]


def _marked_breaks(strips: Sequence[Strip]) -> list[str]:
    """Lines broken by a sign, which stands for the breaks that the service sends: our own words have none."""
    return [f"a marked break: {strip.text.strip()}" for strip in strips if "↵" in strip.text]


def _sideways(screen: Screen[object]) -> list[str]:
    """The widgets of a window that scroll sideways; tables of many columns, outside of windows, may."""
    if not screen.is_modal:
        return []
    return [
        f"scrolls sideways: {widget}"
        for widget in screen.query("*")
        if widget.is_on_screen and widget.scrollbars_enabled[1] and widget.styles.scrollbar_size_horizontal
    ]
