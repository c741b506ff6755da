"""The requests of a key that were answered last: those that may still count in its window."""

from collections import deque
from dataclasses import dataclass, field
from math import inf

_KEPT = 200


@dataclass(slots=True)
class AnswerLog:
    """The moments of sending and answer of the last requests, by answer, in monotonic seconds."""

    entries: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def add(self, sent: float, answered: float) -> None:
        """Note a request that was answered, or will not be."""
        self.entries.append((sent, answered))

    def remembers(self, moment: float) -> bool:
        """Return whether every request that was sent since a moment is in the log."""
        return len(self.entries) < _KEPT or self.entries[0][0] < moment

    def sent_since(self, moment: float) -> int:
        """Return how many were sent since a moment."""
        return sum(sent >= moment for sent, _ in self.entries)

    def sent_within(self, seconds: float) -> int:
        """Return how many were sent within so many seconds before the last one was, it included."""
        return self.sent_since(self.entries[-1][0] - seconds) if self.entries else 0

    def may_count(self, seconds: float) -> int:
        """Return how many may have counted, at the last answer, in a window of so many seconds."""
        return sum(answered > self.entries[-1][0] - seconds for _, answered in self.entries)

    def answered_at(self, number: int, *, of_last: int) -> float | None:
        """The moment at which one of the last so many was answered, the first of them being number 1."""
        last = list(self.entries)[-of_last:] if of_last else []
        return last[number - 1][1] if number <= len(last) else None

    def answered_before(self, last: int) -> float | None:
        """The moment by which all but the `last` ones had been answered; None if that is forgotten."""
        if last < len(self.entries):
            return self.entries[-last - 1][1]
        return None if len(self.entries) == _KEPT else -inf

    def leaving(self, learned_at: float, seconds: float) -> list[float]:
        """The moments at which those that a sliding window counted at an answer leave it."""
        return [answered + seconds for sent, answered in self.entries if sent > learned_at - seconds]
