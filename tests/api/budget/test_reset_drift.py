"""A reset that runs away, and those that only seem to. Pure."""

from linkdash.api.budget.reset_drift import ResetDrift


def test_a_reset_runs_away_when_it_is_told_later_each_time_and_beyond_what_fills_a_bucket() -> None:
    drift = ResetDrift()
    for second in range(0, 60, 5):
        drift.look(reset=second + 30.0, full_at=0.0, now=float(second))
    assert drift.is_sure
    drift.look(reset=90.0, full_at=0.0, now=60.0)
    drift.look(reset=90.0, full_at=0.0, now=65.0)
    assert not drift.is_sure, "one that stands is none"


def test_what_is_told_within_a_second_or_two_is_no_running_away() -> None:
    drift = ResetDrift()
    for number in range(8):
        drift.look(reset=130.0 + number, full_at=0.0, now=100.0 + number / 2)
    assert not drift.is_sure


def test_a_bucket_that_tells_when_it_is_full_does_not_run_away() -> None:
    drift = ResetDrift()
    for second in range(0, 60, 5):
        drift.look(reset=second + 30.0, full_at=second + 30.0, now=float(second))
    assert not drift.is_sure
