"""The key line: the keys that can be pressed now."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from linkdash.widgets.styled_text import STYLES, Tone, rich_style


def key_sign(widget: Widget, key: str) -> str:
    """Return how a key is written where a widget names it, which the app decides."""
    return widget.app.get_key_display(Binding(key, ""))


_PINNED = 2
SPACIOUS = 160
"""Columns from which keys that are not shown elsewhere take what room is left."""


class Hint(NamedTuple):
    """A key, and what it does."""

    key: str
    shown_as: str
    label: str
    tooltip: str
    everywhere: bool
    """True if the key belongs to the program, not to where the user is."""
    is_spare: bool = False
    """True if it is shown only where there is room for it beside all others."""

    @property
    def width(self) -> int:
        """Its cells, with the blank before and after it."""
        return cell_len(self.shown_as) + cell_len(self.label) + 3


class KeyLine(Widget):
    """Drawn as one line from the bindings that are active and shown; a click does what the key does.

    `rank` says by the id of a binding how far back its key stands, or None where it does nothing now. In a
    spacious terminal those with a rank from 0 on are shown also where their binding is not. `label`
    says by the id of a binding which word stands in the place of its own; "" for none.
    """

    ALLOW_SELECT = False

    def __init__(
        self,
        rank: Callable[[str], int | None] = lambda id: -1,
        *,
        label: Callable[[str], str] = lambda id: "",
    ) -> None:
        super().__init__()
        self._rank = rank
        self._label = label
        self._hints: list[Hint] = []

    def on_mount(self) -> None:
        self._hints = self._active()
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_updated(self, _screen: Screen[object]) -> None:
        self.update()

    def update(self) -> None:
        """Show the keys that do something now."""
        hints = self._active()
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def first(self, count: int) -> list[tuple[str, str]]:
        """Return the first keys of the place, as they are written, with what they do."""
        here = [hint for hint in self._active() if not hint.everywhere]
        return [(hint.shown_as, hint.label) for hint in here[:count]]

    def _active(self) -> list[Hint]:
        """Return what is active and shown, one key an action: by rank, the program's own last."""
        found: dict[str, tuple[int, Hint]] = {}
        for node, binding, _enabled, tooltip in self.screen.active_bindings.values():
            rank = self._rank(binding.id or "")
            if rank is not None and (binding.show or rank >= 0):
                hint = self._hint(binding, tooltip, node is self.app)
                found.setdefault(binding.action, (rank, hint))
        return [hint for _, hint in sorted(found.values(), key=_place_in_line)]

    def _hint(self, binding: Binding, tooltip: str, everywhere: bool) -> Hint:
        shown_as = self.app.get_key_display(binding)
        label = self._label(binding.id or "") or binding.description
        return Hint(binding.key, shown_as, label, tooltip or label, everywhere, not binding.show)

    def render_line(self, y: int) -> Strip:
        key, label = rich_style(self, STYLES[Tone.KEY]), rich_style(self, STYLES[Tone.MUTED])
        segments, end = [], 0
        for start, hint in self._placed():
            segments += [
                Segment(" " * (start - end), label),
                Segment(f" {hint.shown_as}", key),
                Segment(f" {hint.label} ", label),
            ]
            end = start + hint.width
        return Strip(segments).extend_cell_length(self.size.width, label)

    def _placed(self) -> list[tuple[int, Hint]]:
        """Return where each hint begins: those of the place from the left, the program's own at the right."""
        hints = fitting(self._hints, self.size.width)
        here = [hint for hint in hints if not hint.everywhere]
        everywhere = [hint for hint in reversed(hints) if hint.everywhere]
        placed, start = [], 0
        for hint in here:
            placed.append((start, hint))
            start += hint.width
        start = self.size.width - sum(hint.width for hint in everywhere)
        for hint in everywhere:
            placed.append((start, hint))
            start += hint.width
        return placed

    def on_click(self, event: events.Click) -> None:
        if hint := self._hint_at(event.x):
            self.app.simulate_key(hint.key)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        hint = self._hint_at(event.x)
        self.tooltip = hint.tooltip if hint else None

    def _hint_at(self, x: int) -> Hint | None:
        return next((hint for start, hint in self._placed() if start <= x < start + hint.width), None)


def _place_in_line(ranked: tuple[int, Hint]) -> tuple[bool, bool, int]:
    rank, hint = ranked
    return hint.everywhere, hint.is_spare, rank


def fitting(hints: Sequence[Hint], width: int) -> list[Hint]:
    """The hints that `width` cells have room for, in their order.

    The program's first two, its help and its palette, stay before all others: they tell of those that go.
    """
    shown = [hint for hint in hints if not hint.is_spare]
    everywhere = [hint for hint in shown if hint.everywhere]
    useful_first = [*everywhere[:_PINNED], *(hint for hint in shown if hint not in everywhere[:_PINNED])]
    spare = [hint for hint in hints if hint.is_spare] if width >= SPACIOUS else []
    kept = []
    for hint in [*useful_first, *spare]:
        width -= hint.width
        if width < 0:
            break
        kept.append(hint)
    return [hint for hint in hints if hint in kept]
