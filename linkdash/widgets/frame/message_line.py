"""The message line, and the messages that are kept to be read again."""

import enum
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

from textual.content import Content

from linkdash.model.humanize import ATTENTION
from linkdash.widgets.styled_text import (
    STYLES,
    DrawnLines,
    Lines,
    Piece,
    Said,
    Tone,
    apart,
    cells,
    content,
    fitted,
)

MESSAGES_KEPT = 200
"""Messages that are kept; the oldest go first."""
READ_WITHIN = 1.0
"""Seconds after which whoever goes on has seen a message."""


class MessageKind(enum.Enum):
    """The kind of a message: its sign, its tone, and for how many seconds it is shown."""

    SUCCESS = ("✓", Tone.GOOD, 6.0)
    NOTE = ("·", Tone.MUTED, 6.0)
    WARNING = (ATTENTION, Tone.WARNING, 12.0)
    ERROR = ("✗", Tone.BAD, None)

    def __init__(self, sign: str, tone: Tone, seconds: float | None) -> None:
        self.sign, self.tone, self.seconds = sign, tone, seconds


@dataclass(frozen=True)
class Message:
    """Something that happened, and what to do next."""

    kind: MessageKind
    what: str
    next_step: str = ""
    at: datetime | None = None
    times: int = 1
    """The number of times it was said one after another."""

    @classmethod
    def titled(cls, kind: MessageKind, text: str, title: str) -> Self:
        """Make a message of a text with a title: what happened is the title, where there is one."""
        return cls(kind, title or text, text if title else "")

    @property
    def stays(self) -> bool:
        """Return whether it is shown until it is dismissed; others go by themselves."""
        return self.kind.seconds is None

    def says_the_same(self, other: "Message") -> bool:
        """Return whether another message has the same words."""
        return (self.kind, self.what, self.next_step) == (other.kind, other.what, other.next_step)

    @property
    def sentence(self) -> str:
        """Return what happened, with how often where that was more than once."""
        return self.what if self.times == 1 else f"{self.what} ({self.times} times)"


class Messages:
    """The messages of a session, the latest last. Pure: it is told the time, in monotonic seconds."""

    def __init__(self) -> None:
        self._kept: deque[Message] = deque(maxlen=MESSAGES_KEPT)
        self._said_at = 0.0
        self._steps_since = 0
        """How often the user went on since then."""
        self._shown_until: float | None = None
        self._is_shown = False

    @property
    def kept(self) -> Sequence[Message]:
        """All of them, the oldest first."""
        return tuple(self._kept)

    def say(self, message: Message, now: float) -> None:
        """Show a message; one that says the same as the last is counted with it.

        Not where the user did something else in between, unless the last stayed all the time.
        """
        last = self._kept[-1] if self._kept else None
        if last and last.says_the_same(message) and (last.stays or self._steps_since <= 1):
            self._kept[-1] = replace(message, times=last.times + 1)
        else:
            self._kept.append(message)
        seconds = message.kind.seconds
        self._said_at, self._steps_since = now, 0
        self._shown_until = None if seconds is None else now + seconds
        self._is_shown = True

    def shown(self, now: float) -> Message | None:
        """The message that is to be seen at the moment."""
        if self._shown_until is not None and now >= self._shown_until:
            self._is_shown = False
        return self._kept[-1] if self._is_shown and self._kept else None

    def go_on(self, now: float) -> None:
        """Another screen comes: a message that goes by itself and could be read is of the one before."""
        self._steps_since += 1
        if self._shown_until is not None and now - self._said_at >= READ_WITHIN:
            self._is_shown = False

    def dismiss(self) -> None:
        """Take the message away; it stays in the list."""
        self._is_shown = False


KeyLabel = tuple[str, str]
"""A key as it is named, and what it does."""


class MessageLine(DrawnLines):
    """A line in the key line's row while there is something to say, which lets the keys be seen otherwise.

    `keys` are those named at its right, by whether the message stays until it is dismissed; `whole` is
    the one that shows a message whole, for one that is longer than the line.
    """

    ticks = True

    def __init__(
        self,
        messages: Messages,
        clock: Callable[[], float],
        keys: Callable[[bool], Sequence[KeyLabel]],
        whole: Callable[[], Sequence[KeyLabel]],
    ) -> None:
        super().__init__()
        self._messages = messages
        self._clock = clock
        self._keys = keys
        self._whole = whole

    def update_lines(self) -> None:
        """Show the message there is, or take the line away."""
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
        """Return what is to be seen."""
        return self._messages.shown(self._clock())

    def _drawn(self, said: Said) -> Content:
        message = self._message
        if message is None:
            return Content("")
        badge = Content.styled(f" {message.kind.sign} ", f"bold $onfill on {STYLES[message.kind.tone]}")
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
        if cells(said) > width:
            whole = _named(self._whole())
            return [[*fitted(said, width - cells(whole)), *whole]]
        return [apart(said, _named(self._keys(message.stays)), width)]


def _named(keys: Sequence[KeyLabel]) -> list[Piece]:
    """The keys with what they do."""
    return [
        piece
        for key, label in keys
        for piece in (Piece(f" {key}", Tone.KEY), Piece(f" {label} ", Tone.MUTED))
    ]
