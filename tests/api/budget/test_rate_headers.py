"""The three rate headers in the spellings of services, and in no spelling at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.budget.rate_headers import (
    LONGEST_PAUSE,
    LONGEST_RESET,
    RateHeaders,
    ResetSpelling,
    ServiceClock,
    parse_rate_headers,
)

DATE = "Tue, 14 Nov 2023 22:13:20 GMT"
ANSWERED = 1_700_000_000


def parse(**found: str) -> RateHeaders:
    names = {"reset": "X-RateLimit-Reset", "limit": "X-RateLimit-Limit", "remaining": "X-RateLimit-Remaining"}
    return parse_rate_headers({names.get(name, name.replace("_", "-")): text for name, text in found.items()})


@pytest.mark.parametrize(
    ("reset", "spelling", "seconds"),
    [
        ("41", ResetSpelling.SECONDS_LEFT, 41),
        ("0.5", ResetSpelling.SECONDS_LEFT, 0.5),
        ("18.66566666666667", ResetSpelling.SECONDS_LEFT, 18.66566666666667),
        ("-3", ResetSpelling.SECONDS_LEFT, 0),
        ("-6", ResetSpelling.SECONDS_LEFT, None),
        ("66", ResetSpelling.SECONDS_LEFT, None),
        (str(ANSWERED + 41), ResetSpelling.EPOCH_SECONDS, 41),
        (str(ANSWERED - 4), ResetSpelling.EPOCH_SECONDS, 0),
        (str(ANSWERED + 3_600), ResetSpelling.EPOCH_SECONDS, None),
        (str((ANSWERED + 41) * 1000 + 500), ResetSpelling.EPOCH_MILLISECONDS, 41.5),
        ("2023-11-14 22:14:01", ResetSpelling.DATE_TIME_NO_ZONE, 41),
        ("2023-11-15 03:59:01", ResetSpelling.DATE_TIME_NO_ZONE, 41),
        ("2023-11-14T18:44:01", ResetSpelling.DATE_TIME_NO_ZONE, 41),
        ("2023-11-14 22:13:17", ResetSpelling.DATE_TIME_NO_ZONE, 0),
        ("2023-11-14T22:14:01Z", ResetSpelling.DATE_TIME, 41),
        ("2023-11-14T23:14:01+01:00", ResetSpelling.DATE_TIME, 41),
        ("Tue, 14 Nov 2023 22:14:01 GMT", ResetSpelling.DATE_TIME, 41),
        ("2023-11-14T23:14:01Z", ResetSpelling.DATE_TIME, None),
        ("700", ResetSpelling.SECONDS_LEFT, None),
        ("3606", ResetSpelling.UNKNOWN, None),
        ("9" * 15, ResetSpelling.UNKNOWN, None),
        ("soon", ResetSpelling.UNKNOWN, None),
        ("2023-13-45 99:00:00", ResetSpelling.UNKNOWN, None),
        ("", ResetSpelling.MISSING, None),
    ],
)
def test_the_reset_is_told_by_its_magnitude_and_compared_with_the_date(
    reset: str, spelling: ResetSpelling, seconds: float | None
) -> None:
    rate = parse(reset=reset, Date=DATE)
    assert rate.spelling is spelling
    assert rate.reset_in == seconds


@pytest.mark.parametrize(
    "reset", [str(ANSWERED + 41), "2023-11-14 22:14:01", "Tue, 14 Nov 2023 22:14:01 GMT"]
)
def test_without_a_date_a_moment_says_nothing(reset: str) -> None:
    assert parse(reset=reset).reset_in is None


def test_a_moment_orders_answers_where_no_date_tells_how_far_it_is() -> None:
    assert parse(reset=str(ANSWERED + 41)).resets_at == ANSWERED + 41
    too_far = parse(reset=str(ANSWERED + 3_600), Date=DATE)
    assert (too_far.reset_in, too_far.resets_at) == (None, None)


def test_seconds_left_need_no_date() -> None:
    assert parse(reset="41").reset_in == 41


def test_every_spelling_orders_answers_by_the_clock_of_the_service() -> None:
    spellings = (
        "41",
        str(ANSWERED + 41),
        str((ANSWERED + 41) * 1000),
        "2023-11-15 03:59:01",
        "2023-11-14T22:14:01Z",
    )
    assert {parse(reset=reset, Date=DATE).resets_at for reset in spellings} == {ANSWERED + 41}


def test_a_longer_reset_is_believed_once_a_refusal_has_proved_it() -> None:
    found = {"X-RateLimit-Reset": "300"}
    assert parse_rate_headers(found).reset_in is None
    assert parse_rate_headers(found, longest=305).reset_in == 300


@pytest.mark.parametrize(
    ("limit", "remaining", "expected"),
    [
        ("30", "29", (30, 29)),
        ("30", "30", (30, 30)),
        ("30", "0", (30, 0)),
        ("30.0", " 7 ", (30, 7)),
        ("30, 30;w=60", "7, 7", (30, 7)),
        ("30", "-1", (30, 0)),
        ("30", "31", (None, 31)),
        ("0", "7", (None, 7)),
        ("0", "0", (None, None)),
        ("", "7", (None, 7)),
        ("30", "seven", (30, None)),
        ("1e3", "0x7", (None, None)),
        ("३०", "२", (None, None)),
    ],
)
def test_counts(limit: str, remaining: str, expected: tuple[int | None, int | None]) -> None:
    rate = parse(limit=limit, remaining=remaining)
    assert (rate.limit, rate.remaining) == expected


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12", 12),
        ("0", 0),
        ("Tue, 14 Nov 2023 22:13:15 GMT", 0),
        ("Tue, 14 Nov 2023 22:13:32 GMT", 12),
        ("Tue, 14 Nov 2023 22:13:00 GMT", None),
        ("86400", None),
        ("1e9", None),
        ("3600", LONGEST_PAUSE),
        ("later", None),
        ("-60", None),
    ],
)
def test_retry_after(text: str, seconds: float | None) -> None:
    assert parse(Retry_After=text, Date=DATE).retry_after == seconds


def test_names_are_read_in_any_case() -> None:
    assert parse_rate_headers({"x-ratelimit-LIMIT": "30", "X-RATELIMIT-remaining": "7"}).remaining == 7


dates = st.datetimes().map(str) | st.datetimes().map(lambda moment: f"{moment:%a, %d %b %Y %H:%M:%S GMT}")


@given(
    st.dictionaries(
        st.sampled_from(
            ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "Date")
        ),
        st.text() | dates | st.integers().map(str) | st.floats().map(str),
    )
)
def test_no_header_raises_and_none_is_believed_too_far(found: dict[str, str]) -> None:
    rate = parse_rate_headers(found)
    assert rate.reset_in is None or 0 <= rate.reset_in <= LONGEST_RESET
    assert rate.retry_after is None or 0 <= rate.retry_after <= LONGEST_PAUSE
    assert rate.remaining is None or rate.remaining >= 0
    assert rate.limit is None or rate.limit > 0
    assert rate.limit is None or rate.remaining is None or rate.remaining <= rate.limit


def test_a_clock_of_this_machine_that_cannot_be_right_is_not_believed() -> None:
    clock = ServiceClock()
    clock.learn(reset=1_000_060.0, sent=0.0, answered=0.5, longest=65.0)
    assert clock.ahead(1_000_000.0) == 1_000_000.0
    assert clock.ahead(1_000_061.0) == 1_000_061.0, "told in whole seconds, it is up to one later"
    assert clock.ahead(1_003_600.0) == clock.ahead(900_000.0) == 1_000_060.0 - 0.5 - 65.0


def test_without_a_date_this_machines_clock_leads_to_a_told_moment_unless_it_cannot_be_right() -> None:
    now, ahead = 100.0, 1_700_000_000.0
    found = {"X-RateLimit-Remaining": "7", "X-RateLimit-Reset": str(1_700_000_141)}
    assert ServiceClock().read(found, now - 0.5, now, ahead, LONGEST_RESET).reset_in == 41.0
    hour_off = ServiceClock().read(found, now - 0.5, now, ahead - 3600.0, LONGEST_RESET)
    assert hour_off.reset_in == LONGEST_RESET
    dated = found | {"Date": "Tue, 14 Nov 2023 22:15:00 GMT"}
    assert ServiceClock().read(dated, now - 0.5, now, ahead - 3600.0, LONGEST_RESET).reset_in == 41.0
