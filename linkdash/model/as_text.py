"""Records, lists, writes and exchanges as text: what can be copied, and the commands that do the same. Pure.

Every secret is masked, and every line inert. No command holds a secret: the key is a variable of the shell,
and a password is asked for.
"""

import json
import re
import shlex
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from pydantic import SecretStr

from linkdash.api.client import Client, Endpoints
from linkdash.api.errors import InvalidBody, NotSent
from linkdash.api.exchange import NO_OPTIONS, Answer, Exchange, Options, Request
from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.model import Record
from linkdash.api.secrecy import MASK, excerpt, hidden, is_secret, masked, secrets_in, without_values
from linkdash.api.text import MAX_LENGTH, inert, inert_whole
from linkdash.model.arrangement import Orders, order_text
from linkdash.model.resource import declaration
from linkdash.model.writes import request_of
from linkdash.store.journal import WriteIntent

# ---- a record ----


@dataclass(frozen=True)
class Choice:
    """Something to choose: what it is called, and what it would give."""

    label: str
    value: str


_NOT_COPIED = frozenset({Kind.SECRET, Kind.NESTED})


def copies(record: Record) -> list[Choice]:
    """What can be copied of a record: each field that has something, the whole row, and its JSON."""
    fields = [field for field in fields_of(type(record)) if field.kind not in _NOT_COPIED]
    values = [(field.title, _text(record, field)) for field in fields]
    row = "\t".join(value for _, value in values)
    return [
        *(Choice(title, value) for title, value in values if value),
        Choice("Row", row),
        Choice("JSON", json_of(record.raw)),
    ]


def links(record: Record) -> list[Choice]:
    """The web addresses in a record; anything else is not offered to a browser."""
    found = [
        (field.title, _text(record, field)) for field in fields_of(type(record)) if field.kind is Kind.LINK
    ]
    return [Choice(title, link) for title, link in found if link.startswith(("http://", "https://"))]


_PLAIN_HOST = re.compile(r"[a-z0-9.-]+(:[0-9]+)?|\[[0-9a-f:.]+\](:[0-9]+)?", re.IGNORECASE)


def hidden_host(link: str) -> str:
    """The host that a link leads to, in ASCII, where the link does not show it plainly; "" where it does.

    It does not with a name before an `@`, and with letters that look like others.
    """
    try:
        parts = urlsplit(link)
        host = parts.hostname or ""
    except ValueError:
        return "nowhere"
    if _PLAIN_HOST.fullmatch(parts.netloc):
        return ""
    try:
        return inert(host.encode("idna").decode())
    except UnicodeError:
        return inert(host.encode("ascii", "backslashreplace").decode())


_PLACE = re.compile(r"\{(\w+)\}")


def filled_in(argument: str, record: Record) -> str:
    """An argument with the record's members in the place of `{id}`, `{link}` and so on.

    Raises ValueError for a member that the record has not, or that is a secret.
    """
    fields = {field.name: field for field in fields_of(type(record)) if field.kind not in _NOT_COPIED}

    def value(found: re.Match[str]) -> str:
        if found[1] == "id":
            return str(record.id)
        text = _text(record, fields[found[1]]) if found[1] in fields else ""
        if not text:
            raise ValueError(f"This record has no {found[0]}.")
        return text

    return _PLACE.sub(value, argument)


def json_of(raw: object) -> str:
    """What the service sent, as JSON with secrets masked; each line inert."""
    text = json.dumps(masked(raw), indent=2, ensure_ascii=False)
    return "\n".join(inert_whole(line) for line in text.split("\n"))


def is_large(raw: object) -> bool:
    """Whether making JSON of it can keep a person waiting, so that it is done beside everything else."""
    return len(excerpt(raw, MAX_LENGTH)) >= MAX_LENGTH


def _text(record: Record, field: Field) -> str:
    value: object = record.odd.get(field.name) or record.whole(field.name)
    return "" if value is None else str(value)


# ---- a request and its answer ----


def exchange_text(exchange: Exchange, base_url: str, key: SecretStr) -> str:
    """What was sent and what came back: lines with headers and bodies."""
    return "\n".join([*_request(exchange, base_url), "", *_answer(exchange, key)])


def _request(exchange: Exchange, base_url: str) -> Iterator[str]:
    request = exchange.request
    method, _, address = str(request).partition(" ")
    yield inert(f"{method} {base_url}{address}")
    yield f"Authorization: Bearer {MASK}"
    yield "Content-Type: application/json"
    if request.body is not None:
        yield ""
        yield json_of(dict(request.body))


def _answer(exchange: Exchange, key: SecretStr) -> Iterator[str]:
    if exchange.seconds is None:
        yield "No answer came yet."
        return
    secrets = [key, *secrets_in(exchange.request.body)]
    if exchange.status is not None:
        yield f"HTTP {exchange.status} after {exchange.seconds:.2f} s, {exchange.size:,} bytes"
    if exchange.error:
        yield inert(hidden(exchange.error, secrets))
    yield from (inert(f"{name}: {hidden(value, secrets)}") for name, value in exchange.headers.items())
    if exchange.size:
        yield ""
        yield _body(exchange.body, secrets)


def _body(body: bytes | None, secrets: Sequence[SecretStr]) -> str:
    if body is None:
        return "(too large to be kept)"
    text = body.decode("utf-8", "replace")
    try:
        return json_of(without_values(json.loads(text), secrets))
    except (ValueError, RecursionError):
        return "\n".join(inert(hidden(line, secrets)) for line in text.splitlines())


# ---- as a command ----

ASKED_FOR = "-"
"""The value of a secret in a command: it is read from the terminal."""


# ---- linkdash ----


def list_command(resource: str, filter: str = "", orders: Orders = ()) -> str:
    """The command that lists what is shown."""
    words = ["list", resource, "--all"]
    words += [f"--filter={filter}"] if filter else []
    words += [f"--sort={order_text(orders)}"] if orders else []
    return _linkdash(words)


def get_command(resource: str, id: int) -> str:
    """The command that shows a record."""
    return _linkdash(["get", resource, *([] if declaration(resource).is_single else [str(id)])])


def statistics_command(ids: Sequence[int], days: int) -> str:
    """The command that reads the statistics of codes, and says what happened in the last days."""
    return _linkdash(["stats", *map(str, ids), "--since", f"{days}d"])


def write_command(intent: WriteIntent) -> str:
    """The command that does the same as a write."""
    ids = [str(id) for id in intent.record_ids]
    match intent.resource, intent.action:
        case _, "create" | "update":
            return _linkdash([intent.action, intent.resource, *ids, *_members(intent.params)])
        case _, "delete":
            return _linkdash(["delete", intent.resource, *ids, "--yes"])
        case "channels", _:
            return _linkdash(["assign", "channel", ids[0], f"{intent.params['type']}:{ids[1]}"])
        case "qr", _:
            return _linkdash(["assign", "channel", ids[1], f"qr:{ids[0]}"])
        case "campaigns", _:
            return _linkdash(["assign", "campaign", *ids])
    words = ["subscribe", *ids, "--term", str(intent.params["type"])]
    expiration = intent.params.get("expiration")
    return _linkdash([*words, *(["--expiration", str(expiration)] if expiration else [])])


def _members(params: Mapping[str, object]) -> list[str]:
    return [f"{name}={ASKED_FOR if is_secret(name) else _value(value)}" for name, value in params.items()]


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _linkdash(words: list[str]) -> str:
    return inert(shlex.join(["linkdash", *words]))


# ---- curl ----


def curl(base_url: str, request: Request) -> str:
    """The request as a `curl` whose key is in LINKDASH_API_KEY; a secret of its body is to be filled in."""
    words = ["curl"] if request.is_read else ["curl", "-X", request.method]
    key = '-H "Authorization: Bearer $LINKDASH_API_KEY"'
    more = ["-H", "Content-Type: application/json"]
    if request.body is not None:
        more += ["--data", json.dumps(_to_fill_in(request.body))]
    address = f"{base_url}{str(request).partition(' ')[2]}"
    return inert(" ".join([shlex.join(words), key, shlex.join([*more, address])]))


def _to_fill_in(data: object) -> object:
    """JSON-like data with a name in capitals where a secret belongs."""
    if isinstance(data, Mapping):
        return {
            name: str(name).upper() if is_secret(str(name)) else _to_fill_in(value)
            for name, value in data.items()
        }
    return [_to_fill_in(item) for item in data] if isinstance(data, list) else data


class _Captured(NotSent):
    """The request is known, and was not sent."""


class _Capturing:
    """Stands where requests are sent, and keeps the one that would be."""

    request: Request | None = None

    async def send(self, request: Request, options: Options = NO_OPTIONS) -> Answer:
        self.request = request
        raise _Captured("It was only looked at.")


async def request_for(intent: WriteIntent) -> Request:
    """The request that a write would be; nothing is sent. Raises InvalidBody."""
    request = await _captured(lambda client: request_of(client, intent, NO_OPTIONS))
    if request is None:
        raise NotSent(f"There is no request to {intent.summary}.")
    return request


async def get_request(resource: str, id: int) -> Request | None:
    """The request for one record; None where the service only lists them. Nothing is sent."""
    match resource:
        case "account":
            return await _captured(lambda client: client.account.get())
        case "users":
            return await _captured(lambda client: client.users.get(id))
        case "qr":
            return await _captured(lambda client: client.qr.get(id))
    return None


async def _captured(call: Callable[[Client], Awaitable[object]]) -> Request | None:
    sender = _Capturing()
    client = cast("Client", Endpoints(sender))  # without a connection: only its namespaces are used here
    with suppress(_Captured):
        await call(client)
    return sender.request


# ---- what is offered to be copied ----


async def record_commands(base_url: str, resource: str, id: int, listed: Request) -> list[Choice]:
    """The commands that show a record; `listed` is the request for the page it is on."""
    request = await get_request(resource, id) or listed
    return [
        Choice("As a command", get_command(resource, id)),
        Choice("As curl", curl(base_url, request)),
    ]


def list_commands(base_url: str, resource: str, listed: Request, filter: str, orders: Orders) -> list[Choice]:
    """The commands that list what is shown; curl asks for the page that `listed` is, without the filter."""
    return [
        Choice("This list as a command", list_command(resource, filter, orders)),
        Choice("This page as curl", curl(base_url, listed)),
    ]


async def statistics_commands(base_url: str, ids: Sequence[int], days: int) -> list[Choice]:
    """The commands that read the statistics of codes; curl a line each."""
    requests = [await get_request("qr", id) for id in ids]
    return [
        Choice("As a command", statistics_command(ids, days)),
        Choice("As curl", "\n".join(curl(base_url, request) for request in requests if request is not None)),
    ]


async def write_commands(base_url: str, intents: Sequence[WriteIntent]) -> list[Choice]:
    """The commands that do the same as some writes, a line each; no curl for what is no request any more."""
    choices = [Choice("As a command", "\n".join(map(write_command, intents)))]
    with suppress(InvalidBody):  # an earlier version may have sent what this one would not
        requests = [await request_for(intent) for intent in intents]
        choices.append(Choice("As curl", "\n".join(curl(base_url, request) for request in requests)))
    return choices
