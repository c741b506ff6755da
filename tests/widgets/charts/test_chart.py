"""The chart widget: it follows its data, its size and its theme, and never holds the application up."""

from datetime import UTC, datetime

import pytest
from rich.color import Color
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Button

from linkdash.model.statistics.chart_data import Bars, ChartData, CurveChart, MultiBars
from linkdash.widgets.charts import plotext_curves
from linkdash.widgets.charts.chart import Chart
from linkdash.widgets.charts.drawing import draw_chart
from linkdash.widgets.charts.ranked_bars import BAR
from linkdash.widgets.themes import ThemedApp, style_paths
from tests.waiting import resize, wait_until

COUNTRIES = Bars("Countries", (("Brazil", 120), ("日本", 300), ("e\u0301te\u0301", 6), ("[/b]", 2)))
REFERRERS = Bars("Referrers", tuple((f"site-{n}", 100 - n) for n in range(60)))
CURVE = CurveChart(
    "Scans", (("scans", tuple((datetime(2026, 1, day, tzinfo=UTC), day) for day in range(1, 9))),)
)
BROWSERS = MultiBars("Browsers", ("a", "b"), (("Chrome", (3, 4)), ("Safari", (1, None))))


class ChartApp(ThemedApp[None]):
    CSS_PATH = [*style_paths("chart")]

    def __init__(self, data: ChartData | None) -> None:
        super().__init__()
        self.data = data

    def compose(self) -> ComposeResult:
        yield Button("elsewhere")
        yield Chart(self.data)

    @property
    def chart(self) -> Chart:
        return self.query_one(Chart)


async def drawn(pilot: Pilot[None], app: ChartApp) -> None:
    await wait_until(lambda: app.chart.up_to_date)


def as_drawn(data: ChartData | None, width: int, height: int) -> str:
    return "\n".join(line.plain for line in draw_chart(data, width, height))


def series_color(chart: Chart) -> Color | None:
    """The color in which the first bar is painted."""
    for row in range(chart.size.height):
        for segment in chart.render_line(row):
            if BAR in segment.text and segment.style:
                return segment.style.color
    return None


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
@pytest.mark.parametrize("size", [(30, 12), (200, 50)])
@pytest.mark.parametrize("data", [COUNTRIES, BROWSERS, None])
async def test_it_paints_the_chart_in_its_size_and_in_the_colors_of_the_theme(
    data: ChartData | None, size: tuple[int, int], theme: str
) -> None:
    app = ChartApp(data)
    async with app.run_test(size=size) as pilot:
        app.theme = theme
        await drawn(pilot, app)
        assert app.chart.text == as_drawn(data, *app.chart.scrollable_content_region.size)
        for row in range(app.chart.size.height):
            assert app.chart.render_line(row).cell_length == app.chart.size.width
        if data is not None:
            primary = app.theme_variables["primary"]
            await wait_until(lambda: series_color(app.chart) == Color.parse(primary))


async def test_it_follows_the_size_of_the_terminal() -> None:
    app = ChartApp(COUNTRIES)
    async with app.run_test(size=(60, 20)) as pilot:
        await drawn(pilot, app)
        before = app.chart.text
        await resize(pilot, 90, 20)
        await wait_until(lambda: app.chart.text != before)
        assert app.chart.text == as_drawn(COUNTRIES, *app.chart.scrollable_content_region.size)


async def test_the_old_chart_stays_and_the_application_goes_on_while_the_new_one_is_drawn() -> None:
    app = ChartApp(COUNTRIES)
    async with app.run_test(size=(61, 20)) as pilot:
        await drawn(pilot, app)
        before = app.chart.text
        with plotext_curves._one_at_a_time:  # a drawing that takes its time
            app.chart.show(CURVE)
            await pilot.press("tab")
            assert not app.chart.up_to_date
            assert app.chart.text == before
        await drawn(pilot, app)
        assert app.chart.text.startswith("Scans")


async def test_of_many_charts_in_a_row_the_last_one_is_shown() -> None:
    app = ChartApp(None)
    async with app.run_test(size=(62, 20)) as pilot:
        for number in range(20):
            app.chart.show(Bars(f"Chart {number}", (("a", number),)))
        await drawn(pilot, app)
        assert app.chart.text.startswith("Chart 19")
        assert app.chart.data == Bars("Chart 19", (("a", 19),))


async def test_a_drawing_that_comes_late_is_not_painted() -> None:
    app = ChartApp(None)
    async with app.run_test(size=(63, 20)):
        with plotext_curves._one_at_a_time:
            app.chart.show(CURVE)
            app.chart.show(COUNTRIES)
            assert app.chart.text.startswith("Countries")
        await app.workers.wait_for_complete()
        assert app.chart.text.startswith("Countries")


async def test_more_rows_than_fit_are_scrolled_to_by_keys() -> None:
    app = ChartApp(REFERRERS)
    async with app.run_test(size=(60, 16)) as pilot:
        await drawn(pilot, app)
        app.animation_level = "none"
        await pilot.press("tab", "G")
        assert app.focused is app.chart
        await wait_until(lambda: app.chart.scroll_offset.y == app.chart.max_scroll_y > 0)
        shown = [app.chart.render_line(row).text for row in range(app.chart.size.height)]
        assert shown[-1].split()[0] == "site-59"
        await pilot.press("g", "j")
        await wait_until(lambda: app.chart.scroll_offset.y == 1)
        app.chart.show(COUNTRIES)
        await drawn(pilot, app)
        await wait_until(lambda: app.chart.scroll_offset.y == 0)


async def test_a_chart_that_fits_is_no_stop_of_the_tab_key() -> None:
    app = ChartApp(COUNTRIES)
    async with app.run_test(size=(60, 16)) as pilot:
        await drawn(pilot, app)
        await pilot.press("tab", "tab")
        assert isinstance(app.focused, Button)


async def test_no_room_at_all_is_no_fault() -> None:
    app = ChartApp(COUNTRIES)
    async with app.run_test(size=(4, 3)) as pilot:
        await pilot.pause()
        await resize(pilot, 40, 12)
        await wait_until(lambda: app.chart.text.startswith("Countries"))
