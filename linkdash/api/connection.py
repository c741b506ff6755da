"""The one place where a request is sent and its answer is judged."""

import asyncio
import os
import socket
import ssl
from collections.abc import Mapping

import httpx
from pydantic import SecretStr

from linkdash import __version__
from linkdash.api.address import base_address, checked_key, is_loopback
from linkdash.api.budget import Lane
from linkdash.api.envelope import Members, judge
from linkdash.api.errors import (
    AnswerLost,
    NotAnAnswer,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ServiceError,
    TimedOut,
)
from linkdash.api.gate import Gate
from linkdash.api.request import Request

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Decoded bytes read of one answer; four times a list of 100,000 users."""

_READS_AFTER_REFUSAL = 2


class Connection:
    """Sends requests to one service with one key, through one gate.

    Redirects are not followed, TLS is always verified, an answer has one deadline for all of it and a cap
    on its size. Raises the `ServiceError`s of `linkdash.api.errors`.
    """

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float = 30.0, gate: Gate | None = None
    ) -> None:
        self.base_url = base_address(base_url)
        self.gate = gate or Gate()
        self._timeout = timeout
        self._key = SecretStr(checked_key(api_key))
        self._flights: dict[str, _Flight] = {}
        self._http = httpx.AsyncClient(
            follow_redirects=False,
            timeout=None,  # one deadline over the whole exchange instead of one per read
            trust_env=not is_loopback(httpx.URL(self.base_url).host),
            headers={"Accept": "application/json", "User-Agent": f"linkdash/{__version__}"},
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def send(self, request: Request, lane: Lane) -> Members:
        """The members of the answer to `request`, once the gate lets it through."""
        if not request.is_read:
            return await self._exchange(request, lane)
        return await self._shared(request, lane)

    async def _shared(self, request: Request, lane: Lane) -> Members:
        """Identical reads under way are one request; it is given up when nobody waits for it any more."""
        name = str(request)
        flight = self._flights.get(name)
        if flight is None or flight.lane > lane:
            flight = _Flight(lane, asyncio.create_task(self._read(request, lane)))
            self._flights[name] = flight
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if flight.waiting == 0:
                flight.task.cancel()
                if self._flights.get(name) is flight:
                    del self._flights[name]

    async def _read(self, request: Request, lane: Lane) -> Members:
        """A read that was refused for the rate goes back to the gate; it was not carried out."""
        for _ in range(_READS_AFTER_REFUSAL):
            try:
                return await self._exchange(request, lane)
            except RateLimited:
                continue
        return await self._exchange(request, lane)

    async def _exchange(self, request: Request, lane: Lane) -> Members:
        ticket = await self.gate.admit(lane, str(request))
        departure = _Departure()
        try:
            async with asyncio.timeout(self._timeout):
                response, body = await self._transfer(request, departure)
        except BaseException as error:  # whatever ends the exchange, the ticket must be given back
            if departure.left:
                self.gate.lost(ticket)
            else:
                self.gate.not_sent(ticket)
            if isinstance(error, httpx.HTTPError | httpx.InvalidURL | TimeoutError | NotAnAnswer):
                raise _loss(request, departure, error) from None
            raise
        self.gate.answered(ticket, response.status_code, response.headers)
        return _judged(request, response, body)

    async def _transfer(self, request: Request, departure: "_Departure") -> tuple[httpx.Response, bytes]:
        built = self._http.build_request(
            request.method,
            self.base_url + request.path,
            params=dict(request.params) or None,
            json=request.body,
            headers={
                "Authorization": f"Bearer {self._key.get_secret_value()}",
                "Content-Type": "application/json",
            },
            extensions={"trace": departure.trace},
        )
        response = await self._http.send(built, stream=True)
        try:
            return response, await _read_capped(response)
        finally:
            await response.aclose()


class _Flight:
    """One read under way and how many wait for it."""

    def __init__(self, lane: Lane, task: asyncio.Task[Members]) -> None:
        self.lane = lane
        self.task = task
        self.waiting = 0


class _Departure:
    """Whether a request has begun to leave this machine; told by the transport itself."""

    def __init__(self) -> None:
        self.left = False

    async def trace(self, event: str, _details: Mapping[str, object]) -> None:
        if event.endswith("send_request_headers.started"):
            self.left = True


async def _read_capped(response: httpx.Response) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.aiter_bytes():
        size += len(chunk)
        if size > MAX_ANSWER_BYTES:
            raise NotAnAnswer(
                f"The answer is larger than {MAX_ANSWER_BYTES // 2**20} MiB and was not read.",
                "Check the address.",
            )
        chunks.append(chunk)
    return b"".join(chunks)


def _judged(request: Request, response: httpx.Response, body: bytes) -> Members:
    """The answer's members. A write whose answer cannot be understood may have happened."""
    location = response.headers.get("location", "")
    try:
        return judge(response.status_code, body, admin=request.admin, location=location)
    except NotAnAnswer as error:
        if request.is_read or 300 <= response.status_code < 500:
            raise
        raise OutcomeUnknown(error.what, _LOOK_BEFORE_REPEATING) from None


_LOOK_BEFORE_REPEATING = "It may have been carried out: look before doing it again."


def _loss(request: Request, departure: _Departure, error: Exception) -> ServiceError:
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
    return AnswerLost("The connection broke before the answer came.", "Try again.")


def _reason(error: Exception) -> str:
    """Why a request could not leave, in words of our own, from the system's error number where it has one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return "its certificate or TLS is not accepted"
        if isinstance(cause, socket.gaierror):
            return "its name is not known here"
        if isinstance(cause, ConnectionRefusedError):
            return "nothing listens at its address"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno).lower()
        cause = cause.__cause__ or cause.__context__
    return "no connection in time" if isinstance(error, TimeoutError) else "no connection"
