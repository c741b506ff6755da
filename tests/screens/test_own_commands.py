"""The user's own commands: offered where they belong, run without a shell, their output shown."""

import json
import re
import sys
import threading

import pytest

from linkdash.api.errors import Misconfigured
from linkdash.api.inert_text import inert
from linkdash.demo.server import Running
from linkdash.model.configuration_file import CommandSetting, Scope
from linkdash.screens.key_clashes import check_keys, key_contexts
from linkdash.screens.lists.own_commands import own_id
from tests.conftest import RunApp
from tests.waiting import wait_until

SHOW = """
import os, sys
print(os.environ["RECORD_ID"], [name for name in os.environ if name.startswith("LINKDASH")])
print(sys.stdin.read())
"""
TICKET = CommandSetting(key="ctrl+t", label="Ticket", run=[sys.executable, "-c", SHOW], scope=["pixels"])
CHANGE = CommandSetting(key="f9", run=[sys.executable, "-c", ""], changes=True)


async def test_much_output_is_made_inert_beside_the_event_loop(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A megabyte of escape sequences takes two seconds."""
    threads = set[int]()

    def watched(text: str) -> str:
        if "printed" in text:
            threads.add(threading.get_ident())
        return inert(text)

    monkeypatch.setattr("linkdash.screens.lists.own_commands.inert", watched)
    command = CommandSetting(key="f9", run=[sys.executable, "-c", "print('\\x1b[1mprinted')"])
    async with run_app(demo, place="pixels", commands={"mine": command}) as driver:
        await driver.settled()
        await driver.press("f9")
        await driver.wait_for("printed")
    assert len(threads) == 1
    assert threads != {threading.get_ident()}


async def test_one_is_run_on_a_record_and_its_output_or_what_it_lacks_and_its_failure_is_shown(
    demo: Running, run_app: RunApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINKDASH_SECRET", "geheim")
    commands = {
        "ticket": TICKET,
        "b": CommandSetting(key="f8", run=["/no/such/program"]),
        "c": CommandSetting(key="f9", run=[sys.executable, "-c", "print('\\x1b[2J'); raise SystemExit(3)"]),
    }
    async with run_app(demo, place="pixels", size=(110, 40), commands=commands) as driver:
        await driver.settled()
        asked = driver.asked
        await driver.press("space", "space", "ctrl+t")
        await driver.wait_for("128 []")
        await driver.press("y")
        rows = json.loads(driver.app.clipboard.partition("\n")[2])
        assert [row["id"] for row in rows] == [130, 129]
        assert driver.asked == asked
        await driver.press("escape", "question_mark")
        await driver.press(*"ticket")
        await driver.wait_for("ctrl+t")
        assert "Ticket" in driver.text
        await driver.press("escape", "colon", *"ticket")
        await driver.wait_for("Your own command")
        assert re.search(r"Your own command +ctrl\+t", driver.text)
        await driver.press("escape", "escape", "2")
        await driver.settled()
        await driver.press("ctrl+t")
        assert driver.toasts[-1] == "Ticket works on pixels."
        await driver.press("7")
        await driver.settled()
        await driver.press("f8")
        await wait_until(lambda: driver.toasts[-1].startswith("b failed cannot be run: "))
        await driver.press("f9")
        await driver.wait_for("\N{REPLACEMENT CHARACTER}[2J")
        assert driver.toasts[-1] == "c failed exit status 3."


async def test_what_changes_something_is_not_offered_in_read_only(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, place="pixels", read_only=True, commands={"change": CHANGE}) as driver:
        await driver.settled()
        await driver.press("f9")
        assert driver.toasts[-1] == "change This session is read-only."
        await driver.press("colon", *"own command")
        assert "(f9)" not in driver.text


@pytest.mark.parametrize(
    ("key", "scope", "owner"),
    [("n", ["pixels"], "new"), ("c", ["qr"], "compare"), ("2", [], "go-domains"), ("c", ["pixels"], None)],
)
def test_a_key_with_two_owners_is_refused_where_both_are(
    key: str, scope: list[Scope], owner: str | None
) -> None:
    commands = {"mine": CommandSetting(key=key, run=["true"], scope=scope)}
    own = {own_id(name): command.key for name, command in commands.items()}
    if owner is None:
        check_keys(own, key_contexts(commands))
        return
    with pytest.raises(Misconfigured, match="would be both") as refused:
        check_keys(own, key_contexts(commands))
    assert "command.mine" in str(refused.value)
    assert owner in str(refused.value)


async def test_what_was_left_out_of_the_configuration_is_told_inside(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, notices=("config.toml, line 7: theme is odd. It is left out.",)) as driver:
        await wait_until(lambda: any("line 7" in toast for toast in driver.toasts))
        await driver.press("b")
        await driver.wait_for("line 7")
