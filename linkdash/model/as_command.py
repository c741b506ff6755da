"""The screen's content as a command of linkdash or curl."""

import json
import re
import shlex
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from linkdash.api.client import Endpoints
from linkdash.api.errors import InvalidBody, NotSent
from linkdash.api.http.request import Answer, Options, Request
from linkdash.api.http.secrecy import is_secret
from linkdash.api.inert_text import marked
from linkdash.model.copy_choices import PickerChoice
from linkdash.model.declaration import declaration
from linkdash.model.lists.order import Orders, order_text
from linkdash.model.writes.one_write import write_through
from linkdash.model.writes.write_words import summary_of
from linkdash.store.journal_entry import WriteIntent

NOT_IN_COMMANDS = re.compile("[\0\ud800-\udfff]")


# ---- as a command ----

ASKED_FOR = "-"
"""The value of a secret in a command: it is read from the terminal."""


def _command(words: Iterable[str]) -> str:
    """Words as a shell reads them back. Raises InvalidBody for one that no command can hold."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    shown = marked(word)
    if shown == word:
        return shlex.quote(word)
    if NOT_IN_COMMANDS.search(word):
        raise InvalidBody("No command can hold a text with NUL or half of a character in it.")
    letters = (
        letter if letter == mark and letter not in "\\'!" else _octal(letter)
        for letter, mark in zip(word, shown, strict=True)
    )
    return f"$'{''.join(letters)}'"


def _octal(letter: str) -> str:
    """The bytes of a character as every shell that knows $'…' reads them."""
    return "".join(f"\\{byte:03o}" for byte in letter.encode())


# ---- linkdash ----


def list_command(resource: str, filter: str, orders: Orders) -> str:
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
    ids = [] if declaration(intent.resource).is_single else [str(id) for id in intent.record_ids]
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
    return value if isinstance(value, str) else json.dumps(value)


def _linkdash(words: list[str]) -> str:
    return _command(["linkdash", *words])


# ---- curl ----


def curl(base_url: str, request: Request) -> str:
    """The request as a `curl` whose key is in LINKDASH_API_KEY; a secret of its body is to be filled in."""
    words = ["curl"] if request.is_read else ["curl", "-X", request.method]
    key = '-H "Authorization: Bearer $LINKDASH_API_KEY"'
    more = ["-H", "Content-Type: application/json"]
    if request.body is not None:
        more += ["--data", json.dumps(_to_fill_in(request.body))]
    return " ".join([_command(words), key, _command([*more, f"{base_url}{_path(request)}"])])


def _path(request: Request) -> str:
    """`/api/pixels?limit=100`"""
    return str(request).partition(" ")[2]


def _as_curl(label: str, base_url: str, requests: Sequence[Request]) -> PickerChoice:
    """Requests, a line each; in a list the path of the first stands for them, as not all have it alike."""
    value = "\n".join(curl(base_url, request) for request in requests)
    return PickerChoice(label, value, sample=f"curl … {_path(requests[0])}" if requests else "")


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

    def __init__(self, request: Request) -> None:
        super().__init__("It was only looked at.")
        self.request = request


async def _capture(request: Request, options: Options) -> Answer:
    raise _Captured(request)


async def request_for(intent: WriteIntent) -> Request:
    """The request that a write would be; nothing is sent. Raises InvalidBody."""
    request = await _captured(lambda client: write_through(client, intent))
    if request is None:
        raise NotSent(f"There is no request to {summary_of(intent)}.")
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


async def _captured(call: Callable[[Endpoints], Awaitable[object]]) -> Request | None:
    try:
        await call(Endpoints(_capture))
    except _Captured as captured:
        return captured.request
    return None


# ---- what is offered to be copied ----


async def record_commands(base_url: str, resource: str, id: int) -> list[PickerChoice]:
    """The commands that show a record; curl only where the service has an address for it."""
    request = await get_request(resource, id)
    return [
        PickerChoice("As a command", get_command(resource, id)),
        *([] if request is None else [_as_curl("As curl", base_url, [request])]),
    ]


def list_commands(
    base_url: str, resource: str, listed: Request, filter: str, orders: Orders
) -> list[PickerChoice]:
    """The commands that list what is shown; curl asks for the page that `listed` is, without the filter."""
    return [
        PickerChoice("This list as a command", list_command(resource, filter, orders)),
        _as_curl("This page as curl", base_url, [listed]),
    ]


async def statistics_commands(base_url: str, ids: Sequence[int], days: int) -> list[PickerChoice]:
    """The commands that read the statistics of codes; curl a line each."""
    requests = [await get_request("qr", id) for id in ids]
    return [
        PickerChoice("As a command", statistics_command(ids, days)),
        _as_curl("As curl", base_url, [request for request in requests if request is not None]),
    ]


async def write_commands(base_url: str, intents: Sequence[WriteIntent]) -> list[PickerChoice]:
    """The commands that do the same as some writes, a line each.

    None of linkdash for a text that no command can hold, and no curl for what is no request any more.
    """
    choices = []
    with suppress(InvalidBody):
        choices.append(PickerChoice("As a command", "\n".join(map(write_command, intents))))
    with suppress(InvalidBody):  # an earlier version may have sent what this one would not
        requests = [await request_for(intent) for intent in intents]
        choices.append(_as_curl("As curl", base_url, requests))
    return choices
