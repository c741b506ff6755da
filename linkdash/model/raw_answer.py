"""A record or an exchange as the service sent it, secrets masked."""

import json
from collections.abc import Iterator, Sequence

from pydantic import SecretStr

from linkdash.api.http.recent_exchanges import Exchange
from linkdash.api.http.secrecy import MASK, excerpt, hidden, masked, secrets_in, without_values
from linkdash.api.inert_text import MAX_LENGTH, inert, printable_json


def json_of(raw: object) -> str:
    """Return the service's answer, as JSON with secrets masked and with escapes for what is not printable."""
    return printable_json(json.dumps(masked(raw), indent=2, ensure_ascii=False))


def is_large(raw: object) -> bool:
    """Return whether making JSON of it can take long, so that it is done beside everything else."""
    return len(excerpt(raw, MAX_LENGTH)) >= MAX_LENGTH


# ---- a request and its answer ----


def exchange_text(exchange: Exchange, base_url: str, key: SecretStr) -> str:
    """Return what was sent and what came back: lines with headers and bodies."""
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
