"""The user's own keys: clashes are found before the app opens, and named."""

import pytest

from linkdash.api.errors import Misconfigured
from linkdash.demo.server import Running
from linkdash.screens.key_clashes import check_keys, key_contexts
from linkdash.screens.key_names import is_key
from linkdash.screens.registry import every_screen
from tests.conftest import RunApp
from tests.screens.hand import Hand
from tests.waiting import wait_until

SHARED = {"b": "opens and closes the budget", "y": "agrees to either question of a form"}
"""Keys with two owners on purpose."""


def test_no_key_does_two_things() -> None:
    for context in key_contexts():
        owners: dict[str, set[str]] = {}
        for id, keys in context:
            for key in keys.split(","):
                owners.setdefault(key, set()).add(id)
        assert {key for key, ids in owners.items() if len(ids) > 1} <= SHARED.keys()


def test_a_period_is_chosen_by_the_same_key_on_every_screen() -> None:
    keys = {key for context in key_contexts() for id, key in context if id == "period"}
    assert keys == {"t"}
    labels = {action.label: action.id for screen in every_screen() for action in screen.ACTIONS}
    assert labels["Period"] == "period"
    assert "Time" not in labels


def test_a_free_key_is_taken() -> None:
    check_keys({"delete": "ctrl+d", "quit": "ctrl+q"}, key_contexts())


@pytest.mark.parametrize(
    ("keys", "owners"),
    [
        ({"delete": "e"}, ("delete", "edit")),
        ({"refresh": "x,/"}, ("refresh", "filter")),
        ({"go-users": "u"}, ("go-users", "undo")),
        ({"back": "j"}, ("back", "table.down")),
        ({"form.save": "escape"}, ("form.save", "form.close")),
        ({"refresh": "slash"}, ("refresh", "filter")),
        ({"refresh": "/", "filter": "slash"}, ("refresh", "filter")),
        ({"refresh": "ctrl+/", "filter": "ctrl+slash"}, ("refresh", "filter")),
        ({"refresh": "shift+ctrl+f5", "filter": "ctrl+shift+f5"}, ("refresh", "filter")),
        ({"refresh": "ctrl+m"}, ("refresh", "open")),
        ({"delete": "y", "copy": "Y"}, ("delete", "confirm")),
        ({"discard": "y"}, ("discard", "confirm")),
        ({"quit": "q,y", "copy": "Y"}, ("quit", "confirm")),
        ({"confirm": "d"}, ("delete", "confirm")),
        ({"confirm": "f2,q"}, ("quit", "confirm")),
    ],
)
def test_a_key_with_two_owners_is_refused_with_both_named(
    keys: dict[str, str], owners: tuple[str, str]
) -> None:
    with pytest.raises(Misconfigured) as refused:
        check_keys(keys, key_contexts())
    assert all(owner in refused.value.advice for owner in owners), "as the configuration names them"
    known = {id for context in key_contexts() for id, _ in context}
    assert not known & {*refused.value.what.rstrip(".").split()}, "in words as people read them"


async def test_a_question_is_answered_by_the_key_it_names(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, keys={"confirm": "f2", "delete": "y", "copy": "Y"}, place="pixels") as driver:
        hand = Hand(driver)
        await driver.settled()
        assert "Delete f2" in await hand.ask("y")
        await hand.press("y")
        assert hand.asks()
        await hand.press("f2")
        await hand.sent(1)


async def test_the_key_line_names_the_first_key_of_an_action(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, size=(140, 30), place="pixels") as driver:
        await driver.settled()
        await wait_until(lambda: "q Quit" in driver.text)
        assert "ctrl+q" not in driver.text
        await driver.press("ctrl+c")
        assert driver.toasts[-1] == "q quits."


def test_keys_that_change_places_do_not_clash() -> None:
    check_keys({"delete": "e", "edit": "d"}, key_contexts())


def test_every_key_that_comes_with_it_is_one() -> None:
    keys = {key for context in key_contexts() for _, keys in context for key in keys.split(",")}
    assert {key for key in keys if not is_key(key)} == set()


@pytest.mark.parametrize(
    "key",
    [
        "X",
        "ü",
        "%",
        "percent_sign",
        "exclamation_mark",
        "ctrl+slash",
        "f24",
        "insert",
        "alt+pageup",
        "ctrl+shift+d",
    ],
)
def test_a_key_may_be_written_as_a_character_or_by_its_name(key: str) -> None:
    check_keys({"quit": key}, key_contexts())


@pytest.mark.parametrize(
    "keys",
    [
        *("", ",", " ", "nonsensekeyname", "x,nonsense", "ctrl+", "ctrl++", "hold+x", "+x", "f25"),
        *("Escape", "<any>", "\x1b", "xx", "latin_small_letter_x", "solidus"),
    ],
)
def test_what_is_no_key_is_refused_in_one_line(keys: str) -> None:
    with pytest.raises(Misconfigured, match="quit has no key in") as refused:
        check_keys({"quit": keys}, key_contexts())
    assert str(refused.value).isprintable()


def test_an_unknown_action_is_named() -> None:
    with pytest.raises(Misconfigured, match="explode"):
        check_keys({"explode": "x"}, key_contexts())


async def test_a_key_that_the_user_has_given_up_names_the_new_one(demo: Running, run_app: RunApp) -> None:
    async with run_app(demo, keys={"undo": "z", "go-users": "f7", "budget": "f8"}, place="pixels") as driver:
        await driver.settled()
        for key, said in (
            ("u", "u does nothing here: Undo is on z now"),
            ("0", "0 does nothing here: Users is on f7 now"),
            ("b", "b does nothing here: Budget is on f8 now"),
        ):
            await driver.press(key)
            await driver.wait_for(said)
