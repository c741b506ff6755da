"""The lines at the bottom: the request budget, always in sight, and how far long work is."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.text import Text
from textual.widgets import Static

from linkdash.api.budget import BudgetState
from linkdash.model.rows import Progress
from linkdash.widgets.pictures import gauge
from linkdash.widgets.pieces import DrawnLines, Lines, Piece, Tone, apart, cells

# ---- the request budget ----

DIVIDER = " │ "
_LOW, _NEARLY_NONE = 1 / 3, 1 / 10  # of the limit


class Facts(NamedTuple):
    """What else the bar says, at its right end."""

    saved: str = ""
    """`all saved`, `not saved`: whether something that was typed or changed is still here alone."""
    is_saved: bool = True
    age: str = ""
    """How old what is on the screen is: `as of 14 min ago`."""
    warning: str = ""
    """What is amiss with what is kept; the part before the colon is said where there is little room."""


class BudgetBar(DrawnLines):
    """Counts down by itself, from what is known here: it never asks the service for anything."""

    ticks = True

    def __init__(self, state: Callable[[], BudgetState], facts: Callable[[], Facts] = Facts) -> None:
        super().__init__()
        self._state = state
        self._facts = facts

    def lines(self, width: int, height: int) -> Lines:
        left = [Piece(" "), *fitting_budget(self._state(), width - 2, counts_down=not self.is_linear)]
        facts = self._facts()
        for right in _shorter_and_shorter(facts):
            if right and cells(left) + cells(right) + 3 <= width:
                return [apart(left, [*right, Piece(" ")], width)]
        return [left]


def fitting_budget(state: BudgetState, width: int, *, counts_down: bool = True) -> list[Piece]:
    """The budget in at most `width` cells; what is waited for, and why, is the last to give way.

    Unless it `counts_down`, no seconds are told.
    """
    left, word, waiting = _left(state), _word(state), _waiting(state)
    reset = _reset(state) if counts_down else []
    title = Piece("Requests ", Tone.MUTED)
    narrow = width < 100
    parts = (
        [*_parted(([title] if not narrow else []) + _gauge(state, width) + left, word, reset), *waiting],
        [*_parted(_gauge(state, width) + left, word), *waiting],
        [*_parted(left, word), *waiting],
        [*left, *waiting],
        waiting[1:] or left,
    )
    return next((pieces for pieces in parts if cells(pieces) <= width), [*parts[-1]])


def level(remaining: int, limit: int) -> tuple[str, Tone]:
    """How much of a budget is left, in a word, and its tone."""
    if remaining <= 0:
        return "none", Tone.BAD
    if remaining <= limit * _NEARLY_NONE:
        return "nearly none", Tone.BAD
    return ("low", Tone.WARNING) if remaining <= limit * _LOW else ("plenty", Tone.GOOD)


def _tone(state: BudgetState) -> Tone:
    known = state.remaining is not None and state.limit
    return level(state.remaining or 0, state.limit or 0)[1] if known else Tone.MUTED


def _gauge(state: BudgetState, width: int) -> list[Piece]:
    if state.remaining is None or not state.limit:
        return []
    room = 30 if width >= 138 else 20 if width >= 98 else 12
    heavy, light = gauge(state.remaining, state.limit, room)
    return [Piece(heavy, _tone(state)), Piece(f"{light} ", Tone.FAINT)]


def _left(state: BudgetState) -> list[Piece]:
    if state.remaining is None or not state.limit:
        return [Piece("budget unknown until the first answer", Tone.MUTED)]
    return [Piece(f"{state.remaining} of {state.limit} left", _tone(state), bold=True)]


def _word(state: BudgetState) -> list[Piece]:
    if state.remaining is None or not state.limit:
        return []
    return [Piece(level(state.remaining, state.limit)[0], _tone(state))]


def _reset(state: BudgetState) -> list[Piece]:
    if state.renewed:
        return [Piece("a new window has begun", Tone.MUTED)]
    return [Piece(f"full in {state.reset_in:.0f} s", Tone.MUTED)] if state.reset_in is not None else []


def _waiting(state: BudgetState) -> list[Piece]:
    count = len(state.queued)
    if count and state.reason:
        words = f"{count} {'waits' if count == 1 else 'wait'}: {state.reason}"
        return [Piece(DIVIDER, Tone.FAINT), Piece(words, Tone.WARNING)]
    if state.in_flight:
        return [Piece(DIVIDER, Tone.FAINT), Piece(f"{state.in_flight} sending", Tone.MUTED)]
    return []


def _shorter_and_shorter(facts: Facts) -> Iterator[list[Piece]]:
    if not facts.warning:
        yield _facts(facts)
        yield _facts(Facts(age=facts.age))
        return
    warning = [Piece(facts.warning, Tone.WARNING)]
    if others := _facts(facts):
        yield [*warning, Piece(DIVIDER, Tone.FAINT), *others]
    yield warning
    yield [Piece(facts.warning.partition(":")[0], Tone.WARNING)]


def _facts(facts: Facts) -> list[Piece]:
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


# ---- how far it is ----

FULL, SPENT = "▮", "▯"


_LEAST_CELLS, _MOST_CELLS = 5, 30


class ProgressLine(Static):
    """One line that is there only while there is something to show."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._progress: Progress | None = None
        self.display = False

    def show(self, progress: Progress | None) -> None:
        """Shows how far it is, or takes the line away."""
        self._progress = progress
        self.display = progress is not None
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        if self._progress is not None:
            line = Text(progress_words(self._progress, self.size.width), no_wrap=True, overflow="ellipsis")
            self.update(line, layout=False)


def bar(over: int, total: int, cells: int) -> str:
    """A bar of so many cells; it is full only when all is over, and empty only when nothing is."""
    if not 0 < over < total:
        return (FULL if total and over >= total else SPENT) * cells
    full = max(1, min(cells - 1, round(cells * over / total)))
    return FULL * full + SPENT * (cells - full)


def progress_words(progress: Progress, width: int) -> str:
    """The line in about `width` cells; what it is about comes last."""
    cells = max(_LEAST_CELLS, min(_MOST_CELLS, width // 4))
    count = f"{bar(progress.over, progress.total, cells)} {progress.over} of {progress.total}"
    return " · ".join((count, *progress.notes, progress.title))
