"""The rules of body members, declared once by each endpoint and checked before it runs."""

import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from linkdash.demo import spelling
from linkdash.demo.endpoint import Body, Check, Member, Refusal


def required(check: Check) -> Member:
    """A member that must be given."""
    return Member(check, required=True)


def optional(check: Check) -> Member:
    """A member that can be left out."""
    return Member(check)


def check(body: Mapping[str, object], members: Body) -> None:
    """A 400 Refusal that names all that is wrong with the body, if anything is."""
    problems = [f"{name} is not a member of this request." for name in body if name not in members]
    for name, member in members.items():
        if name not in body:
            problems += [f"{name} is required."] if member.required else []
        elif problem := member.check(body[name]):
            problems.append(f"{name} {problem}.")
    if problems:
        raise Refusal(400, " ".join(problems))


def check_content_type(content_type: str) -> None:
    """A 400 Refusal of a request without the documented header (reference: Authentication 1)."""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Refusal(400, "The request needs the header Content-Type: application/json.")


def parsed(raw: bytes) -> dict[str, object]:
    """The body as a JSON object, else a 400 Refusal."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refusal(400, "The request body is not JSON.") from None
    if not isinstance(body, dict):
        raise Refusal(400, "The request body is not a JSON object.")
    return body


def text(value: object) -> str | None:
    """Any text with something in it."""
    return _text(value) or (None if str(value).strip() else "must not be empty")


def free_text(value: object) -> str | None:
    """Any text; empty clears it."""
    return _text(value)


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        return "must be a string"
    return "holds characters that are not text" if re.search("[\ud800-\udfff\0]", value) else None


def boolean(value: object) -> str | None:
    """true or false."""
    return None if isinstance(value, bool) else "must be true or false"


def integer(value: object) -> str | None:
    """A whole number."""
    return None if isinstance(value, int) and not isinstance(value, bool) else "must be an integer"


def choice(*allowed: str) -> Check:
    """One of a few words."""
    return lambda value: None if value in allowed else f"must be one of {', '.join(allowed)}"


def pattern(expression: str, wanted: str) -> Check:
    """A string that matches the whole expression; `wanted` says what it must be."""
    return lambda value: (
        _text(value) or (None if re.fullmatch(expression, str(value)) else f"must be {wanted}")
    )


def or_empty(check: Check) -> Check:
    """The same rule, or an empty string, which clears the member."""
    return lambda value: None if value == "" else check(value)


def url(value: object) -> str | None:
    """An address with its scheme, http or https."""
    if problem := _text(value):
        return problem
    try:
        parts = urlsplit(str(value))
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", str(value))
    except ValueError:
        good = False
    return None if good else "must be a URL that begins with http:// or https://"


def moment(value: object) -> str | None:
    """A date-time that exists."""
    try:
        spelling.epoch(str(value))
    except ValueError:
        return "must be a date-time of the form YYYY-MM-DD HH:MM:SS"
    return None


def rgb_colour(value: object) -> str | None:
    """A colour of the form rgb(r,g,b)."""
    match = re.fullmatch(r"rgb\((\d{1,3}),(\d{1,3}),(\d{1,3})\)", str(value), re.ASCII)
    good = match is not None and all(int(part) <= 255 for part in match.groups())
    return None if good else "must be a colour of the form rgb(r,g,b)"


hex_colour = pattern("#[0-9A-Fa-f]{6}", "a colour of the form #RRGGBB")
email = pattern(r"[^@\s]+@[^@\s]+\.[^@\s.]+", "a valid e-mail address")
username = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*", "letters, digits, dots, dashes and underscores")
new_password = pattern(r"(?s).{5,}", "at least 5 characters")
slug = pattern(r"[A-Za-z0-9_-]+", "letters, digits, dashes and underscores")
image = pattern(r"(?is)\S.*\.(png|jpe?g)", "the path or address of a png or jpg image")
