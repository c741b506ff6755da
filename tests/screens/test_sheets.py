"""Style sheets are read with the screen that needs them."""

import pytest
from textual.widget import Widget

from linkdash.demo.server import Running
from linkdash.screens.insight.overview import OverviewScreen
from linkdash.screens.windows.help import HelpScreen
from linkdash.widgets.themes import style_paths
from tests.conftest import RunApp
from tests.waiting import wait_until


def looks(screen: Widget) -> list[object]:
    """The styles that the sheets give to each widget of a screen."""
    return [(str(widget), widget.styles.base.get_rules()) for widget in screen.walk_children(with_self=True)]


@pytest.mark.parametrize("size", [(80, 24), (140, 40), (200, 50)])
async def test_a_screen_names_every_sheet_that_styles_it(
    demo: Running, run_app: RunApp, size: tuple[int, int]
) -> None:
    async with run_app(demo, size=size, place="overview") as driver:
        await driver.painted()
        app = driver.app
        overview = app.screen
        assert isinstance(overview, OverviewScreen)
        await driver.press("question_mark")
        await wait_until(lambda: isinstance(app.screen, HelpScreen))
        await driver.painted()
        screens: list[Widget] = [overview, app.screen]
        found = [looks(screen) for screen in screens]
        app.load_sheets(style_paths())
        for screen in screens:
            app.stylesheet.update(screen)
        assert [looks(screen) for screen in screens] == found


async def test_a_list_has_all_sheets(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        assert all(driver.app.stylesheet.has_source(str(path)) for path in style_paths())
