"""The lines at the bottom: the request budget, always in sight; how far long work is; and what happened."""

import enum
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text
from textual.content import Content
from textual.widgets import Static

from linkdash.widgets.pictures import gauge, level
from linkdash.widgets.pieces import DrawnLines, Lines, Piece, Tone, apart, cells, content

if TYPE_CHECKING:  # the first paint does not wait for them
    from linkdash.api.budget import BudgetState
    from linkdash.model.rows import Progress

# ---- the request budget ----

DIVIDER = " │ "


class Facts(NamedTuple):
    """What else the bar says, at its right end."""

    saved: str = ""
    """`all saved`, `not saved: Pixels`: whether something that was typed or changed is still here alone.

    The part before the colon is said where there is little room.
    """
    is_saved: bool = True
    age: str = ""
    """How old what is on the screen is: `as of 14 min ago`."""
    warning: str = ""
    """What is amiss with what is kept; the part before the colon is said where there is little room."""


class BudgetBar(DrawnLines):
    """Counts down by itself, from what is known here: it never asks the service for anything."""

    ticks = True

    def __init__(self, state: "Callable[[], BudgetState]", facts: Callable[[], Facts] = Facts) -> None:
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


def fitting_budget(state: "BudgetState", width: int, *, counts_down: bool = True) -> list[Piece]:
    """The budget in at most `width` cells; what is waited for, and why, is the last to give way.

    Unless it `counts_down`, no seconds are told.
    """
    left, word, waiting = _budget_left(state), _budget_word(state), _budget_waiting(state)
    reset = _budget_reset(state) if counts_down else []
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
    if state.renewed:
        return [Piece("a new window has begun", Tone.MUTED)]
    return [Piece(f"full in {state.reset_in:.0f} s", Tone.MUTED)] if state.reset_in is not None else []


def _budget_waiting(state: "BudgetState") -> list[Piece]:
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
        if not facts.is_saved:
            short = facts._replace(saved=facts.saved.partition(":")[0])
            yield _facts(short)
            yield _facts(short._replace(age=""))
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

    def show(self, progress: "Progress | None") -> None:
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


def progress_bar(over: int, total: int, room: int) -> str:
    """A bar of so many cells; it is full only when all is over, and empty only when nothing is."""
    if not 0 < over < total:
        return (FULL if total and over >= total else SPENT) * room
    full = max(1, min(room - 1, round(room * over / total)))
    return FULL * full + SPENT * (room - full)


def progress_words(progress: "Progress", width: int) -> str:
    """The line in about `width` cells; what it is about comes last."""
    room = max(_LEAST_CELLS, min(_MOST_CELLS, width // 4))
    count = f"{progress_bar(progress.over, progress.total, room)} {progress.over} of {progress.total}"
    return " · ".join((count, *progress.notes, progress.title))


# ---- what happened, in one line and kept to be read again; it never lies over a control ----

MESSAGES_KEPT = 200
"""Messages that are kept; the oldest go first."""
READ_WITHIN = 1.0
"""Seconds after which whoever goes on has seen a message."""


class Kind(enum.Enum):
    """What a message is: its sign, its tone, and for how many seconds it is shown."""

    SUCCESS = ("✓", Tone.GOOD, 6.0)
    NOTE = ("·", Tone.MUTED, 6.0)
    WARNING = ("▲", Tone.WARNING, 12.0)
    ERROR = ("✗", Tone.BAD, None)

    def __init__(self, sign: str, tone: Tone, seconds: float | None) -> None:
        self.sign, self.tone, self.seconds = sign, tone, seconds


@dataclass(frozen=True)
class Message:
    """Something that happened, and what to do next."""

    kind: Kind
    what: str
    next_step: str = ""
    at: datetime | None = None
    times: int = 1
    """How often it was said one after another."""

    @property
    def stays(self) -> bool:
        """Whether it is shown until it is dismissed; others go by themselves."""
        return self.kind.seconds is None

    @property
    def sentence(self) -> str:
        """What happened, with how often where that was more than once."""
        return self.what if self.times == 1 else f"{self.what} ({self.times} times)"


class Messages:
    """The messages of a session, the latest last. Pure: it is told the time, in monotonic seconds."""

    def __init__(self) -> None:
        self._kept: deque[Message] = deque(maxlen=MESSAGES_KEPT)
        self._said_at = 0.0
        self._shown_until: float | None = None
        self._is_shown = False

    @property
    def kept(self) -> Sequence[Message]:
        """All of them, the oldest first."""
        return tuple(self._kept)

    def say(self, message: Message, now: float) -> None:
        """Shows a message; one that says the same as the last is counted with it."""
        last = self._kept[-1] if self._kept else None
        if last and (last.kind, last.what, last.next_step) == (message.kind, message.what, message.next_step):
            self._kept[-1] = replace(message, times=last.times + 1)
        else:
            self._kept.append(message)
        seconds = message.kind.seconds
        self._said_at = now
        self._shown_until = None if seconds is None else now + seconds
        self._is_shown = True

    def shown(self, now: float) -> Message | None:
        """The message that is to be seen at the moment."""
        if self._shown_until is not None and now >= self._shown_until:
            self._is_shown = False
        return self._kept[-1] if self._is_shown and self._kept else None

    def go_on(self, now: float) -> None:
        """Another screen comes: a message that goes by itself and could be read is of the one before."""
        if self._shown_until is not None and now - self._said_at >= READ_WITHIN:
            self._is_shown = False

    def dismiss(self) -> None:
        """Takes the message away; it stays in the list."""
        self._is_shown = False


class MessageLine(DrawnLines):
    """Lies in the key line's row while there is something to say, and lets the keys be seen otherwise.

    `keys` are what is pressed for the list of all messages and to dismiss one that stays, as they are named
    now.
    """

    ticks = True

    def __init__(
        self, messages: Messages, clock: Callable[[], float], keys: Callable[[], tuple[str, str]]
    ) -> None:
        super().__init__()
        self._messages = messages
        self._clock = clock
        self._keys = keys

    def update_lines(self) -> None:
        """Shows the message there is, or takes the line away."""
        self.display = self._message is not None
        super().update_lines()

    def dismiss(self) -> bool:
        """A key was pressed: a message that stays was read. Whether one went away by that."""
        message = self._message
        if message is None or not message.stays:
            return False
        self._messages.dismiss()
        self.update_lines()
        return not self.display

    @property
    def _message(self) -> Message | None:
        """What is to be seen; for a screen reader the last message stays, in a line of its own."""
        if self.is_linear:
            return next(iter(self._messages.kept[-1:]), None)
        return self._messages.shown(self._clock())

    def _draw(self) -> Content:
        message = self._message
        if message is None:
            return Content("")
        color = {Tone.GOOD: "$success", Tone.WARNING: "$warning", Tone.BAD: "$error"}.get(
            message.kind.tone, "$muted"
        )
        badge = Content.styled(f" {message.kind.sign} ", f"bold $onfill on {color}")
        (rest,) = self.lines(max(0, self.size.width - badge.cell_length), 1)
        return Content.assemble(badge, content(rest))

    def lines(self, width: int, height: int) -> Lines:
        message = self._message
        if message is None:
            return [[]]
        said = [
            Piece(f" {message.sentence}", message.kind.tone, bold=True),
            Piece(f"  {message.next_step}", Tone.MUTED),
        ]
        every, away = self._keys()
        keys = [Piece(every, Tone.KEY), Piece(" all messages ", Tone.MUTED)]
        if message.stays and not self.is_linear:
            keys += [Piece(f" {away}", Tone.KEY), Piece(" dismiss ", Tone.MUTED)]
        return [apart(said, keys, width)]
