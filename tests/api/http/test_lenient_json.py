"""JSON that is nested deep, or is hardly JSON."""

import pytest

from linkdash.api.http.lenient_json import read_json


@pytest.mark.parametrize("odd", ["", "\x01"], ids=["JSON", "almost JSON"])
@pytest.mark.parametrize("levels", [300, 900, 100_000])
def test_what_is_nested_deeper_than_anything_means_is_no_json(levels: int, odd: str) -> None:
    """Whoever masks, compares or hands it on would run out of calls."""
    within = f'[{{"a": {"[" * levels}"{odd}"{"]" * levels}}}]'
    with pytest.raises(ValueError, match="too deep"):
        read_json(within.encode())


@pytest.mark.parametrize("odd", ["", "\x01"], ids=["JSON", "almost JSON"])
def test_what_is_nested_as_a_record_may_be_is_read(odd: str) -> None:
    assert read_json(f'{"[" * 100}"{odd}"{"]" * 100}'.encode())
