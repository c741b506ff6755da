from collections.abc import Sequence
from datetime import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkdash.api.fields import Kind, fields_of
from linkdash.api.records import Unreadable
from linkdash.api.resources.pixels import Pixel
from linkdash.api.slices import at_once
from linkdash.model.lists import order
from linkdash.model.lists.arrangement import Arrangement
from linkdash.model.lists.columns import Column, Computed, column, with_age
from linkdash.model.lists.order import natural_key
from tests.widgets.sample import Code, code


def test_text_is_sorted_as_people_sort_it() -> None:
    words = ["a10", "Zebra", "a2", "b2a", "b1z", "Éclair", "a2b", "eclipse", "A1", "10", "9", "eagle"]
    assert sorted(words, key=natural_key) == [
        "9", "10", "A1", "a2", "a2b", "a10", "b1z", "b2a", "eagle", "Éclair", "eclipse", "Zebra",
    ]  # fmt: skip


def test_numbers_in_text_may_be_longer_than_any_number_is() -> None:
    assert natural_key("9" * 9_000) < natural_key("1" + "0" * 9_000)


@example([1, 3, None, 2, 3, 0], True, 2)
@given(st.lists(st.none() | st.integers(0, 9), max_size=40), st.booleans(), st.integers(1, 7))
def test_runs_that_are_sorted_alone_are_merged_into_one_order(
    keys: list[int | None], reverse: bool, run: int
) -> None:
    rows = [code(index, scans=key) for index, key in enumerate(keys, 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "_A_RUN", run)
        found = at_once(order.in_order(rows, column(Code, "scans"), reverse=reverse))
    placed = sorted((row for row in rows if row.scans is not None), key=_scans, reverse=reverse)
    assert [*found] == placed + [row for row in rows if row.scans is None]


@pytest.mark.parametrize(("reverse", "ids"), [(False, [3, 1, 2, 4, 5]), (True, [1, 2, 3, 4, 5])])
def test_rows_without_a_value_come_last_in_both_directions(reverse: bool, ids: list[int]) -> None:
    rows = [code(1, scans="1,000"), code(2, scans=1000), code(3, scans=5), code(4, scans=None)]
    assert _ids(sorted_rows([*rows, code(5, scans="many")], column(Code, "scans"), reverse)) == ids


def test_moments_are_sorted_by_time_and_odd_ones_come_last() -> None:
    rows = [code(1, made="soon"), code(2, made="2026-11-20 10:00:00"), code(3, made="2026-11-19")]
    assert _ids(sorted_rows(rows, column(Code, "made"))) == [3, 2, 1]
    assert _ids(sorted_rows(rows, column(Code, "made"), reverse=True)) == [2, 3, 1]


def test_words_are_sorted_by_what_is_shown_for_them() -> None:
    rows = [code(1, kind="gtm"), code(2, kind="post")]
    assert _ids(sorted_rows(rows, column(Code, "kind"))) == [2, 1]


def test_unreadable_rows_come_last() -> None:
    lost = Unreadable.of({"x": 1})
    assert sorted_rows([lost, code(2), code(1)], column(Code, "id"))[2] is lost


def test_secrets_have_no_order() -> None:
    rows = [code(1, apikey="z"), code(2, apikey="a")]
    assert _ids(sorted_rows(rows, column(Code, "apikey"))) == [1, 2]


@given(st.lists(st.one_of(st.none(), st.datetimes(), st.integers(), st.text(max_size=4))), st.booleans())
def test_sorting_by_any_field_loses_nothing_and_is_stable(values: list[object], reverse: bool) -> None:
    rows = [
        code(index, name=_text(value), scans=_number(value), made=_moment(value))
        for index, value in enumerate(values, 1)
    ]
    for name in ("id", "name", "scans", "made", "link"):
        ordered = sorted_rows(rows, column(Code, name), reverse)
        assert sorted(_ids(ordered)) == _ids(rows)
        assert sorted_rows(ordered, column(Code, name), reverse) == ordered


def sorted_rows(
    rows: Sequence[Code | Unreadable], by: Column[Code], reverse: bool = False
) -> list[Code | Unreadable]:
    arrangement = Arrangement([by], fields_of(Code))
    arrangement.order_by([(by.name, reverse)])
    return list(at_once(arrangement.apply(rows)))


def _scans(row: Code) -> int:
    return row.scans or 0


def _ids(rows: Sequence[Code | Unreadable]) -> list[int]:
    return [row.id for row in rows if isinstance(row, Code)]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _moment(value: object) -> datetime | None:
    return value if isinstance(value, datetime) else None


def test_a_column_drawn_of_another_field_is_sorted_by_its_time_not_its_day() -> None:
    rows = [code(1, made="2026-11-23 18:00:00"), code(2, made="2026-11-23 06:00:00"), code(3)]
    until = Computed[Code]("until", "Until", Kind.MOMENT, 10, draw=lambda row: row.made, by_field="made")
    assert _ids(sorted_rows(rows, until)) == [2, 1, 3]
    assert _ids(sorted_rows(rows, until, reverse=True)) == [1, 2, 3]


def test_ages_are_sorted_by_the_hour_the_youngest_first() -> None:
    rows = [made_at(1, "2026-11-23 06:00:00"), made_at(2, "2026-11-23 18:00:00"), made_at(3, "")]
    (age,) = with_age([column(Pixel, "date")], lambda: datetime(2026, 11, 24))
    arrangement = Arrangement([age], fields_of(Pixel))
    arrangement.order_by([("age", False)])
    assert [row.key for row in at_once(arrangement.apply(rows))] == [2, 1, 3]
    (age,) = with_age([column(Pixel, "date")], lambda: datetime(2026, 11, 24), lambda row: row.id == 3)
    assert isinstance(age, Computed)
    assert [age.shown(row) for row in rows] == ["1 d", "1 d", "today"]
    arrangement = Arrangement([age], fields_of(Pixel))
    arrangement.order_by([("age", False)])
    assert [row.key for row in at_once(arrangement.apply(rows))] == [3, 2, 1]


def made_at(id: int, moment: str) -> Pixel:
    return Pixel.model_validate({"id": id, "name": "x", "type": "bing", "tag": "1", "date": moment})
