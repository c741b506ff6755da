"""The rule of updates beside others: what nobody named stays theirs, what both changed is asked about."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.resources.channels import Channel
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.qr import QrCode
from linkdash.model.resources.channels import RESOURCE as CHANNELS
from linkdash.model.resources.pixels import RESOURCE as PIXELS
from linkdash.model.resources.qr import RESOURCE as QR
from linkdash.model.writes import planned_changes
from linkdash.model.writes.guard import Clash, as_left, clashes_of, newest_of
from linkdash.model.writes.named_updates import is_read_for
from linkdash.store.journal_entry import Author, JournalEntry, Outcome, WriteIntent

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADA = Author("ada", "laptop")
WORDS = st.sampled_from(["one", "two", "three"])
"""Few, so that the same is often chosen again."""
MEMBERS = st.fixed_dictionaries({"name": WORDS, "tag": WORDS})
NAMED = st.dictionaries(st.sampled_from(["name", "tag"]), WORDS, min_size=1)


def pixel(members: Mapping[str, object]) -> Pixel:
    record = Pixel.read({"id": 7, "type": "bing", **members})
    assert isinstance(record, Pixel)
    return record


def update(now: Pixel, named: Mapping[str, object]) -> WriteIntent:
    return planned_changes.update_of(PIXELS, now, planned_changes.body_for(intents_model(), now, named))


def intents_model() -> type:
    assert PIXELS.update is not None
    return PIXELS.update


def entry(now: Pixel, named: Mapping[str, object], author: Author = ADA, minute: int = 1) -> JournalEntry:
    at = NOON + timedelta(minutes=minute)
    return JournalEntry(minute, at, update(now, named), "PUT", "/", Outcome.DONE, at, author=author)


def clashes(
    then: Mapping[str, object],
    now: Mapping[str, object],
    named: Mapping[str, object],
    others: Sequence[JournalEntry] = (),
) -> list[Clash]:
    intent = update(pixel(then), named)
    members = planned_changes.named_members(intents_model(), update(pixel(now), named))
    return [*clashes_of(PIXELS, pixel(now), intent, members, (), others)]


# ---- laws ----


@given(MEMBERS, MEMBERS, NAMED)
def test_what_is_not_named_is_sent_as_it_is_now_or_not_at_all(
    then: dict[str, str], now: dict[str, str], named: dict[str, str]
) -> None:
    sent = update(pixel(now), named).params
    assert sent["tag"] == {**now, **named}["tag"], "it is always sent"
    assert sent.get("name") == named.get("name")


@given(MEMBERS, MEMBERS, NAMED)
def test_a_conflict_is_what_was_named_and_changed_by_others_to_something_else(
    then: dict[str, str], now: dict[str, str], named: dict[str, str]
) -> None:
    expected = {name for name, value in named.items() if then[name] != now[name] != value}
    sides = {clash.title.lower(): clash[1:] for clash in clashes(then, now, named)}
    assert sides == {name: (then[name], now[name], named[name]) for name in expected}


@given(MEMBERS, st.lists(st.tuples(st.booleans(), NAMED), max_size=5), NAMED)
def test_what_a_person_has_done_themself_since_is_no_conflict(
    then: dict[str, str], changes: list[tuple[bool, dict[str, str]]], named: dict[str, str]
) -> None:
    record, updates = pixel(then), []
    for minute, (is_own, change) in enumerate(changes):
        updates.append(entry(record, change, Author("me", "here") if is_own else ADA, minute))
        record = as_left(PIXELS, record, updates[-1:])
    own = [update for update in updates if update.author != ADA]
    others = [update for update in updates if update.author == ADA]
    assert as_left(PIXELS, pixel(then), updates).raw == record.raw
    members = planned_changes.named_members(intents_model(), update(record, named))
    found = clashes_of(PIXELS, record, update(pixel(then), named), members, own, others)
    if len(own) == len(updates):
        assert not found
    if found:
        author = newest_of(intents_model(), found, others)
        assert author is not None
        assert author.author == ADA


# ---- what is told ----


def test_the_newest_change_of_these_members_is_named_with_its_author() -> None:
    was = {"name": "Shop", "tag": "12"}
    others = [
        entry(pixel(was), {"tag": "13"}, minute=1),
        entry(pixel({**was, "tag": "13"}), {"name": "Store"}, minute=2),
    ]
    found = clashes(was, {"name": "Store", "tag": "13"}, {"tag": "14"}, others)
    assert [str(clash) for clash in found] == ["Tag: 12 → 13 → 14"]
    assert newest_of(intents_model(), found, others) == others[0]
    assert newest_of(intents_model(), found, ()) is None
    another = [entry(pixel(was), {"tag": "11"})]
    assert newest_of(intents_model(), found, another) is None, "somebody else has set it since"


def test_of_what_no_record_shows_the_journal_alone_tells_and_its_values_are_never_told() -> None:
    mine = WriteIntent("qr", "update", (7,), {"data": "mine"}, before={"data": None})
    theirs = replace(entry(pixel({"tag": "1"}), {}), intent=replace(mine, params={"data": "theirs"}))
    assert clashes_of(QR, None, mine, mine.params, (), ()) == []
    found = clashes_of(QR, None, mine, mine.params, (), [theirs])
    assert [clash[1:] for clash in found] == [("(not shown)",) * 3]


@pytest.mark.parametrize(
    ("named", "is_read"), [({"name": "x"}, True), ({"tag": "x"}, False), ({"name": "x", "tag": "x"}, False)]
)
def test_a_record_is_read_only_for_what_must_be_sent_and_was_not_named(
    named: dict[str, str], is_read: bool
) -> None:
    assert is_read_for(intents_model(), Pixel, named) is is_read
    assert CHANNELS.update is not None
    assert not is_read_for(CHANNELS.update, Channel, {"name": "x"}), "nothing is required"
    assert QR.update is not None
    assert not is_read_for(QR.update, QrCode, {}), "no read would show it"
