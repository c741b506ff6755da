"""`linkdash mcp`: the records for programs that speak the Model Context Protocol, over standard streams.

It asks in the background lane of the budget, so that no program keeps a person waiting. It changes something
only with --writes, and only what it has shown before.
"""

import argparse
import asyncio
import json
import os
import secrets
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Literal, ParamSpec

from linkdash import __version__
from linkdash.api.budget import Lane
from linkdash.api.errors import InvalidBody, LinkdashError, Misconfigured
from linkdash.api.exchange import Options
from linkdash.api.fields import fields_of
from linkdash.api.model import Record
from linkdash.api.resource import body_of
from linkdash.commands.records import entry_row
from linkdash.commands.running import FINE, NotFound
from linkdash.commands.statistics import codes_of, is_fresh, report_of
from linkdash.commands.writes import model_of, outcome_line
from linkdash.model import intents
from linkdash.model.as_text import request_for
from linkdash.model.export import record_members
from linkdash.model.filter import FilterError, parse
from linkdash.model.resource import AnyResource, declaration
from linkdash.model.resources import PLACES
from linkdash.model.review import review
from linkdash.model.session import Session
from linkdash.model.statistics import report as reports
from linkdash.model.statistics.code_statistics import StatisticsReader
from linkdash.model.statistics.report import Report
from linkdash.store.journal import WriteIntent

P = ParamSpec("P")
Answer = dict[str, object]

_BACKGROUND = Options(lane=Lane.BACKGROUND)
_PAGE_SIZE = 100
_AT_ONCE = 65_536  # bytes of standard input
_RESOURCES = ", ".join(place.id for place in PLACES)


async def mcp(session: Session, flags: argparse.Namespace) -> int:
    """Serves until standard input ends. Raises Misconfigured where the SDK is not installed."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise Misconfigured("The MCP server is not supported here.", "pip install 'linkdash[mcp]'") from None

    def explained(tool: Callable[P, Awaitable[Answer]]) -> Callable[P, Awaitable[Answer]]:
        @wraps(tool)
        async def call(*arguments: P.args, **named: P.kwargs) -> Answer:
            try:
                return await tool(*arguments, **named)
            except LinkdashError as error:
                raise ToolError(str(error)) from None
            except Exception as error:  # noqa: BLE001  the SDK would hand its text on
                raise ToolError(str(session.failure(error))) from None

        return call

    server = MCPServer("linkdash", version=__version__, log_level="ERROR")
    tools = Tools(session)
    described = str(tools.list_records.__doc__).format(resources=_RESOURCES)
    server.tool(description=described)(explained(tools.list_records))
    server.tool()(explained(tools.get_record))
    server.tool()(explained(tools.statistics))
    server.tool()(explained(tools.report))
    server.tool()(explained(tools.review_users))
    server.tool()(explained(tools.journal))
    server.resource("linkdash://{resource}", mime_type="application/json")(explained(tools.first_page))
    server.resource("linkdash://{resource}/{id}", mime_type="application/json")(explained(tools.get_record))
    if flags.writes and not session.read_only:
        server.tool()(explained(tools.preview_change))
        server.tool()(explained(tools.make_change))
    with _input_that_ends() as end:
        serving = asyncio.create_task(server.run_stdio_async())
        try:
            await asyncio.shield(serving)
        finally:
            end()
            await asyncio.wait({serving})
    return FINE


@contextmanager
def _input_that_ends() -> Iterator[Callable[[], None]]:
    """Makes standard input one that can be ended from here, which a signal needs.

    The SDK waits for a line in a thread that nothing but a line or the end wakes, and it is waited for.
    """
    reader, writer = socket.socketpair()

    def end() -> None:
        with suppress(OSError):  # it has ended
            writer.shutdown(socket.SHUT_WR)

    def hand_on() -> None:
        with suppress(OSError):
            while data := os.read(source, _AT_ONCE):
                writer.sendall(data)
        end()

    before, source = sys.stdin, sys.stdin.fileno()
    with reader, writer, reader.makefile(encoding="utf-8") as sys.stdin:
        threading.Thread(target=hand_on, name="standard input", daemon=True).start()
        try:
            yield end
        finally:
            sys.stdin = before


class Tools:
    """What can be asked for. What is raised tells what to do."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._previewed: dict[str, WriteIntent] = {}

    async def list_records(self, resource: str, filter: str = "", page: int = 1) -> Answer:
        """A page of up to 100 records, for one request, of one of these: {resources}.

        `filter` keeps those that match: `spring scans>100 expires<30d`.
        """
        declared = _declared(resource)
        try:
            record: type[Record] = declared.record
            wanted = parse(filter, fields_of(record), self._session.local_time())
        except FilterError as error:
            raise InvalidBody(str(error)) from None
        source = declared.source(self._session.client)
        found = await source.page(page, _PAGE_SIZE, options=_BACKGROUND)
        rows = [record_members(row) for row in found if wanted.matches(row)]
        return {"records": rows, "page": page, "pages": found.maxpage, "total": found.result}

    async def first_page(self, resource: str) -> Answer:
        """The first page of the records of a resource, for one request."""
        return await self.list_records(resource)

    async def get_record(self, resource: str, id: int = 0) -> Answer:
        """One record in full, of a QR code with its statistics. The account needs no id."""
        declared, client = _declared(resource), self._session.client
        match declared.id:
            case "account":
                return _members(await client.account.get(options=_BACKGROUND))
            case "users":
                return _members(await client.users.get(id, options=_BACKGROUND))
            case "qr":
                reading = await client.qr.get(id, options=_BACKGROUND)
                told = reading.statistics
                statistics = None if told is None else told.model_dump(mode="json", by_alias=True)
                return {"record": record_members(reading.code), "statistics": statistics}
        return _members(await self._found(declared, id))

    async def _found(self, resource: AnyResource, id: int) -> Record:
        async for page in resource.source(self._session.client).pages(_PAGE_SIZE, options=_BACKGROUND):
            for record in page.items:
                if isinstance(record, Record) and record.id == id:
                    return record
        raise NotFound(f"There is no {resource.singular} {id}.", "list_records tells which there are.")

    async def statistics(self, ids: list[int], days: int = 7) -> Answer:
        """Totals of QR codes, and what changed in the last days against as many before; one request a code,
        none for a code that was read within a minute.
        """
        reader = StatisticsReader(self._session)
        codes = await codes_of(self._session, dict.fromkeys(ids))
        for code in codes:
            await reader.recall(code)
            if not is_fresh(code, reader):
                await reader.read(code, Lane.BACKGROUND)
        return _report(report_of(codes, reader, days))

    async def report(self, ids: list[int] | None = None, days: int = 7) -> Answer:
        """What was kept of QR codes, of all where none is named: totals, change, risers, fallers, gaps; no
        request. `statistics` reads codes of which nothing is kept.
        """
        reader, history = StatisticsReader(self._session), self._session.store.history
        kept = {**await history.latest_listed(), **await history.latest()}
        codes = await codes_of(self._session, [id for id in ids or sorted(kept) if id in kept])
        for code in codes:
            await reader.recall(code)
        return _report(report_of(codes, reader, days))

    async def review_users(self) -> Answer:
        """Users who expire soon or have expired, unknown plans, users by class and plan; for admins."""
        client = self._session.client
        users = await client.users.list(options=_BACKGROUND)
        plans = await client.plans.list(options=_BACKGROUND)
        found = review(users.items, plans.items, self._session.local_time())
        return {
            finding.title: {"count": len(finding.users), "ids": [user.id for user in finding.users]}
            for finding in found
        }

    async def journal(self, limit: int = 20) -> Answer:
        """The latest changes that were made from this machine and what became of them; no request."""
        return {"changes": [entry_row(entry) for entry in await self._session.store.journal.recent(limit)]}

    # ---- changes ----

    async def preview_change(
        self,
        action: Literal["create", "update", "delete"],
        resource: str,
        id: int = 0,
        members: dict[str, str | int | bool] | None = None,
    ) -> Answer:
        """Shows the request that would create, update or delete a record, and a token for make_change.

        What the service wants in an update besides is the record's own, which is read for it.
        """
        declared, given = _declared(resource), members or {}
        intent = await self._update(declared, id, given) if action == "update" else None
        intent = intent or _intent(action, declared, id, given)
        request = await request_for(intent)
        token = secrets.token_urlsafe(8)
        self._previewed[token] = intent
        return {"what": intent.summary, "request": str(request), "body": request.masked_body, "token": token}

    async def _update(
        self, resource: AnyResource, id: int, given: Mapping[str, object]
    ) -> WriteIntent | None:
        """An update for which the record has to be known; None where it needs not."""
        model = model_of(resource, resource.update, "edit")
        required = {field.name for field in fields_of(model) if field.required}
        if not (required & set(resource.record.model_fields)) - given.keys():
            return None
        record = await self._found(resource, id)
        return intents.update(resource, record, intents.body_for(model, record, given))

    async def make_change(self, token: str) -> Answer:
        """Makes a change that was previewed, once. Its outcome is done, rejected, not sent or unknown."""
        intent = self._previewed.pop(token, None)
        if intent is None:
            raise InvalidBody("This token is unknown or used up.", "preview_change gives a new one.")
        return outcome_line(await self._session.writes.send(intent, lane=Lane.BACKGROUND))


def _declared(resource: str) -> AnyResource:
    try:
        return declaration(resource)
    except KeyError:
        raise InvalidBody(f"There is no resource {resource!r}.", f"Choose one of {_RESOURCES}.") from None


def _report(made: Report) -> Answer:
    found: Answer = json.loads(reports.json(made))
    return found


def _members(record: Record) -> Answer:
    return {"record": record_members(record)}


def _intent(action: str, resource: AnyResource, id: int, members: dict[str, str | int | bool]) -> WriteIntent:
    """Raises LinkdashError."""
    if action == "create":
        return intents.creation(resource, body_of(model_of(resource, resource.create, action), members))
    ids, named = ((), "account") if resource.is_single else ((id,), f"{resource.singular} {id}")
    if action == "update":
        body = body_of(model_of(resource, resource.update, "edit"), members)
        return WriteIntent(resource.id, action, ids, body.given(), f"edit {named}", None, body)
    if resource.delete is None:
        raise LinkdashError(f"The service offers no way to delete {resource.title.lower()}.")
    return WriteIntent(resource.id, action, ids, {}, f"delete {named}")
