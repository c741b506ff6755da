"""The record of what requests were for."""

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.ledger import HOUR, Ledger, RequestOutcome, Sample, SentRequest, spending


def entry(
    ended: float,
    label: str = "domains",
    outcome: RequestOutcome = RequestOutcome.ANSWERED,
    waited: float = 0.0,
) -> SentRequest:
    sent = ended - 0.5
    return SentRequest(label, Lane.READ, sent - waited, sent, ended, outcome, 200)


def test_the_last_window_and_the_last_hour() -> None:
    ledger = Ledger()
    for ended in (0.0, 3_550.0, 3_599.0, 3_605.0):
        ledger.record(entry(ended))
    assert [found.ended_at for found in ledger.entries(3_605.0)] == [3_550.0, 3_599.0, 3_605.0]
    assert [found.ended_at for found in ledger.entries(3_605.0, 60.0)] == [3_550.0, 3_599.0, 3_605.0]
    assert [found.ended_at for found in ledger.entries(3_605.0, 50.0)] == [3_599.0, 3_605.0]


def test_spending_is_summed() -> None:
    ledger = Ledger()
    ledger.record(entry(1.0, "qr", RequestOutcome.REFUSED, waited=1.0))
    ledger.record(entry(2.0, "domains", waited=2.0))
    ledger.record(entry(3.0, "domains", RequestOutcome.LOST, waited=4.0))
    whole = spending(ledger.entries(5.0))
    assert (whole.requests, whole.lost, whole.refused) == (3, 1, 1)
    assert (whole.waited, whole.longest_wait) == (7.0, 4.0)


def test_samples_close_together_keep_the_lowest() -> None:
    ledger = Ledger()
    for at, remaining in ((0.0, 9), (0.5, 7), (1.0, 8), (5.0, 29)):
        ledger.sample(at, remaining, 30)
    assert ledger.samples(5.0) == (Sample(0.0, 7, 30), Sample(5.0, 29, 30))


def test_a_low_of_a_window_is_not_that_of_the_next() -> None:
    ledger = Ledger()
    ledger.sample(59.5, 2, 30, full_at=60.0)
    ledger.sample(60.5, 29, 30, full_at=120.0)
    assert [sample.remaining for sample in ledger.samples(61.0)] == [2, 29]


def test_memory_is_bounded_by_time_and_by_number() -> None:
    ledger = Ledger()
    for second in range(30_000):
        ledger.record(entry(second * 0.01))
        ledger.sample(second * 10.0, 1, 30)
    assert len(ledger.entries(300.0)) == 20_000
    assert len(ledger.samples(300_000.0)) == HOUR / 10
    ledger.record(entry(2 * HOUR))
    assert len(ledger.entries(2 * HOUR, seconds=2 * HOUR)) == 1
