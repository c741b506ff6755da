"""Assigning: ids typed, a channel picked by name, several at once through the bulk machinery."""

import re

import pytest

from linkdash.api.resources.qr import QrCode
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.resources.channels import read_ids, read_items, write_ids, write_items
from linkdash.screens.resources.channels import ChannelItemsScreen
from tests.conftest import RunApp
from tests.postgres import PostgresServer
from tests.screens.hand import Hand, stored
from tests.screens.two_desks import two_desks
from tests.service.visitor import Visitor
from tests.waiting import wait_until


@pytest.mark.parametrize("text", ["12", " 12 ", "12,12", "12;12, 12"])
def test_an_id_is_read_once(text: str) -> None:
    assert read_ids(text) == (12,)
    assert write_ids(text) == "12"


@pytest.mark.parametrize("text", ["", " ", ",", "0", "-3", "3-5", "x", "1.5", "1 two", "²"])
def test_what_is_no_id_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="one or more ids"):
        read_ids(text)


def items(service: Visitor, channel: int, type: str) -> set[int]:
    """The items of a type that the service has in a channel."""
    rows = service.read(f"/api/channel/{channel}?limit=100")["data"]["items"]
    return {row["id"] for row in rows if row["type"] == type}


@pytest.mark.nightly
async def test_several_items_are_put_into_a_channel_and_one_link_into_a_campaign(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        channel = driver.screen.row
        assert channel is not None
        assert items(service, channel.id, "bio") == set()
        await hand.press("space")
        await hand.open("a")
        await hand.press("ctrl+s")
        assert hand.problems() == {"items": "Required"}
        await hand.fill({"items": "bio:3, 999 3 5"})
        question = await hand.ask("ctrl+s")
        assert re.search(rf"bio page 3 to .+ \({channel.id}\)", question)
        assert "3 requests, now" in question
        await hand.press("escape")
        assert hand.typed("items") == "bio:3, 999 3 5", "a question that was declined loses nothing"
        assert hand.writes == []
        await hand.ask("ctrl+s")
        await hand.press("y")
        await hand.see("Finished · 2 done, 1 failed")
        assert items(service, channel.id, "bio") == {3, 5}
        assert hand.writes == [f"POST /api/channel/{channel.id}/assign/bio/{id}" for id in (3, 999, 5)]
        await hand.press("escape")
        assert not hand.has_form()
        assert driver.table.marks == {channel.id}, "one of its items failed"

        await driver.go("campaigns")
        campaign = driver.screen.row
        assert campaign is not None
        await hand.open("a")
        await hand.press(*"7777")
        await hand.save()
        assert hand.note == "Link 7777 was not found."
        await hand.press("ctrl+u", "7")
        await hand.save()
        assert not hand.has_form()
        assert hand.writes[3:] == [f"POST /api/campaign/{campaign.id}/assign/{id}" for id in (7777, 7)]
        assert driver.toasts[-1].startswith("Assigned Product launch")


async def test_selected_codes_are_put_into_a_channel_picked_by_name(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    wanted = stored(service, "/api/channels", 20)
    async with run_app(demo, place="qr") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("space", "space")
        selected = set(driver.table.marks)
        await hand.open("a")
        assert driver.asked[-1] == "GET /api/channels?limit=100&page=1"
        await hand.fill({"channel_id": wanted["name"]})
        await hand.ask("ctrl+s")
        assert len(hand.listed) == 2
        assert all(line.endswith(f"to {wanted['name']} (20)") for line in hand.listed)
        await hand.press("y")
        await hand.see("Finished · 2 done")
        assert selected <= items(service, 20, "qr")
        await hand.press("escape")
        await wait_until(lambda: not driver.table.marks)
        await driver.go("channels")
        assert driver.asked.count("GET /api/channels?limit=100&page=1") == 1, "what was loaded is there"


def test_items_are_read_with_what_they_are() -> None:
    assert read_items("qr:12, 13, links:4") == (("qr", 12), ("qr", 13), ("links", 4))
    assert write_items("qr:12 qr:12, ") == "qr:12"
    for text in ("12", "page:3", ""):
        with pytest.raises(ValueError, match="use qr:12"):
            read_items(text)


@pytest.mark.nightly
async def test_what_is_put_into_a_channel_is_chosen_by_name(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr") as driver:
        hand = Hand(driver)
        await driver.settled()
        codes = driver.screen.collection.records
        await driver.go("channels")
        asked = len(driver.asked)
        channel = driver.screen.row
        assert channel is not None
        await hand.open("a")
        name = getattr(codes[7], "name")  # noqa: B009  the screens know no resource's fields
        await hand.press(*name.casefold(), "enter", *"qr:3")
        assert hand.typed("items") == f"qr:{codes[7].id}, qr:3"
        assert len(driver.asked) == asked
        await hand.ask("ctrl+s")
        assert len(hand.listed) == 2


async def test_after_an_assignment_the_channel_is_read_anew(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        before = driver.screen.collection.listing.total
        assert before is not None
        await hand.press("escape")
        await driver.settled()
        await hand.open("a")
        await hand.fill({"items": "bio:3"})
        await hand.save()
        await hand.press("enter")
        await driver.opened(ChannelItemsScreen)
        await driver.settled()
        assert driver.screen.collection.listing.total == before + 1


async def test_an_assignment_that_another_machine_has_finished_is_told_and_not_sent_again(
    demo: Running, run_app: RunApp, postgresql: PostgresServer
) -> None:
    async with two_desks(demo, run_app, postgresql, "channels") as (mine, theirs):

        async def assign() -> None:
            await mine.open("a")
            await mine.fill({"items": "bio:3, bio:5"})
            await mine.ask("ctrl+s")
            await mine.press("y")

        demo.service.faults.next("POST", "/api/channel/*", Fault())
        demo.service.faults.next("POST", "/api/channel/*", Fault(handled=False, status=401))
        await assign()
        await mine.see("Paused: ")
        await mine.press("d")
        await mine.see("p resumes it")
        await mine.press("escape")
        await theirs.press("B")
        await theirs.see("p resumes it")
        await theirs.press("p")
        await theirs.see("Finished · 2 done")
        sent = len(mine.writes)
        await assign()
        await wait_until(lambda: any("All of it was done" in toast for toast in mine.driver.toasts))
        assert "laptop@laptop" in next(toast for toast in mine.driver.toasts if "All of it was done" in toast)
        await mine.see("Finished · 2 done")
        assert len(mine.writes) == sent, "nothing twice"
        await mine.press("escape")
        await assign()
        await wait_until(lambda: len(mine.writes) == sent + 2)


async def test_a_form_of_one_field_is_as_high_as_that_below_the_table(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="qr", size=(80, 24)) as driver:
        hand = Hand(driver)
        await driver.settled()
        code = driver.screen.row
        assert isinstance(code, QrCode)
        await hand.open("a")
        await driver.painted()
        assert driver.screen.pane.outer_size.height <= 8
        assert f"Assign to a channel: QR code {code.name} ({code.id})" in driver.text
