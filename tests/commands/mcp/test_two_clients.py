"""An agent and another client: what the other changes stays, or the person is asked with it in sight."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import cast

import pytest

from linkdash.demo.faults import Fault
from linkdash.demo.server import Running
from tests.commands.mcp.client import Answered, Asked, Caller, connected
from tests.service.visitor import Visitor

pytestmark = pytest.mark.slow

_TAGS = itertools.count(72_000_000)


class Pixel:
    """A pixel, and the other client, who changes it."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self.tag = str(next(_TAGS))
        members = {"type": "bing", "name": "Was", "tag": self.tag}
        self.id = visitor.write("POST", "/api/pixel/add", members)["id"]

    def rename(self) -> None:
        """Change what the agent names."""
        self._visitor.write("PUT", f"/api/pixel/{self.id}/update", {"name": "Theirs", "tag": self.tag})

    def retag(self) -> None:
        """Change what the agent does not name, and the service wants."""
        self._visitor.write("PUT", f"/api/pixel/{self.id}/update", {"tag": "THEIR-TAG"})

    @property
    def now(self) -> tuple[str, str]:
        rows = self._visitor.read("/api/pixels?limit=100")["data"]["pixels"]
        return next((row["name"], row["tag"]) for row in rows if row["id"] == self.id)


@pytest.fixture
def pixel(service: Running) -> Iterator[Pixel]:
    with Visitor(service, service.api_key) as visitor:
        yield Pixel(visitor)


async def renamed(call: Caller, pixel: Pixel) -> Answered:
    return await call("update_record", resource="pixels", id=pixel.id, members={"name": "Mine"})


CHANGES: Mapping[str, Callable[[Pixel], None]] = {"name": Pixel.rename, "tag": Pixel.retag}


@pytest.mark.parametrize("changed", CHANGES)
@pytest.mark.parametrize("is_listed", [False, True], ids=["before the list", "between list and call"])
async def test_what_changed_before_the_call_is_in_the_question(
    service: Running, pixel: Pixel, changed: str, *, is_listed: bool
) -> None:
    person = Asked()
    async with connected(service, "--writes", person=person) as call:
        if is_listed:
            await call("list_records", resource="pixels", limit=100)
        CHANGES[changed](pixel)
        await call("list_records", resource="pixels", limit=1)
        answer = await renamed(call, pixel)
    assert answer["state"] == "sent"
    (question,) = person.questions
    assert f"Name: {'Theirs' if changed == 'name' else 'Was'} → Mine" in question
    assert pixel.now == ("Mine", "THEIR-TAG" if changed == "tag" else pixel.tag)


@pytest.mark.parametrize("changed", CHANGES)
async def test_what_changed_between_the_write_and_the_look_stays(
    service: Running, pixel: Pixel, changed: str
) -> None:
    lost = Fault(drop=True, meanwhile=lambda: CHANGES[changed](pixel))
    async with connected(service, "--writes", person=Asked()) as call:
        service.service.faults.next("PUT", f"/api/pixel/{pixel.id}/update", lost)
        answer = await renamed(call, pixel)
        (change,) = cast("list[Mapping[str, object]]", answer["changes"])
        assert change["outcome"] == "unknown"
        (open_change,) = cast("list[dict[str, int]]", (await call("journal", only_unknown=True))["changes"])
        settled = await call("settle_change", id=open_change["id"])
    assert settled["happened"] is (None if changed == "name" else True)
    assert pixel.now == (("Theirs", pixel.tag) if changed == "name" else ("Mine", "THEIR-TAG"))
