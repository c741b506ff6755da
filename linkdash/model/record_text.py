"""A record as text: what of it can be copied, its links, and how the service sent it. Pure.

So are a request and its answer: every secret masked, every line inert.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from linkdash.api.exchange import Exchange
from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.model import Record
from linkdash.api.secrecy import MASK, excerpt, hidden, masked, secrets_in, without_values
from linkdash.api.text import MAX_LENGTH, inert, inert_whole

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
