"""Copies of what is on the screen: parts of a record, and the commands that do the same."""

import shlex

from textual.widgets import OptionList

from linkdash.commands.parser import parser
from linkdash.demo.server import Running
from linkdash.screens.statistics.statistics import StatisticsScreen
from linkdash.screens.windows.picker import PickerScreen
from tests.conftest import RunApp
from tests.screens.driver import Driver, shown
from tests.screens.exports import choose
from tests.screens.hand import Hand
from tests.waiting import wait_until


async def copied(driver: Driver, label: str) -> str:
    """Press the key of a label in the list that is open; what the clipboard has then."""
    before = len(driver.toasts)
    await choose(driver, PickerScreen, label)
    await wait_until(lambda: len(driver.toasts) > before)
    return driver.app.clipboard


def command(text: str) -> dict[str, object]:
    """Return what linkdash itself understands of a command."""
    program, *words = shlex.split(text)
    assert program == "linkdash"
    return vars(parser().parse_args(words))


async def test_every_choice_is_in_sight_in_the_lowest_terminal(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels", size=(60, 15)) as driver:
        await driver.settled()
        await driver.press("y")
        await driver.painted()
        assert "p This page as curl" in driver.text


async def test_a_record_and_its_list_are_commands(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr") as driver:
        await driver.settled()
        id = driver.table.cursor_key
        await driver.press("y")
        assert await copied(driver, "As a command") == f"linkdash get qr {id}"
        await driver.press("y")
        curl = await copied(driver, "As curl")
        assert curl.endswith(f"{demo.base_url}/api/qr/{id}")
        assert demo.api_key not in curl
        assert '"Authorization: Bearer $LINKDASH_API_KEY"' in curl
        await driver.press("enter")
        await wait_until(lambda: isinstance(driver.app.screen, StatisticsScreen))
        await driver.press("y")
        assert await copied(driver, "As a command") == f"linkdash stats {id} --since 7d"
        await driver.press("y")
        assert (await copied(driver, "As curl")).endswith(f"{demo.base_url}/api/qr/{id}")
        await driver.press("y")
        assert (await copied(driver, "Link")).startswith("https://")
        await driver.press("escape", "slash", *"scans>10", "enter")
        driver.screen.collection.order_by([("scans", True), ("name", False)])
        await driver.press("y")
        flags = command(await copied(driver, "This list as a command"))
        assert (flags["resource"], flags["filter"], flags["sort"]) == ("qr", "scans>10", "-scans,name")


async def test_below_the_list_stands_the_value_alone_and_the_list_stays_where_it_is(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("y")
        await driver.opened(PickerScreen)
        assert driver.app.screen.query_one("#value").size.height == 1
        top = driver.app.screen.query_one(OptionList).region
        await driver.press(*["down"] * 6)
        await wait_until(lambda: driver.app.screen.query_one("#value").size.height > 1)
        await driver.painted()
        assert driver.app.screen.query_one(OptionList).region == top


async def test_the_list_is_as_wide_as_its_longest_value_where_the_screen_is(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels", size=(200, 50)) as driver:
        await driver.settled()
        await driver.press("y")
        await driver.opened(PickerScreen)
        await driver.wait_for("j JSON")
        await wait_until(lambda: any("j JSON" in line and "}" in line for line in driver.lines))


async def test_an_empty_list_a_form_and_what_is_set_on_many_are_commands_and_nothing_is_sent(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("slash", *"nowhere", "enter", "y")
        flags = command(await copied(driver, "This list as a command"))
        assert (flags["resource"], flags["filter"]) == ("pixels", "nowhere")
        await driver.press("escape")

        hand = Hand(driver)
        await hand.open("space", "space", "e")
        await hand.fill({"name": "Autumn"})
        await hand.press("f2")
        lines = (await copied(driver, "As a command")).splitlines()
        assert [line.split()[1] for line in lines] == ["update", "update"]
        assert all("name=Autumn" in line for line in lines)
        await hand.press("escape")
        await driver.wait_for("Discard changes?")
        await hand.press("y")
        await wait_until(lambda: not hand.has_form())

        await hand.open("n")
        await hand.press("f2")
        assert hand.note == "✗ Fix 3 fields"
        await hand.fill({"type": "bing", "name": "Spring", "tag": "1"})
        await hand.press("f2")
        flags = command(await copied(driver, "As a command"))
        assert flags["members"] == ["type=bing", "name=Spring", "tag=1"]
        await hand.press("f2")
        assert (await copied(driver, "As curl")).endswith(f"{demo.base_url}/api/pixel/add")
        assert hand.writes == []
        await hand.save()
        assert hand.writes == ["POST /api/pixel/add"], "it is still there and can be saved"


async def test_a_long_value_is_shown_whole_and_the_last_choice_comes_first(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels", size=(80, 24)) as driver:
        await driver.settled()
        await driver.press("y", "end")
        await driver.opened(PickerScreen)
        picker = driver.app.screen
        assert isinstance(picker, PickerScreen)
        value = picker.choices[-1].value
        assert len(value) > 80
        whole = picker.query_one("#value-text")
        await wait_until(lambda: "".join(shown(whole).split()) == "".join(value.split()))
        assert picker.query_one("#value").outer_size.height == 1 + 3, "no empty rows below it"
        assert "More" not in driver.lines[-1]
        json = next(number for number, choice in enumerate(picker.choices) if choice.label == "JSON")
        picker.query_one(OptionList).highlighted = json
        await driver.wait_for("shift+↓ More")
        assert picker.query_one("#value").outer_size.height == 1 + 4, "the beginning of a longer one"
        await driver.press("end")
        await driver.press("enter", "y")
        await wait_until(lambda: driver.app.screen is not picker and bool(driver.toasts))
        await driver.opened(PickerScreen)
        again = driver.app.screen
        assert isinstance(again, PickerScreen)
        assert again.choices[0] == picker.choices[-1]
        assert {choice.label: choice.key for choice in again.choices} == {
            choice.label: choice.key for choice in picker.choices
        }
