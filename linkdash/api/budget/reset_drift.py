"""A told reset that runs away with the time, so that waiting for it would never end."""

from dataclasses import dataclass

ROUNDING = 2.0
"""Seconds: a told reset is off by less than this."""

_STEP = 4.0  # seconds between two looks
_STEPS = 3


@dataclass(slots=True)
class ResetDrift:
    """The judge of a reset: it runs away with the time, or stands. Moments are monotonic seconds."""

    reset: float = 0.0
    at: float = 0.0
    steps: int = 0

    @property
    def is_sure(self) -> bool:
        """Return whether the reset ran away several times in a row."""
        return self.steps >= _STEPS

    def look(self, reset: float, full_at: float, now: float) -> None:
        """Compare a reset with the one told some seconds before, unless that has passed.

        A bucket which refills steadily until `full_at` may well tell later and later moments, but none beyond
        that.
        """
        if now < self.reset:
            if now - self.at < _STEP:
                return
            if reset - self.reset < (now - self.at) / 2:
                self.steps = 0
            elif reset > full_at + ROUNDING:
                self.steps = min(self.steps + 1, _STEPS)
        self.reset, self.at = reset, now
