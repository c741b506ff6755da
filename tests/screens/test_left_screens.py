"""Left things are let go of: windows, screens and forms altogether, of a place the lines it was drawn of."""

import gc
import weakref
from collections.abc import Mapping, Sequence

import pytest
from textual.widget import Widget

from linkdash.app import LinkdashApp
from linkdash.demo.server import Running
from linkdash.widgets.form.form import Form
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.waiting import wait_until

FORM = {"form": "8n"}
ALL = {
    **FORM,
    "statistics": "8\r",
    "form with input": "6eabc",
    "form of a user": "0n",
    "several edited": "7  e",
    "a channel's items": "6\r",
    "codes compared": "8  c",
    "codes watched": "8  W",
    "the most scanned codes": "8t",
    "help over statistics": "8\r?",
    "plans side by side": "9",
    "palette": "8:",
    "help": "8?",
    "raw answer": "8v",
    "messages": "8M",
    "budget": "8b",
    "journal": "8w",
    "delete question": "8d",
    "export": "7x",
    "columns": "7C",
    "views": "7F",
}
"""The keys that lead there from wherever nothing is open."""
_NAMES = {"\r": "enter", " ": "space", ":": "colon", "?": "question_mark"}


async def leave(driver: Driver) -> None:
    """Go back until nothing is open, and discard what was typed."""
    await driver.press("escape", "escape", "escape", "escape")
    if driver.app.screen.query(Form):
        await driver.press("escape", "tab", "enter")
    await driver.press("h")
    await driver.painted()


async def visit(driver: Driver, walks: Mapping[str, str]) -> list["weakref.ref[Widget]"]:
    """Walk there and back; every widget that came on the way."""
    places = [*dict.fromkeys(keys[0] for keys in walks.values() if keys[1:])]
    await driver.press(*places)
    await leave(driver)
    came: list[weakref.ref[Widget]] = []
    for name, keys in walks.items():
        known = weakref.WeakSet(driver.app._registry)
        await driver.press(*(_NAMES.get(key, key) for key in keys))
        await driver.painted()
        fresh = [node for node in driver.app._registry if isinstance(node, Widget) and node not in known]
        assert fresh, f"{name}: nothing was opened\n{driver.text}"
        came += map(weakref.ref, fresh)
        del fresh
        await leave(driver)
    await driver.press(*places, "j", "k", "h")  # what was pressed last may still be known
    return came


def left_over(app: LinkdashApp, came: Sequence["weakref.ref[Widget]"]) -> list[str]:
    """Return what of this is no part of the app any more and there all the same."""
    gc.collect()
    return [repr(widget) for known in came if (widget := known()) is not None and widget not in app._registry]


async def test_a_form_that_was_left_is_let_go_of(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        came = await visit(driver, FORM)
        await wait_until(lambda: not left_over(driver.app, came), lambda: str(left_over(driver.app, came)))


@pytest.mark.long
async def test_whatever_was_left_is_let_go_of(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo) as driver:
        came = await visit(driver, ALL)
        await wait_until(lambda: not left_over(driver.app, came), lambda: str(left_over(driver.app, came)))


async def test_a_place_out_of_sight_keeps_no_line_it_was_drawn_of(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        pixels = driver.app.screen
        assert driver.text, "it is drawn"
        assert lines_of(pixels)
        await driver.go("domains")
        assert not lines_of(pixels)


def lines_of(screen: Widget) -> int:
    """Return how many lines are kept of what a screen was drawn of."""
    return sum(len(widget._styles_cache._cache) for widget in screen.walk_children(Widget, with_self=True))
