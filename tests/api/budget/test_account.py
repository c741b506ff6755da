"""The account of a key as text: it comes through whole, on the reader's clock, and checked. Pure."""

import json
from dataclasses import replace

from linkdash.api.budget.account import BudgetAccount, Charge, decode, encode
from linkdash.api.budget.rate_headers import LONGEST_PAUSE

KNOWN = BudgetAccount(
    base=23,
    stamp=5,
    sent=9,
    in_flight={8: Charge(since=95.0, probe=True, least=21), 9: Charge(since=96.0, probe=False)},
    lost=[6, 7],
    limit=40,
    length=50.0,
    longest_reset=300.0,
    learned_at=98.5,
    resets_at=120.5,
    service_reset=1_700_000_123.0,
    is_told=False,
    trickles=True,
    silent=2,
    recent=[80.5, 91.0],
    paused_until=101.0,
    refusals=2,
    refused_stamp=4,
    caution=3,
    cautious_at=90.0,
    background_at=94.0,
)
"""What is known of a key, with nothing as it is at first."""


def test_what_is_known_comes_through_as_it_was() -> None:
    assert decode(encode(KNOWN, 100.0, 1_000.0), 100.0, 1_000.0) == KNOWN


def test_moments_come_onto_the_readers_clock_and_nothing_else_does() -> None:
    text = encode(KNOWN, 100.0, 1_000.0)
    there = decode(text, 40.0, 1_060.0)
    assert there is not None
    assert encode(there, 40.0, 1_060.0) == text
    assert (there.paused_until, there.resets_at, there.recent) == (41.0, 60.5, [20.5, 31.0])
    assert (there.base, there.length, there.service_reset) == (23, 50.0, 1_700_000_123.0)


def test_what_is_long_ago_is_not_taken_unless_its_pause_goes_on() -> None:
    text = encode(KNOWN, 100.0, 0.0)
    assert decode(text, 699.0, 0.0) == KNOWN
    assert decode(text, 701.0, 0.0) is None
    assert decode(encode(replace(KNOWN, paused_until=900.0), 100.0, 0.0), 701.0, 0.0) is not None


def test_a_clock_that_was_set_back_makes_nobody_wait_for_longer() -> None:
    text = encode(KNOWN, 100.0, 1_000.0)
    assert decode(text, 100.0, 1_000.0 - 3_600.0) == KNOWN, "as if it had been written just now"


def test_what_no_program_can_have_meant_is_bounded_or_not_read() -> None:
    found = json.loads(encode(KNOWN, 100.0, 0.0))
    far = {"at": 100.0, "account": found["account"] | {"paused_until": 1e12}}
    read = decode(json.dumps(far), 100.0, 0.0)
    assert read is not None
    assert read.paused_until == 100.0 + LONGEST_PAUSE + 120.0
    for name, odd in (("base", -1), ("sent", True), ("lost", {}), ("length", 1e9), ("version", 2)):
        spoilt = {"at": 100.0, "account": found["account"] | {name: odd}}
        assert decode(json.dumps(spoilt), 100.0, 0.0) is None, name
