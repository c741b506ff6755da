"""The envelope of every answer: bytes in, members out, or a typed error.

Reference: response envelope, errors. Deployed services stray from both, so failure is told by the `error`
member and the status, never by the text of a message.
"""

import html
import re
from collections.abc import Mapping

from pydantic_core import from_json

from linkdash.api.errors import AdminRequired, KeyRefused, NotAnAnswer, RateLimited, Rejected, ServiceError
from linkdash.api.text import inert

Members = Mapping[str, object]

_BOM = b"\xef\xbb\xbf"
_TAG = re.compile(r"<[^<>]{0,500}>")
_KEY_ADVICE = (
    "Check the key. If it is good, the web server may strip the Authorization header: tell its operator."
)


def judge(status: int, body: bytes, *, admin: bool = False, location: str = "") -> Members:
    """The members of a successful answer.

    `admin` marks endpoints that the reference keeps for admins; `location` is where a redirect points.
    Raises KeyRefused, AdminRequired, RateLimited, Rejected or NotAnAnswer.
    """
    if 300 <= status < 400:
        raise NotAnAnswer(
            f"The service answered with a redirect to {inert(location)[:200] or 'nowhere'}.",
            "It was not followed. If that is the service's address, set it.",
        )
    if status == 429:
        raise RateLimited(
            "The service refuses requests until its window resets.", "linkdash waits; then try again."
        )
    if status == 401 and not body.strip().startswith(b"{"):
        raise _key_refused("")
    members = _members(status, body)
    if status < 400 and _says_success(members):
        return members
    raise _failure(status, members, admin=admin)


def message_of(members: Members) -> str:
    """The service's own words in an answer, as one inert line; "" where it has none."""
    for name in ("message", "msg", "error"):
        text = members.get(name)
        if isinstance(text, str) and text not in ("0", "1", ""):
            return inert(" ".join(html.unescape(_TAG.sub(" ", text[:5000])).split()))[:500]
    return ""


def _says_success(members: Members) -> bool:
    flag = members.get("error", 0)
    return flag in (0, None, False) or (isinstance(flag, str) and flag.strip().lower() in ("0", "false", ""))


def _failure(status: int, members: Members, *, admin: bool) -> ServiceError:
    message = message_of(members)
    if admin and status in (200, 400, 403):
        said = f" It said: {message}" if message else ""
        return AdminRequired(
            f"This needs a key with admin privileges.{said}", "Use a profile whose key is an admin's."
        )
    if status in (401, 403):
        return _key_refused(message)
    if status >= 500:
        return Rejected(
            message or f"The service failed (status {status}).", "Try again later.", status=status
        )
    return Rejected(message or f"The service said no (status {status}) and not why.", status=status)


def _key_refused(message: str) -> KeyRefused:
    said = f" It said: {message}" if message else ""
    return KeyRefused(f"The service refuses the key.{said}", _KEY_ADVICE)


def _members(status: int, body: bytes) -> Members:
    body = body.removeprefix(_BOM).strip()
    if not body:
        raise _not_an_answer(status, "an empty answer")
    parsed = _parse(body)
    if isinstance(parsed, Mapping):
        return {str(name): value for name, value in parsed.items()}
    if isinstance(parsed, list) and not parsed:
        return {"data": []}
    if _looks_like_a_page(body):
        raise _not_an_answer(status, "a web page")
    raise _not_an_answer(status, "broken JSON" if parsed is None else "JSON that is no object")


def _parse(body: bytes) -> object | None:
    """The JSON in a body: as it is, with invalid UTF-8 replaced, or behind a notice printed before it."""
    for candidate in (body, body.decode("utf-8", "replace").encode(), body[body.find(b'{"') :]):
        try:
            parsed: object = from_json(candidate)
        except ValueError:
            continue
        return parsed
    return None


def _looks_like_a_page(body: bytes) -> bool:
    return body[:1] == b"<" or b"<html" in body[:2000].lower()


def _not_an_answer(status: int, found: str) -> NotAnAnswer:
    return NotAnAnswer(
        f"This is no answer of the API but {found} (status {status}).",
        "Check the address; a login page or a protection page of the hoster may stand before it.",
    )
