"""Secrets in data of any shape, masked before it is shown, stored or written to a file."""

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pydantic import SecretStr

from linkdash.api.raw_rows import RawRows

MASK = "\N{BULLET}" * 8
"""What stands where a secret was; its length says nothing of the secret's."""

_SECRET_PARTS = (
    "apikey",
    "authkey",
    "authorization",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "token",
)
_SECRET_NAMES = ("key", "pass", "pwd")


@lru_cache(maxsize=1_000)
def is_secret(member: str) -> bool:
    """Whether a member of this name holds a secret, in a request or an answer: `api_key`, `newPassword`."""
    letters = "".join(character for character in member.lower() if character.isalnum())
    return letters in _SECRET_NAMES or any(part in letters for part in _SECRET_PARTS)


def masked(data: object) -> object:
    """A copy of JSON-like `data` with every secret replaced by `MASK`; absent secrets stay absent."""
    if isinstance(data, Mapping):
        return {
            name: MASK if is_secret(str(name)) and value not in (None, "") else masked(value)
            for name, value in data.items()
        }
    if isinstance(data, list | tuple | RawRows):
        return [masked(item) for item in data]
    return data


def secrets_in(data: object, *, secret: bool = False) -> Iterator[SecretStr]:
    """Every text under a secret name in JSON-like `data`; with `secret`, every text there is."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            yield from secrets_in(value, secret=secret or is_secret(str(name)))
    elif isinstance(data, list | tuple | RawRows):
        for item in data:
            yield from secrets_in(item, secret=secret)
    elif secret and isinstance(data, str) and data:
        yield SecretStr(data)


def hidden(text: str, secrets: Sequence[SecretStr]) -> str:
    """`text` with every one of `secrets` in it masked, the longest first: one may be part of another."""
    for value in sorted(
        (value for secret in secrets for value in _plain_and_html(secret)), key=len, reverse=True
    ):
        text = text.replace(value, MASK)
    return text


def without_values(data: object, secrets: Sequence[SecretStr]) -> object:
    """A copy of JSON-like `data` with `secrets` masked in every text, whatever member holds it."""
    if isinstance(data, Mapping):
        return {name: without_values(value, secrets) for name, value in data.items()}
    if isinstance(data, list | RawRows):
        return [without_values(item, secrets) for item in data]
    return hidden(data, secrets) if isinstance(data, str) else data


def occurs_in(body: bytes, secret: SecretStr) -> bool:
    """Whether a text of the JSON in `body` holds a secret, in any of the usual ways to escape it."""
    escaped = [
        json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        for value in _plain_and_html(secret)
        for ascii_only in (True, False)
    ]
    spellings = {*escaped, *(text.replace("/", "\\/") for text in escaped)}
    return any(text.encode("utf-8", "replace") in body for text in spellings)


def _plain_and_html(secret: SecretStr) -> set[str]:
    value = secret.get_secret_value()
    return {value, html.escape(value)}
