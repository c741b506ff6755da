"""Answers as readings: what was not said is missing, what was said as nothing is zero."""

from datetime import UTC, datetime

import pytest

from linkdash.api.resources.qr import read_reading
from linkdash.model.statistics.readings import BREAKDOWN_TITLES, has_statistics, ratio, reading_of
from linkdash.store.reading import Reading

NOON = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)
DETAILS = {"id": 3, "name": "Table 4", "link": "https://go.example/3", "scans": "1,234", "date": None}


def read(data: object, details: object = DETAILS) -> Reading | None:
    return reading_of(read_reading({"error": 0, "details": details, "data": data}, 3), NOON)


def test_a_full_answer() -> None:
    data = {
        "clicks": 20,
        "uniqueClicks": "7",
        "topCountries": {"Brazil": "12", "": "3"},
        "topReferrers": {"Direct": "20"},
        "topBrowsers": {},
        "topOs": [],
        "socialCount": {"facebook": 0, "twitter": 2, "instagram": 1},
    }
    snapshot = read(data)
    assert snapshot == Reading(
        NOON.replace(microsecond=0),
        clicks=20,
        unique=7,
        scans=1234,
        breakdowns={
            "countries": {"Brazil": 12, "": 3},
            "referrers": {"Direct": 20},
            "browsers": {},
            "systems": {},
            "social": {"facebook": 0, "twitter": 2, "instagram": 1},
        },
    )
    assert list(snapshot.breakdowns) == list(BREAKDOWN_TITLES)
    assert has_statistics(snapshot)


@pytest.mark.parametrize("said", [{}, {"topCountries": None}, {"topCountries": ""}, {"topCountries": "many"}])
def test_a_breakdown_that_was_not_told_is_missing_and_one_that_is_empty_is_not(said: object) -> None:
    snapshot = read({"clicks": 5, "topOs": [], **said})  # type: ignore[dict-item]
    assert snapshot is not None
    assert dict(snapshot.breakdowns) == {"systems": {}}
    assert (snapshot.clicks, snapshot.unique) == (5, None)


@pytest.mark.parametrize("data", [[], {}, None, "", {"clicks": None, "topOs": ""}])
def test_no_statistics_is_not_zero(data: object) -> None:
    snapshot = read(data)
    assert snapshot == Reading(NOON.replace(microsecond=0), scans=1234)
    assert not has_statistics(snapshot)


def test_an_answer_without_any_number_is_no_reading() -> None:
    assert read([], {**DETAILS, "scans": None}) is None
    assert not has_statistics(None)


def test_an_unreadable_code_still_has_statistics() -> None:
    snapshot = read({"clicks": 4}, None)
    assert snapshot is not None
    assert (snapshot.clicks, snapshot.scans) == (4, None)


def test_a_ratio_needs_both_numbers_and_a_whole() -> None:
    assert ratio(3, 4) == 0.75
    assert ratio(0, 4) == 0
    assert [ratio(None, 4), ratio(3, None), ratio(0, 0)] == [None, None, None]
