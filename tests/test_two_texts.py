"""Untouched text: it stays as it was, character by character, by every way in and out.

Each law has a service with texts of all that JSON can hold, changes one member in one way, and looks at what
the service has then. `pytest --hypothesis-profile thorough` takes ten times as many texts.
"""

import asyncio
import csv
import io
import json
import re
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path

import mcp
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import SecretStr

from linkdash.api.client import Client
from linkdash.api.endpoints import body_of
from linkdash.api.inert_text import inert, marked, safe_text
from linkdash.api.records import Body, Record, as_sent
from linkdash.commands.mcp.server import RecordsServer
from linkdash.commands.parser import parser
from linkdash.commands.run_verb import function_of
from linkdash.commands.verbs import VERBS
from linkdash.model.as_command import write_commands
from linkdash.model.copy_choices import copies
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.session import Session
from linkdash.model.settings import Settings
from linkdash.model.writes import planned_changes
from linkdash.model.writes.draft import Draft, InputText
from linkdash.model.writes.write_words import summary_of
from linkdash.store.store import Store
from tests.strict_service import KEY, StrictService, strict_service

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
HALF = re.compile("[\ud800-\udfff]")

characters = st.one_of(
    st.characters(exclude_categories=()),
    st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Mn"]),
    st.sampled_from(
        "\t\n\r\0\x1b\x7f\x9b\u200e\u200f\u202e\u00ad\u200d\ufeff\u3164\ud800\udfff↵⇥�='\"\\,;e\u0301"
    ),
)
texts = (
    st.text(characters, min_size=1, max_size=25)
    .map(lambda text: str(json.loads(json.dumps(text))))  # as JSON has it: halves that meet are a pair
    .filter(lambda text: bool(text.strip()))  # a name is never blank
)
HARD = "Sale\u200f عربى\u00ad\t\r\n\0\x1b[2J\ud800"
FORMULA, QUOTED = "=cmd|'/c calc'!A1", "'=1+1"


@pytest.fixture(scope="module")
def service() -> Iterator[StrictService]:
    with strict_service() as running:
        yield running


# ---- ways to change one member, which is not the text ----

Way = Callable[[Session, str, Path], Awaitable[None]]
"""Changes the switch of campaign 1, the name of pixel 1 or the star of channel 1."""

TOUCHED: dict[str, dict[str, object]] = {
    "campaigns": {"public": True},
    "pixels": {"name": "Renamed"},
    "channels": {"starred": True},
}


async def run(session: Session, *words: str) -> tuple[int, str]:
    """The status of a verb, and what it wrote."""
    flags = parser().parse_args([*words])
    with redirect_stdout(io.StringIO()) as out:
        status = await function_of(VERBS[words[0]])(session, flags)
    return status, out.getvalue()


async def known(session: Session, resource: str) -> Record:
    """Record 1 as it is now."""
    collection = session.collection(resource)
    await collection.read(1)
    found: Record | None = collection.listing.record(1)
    assert found is not None
    return found


def update_model(resource: AnyResource) -> type[Body]:
    model: type[Body] | None = resource.update
    assert model is not None
    return model


def typed(value: object) -> str:
    """A value as the user types it."""
    return "true" if value is True else str(value)


async def by_command(session: Session, resource: str, folder: Path) -> None:
    members = [
        f"{name}={str(value).lower() if value is True else value}"
        for name, value in TOUCHED[resource].items()
    ]
    assert (await run(session, "update", resource, "1", *members))[0] == 0


async def by_import_of_csv(session: Session, resource: str, folder: Path) -> None:
    await _by_import(session, resource, folder, "csv", ())


async def by_import_of_raw_csv(session: Session, resource: str, folder: Path) -> None:
    await _by_import(session, resource, folder, "csv", ("--raw",))


async def by_import_of_json(session: Session, resource: str, folder: Path) -> None:
    await _by_import(session, resource, folder, "json", ())


async def by_import_of_json_lines(session: Session, resource: str, folder: Path) -> None:
    await _by_import(session, resource, folder, "jsonl", ())


async def _by_import(
    session: Session, resource: str, folder: Path, ending: str, flags: Sequence[str]
) -> None:
    path = folder / f"{resource}.{ending}"
    assert (await run(session, "export", resource, str(path), *flags))[0] == 0
    text = path.read_bytes().decode()
    path.write_bytes(_EDITED[ending](text, TOUCHED[resource]).encode())
    assert (await run(session, "import", resource, str(path), "--yes"))[0] == 0


def _edited_csv(text: str, touched: dict[str, object]) -> str:
    header, *rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    for row in rows:
        if row[header.index("id")] == "1":
            for name, value in touched.items():
                row[header.index(name)] = str(value)
    lines = io.StringIO(newline="")
    csv.writer(lines).writerows([header, *rows])
    return lines.getvalue()


def _edited_json(text: str, touched: dict[str, object]) -> str:
    data = json.loads(text)
    for record in data["records"]:
        record.update(touched if record["id"] == 1 else {})
    return json.dumps(data)


def _edited_lines(text: str, touched: dict[str, object]) -> str:
    rows = [json.loads(line) for line in text.split("\n") if line]
    return "\n".join(json.dumps({**row, **touched} if row["id"] == 1 else row) for row in rows)


_EDITED = {"csv": _edited_csv, "json": _edited_json, "jsonl": _edited_lines}


async def by_mcp(session: Session, resource: str, folder: Path) -> None:
    members = {name: value for name, value in TOUCHED[resource].items() if isinstance(value, str | bool)}
    wanted = {"resource": resource, "id": 1, "members": members}
    async with mcp.Client(RecordsServer(session, writes=True)) as client:
        shown = (await client.call_tool("update_record", wanted)).structured_content or {}
        sent = (await client.call_tool("confirm_change", {"token": shown["token"]})).structured_content or {}
    assert [change["outcome"] for change in sent["changes"]] == ["done"]


async def by_form(session: Session, resource: str, folder: Path) -> None:
    """A form, of which a draft is kept and put back before it is saved."""
    declared, record = declaration(resource), await known(session, resource)
    model = update_model(declared)
    draft = Draft.update(model, planned_changes.values_of(record, model))
    for name, value in TOUCHED[resource].items():
        draft = draft.with_text(name, typed(value))
    await session.store.drafts.save("update/1", draft.storable_values(), NOON)
    kept = await session.store.drafts.load("update/1")
    assert kept is not None
    body = Draft.update(model, planned_changes.values_of(record, model)).with_stored(kept.values).parse()
    assert isinstance(body, Body)
    result = await session.writes.carry_out(planned_changes.update_of(declared, record, body))
    assert result.error is None


async def in_bulk(session: Session, resource: str, folder: Path) -> None:
    declared, record = declaration(resource), await known(session, resource)
    model, kind = update_model(declared), type(record)
    body = body_of(
        planned_changes.for_all(model, kind),
        {name: "yes" if value is True else value for name, value in TOUCHED[resource].items()},
    )
    wanted = planned_changes.updates_of(declared, model, [record], body, {record.id: session.moment()})
    await session.jobs.run(await session.jobs.create("Edit 1", wanted))


WAYS: dict[str, Way] = {
    "update": by_command,
    "import of CSV": by_import_of_csv,
    "import of raw CSV": by_import_of_raw_csv,
    "import of JSON": by_import_of_json,
    "import of JSON lines": by_import_of_json_lines,
    "MCP": by_mcp,
    "form and draft": by_form,
    "bulk": in_bulk,
}


def with_session(service: StrictService, work: Callable[[Session, Path], Awaitable[None]]) -> None:
    """Do some work in a session with a store of its own."""

    async def in_session(folder: Path) -> None:
        settings = Settings("tests", service.base_url, SecretStr(KEY))
        session = Session(settings, Store(folder / "state", folder / "cache", "tests"))
        try:
            await work(session, folder)
        finally:
            await session.close()

    with tempfile.TemporaryDirectory() as name:
        asyncio.run(in_session(Path(name)))


def begin(service: StrictService, one: str, other: str) -> None:
    service.clear(
        campaign=[
            {"name": one, "public": False, "rotator": False, "list": other},
            {"name": other, "public": False},
        ],
        pixel=[{"type": "gtmpixel", "name": "x", "tag": one}, {"type": "bing", "name": other, "tag": one}],
        channel=[{"name": one, "description": other, "color": "", "starred": False}, {"name": other}],
    )


def assert_it_stays(service: StrictService, way: str, resources: Iterable[str], one: str, other: str) -> None:
    begin(service, one, other)
    expected = deepcopy(service.state)
    for resource in resources:
        expected[resource.removesuffix("s")][1].update(TOUCHED[resource])

    async def change(session: Session, folder: Path) -> None:
        for resource in resources:
            await WAYS[way](session, resource, folder)

    with_session(service, change)
    assert service.state == expected


@pytest.mark.parametrize("way", WAYS)
def test_what_nobody_touched_stays(service: StrictService, way: str) -> None:
    assert_it_stays(service, way, TOUCHED, HARD, FORMULA)
    if "CSV" in way:
        assert_it_stays(service, way, TOUCHED, QUOTED, "a" + "\u0301" * 9)


@given(st.sampled_from([*WAYS]), st.sampled_from([*TOUCHED]), texts, texts)
def test_whatever_it_holds(service: StrictService, way: str, resource: str, one: str, other: str) -> None:
    assert_it_stays(service, way, [resource], one, other)


FILES = (("csv",), ("csv", "--raw"), ("json",), ("jsonl",))


def assert_nothing_changes(
    service: StrictService, file: Sequence[str], resources: Iterable[str], one: str, other: str
) -> None:
    begin(service, one, other)
    ending, *flags = file

    async def change(session: Session, folder: Path) -> None:
        for resource in resources:
            path = folder / f"{resource}.{ending}"
            assert (await run(session, "export", resource, str(path), *flags))[0] == 0
            assert (await run(session, "import", resource, str(path), "--yes"))[0] == 0

    with_session(service, change)
    assert service.writes == []


@pytest.mark.parametrize("file", FILES)
def test_an_export_that_is_imported_changes_nothing(service: StrictService, file: Sequence[str]) -> None:
    assert_nothing_changes(service, file, TOUCHED, HARD, FORMULA)
    if file[0] == "csv":
        assert_nothing_changes(service, file, TOUCHED, QUOTED, "''@x")


@given(st.sampled_from(FILES), st.sampled_from([*TOUCHED]), texts, texts)
def test_nothing_changes_whatever_it_holds(
    service: StrictService, file: Sequence[str], resource: str, one: str, other: str
) -> None:
    assert_nothing_changes(service, file, [resource], one, other)


@given(texts, texts)
@example(HARD, "x")
def test_undo_gives_back_what_was_there(service: StrictService, one: str, other: str) -> None:
    """The journal holds it, whatever the database can."""
    begin(service, one, other)
    before = deepcopy(service.state)

    async def change(session: Session, folder: Path) -> None:
        declared = declaration("channels")
        model = update_model(declared)
        await known(session, "channels")  # what it was is known from the list
        assert (await run(session, "update", "channels", "1", "name=Other", "description=Other"))[0] == 0
        entry = planned_changes.last_change(await session.store.journal.recent(), "channels", 1)
        assert entry is not None
        assert entry.intent.before == {"name": one, "description": other}
        values = planned_changes.values_before(entry, None)
        assert values is not None
        record = await known(session, "channels")
        draft = Draft.update(model, planned_changes.values_of(record, model))
        body = draft.with_stored(Draft.update(model, values).values).parse()
        assert isinstance(body, Body)
        await session.writes.carry_out(planned_changes.update_of(declared, record, body))

    with_session(service, change)
    assert len(service.writes) == 2
    assert service.state == before


@given(texts, texts)
@example(HARD, "x")
def test_a_deletion_keeps_what_was_there_and_an_untouched_form_sends_nothing(
    service: StrictService, one: str, other: str
) -> None:
    begin(service, one, other)

    async def look(session: Session, folder: Path) -> None:
        declared, record = declaration("channels"), await known(session, "channels")
        gone = planned_changes.deletion(declared, record)
        assert gone.before == {"name": one, "description": other, "color": "", "starred": False}
        assert inert(summary_of(gone)) == summary_of(gone)
        assert declared.create is not None
        new = planned_changes.anew(declared, declared.create, record, ()).known
        assert (new["name"], new["description"]) == (one, other)
        model = update_model(declared)
        untouched = Draft.update(model, planned_changes.values_of(record, model))
        assert (untouched.text("name"), untouched.changes(), untouched.storable_values()) == (one, (), {})
        body, read_at = body_of(model, {"name": one}), {record.id: session.moment()}
        with pytest.raises(planned_changes.NothingToChange):
            planned_changes.updates_of(declared, model, [record], body, read_at)

    with_session(service, look)


@given(texts, texts)
@example(HARD, FORMULA)
def test_what_is_written_and_kept_is_what_was_sent(service: StrictService, one: str, other: str) -> None:
    begin(service, one, other)

    async def look(session: Session, folder: Path) -> None:
        record = await known(session, "campaigns")
        shown, sent = (getattr(read, "name") for read in (record, as_sent(record)))  # noqa: B009
        assert (record.raw["name"], sent, shown) == (one, one, safe_text(one))
        async with Client(service.base_url, KEY) as library:
            assert [campaign.name async for campaign in library.campaigns.iter()] == [one, other]
        names = [one, other]
        _, out = await run(session, "list", "campaigns", "--format", "json")
        assert [row["name"] for row in json.loads(out)] == names
        _, out = await run(session, "list", "campaigns", "--format", "jsonl", "--cached")
        assert [json.loads(line)["name"] for line in out.splitlines()] == names
        assert marked(out.replace("\n", "")) == out.replace("\n", "")
        _, out = await run(session, "list", "campaigns", "--format", "csv", "--raw")
        found = [row["name"] for row in csv.DictReader(io.StringIO(out, newline=""), strict=True)]
        assert found == [HALF.sub("\ufffd", name) for name in names]
        _, out = await run(session, "list", "campaigns")
        assert [line for line in out.split("\n") if inert(line) != line] == []
        assert [choice.value for choice in copies(record) if choice.label == "Name"] == [one]

    with_session(service, look)


@given(st.lists(texts, min_size=1, max_size=5))
@example([HARD, "\x1b]52;c;aGk=\x07", "it's \\n\u200f", "$(id) `id` !x"])
def test_a_copied_command_is_harmless_and_means_the_same(names: list[str]) -> None:
    declared = declaration("channels")
    model = update_model(declared)
    for name in names:
        record = declared.record.read({"id": 1, "name": name}, safe_text=True)
        intent = planned_changes.update_of(declared, record, body_of(model, {"name": name}))
        commands = asyncio.run(write_commands("https://x.example", [intent]))
        assert [
            line for choice in commands for line in choice.value.split("\n") if marked(line) != line
        ] == []
        as_command = {choice.label: choice.value for choice in commands}
        if "\0" in name or HALF.search(name):
            assert list(as_command) == ["As curl"]
        else:
            words = read_by_bash(as_command["As a command"])
            assert words == ["linkdash", "update", "channels", "1", f"name={name}"]
        assert json.loads(read_by_bash(as_command["As curl"])[-2]) == {"name": name}


def read_by_bash(command: str) -> list[str]:
    """The words of a command as the shell has them."""
    script = f"set +H; export LC_ALL=C.UTF-8; printf '%s\\0' {command}"
    out = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    return out.decode().split("\0")[:-1]


# ---- what an input shows ----


@given(texts, st.booleans())
def test_an_input_shows_a_mark_for_each_character_that_cannot_be_typed(text: str, several: bool) -> None:
    shown = InputText.of(text, several_lines=several)
    assert (shown.value, len(shown.shown)) == (text, len(text))
    assert [line for line in shown.shown.split("\n" if several else "\0") if marked(line) != line] == []


@given(texts, st.data())
def test_an_edit_changes_what_was_typed_and_nothing_else(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    typed = data.draw(st.text("xyz", max_size=3))
    before = InputText.of(text)
    after = before.edited(before.shown[:start] + typed + before.shown[end:])
    if len(set(before.shown)) == len(before.shown):  # else two places can be the same edit
        assert after.value == text[:start] + typed + text[end:]
    assert after.shown == before.shown[:start] + typed + before.shown[end:]
    assert len(after.value) == len(after.shown)
    assert before.edited(before.shown) == before


def test_marks_still_stand_for_their_characters_after_edits_on_both_sides() -> None:
    text = InputText.of("a\u200fb\tc\0d")
    assert text.shown == "a�b⇥c�d"
    for shown in ("Xa�b⇥c�d", "Xa�b⇥c�dY", "Xa�b⇥Zc�dY", "Xa�⇥Zc�dY", "Xa�⇥Zc�d�Y"):
        text = text.edited(shown)
    assert text.value == "Xa\u200f\tZc\0d�Y"
