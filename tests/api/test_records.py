"""Rows become records: what is odd in one costs neither the record nor the page."""

import json
from collections.abc import Mapping
from typing import Annotated

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import AliasChoices, BeforeValidator, Field

from linkdash.api.errors import UnreadableAnswer
from linkdash.api.fields import Count, Flag, Moment, Text, fields_of
from linkdash.api.inert_text import inert
from linkdash.api.paging import read_page
from linkdash.api.records import MOST_MEMBERS, Model, NestedModel, Record, Unreadable, as_sent
from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.domains import Domain
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.qr import QrCode, read_reading
from linkdash.api.resources.users import User
from tests.screens.driver import is_inert

MODELS: tuple[type[Record], ...] = (Campaign, Domain, Pixel, Plan, QrCode, User)

members = st.sampled_from(
    [
        "id",
        "name",
        "domain",
        "limits",
        "prices",
        "links",
        "team",
        "enabled",
        "count",
        "expires",
        "apikey",
        "odd",
        "raw",
    ]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(members, inner, max_size=4),
    max_leaves=12,
)


class Inner(NestedModel):
    """A part of a record."""

    size: Count = None
    open: Flag = None


class Sample(Record):
    """A record with a part, an alias and two members that can be odd."""

    name: Text = Field("", validation_alias=AliasChoices("name", "label"))
    date: Moment = None
    inner: Annotated[Inner | None, BeforeValidator(lambda value: value or None)] = None


def sample(**members: object) -> Sample:
    record = Sample.read({"id": 1, **members})
    assert isinstance(record, Sample)
    return record


@pytest.mark.parametrize("model", MODELS)
def test_a_row_with_members_without_end_is_no_record(model: type[Record]) -> None:
    many: dict[str, object] = {"id": 1, **{f"m{number}": 1 for number in range(MOST_MEMBERS)}}
    assert isinstance(model.read(many), Unreadable)
    many.popitem()
    assert isinstance(model.read(many), model)


@pytest.mark.parametrize("model", MODELS)
@given(raw=json_values)
@example(raw=float("nan"))
def test_reading_never_raises_and_keeps_what_came(model: type[Record], raw: object) -> None:
    row = model.read(raw)
    if isinstance(row, Unreadable):
        assert row.text == inert(row.text)
        assert raw is None or row.row is raw
    else:
        assert row.raw is raw
        row.model_dump_json()
        assert all(text == inert(text) for text in row.odd.values())
        assert {field.name for field in fields_of(model)} >= set(row.odd)
    assert repr(row)


@given(json_values)
def test_an_answer_about_a_code_is_read_unless_it_says_nothing(raw: object) -> None:
    try:
        reading = read_reading({"details": raw, "data": raw}, 7)
    except UnreadableAnswer:
        assert not (isinstance(raw, dict) and raw) or raw.get("id") is not None, "nothing, or another code"
    else:
        assert reading.code.id == 7


@given(st.lists(json_values, max_size=6))
def test_a_page_has_every_row(rows: list[object]) -> None:
    page = read_page(Campaign, ("campaigns",), {"campaigns": rows})
    assert len(page.rows) == len(rows)
    assert all(isinstance(row, Campaign | Unreadable) for row in page.rows)


def test_odd_members_are_left_out_and_told() -> None:
    record = sample(name="Ann", date="soon", inner={"size": "big", "open": "1"})
    assert (record.name, record.date) == ("Ann", None)
    assert record.odd == {"date": "soon"}
    assert record.inner is not None
    assert (record.inner.size, record.inner.open, record.inner.odd) == (None, True, {"size": "big"})


def test_a_part_that_is_none_is_odd_in_its_record() -> None:
    assert sample(inner="nothing").odd == {"inner": "nothing"}


def test_the_alias_that_was_used_is_the_one_that_is_odd() -> None:
    assert sample(label=["x"]).odd == {"name": "['x']"}
    both = sample(name=["x"], label="good")
    assert (both.name, both.odd) == ("good", {"name": "['x']"})
    neither = sample(name=["x"], label=["y"])
    assert (neither.name, neither.odd) == ("", {"name": "['y']"})


def test_a_record_is_made_by_the_names_of_its_fields() -> None:
    assert Sample(id=1, name="Ann").name == "Ann"


def test_a_record_that_is_whole_has_nothing_odd() -> None:
    assert sample(name="Ann").odd == {}


def test_unknown_members_are_kept_and_not_shown_in_a_repr() -> None:
    record = sample(vip={"level": 3})
    assert record.model_extra == {"vip": {"level": 3}}
    assert "vip" not in repr(record)
    assert json.loads(record.model_dump_json())["vip"] == {"level": 3}


hidden = st.text(st.sampled_from("\x1b\x9b\x07\r\n\t\0\u200b\u202e\u2066\u2028\u0301\ud800ab1é"), max_size=8)
hidden_values = st.recursive(
    st.none() | st.integers(-5, 5) | hidden,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(members | hidden, inner, max_size=4),
    max_leaves=12,
)


def texts_in(value: object) -> list[str]:
    """Every text that is shown of a value, names of members too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for pair in value.items() for part in pair for text in texts_in(part)]
    if isinstance(value, Model):
        own = [getattr(value, name) for name in type(value).model_fields]
        return texts_in([*own, value.model_extra, value.odd])
    return [text for part in value for text in texts_in(part)] if isinstance(value, list | tuple) else []


@pytest.mark.parametrize("model", MODELS)
@given(raw=st.dictionaries(members | hidden, hidden_values, max_size=6).map(lambda raw: {"id": 1, **raw}))
@example(raw={"id": 1, "name": "\x1b]52;c;aGk=\x07\r\n\u202ex\u200b", "news\n": {"\x9b": ["\0"]}})
def test_safe_texts_are_safe_and_what_was_sent_is_beside_them(
    model: type[Record], raw: dict[str, object]
) -> None:
    plain, safe = model.read(raw), model.read(raw, safe_text=True)
    assert type(plain) is type(safe)
    assert [text for text in texts_in(safe) if not is_inert(text)] == []
    if isinstance(safe, model) and isinstance(plain, model):
        assert (safe.raw, safe.key) == (raw, plain.key)
        assert as_sent(plain) is plain
        assert repr(texts_in(as_sent(safe))) == repr(texts_in(plain))
        changed = {name for name in model.model_fields if getattr(safe, name) != getattr(plain, name)}
        assert all(texts_in(getattr(plain, name)) for name in changed), "numbers and moments are as they were"


def test_a_page_that_is_read_again_is_as_safe() -> None:
    row = {"id": 1, "name": "\x1b[2J\nx", "type": "bing", "tag": "\u200b"}
    data = {"pixels": [row]}
    (record,) = read_page(Pixel, ("pixels",), data, safe_text=True).items
    assert (record.name, record.tag, as_sent(record).name) == ("\ufffd[2J↵x", "\ufffd", "\x1b[2J\nx")
    (record,) = read_page(Pixel, ("pixels",), data).items
    assert (record.name, record.tag) == ("\x1b[2J\nx", "\u200b")


def test_the_statistics_of_a_code_are_safe_label_by_label() -> None:
    answer = {"details": {"id": 7, "name": "\x9b"}, "data": {"topCountries": {"\u202eDE": 3, "FR": 1}}}
    reading = read_reading(answer, 7, safe_text=True)
    assert reading.statistics is not None
    assert (reading.code.name, reading.statistics.countries) == ("\ufffd", {"\ufffdDE": 3, "FR": 1})
    assert as_sent(reading.statistics).countries == {"\u202eDE": 3, "FR": 1}


def test_an_unreadable_row_is_shown_inert_and_short() -> None:
    row = Sample.read("x\x1b[2J" + "y" * 1000)
    assert isinstance(row, Unreadable)
    assert row.text.startswith("x�[2Jy")
    assert len(row.text) == 500
