"""QR statistics grow with the clock and are the same for the same code and moment."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from linkdash.demo import statistics
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
    steps=st.lists(st.floats(0, 1e6), max_size=5),
)
def test_numbers_never_fall_and_breakdowns_never_exceed_the_clicks(
    code_id: int, start: float, steps: list[float]
) -> None:
    code = statistics.profile(1, code_id)
    last: dict[str, int] = {}
    for step in (0.0, *steps):
        start += step
        data: Any = statistics.statistics(code, start)
        now = numbers(data)
        assert all(now[name] >= count for name, count in last.items())
        assert 0 <= now["uniqueClicks"] <= now["clicks"]
        assert 0 <= statistics.scans(code, start) <= now["clicks"]
        for name in ("topCountries", "topReferrers", "topBrowsers", "topOs"):
            assert sum(int(count) for count in dict(data[name]).values()) <= now["clicks"]
        last = now
