"""Mistakes in a filter, as the line says them below it."""

from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from linkdash.widgets.filter_line import FilterInput, FilterLine
from linkdash.widgets.themes import ThemedApp, style_paths
from tests.waiting import wait_until


class FilterApp(ThemedApp[None]):
    """A filter line that is not in sight yet."""

    CSS_PATH = [*style_paths("resource_screen")]

    def compose(self) -> ComposeResult:
        line = FilterLine(placeholder="")
        line.display = False
        yield line


def _said(app: FilterApp) -> str:
    said = str(app.query_one("#filter-error", Static).visual)
    return "\n".join(line.rstrip() for line in said.splitlines())


async def test_what_was_said_before_the_line_had_a_place_is_said_in_the_room_that_it_has() -> None:
    async with FilterApp().run_test(size=(60, 10)) as pilot:
        app = pilot.app
        assert isinstance(app, FilterApp)
        line = app.query_one(FilterLine)
        line.display = True
        line.point_out("expires", "write expires<7d", 0)
        await wait_until(lambda: _said(app) == "↑ expires: write expires<7d")
        await pilot.resize_terminal(24, 10)
        await wait_until(lambda: _said(app) == "↑ expires\nwrite expires<7d")


async def test_every_pasted_line_goes_into_the_filter() -> None:
    async with FilterApp().run_test() as pilot:
        typed = pilot.app.query_one(FilterInput)
        typed.post_message(events.Paste("spring\n\n  scans>100\t!flyer\n"))
        await wait_until(lambda: bool(typed.value))
        assert typed.value == "spring scans>100 !flyer"


async def test_up_and_down_go_through_what_was_typed_before_and_back_to_what_was_begun() -> None:
    async with FilterApp().run_test() as pilot:
        pilot.app.query_one(FilterLine).display = True
        typed = pilot.app.query_one(FilterInput)
        typed.offer_history(["newest", "oldest"])
        typed.focus()
        await pilot.press("n", "e")
        found = list[str]()
        for key in ("up", "up", "up", "down", "down", "down"):
            await pilot.press(key)
            found.append(typed.value)
        assert found == ["newest", "oldest", "oldest", "newest", "ne", "ne"]
        assert typed.cursor_position == len("ne")
