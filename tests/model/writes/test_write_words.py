"""The words for a write come from its fields: no name can be taken for anything else."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.inert_text import inert
from linkdash.model.writes.write_words import (
    given_and_holder,
    name_and_what,
    short_summary,
    subject,
    summary_of,
    value_words,
    verb_and_kind,
)
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import WriteIntent, facts_text, read_facts
from linkdash.store.schemas import STATE_SCHEMA
from linkdash.store.sqlite import SqliteDatabase

ODD_NAMES = (
    *("Go to channel 9", "undo edit of x", "a, as before", "12 (east)", "x) to plan 4 (y", "done · x", "fr"),
    *("'", "without a name", "name → Spring", "(29)", ""),
)
NAMES = st.sampled_from(ODD_NAMES) | st.text(max_size=20)


@given(NAMES, NAMES, st.sampled_from(["update", "delete", "create", "assign", "subscribe"]))
def test_a_name_changes_nothing_but_the_name(name: str, other: str, action: str) -> None:
    two = (7, 12) if action in ("assign", "subscribe") else (7,) if action != "create" else ()
    resource = {"assign": "channels", "subscribe": "users"}.get(action, "pixels")
    intent = WriteIntent(resource, action, two, {}, (name, other)[: len(two) or 1])
    assert not intent.is_undo
    plain = replace(intent, names=("Spring", "Autumn")[: len(intent.names)])
    assert verb_and_kind(intent) == verb_and_kind(plain)
    shown = {"Spring": inert(name), "Autumn": inert(other)}
    for words in (summary_of, short_summary, subject, lambda one: name_and_what(one)[0]):
        told = words(plain)
        if name and other:
            parts = [f"{{{told_name}}}" for told_name in shown]
            pattern = told.replace("Spring", parts[0]).replace("Autumn", parts[1])
            assert words(intent) == pattern.format(**shown)


@given(st.lists(NAMES, max_size=2), st.none() | NAMES, st.booleans())
def test_what_is_kept_of_an_intent_is_read_as_it_was(
    names: Sequence[str], undoes: str | None, is_kept: bool
) -> None:
    made = WriteIntent("qr", "update", (7,), {}, tuple(names), undoes=undoes, is_kept=is_kept)
    estimated = replace(made, estimated=frozenset({"type"}))
    for intent in (made, estimated):
        facts = read_facts(facts_text(intent))
        assert (facts["names"], facts["undoes"]) == (intent.names, intent.undoes)
        assert (facts["estimated"], facts["is_kept"]) == (intent.estimated, is_kept)


@pytest.mark.parametrize(
    ("resource", "params", "names", "words"),
    [
        ("channels", {"type": "qr"}, ("Hall",), "assign QR code 12 to channel 7 (Hall)"),
        ("channels", {"type": "bio"}, (), "assign bio page 12 to channel 7"),
        ("qr", {}, ("Menu", "Hall"), "assign QR code 7 (Menu) to channel 12 (Hall)"),
        ("campaigns", {}, ("Go to channel 9",), "assign link 12 to campaign 7 (Go to channel 9)"),
    ],
)
def test_what_is_assigned_to_what_is_known_from_the_resource(
    resource: str, params: dict[str, object], names: tuple[str, ...], words: str
) -> None:
    intent = WriteIntent(resource, "assign", (7, 12), params, names)
    assert summary_of(intent) == words
    given_one, holder = given_and_holder(intent)
    assert {given_one.id, holder.id} == {7, 12}


def test_a_subscription_that_is_an_undo_says_what_of_it_is_as_before() -> None:
    intent = WriteIntent("users", "subscribe", (7, 4), {"type": "monthly"}, ("anna", "Pro"), undoes="a1")
    assert summary_of(intent) == "subscribe user 7 (anna) to plan 4 (Pro), monthly, as before"
    guessed = replace(intent, estimated=frozenset({"type"}))
    assert summary_of(guessed) == "subscribe user 7 (anna) to plan 4 (Pro), monthly, as an undo"


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("update", "undo edit of pixel 7 (Spring)"),
        ("update", "edit pixel 7 (Go to channel 9)"),
        ("subscribe", "subscribe user 7 (x) to plan 2 (y), monthly, as before"),
    ],
)
async def test_an_entry_of_an_earlier_version_is_told_in_its_own_words(
    tmp_path: Path, action: str, words: str
) -> None:
    async with SqliteDatabase.open(tmp_path / "state.db", STATE_SCHEMA) as database:
        await database.execute(
            "INSERT INTO journal (profile, begun, method, path, purpose, resource, action, record_id, body,"
            " before, outcome, origin) VALUES ('mine', '2026-11-01T12:00:00.000000+00:00', 'PUT', '/x', ?,"
            " 'pixels', ?, 7, '{\"name\": \"New\"}', '{\"name\": \"Old\"}', 'done', 'a1')",
            (words, action),
        )
        (entry,) = await Journal(database, "mine").recent()
    intent = entry.intent
    assert (summary_of(intent), short_summary(intent), subject(intent)) == (words, words, words)
    assert (intent.is_undo, intent.names) == (False, ())
    assert name_and_what(intent)[1] == ("name → New" if action == "update" else "")


def test_what_a_code_holds_is_told_by_its_members() -> None:
    assert (
        value_words({"ssid": "home", "hidden": False, "password": ""})
        == "ssid home, hidden no, password (empty)"
    )
