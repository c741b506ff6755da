"""The places at the side, and as tabs."""

import pytest
from textual.app import ComposeResult

from linkdash.styles import style_paths
from linkdash.widgets.navigation import Navigation, Place
from linkdash.widgets.themes import ThemedApp
from tests.widgets.sample import drawn

PLACES = [Place(str(number), str(number), f"Place {number}") for number in range(5)]


class Tabs(ThemedApp[None]):
    CSS_PATH = [*style_paths("frame")]

    def compose(self) -> ComposeResult:
        yield Navigation(PLACES, "4")


@pytest.mark.parametrize("columns", [1, 2, 3, 12, 40])
async def test_tabs_are_drawn_however_narrow_they_are(columns: int) -> None:
    async with Tabs().run_test(size=(columns, 3)) as pilot:
        assert [len(line) for line in drawn(pilot.app.query_one(Navigation))] == [columns]
