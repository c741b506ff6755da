"""The quick way over many rows agrees with the plain one: reading each row and looking at it."""

import weakref
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from hypothesis import given
from hypothesis import strategies as st
from pydantic import AliasChoices, Field

from linkdash.api.fields import Text, fields_of
from linkdash.api.http.raw_rows import RawRows
from linkdash.api.paging import Rows
from linkdash.api.records import Unreadable
from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.channels import ChannelItem
from linkdash.api.slices import at_once
from linkdash.model.lists.arrangement import Arrangement
from linkdash.model.lists.columns import column, value_of
from linkdash.model.lists.field_values import Values
from linkdash.model.lists.filter import FilterError, parse
from linkdash.model.lists.order import sort_key
from linkdash.model.lists.rows import PickedRows, each_once, index_of, keys
from linkdash.model.lists.selection import Selection
from tests.widgets.sample import Code

NOW = datetime(2026, 11, 20, 12, 0)


class Named(Code):
    """A record whose name comes under several names."""

    name: Annotated[Text, Field(title="Label", validation_alias=AliasChoices("title", "label"))] = ""


ODD = (
    None, "", 0, 1, -1, True, False, 12.0, 1.5, "1,234", "12", "1234567", "many",
    "Étude 10", "etude 9", "a\nb", "\ud800", "gtm", "\x1b[2J\u200b", "12\n", "\u202e", "a\r\n\x9b",
    "e" + "\u0301" * 9,
    "2026-11-20 14:03:00", "2026-12-15", "0000-00-00 00:00:00", "2026-11-20T14:03:00+05:00", "soon",
    "yes", "#FF8800", 10**30, [1, 2], {"a": 1},
)  # fmt: skip
MEMBERS = ("id", "name", "title", "label", "link", "scans", "starred", "kind", "made", "day", "apikey", "new")
_rows = st.lists(
    st.one_of(
        st.dictionaries(st.sampled_from(MEMBERS), st.sampled_from(ODD)),
        st.builds(
            lambda id, rest: {"id": id, **rest},
            st.integers(1, 30),
            st.fixed_dictionaries(
                {"name": st.sampled_from(ODD), "scans": st.sampled_from(ODD), "made": st.sampled_from(ODD)}
            ),
        ),
        st.sampled_from([None, "text", 3, [], {}, {"id": 1}, {"id": "2"}, {"id": True}]),
    ),
    max_size=12,
)
_models = st.sampled_from([Code, Named])
_texts = st.sampled_from(
    [
        "spring", "e", "!e", "12", "~^1", '"a b"', 'name:""', "name:e", "scans>1", "!scans:0", "made<30d",
        "made:2026", "starred:yes", "starred:no", "kind:tag", "kind:gtm", "link:e", "id<9", "many", "1,234",
        "day>2026-01-01 e",
    ]
)  # fmt: skip


def kept(model: type[Code], raw: Sequence[object], *, by_member: bool) -> Rows[Code]:
    return Rows(model, RawRows(raw) if by_member else raw, safe_text=True)


@given(_models, _rows, st.booleans())
def test_a_value_is_what_its_row_would_give(model: type[Code], raw: list[object], by_member: bool) -> None:
    rows = kept(model, raw, by_member=by_member)
    values = Values(rows)
    unreadable = at_once(values.unreadable())
    assert unreadable == {index for index, row in enumerate(rows) if isinstance(row, Unreadable)}
    for name in (*model.model_fields, "key"):
        found = at_once(values.of(name))
        assert len(found) == len(rows)
        for index, row in enumerate(rows):
            if not isinstance(row, Unreadable):
                assert found[index] == value_of(row, name)
                assert type(found[index]) is type(value_of(row, name))


@given(_models, _rows, _texts, st.booleans())
def test_a_filter_finds_what_it_matches(
    model: type[Code], raw: list[object], text: str, by_member: bool
) -> None:
    rows = kept(model, raw, by_member=by_member)
    wanted = parse(text, fields_of(model), NOW)
    found = at_once(wanted.matching(Values(rows)))
    assert [*found.positions] == [index for index, row in enumerate(rows) if wanted.matches(row)]


@given(_rows, st.text(max_size=6), st.booleans())
def test_whatever_is_typed_finds_what_it_matches(raw: list[object], text: str, by_member: bool) -> None:
    rows = kept(Code, raw, by_member=by_member)
    try:
        wanted = parse(text, fields_of(Code), NOW)
    except FilterError:
        return
    found = at_once(wanted.matching(Values(rows)))
    assert [*found.positions] == [index for index, row in enumerate(rows) if wanted.matches(row)]


@given(
    _rows, st.sampled_from(["id", "name", "link", "scans", "starred", "kind", "made", "day"]), st.booleans()
)
def test_rows_are_in_the_order_of_what_they_hold(raw: list[object], name: str, reverse: bool) -> None:
    rows, by = Rows(Code, RawRows(raw)), column(Code, name)
    arrangement = Arrangement([by], fields_of(Code))
    arrangement.order = (name, reverse)
    key = sort_key(by.kind)
    keys = [None if isinstance(row, Unreadable) else key(by.shown(row)) for row in rows]
    placed = [index for index, found in enumerate(keys) if found is not None]
    expected = sorted(placed, key=lambda index: keys[index], reverse=reverse)  # type: ignore[arg-type, return-value]  # all are of one type
    expected += [index for index, found in enumerate(keys) if found is None]
    assert [*at_once(arrangement.apply(rows))] == [rows[index] for index in expected]


def test_what_a_model_reads_in_a_way_of_its_own_is_read_by_it() -> None:
    rows = Rows(Campaign, [{"id": 1, "name": "Spring", "rotator": False}, {"id": 2, "rotator": "slug"}])
    for name in Campaign.model_fields:
        assert [*at_once(Values(rows).of(name))] == [value_of(row, name) for row in rows]


@given(_rows, st.integers(0, 12), st.integers(0, 12), _rows)
def test_rows_kept_by_member_are_those_that_came(
    raw: list[object], start: int, length: int, others: list[object]
) -> None:
    rows = RawRows(raw)
    assert [*rows] == raw
    start = min(start, len(raw))
    end = min(start + length, len(raw))
    assert [*rows.spliced(start, end, others)] == [*raw[:start], *others, *raw[end:]]
    assert [*rows] == raw


def test_members_that_only_one_row_has_do_not_grow_all_others() -> None:
    raw = [{"id": row, **{f"member {row} {number}": number for number in range(50)}} for row in range(1, 300)]
    rows = RawRows(raw)
    assert [*rows] == raw
    assert len(rows.whole) > 290
    assert Rows(Code, rows).position(299) == 298


@given(st.lists(_rows, min_size=1, max_size=3))
def test_rows_of_several_pages_are_one_list_without_what_comes_twice(pages: list[list[object]]) -> None:
    parts = [Rows(Code, raw) for raw in pages]
    once: dict[object, object] = {}
    for part in parts:
        for row, raw in zip(part, part.raw, strict=True):
            once.setdefault(row.key, raw)
    assert [*at_once(each_once(parts)).raw] == [*once.values()]


def test_items_of_several_types_are_told_apart_by_their_keys() -> None:
    rows = Rows(ChannelItem, [{"id": 1, "type": "links"}, {"id": 1, "type": "qr"}, "unreadable"])
    assert [*at_once(keys(rows))] == [("links", 1), ("qr", 1), None]
    assert index_of(rows, ("qr", 1)) == 1
    assert index_of(PickedRows(rows, [1]), ("qr", 1)) == 0
    assert index_of(PickedRows(rows, [0]), ("qr", 1)) is None


def test_nobody_is_read_to_find_sort_or_mark_all() -> None:
    raw = [{"id": id, "name": f"code {id}", "scans": id * 10} for id in range(1, 3_001)]
    rows = _Unread(Code, RawRows(raw))
    arrangement: Arrangement[Code] = Arrangement([column(Code, "name")], fields_of(Code))
    arrangement.filter("scans>100 code", NOW)
    arrangement.order = ("name", True)
    shown = at_once(arrangement.apply(rows))
    marks: Selection[Code] = Selection()
    at_once(marks.toggle_all(shown))
    assert (len(shown), len(marks)) == (2_990, 2_990)
    assert index_of(shown, 3_000) == 0
    at_once(marks.toggle_all(shown))
    assert not marks


def test_what_is_selected_does_not_keep_the_rows_of_before() -> None:
    old, new = (Rows(Code, RawRows([{"id": id, "name": name} for id in ids])) for name, ids in READINGS)
    marks: Selection[Code] = Selection()
    at_once(marks.toggle_all(old))
    at_once(marks.renew(new))
    assert [code.name for code in marks.as_known([])] == ["new", "new", "old"]
    kept = weakref.ref(old)
    del old, new
    at_once(marks.renew(Rows(Code, RawRows([{"id": 3, "name": "newest"}, {"id": 9, "name": "other"}]))))
    assert kept() is None
    assert marks.keys == {1, 2, 3}
    assert [code.name for code in marks.as_known([])] == ["new", "new", "newest"]


READINGS = (("old", (1, 2, 3)), ("new", (2, 1, 4)))
"""The name of each code and their ids, as they were read before and after."""


class _Unread(Rows[Code]):
    """Rows none of which may be read."""

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # it never gives one
        raise AssertionError("a row was read")
