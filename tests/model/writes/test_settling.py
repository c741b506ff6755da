"""Unknown outcomes: a look at the service settles one, or says that it cannot; it is never wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api import Client
from linkdash.api.endpoints import body_of
from linkdash.api.records import Unreadable
from linkdash.api.resources.account import Account
from linkdash.api.resources.pixels import Pixel
from linkdash.api.resources.plans import Subscription
from linkdash.api.resources.qr import QrCreate
from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from linkdash.model.declaration import Verdict
from linkdash.model.resources import users
from linkdash.model.resources.plans import subscription
from linkdash.model.resources.qr import RESOURCE as QR
from linkdash.model.resources.users import RESOURCE as USERS
from linkdash.model.writes.planned_changes import creation
from linkdash.model.writes.settling import SettlingRead, compared, verdict
from linkdash.store.journal_entry import WriteIntent
from tests.model.writes.conftest import Open
from tests.service.visitor import Visitor

Members = Mapping[str, object]


def pixels(*ids: int, **members: object) -> list[Pixel | Unreadable]:
    return [Pixel.read({"id": id, "type": "bing", "name": "Ads", "tag": "B", **members}) for id in ids]


def task(action: str, id: int | None = None, before: Members | None = None, **params: object) -> WriteIntent:
    return WriteIntent("pixels", action, () if id is None else (id,), params, before=before)


def looked(task: WriteIntent, look: SettlingRead) -> Verdict:
    return verdict(task, Pixel, look, task.params, ())


# ---- one by one ----


def middle(*ids: int, before: Sequence[int] = (4, 3, 2, 1)) -> SettlingRead:
    """A page in the middle of a list, and what it had before."""
    return SettlingRead(pixels(*ids), is_first=False, is_last=False, before=before)


@pytest.mark.parametrize(
    ("look", "happened"),
    [
        (SettlingRead(pixels(1, 2, 3)), False),
        (SettlingRead(pixels(1, 3)), True),
        (SettlingRead([]), True),
        (SettlingRead([*pixels(1, 3), Unreadable.of("?")]), None),
        (middle(4, 3, 2, 1), False),
        (middle(4, 3, 1, 9), True),
        (middle(4, 1, 9, 8), True),
        (middle(9, 8, 4, 3), None),
        (middle(1, 9, 8, 7), None),
        (middle(4, 3, 1, before=()), None),
        (SettlingRead(pixels(1, 9), is_last=False, before=(2, 1)), True),
        (SettlingRead(pixels(4, 3), is_first=False, before=(4, 3, 2)), True),
        (SettlingRead(pixels(4, 3), is_first=False, is_last=False, before=(4, 3, 2)), None),
        (SettlingRead([], is_last=False, before=(2,)), None),
    ],
)
def test_a_delete_is_told_by_the_neighbours_of_its_record(look: SettlingRead, happened: bool | None) -> None:
    assert looked(task("delete", 2), look).happened is happened


def test_an_update_is_told_by_what_it_changed() -> None:
    renamed = task("update", 2, {"name": "Ads", "tag": "B"}, name="News", tag="B")
    assert looked(renamed, SettlingRead(pixels(1, 2, name="News"))).happened is True
    assert looked(renamed, SettlingRead(pixels(1, 2))).happened is False
    assert looked(renamed, SettlingRead(pixels(1, 2, name="Other"))).happened is None
    assert looked(renamed, SettlingRead(pixels(1))).happened is None


def test_it_did_not_happen_only_if_all_that_was_to_change_was_known_before() -> None:
    """An unknown value may have been so all along: then nothing is said that invites a second write."""
    half_known = task("update", 2, {"name": "Ads"}, name="News", tag="N")
    assert looked(half_known, SettlingRead(pixels(2))).happened is None
    assert looked(half_known, SettlingRead(pixels(2, tag="N"))).happened is None
    assert looked(half_known, SettlingRead(pixels(2, name="News", tag="N"))).happened is True
    unknown = task("update", 2, None, name="News")
    assert looked(unknown, SettlingRead(pixels(2))).happened is None
    more_known = task("update", 2, {"name": "Ads", "tag": "B"}, name="News")
    assert looked(more_known, SettlingRead(pixels(2))).happened is False


def test_what_is_sent_and_was_there_before_tells_nothing() -> None:
    only_hidden = task("update", 2, {"tag": "B", "slug": None}, tag="B", slug="new")
    assert looked(only_hidden, SettlingRead(pixels(2))).happened is None


def test_a_secret_tells_nothing() -> None:
    account = Account.read({"id": 1, "email": "me@example.org"})
    assert isinstance(account, Account)
    assert compared(account, {"password": "••••••••"}, {}).happened is None
    sent, before = {"email": "me@example.org", "password": "••••••••"}, {"email": "i@example.org"}
    assert compared(account, sent, before).happened is True


@pytest.mark.parametrize(
    ("params", "before", "happened"),
    [
        ({"type": "yearly"}, None, None),
        ({"type": "yearly"}, {"planid": 2, "expires": "2030-01-01 00:00:00"}, True),
        ({"type": "yearly"}, {"planid": 2, "expires": None}, True),
        ({"type": "yearly"}, {"planid": 2}, None),
        ({"type": "yearly"}, {}, None),
        ({"type": "yearly", "expiration": "2031-01-01 00:00:00"}, {}, None),
        ({"type": "yearly"}, {"planid": 1, "expires": None}, True),
    ],
)
async def test_a_plan_that_the_user_may_have_had_before_tells_nothing(
    demo: Running, params: Members, before: Members | None, happened: bool | None
) -> None:
    with Visitor(demo, demo.api_key) as visitor:
        visitor.write("PUT", "/api/plan/2/user/41", {"type": "monthly"})
    intent = WriteIntent("users", "subscribe", (41, 2), params, before=before)
    assigning = users.RESOURCE.assigning
    assert assigning is not None
    async with Client(demo.base_url, demo.api_key) as client:
        assert (await assigning.check(client, intent)).happened is happened


async def test_a_renewal_that_was_planned_of_an_estimate_is_not_taken_for_done(
    demo: Running, open_session: Open
) -> None:
    """The end was never told, so that an end that is there proves nothing."""
    session = open_session(demo)
    listed, plans = session.collections.of(USERS), session.collection("plans")
    await listed.read(1)
    await plans.read(1)
    user = next(one for one in listed.records if one.planid != 2)
    body = body_of(Subscription, {"type": "monthly"})
    await session.writes.carry_out(subscription(user.id, 2, body, (user.username, "Pro"), user))
    known = listed.listing.record(user.id)
    assert known is not None
    assert (set(known.estimated), known.tells("expires")) == ({"expires", "status"}, False)
    demo.service.faults.next("PUT", "/api/plan/*", Fault(handled=False, drop=True))
    renewal = subscription(user.id, 2, body, (user.username, "Pro"), known)
    assert renewal.before == {"planid": 2}
    await session.writes.carry_out(renewal)
    (entry,) = await session.store.journal.unknown()
    found = await session.check(entry)
    assert (found.happened, found.message) == (
        None,
        "Cannot tell: it is not known when the subscription ended before.",
    )


async def test_a_code_that_was_made_is_not_denied_because_its_name_is_another(
    demo: Running, open_session: Open
) -> None:
    session = open_session(demo)
    demo.service.faults.next("POST", "/api/qr/add", Fault(drop=True))
    body = body_of(QrCreate, {"type": "text", "data": "One"})
    await session.writes.carry_out(creation(QR, body))
    (entry,) = await session.store.journal.unknown()
    assert (await session.check(entry)).happened is None


def test_a_record_that_was_made_is_found_by_what_was_sent() -> None:
    made = task("create", type="bing", name="News", tag="N", slug="not shown")
    there = [*pixels(1, 2), *pixels(3, name="News", tag="N")]
    assert looked(made, SettlingRead(there)) == Verdict(True, "Done: record 3 has what was sent.", 3)
    assert verdict(made, Pixel, SettlingRead(there), made.params, others={3}).happened is False
    assert looked(made, SettlingRead(pixels(1, 2))).happened is False
    assert looked(made, SettlingRead(pixels(1, 2), is_last=False)).happened is None
    assert looked(task("create", slug="not shown"), SettlingRead(there)).happened is None


# ---- the law: a verdict is the truth, or none ----


@dataclass(frozen=True)
class World:
    """A write that happened or not, and the page that is read afterwards."""

    task: WriteIntent
    happened: bool
    look: SettlingRead
    whole: SettlingRead


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Lists in any order that the service keeps, while others make and delete records too."""
    ids = draw(st.lists(st.integers(1, 30), min_size=1, max_size=12, unique=True))
    size = draw(st.integers(1, 5))
    place = draw(st.integers(0, len(ids) - 1))
    target, number = ids[place], place // size
    names = {id: draw(st.sampled_from("abc")) for id in range(1, 60)}
    happened, new_name = draw(st.booleans()), draw(st.sampled_from("abcd"))
    if draw(st.booleans()):
        done = task("delete", target)
        gone = {target} if happened else set()
    else:
        done = task("update", target, {"name": names[target]}, name=new_name)
        gone = set()
        names[target] = new_name if happened else names[target]
    gone |= {id for id in ids if id != target and draw(st.integers(0, 3)) == 0}
    after = [id for id in ids if id not in gone]
    for id in range(31, 31 + draw(st.integers(0, 4))):
        after.insert(draw(st.integers(0, len(after))), id)
    rows = [pixels(id, name=names[id])[0] for id in after]
    page = rows[number * size : (number + 1) * size]
    look = SettlingRead(
        page, number == 0, (number + 1) * size >= len(rows), ids[number * size : (number + 1) * size]
    )
    return World(done, happened, look, SettlingRead(rows))


@given(worlds())
def test_a_verdict_is_never_wrong(world: World) -> None:
    found = looked(world.task, world.look)
    assert found.happened in (None, world.happened), found.message
    assert found.message.endswith(".")


MEMBERS = ("name", "tag")
values = st.fixed_dictionaries({name: st.sampled_from("ab") for name in MEMBERS})
some = st.sets(st.sampled_from(MEMBERS))
at_least_one = st.sets(st.sampled_from(MEMBERS), min_size=1)


@given(values, values, at_least_one, some, st.booleans())
def test_a_verdict_on_some_members_is_never_wrong(
    before: dict[str, str], new: dict[str, str], given_names: set[str], known: set[str], happened: bool
) -> None:
    """A write of some members, of which some were known before; whoever knows nothing says nothing."""
    sent = {name: new[name] for name in given_names}
    update = task("update", 2, {name: before[name] for name in known}, **sent)
    page = SettlingRead(pixels(2, **(before | sent if happened else before)))
    told = looked(update, page).happened
    changes = {name for name in given_names if before[name] != new[name]}
    if changes:
        assert told in (None, happened)
        assert told is happened or not given_names <= known
    if not given_names & known:
        assert told is not False


@given(worlds())
def test_a_whole_list_always_tells_of_a_delete(world: World) -> None:
    if world.task.action == "delete":
        assert looked(world.task, world.whole).happened is world.happened
