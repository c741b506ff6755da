"""The pace at which a service gives requests back."""

from dataclasses import dataclass

SLOWEST = 0.001  # requests a second
_STRETCH = 8  # answers over which it is measured


@dataclass(slots=True)
class RefillRate:
    """The pace of a service that gives back steadily, measured by what is left over some answers."""

    at: float | None = None
    remaining: int = 0
    answers: int = 0
    rate: float | None = None
    """Requests a second that come back; None if not measured."""

    def look(self, remaining: int, size: int, now: float) -> None:
        """Look at what an answer says is left of `size`."""
        if self.at is None:
            self.at, self.remaining = now, remaining
            return
        self.answers += 1
        if self.answers < _STRETCH or now <= self.at:
            return
        rate = (remaining - self.remaining + self.answers) / (now - self.at)
        is_full = remaining + 1 >= size  # more may have come back than is seen
        if self.rate is None or (is_full and rate > self.rate):
            self.rate = max(rate, SLOWEST)
        elif not is_full:
            self.rate = max((self.rate + rate) / 2, SLOWEST)
        self.at, self.remaining, self.answers = now, remaining, 0
