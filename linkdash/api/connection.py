"""The one place where a request is sent and its answer is judged."""

import asyncio
import json
import os
import socket
import ssl
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping

import httpx
from pydantic import SecretStr

from linkdash import __version__
from linkdash.api.address import base_address, checked_key, is_loopback
from linkdash.api.answer import ACCEPTED_ENCODING, Answer, read_answer
from linkdash.api.budget import Lane, Ticket
from linkdash.api.coalescing import Coalescing, Departure
from linkdash.api.envelope import Members, judge
from linkdash.api.errors import (
    AnswerLost,
    Misconfigured,
    NotAnAnswer,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    Rejected,
    ServiceError,
    TimedOut,
)
from linkdash.api.gate import Gate
from linkdash.api.request import Request
from linkdash.api.secrecy import secrets_in

_READS_AFTER_REFUSAL = 2
_JUDGED_AT_ONCE = 1024 * 1024  # bytes: a larger answer would hold the event loop for too long
_LONGEST_NO = 4096  # bytes: an answer that only says no is not longer
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": ACCEPTED_ENCODING,
    "Content-Type": "application/json",
    "User-Agent": f"linkdash/{__version__}",
}


class Connection:
    """Sends requests to one service with one key, through one gate.

    Redirects are not followed, TLS is always verified, an answer has one deadline for all of it and a cap
    on its size. Raises the `ServiceError`s of `linkdash.api.errors`.
    """

    def __init__(
        self, base_url: str, api_key: str | SecretStr, *, timeout: float = 30.0, gate: Gate | None = None
    ) -> None:
        """`timeout` is in seconds. Raises Misconfigured for an address, key or proxy that cannot be used."""
        self.base_url = base_address(base_url)
        self.gate = gate or Gate()
        self._timeout = timeout
        key = api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key
        self._key = SecretStr(checked_key(key))
        self._flights = Coalescing()
        self._http = _http_client(self.base_url, _Bearer(self._key), timeout)

    async def close(self) -> None:
        """Gives up what is under way and closes all connections."""
        self._flights.cancel()
        await self._http.aclose()

    async def send(self, request: Request, lane: Lane) -> Members:
        """The members of the answer to `request`, once the gate lets it through."""
        if self._http.is_closed:
            raise NotSent("The connection to the service has been closed.")
        if not request.is_read:
            return await self._exchange(request, lane, Departure())
        return await self._flights.join(
            str(request), lane, lambda lane, departure: self._read(request, lane, departure)
        )

    async def _read(self, request: Request, lane: Lane, departure: Departure) -> Members:
        """A read that was refused for the rate goes back to the gate; it was not carried out."""
        for _ in range(_READS_AFTER_REFUSAL):
            try:
                return await self._exchange(request, lane, departure)
            except RateLimited:
                continue
        return await self._exchange(request, lane, departure)

    async def _exchange(self, request: Request, lane: Lane, departure: Departure) -> Members:
        departure.left = False
        ticket = await self.gate.admit(lane, str(request))
        try:
            if request.before is not None:
                await request.before()
            async with asyncio.timeout(self._timeout):
                answer = await self._transfer(request, departure)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, NotAnAnswer) as error:
            self._give_back(ticket, departure)
            raise _loss(request, departure, error) from None
        except BaseException as error:  # a cancellation, or a fault of the transport: the ticket goes back
            self._give_back(ticket, departure)
            error.with_traceback(None)  # the locals of the transport's frames hold the key
            raise error from None
        rejected = _is_rejected(request, answer)
        if self.gate.answered(ticket, answer.status, answer.headers, rejected=rejected) and rejected:
            raise RateLimited(
                "The service refuses requests until its window resets.", "linkdash waits; then try again."
            )
        if len(answer.body) > _JUDGED_AT_ONCE:
            return await asyncio.to_thread(self._judged, request, answer)
        return self._judged(request, answer)

    def _give_back(self, ticket: Ticket, departure: Departure) -> None:
        if departure.left:
            self.gate.lost(ticket)
        else:
            self.gate.not_sent(ticket)

    async def _transfer(self, request: Request, departure: Departure) -> Answer:
        built = self._http.build_request(
            request.method,
            self.base_url + request.path,
            params=dict(request.params) or None,
            content=None if request.body is None else json.dumps(request.body),
            extensions={"trace": _noting(departure)},
        )
        response = await self._http.send(built, stream=True)
        try:
            return await read_answer(response)
        finally:
            await response.aclose()

    def _judged(self, request: Request, answer: Answer) -> Members:
        """The answer's members, or the typed error it is."""
        try:
            return judge(
                answer.status,
                answer.body,
                admin=request.admin,
                can_be_wrong=request.can_be_wrong,
                location=answer.headers.get("Location", ""),
                secrets=[self._key, *secrets_in(request.body)],
            )
        except ServiceError as error:
            if not request.is_read and _may_be_done(answer.status, error):
                raise OutcomeUnknown(error.what, _LOOK_BEFORE_REPEATING) from None
            error.with_traceback(None)  # its frames hold the answer, and that can hold keys
            raise error from None


def _is_rejected(request: Request, answer: Answer) -> bool | None:
    """Whether a request that cannot be wrong was answered with a short no; None if it can be wrong."""
    if request.can_be_wrong or request.admin or answer.status != 200:
        return None
    if len(answer.body) > _LONGEST_NO:
        return False
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        return None
    return isinstance(found, dict) and found.get("error") in (1, "1")


class _Bearer(httpx.Auth):
    """Puts the key into a request when it leaves, so that nothing before that holds it in the clear."""

    def __init__(self, key: SecretStr) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
        yield request


def _http_client(base_url: str, bearer: _Bearer, timeout: float) -> httpx.AsyncClient:
    address = httpx.URL(base_url)
    # Certificates take 50 ms to load; a context without any trusts nobody, which suits plain http.
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if address.scheme == "http" else True
    try:
        return httpx.AsyncClient(
            auth=bearer,
            headers=_HEADERS,
            verify=trust,
            follow_redirects=False,
            # One deadline over the whole exchange instead of one per read; but a handshake that is cut
            # off from outside leaves its socket open, so the transport itself gives up connecting before.
            timeout=httpx.Timeout(None, connect=timeout / 2),
            trust_env=not is_loopback(address.host),
        )
    except (ImportError, ValueError, OSError, httpx.InvalidURL):
        raise Misconfigured(
            "The proxy or the certificates that the environment names cannot be used.",
            "Check HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR; a proxy speaks http or https.",
        ) from None


def _noting(departure: Departure) -> Callable[[str, Mapping[str, object]], Awaitable[None]]:
    """A trace of the transport that notes when a request begins to leave; what asks a proxy is not it."""

    async def trace(event: str, details: Mapping[str, object]) -> None:
        asks_proxy = getattr(details.get("request"), "method", b"") == b"CONNECT"
        if event.endswith("send_request_headers.started") and not asks_proxy:
            departure.left = True

    return trace


_LOOK_BEFORE_REPEATING = "It may have been carried out: look before doing it again."


def _may_be_done(status: int, error: ServiceError) -> bool:
    """Whether a write that was answered like this may have been carried out all the same."""
    # A service that failed may have done so half-way; one that ran out of time may have gone on.
    broke_off = status >= 500 or status == 408
    if isinstance(error, NotAnAnswer):
        return broke_off or status < 300 or status in (302, 303)
    return broke_off and isinstance(error, Rejected)


def _loss(request: Request, departure: Departure, error: Exception) -> ServiceError:
    """The error of an exchange that gave no whole answer. Texts of the transport are not shown."""
    if not departure.left:
        what = f"The service could not be reached: {_reason(error)}."
        return NotSent(what, "Check the address and the network.")
    if not request.is_read:
        return OutcomeUnknown("The answer to this change was lost.", _LOOK_BEFORE_REPEATING)
    if isinstance(error, NotAnAnswer):
        return error
    if isinstance(error, TimeoutError):
        return TimedOut("The service did not answer in time.", "Try again.")
    return AnswerLost("The connection broke before the whole answer came.", "Try again.")


def _reason(error: Exception) -> str:
    """Why a request could not leave, in words of our own, from the system's error number where it has one."""
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "no connection in time"
    for cause in _causes(error):
        if isinstance(cause, httpx.ProxyError):
            return "the proxy does not let it through"
        if isinstance(cause, ssl.SSLError):
            return "its certificate or TLS is not accepted"
        if isinstance(cause, socket.gaierror):
            return "its name is not known here"
        if isinstance(cause, ConnectionRefusedError):
            return "nothing listens at its address"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno).lower()
    return "no connection"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error, what it was raised from, and so on; of a name with several addresses, of each."""
    yield error
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _causes(part)
    if cause := error.__cause__ or error.__context__:
        yield from _causes(cause)
