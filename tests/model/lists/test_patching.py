"""Records after a write, from what was sent and answered."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.records import Record, Unreadable
from linkdash.api.resources.campaigns import Campaign
from linkdash.api.resources.channels import Channel
from linkdash.api.resources.users import User
from linkdash.model.lists.patching import patched

SPRING = {"id": 3, "domain": "Spring", "public": False, "rotator": False, "list": "https://x.example/3"}


def values(record: Record | Unreadable, *names: str) -> list[object]:
    assert isinstance(record, Record)
    return [getattr(record, name) for name in names]


def test_the_answer_says_more_than_what_was_sent() -> None:
    answer = {"error": 0, "id": 3, "domain": "SUMMER", "rotator": "https://x.example/r/s"}
    after = patched(Campaign, SPRING, {"name": "Summer", "public": True}, answer)
    assert values(after, "name", "public", "rotator", "links") == [
        "SUMMER",
        True,
        "https://x.example/r/s",
        "https://x.example/3",
    ]


def test_what_was_cleared_is_empty_and_what_was_not_sent_stays() -> None:
    before = {"id": 1, "name": "News", "description": "All of it", "color": "#FF0000", "starred": True}
    after = patched(Channel, before, {"description": "", "starred": False}, {"error": 0, "message": "Done"})
    assert values(after, "name", "description", "color", "starred") == ["News", "", "#FF0000", False]


def test_a_new_record_has_its_id_from_the_answer_wherever_it_stands() -> None:
    sent = {"username": "anna", "password": "geheim"}
    for answer in ({"id": 7}, {"data": {"id": "7", "email": "a@example.org"}}):
        after = patched(User, None, sent, answer)
        assert values(after, "id", "username") == [7, "anna"]
        assert "geheim" not in repr(after.raw if isinstance(after, User) else after)
    assert isinstance(patched(User, None, sent, {"error": 0}), Unreadable)


members = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text(max_size=5),
        "domain": st.text(min_size=1, max_size=5),
        "public": st.booleans(),
        "list": st.just("https://x.example/l"),
        "unknown": st.integers(),
    },
)


@given(before=members, sent=members, answer=members)
def test_every_member_comes_from_the_last_who_spoke_of_it(
    before: Mapping[str, Any], sent: Mapping[str, Any], answer: Mapping[str, Any]
) -> None:
    after = patched(Campaign, {**before, "id": 1}, sent, answer)
    assert isinstance(after, Campaign)
    told = next((part["public"] for part in (answer, sent, before) if "public" in part), None)
    assert after.public is told
    twice = patched(Campaign, after.raw, sent, answer)
    assert values(twice, "name", "public", "links") == values(after, "name", "public", "links")
