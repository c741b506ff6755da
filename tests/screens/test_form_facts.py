"""Facts in a form before anything is sent: of a code, and the plan a user has."""

import re

from textual.widgets import Static

from linkdash.api.resources.users import User
from linkdash.demo.server import Running
from linkdash.model.resources.users import RESOURCE
from linkdash.screens.writes.qr_preview import PreviewWindow, code_facts, contrast_fact
from linkdash.widgets.form.field_rows import FieldRow
from tests.conftest import RunApp
from tests.screens.driver import shown
from tests.screens.hand import Hand
from tests.waiting import resize, wait_until


def said(lines: list[list[object]]) -> list[str]:
    return ["".join(getattr(piece, "text", "") for piece in line) for line in lines]


def test_colors_that_no_scanner_tells_apart_are_called_so() -> None:
    black_on_white, yellow_on_white = contrast_fact(None, None), contrast_fact((255, 240, 0), None)
    assert said([[*black_on_white]]) == ["✓ contrast 21.0"]
    assert said([[*yellow_on_white]])[0].startswith("✗ contrast 1.")


def test_the_size_of_a_code_is_told_with_what_is_in_it() -> None:
    assert said([[*code_facts("https://harbor.example/menu")]]) == ["✓ 25 × 25 modules, 27 characters"]


async def test_a_code_without_room_to_be_whole_gives_way_to_its_facts_and_the_key_that_shows_it(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(80, 24), keys={"form.preview": "f6"}) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.fill({"type": "link", "data.link.link": "https://example.org/menu"})
        await driver.wait_for("✓ contrast 21.0")
        await driver.wait_for("✓ 25 × 25 modules, 24 characters")
        await driver.wait_for("f6 shows the code large.")
        assert not hand.form.query_one("#preview-code").display
        await driver.press("f6")
        await driver.wait_for("https://example.org/menu         │")
        await driver.press("escape")
        await resize(driver.pilot, 80, 50)
        await wait_until(lambda: hand.form.query_one("#preview-code").display)
        await driver.painted()
        assert "✓ 25 × 25 modules" in driver.text
        await hand.fill({"foreground": "#2e59"})
        await driver.press("f6")
        await driver.wait_for("The code in black: fix the color")
        await driver.press("escape")
        await driver.wait_for("– contrast:")
        assert "contrast 21.0" not in driver.text, "of a color that there is none of"


async def test_a_code_is_shown_twice_as_large_as_in_its_form_where_there_is_room(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.fill({"type": "link", "data.link.link": "https://example.org/menu"})
        await driver.press("f3")
        await driver.opened(PreviewWindow)
        code = driver.app.screen.query_one("#code")
        side, margins = 25, 8
        await wait_until(lambda: code.size == (2 * (side + margins), side + margins))
        await resize(driver.pilot, 80, 24)
        await wait_until(lambda: code.size.height < side)
        await driver.painted()
        assert "enlarge" not in driver.text, "as large as there is room for"


async def test_what_is_not_known_of_a_code_is_not_drawn_and_what_was_sent_from_here_is(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        await driver.wait_for("– colors unknown")
        assert "contrast 21.0" not in driver.text
        await hand.press("escape")
        await hand.open("n")
        await hand.fill({"type": "phone", "data.phone.phone": "+49 30 1", "foreground": "#112233"})
        await hand.save()
        await hand.sent(1)
        await driver.wait_for("as sent")
        assert re.search(r"Content: .*as sent from here at \d{4}-\d\d-\d\d", driver.details), driver.details
        assert "Foreground: ██ rgb(17,34,51)" in driver.details
        await hand.open("e")
        await driver.wait_for("✓ contrast 1")
        await driver.wait_for("f3 shows the code large.")
        assert hand.form.draft.text("data.phone.phone") == "+49 30 1"
        assert "not shown by the service" not in driver.text


async def test_a_text_that_is_too_long_for_a_code_says_so_and_ends_nothing(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(80, 50)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.fill({"type": "text", "data.text.text": "short"})
        await driver.wait_for("✓ contrast 21.0")
        await hand.fill({"data.text.text": "x" * 4000})
        await driver.wait_for("the text is too long for a QR code")
        await hand.fill({"data.text.text": "short again"})
        await driver.wait_for("✓ contrast 21.0")


async def test_of_a_network_that_was_made_here_only_the_password_is_typed_again(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("n")
        await hand.fill({"type": "wifi", "data.wifi.ssid": "Guests", "data.wifi.password": "correct-horse"})
        await driver.press("f3")
        await driver.opened(PreviewWindow)
        await driver.wait_for("Guests · WPA")
        assert "correct-horse" not in driver.text
        await driver.press("escape")
        await hand.save()
        await hand.sent(1)
        await hand.open("e")
        assert shown(hand.form.query_one(".form-facts", Static)).startswith(
            "Password is not kept: type it again"
        )
        focused = driver.app.screen.focused
        assert focused is not None
        row = focused.query_ancestor(FieldRow)
        assert row.field.name == "data.wifi.password"
        assert hand.form.draft.text("data.wifi.ssid") == "Guests"
        await hand.fill({"data.wifi.password": "battery-staple", "foreground": "#112233"})
        await hand.save()
        await hand.sent(2)
        last = [entry for entry in demo.service.log if entry.method == "PUT"][-1]
        assert {*last.members} == {"data", "foreground"}


async def test_that_a_code_cannot_be_renamed_is_told_where_it_would_be_and_found_nowhere(
    demo: Running, run_app: RunApp
) -> None:
    async with run_app(demo, place="qr", size=(140, 40)) as driver:
        hand = Hand(driver)
        await driver.settled()
        await hand.open("e")
        facts = hand.form.query_one(".form-facts", Static)
        assert shown(facts).endswith(" · Name cannot be changed")
        await hand.press("escape")
        assert not any("rename" in action.found_by for action in driver.screen.actions)
        await driver.go("pixels")
        assert any("rename" in action.found_by for action in driver.screen.actions)
        await hand.open("e")
        assert "cannot be changed" not in driver.text


def user(id: int, plan: int, expires: str | None) -> User:
    return User.model_validate(
        {"id": id, "username": f"u{id}", "email": "", "planid": plan, "expires": expires}
    )


def test_the_plan_that_users_pay_for_is_filled_in() -> None:
    assignment = RESOURCE.assignment
    assert assignment is not None
    paid, other = user(1, 3, "2026-12-01 00:00:00"), user(2, 2, "2026-12-01 00:00:00")
    assert assignment.start([paid, user(4, 3, "2027-01-01 00:00:00")]) == {
        "plan_id": 3,
        "type": "monthly",
    }
    assert assignment.start([paid, other]) == {}
    assert assignment.start([user(3, 1, None)]) == {}
