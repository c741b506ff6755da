"""The one place where a request is sent and its answer is judged.

A call goes `send` → `_until_answered` (retries) → `_exchange` (turn, departure, answer) → `judge`. It ends
with an Answer or one of the errors of `linkdash.api.errors`, and with nothing else.
"""

import asyncio
import json
import logging
import random
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING

from pydantic import SecretStr

from linkdash.api.address import base_address, checked_key
from linkdash.api.budget import Lane, Ticket
from linkdash.api.errors import (
    AnswerLost,
    Closed,
    NotAnAnswer,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ReadOnly,
    Rejected,
    ServiceError,
    TimedOut,
    WrongLoop,
)
from linkdash.api.exchange import (
    NO_OPTIONS,
    Answer,
    Coalescing,
    Departure,
    Exchange,
    Exchanges,
    Hooks,
    Observed,
    Options,
    Request,
    Response,
    TransportFailed,
    judge,
)
from linkdash.api.gate import Gate
from linkdash.api.secrecy import secrets_in

if TYPE_CHECKING:
    from linkdash.api.transport import Transport

logger = logging.getLogger("linkdash.api")

RETRIES = 2
"""How often a read that failed in passing is asked again."""

_RETRIED_STATUSES = frozenset({502, 503, 504})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds before a read is asked again; doubled each time
_JUDGED_AT_ONCE = 1024 * 1024  # bytes: a larger answer would hold the event loop for too long
_LOOK_BEFORE_REPEATING = "It may have been carried out: look before doing it again."
_LONGEST_NO = 4096  # bytes: an answer that only says no is not longer


class Connection:
    """Sends requests to one service with one key, through one gate, in one event loop.

    It opens when the first request is sent. An answer has one deadline for all of it and a cap on its size.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | SecretStr,
        *,
        timeout: float = 30.0,
        retries: int = RETRIES,
        read_only: bool = False,
        gate: Gate | None = None,
        hooks: Hooks | None = None,
    ) -> None:
        """`timeout` is in seconds, for one attempt. Raises Misconfigured for an address or key of no use."""
        self.base_url = base_address(base_url)
        self.gate = gate or Gate()
        self.read_only = read_only
        key = api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key
        self._key = SecretStr(checked_key(key))
        self._timeout = timeout
        self._retries = retries
        self._hooks = hooks or Hooks()
        self._coalescing = Coalescing()
        self.exchanges = Exchanges()
        """The last requests and their answers."""
        self._transport: Transport | None = None
        self._opening = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._calls: set[asyncio.Timeout] = set()
        self._exchanging = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._closed = False

    async def close(self) -> None:
        """Ends every call at once, each with a typed error, and closes all connections."""
        self._closed = True
        for call in self._calls:
            call.reschedule(0)
        if self._loop is not asyncio.get_running_loop():
            return  # nothing was opened yet, or it went with the loop it was opened in
        await self._idle.wait()
        if self._transport is not None:
            await self._transport.close()

    async def send(self, request: Request, options: Options = NO_OPTIONS) -> Answer:
        """The answer to `request`, once the gate lets it through.

        Raises ReadOnly and WrongLoop before anything is asked of the budget, and ServiceError.
        """
        self._check(request)
        departure = Departure()
        try:
            async with asyncio.timeout(options.deadline) as call:
                self._calls.add(call)
                try:
                    if request.is_read and options.on_admit is None:
                        return await self._shared(request, options)
                    return await self._tracked(request, options, _lane(request, options), departure)
                finally:
                    self._calls.discard(call)
        except TimeoutError:
            pass
        raise self._cut_short(request, departure, options.deadline)

    def _check(self, request: Request) -> None:
        if self.read_only and not request.is_read:
            raise ReadOnly("This client may only read.", "Nothing was sent.")
        if self._closed:
            raise Closed("The connection to the service has been closed.")
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
        elif self._loop is not loop:
            raise WrongLoop("A client works in one event loop only.", "Make a new client for each.")

    async def _shared(self, request: Request, options: Options) -> Answer:
        """A read; identical ones under way at the same time are one request."""

        def start(lane: Lane, departure: Departure) -> Coroutine[None, None, Answer]:
            return self._tracked(request, options, lane, departure)

        return await self._coalescing.join(str(request), _lane(request, options), start)

    def _cut_short(self, request: Request, departure: Departure, deadline: float | None) -> ServiceError:
        """The error of a call that its deadline or the end of the client has ended."""
        if departure.left and not request.is_read:
            return OutcomeUnknown("The answer to this change was not waited for.", _LOOK_BEFORE_REPEATING)
        if self._closed:
            return Closed("The client was closed before this request was answered.")
        if request.is_read:
            return TimedOut(f"There was no answer within {deadline:g} seconds.", "Try again.")
        return NotSent(f"Its turn did not come within {deadline:g} seconds.", "Nothing was sent.")

    async def _tracked(self, request: Request, options: Options, lane: Lane, departure: Departure) -> Answer:
        """The answer; `close` waits until every call has come out of here."""
        self._exchanging += 1
        self._idle.clear()
        try:
            return await self._until_answered(request, options, lane, departure)
        finally:
            self._exchanging -= 1
            if not self._exchanging:
                self._idle.set()

    async def _until_answered(
        self, request: Request, options: Options, lane: Lane, departure: Departure
    ) -> Answer:
        """A read that failed in passing is asked again, after a pause and in its turn; a write never is."""
        retries = self._retries if options.retries is None else options.retries
        for attempt in range(retries if request.is_read else 0):
            try:
                return await self._exchange(request, options, lane, departure)
            except (AnswerLost, NotAnAnswer, Rejected, RateLimited) as error:
                if not _is_passing(error):
                    raise
                if not isinstance(error, RateLimited):  # the gate itself waits for the window
                    await asyncio.sleep(_pause(attempt))
        return await self._exchange(request, options, lane, departure)

    async def _exchange(self, request: Request, options: Options, lane: Lane, departure: Departure) -> Answer:
        """One attempt: wait for a turn, let the request leave, read and judge its answer."""
        transport = await self._open()
        departure.left = False
        ticket = await self.gate.admit(lane, str(request))
        exchange, begun = self.exchanges.begin(request, ticket.sent_at), time.monotonic()
        try:
            if options.on_admit is not None:
                await options.on_admit(request)
            self._tell_request(request)
            begun = time.monotonic()
            async with asyncio.timeout(self._timeout):
                response = await self._transfer(transport, request, departure)
        except BaseException as error:  # noqa: BLE001  a cancellation, too: the ticket goes back
            self._give_back(ticket, departure)
            failure = _failure(request, departure, error)
            self._tell_answer(exchange, None, begun, failure)
            failure.with_traceback(None)  # the locals of the transport's frames hold the key
            raise failure from None
        rejected = _is_rejected(request, response)
        refused = self.gate.answered(ticket, response.status, response.headers, rejected=rejected)
        try:
            if refused and rejected:
                raise RateLimited(
                    "The service refuses requests until its window resets.",
                    "linkdash waits; then try again.",
                )
            answer = await self._judged(request, response)
        except ServiceError as error:
            self._tell_answer(exchange, response, begun, error)
            raise
        self._tell_answer(exchange, response, begun, None)
        return answer

    async def _open(self) -> "Transport":
        """The transport, made when it is first needed; importing it and loading certificates take a while."""
        async with self._opening:
            if self._transport is None:
                self._transport = await asyncio.to_thread(_transport, self.base_url, self._key, self._timeout)
            return self._transport

    def _give_back(self, ticket: Ticket, departure: Departure) -> None:
        if departure.left:
            self.gate.lost(ticket)
        else:
            self.gate.not_sent(ticket)

    async def _transfer(self, transport: "Transport", request: Request, departure: Departure) -> Response:
        return await transport.exchange(
            request.method,
            self.base_url + request.path,
            request.params,
            None if request.body is None else json.dumps(request.body),
            departure,
            request.max_bytes,
        )

    async def _judged(self, request: Request, response: Response) -> Answer:
        if len(response.body) > _JUDGED_AT_ONCE:
            return await asyncio.to_thread(self._judge, request, response)
        return self._judge(request, response)

    def _judge(self, request: Request, response: Response) -> Answer:
        """The answer, or the typed error it is."""
        try:
            members = judge(
                response.status,
                response.body,
                admin=request.admin,
                can_be_wrong=request.can_be_wrong,
                location=response.headers.get("Location", ""),
                secrets=[self._key, *secrets_in(request.body)],
            )
        except ServiceError as error:
            if not request.is_read and _may_be_done(response.status, error):
                raise OutcomeUnknown(error.what, _LOOK_BEFORE_REPEATING, status=response.status) from None
            error.with_traceback(None)  # its frames hold the answer, and that can hold keys
            raise error from None
        return Answer(request, response.status, response.headers, members)

    # ---- telling what happens ----

    def _tell_request(self, request: Request) -> None:
        logger.debug("%s leaves", request)
        if self._hooks.request is not None:
            try:
                self._hooks.request(str(request), request.masked_body)
            except Exception:  # a hook's own fault changes nothing
                logger.exception("The hook for requests failed.")

    def _tell_answer(
        self, exchange: Exchange, response: Response | None, begun: float, error: BaseException | None
    ) -> None:
        request, seconds = exchange.request, time.monotonic() - begun
        exchange.end(response, seconds, error)
        status = response.status if response is not None else None
        kind = type(error).__name__ if error is not None else None
        logger.debug("%s: %s %s after %.3f s", request, status or "no answer", kind or "", seconds)
        if self._hooks.answer is not None:
            try:
                self._hooks.answer(Observed(str(request), status, exchange.headers, seconds, kind))
            except Exception:  # a hook's own fault changes nothing
                logger.exception("The hook for answers failed.")


def _is_rejected(request: Request, response: Response) -> bool | None:
    """Whether a request that cannot be wrong was answered with a short no; None if it can be wrong."""
    if request.can_be_wrong or request.admin or response.status != 200:
        return None
    if len(response.body) > _LONGEST_NO:
        return False
    try:
        found = json.loads(response.body)
    except (ValueError, RecursionError):
        return None
    return isinstance(found, dict) and found.get("error") in (1, "1")


def _transport(base_url: str, key: SecretStr, timeout: float) -> "Transport":
    from linkdash.api.transport import Transport

    return Transport(base_url, key, timeout=timeout)


def _lane(request: Request, options: Options) -> Lane:
    if options.lane is not None:
        return options.lane
    return Lane.READ if request.is_read else Lane.WRITE


def _is_passing(error: ServiceError) -> bool:
    """Whether a read that ended like this may well be answered when it is asked again."""
    return isinstance(error, AnswerLost | RateLimited) or error.status in _RETRIED_STATUSES


def _pause(attempt: int) -> float:
    """Seconds before the next attempt: doubled each time, and spread so that programs do not come at once."""
    return min(_FIRST_PAUSE * 2.0**attempt, _LONGEST_PAUSE) * random.uniform(0.5, 1.0)


def _may_be_done(status: int, error: ServiceError) -> bool:
    """Whether a write that was answered like this may have been carried out all the same."""
    # A service that failed may have done so half-way; one that ran out of time may have gone on.
    broke_off = status >= 500 or status == 408
    if isinstance(error, NotAnAnswer):
        return broke_off or status < 300 or status in (302, 303)
    return broke_off and isinstance(error, Rejected)


def _failure(request: Request, departure: Departure, error: BaseException) -> BaseException:
    """The error of an exchange that gave no whole answer. Texts of the transport are not shown."""
    if not isinstance(error, TransportFailed | TimeoutError | NotAnAnswer):
        return error
    reason = error.reason if isinstance(error, TransportFailed) else "no connection in time"
    if not departure.left:
        return NotSent(f"The service could not be reached: {reason}.", "Check the address and the network.")
    if not request.is_read:
        return OutcomeUnknown("The answer to this change was lost.", _LOOK_BEFORE_REPEATING)
    if isinstance(error, NotAnAnswer):
        return error
    if isinstance(error, TimeoutError):
        return TimedOut("The service did not answer in time.", "Try again.")
    return AnswerLost("The connection broke before the whole answer came.", "Try again.")
