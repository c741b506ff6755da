"""Codes that belong together by their names."""

import pytest

from linkdash.api.resources.qr import QrCode
from linkdash.model.statistics.scan_activity import by_prefix, prefix


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("Harbor Coffee · Table 4", "Harbor Coffee"),
        ("Fair 2026: stand 9", "Fair 2026"),
        ("menu/lunch/3", "menu"),
        ("Sign - north-west", "Sign"),
        ("well-known", ""),
        ("", ""),
        (" · Table 4", ""),
    ],
)
def test_what_a_name_begins_with(name: str, beginning: str) -> None:
    assert prefix(name) == beginning


def test_groups_are_those_that_several_codes_share() -> None:
    names = ["A · 1", "B · 1", "B · 2", "C · 1", "B · 3", "A · 2", "lone"]
    codes = [QrCode(id=number, name=name) for number, name in enumerate(names, 1)]
    found = {name: [code.id for code in group] for name, group in by_prefix(codes).items()}
    assert list(found.items()) == [("B", [2, 3, 5]), ("A", [1, 6])]
