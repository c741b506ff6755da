"""The status bar: the budget, what waits, what is saved."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from linkdash.widgets.charts.budget_level import level
from linkdash.widgets.charts.cell_pictures import gauge
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone, apart, cells

if TYPE_CHECKING:  # the first paint does not wait for them
    from linkdash.api.budget.scheduler import BudgetState


DIVIDER = " │ "


class StatusFacts(NamedTuple):
    """The facts at the right end of the bar."""

    saved: str = ""
    """`all saved`, `not saved: Pixels`: whether something that was typed or changed is still here alone.

    The part before the colon is said where there is little room.
    """
    is_saved: bool = True
    age: str = ""
    """The age of what is on the screen: `as of 14 min ago`."""
    warning: str = ""
    """A warning about what is kept; the part before the colon is said where there is little room."""
    is_offline: bool = False
    """True while the service does not answer, so that nobody knows what is left."""


class BudgetBar(DrawnLines):
    """A countdown from what is known here: it never asks the service for anything."""

    ticks = True

    def __init__(self, state: "Callable[[], BudgetState]", facts: Callable[[], StatusFacts]) -> None:
        super().__init__()
        self._state = state
        self._facts = facts

    def lines(self, width: int, height: int) -> Lines:
        facts = self._facts()
        left = self._left(facts, width - 2)
        unsaved = cells(_unsaved(facts))
        if unsaved and cells(left) + unsaved + 3 > width:  # the budget is told shorter
            left = self._left(facts, width - unsaved - 4)
        for right in _shorter_and_shorter(facts):
            if right and cells(left) + cells(right) + 3 <= width:
                return [apart(left, [*right, Piece(" ")], width)]
        return [left]

    def _left(self, facts: StatusFacts, room: int) -> list[Piece]:
        if facts.is_offline:
            unknown = Piece("budget not known while offline", Tone.MUTED)
            return [Piece(" "), unknown, *_budget_waiting(self._state())]
        return [Piece(" "), *fitting_budget(self._state(), room)]


def fitting_budget(state: "BudgetState", width: int) -> list[Piece]:
    """The budget in at most `width` cells; what is waited for, and why, is the last to give way."""
    left, word, waiting = _budget_left(state), _budget_word(state), _budget_waiting(state)
    reset, drawn = _budget_reset(state), _gauge(state, width)
    title = Piece("Requests ", Tone.MUTED)
    narrow = width < 100
    parts = (
        [*_parted(([title] if not narrow else []) + drawn + left, word, reset), *waiting],
        [*_parted(drawn + left, word), *waiting],
        [*_parted(left, word), *waiting],
        [*left, *waiting],
        waiting[1:] or left,
    )
    return next((pieces for pieces in parts if cells(pieces) <= width), [*parts[-1]])


def _budget_tone(state: "BudgetState") -> Tone:
    known = state.remaining is not None and state.limit
    return level(state.remaining or 0, state.limit or 0)[1] if known else Tone.MUTED


def _gauge(state: "BudgetState", width: int) -> list[Piece]:
    if state.remaining is None or not state.limit:
        return []
    room = 30 if width >= 138 else 20 if width >= 98 else 12
    heavy, light = gauge(state.remaining, state.limit, room)
    return [Piece(heavy, _budget_tone(state)), Piece(f"{light} ", Tone.FAINT)]


def _budget_left(state: "BudgetState") -> list[Piece]:
    if state.remaining is None or not state.limit:
        return [Piece("budget unknown until the first answer", Tone.MUTED)]
    return [Piece(f"{state.remaining} of {state.limit} left", _budget_tone(state), bold=True)]


def _budget_word(state: "BudgetState") -> list[Piece]:
    if state.remaining is None or not state.limit:
        return []
    return [Piece(level(state.remaining, state.limit)[0], _budget_tone(state))]


def _budget_reset(state: "BudgetState") -> list[Piece]:
    if state.renewed:  # its word says that it is full
        return []
    return [Piece(f"full in {state.reset_in:.0f} s", Tone.MUTED)] if state.reset_in is not None else []


def _budget_waiting(state: "BudgetState") -> list[Piece]:
    if state.queue:
        return [Piece(DIVIDER, Tone.FAINT), Piece(state.queue, Tone.WARNING)]
    if state.in_flight:
        return [Piece(DIVIDER, Tone.FAINT), Piece(f"{state.in_flight} sending", Tone.MUTED)]
    return []


def _unsaved(facts: StatusFacts) -> list[Piece]:
    """The fewest words for what is not saved; none where a warning has their place."""
    if facts.is_saved or facts.warning:
        return []
    return _facts(facts._replace(saved=facts.saved.partition(":")[0], age=""))


def _shorter_and_shorter(facts: StatusFacts) -> Iterator[list[Piece]]:
    if not facts.warning:
        yield _facts(facts)
        if not facts.is_saved:
            yield _facts(facts._replace(saved=facts.saved.partition(":")[0]))
            yield _unsaved(facts)
        yield _facts(StatusFacts(age=facts.age))
        return
    warning = [Piece(facts.warning, Tone.WARNING)]
    if others := _facts(facts):
        yield [*warning, Piece(DIVIDER, Tone.FAINT), *others]
    yield warning
    yield [Piece(facts.warning.partition(":")[0], Tone.WARNING)]


def _facts(facts: StatusFacts) -> list[Piece]:
    sign = "✓" if facts.is_saved else "✎"
    saved = [Piece(f"{sign} {facts.saved}", Tone.GOOD if facts.is_saved else Tone.WARNING)]
    pieces = saved if facts.saved else []
    if facts.age:
        pieces = (
            [*pieces, Piece(DIVIDER, Tone.FAINT), Piece(facts.age, Tone.MUTED)]
            if pieces
            else [Piece(facts.age, Tone.MUTED)]
        )
    return pieces


def _parted(*groups: list[Piece]) -> list[Piece]:
    """Groups with a dot between those that say something."""
    joined: list[Piece] = []
    for group in groups:
        if group:
            joined += [Piece(" · ", Tone.FAINT), *group] if joined else group
    return joined
