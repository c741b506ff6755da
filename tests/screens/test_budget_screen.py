"""The budget screen: who asked, what it cost, how long it waited, what waits now. Looking costs nothing."""

import re
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.ledger import Ledger, RequestOutcome, Sample, SentRequest
from linkdash.api.budget.scheduler import Waiting
from linkdash.demo import DemoSettings
from linkdash.demo.server import Running
from linkdash.screens.budget import (
    BudgetScreen,
    by_purpose,
    by_request,
    row_of,
    sharing_words,
    waiting_rows,
)
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.widgets.charts.budget_history import (
    EIGHTHS,
    LeftOverTime,
    Spent,
    budget_rows,
    spending_rows,
)
from linkdash.widgets.styled_text import TickingLines, Tone, cells
from linkdash.widgets.table.record_table import RecordTable
from tests.conftest import RunApp, StartDemo
from tests.screens.driver import Driver
from tests.screens.places import ACCOUNT, place_of
from tests.waiting import resize, wait_until
from tests.widgets.sample import drawn

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def requests(driver: Driver) -> list[list[str]]:
    """The cells of the table's rows."""
    lines = drawn(driver.app.screen.query_one(RecordTable))[1:]
    return [[cell.strip() for cell in line[3:].split("  ") if cell.strip()] for line in lines if line.strip()]


def spent(driver: Driver) -> list[str]:
    """Return what was spent on what, without the head."""
    return [line.strip() for line in drawn(driver.app.screen.query_one("#spent").query_one(TickingLines))[1:]]


async def test_the_newest_request_stays_in_sight_until_the_cursor_goes_to_another(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(150, 30)) as driver:
        await driver.settled()
        await driver.press("b")
        table = driver.app.screen.query_one(RecordTable)
        await wait_until(lambda: len(table.rows) == 1)
        domains = driver.app.session.collection("domains")
        await domains.read(1)
        await wait_until(lambda: len(table.rows) == 2)
        assert table.cursor == 0
        await driver.press("j")
        chosen = table.cursor_key
        await domains.read(1)
        await wait_until(lambda: len(table.rows) == 3)
        assert table.cursor_key == chosen


async def test_it_shows_what_was_asked_and_what_waits(start_demo: StartDemo, run_app: RunApp) -> None:
    demo = start_demo(DemoSettings(rate=3, window=3600.0, clock=time.time))
    requested = (place_of("domains").request, place_of("splash").request, ACCOUNT)
    domains, splash, account = (request.replace("/api", "") for request in requested)
    async with run_app(demo, size=(150, 30)) as driver:
        await driver.go("domains")
        await driver.go("splash")
        await driver.press("r", "b")
        assert isinstance(driver.app.screen, BudgetScreen)
        await driver.wait_for("waiting")
        waiting, *sent = requests(driver)
        assert waiting == ["waiting", splash, "next", "what you open", waiting[4], "–"]
        assert [row[1] for row in sent] == [splash, domains, account], "the newest first"
        assert {(row[2], row[3]) for row in sent} == {("answered 200", "what you open")}
        assert "0 of 3 left" in driver.text
        assert "3 in 10 minutes · 0 refused" in driver.text
        assert f"1 ■ {splash}" in driver.text, "what waits, in the order it goes"
        assert driver.text.count("1 request waits: next in ") == 1, "in the status bar"
        assert "Left, last 10 minutes   █ enough" in driver.text
        assert "10 min ago" in driver.text, "with the columns above it"

        assert spent(driver)[1].split()[:3] == ["■", "what", "you"]
        assert " 3 100 %" in spent(driver)[1]
        await driver.press("m")
        assert {line.split(" ▆")[0].strip() for line in spent(driver)[:3]} == {
            f"· {name}" for name in (splash, account, domains)
        }
        assert " 1  33 %" in spent(driver)[0]
        clock = driver.app.session.gate.now() - 1200
        driver.app.session.gate.ledger.record(
            SentRequest("GET /old", Lane.BACKGROUND, clock, clock, clock, RequestOutcome.ANSWERED, 200)
        )
        await driver.press("t")
        assert "4 in 60 minutes · 0 refused" in driver.text, (
            "the last 60 minutes has more than the last 10 minutes"
        )
        await driver.press("t")
        assert "Left, last window" in driver.text
        await driver.press("t")
        assert "3 in 10 minutes · 0 refused" in driver.text
        for number in range(20):
            driver.app.session.gate.ledger.record(
                SentRequest(f"GET /{number}", Lane.READ, clock, clock, clock, RequestOutcome.ANSWERED, 200)
            )
        await driver.press("t")
        assert "24 in 60 minutes" in driver.text
        *rows, more = [line for line in spent(driver) if line]
        assert re.match(rf"\+ {24 - len(rows)} more +▆* +{24 - len(rows)} ", more), "what is told adds up"
        await driver.press("t", "t")
        asked = len(driver.asked)
        await driver.press("escape")
        assert driver.screen.place_id == "splash"
        assert len(driver.asked) == asked == 3


async def test_it_says_what_is_left_until_when_and_whether_it_is_shared(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_app(demo, size=(140, 40)) as driver:
        await driver.settled()
        await driver.press("b")
        assert "Other programs' requests count from the next answer on." in driver.text
        assert "lowest 999 at " in driver.text
        gauges = [line for line in driver.lines if "━━━━" in line]
        assert gauges == [driver.lines[-2]], "what is left stands in the status bar alone"
        assert driver.text.count("Other programs") == 1
        assert "longest wait" not in driver.text, "none waited"
        assert "0 queued" not in driver.text
        state = driver.app.session.gate.state._replace(limit=30, remaining=24, reset_in=42.4, window=60.0)
        monkeypatch.setattr(Gate, "state", state)
        begun = int(driver.app.session.now())
        await driver.press("t")
        await wait_until(lambda: driver.text.count("24 of 30 left") == 1, lambda: "the status bar has it")
        told = re.search(r"full again at (\d\d:\d\d:\d\d)", driver.text)
        assert told is not None
        ended = int(driver.app.session.now())
        renewals = [datetime.fromtimestamp(second + 42.4, UTC) for second in range(begun, ended + 2)]
        assert told[1] in {f"{renewal.astimezone():%H:%M:%S}" for renewal in renewals}
        assert sharing_words(None, "") == "Every linkdash with this key on this machine shares this budget."


async def test_the_latest_requests_are_in_sight_in_every_size(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(60, 15), place="domains") as driver:
        await driver.settled()
        await driver.press("b")
        await driver.wait_for("GET /domains")
        for size in ((140, 40), (80, 24), (60, 15)):
            await resize(driver.pilot, *size)
            await driver.wait_for("GET /domains")


async def test_what_all_requests_took_is_told_once(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_app(demo, size=(150, 40)) as driver:
        await driver.settled()
        clock = driver.app.session.gate.now()

        def took(*milliseconds: int) -> tuple[SentRequest, ...]:
            ended = (clock + 0.001 * each for each in milliseconds)
            return tuple(
                SentRequest(f"GET /{at}", Lane.READ, clock, clock, at, RequestOutcome.ANSWERED, 200)
                for at in ended
            )

        monkeypatch.setattr(Ledger, "entries", lambda *_: took(0, 0))
        await driver.press("b")
        await driver.wait_for("all answered 200 · for: what you open · none waited · each took 0 ms")
        monkeypatch.setattr(Ledger, "entries", lambda *_: took(0, 20))
        await driver.wait_for(" 20 ms")
        assert "each took" not in driver.text


async def test_what_a_bulk_job_changed_is_counted_among_the_changes_of_the_user(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, size=(150, 40), place="pixels") as driver:
        await driver.settled()
        await driver.press("space", "space", "d")
        await driver.opened(ConfirmScreen)
        await driver.press("y")
        await driver.wait_for("Finished · 2 done")
        await driver.press("escape", "b")
        await driver.wait_for("your changes")
        changes, *_ = spent(driver)
        assert re.match(r"● your changes +▆+ +2 ", changes), changes
        assert {row[2] for row in requests(driver) if row[1].startswith("DELETE")} == {"your changes"}
        assert "all answered 200 · none waited" in driver.text
        await resize(driver.pilot, 80, 24)
        await driver.wait_for("Latest requests  all answered 200")
        clock = driver.app.session.gate.now()
        driver.app.session.gate.ledger.record(
            SentRequest("GET /a", Lane.READ, clock, clock, clock, RequestOutcome.REFUSED, 429)
        )
        await driver.wait_for("Latest requests  1 failed")


def entry(
    outcome: RequestOutcome, status: int | None = None, waited: float = 0.0, lane: Lane = Lane.BACKGROUND
) -> SentRequest:
    return SentRequest("GET /api/qr", lane, 10.0, 10.0 + waited, 10.25 + waited, outcome, status)


def test_every_end_of_a_request_has_words() -> None:
    rows = [
        row_of(entry(RequestOutcome.ANSWERED, 200, 1.25), NOON),
        row_of(entry(RequestOutcome.REFUSED, 429), NOON),
        row_of(entry(RequestOutcome.LOST), NOON),
    ]
    assert [(row.answer, row.took) for row in rows] == [
        ("answered 200", "250 ms"),
        ("refused 429", "250 ms"),
        ("answer lost", "–"),
    ]
    assert (rows[0].when, rows[0].lane, rows[0].waited, rows[1].waited) == (
        "12:00:00",
        "background",
        "1.2 s",
        "–",
    )


def test_the_queue_says_who_goes_first_and_since_when() -> None:
    queued = [Waiting("PUT /a", Lane.WRITE, 98.0), Waiting("GET /b", Lane.BACKGROUND, 90.0)]
    rows = waiting_rows(queued, 100.0)
    assert [(row.label, row.waited, row.answer) for row in rows] == [
        ("PUT /a", "2.0 s", "next"),
        ("GET /b", "10.0 s", "1 ahead"),
    ]


def test_what_was_spent_is_summed_by_purpose_and_by_request_with_what_failed() -> None:
    entries = [
        entry(RequestOutcome.ANSWERED, 200, lane=Lane.READ),
        entry(RequestOutcome.REFUSED, 429, waited=2.0),
        entry(RequestOutcome.LOST),
    ]
    spent = {one.name: one for one in by_purpose(entries)}
    assert [*spent] == [lane.purpose for lane in Lane], "also for what nothing was spent"
    background = spent["background"]
    assert (background.requests, background.failed, background.longest_wait) == (2, 2, 2.0)
    assert background.share == pytest.approx(2 / 3)
    assert [(one.name, one.requests, one.share) for one in by_request(entries, 5)] == [("GET /qr", 3, 1.0)]
    assert [one.share for one in by_purpose([])] == [0.0] * len(Lane)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=5), st.integers(0, 60), st.integers(1, 200))
def test_who_spent_what_is_as_wide_as_its_panel(counts: list[int], name: int, width: int) -> None:
    spent = [Spent("●", Tone.TREND, "x" * name, count, 0.1, 1.0, 2) for count in counts]
    for row in spending_rows(spent, width):
        assert len("".join(piece.text for piece in row)) <= max(width, 3 + 11)


@given(st.integers(1, 90), st.integers(0, 10**6), st.integers(20, 130))
def test_a_name_of_what_was_spent_is_cut_only_where_nothing_beside_it_is_empty(
    letters: int, count: int, width: int
) -> None:
    """Beside a name that is cut stands how many requests it were, and no bar."""
    spent = [Spent("●", Tone.TREND, "x" * letters, count, 0.1, 1.0, 2)]
    row = "".join(piece.text for piece in spending_rows(spent, width)[1])
    assert row.count("x") == letters or row.endswith(f"…   {count:,}"), row


def test_a_bar_is_as_long_as_its_part_of_the_most_and_numbers_are_those_of_their_head() -> None:
    counts = {"a": 40, "b": 10, "c": 0}
    spent = [Spent("●", Tone.TREND, name, count, 0.1, 1.5, 7) for name, count in counts.items()]
    head, *rows = ("".join(piece.text for piece in row) for row in spending_rows(spent, 80))
    bars = [row.count("▆") for row in rows]
    assert bars == [bars[0], round(bars[0] / 4), 0]
    assert head.split() == ["requests", "share", "waited", "failed"]
    assert rows[0].split()[-6:] == ["40", "10", "%", "1.5", "s", "7"]


def test_a_column_is_the_least_that_was_left_in_its_time() -> None:
    """A budget that nobody spent for a window is full again; before the first answer nothing is drawn."""
    samples = [Sample(30.0, 30, 30), Sample(65.0, 12, 30), Sample(70.0, 3, 30)]
    kept = LeftOverTime(samples, now=239.0, seconds=240.0, window=60.0, limit=30)
    (*rows, axis) = budget_rows(kept, width=6 + 4, height=3)
    drawn = ["".join(piece.text for piece in row) for row in rows]
    assert drawn == ["  30▔│█ ██", "     │█▂██"]
    assert [piece.tone for piece in rows[1][1:]] == [Tone.GOOD, Tone.BAD, Tone.GOOD]
    assert "".join(piece.text for piece in axis) == "   0▔▔4 m…"


def test_a_limit_of_thousands_is_read_whole_at_the_axis() -> None:
    kept = LeftOverTime([Sample(0.0, 60_000, 60_000)], now=59.0, seconds=60.0, window=60.0, limit=60_000)
    lines = ["".join(piece.text for piece in row) for row in budget_rows(kept, width=20, height=3)]
    assert [line[:8] for line in lines] == ["60,000▔│", "       │", "     0▔▔"]
    assert [len(line) for line in lines] == [20] * 3


@pytest.mark.parametrize(
    ("gap", "height", "told"),
    [
        (20, 4, ["", " not known", ""]),
        (11, 3, [" not known", ""]),
        (10, 3, [" not", " known"]),
        (7, 2, [""]),
        (6, 6, [""] * 5),
    ],
)
def test_where_nothing_is_known_yet_it_does_not_look_as_if_nothing_was_left(
    gap: int, height: int, told: list[str]
) -> None:
    samples = [Sample(gap * 10.0, 30, 30)]
    kept = LeftOverTime(samples, now=399.0, seconds=400.0, window=60.0, limit=30)
    (*rows, _) = budget_rows(kept, width=6 + 40, height=height)
    drawn = ["".join(piece.text for piece in row)[6:] for row in rows]
    assert [line.replace("█", "").rstrip() for line in drawn] == told
    assert [line.index("█") for line in drawn] == [gap] * len(rows)
    assert {cells(row) for row in rows} == {46}


def test_an_earlier_request_tells_what_was_left_when_the_time_began() -> None:
    samples = [Sample(-500.0, 3, 30), Sample(95.0, 15, 30)]
    kept = LeftOverTime(samples, now=199.0, seconds=200.0, window=60.0, limit=30)
    (row, _) = budget_rows(kept, width=6 + 4, height=2)
    assert "".join(piece.text for piece in row)[6:] == "█▄▄█"


def test_waits_and_failures_have_a_column_where_there_are_any() -> None:
    one = Spent("●", Tone.TREND, "your changes", 3, 0.5, 0.0, 0)

    def head(*spent: Spent) -> list[str]:
        return "".join(piece.text for piece in spending_rows(spent, 80)[0]).split()

    assert head(one) == ["requests", "share"]
    assert head(one, one._replace(longest_wait=2.0)) == ["requests", "share", "waited"]
    assert head(one, one._replace(failed=1)) == ["requests", "share", "failed"]


@pytest.mark.parametrize(("now", "last"), [(99.0, "▂"), (101.0, "█")])
def test_the_last_column_is_what_is_left_now_also_when_the_window_was_reset(now: float, last: str) -> None:
    samples = [Sample(95.0, 8, 30, full_at=100.0)]
    kept = LeftOverTime(samples, now=now, seconds=40.0, window=60.0, limit=30)
    (row, _) = budget_rows(kept, width=6 + 4, height=2)
    assert "".join(piece.text for piece in row)[-1] == last


@given(st.lists(st.integers(0, 60), min_size=1, max_size=12), st.integers(2, 14))
def test_a_column_ends_where_the_tick_of_its_number_would_be(lefts: list[int], rows: int) -> None:
    samples = [Sample(20.0 * number, left, 60) for number, left in enumerate(lefts)]
    kept = LeftOverTime(samples, now=20.0 * len(lefts) - 1, seconds=20.0 * len(lefts), window=60.0, limit=60)
    *drawn, axis = budget_rows(kept, 6 + len(lefts), rows + 1)
    lines = ["".join(piece.text for piece in row) for row in (*drawn, axis)]
    assert [number for number, line in enumerate(lines) if line[:4].strip()] == [0, rows]
    for x, left in enumerate(lefts, 6):
        eighths = sum(EIGHTHS.index(line[x]) for line in lines[:rows])
        assert eighths == 1 or abs(eighths / 8 - left / 60 * rows) <= 1 / 16 + 1e-9
