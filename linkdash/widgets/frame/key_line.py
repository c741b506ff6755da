"""The key line: the keys that can be pressed now."""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from linkdash.widgets.styled_text import STYLES, Tone, rich_style
from linkdash.widgets.textual_fixes.unexpected_keys import name_of_key


def key_sign(widget: Widget, key: str) -> str:
    """Return how a key is written where a widget names it, which the app decides."""
    return widget.app.get_key_display(Binding(key, ""))


class Claim(IntEnum):
    """The claim of a key to room in the line, the strongest first."""

    ALWAYS = 0
    """Help, and the way back."""
    NOW = 1
    """It is there for what the user has just begun, such as a selection."""
    SHOWN = 2
    SPARE = 3
    """It fills what all others leave."""


class Standing(NamedTuple):
    """The claim of a key, and its rank among those of the same claim, the first before all."""

    claim: Claim
    rank: int = -1


def plain_standing(binding: Binding) -> Standing | None:
    """The standing of a binding of which no more is known than it says itself."""
    if not binding.show:
        return None
    return Standing(Claim.ALWAYS if "escape" in binding.key else Claim.SHOWN)


class Hint(NamedTuple):
    """A key, and what it does."""

    key: str
    shown_as: str
    label: str
    tooltip: str
    everywhere: bool
    """True if the key belongs to the program, not to where the user is."""
    standing: Standing

    @property
    def width(self) -> int:
        """Its cells, with the blank before and after it."""
        return cell_len(self.shown_as) + cell_len(self.label) + 3


class KeyLine(Widget):
    """Drawn as one line from the bindings that are active; a click does what the key does.

    `standing` says where a binding stands, or None where it is not to be shown, as it does nothing now.
    `label` says by the id of a binding which word stands in the place of its own; "" for none.
    """

    ALLOW_SELECT = False

    def __init__(
        self,
        standing: Callable[[Binding], Standing | None] = plain_standing,
        *,
        label: Callable[[str], str] = lambda id: "",
    ) -> None:
        super().__init__()
        self._standing = standing
        self._label = label
        self._hints: list[Hint] | None = None
        """What it shows; None where that is to be looked up when it is drawn."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_updated(self, _screen: Screen[object]) -> None:
        self.update()

    def update(self) -> None:
        """Show the keys that do something now: they are looked up once for all that changes at a time."""
        self._hints = None
        self.refresh()

    def first(self, count: int) -> list[tuple[str, str]]:
        """Return the first keys of the place, as they are written, with what they do."""
        here = [hint for hint in self._active() if not hint.everywhere]
        return [(hint.shown_as, hint.label) for hint in here[:count]]

    def _active(self) -> list[Hint]:
        """Return what is active and shown, one key an action, as they stand in the line."""
        found: dict[str, Hint] = {}
        for node, binding, _enabled, tooltip in self.screen.active_bindings.values():
            if binding.action in found or (standing := self._standing(binding)) is None:
                continue
            sign = self.app.get_key_display(binding)
            if not self._is_typed(binding.key, sign):
                label = self._label(binding.id or "") or binding.description
                hint = Hint(binding.key, sign, label, tooltip or label, node is self.app, standing)
                found[binding.action] = hint
        return sorted(found.values(), key=_place_in_line)

    def _is_typed(self, key: str, sign: str) -> bool:
        """Return whether what has the focus takes the key as a letter; Textual's own answer overlooks `-`."""
        focused = self.screen.focused
        if focused is None or len(sign) != 1 or name_of_key(sign) != key:
            return False
        return focused.check_consume_key(key, sign)

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
        if self._hints is None:
            self._hints = self._active()
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


def _place_in_line(hint: Hint) -> tuple[bool, bool, bool, int]:
    """The place's own first, what is there now before the rest, and spare ones last."""
    claim, rank = hint.standing
    is_now = claim is Claim.NOW and not hint.everywhere
    return hint.everywhere, claim is Claim.SPARE, not is_now, rank


def fitting(hints: Sequence[Hint], width: int) -> list[Hint]:
    """The hints that `width` cells have room for, in their order; the strongest claim has its room first."""
    kept = []
    for hint in sorted(hints, key=lambda hint: hint.standing):
        if hint.width <= width:
            width -= hint.width
            kept.append(hint)
    return [hint for hint in hints if hint in kept]
