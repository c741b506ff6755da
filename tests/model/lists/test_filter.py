import unicodedata
from datetime import datetime, timedelta
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.fields import Kind, fields_of
from linkdash.api.folded_text import folded
from linkdash.api.paging import Rows
from linkdash.api.records import Unreadable
from linkdash.api.resources.users import User
from linkdash.api.slices import at_once
from linkdash.model.lists.columns import Computed
from linkdash.model.lists.filter import Filter, FilterError, Matches, parse
from linkdash.model.lists.row_texts import RowTexts
from tests.widgets.sample import Code, code

NOW = datetime(2026, 11, 20, 12, 0)
FIELDS = fields_of(Code)
ROWS = [
    code(
        1,
        name="Spring flyer",
        link="https://go.example.org/spring",
        scans="1,200",
        starred=True,
        made="2026-11-20 14:03:00",
        day="2026-11-20",
        apikey="hunter2",
    ),
    code(2, name="Poster: ÉTÉ", link="https://go.example.org/b", scans=100, starred="0", made="2026-12-15"),
    code(3, name="Autumn spring", scans=None, kind="gtm", made="2027-06-01 08:00:00", day="2026-11-19"),
    code(4, name="", scans="many", made="soon", color="#FF8800"),
    code(100, name="a > b", made="2026-11-15 00:00:00", scans=0),
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", [1, 2, 3, 4, 100]),
        ("spring", [1, 3]),
        ("SPRING flyer", [1]),
        ("flyer spring", [1]),
        ('"spring flyer"', [1]),
        ('"flyer spring"', []),
        ('"spring fl', [1]),
        ("été", [2]),
        ("many", []),
        ("2026", []),
        ("10", []),
        ("100", [100]),
        ("flyer 1", [1]),
        ("flyer 14", []),
        ("8800", [4]),
        ("gtm manager", [3]),
        ("~^tag m", [3]),
        ("~^gtm$", [3]),
        ("kind:gtm", [3]),
        ('kind:"tag manager"', [3]),
        ("https://go", [1, 2]),
        ("name:spring", [1, 3]),
        ('name:"spring flyer"', [1]),
        ("label:spring", [1, 3]),
        ("na:spring", [1, 3]),
        ('name:""', [4]),
        ('scans:""', [3]),
        ("!spring", [2, 4, 100]),
        ('!"spring flyer" name:spring', [3]),
        ("!name:spring", [2, 4, 100]),
        ("id:1", [1]),
        ("id:100", [100]),
        ("scans>100", [1]),
        ("scans>=100", [1, 2]),
        ("scans<100", [100]),
        ("scans<=1,200", [1, 2, 100]),
        ("scans:1,200", [1]),
        ("!scans>100", [2, 100]),
        ("scans > 100", [1]),
        ("flyer scans >100", [1]),
        ("! scans > 100", [2, 100]),
        ("scans≥100", [1, 2]),
        ("scans>1.100", [1]),
        ("scans:1\u202f200", [1]),
        ("scans:1'200", [1]),
        ("scans<1.000.000", [1, 2, 100]),
        ("scans>99.0", [1, 2]),
        ("name: spring", [1, 3]),
        ("name : spring", [1, 3]),
        ("name:“spring flyer”", [1]),
        ("„spring flyer“", [1]),
        ("«spring flyer» !poster", [1]),
        ("!“spring flyer” name:spring", [3]),
        ("e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}", [2]),
        ("!name:e\N{COMBINING ACUTE ACCENT}t", [1, 3, 4, 100]),
        ("~^poster: e\N{COMBINING ACUTE ACCENT}", [2]),
        ("!starred:yes", [2]),
        ("!made<2026-11-20", [1, 2, 3]),
        ("starred:yes", [1]),
        ("St_arred:yes", [1]),
        ("starred:no", [2]),
        ('starred:""', [3, 4, 100]),
        ("made:2026-11", [1, 100]),
        ("made:2026", [1, 2, 100]),
        ('made:"2026-11-20 14"', [1]),
        ("made:2026-11-20T14:03:00", [1]),
        ("!made:2026-11", [2, 3]),
        ("made<2026-11-20", [100]),
        ("made<=2026-11-20", [1, 100]),
        ("made>2026-11-20", [2, 3]),
        ("made>=2026-11-20T14:03", [1, 2, 3]),
        ('made>"2026-11-20 14:03"', [2, 3]),
        ("made<30d", [1, 2]),
        ("made>30d", [3]),
        ("made<3h", [1]),
        ("made>-1w", [100]),
        ("made<-5d", [100]),
        ("made<-6d", []),
        ("made>0d", [1, 2, 3]),
        ("made<1y", [1, 2, 3]),
        ("day<1d", [1]),
        ("day>-2d", [1, 3]),
        ("~^spring", [1]),
        ("~(flyer|spring)$", [1, 3]),
        ("~", [1, 2, 3, 4, 100]),
        ("spring scans>100 !poster", [1]),
        ('">"', [100]),
        ("hunter2", []),
        ("~hunter", []),
        ("true", []),
        ('"name=spring"', []),
        ('"utm_source=x"', []),
        ("https://go.example.org/?utm_source=x", []),
        ("!/~user", [1, 2, 3, 4, 100]),
    ],
)
def test_what_a_filter_finds(text: str, ids: list[int]) -> None:
    found = parse(text, FIELDS, NOW)
    assert [row.id for row in ROWS if found.matches(row)] == ids


@pytest.mark.parametrize(
    ("text", "what", "advice"),
    [
        ("size>3", 'unknown field "size"', "fields are id, name, link"),
        ("s:x", '"s" can be scans or starred', "write more"),
        ("apikey:hunter2", "apikey cannot be searched", "secrets"),
        ("price:1", "price cannot be searched", "nested"),
        ("scans>many", "scans is compared with a whole number", "scans>100"),
        ('scans>" "', "scans is compared with a whole number", "scans>100"),
        ("scans>", "scans> needs a value", 'scans:""'),
        ("name>3", "name is text", "use name:word"),
        ("starred:perhaps", "starred is yes or no", "starred:yes"),
        ("starred>1", "starred is yes or no", "use starred:yes"),
        ("name=spring", '"name=" is not a comparison', "use name:spring"),
        ("flyer Name!=spring", '"Name!=" is not a comparison', "use !Name:spring"),
        ("!kind==gtm", '"kind==" is not a comparison', "use !kind:gtm"),
        ("!kind!=gtm", '"kind!=" is not a comparison', "use kind:gtm"),
        ("!name~café", '"name~" is not a comparison', "use !name:café"),
        ("name!~(", '"name!~" is not a comparison', "use !name:("),
        ("name:~spring", '":~" is not a comparison', "use name:spring"),
        ("!date=31.12.24", 'unknown field "date"', "quote for an exact match"),
        ("apikey=hunter2", "apikey cannot be searched", "secrets"),
        ("!~^sp", '"~^sp" is not a whole filter', "stands alone"),
        ("scans=", '"scans=" is not a comparison', 'use scans:""'),
        ("scans>1.000", "1.000 can be 1 or 1,000", "use scans>1 or scans>1000"),
        ("scans>12.00.0", "scans is compared with a whole number", "scans>100"),
        ("made:12/31/24", "made is compared with a date", "made:2026-12"),
        ("!made:31.12.2024", "made is compared with a date", "made:2026-12-01"),
        ("made:2026-1", "made is compared with a date", "made:2026-12-01"),
        ("made:2026-13", "made is compared with a date", "made:2026-12-01"),
        ("made:2026-W05", "made is compared with a date", "made:2026-12-01"),
        ("made>2026-12-01T10:00Z", "made is compared with a date", "made>2026-12-01"),
        ("name: scans>5", "name: needs a value", 'name:""'),
        ("name = spring", '"=" does not name a field', "use name:flyer"),
        (":flyer", '":flyer" does not name a field', "use name:flyer"),
        ("100<scans", '"100<scans" does not name a field', "scans>100"),
        ("> 100", '">" does not name a field', "scans>100"),
        ("name:!spring", '"!" stands before name', "use !name:spring"),
        ("!!spring", '"!" is not enough', "such as !flyer"),
        ("spring !", '"!" is not enough', "such as !flyer"),
        ("made<soon", "made is compared with a date or a span", "made<30d"),
        ("made<9999y", "made is compared with a date or a span", "made<30d"),
        ("~(", "the expression is not complete", "simple"),
    ],
)
def test_a_filter_without_meaning_says_what_would_be_right(text: str, what: str, advice: str) -> None:
    with pytest.raises(FilterError) as refused:
        parse(text, FIELDS, NOW)
    assert what in refused.value.what
    assert advice in refused.value.advice
    assert "\n" not in str(refused.value)


_SIGNS = [
    ":",
    ">",
    "<",
    ">=",
    "<=",
    "≥",
    "≤",
    "=",
    "==",
    "!=",
    "~",
    "=~",
    "!~",
    "~=",
    "^=",
    "$=",
    "*=",
    ":=",
    ":~",
    "::",
]
_VALUES = [
    "",
    "1",
    "31.12.24",
    "12/31/24",
    "café",
    "~x",
    "(",
    "yes",
    "30d",
    "2026-12",
    "1.000",
    '"x"',
    '"',
    "!x",
]


@given(
    st.sampled_from([*(field.name for field in FIELDS), "made_up", "s"]),
    st.sampled_from(_SIGNS),
    st.sampled_from(_VALUES) | st.text(max_size=5),
)
def test_what_is_a_mistake_is_one_with_a_not_before_it(name: str, sign: str, value: str) -> None:
    """Else a mistake, which finds nothing, would find everything, such as for a deletion."""
    condition = f"{name}{sign}{value}"
    try:
        found = parse(condition, FIELDS, NOW)
    except FilterError:
        with pytest.raises(FilterError):
            parse(f"!{condition}", FIELDS, NOW)
        return
    assert len(found.conditions) >= 1, f"{condition} was taken for words"
    assert parse(f"!{condition}", FIELDS, NOW)


def test_an_empty_filter_is_false() -> None:
    assert not parse("  ", FIELDS, NOW)
    assert parse("x", FIELDS, NOW)


def test_unreadable_rows_are_found_by_words_alone() -> None:
    lost = Unreadable(text="{'Name': 'Spring'}")
    assert parse("spring", FIELDS, NOW).matches(lost)
    assert not parse("!spring", FIELDS, NOW).matches(lost)
    assert not parse("name:spring", FIELDS, NOW).matches(lost)
    assert not parse("!name:summer", FIELDS, NOW).matches(lost)


@given(st.text(), st.sampled_from(["NFC", "NFD"]))
def test_what_looks_the_same_is_compared_as_the_same(text: str, form: Literal["NFC", "NFD"]) -> None:
    assert folded(unicodedata.normalize(form, text)) == folded(text) == folded(folded(text))


@given(st.lists(st.sampled_from(["!", "name", "scans", "made", ":", ">", "<=", '"', " ", "~", "3d", "x"])))
def test_whatever_is_typed_is_a_filter_or_a_reason(parts: list[str]) -> None:
    try:
        found = parse("".join(parts), FIELDS, NOW)
    except FilterError:
        return
    assert isinstance(found, Filter)
    for row in ROWS:
        found.matches(row)


def test_an_expression_that_takes_too_long_is_a_mistake() -> None:
    slow = parse("~(a+)+$", FIELDS, NOW)
    with pytest.raises(FilterError, match="takes too long"):
        matches(slow, [code(1, name="a" * 255 + "!")])


# ---- computed columns ----


def matches(wanted: Filter, rows: Rows[Code]) -> Matches[Code]:
    return at_once(wanted.matching(RowTexts(rows, wanted.searched)))


_WEEKS = {1: -74, 2: 5, 3: 0}
_AGES = {1: timedelta(days=90, hours=2), 2: timedelta(hours=5), 3: timedelta(days=89, hours=23)}
COMPUTED = [
    Computed[Code](
        "change",
        "Week",
        Kind.TEXT,
        7,
        draw=lambda row: None,
        rank=lambda row: _WEEKS.get(row.id),
        unit="percent",
    ),
    Computed[Code](
        "age", "Age", Kind.TEXT, 5, draw=lambda row: None, rank=lambda row: _AGES.get(row.id), unit="span"
    ),
    Computed[Code]("due", "Left", Kind.MOMENT, 5, draw=lambda row: None, by_field="made"),
]


@pytest.mark.parametrize(
    ("text", "ids", "not_known"),
    [
        ("week<-30", [1], 2),
        ("change<-30%", [1], 2),
        ("week>=0", [2, 3], 2),
        ("!week<-30", [2, 3], 2),
        ('week:""', [4, 100], 0),
        ('!week:""', [1, 2, 3], 0),
        ("week<9 spring", [1, 3], 0),
        ("age>90d", [1], 2),
        ("age<90d", [2, 3], 2),
        ("age<6h", [2], 2),
        ("age:89d", [3], 2),
        ("age:90d", [1], 2),
        ("age>1d week<-30", [1], 2),
        ("left<30d", [1, 2], 1),
        ("left>2026-11-20", [2, 3], 1),
    ],
)
def test_a_computed_column_is_asked_for_by_name_and_where_it_is_not_known_the_row_is_left_out(
    text: str, ids: list[int], not_known: int
) -> None:
    wanted = parse(text, FIELDS, NOW, COMPUTED)
    found = matches(wanted, ROWS)
    assert [row.key for row in found.rows] == ids
    assert found.not_known == not_known


@pytest.mark.parametrize(
    ("text", "of_endless"),
    [
        ("expires<30d", False),
        ("!expires<30d", True),
        ("expires:2026", False),
        ("expires>30d", None),
        ("!expires>30d", None),
        ("!registered<30d", None),
    ],
)
def test_who_never_expires_does_not_before_any_moment(text: str, of_endless: bool | None) -> None:
    endless = User.model_validate({"id": 1, "expires": None, "registered": None})
    wanted = parse(text, fields_of(User), NOW)
    assert wanted.matches(endless) is of_endless
    assert wanted.matches(User.model_validate({"id": 2})) is None


_VALUES = ["100", "1,200", "yes", "spring", "été", "2026-11-20", "2026-11", "-1w", "30d", '"a > b"', '""']


@given(
    st.lists(
        st.builds(
            "{}{}{}".format,
            st.sampled_from(["name", "scans", "starred", "made", "day", "kind", "id", "week", "age", "left"]),
            st.sampled_from([":", "<", ">", "<=", ">="]),
            st.sampled_from(_VALUES),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_a_row_passes_a_condition_or_its_opposite_or_is_counted(terms: list[str]) -> None:
    """The last condition, and its opposite, are asked for beside the rest; None is counted as not known."""
    *rest, last = terms
    rows: list[Code | Unreadable] = [*ROWS, Unreadable(text="{'Name': 'Spring'}")]
    try:
        every, yes, no = (
            parse(" ".join(asked), FIELDS, NOW, COMPUTED) for asked in (rest, terms, [*rest, f"!{last}"])
        )
    except FilterError:
        return
    for row in rows:
        found = {yes.matches(row), no.matches(row)}
        match every.matches(row):
            case True:
                assert found in ({True, False}, {None})
            case False:
                assert found == {False}
            case None:
                assert found in ({None}, {None, False})
    assert matches(yes, rows).not_known == [yes.matches(row) for row in rows].count(None)


def named(names: dict[int, str]) -> list[Computed[Code]]:
    """The column of a reference that is shown by name."""
    return [Computed[Code]("scans", "Plan", Kind.COUNT, 7, draw=str, names=lambda: names)]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("plan:pro", [1]),
        ("plan:PRÓ", [1]),
        ("!plan:pro", [2, 100]),
        ("plan:busi", [2]),
        ('plan:"pro & more"', [1]),
        ("plan:1200", [1]),
        ("plan>99", [1, 2]),
        ("scans:free", [100]),
        ('plan:""', [3]),
    ],
)
def test_a_reference_is_found_by_the_name_that_its_column_shows(text: str, ids: list[int]) -> None:
    wanted = parse(text, FIELDS, NOW, named({1200: "Pro & more", 100: "Business", 0: "Free"}))
    assert [row.key for row in matches(wanted, ROWS).rows] == ids


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({1: "Pro", 2: "Free"}, 'no name holds "best": known are Pro, Free'),
        ({}, 'no name holds "best": no name is known yet; plan:1 finds by id'),
    ],
)
def test_a_name_that_is_not_known_is_told_with_those_that_are(names: dict[int, str], said: str) -> None:
    with pytest.raises(FilterError) as refused:
        parse("plan:best", FIELDS, NOW, named(names))
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("week<fast", "week is compared with a whole number: week>-30 or week<-30"),
        ("Left<30", "Left is compared with a date or a span: Left<2026-12-01 or Left<30d"),
        ("le<30", "left is compared with a date or a span: left<2026-12-01 or left<30d"),
        ("age>90", "age is compared with a span of time: age>90d or age<90d"),
        ("age>", "age is compared with a span of time: age>90d or age<90d"),
    ],
)
def test_a_computed_column_says_what_it_is_compared_with(text: str, said: str) -> None:
    with pytest.raises(FilterError) as refused:
        parse(text, FIELDS, NOW, COMPUTED)
    assert str(refused.value) == said


@given(
    st.sampled_from(["<", ">", "<=", ">=", ":"]),
    st.integers(-100, 100),
    st.lists(st.none() | st.integers(-100, 100), max_size=20),
)
def test_a_condition_and_its_opposite_share_the_rows_whose_value_is_known(
    sign: str, bound: int, ranks: list[int | None]
) -> None:
    rows = [code(index) for index in range(1, len(ranks) + 1)]
    week = Computed[Code](
        "week", "Week", Kind.TEXT, 7, draw=lambda row: None, rank=lambda row: ranks[row.id - 1]
    )
    yes, no, unknown = (
        matches(parse(text, FIELDS, NOW, [week]), rows)
        for text in (f"week{sign}{bound}", f"!week{sign}{bound}", 'week:""')
    )
    found = [row.id for part in (yes, no, unknown) for row in part.rows if isinstance(row, Code)]
    assert sorted(found) == [row.id for row in rows]
    assert yes.not_known == no.not_known == len(unknown.rows) == ranks.count(None)
