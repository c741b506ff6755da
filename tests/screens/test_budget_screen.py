"""The budget screen: who asked, what it cost, how long it waited, what waits now. Looking costs nothing."""

import time
from datetime import UTC, datetime

from textual.widgets import Static

from linkdash.api.budget import Lane, Waiting
from linkdash.api.gate import Outcome, Sample, SentRequest, Spending
from linkdash.demo import Settings as DemoSettings
from linkdash.demo.server import Running
from linkdash.screens.budget import (
    BudgetScreen,
    row_of,
    sharing_words,
    sum_rows,
    waiting_rows,
)
from linkdash.widgets.budget_history import BudgetHistory, Kept, budget_rows
from linkdash.widgets.pieces import Tone
from linkdash.widgets.table import RecordTable
from tests.conftest import RunApp, StartDemo
from tests.screens.driver import Driver, shown
from tests.screens.places import ACCOUNT, place_of
from tests.waiting import wait_until
from tests.widgets.sample import drawn

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def requests(driver: Driver) -> list[list[str]]:
    """The cells of the table's rows."""
    lines = drawn(driver.app.screen.query_one(RecordTable))[1:]
    return [[cell.strip() for cell in line[3:].split("  ") if cell.strip()] for line in lines if line.strip()]


def text_of(driver: Driver, id: str) -> str:
    return shown(driver.app.screen.query_one(id, Static))


async def test_it_shows_what_was_asked_and_what_waits(start_demo: StartDemo, run_app: RunApp) -> None:
    demo = start_demo(DemoSettings(rate=3, window=6.0, clock=time.time))
    domains, splash = place_of("domains").request, place_of("splash").request
    async with run_app(demo, size=(150, 30)) as driver:
        await driver.go("domains")
        await driver.go("splash")
        await driver.press("r", "b")
        assert isinstance(driver.app.screen, BudgetScreen)
        waiting, *sent = requests(driver)
        assert (waiting[0], waiting[1], waiting[2]) == (
            "waiting",
            splash,
            "a person's read",
        )
        assert waiting[-2:] == ["goes next", "0"]
        assert [row[1] for row in sent] == [splash, domains, ACCOUNT], "the newest first"
        assert {(row[2], row[-2], row[-1]) for row in sent} == {("a person's read", "answered 200", "1")}
        assert driver.status_line.startswith("the last hour: 3 requests · 0 refused · longest wait 0.0 s")
        left = driver.app.screen.query_one(BudgetHistory)
        assert left.display
        assert "█ plenty" in driver.text

        await wait_until(lambda: "waiting" not in driver.text)
        await wait_until(lambda: len(requests(driver)) == 4)
        assert requests(driver)[0][3].endswith(" s"), "how long it waited"
        await driver.press("s")
        assert [row[:2] for row in requests(driver)] == [
            [splash, "2"],
            [ACCOUNT, "1"],
            [domains, "1"],
        ]
        await driver.press("p")
        assert driver.status_line.startswith("the last window of ")
        asked = len(driver.asked)
        await driver.press("escape")
        assert driver.screen.place_id == "splash"
        assert len(driver.asked) == asked == 4


async def test_it_says_whether_the_budget_is_shared(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        await driver.settled()
        await driver.press("b")
        reason = "this program keeps its budget to itself"
        assert text_of(driver, "#notes") == sharing_words(reason)
        assert sharing_words(None) == "Every linkdash with this key on this machine shares this budget."


def entry(outcome: Outcome, status: int | None = None, waited: float = 0.0) -> SentRequest:
    return SentRequest("GET /api/qr", Lane.BACKGROUND, 10.0, 10.0 + waited, 11.0 + waited, outcome, status)


def test_every_end_of_a_request_has_words() -> None:
    rows = [
        row_of(entry(Outcome.ANSWERED, 200, 1.25), NOON),
        row_of(entry(Outcome.REFUSED, 429), NOON),
        row_of(entry(Outcome.LOST), NOON),
        row_of(entry(Outcome.NOT_SENT), NOON),
    ]
    assert [(row.answer, row.cost) for row in rows] == [
        ("answered 200", 1),
        ("refused 429", 1),
        ("answer lost", 1),
        ("not sent", 0),
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
        ("PUT /a", "2.0 s", "goes next"),
        ("GET /b", "10.0 s", "1 before it"),
    ]


def test_sums_name_what_went_wrong() -> None:
    spent = Spending(requests=5, cost=4, refused=1, lost=2, waited=3.0, longest_wait=2.0)
    (row,) = sum_rows({"GET /api/qr": spent})
    assert (row.label, row.cost, row.waited, row.answer) == ("GET /api/qr", 4, "2.0 s", "1 refused · 2 lost")


def test_a_column_is_the_least_that_was_left_in_its_time() -> None:
    """A budget that nobody spent for a window is full again; before the first answer nothing is drawn."""
    samples = [Sample(30.0, 30, 30), Sample(65.0, 12, 30), Sample(70.0, 3, 30)]
    kept = Kept(samples, now=239.0, seconds=240.0, window=60.0, limit=30)
    (*rows, axis) = budget_rows(kept, width=5 + 4, height=3)
    drawn = ["".join(piece.text for piece in row) for row in rows]
    assert drawn == ["  30 █ ██", "   0 █▂██"]
    assert [piece.tone for piece in rows[1][1:]] == [Tone.GOOD, Tone.BAD, Tone.GOOD]
    assert "".join(piece.text for piece in axis) == "     4 m…"
