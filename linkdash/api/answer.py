"""An answer with its bytes: decompressed, up to a cap, and never more of them in memory than that.

Only gzip is asked for and understood, in one layer: a few kilobytes can hide gigabytes in two.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx

from linkdash.api.errors import NotAnAnswer

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Decompressed bytes read of one answer; four times a list of 100,000 users."""

ACCEPTED_ENCODING = "gzip"

_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ADVICE = "Check the address."


@dataclass(frozen=True)
class Answer:
    """What came back whole. Its body can hold keys, so no repr shows it."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


async def read_answer(response: httpx.Response) -> Answer:
    """The whole of a streamed answer.

    Raises NotAnAnswer for one that is too large or cannot be decompressed, and what httpx raises.
    """
    return Answer(response.status_code, response.headers, await _read_body(response))


async def _read_body(response: httpx.Response) -> bytes:
    unzip = _decompressor(response)
    body = bytearray()
    try:
        async for chunk in response.aiter_raw():
            body += unzip.decompress(chunk, MAX_ANSWER_BYTES + 1 - len(body)) if unzip else chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise NotAnAnswer(
                    f"The answer is larger than {MAX_ANSWER_BYTES // 2**20} MiB and was not read.", _ADVICE
                )
    except zlib.error:
        raise _not_decompressed() from None
    if unzip and body and not unzip.eof:
        raise _not_decompressed()
    return bytes(body)


def _decompressor(response: httpx.Response) -> "zlib._Decompress | None":
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return None
    if encoding not in ("gzip", "x-gzip"):
        raise _not_decompressed()
    return zlib.decompressobj(_GZIP_WINDOW)


def _not_decompressed() -> NotAnAnswer:
    return NotAnAnswer("The answer is compressed in a way that cannot be read.", _ADVICE)
