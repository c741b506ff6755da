"""The envelope: bytes in, the members of a success out, or a typed error.

Reference: response envelope, errors.
"""

import html
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from pydantic import SecretStr

from linkdash.api.errors import AdminRequired, KeyRefused, NotAnAnswer, Rejected, ServiceError
from linkdash.api.http.lenient_json import read_json
from linkdash.api.http.request import Members
from linkdash.api.http.secrecy import MASK, hidden, occurs_in, without_values
from linkdash.api.inert_text import inert
from linkdash.api.slices import SLICE_SIZE, Slices

# Deployed services stray from both, so failure is told by the `error` member and the status, never by the
# text of a message.

MAX_SEARCHED_BYTES = 4 * 1024 * 1024
"""In larger answers that are no JSON none is looked for: that would take seconds."""

_BOM = b"\xef\xbb\xbf"
_TAG = re.compile(r"<[^<>]{0,500}>")
_OBJECT = re.compile(rb'\{\s*"')
_NO_MESSAGES = ("", "0", "1", "true", "false")
_SUCCESS_WORDS = ("", "0", "false")
_ENVELOPE = frozenset({"error", "message", "msg", "data", "details", "id"})
_KEY_ADVICE = (
    "Check the key. If it is good, the web server may strip the Authorization header: tell its operator."
)


def judge_answer(
    status: int,
    body: bytes,
    *,
    admin: bool = False,
    can_be_wrong: bool = True,
    location: str = "",
    secrets: Sequence[SecretStr] = (),
    parsed: object | None = None,
) -> Members:
    """The members of a successful answer.

    `admin` marks requests that the reference keeps for admins, `can_be_wrong` those that hold what can be
    refused in itself; `location` is where a redirect points. `secrets` are masked wherever they occur;
    `parsed` is what `read_in_slices` made of the body.
    Raises KeyRefused, AdminRequired, Rejected or NotAnAnswer.
    """
    if 300 <= status < 400:
        raise NotAnAnswer(
            f"The service answered with a redirect to {hidden(location, secrets)[:200] or 'nowhere'}.",
            "It was not followed. If that is the service's address, set it.",
            status=status,
        )
    if status == 401 and not body.strip().startswith(b"{"):
        raise _key_refused("", status)
    members = _members(status, body, secrets, parsed)
    message = message_of(members, secrets)
    if MASK in message:
        members = {**members, "message": message}
    if status >= 400 or not _says_success(members):
        raise _failure(status, message, no_admin=admin and (status == 403 or not can_be_wrong))
    if not _ENVELOPE.intersection(members):
        raise _not_an_answer(status, "JSON of something else")
    return members


def message_of(members: Members, secrets: Sequence[SecretStr] = ()) -> str:
    """The service's own words in an answer, as one inert line with `secrets` masked; "" where it has none."""
    for name in ("message", "msg", "error"):
        text = _words(members.get(name))
        if text.strip().lower() not in _NO_MESSAGES:
            plain = inert(" ".join(html.unescape(_TAG.sub(" ", text[:5000])).split()))
            return hidden(plain, secrets)[:500]
    return ""


def _words(value: object) -> str:
    """A message as one text, also where it came as a list or by member."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return " ".join(filter(None, map(_words, value)))
    return value if isinstance(value, str) else ""


def _says_success(members: Members) -> bool:
    flag = members.get("error", 0)
    return flag in (0, None, False) or (isinstance(flag, str) and flag.strip().lower() in _SUCCESS_WORDS)


def _failure(status: int, message: str, *, no_admin: bool) -> ServiceError:
    if no_admin and status in (200, 400, 403):
        return AdminRequired(
            f"This needs a key with admin privileges.{_said(message)}",
            "Use a profile whose key is an admin's.",
            status=status,
        )
    if status in (401, 403):
        return _key_refused(message, status)
    if status >= 500:
        return NotAnAnswer(
            f"The service failed (status {status}).{_said(message)}", "Try again later.", status=status
        )
    return Rejected(
        message or f"The service rejected this without a reason (status {status}).", status=status
    )


def _key_refused(message: str, status: int) -> KeyRefused:
    return KeyRefused(f"The service refuses the key.{_said(message)}", _KEY_ADVICE, status=status)


def _said(message: str) -> str:
    return f" It said: {message}" if message else ""


def read_in_slices(body: bytes, secrets: Sequence[SecretStr]) -> Slices[object | None]:
    """Return the JSON value in a large body; None where it is none.

    It is read in one go. Where one of the secrets occurs in it, it is looked for in slices.
    """
    body = _text(body)
    try:
        parsed = read_json(body)
    except ValueError:
        return None
    yield
    found = _occurring(secrets, body)
    return (yield from _without_in_slices(parsed, found)) if found else parsed


def _without_in_slices(data: object, secrets: Sequence[SecretStr]) -> Slices[object]:
    """The same without these secrets; what is outside of lists is short."""
    if isinstance(data, dict):
        for name, value in data.items():
            data[name] = yield from _without_in_slices(value, secrets)
        return data
    if not isinstance(data, list):
        return without_values(data, secrets)
    rows: list[object] = []
    for start in range(0, len(data), SLICE_SIZE):
        rows += [without_values(row, secrets) for row in data[start : start + SLICE_SIZE]]
        yield
    return rows


def _text(body: bytes) -> bytes:
    return body.strip().removeprefix(_BOM).strip()


def _members(status: int, body: bytes, secrets: Sequence[SecretStr], parsed: object | None) -> Members:
    body = _text(body)
    if not body:
        raise _not_an_answer(status, "an empty answer")
    if parsed is None:
        parsed = _parse(body, secrets)
    if isinstance(parsed, Mapping):
        return {str(name): value for name, value in parsed.items()}
    if _looks_like_a_page(body):
        raise _not_an_answer(status, "a web page")
    raise _not_an_answer(status, "broken JSON" if parsed is None else "JSON that is not an object")


def _occurring(secrets: Sequence[SecretStr], body: bytes) -> list[SecretStr]:
    return [secret for secret in secrets if occurs_in(body, secret)]


def _parse(body: bytes, secrets: Sequence[SecretStr]) -> object | None:
    """The JSON in a body without secrets, also behind a notice printed before it."""
    parsed: object | None = None
    try:
        parsed = read_json(body)
    except ValueError:
        if len(body) <= MAX_SEARCHED_BYTES and (start := _OBJECT.search(body)):
            with suppress(ValueError):
                parsed = read_json(body[start.start() :])
    found = _occurring(secrets, body)
    return without_values(parsed, found) if found else parsed


def _looks_like_a_page(body: bytes) -> bool:
    return body[:1] == b"<" or b"<html" in body[:2000].lower()


def _not_an_answer(status: int, found: str) -> NotAnAnswer:
    return NotAnAnswer(
        f"This is not an answer of the API but {found} (status {status}).",
        "Check the address; a login page or a bot check may be in front of it.",
        status=status,
    )
