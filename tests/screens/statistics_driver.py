"""A driver of the screens with statistics: what they show, and what the service itself says."""

import json
from typing import Any

from textual.widgets import Static

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.statistics.chart_data import Bars
from linkdash.screens.statistics.charts_screen import ChartsScreen
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.widgets.charts.cards import Card
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.panel import Panel
from linkdash.widgets.text_page import TextPage
from tests.screens.driver import Driver
from tests.service.visitor import Visitor
from tests.waiting import wait_until

BREAKDOWNS = {
    "countries": "topCountries",
    "referrers": "topReferrers",
    "browsers": "topBrowsers",
    "systems": "topOs",
    "social": "socialCount",
}


def answer(data: object, *, details: object = None) -> Fault:
    """An answer about one code with these statistics."""
    code = details or {"name": "Made up", "link": "https://go.example/1", "scans": 3}
    return Fault(content=json.dumps({"error": 0, "details": code, "data": data}).encode())


def told(running: Running, code_id: int) -> tuple[dict[str, Any], Any]:
    """Return what the service says of a code at this moment: details and statistics."""
    with Visitor(running, running.plain_key) as visitor:
        found = visitor.read(f"/api/qr/{code_id}")
    return found["details"], found["data"]


async def open_code(driver: Driver, row: int = 0) -> int:
    """Open the statistics of the code in a row of the list by keys; the code's id."""
    await driver.go("qr")
    await driver.press(*["j"] * row, "enter")
    await wait_until(lambda: isinstance(driver.app.screen, StatisticsScreen))
    await answered(driver)
    return statistics(driver).statistics.code.id


async def answered(driver: Driver) -> None:
    """Wait until the screen has its answer, or failed to get it."""
    code = statistics(driver).statistics
    await wait_until(lambda: not code.loading and (code.answered or code.error))
    await driver.pilot.pause()


def statistics(driver: Driver) -> StatisticsScreen:
    """The statistics on top."""
    screen = driver.app.screen
    assert isinstance(screen, StatisticsScreen), screen
    return screen


def cards(driver: Driver) -> dict[str, tuple[str, str]]:
    """The numbers in the cards by their titles: the value, and what it was or since when."""
    figures = [card.figure for card in driver.app.screen.query(Card)]
    return {figure.title: (figure.value, figure.note) for figure in figures if figure is not None}


def said(driver: Driver) -> str:
    """The answer of the screen."""
    return " ".join(str(driver.app.screen.query_one("#answer", Static).content).split())


def status(driver: Driver) -> str:
    """The status line: how old the numbers are, how far back they go."""
    panel = driver.app.screen.query("#statistics > Panel, #comparison > Panel").first(Panel)
    return "".join(piece if isinstance(piece, str) else piece.text for piece in panel.below)


async def chart(driver: Driver, name: str) -> str:
    """A chart as it is painted, once it is."""
    widget = driver.app.screen.query_one(f"#{name}", Chart)
    await wait_until(lambda: widget.up_to_date)
    return widget.text


def counts(driver: Driver, name: str) -> dict[str, float | int | None]:
    """Return what a panel shows of a breakdown: label to count."""
    data = driver.app.screen.query_one(f"#{name}", Chart).data
    assert isinstance(data, Bars)
    return dict(data.items)


def page(driver: Driver, id: str) -> str:
    """All of a text, also what is scrolled away."""
    static = driver.app.screen.query_one(f"#{id}", TextPage).query_one(Static)
    return str(static.content)


def panel(driver: Driver) -> str:
    """The panel that keys work on."""
    screen = driver.app.screen
    assert isinstance(screen, ChartsScreen)
    return screen.panels.current.key
