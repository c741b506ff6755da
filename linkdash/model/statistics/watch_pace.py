"""The pace at which a watched code is read, within the budget."""

from collections.abc import Iterable
from dataclasses import dataclass

SOONEST = 10.0
"""Seconds after which a code whose numbers change is read again at the earliest."""
LATEST = 300.0
"""Seconds after which a code is read again however long nothing has changed."""


@dataclass
class _Code:
    """The last read of a code, and the seconds it then rests."""

    read_at: float | None = None
    rest: float = SOONEST


class WatchPace:
    """The round of the codes; those that change come more often, those that stand still ever more seldom."""

    def __init__(self, code_ids: Iterable[int]) -> None:
        self._codes = {code_id: _Code() for code_id in code_ids}

    def due(self, now: float) -> int | None:
        """The code to read now, the one that waits longest; None while all of them rest."""
        code_id = min(self._codes, key=lambda code_id: self._due_at(code_id, now), default=None)
        return code_id if code_id is not None and self._due_at(code_id, now) <= now else None

    def wait(self, now: float) -> float:
        """Seconds until the next code is due."""
        return min((self.wait_of(code_id, now) for code_id in self._codes), default=0.0)

    def wait_of(self, code_id: int, now: float) -> float:
        """Seconds until this code is due."""
        return max(0.0, self._due_at(code_id, now) - now)

    def add(self, code_id: int) -> None:
        """Go to this code as well; it is due at once."""
        self._codes[code_id] = _Code()

    def remove(self, code_id: int) -> None:
        """Go to this code no more."""
        del self._codes[code_id]

    def note_read(self, code_id: int, now: float, *, changed: bool) -> None:
        """A code was read; where nothing changed, or nothing came, it rests twice as long as before."""
        code = self._codes.get(code_id)
        if code is None:  # removed while it was read
            return
        code.read_at = now
        code.rest = SOONEST if changed else min(LATEST, code.rest * 2)

    def hurry(self) -> None:
        """The user wants to know now: no code rests any more."""
        for code in self._codes.values():
            code.read_at = None

    def _due_at(self, code_id: int, now: float) -> float:
        code = self._codes[code_id]
        # Where the clock was set back, it is unknown how long a code has rested.
        if code.read_at is None or now < code.read_at:
            return float("-inf")
        return code.read_at + code.rest
