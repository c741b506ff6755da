"""The requests that were left over time, as the gate has noted them."""

from linkdash.api.budget.gate import Gate
from linkdash.widgets.charts.budget_history import LeftOverTime

DEFAULT_WINDOW = 60.0
"""Seconds of a window where the service has not told its length."""


def left_over_time(gate: Gate, seconds: float) -> LeftOverTime | None:
    """Return what was left in the last `seconds`; None where nothing is known.

    Among the samples are earlier ones: they tell what was left when those seconds began.
    """
    now, state = gate.now(), gate.state
    samples = gate.ledger.samples(now)
    limit = state.limit or max((sample.limit or sample.remaining for sample in samples), default=0)
    return LeftOverTime(samples, now, seconds, state.window or DEFAULT_WINDOW, limit) if samples else None
