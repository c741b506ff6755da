"""Placeholders of the user's own commands: texts of records are values, never options."""

import pytest

from linkdash.api.resources.qr import QrCode
from linkdash.model.own_command_placeholders import filled_in


def code(**members: object) -> QrCode:
    return QrCode.model_validate({"id": 7, "link": "https://lnk.example/7", **members})


@pytest.mark.parametrize("name", ["plain", "a\nb", "; id", "$(id)", "{link}", "\x1b[2J", "日本"])
def test_a_text_is_taken_as_it_stands(name: str) -> None:
    assert filled_in("{name} ({id})", code(name=name)) == f"{name} (7)"


@pytest.mark.parametrize("name", ["-rf", "--output=/etc/passwd", "-"])
def test_a_text_makes_no_option(name: str) -> None:
    with pytest.raises(ValueError, match="begins with -"):
        filled_in("{name}", code(name=name))
    assert filled_in("--title={name}", code(name=name)) == f"--title={name}"


@pytest.mark.parametrize("name", ["", "a\0b", "a\ud800b"])
def test_what_no_argument_can_be_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"\{name\}"):
        filled_in("{name}", code(name=name))
