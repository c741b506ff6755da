"""Others on the same key: what they spend, seen by what is used beyond our own requests."""

from dataclasses import dataclass

_SMOOTHING = 0.2  # the weight of the newest measurement


@dataclass(slots=True)
class OtherSpenders:
    """The evidence of others on the key. Moments are monotonic seconds."""

    rate: float = 0.0
    """Requests a second that they spend."""
    since: float | None = None
    """When the first answer came: who used what was used before that cannot be told."""
    seen_at: float = 0.0
    """When more had been used than our own requests explain."""

    def watch(self, now: float) -> None:
        """Begin with the first answer."""
        self.since = now if self.since is None else self.since

    def watched_since(self, moment: float) -> bool:
        """Return whether all that was used since a moment was used while we watched."""
        return self.since is not None and moment > self.since

    def unseen_for(self, now: float) -> float:
        """Seconds for which our own requests have explained all that was used."""
        return 0.0 if self.since is None else now - max(self.seen_at, self.since)

    def measure(self, spent: int, seconds: float) -> None:
        """Learn that they spent so many requests in so many seconds."""
        self.rate += _SMOOTHING * (spent / seconds - self.rate)
