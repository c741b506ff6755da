"""A client of the official SDK on the installed program, over real standard streams."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

import mcp
import mcp_types as types

from linkdash.commands.mcp.fencing import ABOUT_TEXTS
from linkdash.demo.server import Running
from tests import prestarted
from tests.commands.shell import environment

Era = Literal["legacy", "auto"]
"""The handshake of 2025, or the newest protocol."""

_START = "import sys; from linkdash import cli; sys.exit(cli.main(sys.argv[1:]))"
_FENCED = re.compile(r"<(linkdash-data-[0-9a-f]{12})>\n(.*)\n</\1>", re.DOTALL)


def fenced_data(text: str) -> dict[str, object]:
    """Return what stands between the marks of an answer; the marks have to be the only ones."""
    assert text.startswith(ABOUT_TEXTS) or ABOUT_TEXTS in text
    found = _FENCED.search(text)
    assert found is not None, text
    assert text.count(found[1]) == 2, "the marks stand there twice and nowhere else"
    assert re.fullmatch(r"[ -;=?-~]*", found[2]), "printable ASCII without < and >"
    data = json.loads(found[2])
    assert isinstance(data, dict)
    return data


@dataclass
class Answered:
    """The end of a call."""

    text: str
    is_error: bool
    structure: dict[str, object]

    def __getitem__(self, name: str) -> object:
        """A member of the structured answer."""
        return self.structure[name]


@dataclass
class Asked:
    """The user at the client: what was asked, and what is answered next."""

    answers: types.ElicitResult = field(
        default_factory=lambda: types.ElicitResult(action="accept", content={"send": True})
    )
    questions: list[str] = field(default_factory=list)

    async def __call__(
        self, context: object, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        self.questions.append(params.message)
        return self.answers


class Caller:
    """A caller of tools."""

    def __init__(self, client: mcp.Client) -> None:
        self.client = client
        self.progress: list[str] = []

    async def __call__(self, tool: str, **arguments: object) -> Answered:
        """Call a tool; the text of what was done says the same as the structure, and is fenced."""

        async def noted(progress: float, total: float | None, message: str | None) -> None:
            self.progress.append(message or "")

        answer = await self.client.call_tool(tool, dict(arguments), progress_callback=noted)
        content = answer.content[0]
        assert isinstance(content, types.TextContent)
        structure: dict[str, object] = answer.structured_content or {}
        if not answer.is_error:
            told = {name: value for name, value in structure.items() if value is not None}
            assert fenced_data(content.text) == {k: v for k, v in told.items() if k != "about_texts"}
            assert structure["about_texts"] == ABOUT_TEXTS
        return Answered(content.text, answer.is_error, structure)

    async def refused(self, tool: str, **arguments: object) -> str:
        """The reason why a call failed."""
        answer = await self(tool, **arguments)
        assert answer.is_error, answer.text
        return answer.text


@asynccontextmanager
async def connected(
    service: Running,
    *flags: str,
    era: Era = "auto",
    person: Asked | None = None,
    prepared: str = "",
) -> AsyncIterator[Caller]:
    """A client whose calls go to a server of its own; `person` can be asked, if there is one.

    `prepared` is Python that is run in the process of the server before it starts.
    """
    program = prestarted.program(f"{prepared}\n{_START}" if prepared else "")
    parameters = mcp.StdioServerParameters(command=program, args=["mcp", *flags], env=environment(service))
    async with mcp.Client(parameters, mode=era, elicitation_callback=person) as client:
        yield Caller(client)
