"""Recent and watched records by keys."""

from linkdash.api.resources.channels import ChannelItem
from linkdash.demo.server import Running
from linkdash.screens.resources.channels import ChannelItemsScreen
from linkdash.screens.windows.picker import PickerScreen
from tests.conftest import RunApp
from tests.screens.hand import Hand
from tests.waiting import wait_until


async def test_a_letter_goes_to_a_record_that_was_opened_or_is_watched_and_that_is_told_where_keys_are(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="channels", size=(140, 40)) as driver:
        await driver.settled()
        await driver.press("R")
        assert driver.toasts[-1] == "No record was opened or watched yet."
        await driver.press("j")
        channel = driver.screen.row
        assert channel is not None
        await driver.press("enter")
        await driver.opened(ChannelItemsScreen)
        await driver.press("escape")
        await driver.go("qr")
        code = driver.screen.collection.records[3]
        await driver.app.session.recents.watch([(code.id, code.name)])  # type: ignore[attr-defined]  # it has one
        await driver.press("2")
        await driver.wait_for("R opens one")
        await driver.settled()
        asked = len(driver.asked)
        await driver.press("R")
        picker = driver.app.screen
        assert isinstance(picker, PickerScreen)
        told = [(choice.key, choice.value) for choice in picker.choices]
        assert told == [("a", f"channel {channel.id}"), ("b", f"QR code {code.id}, watched")]
        await driver.press("b")
        await wait_until(lambda: driver.app.current_mode == "qr" and driver.table.cursor_key == code.id)
        await driver.press("R", "a")
        await wait_until(
            lambda: driver.app.current_mode == "channels" and driver.table.cursor_key == channel.id
        )
        assert len(driver.asked) == asked
        driver.screen.collection.put(channel.model_copy(update={"name": "Renamed since"}))
        await driver.press("R")
        await driver.opened(PickerScreen)
        picker = driver.app.screen
        assert isinstance(picker, PickerScreen)
        assert "Renamed since" in [choice.label for choice in picker.choices]
        await driver.press("escape", "h")
        await driver.wait_for("dmitri.gruber")
        await driver.press("colon", *"watched code")
        await driver.wait_for("Go to a record that was opened last, or to a watched code")


async def test_a_record_that_was_opened_or_changed_is_recent_also_where_its_details_show_all_of_it(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels", size=(140, 40)) as driver:
        hand, recents = Hand(driver), driver.app.session.recents
        await driver.settled()
        seen, edited = (record.id for record in driver.screen.collection.records[:2])
        await driver.press("enter")
        assert driver.toasts[-1].startswith("Its row and the details show all of pixel ")
        driver.table.move_to_key(edited)
        await hand.open("e")
        await hand.fill({"name": "Renamed"})
        await hand.save()
        await wait_until(lambda: len(recents.recent) == 2)
        assert [(one.resource, one.id) for one in recents.recent] == [("pixels", edited), ("pixels", seen)]
        await driver.press("j", "j")
        assert len(recents.recent) == 2, "a row that the cursor passes is none"


async def test_an_item_of_a_channel_is_not_taken_for_a_channel_with_its_id(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="channels") as driver:
        await driver.settled()
        driver.table.move_to_key(29)
        await driver.press("enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        items = [row for row in driver.screen.collection.listing.rows if isinstance(row, ChannelItem)]
        driver.table.move_to_key(next(item for item in items if item.type == "links").key)
        await driver.press("enter")
        assert [(one.resource, one.id) for one in driver.app.session.recents.recent] == [("channels", 29)]
