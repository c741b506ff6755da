"""Answers with headers and bodies that were tampered with: the client ends each in one of its own errors.

`.venv/bin/pytest --nightly tests/api/http/test_hostile_answers.py` tries 20,000 of them.
"""

import json
import random

from linkdash.api import Client, LinkdashError, NotSent
from tests.api.conftest import KEY
from tests.api.raw_service import raw_service
from tests.nightly import is_nightly

EXAMPLES = 20_000 if is_nightly() else 250

HEAD = (
    b"HTTP/1.1 200 OK",
    b"Content-Type: application/json; charset=utf-8",
    b"Date: Sat, 21 Nov 2026 14:00:00 GMT",
    b"X-RateLimit-Limit: 30",
    b"X-RateLimit-Remaining: 1000000",
    b"X-RateLimit-Reset: 60",
    b"Set-Cookie: session=1; Path=/",
    b"Connection: close",
)
EXTRA = (
    b"Set-Cookie: lang=fran\xc3\xa7ais; Domain=.example; Expires=never",
    b"Set-Cookie: \x7f=\xff; Max-Age=99999999999999999999",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip, chunked",
    b"Content-Encoding: gzip",
    b"Content-Encoding: br",
    b"Content-Length: 99999999999999999999",
    b"Content-Length: -1",
    b"Content-Length: \xd9\xa1",
    b"Location: http://[::1",
    b"Location: \xff\xfe://",
    b"Content-Type: text/html; charset=nonsense",
    b"Retry-After: Sat, 99 Nov 2026 99:00:00 GMT",
    b"X-RateLimit-Reset: 9e999",
    b"Date: \x00",
    b": no name",
    b"no colon",
    b" folded",
    b"X: " + b"y" * 70_000,
)
STARTS = (
    b"HTTP/1.1 204 No Content",
    b"HTTP/1.1 101 Switching Protocols",
    b"HTTP/1.1 103 Early Hints",
    b"HTTP/1.1 302 Found",
    b"HTTP/1.1 999 \xff",
    b"HTTP/9.9 200 OK",
    b"HTTP/1.0 503 Busy",
    b"HTTP/1.1 -200 OK",
    b"ICY 200 OK",
    b"",
)
RECORD = {"id": 1, "domain": "https://go.example", "redirectroot": None, "n": [1.5, True, {"a": "b"}]}
BODY = json.dumps({"error": "0", "data": {"result": 1, "maxpage": 1, "domains": [RECORD]}}).encode()
CHUNKS = (
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"1e9999",
    b"NaN",
    b"[" * 3_000,
    b'{"error":',
    b"\xef\xbb\xbf",
)


def tampered(rng: random.Random) -> bytes:
    """An answer in which something is wrong, in its head, its body or both."""
    lines, body = list(HEAD), BODY
    if rng.random() < 0.6:
        for _ in range(rng.randint(1, 3)):
            lines.insert(rng.randint(1, len(lines)), rng.choice(EXTRA))
    if rng.random() < 0.2:
        lines[0] = rng.choice(STARTS)
    if rng.random() < 0.5:
        place, chunk = rng.randint(0, len(body)), rng.choice(CHUNKS)
        body = body[:place] + chunk + body[place + rng.randint(0, 40) :]
    if rng.random() < 0.5:
        lines.append(b"Content-Length: %d" % (len(body) + rng.choice((0, 0, 0, 1, -1))))
    answer = bytearray(b"\r\n".join([*lines, b"", b""]) + body)
    for _ in range(rng.choice((0, 0, 1, 3))):
        answer[rng.randrange(len(answer))] = rng.randrange(256)
    return bytes(answer[: rng.randint(0, len(answer))] if rng.random() < 0.15 else answer)


def judged(error: LinkdashError, content: bytes) -> str:
    """The name of an error that may come out."""
    assert str(error).isprintable(), content
    assert KEY not in str(error)
    assert not isinstance(error, NotSent), content  # the service has seen every request
    return type(error).__name__


async def end_of(client: Client, number: int, content: bytes) -> str:
    """Return how a read or a write that was answered like this ended."""
    try:
        if number % 3:
            return f"{len(list((await client.domains.list()).rows))} rows"
        return (await client.domains.delete(1)).message
    except LinkdashError as error:
        return judged(error, content)


async def test_whatever_comes_back_ends_in_an_error_of_the_client_or_in_an_answer() -> None:
    rng = random.Random(20_261_121)
    ended: set[str] = set()
    async with raw_service() as odd:
        for number in range(EXAMPLES):
            odd.answers[:] = []
            odd.answer_raw(content := tampered(rng))
            async with Client(odd.base_url, KEY, timeout=60, retries=0) as client:
                ended.add(await end_of(client, number, content))
                assert client.budget.in_flight == 0
    assert len(odd.requests) == EXAMPLES
    assert not [request for request in odd.requests if "cookie" in request.headers]
    assert {"1 rows", "NotAnAnswer", "AnswerLost", "OutcomeUnknown", ""} <= ended
