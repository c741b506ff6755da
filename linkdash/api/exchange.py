"""One exchange with the service: what is asked for, how, what came back, and how it is judged.

Identical reads under way at the same time are one exchange. The last ones are kept in memory.
"""

import asyncio
import html
import re
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol
from urllib.parse import urlencode

from pydantic import SecretStr
from pydantic_core import from_json

from linkdash.api.budget import Lane
from linkdash.api.errors import AdminRequired, KeyRefused, NotAnAnswer, RateLimited, Rejected, ServiceError
from linkdash.api.large_answers import LARGE, Clean, read_large
from linkdash.api.secrecy import MASK, hidden, is_secret, masked, occurs_in, without_values
from linkdash.api.text import inert

Members = Mapping[str, object]
"""What an answer holds, under the reference's own names."""

# ---- requests and answers ----


@dataclass(frozen=True)
class Response:
    """What came back whole. Its body can hold keys, so no repr shows it."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Request:
    """A request of the reference, relative to the service's base address."""

    method: str
    path: str
    params: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, object] | None = field(default=None, repr=False)
    admin: bool = False
    """Whether it is for keys with admin privileges (reference: authentication 4)."""
    max_bytes: int | None = None
    """Decompressed bytes read of its answer; a longer one is refused. None for 16 MiB."""

    @property
    def is_read(self) -> bool:
        return self.method == "GET"

    @property
    def can_be_wrong(self) -> bool:
        """Whether it holds what the service may refuse in itself: a change, or the id of a record."""
        return not self.is_read or any(part.isdigit() for part in self.path.split("/"))

    @property
    def masked_body(self) -> object:
        """The body with every secret in it masked; None where there is none."""
        return masked(self.body)

    def __str__(self) -> str:
        query = f"?{urlencode(self.params)}" if self.params else ""
        return f"{self.method} {self.path}{query}"


OnAdmit = Callable[[Request], Awaitable[None]]


class Options(NamedTuple):
    """How one call is made. What is None is the client's choice."""

    lane: Lane | None = None
    """Who goes before whom in the budget; a person's read or write if None."""
    deadline: float | None = None
    """Seconds for the whole call: waiting for its turn, every attempt and the pauses between them.

    `Client(timeout=…)` is for one attempt, from leaving to the last byte of its answer.
    """
    retries: int | None = None
    """How often a read is asked again after a reset, 429, 502, 503 or 504; 0 for never. Writes never are."""
    on_admit: OnAdmit | None = None
    """Awaited with the request once its turn has come, before it leaves; where it raises, nothing leaves.

    A read that has one is a request of its own, also while the same read is under way.
    """


NO_OPTIONS = Options()


@dataclass(frozen=True)
class Answer:
    """A successful answer as it came. Its headers and members can hold keys, so no repr shows them."""

    request: Request
    status: int
    """The HTTP status."""
    headers: Mapping[str, str] = field(repr=False)
    """By name, in any case."""
    members: Members = field(repr=False)
    """The whole JSON object, its members under the reference's own names."""


class Observed(NamedTuple):
    """How one request ended, for hooks. Nothing in it holds a secret."""

    request: str
    """Method, path and query: `GET /api/domains?page=1`."""
    status: int | None
    """The HTTP status; None where no whole answer came."""
    headers: Mapping[str, str]
    """Without cookies and credentials."""
    seconds: float
    """From leaving to the last byte."""
    error: str | None = None
    """The name of the error's class, where it was no success."""


class Hooks(NamedTuple):
    """Callables that are told of every request. They are called at once, so they must not take long.

    What they raise is logged by the logger `linkdash.api` and changes nothing.
    """

    request: Callable[[str, object], None] | None = None
    """Called with `GET /api/domains?page=1` and the body, its secrets masked, as a request leaves."""
    answer: Callable[[Observed], None] | None = None
    """Called when a request has ended, however it did."""


class TransportFailed(Exception):
    """No whole answer came. The reason is in words of our own: those of the transport can hold the key."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Sender(Protocol):
    """Whatever sends a request and gives its successful answer. Raises ServiceError, ReadOnly."""

    async def send(self, request: Request, options: Options = NO_OPTIONS) -> Answer: ...


# ---- the last exchanges, in memory only ----

EXCHANGES_KEPT = 200
"""Exchanges that are kept."""
LARGEST_KEPT = 256 * 1024
"""Bytes: the body of a longer answer is not kept, only its size."""


@dataclass(eq=False)
class Exchange:
    """One attempt of a request. Its bodies can hold secrets: they are masked where they are shown."""

    request: Request
    sent_at: float | None
    """By the gate's clock, as in the ledger."""
    status: int | None = None
    """The HTTP status; None where no whole answer came."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of the answer, without cookies and credentials."""
    size: int = 0
    """Bytes of the answer."""
    seconds: float | None = None
    """From leaving to the last byte; None while it is under way."""
    error: str = ""
    """How it failed, in words."""
    _packed: bytes | None = field(default=None, repr=False)

    def end(self, response: Response | None, seconds: float, error: BaseException | None) -> None:
        """Keeps how it ended."""
        self.seconds, self.error = seconds, str(error) if error is not None else ""
        if response is None:
            return
        self.status, self.headers, self.size = response.status, harmless(response.headers), len(response.body)
        if self.size <= LARGEST_KEPT:
            self._packed = zlib.compress(response.body, 1)

    @property
    def body(self) -> bytes | None:
        """The answer as it came; None where there is none, or it was too large to be kept."""
        return zlib.decompress(self._packed) if self._packed is not None else None


class Exchanges:
    """The last exchanges of a connection."""

    def __init__(self) -> None:
        self._kept: deque[Exchange] = deque(maxlen=EXCHANGES_KEPT)

    def begin(self, request: Request, sent_at: float | None) -> Exchange:
        """Keeps a request that is about to leave."""
        exchange = Exchange(request, sent_at)
        self._kept.append(exchange)
        return exchange

    def at(self, label: str, sent_at: float) -> Exchange | None:
        """The exchange that the ledger tells of: `GET /api/qr?page=1` and its moment."""
        same = (one for one in self._kept if one.sent_at == sent_at and str(one.request) == label)
        return next(same, None)

    def of(self, request: Request) -> Exchange | None:
        """The last exchange of this very request."""
        return next((one for one in reversed(self._kept) if one.request is request), None)


def harmless(headers: Mapping[str, str]) -> Mapping[str, str]:
    """The headers of an answer, those masked that hold credentials."""
    return {name: MASK if is_secret(name) else value for name, value in headers.items()}


# ---- identical reads under way ----


class Departure:
    """Whether a request has begun to leave this machine."""

    def __init__(self) -> None:
        self.left = False


Start = Callable[[Lane, Departure], Coroutine[None, None, Answer]]
"""Sends a read in a lane, and notes its departure."""


class Coalescing:
    """The reads under way, by what they ask for."""

    def __init__(self) -> None:
        self._reads: dict[str, _Read] = {}

    async def join(self, name: str, lane: Lane, start: Start) -> Answer:
        """The answer to the read called `name`: of the one under way, or of one that is started now.

        A read that waits for its turn in a lesser lane moves to this one. It is given up when nobody waits
        for it any more.
        """
        read = self._reads.get(name)
        if read is None:
            read = self._reads[name] = _Read(lane, start)
        elif lane < read.lane and not read.departure.left:
            read.restart(lane, start)
        read.waiting += 1
        try:
            return await read.answer()
        finally:
            read.waiting -= 1
            if read.waiting == 0:
                read.task.cancel()
                del self._reads[name]


class _Read:
    """One read under way, and how many wait for it."""

    def __init__(self, lane: Lane, start: Start) -> None:
        self.waiting = 0
        self._start(lane, start)

    def _start(self, lane: Lane, start: Start) -> None:
        self.lane = lane
        self.departure = Departure()
        self.task = asyncio.create_task(start(lane, self.departure))

    def restart(self, lane: Lane, start: Start) -> None:
        """Begins again in another lane; whoever waits goes on waiting."""
        self.task.cancel()
        self._start(lane, start)

    async def answer(self) -> Answer:
        while True:
            task = self.task
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                me = asyncio.current_task()
                if task is self.task or (me is not None and me.cancelling()):
                    raise


# ---- the envelope: bytes in, members out, or a typed error (reference: response envelope, errors) ----

# Deployed services stray from both, so failure is told by the `error` member and the status, never by the
# text of a message.

MAX_REPAIRED_BYTES = 4 * 1024 * 1024
"""Larger answers with characters JSON does not allow are not repaired: that would take seconds."""

_BOM = b"\xef\xbb\xbf"
_TAG = re.compile(r"<[^<>]{0,500}>")
_OBJECT = re.compile(r'\{\s*"')
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile(
    r"(?P<pair>\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2}", re.IGNORECASE
)
_NO_MESSAGES = ("", "0", "1", "true", "false")
_SUCCESS_WORDS = ("", "0", "false")
_ENVELOPE = frozenset({"error", "message", "msg", "data", "details", "id"})
_LATER = "Try again later."
_KEY_ADVICE = (
    "Check the key. If it is good, the web server may strip the Authorization header: tell its operator."
)


def judge(
    status: int,
    body: bytes,
    *,
    admin: bool = False,
    can_be_wrong: bool = True,
    location: str = "",
    secrets: Sequence[SecretStr] = (),
) -> Members:
    """The members of a successful answer.

    `admin` marks requests that the reference keeps for admins, `can_be_wrong` those that hold what can be
    refused in itself; `location` is where a redirect points. `secrets` are masked wherever they occur.
    Raises KeyRefused, AdminRequired, RateLimited, Rejected or NotAnAnswer.
    """
    if 300 <= status < 400:
        raise NotAnAnswer(
            f"The service answered with a redirect to {hidden(location, secrets)[:200] or 'nowhere'}.",
            "It was not followed. If that is the service's address, set it.",
            status=status,
        )
    if status == 429:
        raise RateLimited(
            "The service refuses requests until its window resets.",
            "linkdash waits; then try again.",
            status=status,
        )
    if status == 401 and not body.strip().startswith(b"{"):
        raise _key_refused("", status)
    members = _members(status, body, secrets)
    message = message_of(members, secrets)
    if MASK in message:
        members = {**members, "message": message}
    if status >= 400 or not _says_success(members):
        raise _failure(status, members, message, no_admin=admin and (status == 403 or not can_be_wrong))
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


def _failure(status: int, members: Members, message: str, *, no_admin: bool) -> ServiceError:
    if no_admin and status in (200, 400, 403):
        said = f" It said: {message}" if message else ""
        return AdminRequired(
            f"This needs a key with admin privileges.{said}",
            "Use a profile whose key is an admin's.",
            status=status,
        )
    if status in (401, 403):
        return _key_refused(message, status)
    if status >= 500 and "error" not in members:
        return NotAnAnswer(f"The service failed (status {status}).", _LATER, status=status)
    if status >= 500:
        return Rejected(message or f"The service failed (status {status}).", _LATER, status=status)
    return Rejected(message or f"The service said no (status {status}) and not why.", status=status)


def _key_refused(message: str, status: int) -> KeyRefused:
    said = f" It said: {message}" if message else ""
    return KeyRefused(f"The service refuses the key.{said}", _KEY_ADVICE, status=status)


def _members(status: int, body: bytes, secrets: Sequence[SecretStr]) -> Members:
    body = body.strip().removeprefix(_BOM).strip()
    if not body:
        raise _not_an_answer(status, "an empty answer")
    parsed = _parse(body, partial(_cleaned, secrets))
    if isinstance(parsed, Mapping):
        return {str(name): value for name, value in parsed.items()}
    if _looks_like_a_page(body):
        raise _not_an_answer(status, "a web page")
    raise _not_an_answer(status, "broken JSON" if parsed is None else "JSON that is no object")


def _cleaned(secrets: Sequence[SecretStr], body: bytes, parsed: object) -> object:
    """What was read from `body`, with the secrets masked that occur in it."""
    found = [secret for secret in secrets if occurs_in(body, secret)]
    return without_values(parsed, found) if found else parsed


def _parse(body: bytes, clean: Clean) -> object | None:
    """The JSON in a body, also behind a notice printed before it or with characters JSON does not allow."""
    if len(body) > LARGE and (parsed := read_large(body, clean)) is not None:
        return parsed
    with suppress(ValueError):
        return clean(body, from_json(body))
    if len(body) > MAX_REPAIRED_BYTES:
        return None
    text = _CONTROL.sub(" ", body.decode("utf-8", "replace"))
    text = _SURROGATE.sub(lambda found: found["pair"] or r"\ufffd", text)
    start = _OBJECT.search(text)
    with suppress(ValueError):
        return clean(body, from_json(text[start.start() if start else 0 :]))
    return None


def _looks_like_a_page(body: bytes) -> bool:
    return body[:1] == b"<" or b"<html" in body[:2000].lower()


def _not_an_answer(status: int, found: str) -> NotAnAnswer:
    return NotAnAnswer(
        f"This is no answer of the API but {found} (status {status}).",
        "Check the address; a login page or a protection page of the hoster may stand before it.",
        status=status,
    )
