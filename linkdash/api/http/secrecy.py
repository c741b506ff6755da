"""Secrets in data of any shape, masked before it is shown, stored or written to a file."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from types import NoneType
from urllib.parse import quote, quote_plus

from pydantic import SecretStr

from linkdash.api.inert_text import MAX_LENGTH, inert

MASK = "\N{BULLET}" * 8
"""The text in the place of a secret; its length says nothing of the secret's."""

_SECRET_PARTS = (
    "accesskey",
    "apikey",
    "authkey",
    "authorization",
    "credential",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "token",
)
"""A name with one of these anywhere in its letters is that of a secret."""
_SECRET_WORDS = frozenset(
    ["auth", "bearer", "cookie", "cookies", "jwt", "otp", "pass", "pin", "psk", "pw", "pwd", "session"]
)
"""So is a name with one of these among its words: `session_id`, but not `sessions`; `auth`, not `author`."""
_SECRET_NAMES = frozenset(["key"])
"""So is a name that is one of these altogether."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LONGEST_NAME = 200
_MOST_MEMBERS = 1_000
_FEW_MEMBERS = 50
_LEAVES = frozenset({str, int, float, bool, NoneType})
_NAMING, _NAMED = ("name", "key", "header", "field"), "value"


@lru_cache(maxsize=1_000)
def is_secret(member: str) -> bool:
    """Return whether a member of this name holds a secret, sent or received: `api_key`, `newPassword`."""
    member = member[:_LONGEST_NAME]
    letters = "".join(character for character in member.lower() if character.isalnum())
    if letters in _SECRET_NAMES or any(part in letters for part in _SECRET_PARTS):
        return True
    return not _SECRET_WORDS.isdisjoint(word.lower() for word in _WORD.findall(member))


def _secret_members(data: Mapping[object, object]) -> Set[object]:
    """The members that hold a secret: by their names, and the value of `{"name": "Authorization", ...}`."""
    found = _secret_names(tuple(data)) if len(data) <= _FEW_MEMBERS else _secret_names.__wrapped__(data)
    if _NAMED in data and any(_names_secret(data.get(name)) for name in _NAMING):
        found = (found - {*_NAMING}) | {_NAMED}
    return found


@lru_cache(maxsize=200)  # the rows of a list have the same names
def _secret_names(names: Iterable[object]) -> Set[object]:
    return {name for name in names if is_secret(str(name))}


def _names_secret(value: object) -> bool:
    return isinstance(value, str) and is_secret(value)


def masked(data: object) -> object:
    """A copy of JSON-like `data` with every secret replaced by `MASK`; absent secrets stay absent."""
    if type(data) in _LEAVES:  # most of what comes here, and asking for a Mapping takes long
        return data
    if isinstance(data, Mapping):
        members = masked_members(data)
        return {name: v if type(v) in _LEAVES else masked(v) for name, v in members.items()}
    if isinstance(data, list | tuple):
        return [masked(item) for item in data]
    return data


def _masked_value(value: object) -> object:
    return value if value in (None, "") else MASK


def masked_members(data: Mapping[object, object]) -> dict[object, object]:
    """The members of one map, secrets replaced by `MASK`; what the others hold is not touched."""
    secret = _secret_members(data)
    if not secret:
        return dict(data)
    return {name: _masked_value(value) if name in secret else value for name, value in data.items()}


def excerpt(data: object, longest: int = 500) -> str:
    """The beginning of JSON-like `data` as inert text, every secret masked; quick, however large it is."""
    found: list[str] = []
    room = longest
    for piece in [data] if isinstance(data, str) else _pieces(data):
        found.append(piece[: room + 1])
        room -= len(piece)
        if room < 0:
            break
    text = inert("".join(found))
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def _pieces(data: object) -> Iterator[str]:
    """The text of `data`, bit by bit."""
    if isinstance(data, Mapping):
        secret = _secret_members(data) if len(data) <= _MOST_MEMBERS else data.keys()
        yield "{"
        for index, (name, value) in enumerate(data.items()):
            yield f"{', ' if index else ''}{str(name)[:_LONGEST_NAME]!r}: "
            if name in secret and value not in (None, ""):
                yield repr(MASK)
            else:
                yield from _pieces(value)
        yield "}"
    elif isinstance(data, list | tuple):
        yield "["
        for index, item in enumerate(data):
            yield ", " if index else ""
            yield from _pieces(item)
        yield "]"
    else:
        yield repr(data[:MAX_LENGTH]) if isinstance(data, str) else str(data)


def secrets_in(data: object, *, secret: bool = False) -> Iterator[SecretStr]:
    """Every text under a secret name in JSON-like `data`; with `secret`, every text there is."""
    if isinstance(data, Mapping):
        members = _secret_members(data)
        for name, value in data.items():
            yield from secrets_in(value, secret=secret or name in members)
    elif isinstance(data, list | tuple):
        for item in data:
            yield from secrets_in(item, secret=secret)
    elif secret and isinstance(data, str) and data:
        yield SecretStr(data)


def hidden(text: str, secrets: Sequence[SecretStr]) -> str:
    """`text` with every one of `secrets` in it masked, in each of its spellings; the longest first, as one
    may be part of another.
    """
    return _without(text, _longest_first(secrets))


def without_values(data: object, secrets: Sequence[SecretStr]) -> object:
    """A copy of JSON-like `data` with `secrets` masked in every text, whatever member holds it."""
    return _copy_without(data, _longest_first(secrets))


def _longest_first(secrets: Sequence[SecretStr]) -> list[str]:
    return sorted({value for secret in secrets for value in spellings(secret)}, key=len, reverse=True)


def _copy_without(data: object, values: Sequence[str]) -> object:
    if isinstance(data, str):  # most of it is text, and asking for a Mapping takes long
        return _without(data, values)
    if isinstance(data, Mapping):
        return {name: _copy_without(value, values) for name, value in data.items()}
    if isinstance(data, list):
        return [_copy_without(item, values) for item in data]
    return data


def _without(text: str, values: Sequence[str]) -> str:
    for value in values:
        text = text.replace(value, MASK)
    return text


def occurs_in(body: bytes, secret: SecretStr) -> bool:
    """Return whether a text of the JSON in `body` holds a secret, in any of its spellings."""
    return any(text.encode("utf-8", "replace") in body for text in spellings(secret))


@lru_cache(maxsize=100)
def spellings(secret: SecretStr) -> frozenset[str]:
    """The texts that show a secret: as it is, and escaped for HTML, JSON and addresses."""
    import html  # reads all names of signs in HTML: only where something is hidden

    value = secret.get_secret_value()
    plain = {value, html.escape(value)}
    escaped = {json.dumps(text, ensure_ascii=only)[1:-1] for text in plain for only in (True, False)}
    percent = {quote(value, safe=""), quote(value), quote_plus(value)}
    return frozenset({*plain, *escaped, *(text.replace("/", "\\/") for text in escaped), *percent} - {""})
