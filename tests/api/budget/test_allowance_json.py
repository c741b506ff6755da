"""The knowledge of a key as text: it comes through whole, on the reader's clock, and checked. Pure."""

import json

from linkdash.api.budget.allowance import Allowance, Charge
from linkdash.api.budget.allowance_json import decode, encode
from linkdash.api.budget.limit_estimate import Estimate
from linkdash.api.budget.other_spenders import OtherSpenders
from linkdash.api.budget.rate_headers import LONGEST_PAUSE
from linkdash.api.budget.refill_rate import RefillRate
from linkdash.api.budget.reset_drift import ResetDrift
from linkdash.api.budget.window import BudgetWindow


def known_in_full() -> Allowance:
    """Return what is known of a key, with nothing as it is at first."""
    window = BudgetWindow(
        limit=40,
        used=7,
        most=33,
        length=50.0,
        renewal=120.5,
        told=True,
        trickles=True,
        early=True,
        learned_at=98.5,
        next_within=2.0,
        refill=RefillRate(at=90.0, remaining=11, answers=3, rate=0.5),
        drift=ResetDrift(reset=130.0, at=97.0, steps=2),
        others=OtherSpenders(rate=0.25, since=12.0, seen_at=30.25),
    )
    window.log.entries.extend([(80.0, 80.5), (90.0, 91.0)])
    return Allowance(
        base=23,
        stamp=5,
        sent=9,
        in_flight={8: Charge(since=95.0, probe=True, least=21), 9: Charge(since=96.0, probe=False)},
        lost=[6, 7],
        silent=2,
        estimate=Estimate(33, 45.0, 31.5, True, 700.0, 60.0, 55.0, True),
        window=window,
        longest_reset=300.0,
        resets_at=1_700_000_123.0,
        people=3.5,
        people_at=99.0,
        background_at=94.0,
        paused_until=101.0,
        refusals=2,
        refused_stamp=4,
    )


def test_what_is_known_comes_through_as_it_was() -> None:
    known = known_in_full()
    assert decode(encode(known, 100.0, 1_000.0), 100.0, 1_000.0) == known


def test_moments_come_onto_the_readers_clock_and_nothing_else_does() -> None:
    text = encode(known_in_full(), 100.0, 1_000.0)
    there = decode(text, 40.0, 1_060.0)
    assert there is not None
    assert encode(there, 40.0, 1_060.0) == text
    assert (there.paused_until, there.window.renewal, there.window.log.entries[0]) == (
        41.0,
        60.5,
        (20.0, 20.5),
    )
    assert (there.base, there.window.length, there.resets_at) == (23, 50.0, 1_700_000_123.0)


def test_of_what_is_long_ago_only_what_was_learned_of_the_service_remains() -> None:
    text = encode(known_in_full(), 100.0, 0.0)
    assert decode(text, 699.0, 0.0) == known_in_full()
    assert decode(text, 701.0, 0.0) == Allowance(estimate=known_in_full().estimate)


def test_a_clock_that_was_set_back_makes_nobody_wait_for_longer() -> None:
    text = encode(known_in_full(), 100.0, 1_000.0)
    there = decode(text, 100.0, 1_000.0 - 3_600.0)
    assert there == known_in_full(), "as if it had been written just now"


def test_what_no_program_can_have_meant_is_bounded_or_not_read() -> None:
    found = json.loads(encode(known_in_full(), 100.0, 0.0))
    found["estimate"] |= {"limit": 10_000, "seconds": 0.0, "ceiling": 1e9, "fixed_until": 1e12}
    read = decode(json.dumps(found), 100.0, 0.0)
    assert read is not None
    estimate = read.estimate
    assert (estimate.limit, estimate.seconds, estimate.ceiling) == (180, 1.0, 180.0)
    assert estimate.fixed_until == 100.0 + LONGEST_PAUSE + 120.0
    for name, odd in (
        ("base", -1),
        ("sent", True),
        ("told", 1),
        ("lost", {}),
        ("version", 2),
        ("foreign", "1"),
    ):
        assert decode(json.dumps(found | {name: odd}), 100.0, 0.0) is None, name
