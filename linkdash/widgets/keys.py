"""Keys as they are shown: those that do something here in one line, or all of them in groups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from linkdash.widgets.pieces import DrawnLines, Lines, Piece, Tone, fitted


def key_sign(widget: Widget, key: str) -> str:
    """How a key is written where a widget names it, which the app decides."""
    return widget.app.get_key_display(Binding(key, ""))


# ---- in one line ----
_PINNED = 2


class Hint(NamedTuple):
    """One key, and what it does."""

    key: str
    shown_as: str
    label: str
    tooltip: str
    everywhere: bool
    """Whether the key belongs to the program, not to where a person is."""

    @property
    def width(self) -> int:
        """Its cells, with the blank before and after it."""
        return cell_len(self.shown_as) + cell_len(self.label) + 3


class KeyLine(Widget):
    """Drawn as one line from the bindings that are active and shown; a click does what the key does.

    `rank` says by the id of a binding how far back its key stands, or None where it does nothing now.
    """

    COMPONENT_CLASSES = {"key-line--key", "key-line--label"}
    ALLOW_SELECT = False

    def __init__(self, rank: Callable[[str], int | None] = lambda id: 0) -> None:
        super().__init__()
        self._rank = rank
        self._hints: list[Hint] = []

    def on_mount(self) -> None:
        self._hints = self._active()
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_updated(self, _screen: Screen[object]) -> None:
        self.update()

    def update(self) -> None:
        """Shows the keys that do something now."""
        hints = self._active()
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def _active(self) -> list[Hint]:
        """What is active and shown, one key an action: by rank, the program's own last."""
        found: dict[str, tuple[int, Hint]] = {}
        for node, binding, _enabled, tooltip in self.screen.active_bindings.values():
            rank = self._rank(binding.id or "")
            if binding.show and rank is not None:
                hint = self._hint(binding, tooltip, node is self.app)
                found.setdefault(binding.action, (rank, hint))
        ordered = sorted(found.values(), key=lambda ranked: (ranked[1].everywhere, ranked[0]))
        return [hint for _, hint in ordered]

    def _hint(self, binding: Binding, tooltip: str, everywhere: bool) -> Hint:
        shown_as = self.app.get_key_display(binding)
        return Hint(binding.key, shown_as, binding.description, tooltip or binding.description, everywhere)

    def render_line(self, y: int) -> Strip:
        key, label = self._look("key"), self._look("label")
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
        """Where each hint begins: those of the place from the left, the program's own at the right end."""
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

    def _look(self, part: str) -> Style:
        return self.get_visual_style(f"key-line--{part}").rich_style


def fitting(hints: Sequence[Hint], width: int) -> list[Hint]:
    """The hints that `width` cells have room for, in their order.

    The program's first two, its help and its palette, stay before all others: they tell of those that go.
    """
    everywhere = [hint for hint in hints if hint.everywhere]
    useful_first = [*everywhere[:_PINNED], *(hint for hint in hints if hint not in everywhere[:_PINNED])]
    kept = []
    for hint in useful_first:
        width -= hint.width
        if width < 0:
            break
        kept.append(hint)
    return [hint for hint in hints if hint in kept]


# ---- in groups ----

COLUMN = 36
"""The least cells of a column; as many columns as fit are made, but no more than three."""
_KEY_CELLS = 10
_GAP = 2


class KeyHelp(NamedTuple):
    """A key, what it does in a word or two, and in a sentence."""

    key: str
    label: str
    sentence: str = ""


@dataclass(frozen=True)
class KeyGroup:
    """Keys that belong together."""

    title: str
    keys: tuple[KeyHelp, ...]


class KeyColumns(DrawnLines):
    """As high as its groups are; `find` leaves those keys that words are about, each with its sentence."""

    def __init__(self, groups: Sequence[KeyGroup], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.styles.height = "auto"
        self._groups = tuple(groups)
        self._found = self._groups
        self._finds = False

    def find(self, typed: str) -> None:
        """Shows only keys whose name or action holds every word typed."""
        words = typed.casefold().split()
        self._finds = bool(words)
        found = [
            replace(group, keys=tuple(key for key in group.keys if _holds(key, words)))
            for group in self._groups
        ]
        self._found = tuple(group for group in found if group.keys)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width, 0))

    def lines(self, width: int, height: int) -> Lines:
        if not self._found:
            return [[Piece("No key is about that.", Tone.MUTED)]]
        is_list = self._finds or self.is_linear
        count = 1 if is_list else max(1, min(3, width // COLUMN, len(self._found)))
        cells = width // count
        columns: list[list[list[Piece]]] = [[] for _ in range(count)]
        for group in self._found:
            shortest = min(columns, key=len)
            shortest += [*([[]] if shortest else []), *_block(group, cells - _GAP, in_full=self._finds)]
        return [_beside(parts, cells) for parts in zip_longest(*columns, fillvalue=[])]


def _holds(key: KeyHelp, words: Sequence[str]) -> bool:
    return all(word in " ".join(key).casefold() for word in words)


def _block(group: KeyGroup, width: int, *, in_full: bool) -> list[list[Piece]]:
    rule = Piece("─" * max(0, width - len(group.title) - 1), Tone.FAINT)
    lines = [[Piece(f"{group.title} ", Tone.KEY), rule]]
    for key in group.keys:
        does = wrap(key.sentence or key.label, max(1, width - _KEY_CELLS - 1)) if in_full else [key.label]
        lines.append([Piece(f"{key.key:<{_KEY_CELLS}} ", Tone.BRAND), Piece(does[0])])
        lines += [[Piece(" " * (_KEY_CELLS + 1)), Piece(more)] for more in does[1:]]
    return lines


def _beside(parts: Sequence[Sequence[Piece]], cells: int) -> list[Piece]:
    return [piece for part in parts for piece in fitted(part, cells)]
