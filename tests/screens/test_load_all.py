"""Loading every page: in the fewest requests, stopped and resumed, and never in the user's way."""

import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.paging import Page
from linkdash.api.resources.pixels import Pixel
from linkdash.demo import DemoSettings
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.lists.load_all import MOST_A_PAGE, Ask, LoadAll, PageFit
from linkdash.screens.lists.list_frame import FULL, SPENT
from tests.conftest import PLENTY, RunApp, StartDemo
from tests.screens.clock import HoldingClock
from tests.screens.driver import Driver
from tests.screens.places import place_of
from tests.waiting import wait_until

QR = "GET /api/qr?limit={}&page={}"
DOMAINS = place_of("domains").request
FAILED = Fault(handled=False, status=500, content=b"{}")


# ---- the plan ----


class Service:
    """A list of `total` records in pages of at most `cap`."""

    def __init__(self, total: int, cap: int) -> None:
        self.total, self.cap = total, cap

    def answer(self, ask: Ask) -> Page[Pixel]:
        """The page for this limit; the ids of its records are their places in the list, from 1 on."""
        size = min(self.cap, ask.limit)
        ids = range((ask.number - 1) * size, min(self.total, ask.number * size))
        pages = -(-self.total // size)
        return Page(pixels(id + 1 for id in ids), self.total, size, ask.number, None, pages)


def pixels(ids: Iterable[int]) -> list[Pixel]:
    return [Pixel(id=id) for id in ids]


def ids_on(page: Page[Pixel]) -> set[int]:
    return {id for row in page.rows if isinstance(id := row.key, int)}


def load(plan: LoadAll, service: Service, known: set[int]) -> list[Ask]:
    """Carry a plan out; the records that are there in the end are put into `known`."""
    asked: list[Ask] = []
    while (ask := plan.next()) is not None:
        assert ask not in asked, "a page is asked for once"
        asked.append(ask)
        assert len(asked) <= service.total + 1, "it ends"
        page = service.answer(ask)
        fit = plan.answered(ask, page)
        if fit is PageFit.INSTEAD:
            known.clear()
        if fit is not PageFit.NOT:
            known.update(ids_on(page))
    return asked


def test_a_thousand_records_at_a_hundred_a_page_cost_ten_requests() -> None:
    known = set(range(1, 101))
    asked = load(LoadAll(1_000, 100, [1], size_is_known=False), Service(1_000, 100), known)
    assert (len(asked), len(known)) == (9, 1_000)


def test_a_larger_page_is_worth_its_price() -> None:
    asked = load(LoadAll(12_000, 100, [1, 2], size_is_known=False), Service(12_000, 5_000), set())
    assert len(asked) == 12_000 / MOST_A_PAGE


def test_pages_that_repeat_end_it_and_billions_of_results_cost_nothing() -> None:
    plan = LoadAll(10**9, 100, [1], size_is_known=True)
    assert plan.pages == plan.missing + 1 == 10**7
    again = pixels(range(1, 101))
    asked = 0
    while (ask := plan.next()) is not None:
        asked += 1
        assert asked <= 3, "it ends"
        plan.answered(ask, Page(again, 10**9, 100, ask.number, None, 10**7))
    assert plan.missing == 0


@given(st.data())
def test_every_record_comes_once_for_hardly_more_requests_than_need_be(data: st.DataObject) -> None:
    total, cap = data.draw(st.integers(1, 400)), data.draw(st.integers(1, 200))
    usual = min(15, cap)
    pages = -(-total // usual)
    loaded = data.draw(st.sets(st.integers(1, pages)))
    known_size = data.draw(st.booleans())
    known = {id for page in loaded for id in ids_on(Service(total, usual).answer(Ask(page, usual)))}
    asked = load(LoadAll(total, usual, loaded, size_is_known=known_size), Service(total, cap), known)
    assert known == set(range(1, total + 1))
    missing = pages - len(loaded)
    if known_size or cap == usual:
        assert len(asked) == missing, "no request more than there are pages"
    else:
        assert len(asked) <= missing + 1, "finding out costs one request at the most"
        at_best = -(-total // min(cap, MOST_A_PAGE))
        assert len(asked) >= min(missing, at_best)


# ---- the app ----


async def loaded_all(driver: Driver) -> None:
    await wait_until(lambda: driver.screen.collection.load is None)
    await driver.pilot.pause()


@pytest.mark.nightly
async def test_all_pages_cost_one_request_each_and_are_found_again(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("L")
        assert driver.toasts[-1] == "Loading all; esc stops it 3 requests, now"
        await loaded_all(driver)
        assert driver.status_line == "all 400 results · as of now"
        assert len(driver.table.rows) == 400
        assert driver.asked == [QR.format(100, 1), *(QR.format(*page) for page in PROBED)]
        await driver.press("L")
        assert driver.toasts[-1] == "All QR codes are loaded."
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("slash", *"zoo", "enter")
        assert "of 400 loaded" in driver.status_line
        assert driver.asked[4:] == [], "what was kept a moment ago is not asked for again"


PROBED = [(200, 2), (100, 3), (100, 4)]
"""How large a page may be is tried with a page that is missing in any case: it costs nothing."""


async def test_a_larger_page_is_learned_and_remembered(
    start_demo: StartDemo, app_clock: HoldingClock, run_app: RunApp
) -> None:
    demo = start_demo(DemoSettings(rate=PLENTY, page_cap=1_000, clock=app_clock))
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        shown = driver.names
        await driver.press("L")
        await loaded_all(driver)
        assert len(driver.table.rows) == 400
        assert driver.names == shown[: len(driver.names)], "what a person looks at stays where it is"
        assert driver.asked[1:] == [QR.format(200, 2), QR.format(200, 1)]
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        assert driver.status_line.startswith("page 1 of 2 · 200 a page")
        assert driver.asked[3:] == []


async def test_it_goes_on_where_it_was_interrupted_and_a_filter_offers_the_rest_with_its_price(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("slash", *"museum", "enter")
        found = len(driver.table.rows)
        offer = "L loads the rest (3 requests, now)"
        assert driver.status_line.startswith(f'filter "museum": {found} of 100 loaded of 400 · {offer}')
        await driver.press("escape")
        demo.service.faults.next("GET", "/api/qr", Fault())
        demo.service.faults.next("GET", "/api/qr", FAILED)
        await driver.press("L")
        await wait_until(lambda: any("service failed" in toast for toast in driver.toasts))
        assert driver.status_line.startswith("page 1 of 4")
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        await driver.press("slash", *"museum", "enter")
        found = len(driver.table.rows)
        await driver.press("L")
        await loaded_all(driver)
        assert len(driver.table.rows) > found
        assert "of 400 loaded" in driver.status_line
        assert "L loads" not in driver.status_line
        await driver.press("escape")
        assert driver.status_line.startswith("all 400 results")
        assert sorted(driver.asked[3:]) == sorted(QR.format(100, n) for n in (3, 4))


async def test_a_person_goes_first_and_escape_stops_it(start_demo: StartDemo, run_app: RunApp) -> None:
    demo = start_demo(DemoSettings(rate=8, window=60.0, page_cap=10, clock=time.time))
    async with run_app(demo, place="qr", size=(120, 30)) as driver:
        await driver.settled()
        await driver.press("L")
        assert "39 requests: " in driver.toasts[-1]
        await wait_until(lambda: "(yours go first)" in driver.text)
        await wait_until(lambda: "loading all: " in driver.status_line)
        assert driver.status_line.count(FULL) + driver.status_line.count(SPENT) == 10, (
            "not a cell for each of 40 pages"
        )
        before = len(driver.asked)
        await driver.press(driver.key("domains"))
        await driver.settled()
        assert DOMAINS in driver.asked[before : before + 2], "no more than what was on its way goes first"
        assert driver.status_line.startswith("all") or "12 results" in driver.status_line
        await driver.press(driver.key("qr"), "escape")
        assert driver.toasts[-1] == "Stopped loading Loaded pages are kept; L continues."
        assert driver.app.session.gate.state.queued == ()
        pages = len(driver.screen.collection.listing.pages)
        assert 1 < pages < 40
        await driver.press("escape")
        assert driver.toasts[-1] == "esc has nothing to close here; - goes to the previous place, q quits."
    assert not [entry for entry in demo.service.log if entry.refused]
