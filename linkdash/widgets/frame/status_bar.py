"""The status bar: the budget, what waits, what is saved."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from linkdash.widgets.charts.budget_level import level
from linkdash.widgets.charts.cell_pictures import gauge
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Tone

if TYPE_CHECKING:  # the first paint does not wait for them
    from linkdash.api.budget.scheduler import BudgetState


DIVIDER = " │ "
_GAUGE = 10  # cells


class StatusFacts(NamedTuple):
    """The facts behind the budget."""

    saved: str = ""
    """`all saved`, `not saved: Pixels`: whether something that was typed or changed is still here alone."""
    is_saved: bool = True
    age: str = ""
    """The age of what is on the screen: `as of 14 min ago`."""
    warning: str = ""
    """A warning about what is kept."""
    is_offline: bool = False
    """True while the service does not answer, so that nobody knows what is left."""


class BudgetBar(DrawnLines):
    """A line with the most important first, cut at its end.

    The budget is a countdown from what is known here: it never asks the service for anything.
    """

    ticks = True

    def __init__(self, state: "Callable[[], BudgetState]", facts: Callable[[], StatusFacts]) -> None:
        super().__init__()
        self._state = state
        self._facts = facts

    def lines(self, width: int, height: int) -> Lines:
        state, facts = self._state(), self._facts()
        unknown = [Piece("budget not known while offline", Tone.MUTED)]
        unsaved = [] if facts.is_saved else [Piece(f"✎ {facts.saved}", Tone.WARNING)]
        saved = [Piece(f"✓ {facts.saved}", Tone.GOOD)] if facts.is_saved and facts.saved else []
        parts = (
            unknown if facts.is_offline else budget_pieces(state),
            _waiting(state),
            unsaved,
            [Piece(facts.warning, Tone.WARNING)] if facts.warning else [],
            saved,
            [Piece(facts.age, Tone.MUTED)] if facts.age else [],
        )
        told = [piece for part in parts if part for piece in (Piece(DIVIDER, Tone.FAINT), *part)]
        return [[Piece(" "), *told[1:]]]


def budget_pieces(state: "BudgetState") -> list[Piece]:
    """`27 of 30 left · full in 49 s` after a gauge."""
    if state.remaining is None or not state.limit:
        return [Piece("budget unknown until the first answer", Tone.MUTED)]
    word, tone = level(state.remaining, state.limit)
    heavy, light = gauge(state.remaining, state.limit, _GAUGE)
    left = f"{state.remaining} of {state.limit} left"
    full = word if state.renewed or state.reset_in is None else f"full in {state.reset_in:.0f} s"
    return [
        Piece(heavy, tone),
        Piece(f"{light} ", Tone.FAINT),
        Piece(left, tone, bold=True),
        Piece(f" · {full}", Tone.MUTED),
    ]


def _waiting(state: "BudgetState") -> list[Piece]:
    if state.queue:
        return [Piece(state.queue, Tone.WARNING)]
    return [Piece(f"{state.in_flight} sending", Tone.MUTED)] if state.in_flight else []
