"""Output written in parts is what would be written as a whole."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkdash.commands import output
from linkdash.commands.output import put_groups, put_list

_values = st.none() | st.integers() | st.text(st.characters(exclude_categories=["C", "Z", "M"]), max_size=3)
_items = st.lists(_values | st.dictionaries(st.sampled_from("ab"), _values, max_size=2), max_size=5)
_groups = st.lists(st.tuples(_values, _items), max_size=4)


@given(_groups)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_list_of_any_length_is_one_in_json(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    groups: list[tuple[object, list[object]]],
) -> None:
    monkeypatch.setattr(output, "_AT_ONCE", 2)
    whole = [{"name": name, "items": items} for name, items in groups]
    put_list(whole)
    assert json.loads(capsys.readouterr().out) == whole
    put_groups(({"name": name}, "items", items) for name, items in groups)
    assert capsys.readouterr().out == json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
