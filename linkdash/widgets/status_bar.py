"""The lines at the bottom: the request budget, always in sight, and how far a bulk job is."""

from collections.abc import Callable

from rich.text import Text
from textual.widgets import Static

from linkdash.api.budget import BudgetState
from linkdash.model.steps import Progress

FULL, SPENT = "▮", "▯"
_WIDEST_BAR = 30
_LOW = 0.25  # of the limit


class StatusBar(Static):
    """Counts down by itself, from what is known here: it never asks the service for anything.

    `state` gives the budget at this moment. Without colour the words and the bar say the same.
    """

    def __init__(self, state: Callable[[], BudgetState]) -> None:
        super().__init__(markup=False)
        self._state = state

    def on_mount(self) -> None:
        self.update_budget()
        self.set_interval(1.0, self.update_budget)

    def on_resize(self) -> None:
        self.update_budget()

    def update_budget(self) -> None:
        """Says the budget as it is now."""
        state = self._state()
        self.set_class(bool(state.paused_for or state.reason), "-waiting")
        self.set_class(_is_low(state), "-low")
        line = Text(words(state, self.size.width), no_wrap=True, overflow="ellipsis")
        self.update(line, layout=False)  # one line is one line: nothing moves, every second


def words(state: BudgetState, width: int) -> str:
    """The budget in one line of `width` cells; what is waited for, and why, is the last to give way."""
    left, reset, under_way = _left(state), _reset(state), _under_way(state)
    lines = (
        (f"{_bar(state)} {left}".strip(), reset, under_way),
        (left, reset, under_way),
        (left, under_way),
        (_fraction(state), under_way or left),
    )
    joined = [" · ".join(part for part in parts if part) for parts in lines]
    return next((line for line in joined if len(line) <= width), joined[-1])


def _left(state: BudgetState) -> str:
    if state.remaining is None or not state.limit:
        return "budget unknown until the first answer"
    about = "about " if state.estimated else ""
    return f"{about}{state.remaining} of {state.limit} requests left"


def _fraction(state: BudgetState) -> str:
    return f"{state.remaining}/{state.limit}" if state.remaining is not None and state.limit else ""


def _bar(state: BudgetState) -> str:
    if state.remaining is None or not state.limit:
        return ""
    cells = min(state.limit, _WIDEST_BAR)
    full = round(cells * state.remaining / state.limit)
    return FULL * full + SPENT * (cells - full)


def _reset(state: BudgetState) -> str:
    if state.renewed:
        return "a new window has begun"
    return f"full again in {state.reset_in:.0f} s" if state.reset_in is not None else ""


def _under_way(state: BudgetState) -> str:
    return state.queue or (f"{state.in_flight} on the way" if state.in_flight else "")


def _is_low(state: BudgetState) -> bool:
    return state.limit is not None and state.remaining is not None and state.remaining < state.limit * _LOW


FULL, EMPTY = "▮", "▯"
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
        return (FULL if total and over >= total else EMPTY) * cells
    full = max(1, min(cells - 1, round(cells * over / total)))
    return FULL * full + EMPTY * (cells - full)


def progress_words(progress: Progress, width: int) -> str:
    """The line in about `width` cells; what it is about comes last."""
    cells = max(_LEAST_CELLS, min(_MOST_CELLS, width // 4))
    count = f"{bar(progress.over, progress.total, cells)} {progress.over} of {progress.total}"
    return " · ".join((count, *progress.notes, progress.title))
