"""Files as an import reads them: rows, columns, problems, and that nothing is ever sent twice."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.fields import stripped
from linkdash.api.records import Record, Unreadable
from linkdash.api.resources.channels import Channel
from linkdash.api.resources.pixels import Pixel
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.file_text import Unimportable
from linkdash.model.lists.export import record_members, records_csv
from linkdash.model.writes.import_file import FileRow, read_rows
from linkdash.model.writes.import_job import FileImport
from linkdash.model.writes.import_plan import emptied, ignored_words, plan
from linkdash.model.writes.rewritten_cells import is_spoilt
from linkdash.store.job import ItemState, Job, JobItem
from linkdash.store.journal_entry import WriteIntent

TEXTS = st.text(max_size=9) | st.sampled_from(
    ["=1+1", "'=1", "-", "+49", "@me", "'", ",", '"', "a\nb", "true"]
)


def pixel(id: int = 5, name: str = "Shop", type: str = "bing", tag: str = "12345678") -> Pixel:
    return read(Pixel, {"id": id, "name": name, "type": type, "tag": tag, "date": "2026-01-02 03:04:05"})


def read(model: type[Record], members: object) -> "Pixel":
    record = model.read(members)
    assert not isinstance(record, Unreadable)
    return record  # type: ignore[return-value]  # whichever record it is


def rows_of(text: str, ending: str = "csv") -> list[FileRow]:
    return read_rows(text, ending)


def planned(resource: AnyResource, rows: list[FileRow], *known: Record) -> list[object]:
    """The params of the writes, else the problems."""
    found = plan(resource, rows, {record.id: record for record in known})
    if found.problems:
        return [str(problem) for problem in found.problems]
    return [dict(line.intent.params) for line in found.lines if line.intent is not None]


PIXELS = declaration("pixels")

# ---- laws ----


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=5))
def test_an_import_after_an_export_changes_nothing(texts: list[tuple[str, str, str]]) -> None:
    pixels = [pixel(id, *members) for id, members in enumerate(texts, 1)]
    exported = records_csv(Pixel, PIXELS.columns, pixels)
    assert planned(PIXELS, rows_of(exported), *pixels) == []
    lines = "".join(json.dumps(record_members(record)) + "\n" for record in pixels)
    assert planned(PIXELS, rows_of(lines, "jsonl"), *pixels) == []


@given(TEXTS, TEXTS, st.sampled_from(["yes", "perhaps", True, 0, None]), st.none() | TEXTS)
def test_that_holds_where_values_are_missing_or_odd(
    name: str, description: str, starred: object, color: str | None
) -> None:
    members = {"id": 3, "name": name, "description": description, "starred": starred, "color": color}
    channel, channels = read(Channel, members), declaration("channels")
    exported = records_csv(Channel, channels.columns, [channel])
    assert planned(channels, rows_of(exported), channel) == []


@given(st.text(min_size=1, max_size=20).filter(lambda text: stripped(text) and not is_spoilt(text.strip())))
def test_what_was_exported_can_be_created_elsewhere(name: str) -> None:
    record = pixel(name=name)
    exported = records_csv(Pixel, PIXELS.columns, [record])
    row = rows_of(exported)[0]
    without_id = FileRow(row.number, {k: v for k, v in row.members.items() if k != "id"}, are_cells=True)
    assert planned(PIXELS, [without_id]) == [{"name": stripped(name), "type": "bing", "tag": "12345678"}]


# ---- columns and rows ----


def test_columns_are_found_by_name_and_title_and_labels_are_words() -> None:
    text = "TYPE,Name,tag,Notes\nFacebook,Shop,123456789012345,mine\n"
    found = plan(PIXELS, rows_of(text), {})
    assert found.ignored == ["Notes"]
    assert [dict(line.intent.params) for line in found.lines if line.intent] == [
        {"type": "fbpixel", "name": "Shop", "tag": "123456789012345"}
    ]


@pytest.mark.parametrize("id", [" 5", "5 ", "5\u00a0", "\u200b5", "\t5"])
def test_what_shows_nothing_around_an_id_or_a_title_is_left_out(id: str) -> None:
    text = f"\u200bid\u00a0,name\u200b\n{id},Other\n\u200b,\u00a0\n"
    assert planned(PIXELS, rows_of(text), pixel()) == [{"name": "Other", "tag": "12345678"}]
    rows = rows_of(json.dumps({"id\u200b": id, "name": "Other"}), "jsonl")
    assert planned(PIXELS, rows, pixel()) == [{"name": "Other", "tag": "12345678"}]


def test_a_change_sends_what_changed_and_what_is_always_sent() -> None:
    rows = rows_of("id,name\n5,Other\n")
    assert planned(PIXELS, rows, pixel()) == [{"name": "Other", "tag": "12345678"}]


def channel(**members: object) -> Record:
    return read(Channel, {"id": 3, "name": "Shop", "description": "Here", "color": "#FFC914", **members})


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("id,name,description\n3,Shop,\n", "csv"),
        ('{"id": 3, "name": "Shop", "description": null}', "jsonl"),
        ('{"id": 3, "description": ""}', "jsonl"),
    ],
)
def test_what_was_emptied_is_a_change_that_is_told(text: str, ending: str) -> None:
    channels, known = declaration("channels"), channel()
    assert planned(channels, rows_of(text, ending), known) == [{"description": ""}]
    lines = plan(channels, rows_of(text, ending), {3: known}).lines
    assert emptied(channels, lines) == "Emptied: Description in 1 row."


def test_what_a_row_does_not_have_and_what_is_empty_already_stays() -> None:
    channels = declaration("channels")
    for text in ("id,name\n3,Shop\n", "id,name,description\n3,Shop\n", "id,name,starred\n3,Shop,\n"):
        assert planned(channels, rows_of(text), channel()) == [], text
    assert planned(channels, rows_of("id,description\n3,\n"), channel(description=None)) == []
    assert emptied(channels, plan(channels, rows_of("id,name\n3,Other\n"), {3: channel()}).lines) == ""
    assert planned(channels, rows_of("name,description\nNew,\n")) == [{"name": "New"}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("type,name\nbing,Shop\n", "row 2, tag: required"),
        ("type,name,tag\n\nmyspace,Shop,1\n", 'row 3, type "myspace": must be one of'),
        ("id,name\n6,Shop\n", 'row 2, id "6": there is no pixel with this id'),
        ("id,name\nx,Shop\n", 'row 2, id "x": must be a whole number'),
        ("id,name\n5,A\n5,B\n", 'row 3, id "5": row 2 has this id too'),
        ("id,type\n5,fbpixel\n", 'row 2, type "fbpixel": this cannot be changed'),
        ("id,type,name\n5,,Other\n", "row 2, type: this cannot be emptied"),
        ("id,tag\n5,\n", "row 2, tag: this cannot be empty"),
    ],
)
def test_a_row_that_cannot_be_sent_is_told_by_row_column_and_reason(text: str, problem: str) -> None:
    told = planned(PIXELS, rows_of(text), pixel())
    assert len(told) == 1
    assert str(told[0]).startswith(problem)


def test_a_row_that_cannot_be_sent_tells_no_secret() -> None:
    rows = rows_of("username,email,Password\nada,ada@example.org,1234\n")
    (problem,) = planned(declaration("users"), rows)
    assert str(problem).startswith("row 2, password: ")
    assert "1234" not in str(problem)
    rows = rows_of('type,data\nwifi,"{""ssid"": """", ""password"": ""correct-horse""}"\n')
    (problem,) = planned(declaration("qr"), rows)
    assert "correct-horse" not in str(problem)


def test_a_column_without_a_title_is_told_where_something_stands_in_it() -> None:
    assert ignored_words(plan(PIXELS, rows_of("type,,name,tag\nbing,,Shop,1\n"), {})) == ""
    told = ignored_words(plan(PIXELS, rows_of("type,,name,tag,date\nbing,x,Shop,1,2\n"), {}))
    assert told == "Ignored (cannot be sent): column 2 (no title), date."


def test_what_cannot_be_created_or_changed_is_told() -> None:
    assert planned(declaration("users"), rows_of("id,username\n5,x\n")) == [
        'row 2, id "5": there is no user with this id'
    ]
    assert "cannot be created" in str(planned(declaration("account"), rows_of("email\na@b.example\n")))


def test_what_means_nothing_to_a_request_creates_nothing() -> None:
    campaigns = declaration("campaigns")
    with pytest.raises(Unimportable, match="No column is a field of a campaign"):
        plan(campaigns, rows_of("foo,bar\n1,2\n"), {})
    assert planned(campaigns, rows_of("name,foo\nSpring,1\n,2\n")) == [
        "row 3: nothing in it is a field of a campaign"
    ]
    assert planned(campaigns, rows_of("foo,bar\n")) == []


@pytest.mark.parametrize(
    ("text", "ending", "words"),
    [
        ("a,a\n1,2\n", "csv", "Two columns have the same name."),
        ("a,b\n1,2,3\n", "csv", "Row 2 has too many cells."),
        ('a\n"b', "csv", "Row 2 is not valid CSV"),
        ('{"a": 1}\n[1]\n', "jsonl", "Row 2 is not a JSON object."),
        ("{", "jsonl", "Row 1 is not a JSON object."),
        ("{}", "json", "contains no list of records"),
    ],
)
def test_a_file_that_is_none_is_told(text: str, ending: str, words: str) -> None:
    with pytest.raises(Unimportable, match=words):
        read_rows(text, ending)


def test_an_exported_json_file_is_read_too() -> None:
    text = json.dumps({"as_of": "now", "records": [{"id": 5, "name": "Shop", "tag": None}]})
    assert rows_of(text, "json") == [FileRow(1, {"id": 5, "name": "Shop", "tag": ""})]


# ---- how far it got ----

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def pixel_rows(*names: str) -> list[FileRow]:
    return [
        FileRow(number, {"type": "bing", "name": name, "tag": "12345678"})
        for number, name in enumerate(names, 2)
    ]


def job_of(items: Sequence[tuple[str, ItemState]]) -> Job:
    """The job that has sent rows, as the journal knows by now what became of them."""
    intent = WriteIntent("pixels", "create", (), {})
    made = [JobItem(at, intent, state, origin=f"w{at}", row_key=key) for at, (key, state) in enumerate(items)]
    return Job(1, "Import", NOON, tuple(made))


@given(st.lists(st.sampled_from(ItemState), max_size=8), st.permutations(range(8)))
def test_a_row_that_was_done_or_may_be_is_never_sent_again(states: list[ItemState], order: list[int]) -> None:
    """However the rows are put in another order since, and wherever the import ended."""
    names = [f"Pixel {number}" for number in range(8)]
    keys = [line.key for line in plan(PIXELS, pixel_rows(*names), {}).lines]
    earlier = job_of([*zip(keys, states, strict=False)])
    edited = plan(PIXELS, pixel_rows(*(names[place] for place in order)), {})
    left = FileImport("Import", edited.writes, earlier).left
    again = (ItemState.PENDING, ItemState.FAILED)
    assert [line.key for line in left] == [
        keys[place] for place in order if place >= len(states) or states[place] in again
    ]


def test_a_row_is_known_by_what_it_asks_for_and_equal_rows_are_counted() -> None:
    cells = {"type": "bing", "name": "Spring", "tag": "12345678"}
    alike = [FileRow(2, cells, are_cells=True), FileRow(9, {**cells, "note": "mine"}), FileRow(3, cells)]
    first, second, third = (line.key for line in plan(PIXELS, alike, {}).lines)
    assert len({first, second, third}) == 3
    assert (first[:-1], first[-1]) == (second[:-1], "1"), "what no request has makes no difference"
    (other,) = plan(PIXELS, [FileRow(2, {**cells, "tag": "87654321"})], {}).lines
    assert other.key[:-2] != first[:-2]


def test_of_a_secret_nothing_is_in_what_a_row_is_known_by() -> None:
    members = {"username": "ada", "email": "ada@example.org"}
    keys = {
        plan(declaration("users"), [FileRow(2, {**members, "password": password})], {}).lines[0].key
        for password in ("correct-horse", "swordfish")
    }
    assert len(keys) == 1


def test_a_record_that_was_changed_to_and_fro_gets_the_last_row_again() -> None:
    done = job_of([(key, ItemState.DONE) for key in ("5:a/1", "5:b/1", "new:c/1")])
    assert [*FileImport("Import", [], done).tried] == ["5:b/1", "new:c/1"]
