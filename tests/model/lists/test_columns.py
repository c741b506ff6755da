from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from linkdash.api.fields import Count, Kind
from linkdash.api.records import Record, Unreadable
from linkdash.model.lists.columns import (
    GAP,
    LONGEST_NAME,
    Column,
    Odd,
    alike,
    column,
    fit,
    schemes,
    told_once,
    total_width,
)
from linkdash.widgets.table.record_table import needs
from tests.widgets.sample import Code, code


def test_title_and_kind_come_from_the_model() -> None:
    label = column(Code, "name")
    assert (label.title, label.kind, label.align) == ("Label", Kind.TEXT, "left")
    scans = column(Code, "scans")
    assert (scans.title, scans.kind, scans.align) == ("Scans", Kind.COUNT, "right")


def test_default_width_has_room_for_the_title() -> None:
    class Total(Record):
        scans: Count = Field(default=None, title="Scans in total")

    assert column(Total, "scans").width == len("Scans in total")


def test_field_the_model_lacks_is_refused() -> None:
    with pytest.raises(KeyError, match="Code has no field 'size'"):
        column(Code, "size")


def test_value_that_was_not_understood_is_odd() -> None:
    row = code(1, made="soon", scans=0)
    assert column(Code, "made").value(row) == Odd("soon")
    assert column(Code, "scans").value(row) == 0
    assert column(Code, "day").value(row) is None


def test_last_columns_that_are_not_essential_go_first() -> None:
    columns = [
        _column("a", 5, essential=True),
        _column("b", 5),
        _column("c", 5, essential=True),
        _column("d", 5),
    ]
    assert [kept.name for kept, _ in fit(columns, 26)] == ["a", "b", "c", "d"]
    assert [kept.name for kept, _ in fit(columns, 25)] == ["a", "b", "c"]
    assert [kept.name for kept, _ in fit(columns, 18)] == ["a", "c"]
    assert [kept.name for kept, _ in fit(columns, 1)] == ["a", "c"]


@pytest.mark.parametrize(
    ("width", "needs", "widths"),
    [
        (23, {}, [4, 4, 6]),
        (23, {"a": 9, "b": 9, "c": 9}, [7, 4, 8]),
        (23, {"a": 99, "b": 9, "c": 7}, [8, 4, 7]),
        (24, {"a": 5, "b": 9, "c": 7}, [5, 8, 7]),
        (99, {"a": 5, "b": 9, "c": 2}, [5, 9, 6]),
        (12, {"a": 9, "b": 9, "c": 9}, [6, 4]),
    ],
)
def test_spare_width_goes_to_what_needs_it_in_equal_parts_first_to_those_that_grow(
    width: int, needs: dict[str, int], widths: list[int]
) -> None:
    columns = [_column("a", 4, grow=True), _column("b", 4), _column("c", 6, grow=True)]
    assert [cells for _, cells in fit(columns, width, needs)] == widths


def test_an_essential_column_that_grows_has_what_it_needs_before_the_others() -> None:
    columns = [_column("link", 4, grow=True), _column("name", 3, grow=True, essential=True)]
    assert [cells for _, cells in fit(columns, 20, {"link": 30, "name": 12})] == [6, 12]


@pytest.mark.parametrize("width", range(20, 70))
def test_a_name_is_whole_before_anything_else_stands_beside_it(width: int) -> None:
    name = _column("name", 10, grow=True, essential=True)
    columns = [_column("scans", 6, essential=True), name, _column("link", 20, grow=True), _column("type", 9)]
    fitted = {
        column.name: cells for column, cells in fit(columns, width, {"name": 40, "link": 30, "type": 4})
    }
    assert fitted["name"] >= min(LONGEST_NAME, width - 8)
    assert ("link" in fitted) == (width >= LONGEST_NAME + 8 + 22)


def test_columns_of_text_give_away_what_they_do_not_need_before_others_go() -> None:
    columns = [_column("name", 10, grow=True, essential=True), _column("type", 18), _column("tag", 9)]
    needs = {"name": 20, "type": 6, "tag": 9}
    assert [cells for _, cells in fit(columns, 20 + 2 + 18 + 2 + 9, needs)] == [20, 18, 9]
    assert [cells for _, cells in fit(columns, 20 + 2 + 6 + 2 + 9, needs)] == [20, 6, 9]


def test_what_all_rows_have_is_told_once() -> None:
    rows = [code(id, name="same", starred="1", kind="gtm", scans=id, link="") for id in range(1, 4)]
    columns = [column(Code, "name", grow=True, essential=True)]
    columns += [column(Code, name) for name in ("starred", "kind", "scans", "link")]
    found = alike(columns, rows)
    assert [told_once(column, rows[0]) for column in found] == [
        "all starred",
        "kind: Tag Manager",
        "no link",
    ]
    assert alike(columns, rows[:1]) == []


@pytest.mark.parametrize(
    ("links", "told"),
    [
        (["https://a.b", "https://c.d"], "all https"),
        (["https://a.b", "http://c.d", ""], "1 of 2 http"),
        (["https://a.b", "http://c.d", "https://e.f"], "! 1 of 3 http"),
        (["", "a.b"], ""),
    ],
)
def test_schemes_are_told_once(links: list[str], told: str) -> None:
    assert schemes(column(Code, "link"), [code(1, link=link) for link in links]) == told


@pytest.mark.parametrize(
    ("name", "values", "cells"),
    [
        ("name", ["ab", "日本語", ""], 6),
        ("link", ["https://go.example.org/spring", "http://a.b"], len("go.example.org/spring")),
        ("scans", [0, "1,234,567", None], len("1,234,567")),
        ("made", ["2026-11-20 14:03:59", None], len("2026-11-20 14:03")),
        ("color", ["#f80", ""], len("██ #FF8800")),
        ("kind", ["gtm"], len("Tag Manager")),
        ("apikey", ["x" * 99], 8),
        ("name", ["x" * 10**6], 400),
    ],
)
def test_a_column_needs_what_its_longest_value_takes(name: str, values: list[object], cells: int) -> None:
    rows: list[Code | Unreadable] = [Unreadable.of("x" * 99), *(code(1, **{name: value}) for value in values)]
    assert needs([column(Code, name)], rows) == {name: cells}


_columns = st.lists(
    st.builds(
        lambda name, width, grow, essential: _column(name, width, grow=grow, essential=essential),
        st.text("xyz", min_size=1),
        st.integers(1, 30),
        st.booleans(),
        st.booleans(),
    ),
    max_size=8,
    unique_by=lambda column: column.name,
)


_needs = st.dictionaries(st.text("xyz", min_size=1, max_size=2), st.integers(0, 60))


@given(_columns, st.integers(0, 200), _needs)
def test_fit_keeps_order_minimum_and_what_is_essential(
    columns: list[Column[Code]], width: int, needs: dict[str, int]
) -> None:
    fitted = fit(columns, width, needs)
    kept = [column for column, _ in fitted]
    name = next((column for column in columns if column.essential and column.grow), None)
    if kept == [name] and fitted[0][1] == width:
        return
    assert kept == [column for column in columns if column in kept]
    assert all(cells >= min(column.width, needs.get(column.name, column.width)) for column, cells in fitted)
    assert all(column in kept for column in columns if column.essential)
    if any(not column.essential for column in kept):
        assert total_width(fitted) <= width
    lacking = [cells for column, cells in fitted if cells < needs.get(column.name, 0)]
    assert not lacking or total_width(fitted) >= width, "room is left, and somebody needs it"
    assert all(cells <= max(column.width, needs.get(column.name, 0)) for column, cells in fitted)
    asked = {column.name: needs.get(column.name, column.width) for column in columns}
    if lacking:
        assert all(cells <= max(len(column.title), asked[column.name]) for column, cells in fitted), "padding"
    spare = width - total_width(fitted) - GAP
    first = next((column for column in columns if column not in kept), None)
    assert first is None or spare < min(first.width, max(len(first.title), asked[first.name]))


@given(_columns, _needs)
def test_no_column_goes_where_there_is_more_room(columns: list[Column[Code]], needs: dict[str, int]) -> None:
    shown = [{column.name for column, _ in fit(columns, width, needs)} for width in range(1, 160)]
    assert [width for width, (less, more) in enumerate(pairwise(shown), 1) if not less <= more] == []


def _column(name: str, width: int, *, grow: bool = False, essential: bool = False) -> Column[Code]:
    return Column(name, name, Kind.TEXT, width, grow=grow, essential=essential)
