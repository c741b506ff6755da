"""Deletes: by no slip, of no neighbour, and with what goes along named."""

from typing import Any

import pytest
from textual.strip import Strip

from linkdash.api.resources.domains import Domain
from linkdash.demo import DemoSettings
from linkdash.demo.server import Running
from linkdash.widgets.window_screen import Dimmed
from tests.conftest import RunApp, StartDemo
from tests.screens.clock import HoldingClock
from tests.screens.hand import Hand
from tests.service.visitor import Visitor
from tests.waiting import wait_until


async def test_a_neighbour_is_safe_when_the_record_goes_while_the_question_is_open(
    demo: Running, app_clock: HoldingClock, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.press("j")
        pixel = driver.screen.row
        assert pixel is not None
        title = driver.screen.resource.title_of(pixel)
        assert title.endswith(f" ({pixel.id})")
        service.write("DELETE", f"/api/pixel/{pixel.id}/delete")
        listing = driver.screen.collection.listing
        with app_clock.held():
            await hand.press("r")
            await hand.ask("d")
        await wait_until(lambda: not listing.loading)
        assert f"Delete {title}?" in driver.text
        await hand.press("y")
        await hand.sent(2)
        assert hand.writes == [f"DELETE /api/pixel/{pixel.id}/delete"] * 2
        assert driver.toasts[-1] == f"Pixel {pixel.id} was not found."
        assert service.read("/api/pixels")["data"]["result"] == 129, "nothing happened to its neighbours"


async def test_a_delete_that_waits_for_its_turn_is_cancelled(start_demo: StartDemo, run_app: RunApp) -> None:
    demo = start_demo(DemoSettings(rate=1))
    async with run_app(demo, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        pixel = driver.screen.row
        assert pixel is not None
        await hand.ask("d")
        await hand.press("y")
        gate = driver.app.session.gate
        await wait_until(lambda: bool(gate.state.queued))
        assert driver.toasts[-1].startswith(f"Queued: delete pixel {pixel.id}")
        assert driver.toasts[-1].endswith("esc cancels it.")
        said = len(driver.toasts)
        await driver.wait_for("delete queued, esc cancels it")
        assert driver.screen.unsaved == "1 change queued"
        question = " ".join((await hand.ask("q")).split())
        assert f"Not sent yet, and not sent any more: delete pixel {pixel.id}" in question
        assert hand.listed == [], "nothing that was sent"
        await hand.press("escape", "u")
        await wait_until(lambda: len(driver.toasts) > said)
        assert driver.toasts[-1].startswith(f"Queued: delete pixel {pixel.id}")
        assert not hand.asks(), "no edit of another record is offered"
        await hand.press("escape")
        await wait_until(lambda: driver.toasts[-1].startswith(f"Cancelled: delete pixel {pixel.id}"))
        assert not gate.state.queued
        assert hand.writes == []
        assert driver.screen.row == pixel
        await hand.press("escape")
        assert driver.toasts[-1].startswith("esc has nothing to close here"), "and from then on it goes back"


async def test_the_safe_answer_has_the_focus_and_the_name_of_a_domain_is_typed(
    demo: Running, service: Visitor, run_app: RunApp
) -> None:
    async with run_app(demo, place="channels") as driver:
        hand = Hand(driver)
        await driver.settled()
        channel = driver.screen.row
        assert channel is not None
        title = driver.screen.resource.title_of(channel)
        assert title.endswith(f" ({channel.id})")
        items = service.read(f"/api/channel/{channel.id}")["data"]["result"]
        question = await hand.ask("d")
        assert f"Delete {title}?" in question
        assert f"{items} items will be unassigned" in question
        assert "A delete cannot be undone" not in question
        assert "u fills in a new one, with another id." in " ".join(question.split())
        assert driver.lines[-1].split() == ["esc", "Cancel", "y", "Delete"]
        await hand.press("d")
        assert hand.asks(), "the trigger is no answer"
        await hand.press("enter")
        assert not hand.asks(), "enter takes the safe answer"
        await hand.ask("d")
        await hand.press("escape")
        assert hand.writes == []

        await hand.ask("d")
        await hand.press("y")
        await hand.sent(1)
        await wait_until(lambda: driver.table.cursor_key != channel.id)
        assert hand.writes == [f"DELETE /api/channel/{channel.id}/delete"]
        assert driver.screen.collection.listing.page_of(channel.id) is None
        assert driver.screen.collection.listing.total == 29
        assert driver.toasts[-1].startswith(f"Done delete channel {channel.id}")
        assert service.read("/api/channels")["data"]["result"] == 29
        await driver.go("domains")
        domain = driver.screen.row
        assert isinstance(domain, Domain)
        name = domain.domain
        question = await hand.ask("d")
        assert f"Type {name} to continue" in question
        assert "Short links on it stop working." in question
        await hand.press("y", "enter")
        assert hand.asks(), "neither y nor a wrong name is an answer"
        await hand.press("backspace")
        await hand.paste(name)
        await hand.press("enter")
        await hand.sent(2)
        assert hand.writes[1:] == [f"DELETE /api/domain/{domain.id}/delete"]
        assert service.read("/api/domains")["data"]["result"] == 11


async def test_who_deletes_the_own_user_is_told_so_before(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="users") as driver:
        hand = Hand(driver)
        await driver.settled()
        await driver.read("account")
        await driver.settled()
        driver.table.move_to_key(2)
        assert "is you" not in await hand.ask("d")
        await hand.press("escape")
        driver.table.move_to_key(1)
        assert "dmitri.gruber is you." in await hand.ask("d")
        await hand.press("escape")
        await hand.press("space", "space")
        question = await hand.ask("d")
        assert "Delete 2 users?" in question
        assert "dmitri.gruber is you." in question
        await hand.press("escape")
        assert hand.writes == []


async def test_what_lies_below_a_question_is_not_drawn_again_for_each_answer(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, draws = Dimmed.render_strips, 0

    def counted(*asked: Any) -> list[Strip]:
        nonlocal draws
        draws += 1
        return draw(*asked)

    monkeypatch.setattr(Dimmed, "render_strips", counted)
    async with run_app(demo, place="domains") as driver:
        await driver.settled()
        await driver.press("d")
        await driver.wait_for("to continue")
        before = draws
        await driver.press("tab")
        assert "to continue" in driver.text
        assert draws == before > 0
