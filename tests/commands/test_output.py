"""Output written in parts is what would be written as a whole."""

import json
from itertools import cycle, islice

import pytest

from linkdash.commands.output import put_list

ITEMS: list[object] = [
    None,
    0,
    "",
    "[]",
    '"',
    "é",
    {},
    {"a": "]"},
    {"a": None, "b": [{}]},
    "\n    ]",
    [],
    [[]],
]


@pytest.mark.parametrize("number", [0, 1, 999, 1_000, 1_001, 2_500])
def test_a_list_of_any_length_is_one_in_json(capsys: pytest.CaptureFixture[str], number: int) -> None:
    items = [*islice(cycle(ITEMS), number)]
    whole = [{"name": name, "items": items} for name in ("one", "[]", None)]
    for written in (items, whole):
        put_list(written)
        assert json.loads(capsys.readouterr().out) == written
