"""The laws of reading what a service may write, and of writing what the reference documents."""

from datetime import date, datetime
from typing import Annotated, Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, SecretStr, TypeAdapter, ValidationError
from pydantic import Field as Declared

from linkdash.api import fields
from linkdash.api.fields import Count, Kind, Moment, Passed, Password, Reference, Text, Url, When, fields_of
from linkdash.api.resources.pixels import Pixel, PixelCreate

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
moments = st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31, 23, 59, 59))
channels = st.integers(0, 255)

READERS = (
    fields.read_text,
    fields.read_count,
    fields.read_identifier,
    fields.read_flag,
    fields.read_moment,
    fields.read_day,
    fields.read_secret,
)


@pytest.mark.parametrize("read", READERS)
@given(value=json_values)
def test_reading_gives_a_value_or_says_that_it_is_none(read: object, value: object) -> None:
    assert callable(read)
    try:
        once = read(value)
    except ValueError:
        return
    if not isinstance(once, date):
        assert read(once) == once


_LIKE_ANOTHER = (
    "1700000000", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00+02:00", "0000-01-01 00:00:00",
    "2026-02-30 00:00:00", "2026-01-01 24:00:00", "2026-01-01 23:59:60", "2026-01-01 00:00:00\n",
    "9999-12-31 23:59:59", "0001-01-01 00:00:00",
    "２０２６-01-01 00:00:00", "0000-00-00 00:00:00", "\ud800", "1,234", "yes", 2**63, 1, 0, 1.0,
)  # fmt: skip


@pytest.mark.parametrize("kind", ["Identifier", "Text", "Count", "Flag", "Moment"])
@given(value=json_values | st.sampled_from(_LIKE_ANOTHER) | st.datetimes().map(str))
def test_what_is_read_quickly_is_what_the_reader_makes_of_it(kind: str, value: object) -> None:
    plain, mark, *_ = get_args(getattr(fields, kind))
    quick: Any = Annotated[plain, mark]
    slow: Any = Annotated[plain, BeforeValidator(mark.read)]
    assert _made(TypeAdapter(quick), value) == _made(TypeAdapter(slow), value)


def _made(adapter: TypeAdapter[object], value: object) -> tuple[type, object] | None:
    try:
        made = adapter.validate_python(value)
    except ValidationError:
        return None
    return type(made), made


whole_numbers = st.integers(-(2**63) + 1, 2**63 - 1)


@given(whole_numbers)
def test_a_count_is_read_in_all_its_spellings(number: int) -> None:
    for spelling in (number, str(number), f"{number:,}", f" {number} ", f"{number}.0"):
        if len(str(spelling)) <= 40:
            assert fields.read_count(spelling) == number
            assert number < 1 or fields.read_identifier(spelling) == number


@pytest.mark.parametrize("value", [2**63, -(2**63), str(2**63), 1e300, "9" * 40])
def test_a_count_has_64_bits(value: object) -> None:
    with pytest.raises(ValueError, match="whole number"):
        fields.read_count(value)


@pytest.mark.parametrize(
    "value",
    ["1,23", "1,2345", "12,", "0x10", "1e3", "--1", "1.5", "0.123", 1.5, float("inf"), [], {}, "many"],
)
def test_what_is_no_count(value: object) -> None:
    with pytest.raises(ValueError, match="whole number"):
        fields.read_count(value)


@pytest.mark.parametrize("text", ["1.000", "-12.000", "999.000"])
def test_what_can_be_two_counts_is_neither(text: str) -> None:
    with pytest.raises(fields.AmbiguousNumber):
        fields.read_count(text)


@pytest.mark.parametrize("value", [None, "", True, False, "x", 0, "0", -1, 2**63])
def test_what_is_no_identifier(value: object) -> None:
    with pytest.raises(ValueError, match="not a"):
        fields.read_identifier(value)


SPELLINGS: dict[bool, tuple[object, ...]] = {
    True: (True, 1, "1", "true", "On", " YES "),
    False: (False, 0, "0", "false", "off", "no", ""),
}


@pytest.mark.parametrize("flag", SPELLINGS)
def test_a_flag_is_read_in_all_its_spellings(flag: bool) -> None:
    assert {fields.read_flag(value) for value in SPELLINGS[flag]} == {flag}
    assert fields.read_flag(None) is None


@given(moments)
def test_a_moment_that_is_written_is_read_again(moment: datetime) -> None:
    written = fields.write_moment(moment)
    assert len(written) == len("YYYY-MM-DD HH:MM:SS")
    assert fields.read_moment(written) == moment.replace(microsecond=0)
    assert fields.read_day(written) == fields.read_day(written[:10]) == moment.date()


def test_a_zone_is_never_invented() -> None:
    moment = fields.read_moment("2026-03-01T10:20:30+05:00")
    assert moment == datetime(2026, 3, 1, 10, 20, 30)
    with pytest.raises(ValueError, match="zone"):
        fields.write_moment(datetime.fromisoformat("2026-03-01T10:20:30+05:00"))


@pytest.mark.parametrize("value", [None, "", " ", "0000-00-00", "0000-00-00 00:00:00", "0000-00-00T00:00"])
def test_no_moment(value: object) -> None:
    assert fields.read_moment(value) is None


@given(channels, channels, channels)
def test_a_color_survives_both_spellings(red: int, green: int, blue: int) -> None:
    color = f"rgb({red}, {green} ,{blue})"
    written = fields.write_hex_color(color)
    assert fields.read_color(written) == fields.read_color(written.lower()[1:]) == (red, green, blue)
    assert fields.write_rgb_color(written) == f"rgb({red},{green},{blue})"
    assert fields.write_hex_color(written) == written


def test_a_short_color() -> None:
    assert fields.write_hex_color(" #aBc ") == "#AABBCC"


@pytest.mark.parametrize(
    "text", ["", " ", "red", "#12", "#12345", "rgb(1,2)", "rgb(256,0,0)", "rgb(-1,0,0)", "#GGGGGG"]
)
def test_what_is_no_color(text: str) -> None:
    with pytest.raises(ValueError, match="use #RRGGBB"):
        fields.write_rgb_color(text)


def test_clearing_an_address_stays_clearing() -> None:
    assert fields.check_url("") == fields.check_url("  ") == ""


@pytest.mark.parametrize(
    "text", ["https://a.example", "HTTP://a.example/b?c#d", " https://a.example ", "http://[::1]:80/x"]
)
def test_a_web_address(text: str) -> None:
    assert fields.check_url(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "a.example",
        "ftp://a.example",
        "https://",
        "https:///x",
        "javascript:alert(1)",
        "https://a b",
        "https://a\\b",
        "https://a\nb",
    ],
)
def test_what_is_no_web_address(text: str) -> None:
    with pytest.raises(ValueError, match="full address"):
        fields.check_url(text)


@pytest.mark.parametrize(
    "text", ["", "ann", "ann@", "@example.org", "ann@example", "a b@example.org", "a@b.c, d@e.f", "a@b."]
)
def test_what_is_no_e_mail_address(text: str) -> None:
    with pytest.raises(ValueError, match="e-mail"):
        fields.check_email(text)


def test_an_e_mail_address() -> None:
    assert fields.check_email(" ann.o+x@mail.example.org ") == "ann.o+x@mail.example.org"


class Sample(BaseModel):
    """A model with every kind of declaration."""

    note: Text = ""
    scans: Count = Declared(None, title="Scans", description="All of them")
    kind: Literal["a", "b"] = Declared(title="Kind")
    maybe: Literal["x"] | None = None
    plan_id: Annotated[int, Reference("plans")] = 0
    starred: bool = False
    vip: bool | None = None
    until: When | None = None
    seen: Annotated[Moment, Passed("gone")] = None
    site: Url = ""
    password: Password = SecretStr("")
    count: int = 0


class Extended(Sample):
    """The same with one more, which is needed."""

    name: Text = Declared(title="Name")


def test_fields_are_in_the_order_of_their_declaration_with_what_an_extension_refers_to_first() -> None:
    assert [field.name for field in fields_of(Sample)] == [*Sample.model_fields]
    assert [field.name for field in fields_of(Extended)][:3] == ["plan_id", "kind", "name"]


def test_a_model_tells_of_its_fields() -> None:
    found = {field.name: field for field in fields_of(Sample)}
    assert (found["kind"].required, found["kind"].choices) == (True, ("a", "b"))
    assert (found["scans"].title, found["scans"].help) == ("Scans", "All of them")
    assert (found["plan_id"].title, found["plan_id"].reference) == ("Plan id", "plans")
    assert {name: field.passed for name, field in found.items() if field.passed} == {"seen": "gone"}
    assert {name: field.kind for name, field in found.items()} == {
        "kind": Kind.CHOICE,
        "note": Kind.TEXT,
        "scans": Kind.COUNT,
        "maybe": Kind.CHOICE,
        "plan_id": Kind.REFERENCE,
        "starred": Kind.FLAG,
        "vip": Kind.FLAG,
        "until": Kind.MOMENT,
        "seen": Kind.MOMENT,
        "site": Kind.LINK,
        "password": Kind.SECRET,
        "count": Kind.TEXT,
    }


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("example.org/x", "https://example.org/x"),
        (" go.example.org:8080?a=b ", "https://go.example.org:8080?a=b"),
        ("bücher.example", "https://bücher.example"),
        ("", None),
        ("https://example.org", None),
        ("http://example.org", None),
        ("example", None),
        ("1.5", None),
        ("two words.org", None),
        ("name@example.org", None),
        ("javascript:alert.x", None),
        ("//example.org", None),
        ("example.org\\x", None),
    ],
)
def test_an_address_is_completed_only_where_that_makes_it_whole(typed: str, whole: str | None) -> None:
    assert fields.completed_url(typed) == (typed if whole is None else fields.check_url(whole))


def test_every_word_of_a_pixels_type_has_a_label_and_stays_what_is_sent() -> None:
    of_record, of_body = (
        next(field for field in fields_of(model) if field.name == "type") for model in (Pixel, PixelCreate)
    )
    assert of_record.labels is of_body.labels
    assert set(of_body.choices) == set(of_body.labels.names)
    assert of_body.labels.of("gtmpixel") == "Google Tag Manager"
    assert of_body.labels.of("a later one") == "a later one"
    assert PixelCreate(type="gtmpixel", name="Ads", tag="1").given()["type"] == "gtmpixel"
