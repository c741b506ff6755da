"""QR statistics grow with the clock and are the same for the same code and moment."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from linkdash.demo import statistics
from linkdash.demo.past import Past, history
from tests.service.visitor import Clock, Visitor


def numbers(data: Any) -> dict[str, int]:
    flat = {"clicks": data["clicks"], "uniqueClicks": data["uniqueClicks"], **data["socialCount"]}
    for name in ("topCountries", "topReferrers", "topBrowsers", "topOs"):
        flat |= {f"{name}.{label}": int(count) for label, count in dict(data[name]).items()}
    return flat


def test_the_numbers_of_a_busy_code_change_between_two_looks(admin: Visitor, clock: Clock) -> None:
    before = admin.read("/api/qr/10")
    assert admin.read("/api/qr/10") == before
    clock.step(3600)
    after = admin.read("/api/qr/10")
    assert after["details"]["scans"] > before["details"]["scans"]
    old, new = numbers(before["data"]), numbers(after["data"])
    assert new["clicks"] > old["clicks"]
    assert all(new[name] >= count for name, count in old.items())


def test_a_code_made_now_starts_from_nothing_and_grows(admin: Visitor, clock: Clock) -> None:
    made = admin.write("POST", "/api/qr/add", {"type": "text", "data": "hello"})["id"]
    clock.step(30 * 86_400)
    assert admin.read(f"/api/qr/{made}")["data"]["clicks"] > 0


def test_a_silent_code_stays_silent(admin: Visitor, clock: Clock) -> None:
    clock.step(86_400 * 365)
    assert admin.read("/api/qr/7")["data"] == {}


def test_the_list_and_the_single_code_tell_the_same_scans(reader: Visitor) -> None:
    for listed in reader.read("/api/qr?limit=10")["data"]["qrs"]:
        assert reader.read(f"/api/qr/{listed['id']}")["details"] == listed


@given(
    code_id=st.integers(1, 10_000).filter(lambda number: number % 40 != 7),
    start=st.floats(-1000, 1e8),
    steps=st.lists(st.floats(0, 1e6) | st.floats(600, 7200), max_size=30),
)
def test_numbers_never_fall_and_breakdowns_never_exceed_the_clicks(
    code_id: int, start: float, steps: list[float]
) -> None:
    code, made = statistics.profile(1, code_id), 1_790_000_000.0
    created = made - 30 * statistics.DAY
    start += created
    last: dict[str, int] = {}
    for step in (0.0, *steps):
        start += step
        times = statistics.Times(created, made, start)
        data: Any = statistics.statistics(code, times)
        now = numbers(data)
        assert all(now[name] >= count for name, count in last.items())
        assert 0 <= now["uniqueClicks"] <= now["clicks"]
        assert 0 <= statistics.totals(code, times).scans <= now["clicks"]
        for name in ("topCountries", "topReferrers", "topBrowsers", "topOs"):
            labels = [f"{name}.{label}" for label in dict(data[name])]
            more = sum(now[label] - last.get(label, 0) for label in labels)
            assert more <= now["clicks"] - last.get("clicks", 0)
        last = now


# ---- the last weeks ----

MADE = 1_790_000_000.0
DAY = statistics.DAY


def weeks(remainder: int) -> tuple[list[Past], int, int]:
    """Return what was read of a busy code, and its scans in the week before the last one and in the last."""
    past = dict(history({80 + remainder: MADE - 200 * DAY}, 7, MADE, MADE))[80 + remainder]
    midnight = MADE // DAY * DAY
    at = {one.at: one.scans for one in past}
    before, turn, end = (at[midnight - days * DAY] for days in (14, 7, 0))
    return past, turn - before, end - turn


def test_one_code_fell_one_rose_and_one_went_silent_in_the_last_days() -> None:
    _, before, after = weeks(0)
    assert after < 0.3 * before
    _, before, after = weeks(20)
    assert after > 1.4 * before
    past, *_ = weeks(30)
    assert past[-1].scans == next(one.scans for one in past if one.at >= MADE // DAY * DAY - 3 * DAY)


def test_a_code_is_found_in_a_new_country() -> None:
    past, *_ = weeks(10)
    new = past[-1].breakdowns["countries"].keys() - past[0].breakdowns["countries"].keys()
    assert len(new) == 1


def test_what_was_read_is_what_the_service_tells_at_that_moment(admin: Visitor, clock: Clock) -> None:
    service = admin.read("/api/qr?limit=1")["data"]["qrs"][0]
    code_id = int(service["id"])
    created = datetime.strptime(service["date"], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
    made = clock()
    clock.now = made // DAY * DAY + DAY
    past = dict(history({code_id: created}, 7, made, clock()))[code_id]
    answer = admin.read(f"/api/qr/{code_id}")
    assert (past[-1].at, past[-1].scans) == (clock(), answer["details"]["scans"])
    assert past[-1].clicks in (None, answer["data"]["clicks"])


def test_a_weekend_has_fewer_scans_than_a_working_day() -> None:
    code = statistics.profile(7, 41)
    monday = 1_789_948_800.0  # 2026-09-21
    days = [
        statistics.totals(code, statistics.Times(0, MADE, monday + (day + 1) * DAY)).clicks
        - statistics.totals(code, statistics.Times(0, MADE, monday + day * DAY)).clicks
        for day in range(7)
    ]
    assert max(days[5:]) < 0.8 * min(days[:5])
