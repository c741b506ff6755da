"""A total in large digits, in small ones where those do not fit, and a dash where there is none."""

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Digits, Static

from linkdash.styles import style_paths
from linkdash.widgets.total import Total
from tests.waiting import resize


class TotalApp(App[None]):
    CSS_PATH = [*style_paths("total")]

    def compose(self) -> ComposeResult:
        yield Total("[b]clicks")


@pytest.mark.parametrize(
    ("value", "width", "shown", "large"),
    [
        (1_204, 30, "1,204", True),
        (1_204, 13, "1,204", True),
        (1_204, 12, "1,204", False),
        (123_456_789, 30, "123,456,789", True),
        (123_456_789, 20, "123,456,789", False),
        (-12, 30, "-12", True),
        (0, 30, "0", True),
        (0.5, 30, "0.50", True),
        (None, 30, "–", False),
    ],
)
async def test_the_number_is_as_large_as_it_fits_and_never_cut(
    value: float | None, width: int, shown: str, large: bool
) -> None:
    app = TotalApp()
    async with app.run_test(size=(width, 10)) as pilot:
        total = app.query_one(Total)
        total.show(value, "+12 [/b]")
        await pilot.pause()
        digits, small = total.query_one(Digits), total.query_one(".total--small", Static)
        assert (digits.display, small.display) == (large, not large)
        assert digits.value == shown
        assert str(small.render()) == shown
        assert str(total.query_one(".total--change", Static).render()) == "+12 [/b]"
        assert str(total.query_one(".total--title", Static).render()) == "[b]clicks"


async def test_it_grows_with_its_room() -> None:
    app = TotalApp()
    async with app.run_test(size=(10, 10)) as pilot:
        total = app.query_one(Total)
        total.show(1_204)
        await pilot.pause()
        assert not total.query_one(Digits).display
        await resize(pilot, 40, 10)
        await pilot.pause()
        assert total.query_one(Digits).display
