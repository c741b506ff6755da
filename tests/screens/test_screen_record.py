"""The record under the cursor handed on: copied, opened in a browser, read as the service sent it."""

import json
import re

import pytest
from textual.widgets import OptionList, Static

from linkdash.api.http.secrecy import MASK
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.link_host import hidden_host
from tests.conftest import RunApp
from tests.screens.driver import Driver
from tests.service.visitor import Visitor
from tests.waiting import wait_until
from tests.widgets.sample import drawn

COMMANDS = ["As a command", "This list as a command", "This page as curl"]
"""Without a curl for the record alone: the service has no address of a pixel."""


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were handed to the browser, which is not started."""
    addresses: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", addresses.append)
    return addresses


async def test_a_users_key_is_masked_everywhere(demo: Running, run_app: RunApp) -> None:
    key = demo.api_key
    async with run_app(demo, place="users") as driver:
        await driver.settled()
        assert f"API key: {MASK}" in driver.details
        assert key not in driver.text
        await driver.press("v")
        raw = page(driver)
        assert f'"apikey": "{MASK}"' in raw
        assert '"username": "dmitri.gruber"' in raw
        assert key not in raw + driver.text
        await driver.press("y")
        assert json.loads(driver.app.clipboard)["apikey"] == MASK
        await driver.press("escape", "y")
        assert not [label for label in choices(driver) if "key" in label.lower()]
        await driver.press("j")
        assert json.loads(driver.app.clipboard)["apikey"] == MASK


async def test_a_part_of_the_record_is_copied_and_its_links_are_opened_in_the_browser(
    demo: Running, twin: Visitor, run_app: RunApp, opened: list[str]
) -> None:
    pixel = twin.read("/api/pixels?limit=1")["data"]["pixels"][0]
    async with run_app(demo, place="pixels") as driver:
        await driver.settled()
        await driver.press("y")
        parts = ["Id", "Name", "Type", "Tag", "Created", "Row", "JSON"]
        assert choices(driver) == [*parts, *COMMANDS]
        assert "curl … /api/pixels?limit=100&page=1" in driver.text, "the part of it that is its own"
        await driver.press("a")
        assert driver.app.clipboard == pixel["tag"]
        assert driver.toasts == ["Tag: sent to the terminal's clipboard."]
        await driver.press("y", "j")
        assert json.loads(driver.app.clipboard) == pixel
        await driver.press("y", "r")
        assert driver.app.clipboard.split("\t")[:4] == ["130", pixel["name"], pixel["type"], pixel["tag"]]
        await driver.press("y", "escape")
        assert len(driver.toasts) == 3, "nothing is copied by going back"

        await driver.press("o")
        assert driver.toasts[-1] == "This pixel has no link to open."
        await driver.go("qr")
        await driver.press("o")
        assert opened == ["https://lnk.example/qr/27bfa4d"]
        await driver.go("domains")
        await driver.press("o")
        assert choices(driver) == ["Domain", "Root redirect", "404 redirect"]
        await driver.press("j", "enter")
        assert opened[1:] == ["https://www.riverside-clinic.example/"]
        link = "https://bank.example@evil.example/"
        data = {"result": 1, "currentpage": 1, "maxpage": 1, "domains": [{"id": 1, "domain": link}]}
        answer = Fault(content=json.dumps({"error": 0, "data": data}).encode())
        demo.service.faults.next("GET", "/api/domains", answer)
        await driver.refresh()
        await driver.press("o")
        await driver.wait_for("Open evil.example?")
        await driver.press("o", "enter")
        assert len(opened) == 2, "the safe answer has the focus"
        await driver.press("o")
        await driver.wait_for("Open evil.example?")
        await driver.press("y")
        await wait_until(lambda: opened[2:] == [link])


@pytest.mark.parametrize(
    ("link", "host"),
    [
        ("https://bank.example/?a=@b", ""),
        ("https://BANK.example:8443/x", ""),
        ("http://[::1]:8080/", ""),
        ("https://user:pass@bank.example@evil.example/", "evil.example"),
        ("https://b\u0430nk.example/", "xn--bnk-6cd.example"),
        ("https://bank.example\\@evil.example/", "evil.example"),
        ("https://bank.example\u2215.evil.example/", "bank.xn--example-if0d.evil.example"),
        ("https://[::1/", "nowhere"),
    ],
)
def test_a_host_that_a_link_does_not_show_plainly_is_named(link: str, host: str) -> None:
    assert hidden_host(link) == host


def choices(driver: Driver) -> list[str]:
    """The labels in the list of choices on the screen, without the letter before each."""
    options = driver.app.screen.query_one(OptionList).options
    return [re.sub("^ . ", "", str(option.prompt)).split("  ")[0] for option in options]


def page(driver: Driver) -> str:
    """The text in the viewer, all of it."""
    return "\n".join(line.rstrip() for line in drawn(driver.app.screen.query_one("#page Static", Static)))
