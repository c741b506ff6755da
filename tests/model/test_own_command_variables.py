"""The record of a command of the user's own: texts as they stand, in variables, and no secret."""

import pytest

from linkdash.api.resources.qr import QrCode
from linkdash.api.resources.users import User
from linkdash.model.own_command_variables import variables


@pytest.mark.parametrize("name", ["plain", "a\nb", "; id", "$(id)", "-rf", "\x1b[2J", "日本", ""])
def test_a_text_stands_in_its_variable_as_it_came(name: str) -> None:
    found = variables(QrCode.model_validate({"id": 7, "link": "https://lnk.example/7", "name": name}))
    assert (found["RECORD_ID"], found["RECORD_NAME"]) == ("7", name)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_what_no_variable_can_hold_is_left_out(name: str) -> None:
    assert "RECORD_NAME" not in variables(QrCode.model_validate({"id": 7, "name": name}))


def test_no_secret_is_in_one() -> None:
    found = variables(User.model_validate({"id": 7, "apikey": "a-key-of-theirs", "username": "anna"}))
    assert found["RECORD_USERNAME"] == "anna"
    assert "a-key-of-theirs" not in str(found)
