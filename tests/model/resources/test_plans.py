"""Tests of what a subscription makes of a user."""

from datetime import datetime

import pytest

from linkdash.api.resources.users import User
from linkdash.model.resources.plans import difference
from linkdash.store.journal_entry import WriteIntent

NOW = datetime(2026, 11, 28, 12, 0)


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ("2026-12-28 12:00:00", "Until: 2026-12-20 → 2026-12-28"),
        ("2026-12-20 18:00:00", "Until: 2026-12-20 → 2026-12-20, no day more"),
        ("2026-12-01 12:00:00", "Until: 2026-12-20 → 2026-12-01, 19 days less"),
    ],
)
def test_the_days_that_it_brings_or_takes_are_told(ends: str, told: str) -> None:
    user = User(id=1, planid=2, expires=datetime(2026, 12, 20, 9, 0))
    intent = WriteIntent("users", "subscribe", (1, 2), {"type": "monthly", "expiration": ends}, ("a", "Pro"))
    found = difference(intent, user, {}, NOW)
    assert found.lines[1] == told
    assert [*found.losses] == ([told] if "less" in told else [])
