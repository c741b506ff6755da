"""Retries of reads: when, and after which pause."""

import random

from linkdash.api.errors import (
    AnswerLost,
    RateLimited,
    ServiceError,
)

RETRIES = 2
"""The number of times a read that failed in passing is repeated."""

_RETRIED_STATUSES = frozenset({502, 503, 504})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds before a read is asked again; doubled each time
_LONGEST_TOLD = 30.0  # seconds: who waits longer is told so instead


def is_passing(error: ServiceError) -> bool:
    """Return whether what ended like this may well succeed when it is repeated."""
    return isinstance(error, AnswerLost | RateLimited) or error.status in _RETRIED_STATUSES


def pause(attempt: int, told: float | None = None) -> float | None:
    """Seconds before the next attempt: doubled each time, and spread so that programs do not come at once.

    Not before the seconds that the service has told; None where those are too many to wait for.
    """
    own = min(_FIRST_PAUSE * 2.0**attempt, _LONGEST_PAUSE) * random.uniform(0.5, 1.0)
    if told is not None and told > _LONGEST_TOLD:
        return None
    return max(own, told or 0.0)
