"""`linkdash api GET /api/…`: the answer as the service gave it, through the budget and with secrets masked.

Only GET, and only paths of the service's API: the key goes nowhere else.
"""

import argparse
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

from linkdash.api.budget.lanes import Lane
from linkdash.api.endpoints import PAGE_SIZE, data_in
from linkdash.api.http.request import Options, Request
from linkdash.api.http.secrecy import masked
from linkdash.api.paging import Pager, read_page
from linkdash.api.records import Record
from linkdash.commands.exit_status import FINE, WrongUsage
from linkdash.commands.output import put_lines
from linkdash.commands.standard_streams import put, tell
from linkdash.model.json_text import json_text
from linkdash.model.session import Session

_ROOT = "/api/"
_PAGE, _LIMIT = "page", "limit"


async def api(session: Session, flags: argparse.Namespace) -> int:
    """Write one answer, or with --paginate every page as a line of JSON. Raises LinkdashError."""
    request = request_to(flags.path, session.settings.base_url)
    if not flags.paginate:
        answer = await session.client.connection.send(request)
        put(json_text(masked(answer.members)))
        return FINE
    await _pages(session, request)
    return FINE


async def _pages(session: Session, request: Request) -> None:
    params = {_LIMIT: PAGE_SIZE, **request.params}
    number = _number(params.get(_PAGE, 1))
    pager, lane = Pager(number), Lane.READ
    while True:
        asked = Request(request.method, request.path, {**params, _PAGE: number})
        answer = await session.client.connection.send(asked, Options(lane=lane))
        put_lines([masked(answer.members)])
        page = read_page(Record, (), data_in(answer.members))
        following = pager.next_page(page)
        if following is None:
            return
        if lane is Lane.READ and page.maxpage:
            tell(f"{session.gate.quote(page.maxpage - number, Lane.TASK)}.")
        number, lane = following, Lane.TASK


def _number(value: object) -> int:
    text = str(value)
    if not (text.isascii() and text.isdigit() and int(text)):
        raise WrongUsage("page must be a whole number, 1 or more.")
    return int(text)


def request_to(path: str, base_url: str) -> Request:
    """The request for a path, or for an address of the service. Raises WrongUsage for any other."""
    parts = urlsplit(_below(path, base_url))
    steps = [unquote(step) for step in parts.path.split("/")]
    is_plain = path.isprintable() and " " not in path and "\\" not in unquote(path)
    if not is_plain or {".", ".."} & {*steps} or any("/" in step for step in steps) or parts.fragment:
        raise _not_of_the_service()
    if not parts.path.startswith(_ROOT) or "" in steps[1:]:
        raise _not_of_the_service()
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    params: Mapping[str, str | int] = dict(pairs)
    if len(params) < len(pairs):
        raise WrongUsage("A parameter is given twice.", "Give each once.")
    return Request("GET", parts.path, params)


def _below(path: str, base_url: str) -> str:
    """Return the part of an address that is below the service's own."""
    if path.startswith(("http://", "https://")):
        if not path.startswith(f"{base_url}/"):
            raise _not_of_the_service()
        return path.removeprefix(base_url)
    if not path.startswith("/") or path.startswith("//"):
        raise _not_of_the_service()
    return path


def _not_of_the_service() -> WrongUsage:
    return WrongUsage("This is not an address of the service's API.", "Write a path such as /api/qr?limit=5")
