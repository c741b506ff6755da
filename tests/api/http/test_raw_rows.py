"""Rows kept member by member are the rows that came, whichever of them are looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.http.raw_rows import RawRows

values = st.none() | st.integers() | st.text(max_size=3)
alike = st.lists(st.fixed_dictionaries({"id": values, "name": values}), max_size=8)
unlike = st.lists(st.dictionaries(st.sampled_from("abc"), values, max_size=3) | values, max_size=8)


@given(alike | unlike, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([1, 2, -1]))
def test_a_part_of_the_rows_is_what_came(rows: list[object], start: int, end: int, step: int) -> None:
    kept = RawRows(rows)
    assert kept[start:end:step] == rows[start:end:step]
    assert list(kept) == rows


@given(alike | unlike, st.integers(1, 4))
def test_rows_given_member_by_member_are_those_given_one_by_one(rows: list[object], part: int) -> None:
    kept, made = RawRows(rows), RawRows()
    for start in range(0, len(rows), part):
        columns = kept.columns(start, start + part)
        if columns is None:
            made.extend(rows[start : start + part])
        else:
            made.extend_columns(columns)
    assert list(made) == rows


@pytest.mark.parametrize("columns", [{}, {"id": [1, 2], "name": ["a"]}])
def test_members_that_are_not_of_the_same_rows_are_refused(columns: dict[str, list[object]]) -> None:
    with pytest.raises(ValueError, match="unpack"):
        RawRows().extend_columns(columns)
