"""An agent and another client: what the other changes stays, or the person is asked with it in sight."""

import itertools
from collections.abc import Callable, Iterator

import mcp_types as types
import pytest

from linkdash.demo.server import Running
from tests.commands.mcp.client import Answered, Asked, Caller, connected
from tests.service.visitor import Visitor

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


class Person(Asked):
    """The user, who takes so long for the first answer that something happens before it."""

    happens: Callable[[], object] = staticmethod(lambda: None)

    async def __call__(
        self, context: object, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        said = await super().__call__(context, params)
        if len(self.questions) == 1:
            self.happens()
        return said


async def test_what_the_other_changes_is_in_a_question(service: Running, pixel: Pixel) -> None:
    """Every moment is the law's: `tests/model/writes/test_law_of_writes.py`."""
    person = Person()
    person.happens = pixel.rename
    async with connected(service, "--writes", person=person) as call:
        await call("list_records", resource="pixels", limit=100)
        answer = await renamed(call, pixel)
    assert answer["state"] == "sent"
    assert len(person.questions) == 2
    assert "Theirs" in person.questions[-1]
    assert pixel.now == ("Mine", pixel.tag)
