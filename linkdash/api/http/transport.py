"""The transport: the HTTP client, bytes out, bytes in, and one error for all that goes wrong on the way.

Only gzip is asked for and understood, in one layer: a few kilobytes can hide gigabytes in two.
"""

import asyncio
import logging
import os
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING

from pydantic import SecretStr

from linkdash import __version__
from linkdash.api.errors import Misconfigured, NotAnAnswer
from linkdash.api.http.bare_httpx import httpx
from linkdash.api.http.coalescing import Departure
from linkdash.api.http.proxies import proxy_of
from linkdash.api.http.request import Response, TransportFailed
from linkdash.api.http.secrecy import hidden

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.request import Request as UrlRequest

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""Decompressed bytes read of an answer, where its request does not say more: pages are far smaller."""

_LARGE = 1024 * 1024  # bytes that are not joined in the event loop
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ADVICE = "Check the address."
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "Content-Type": "application/json",
    "User-Agent": f"linkdash/{__version__}",
}


class Transport:
    """Connections to one service. Redirects are not followed, TLS is always verified, no cookie is kept."""

    def __init__(self, base_url: str, key: SecretStr, *, timeout: float) -> None:
        """`timeout` is in seconds. Raises Misconfigured for a proxy or certificates that cannot be used."""
        address = httpx.URL(base_url)
        _keep_out_of_logs(key)
        try:
            # Certificates take 50 ms to load; a context without any trusts none, which suits plain http.
            plain = address.scheme == "http"
            trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else httpx.create_ssl_context()
            self._http = httpx.AsyncClient(
                auth=_Bearer(key),
                headers=_HEADERS,
                verify=trust,
                cookies=_NoCookies(),
                follow_redirects=False,
                # One deadline over the whole exchange instead of one per read; but a handshake that is cut
                # off from outside leaves its socket open, so the transport itself gives up connecting before.
                timeout=httpx.Timeout(None, connect=timeout / 2),
                trust_env=False,  # what it reads there is read already, and a part of it wrongly
                proxy=proxy_of(base_url),
            )
        except (ImportError, ValueError, OSError, httpx.InvalidURL):
            raise Misconfigured(
                "The proxy or certificates set in the environment cannot be used.",
                "Check HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR; a proxy speaks http or https.",
            ) from None

    async def exchange(
        self,
        method: str,
        url: str,
        params: Mapping[str, str | int],
        content: str | None,
        departure: Departure,
        max_bytes: int | None,
    ) -> Response:
        """Send a request and read its answer, up to `max_bytes` decompressed.

        Raises NotAnAnswer for an answer that is too large or cannot be decompressed, and TransportFailed for
        everything else that keeps it from coming: no other exception of the layers below leaves from here.
        """
        try:
            built = self._http.build_request(
                method,
                url,
                params=dict(params) or None,
                content=content,
                extensions={"trace": _noting(departure)},
            )
            response = await self._http.send(built, stream=True)
            try:
                return Response(
                    response.status_code,
                    response.headers,
                    await _read_body(response, max_bytes or MAX_ANSWER_BYTES),
                )
            finally:
                await response.aclose()
        except NotAnAnswer:
            raise
        except Exception as error:  # noqa: BLE001  httpx, h11, ssl and the codecs raise dozens of kinds
            reason = _reason(error)
        raise TransportFailed(reason)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()


class _Bearer(httpx.Auth):
    """Authentication that puts the key into a request when it leaves; nothing before has it in the clear."""

    def __init__(self, key: SecretStr) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
        yield request


class _NoCookies(CookieJar):
    """A jar that stays empty: the reference knows no cookies, and some cannot be encoded again."""

    def extract_cookies(self, response: "HTTPResponse", request: "UrlRequest") -> None:
        return

    def add_cookie_header(self, request: "UrlRequest") -> None:
        return


def _noting(departure: Departure) -> Callable[[str, Mapping[str, object]], Awaitable[None]]:
    """A trace of the transport that notes when a request begins to leave; what asks a proxy is not it."""

    async def trace(event: str, details: Mapping[str, object]) -> None:
        asks_proxy = getattr(details.get("request"), "method", b"") == b"CONNECT"
        if event.endswith("send_request_headers.started") and not asks_proxy:
            departure.left = True

    return trace


# ---- logs ----

_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy")


class _WithoutKeys(logging.Filter):
    """A filter of the logs of the layers below: a service can put a key into a header or a reason."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[SecretStr] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = hidden(record.getMessage(), [*self.keys]), ()
        return True


_WITHOUT_KEYS = _WithoutKeys()


def _keep_out_of_logs(key: SecretStr) -> None:
    _WITHOUT_KEYS.keys.add(key)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_WITHOUT_KEYS)


# ---- the body ----


async def _read_body(response: httpx.Response, max_bytes: int) -> bytes:
    unzip = _decompressor(response)
    parts, size = list[bytes](), 0
    try:
        async for chunk in response.aiter_raw():
            parts.append(unzip.decompress(chunk, max_bytes + 1 - size) if unzip else chunk)
            size += len(parts[-1])
            if size > max_bytes:
                raise NotAnAnswer(
                    f"The answer is larger than {max_bytes // 2**20} MiB and was not read.", _ADVICE
                )
    except zlib.error:
        raise _not_decompressed() from None
    if unzip and size and not unzip.eof:
        raise _not_decompressed()
    return b"".join(parts) if size <= _LARGE else await asyncio.to_thread(b"".join, parts)


def _decompressor(response: httpx.Response) -> "zlib._Decompress | None":
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return None
    if encoding not in ("gzip", "x-gzip"):
        raise _not_decompressed()
    return zlib.decompressobj(_GZIP_WINDOW)


def _not_decompressed() -> NotAnAnswer:
    return NotAnAnswer("The answer is compressed in a way that cannot be read.", _ADVICE)


# ---- what went wrong ----


def _reason(error: Exception) -> str:
    """The reason why no answer came, in words of our own, from the system's error number where it has one."""
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "connection timed out"
    for cause in _causes(error):
        if isinstance(cause, httpx.ProxyError):
            return "blocked by the proxy"
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"TLS failed: certificate not trusted, {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "TLS failed: protocol not supported"
        if isinstance(cause, socket.gaierror):
            return "host name not found"
        if isinstance(cause, ConnectionRefusedError):
            return "connection refused"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno).lower()
    return "connection failed"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error, what it was raised from, and so on; of a name with several addresses, of each."""
    yield error
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _causes(part)
    if cause := error.__cause__ or error.__context__:
        yield from _causes(cause)
