"""One look at the service settles an unknown outcome, or says that it cannot: it is never wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkdash.api.account import Account
from linkdash.api.model import Record, Unreadable
from linkdash.api.pixels import Pixel
from linkdash.store.settling import Look, Verdict, compared, verdict
from linkdash.store.tasks import Task

Members = Mapping[str, object]


def pixels(*ids: int, **members: object) -> list[Pixel | Unreadable]:
    return [Pixel.read({"id": id, "type": "bing", "name": "Ads", "tag": "B", **members}) for id in ids]


def task(action: str, id: int | None = None, before: Members | None = None, **params: object) -> Task:
    return Task("pixels", action, () if id is None else (id,), params, before=before)


def looked(task: Task, look: Look) -> Verdict:
    return verdict(task, Pixel, look, task.params)


# ---- one by one ----


@pytest.mark.parametrize(
    ("look", "happened"),
    [
        (Look(pixels(1, 2, 3)), False),
        (Look(pixels(1, 3)), True),
        (Look(pixels(9, 4, 1), is_first=False, is_last=False), True),
        (Look(pixels(9, 8, 7), is_first=False, is_last=False), None),
        (Look(pixels(3, 4, 5), is_first=True, is_last=False), True),
        (Look(pixels(3, 4, 5), is_first=False, is_last=True), None),
        (Look(pixels(9, 1, 5), is_first=False, is_last=False), None),
        (Look([*pixels(1, 3), Unreadable.of("?")]), None),
        (Look([]), True),
        (Look([], is_last=False), None),
    ],
)
def test_a_delete_is_told_by_where_its_record_would_be(look: Look, happened: bool | None) -> None:
    assert looked(task("delete", 2), look).happened is happened


def test_an_update_is_told_by_what_it_changed() -> None:
    renamed = task("update", 2, {"name": "Ads", "tag": "B"}, name="News", tag="B")
    assert looked(renamed, Look(pixels(1, 2, name="News"))).happened is True
    assert looked(renamed, Look(pixels(1, 2))).happened is False
    assert looked(renamed, Look(pixels(1, 2, name="Other"))).happened is None
    assert looked(renamed, Look(pixels(1))).happened is None


def test_what_is_sent_and_was_there_before_tells_nothing() -> None:
    only_hidden = task("update", 2, {"tag": "B", "slug": None}, tag="B", slug="new")
    assert looked(only_hidden, Look(pixels(2))).happened is None


def test_a_secret_tells_nothing() -> None:
    account = Account.read({"id": 1, "email": "me@example.org"})
    assert isinstance(account, Account)
    assert compared(account, {"password": "••••••••"}, {}).happened is None
    assert compared(account, {"email": "me@example.org", "password": "••••••••"}, {}).happened is True


def test_a_record_that_was_made_is_found_by_what_was_sent() -> None:
    made = task("create", type="bing", name="News", tag="N", slug="not shown")
    there = [*pixels(1, 2), *pixels(3, name="News", tag="N")]
    assert looked(made, Look(there)) == Verdict(True, "It was done: record 3 has what was sent.")
    assert looked(made, Look(pixels(1, 2))).happened is False
    assert looked(made, Look(pixels(1, 2), is_last=False)).happened is None
    assert looked(task("create", slug="not shown"), Look(there)).happened is None


# ---- the law: a verdict is the truth, or none ----


@dataclass(frozen=True)
class World:
    """A list as it was, a write that happened or not, and the page that is read afterwards."""

    task: Task
    happened: bool
    pages: Sequence[Sequence[Record | Unreadable]]
    read: int

    @property
    def look(self) -> Look:
        return Look(self.pages[self.read], self.read == 0, self.read == len(self.pages) - 1)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    ids = draw(st.lists(st.integers(1, 30), min_size=1, max_size=12, unique=True))
    order = draw(st.sampled_from(("up", "down", "as they came")))
    if order != "as they came":
        ids.sort(reverse=order == "down")
    target = draw(st.sampled_from(ids))
    names = {id: draw(st.sampled_from("abc")) for id in ids}
    new_name = draw(st.sampled_from("abcd"))
    happened = draw(st.booleans())
    action = draw(st.sampled_from(("delete", "update")))
    if action == "delete":
        done = task("delete", target)
        ids = [id for id in ids if not (happened and id == target)]
    else:
        done = task("update", target, {"name": names[target]}, name=new_name)
        names[target] = new_name if happened else names[target]
    rows = [pixels(id, name=names[id])[0] for id in ids]
    size = draw(st.integers(1, 5))
    pages = [rows[start : start + size] for start in range(0, len(rows), size)] or [[]]
    return World(done, happened, pages, draw(st.integers(0, len(pages) - 1)))


@settings(max_examples=300, deadline=None)
@given(worlds())
def test_a_verdict_is_never_wrong(world: World) -> None:
    found = looked(world.task, world.look)
    assert found.happened in (None, world.happened), found.words
    assert found.words.endswith(".")


@settings(max_examples=50, deadline=None)
@given(worlds())
def test_a_whole_list_always_tells_of_a_delete(world: World) -> None:
    if world.task.action == "delete":
        whole = Look([row for page in world.pages for row in page])
        assert looked(world.task, whole).happened is world.happened
