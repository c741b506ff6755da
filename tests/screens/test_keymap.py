"""A person's own keys: clashes are found before the app opens, and named."""

import pytest

from linkdash.api.errors import Misconfigured
from linkdash.app import key_contexts
from linkdash.screens.keymap import check_keys

SHARED = {"enter": "the table opens, the screen says what that is", "b": "opens and closes the budget"}
"""Keys with two owners on purpose."""


def test_no_key_does_two_things() -> None:
    for context in key_contexts():
        owners: dict[str, set[str]] = {}
        for id, keys in context:
            for key in keys.split(","):
                owners.setdefault(key, set()).add(id)
        assert {key for key, ids in owners.items() if len(ids) > 1} <= SHARED.keys()


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
    ],
)
def test_a_key_with_two_owners_is_refused_with_both_named(
    keys: dict[str, str], owners: tuple[str, str]
) -> None:
    with pytest.raises(Misconfigured) as refused:
        check_keys(keys, key_contexts())
    assert all(owner in refused.value.what for owner in owners)


def test_keys_that_change_places_do_not_clash() -> None:
    check_keys({"delete": "e", "edit": "d"}, key_contexts())


def test_an_unknown_action_is_named() -> None:
    with pytest.raises(Misconfigured, match="explode"):
        check_keys({"explode": "x"}, key_contexts())
