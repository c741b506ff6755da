"""Rows kept member by member are the rows that came, whichever of them are looked at."""

from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.http.large_answers import RawRows

values = st.none() | st.integers() | st.text(max_size=3)
alike = st.lists(st.fixed_dictionaries({"id": values, "name": values}), max_size=8)
unlike = st.lists(st.dictionaries(st.sampled_from("abc"), values, max_size=3) | values, max_size=8)


@given(alike | unlike, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([1, 2, -1]))
def test_a_part_of_the_rows_is_what_came(rows: list[object], start: int, end: int, step: int) -> None:
    kept = RawRows(rows)
    assert kept[start:end:step] == rows[start:end:step]
    assert list(kept) == rows
