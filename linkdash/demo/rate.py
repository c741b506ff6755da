"""The request rate of a key: a fixed window that opens with the first request in it (reference: Limits)."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Allowance:
    """What one request found: whether it may pass, and what its answer tells about the window."""

    refused: bool
    limit: int
    remaining: int
    seconds_left: float
    resets_at: float
    """Epoch seconds."""

    def headers(self) -> dict[str, str]:
        """The three documented headers, and Retry-After on a refusal. Both times are rounded up."""
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(math.ceil(self.resets_at)),
        }
        if self.refused:
            headers["Retry-After"] = str(max(1, math.ceil(self.seconds_left)))
        return headers


class RateLimit:
    """Counts the requests of each key in its window."""

    def __init__(self, limit: int, window: float) -> None:
        self.limit = limit
        self.window = window
        self._windows: dict[int | None, tuple[float, int]] = {}

    def take(self, key: int | None, now: float) -> Allowance:
        """Ask for one request of `key`: a user's id, or None for all requests without a valid key."""
        opened, used = self._windows.get(key, (now, 0))
        if not opened <= now < opened + self.window:
            opened, used = now, 0
        used += 1
        self._windows[key] = opened, used
        remaining, resets_at = self.limit - used, opened + self.window
        return Allowance(remaining < 0, self.limit, max(0, remaining), resets_at - now, resets_at)
