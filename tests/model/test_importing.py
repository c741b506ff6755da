"""What a file means to an import: rows, columns, problems, and that nothing is ever sent twice."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkdash.api.channels import Channel
from linkdash.api.model import Record, Unreadable
from linkdash.api.overlays import Pixel
from linkdash.model.export import record_members, records_csv
from linkdash.model.importing import Result, Row, Unimportable, left_to_do, plan, read_results, read_rows
from linkdash.model.resource import AnyResource, declaration

TEXTS = st.text(max_size=9) | st.sampled_from(
    ["=1+1", "'=1", "-", "+49", "@me", "'", ",", '"', "a\nb", "true"]
)


def pixel(id: int = 5, name: str = "Shop", type: str = "bing", tag: str = "12345678") -> Pixel:
    return read(Pixel, {"id": id, "name": name, "type": type, "tag": tag, "date": "2026-01-02 03:04:05"})


def read(model: type[Record], members: object) -> "Pixel":
    record = model.read(members)
    assert not isinstance(record, Unreadable)
    return record  # type: ignore[return-value]  # whichever record it is


def rows_of(text: str, ending: str = "csv") -> list[Row]:
    return read_rows(text, ending)


def planned(resource: AnyResource, rows: list[Row], *known: Record) -> list[object]:
    """The params of the writes, else the problems."""
    found = plan(resource, rows, {record.id: record for record in known})
    if found.problems:
        return [str(problem) for problem in found.problems]
    return [dict(line.intent.params) for line in found.lines if line.intent is not None]


PIXELS = declaration("pixels")

# ---- laws ----


@settings(max_examples=50)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=5))
def test_an_import_after_an_export_changes_nothing(texts: list[tuple[str, str, str]]) -> None:
    pixels = [pixel(id, *members) for id, members in enumerate(texts, 1)]
    exported = records_csv(Pixel, PIXELS.columns, pixels)
    assert planned(PIXELS, rows_of(exported), *pixels) == []
    lines = "".join(json.dumps(record_members(record)) + "\n" for record in pixels)
    assert planned(PIXELS, rows_of(lines, "jsonl"), *pixels) == []


@settings(max_examples=50)
@given(TEXTS, TEXTS, st.sampled_from(["yes", "perhaps", True, 0, None]), st.none() | TEXTS)
def test_that_holds_where_values_are_missing_or_odd(
    name: str, description: str, starred: object, color: str | None
) -> None:
    members = {"id": 3, "name": name, "description": description, "starred": starred, "color": color}
    channel, channels = read(Channel, members), declaration("channels")
    exported = records_csv(Channel, channels.columns, [channel])
    assert planned(channels, rows_of(exported), channel) == []


@settings(max_examples=50)
@given(st.text(min_size=1, max_size=20).filter(str.strip))
def test_what_was_exported_can_be_created_elsewhere(name: str) -> None:
    record = pixel(name=name)
    exported = records_csv(Pixel, PIXELS.columns, [record])
    row = rows_of(exported)[0]
    without_id = Row(row.number, {k: v for k, v in row.members.items() if k != "id"}, are_cells=True)
    assert planned(PIXELS, [without_id]) == [{"name": record.name, "type": "bing", "tag": "12345678"}]


# ---- columns and rows ----


def test_columns_are_found_by_name_and_title_and_labels_are_words() -> None:
    text = "TYPE,Name,tag,Notes\nFacebook,Shop,123456789012345,mine\n"
    found = plan(PIXELS, rows_of(text), {})
    assert found.ignored == ["Notes"]
    assert [dict(line.intent.params) for line in found.lines if line.intent] == [
        {"type": "fbpixel", "name": "Shop", "tag": "123456789012345"}
    ]


def test_a_change_sends_what_changed_and_what_is_always_sent() -> None:
    rows = rows_of("id,name\n5,Other\n")
    assert planned(PIXELS, rows, pixel()) == [{"name": "Other", "tag": "12345678"}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("type,name\nbing,Shop\n", "row 2, tag: Field required"),
        ("type,name,tag\n\nmyspace,Shop,1\n", "row 3, type: Input should be"),
        ("id,name\n6,Shop\n", "row 2, id: there is no pixel with this id"),
        ("id,name\nx,Shop\n", "row 2, id: an identifier is a whole number"),
        ("id,name\n5,A\n5,B\n", "row 3, id: row 2 has this id too"),
        ("id,type\n5,fbpixel\n", "row 2, type: this cannot be changed"),
    ],
)
def test_a_row_that_cannot_be_sent_is_told_by_row_column_and_reason(text: str, problem: str) -> None:
    told = planned(PIXELS, rows_of(text), pixel())
    assert len(told) == 1
    assert str(told[0]).startswith(problem)


def test_what_cannot_be_created_or_changed_is_told() -> None:
    assert planned(declaration("users"), rows_of("id,username\n5,x\n")) == [
        "row 2, id: there is no user with this id"
    ]
    assert "cannot be created" in str(planned(declaration("account"), rows_of("email\na@b.example\n")))


def test_what_means_nothing_to_a_request_creates_nothing() -> None:
    campaigns = declaration("campaigns")
    with pytest.raises(Unimportable, match="No column with values is a field of a campaign"):
        plan(campaigns, rows_of("foo,bar\n1,2\n"), {})
    assert planned(campaigns, rows_of("name,foo\nSpring,1\n,2\n")) == [
        "row 3: nothing in it is a field of a campaign"
    ]
    assert planned(campaigns, rows_of("foo,bar\n")) == []


@pytest.mark.parametrize(
    ("text", "ending", "words"),
    [
        ("a,a\n1,2\n", "csv", "Two columns have the same name."),
        ("a,b\n1,2,3\n", "csv", "Line 2 has too many cells."),
        ('a\n"b', "csv", "is no CSV"),
        ('{"a": 1}\n[1]\n', "jsonl", "Row 2 is no JSON object."),
        ("{", "jsonl", "Row 1 is no JSON object."),
        ("{}", "json", "holds no list of records"),
    ],
)
def test_a_file_that_is_none_is_told(text: str, ending: str, words: str) -> None:
    with pytest.raises(Unimportable, match=words):
        read_rows(text, ending)


def test_an_exported_json_file_is_read_too() -> None:
    text = json.dumps({"as_of": "now", "records": [{"id": 5, "name": "Shop", "tag": None}]})
    assert rows_of(text, "json") == [Row(1, {"id": 5, "name": "Shop"})]


# ---- how far it got ----

STATES = st.sampled_from(["sending", "done", "rejected", "not sent", "unknown"])


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(2, 9), STATES)), st.integers(0, 400))
def test_a_row_that_was_sent_is_never_sent_again(steps: list[tuple[int, str]], cut: int) -> None:
    text = json.dumps({"file": "x"}) + "\n" + "".join(Result(*step).line() for step in steps)
    whole = text[: max(cut, text.index("\n") + 1)]
    states = read_results(whole)
    rows = [Row(number, {"type": "bing", "name": "a", "tag": "12345678"}) for number in range(2, 10)]
    left = {line.row for line in left_to_do(plan(PIXELS, rows, {}), states)}
    told = [json.loads(line) for line in whole.split("\n")[1:] if line.endswith("}")]
    last = {line["row"]: line["state"] for line in told}
    for row in range(2, 10):
        assert (row in left) == (last.get(row, "not sent") == "not sent")


def test_a_result_file_of_something_else_is_refused() -> None:
    with pytest.raises(Unimportable, match="Line 2 of the result file"):
        read_results('{"file": "x"}\nnot this\n{"row": 1, "state": "done"}\n')
