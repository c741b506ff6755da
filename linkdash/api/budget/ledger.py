"""The ledger: which requests were sent in the last hour, by whom, and how they ended."""

from collections import deque
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from linkdash.api.budget.lanes import Lane

HOUR = 3600.0
_MAX_ENTRIES = 20_000
_MAX_SAMPLES = 1_800
_SAMPLE_EVERY = 2.0


class RequestOutcome(StrEnum):
    """The end of a request."""

    ANSWERED = "answered"
    REFUSED = "refused"
    LOST = "lost"


class SentRequest(NamedTuple):
    """A request that was sent, and is over. Moments are monotonic seconds of the gate's clock."""

    label: str
    lane: Lane
    queued_at: float
    sent_at: float
    ended_at: float
    outcome: RequestOutcome
    status: int | None = None
    """The HTTP status of the answer, if one came."""

    @property
    def waited(self) -> float:
        """Seconds in the queue."""
        return self.sent_at - self.queued_at


class Sample(NamedTuple):
    """The remaining requests at one moment."""

    at: float
    remaining: int
    limit: int | None
    full_at: float | None = None
    """The moment from which all of them are there again if nothing is sent; None if that is not known."""


class Spending(NamedTuple):
    """The sum over some entries."""

    requests: int
    refused: int
    lost: int
    waited: float
    """Seconds in the queue, all together."""
    longest_wait: float


class Ledger:
    """The requests and the remaining budget of the last hour."""

    def __init__(self) -> None:
        self._entries: deque[SentRequest] = deque(maxlen=_MAX_ENTRIES)
        self._samples: deque[Sample] = deque(maxlen=_MAX_SAMPLES)

    def record(self, entry: SentRequest) -> None:
        """Add a request which is over, and forget those which ended more than an hour before."""
        self._entries.append(entry)
        while self._entries[0].ended_at < entry.ended_at - HOUR:
            self._entries.popleft()

    def sample(self, at: float, remaining: int, limit: int | None, full_at: float | None = None) -> None:
        """Add what is left now. Of samples close together in a window the least is kept: no low is missed."""
        last = self._samples[-1] if self._samples else None
        if last and at - last.at < _SAMPLE_EVERY and (last.full_at is None or at < last.full_at):
            self._samples.pop()
            at, remaining = last.at, min(last.remaining, remaining)
        self._samples.append(Sample(at, remaining, limit, full_at))
        while self._samples[0].at < at - HOUR:
            self._samples.popleft()

    def entries(self, now: float, seconds: float = HOUR) -> tuple[SentRequest, ...]:
        """Return the requests which ended in the last `seconds`, oldest first."""
        return tuple(entry for entry in self._entries if entry.ended_at >= now - seconds)

    def samples(self, now: float) -> tuple[Sample, ...]:
        """Return what was left over the last hour, oldest first."""
        return tuple(sample for sample in self._samples if sample.at >= now - HOUR)


def spending(entries: Iterable[SentRequest]) -> Spending:
    """Sum entries up."""
    all_entries = tuple(entries)
    return Spending(
        requests=len(all_entries),
        refused=sum(entry.outcome is RequestOutcome.REFUSED for entry in all_entries),
        lost=sum(entry.outcome is RequestOutcome.LOST for entry in all_entries),
        waited=sum(entry.waited for entry in all_entries),
        longest_wait=max((entry.waited for entry in all_entries), default=0.0),
    )
