"""The answer to a change by an agent is lost: it settles that, asks for the rest, and each is done once.

Every kind of loss at every place is the law's: `tests/model/writes/test_law_of_writes.py`.
"""

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import pytest

from linkdash.demo.server import Running
from tests.commands.mcp.client import Answered, Asked, Caller, connected
from tests.model.writes.lost import KINDS, acted_on
from tests.service.visitor import Visitor

_TAGS, _USERS = itertools.count(61_000_000), itertools.count(60)


@dataclass(frozen=True)
class Task:
    """Changes that an agent asks for, at once where the tool takes several."""

    tool: str
    items: Sequence[int]
    arguments: Callable[[Sequence[int]], Mapping[str, object]]
    """The arguments for some of the items."""
    path: Callable[[int], str]
    """The request of an item."""


def creating(visitor: Visitor) -> Task:
    members = {"type": "bing", "name": "By an agent", "tag": str(next(_TAGS))}
    arguments = {"resource": "pixels", "members": members}
    return Task("create_record", [0], lambda _: arguments, lambda _: "POST /api/pixel/add")


def pixels(visitor: Visitor, number: int) -> list[int]:
    made = ({"type": "bing", "name": "Before", "tag": str(next(_TAGS))} for _ in range(number))
    return [visitor.write("POST", "/api/pixel/add", members)["id"] for members in made]


def updating(visitor: Visitor) -> Task:
    (id,) = ids = pixels(visitor, 1)
    arguments = {"resource": "pixels", "id": id, "members": {"name": "By an agent"}}
    return Task("update_record", ids, lambda _: arguments, lambda id: f"PUT /api/pixel/{id}/update")


def deleting(visitor: Visitor) -> Task:
    return Task(
        "delete_records",
        pixels(visitor, 3),
        lambda ids: {"resource": "pixels", "ids": ids},
        lambda id: f"DELETE /api/pixel/{id}/delete",
    )


def assigning(visitor: Visitor) -> Task:
    channel = visitor.write("POST", "/api/channel/add", {"name": "Of an agent"})["id"]
    return Task(
        "assign_items",
        [1, 2, 3],
        lambda ids: {"target": "channel", "id": channel, "type": "qr", "ids": ids},
        lambda id: f"POST /api/channel/{channel}/assign/qr/{id}",
    )


def renewing(visitor: Visitor) -> Task:
    user = next(_USERS)
    visitor.write("PUT", f"/api/plan/2/user/{user}", {"type": "monthly"})
    arguments = {"user": user, "plan": 2, "term": "yearly"}
    return Task("subscribe_user", [user], lambda _: arguments, lambda user: f"PUT /api/plan/2/user/{user}")


TASKS = {"create": creating, "update": updating, "delete": deleting, "assign": assigning, "renew": renewing}


@pytest.fixture
def visitor(service: Running) -> Iterator[Visitor]:
    with Visitor(service, service.api_key) as visitor:
        yield visitor


def outcomes(answer: Answered) -> list[object]:
    return [change["outcome"] for change in cast("list[Mapping[str, object]]", answer["changes"])]


async def settled(call: Caller) -> object:
    (open_change,) = cast("list[dict[str, int]]", (await call("journal", only_unknown=True))["changes"])
    return (await call("settle_change", id=open_change["id"]))["happened"]


async def test_what_an_agent_asked_for_is_done_once(service: Running, visitor: Visitor) -> None:
    rate = {"x-ratelimit-limit": "100000", "x-ratelimit-remaining": "99000"}
    headers = {**rate, "x-ratelimit-reset": str(int(time.time()) + 60)}
    fault, log = replace(KINDS["dropped before it was done"], headers=headers), service.service.log
    async with connected(service, "--writes", person=Asked()) as call:
        for make in TASKS.values():
            task = make(visitor)
            lost = task.items[len(task.items) // 2]
            before = len(log)
            method, path = task.path(lost).split()
            service.service.faults.next(method, path, fault)
            ran = await call(task.tool, **task.arguments(task.items))
            assert outcomes(ran).count("unknown") == 1, ran.text
            assert await settled(call) is False, task.tool
            assert set(outcomes(await call(task.tool, **task.arguments(task.items)))) == {"done"}
            done = Counter(f"{one.method} {one.path}" for one in [*log][before:] if acted_on(one))
            assert done == Counter(map(task.path, task.items)), "each exactly once"
    assert service.service.faults.pending == 0
