"""`linkdash mcp` as a client of the SDK meets it: over standard input and output of the installed program."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from linkdash.api.budget import Lane
from linkdash.commands.mcp import Tools
from linkdash.config import Settings
from linkdash.demo.server import Running
from linkdash.model.session import Session
from linkdash.store.store import Store
from tests import prestarted
from tests.commands.shell import environment


@asynccontextmanager
async def client(service: Running, *flags: str) -> "AsyncIterator[object]":
    import mcp  # takes a second, and only here it is needed

    parameters = mcp.StdioServerParameters(
        command=prestarted.program(), args=["mcp", *flags], env=environment(service)
    )
    async with mcp.stdio_client(parameters) as streams, mcp.ClientSession(*streams) as session:
        await session.initialize()
        yield session


async def called(session: object, tool: str, **arguments: object) -> tuple[bool, str]:
    """Whether it was an error, and the text of the answer."""
    answer = await session.call_tool(tool, arguments)  # type: ignore[attr-defined]
    return bool(answer.is_error), answer.content[0].text


@pytest.mark.long
async def test_it_reads_and_changes_nothing_unless_told(service: Running) -> None:
    async with client(service) as session:
        tools = {tool.name for tool in (await session.list_tools()).tools}  # type: ignore[attr-defined]
        assert tools == {"list_records", "get_record", "statistics", "report", "review_users", "journal"}
        failed, text = await called(session, "list_records", resource="qr", filter="id<310")
        found = json.loads(text)
        assert (failed, found["total"], found["pages"]) == (False, 400, 4)
        assert [record["id"] for record in found["records"]] == list(range(309, 300, -1))
        failed, text = await called(session, "get_record", resource="qr", id=1)
        assert json.loads(text)["statistics"]["clicks"] > 0
        failed, text = await called(session, "get_record", resource="links")
        assert failed
        assert "Choose one of account, domains" in text
        failed, text = await called(session, "review_users")
        assert json.loads(text)["status free"]["count"] > 0
        assert service.plain_key not in text


async def test_statistics_are_read_once_and_then_reported_for_nothing(service: Running) -> None:
    async with client(service) as session:
        before = len(service.service.log)
        _, text = await called(session, "statistics", ids=[10, 20])
        assert [code["id"] for code in json.loads(text)["codes"]] == [10, 20]
        await called(session, "statistics", ids=[20])
        _, text = await called(session, "report", days=14)
        assert {10, 20} <= {code["id"] for code in json.loads(text)["codes"]}
        assert len(service.service.log) == before + 2
        templates = await session.list_resource_templates()  # type: ignore[attr-defined]
        uris = {getattr(one, "uri_template", None) for one in templates.resource_templates}
        assert uris == {"linkdash://{resource}", "linkdash://{resource}/{id}"}
        read = await session.read_resource("linkdash://qr/10")  # type: ignore[attr-defined]
        assert json.loads(read.contents[0].text)["record"]["id"] == 10


async def test_a_change_is_shown_and_then_made_once(service: Running) -> None:
    async with client(service, "--writes") as session:
        _, text = await called(session, "preview_change", action="delete", resource="pixels", id=3)
        shown = json.loads(text)
        assert shown["request"] == "DELETE /api/pixel/3/delete"
        assert [entry for entry in service.service.log if entry.method != "GET"] == []
        _, text = await called(session, "make_change", token=shown["token"])
        assert json.loads(text)["outcome"] == "done"
        failed, text = await called(session, "make_change", token=shown["token"])
        assert failed
        assert "preview_change gives a new one" in text
        _, text = await called(session, "journal")
        assert json.loads(text)["changes"][0]["what"] == "delete pixel 3"


async def test_whatever_it_asks_for_waits_behind_people(service: Running, tmp_path: Path) -> None:
    store = Store(tmp_path / "state", tmp_path / "cache", "tests")
    session = Session(Settings("tests", service.base_url, SecretStr(service.api_key)), store)
    tools = Tools(session)
    for reading in (
        tools.list_records("qr"),
        tools.get_record("account"),
        tools.get_record("qr", 1),
        tools.get_record("pixels", 1),
        tools.statistics([2]),
        tools.review_users(),
    ):
        await reading
    shown = await tools.preview_change("update", "pixels", 5, {"name": "By a program", "tag": "12345678"})
    await tools.make_change(str(shown["token"]))
    renamed = await tools.preview_change("update", "pixels", 5, {"name": "Once more"})
    assert renamed["body"] == {"name": "Once more", "tag": "12345678"}, "the tag is the record's own"
    sent = session.gate.ledger.entries(time.monotonic())
    await session.close()
    assert len(sent) == 11
    assert {entry.lane for entry in sent} == {Lane.BACKGROUND}
