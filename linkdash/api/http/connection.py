"""The connection: the one place where a request is sent and its answer is judged.

A call goes `send` → `_tracked` → `_until_answered` (retries) → `_attempt` (Gate.admit, the caller's
`at_turn`, Transport.exchange) → `judge_answer`. It ends with an Answer or one of the errors of
`linkdash.api.errors`, and with nothing else.
"""

import asyncio
import json
import logging
import re
import time
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from pydantic import SecretStr

from linkdash.api.budget.gate import Gate
from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.rate_headers import date_of, parse_rate_headers
from linkdash.api.budget.refusals import LimitRefusal
from linkdash.api.budget.scheduler import Ticket
from linkdash.api.errors import (
    TRY_AGAIN,
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
from linkdash.api.http.address import base_address, checked_key
from linkdash.api.http.coalescing import Coalescing, Departure
from linkdash.api.http.envelope import judge_answer, message_of, read_in_slices
from linkdash.api.http.recent_exchanges import Exchange, Exchanges
from linkdash.api.http.request import (
    NO_OPTIONS,
    Answer,
    AtTurn,
    Hooks,
    Members,
    Observed,
    Options,
    Request,
    Response,
    TransportFailed,
)
from linkdash.api.http.secrecy import secrets_in
from linkdash.api.slices import in_slices

if TYPE_CHECKING:
    from linkdash.api.http.transport import Transport

from linkdash.api.http.retries import RETRIES, is_passing, pause

logger = logging.getLogger("linkdash.api")
_LOOK_BEFORE_REPEATING = "It may have been made: check before you repeat it."
_RATE_WORDS = re.compile(r"too many|rate.?limit|\b429\b|throttl", re.IGNORECASE)
_LARGE = 1024 * 1024  # bytes of an answer that is not read in one go
_LONGEST_NO = 4096  # bytes: an answer that only says no is not longer


class Connection:
    """A connection to one service with one key, through one gate, in one event loop.

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
        self.hooks = hooks or Hooks()
        """Listeners that are told of every request."""
        self._coalescing = Coalescing()
        self.exchanges = Exchanges()
        """The last requests and their answers."""
        self.lane: Lane | None = None
        """The lane of every request, whatever a call asks for; None leaves it to the call."""
        self.answered_at: datetime | None = None
        """When the last answer was made, by the service's own clock; None where it does not tell."""
        self.answered_since = 0.0
        """When it came, by the monotonic clock."""
        self.silent_since: datetime | None = None
        """Since when each request was left without an answer, in UTC; None where the last was answered."""
        self._transport: Transport | None = None
        self._opening = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._calls: set[asyncio.Timeout] = set()
        self._exchanging = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._closed = False

    async def close(self) -> None:
        """End every call at once, each with a typed error, and close all connections."""
        self._closed = True
        for call in self._calls:
            call.reschedule(0)
        if self._loop is not asyncio.get_running_loop():
            return  # nothing was opened yet, or it went with the loop it was opened in
        await self._idle.wait()
        if self._transport is not None:
            await self._transport.close()

    async def send(
        self, request: Request, options: Options = NO_OPTIONS, *, at_turn: AtTurn | None = None
    ) -> Answer:
        """The answer to `request`, once the gate lets it through and `at_turn` has been awaited.

        A read with an `at_turn` is a request of its own, also while the same read is under way.
        Raises ReadOnly and WrongLoop before anything is asked of the budget, and ServiceError.
        """
        self._check(request)
        departure = Departure(at_turn)
        try:
            async with asyncio.timeout(options.deadline) as call:
                self._calls.add(call)
                try:
                    if request.is_read and at_turn is None:
                        return await self._shared(request, options)
                    return await self._tracked(request, options, self._lane(request, options), departure)
                finally:
                    self._calls.discard(call)
        except TimeoutError:
            pass
        raise self._cut_short(request, departure, options.deadline)

    def _check(self, request: Request) -> None:
        if self.read_only and not request.is_read:
            raise ReadOnly("This client is read-only.", "Nothing was sent.")
        if self._closed:
            raise Closed("The connection to the service has been closed.")
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
        elif self._loop is not loop:
            raise WrongLoop("A client works in one event loop only.", "Create a new client for each.")

    async def _shared(self, request: Request, options: Options) -> Answer:
        """A read; identical ones under way at the same time are one request."""

        def start(lane: Lane, departure: Departure) -> Coroutine[None, None, Answer]:
            return self._tracked(request, options, lane, departure)

        return await self._coalescing.join(str(request), self._lane(request, options), start)

    def _cut_short(self, request: Request, departure: Departure, deadline: float | None) -> ServiceError:
        """The error of a call that its deadline or the end of the client has ended."""
        if departure.left and not request.is_read:
            return OutcomeUnknown("Stopped waiting for the answer to this change.", _LOOK_BEFORE_REPEATING)
        if self._closed:
            return Closed("The client was closed before this request was answered.")
        if request.is_read:
            return TimedOut(f"No answer within {deadline:g} s.", TRY_AGAIN)
        return NotSent(f"Timed out in the request queue after {deadline:g} s.", "Nothing was sent.")

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
                return await self._try_once(request, lane, departure)
            except (AnswerLost, NotAnAnswer, Rejected, RateLimited) as error:
                if not is_passing(error):
                    raise
                if not isinstance(error, RateLimited):  # the gate itself waits for the window
                    wait = pause(attempt, error.retry_after)
                    if wait is None:
                        raise
                    await asyncio.sleep(wait)
        return await self._try_once(request, lane, departure)

    async def _try_once(self, request: Request, lane: Lane, departure: Departure) -> Answer:
        """Make an attempt: wait for a turn, let the request leave, read and judge its answer."""
        transport = await self._open()
        departure.left = False
        ticket = await self.gate.admit(lane, str(request))
        exchange, begun = self.exchanges.note_request(request, ticket.sent_at), time.monotonic()
        try:
            if departure.at_turn is not None:
                await departure.at_turn(request)
            self._tell_request(request)
            begun = time.monotonic()
            async with asyncio.timeout(self._timeout):
                response = await transport.exchange(
                    request.method,
                    self.base_url + request.path,
                    request.params,
                    None if request.body is None else json.dumps(request.body),
                    departure,
                    request.max_bytes,
                )
        except BaseException as error:  # noqa: BLE001  a cancellation, too: the ticket goes back
            self._give_back(ticket, departure)
            failure = _failure(request, departure, error)
            if self.silent_since is None and isinstance(error, TransportFailed | TimeoutError):
                self.silent_since = datetime.now(UTC)
            self._tell_answer(exchange, None, begun, failure)
            failure.with_traceback(None)  # the locals of the transport's frames hold the key
            raise failure from None
        self.answered_at, self.answered_since = date_of(response.headers), time.monotonic()
        self.silent_since = None
        no = _said_no(request, response)
        refusal = self.gate.answered(ticket, response.status, response.headers, **no._asdict())
        try:
            if _is_refused(request, response, no, refusal):
                raise _rate_limited(None if response.status == 200 else response.status)
            answer = await self._answer_of(request, response)
        except ServiceError as error:
            _tell_wait(error, response)
            self._tell_answer(exchange, response, begun, error)
            raise
        self._tell_answer(exchange, response, begun, None)
        return answer

    def _lane(self, request: Request, options: Options) -> Lane:
        asked = self.lane if self.lane is not None else options.lane
        if asked is not None:
            return asked
        return Lane.READ if request.is_read else Lane.WRITE

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

    async def _answer_of(self, request: Request, response: Response) -> Answer:
        if len(response.body) <= _LARGE:
            return self._read_answer(request, response)
        parsed = await in_slices(read_in_slices(response.body, self._secrets(request)))
        if parsed is not None:
            return self._read_answer(request, response, parsed)
        return await asyncio.to_thread(self._read_answer, request, response)

    def _secrets(self, request: Request) -> list[SecretStr]:
        return [self._key, *secrets_in(request.body)]

    def _read_answer(self, request: Request, response: Response, parsed: object | None = None) -> Answer:
        """The answer, or the typed error it is; `parsed` is what its body was found to be."""
        try:
            members = judge_answer(
                response.status,
                response.body,
                admin=request.admin,
                can_be_wrong=request.can_be_wrong,
                location=response.headers.get("Location", ""),
                secrets=self._secrets(request),
                parsed=parsed,
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
        if self.hooks.request is not None:
            try:
                self.hooks.request(str(request), request.masked_body)
            except Exception:  # a hook's own fault changes nothing
                logger.exception("The hook for requests failed.")

    def _tell_answer(
        self, exchange: Exchange, response: Response | None, begun: float, error: BaseException | None
    ) -> None:
        request, seconds = exchange.request, time.monotonic() - begun
        exchange.end(response, seconds, error)
        status = response.status if response is not None else None
        kind = type(error).__name__ if error is not None else None
        ended = " ".join(filter(None, (str(status or "no answer"), kind)))
        logger.debug("%s: %s after %.3f s", request, ended, seconds)
        if self.hooks.answer is not None:
            try:
                self.hooks.answer(Observed(str(request), status, exchange.headers, seconds, kind))
            except Exception:  # a hook's own fault changes nothing
                logger.exception("The hook for answers failed.")


class _No(NamedTuple):
    """The facts of a no with status 200 about the rate, as `Gate.answered` takes them."""

    rejected: bool | None
    said_no: bool
    in_words: bool


def _said_no(request: Request, response: Response) -> _No:
    no = _short_no(response)
    can_tell = no is not None and not (request.can_be_wrong or request.admin)
    return _No(bool(no) if can_tell else None, bool(no), bool(no) and _speaks_of_the_rate(no or {}))


def _is_refused(request: Request, response: Response, no: _No, refusal: LimitRefusal) -> bool:
    """Return whether nothing was done but to refuse a request for the rate."""
    if refusal is LimitRefusal.TOLD:  # a service that fails may have done a change half-way
        return request.is_read or response.status < 500
    return refusal is not LimitRefusal.NONE and bool(no.rejected or (no.in_words and request.is_read))


def _tell_wait(error: ServiceError, response: Response) -> None:
    """Say of a service that fails when it wants to be asked again, where it has told that."""
    if response.status >= 500:
        error.retry_after = parse_rate_headers(response.headers).retry_after
        if error.retry_after and isinstance(error, NotAnAnswer):
            error.advice = f"Try again in {error.retry_after:,.0f} s."


def _rate_limited(status: int | None) -> RateLimited:
    what = "The service refuses requests until its window resets."
    return RateLimited(what, "linkdash waits; then try again.", status=status)


def _short_no(response: Response) -> Members | None:
    """The members of a short no that came with status 200; none for a yes, None where it cannot be told."""
    if response.status != 200:
        return None
    if len(response.body) > _LONGEST_NO:
        return {}
    try:
        found = json.loads(response.body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("error") in (1, "1") else {}


def _speaks_of_the_rate(no: Members) -> bool:
    """Return whether a no sounds like one for the rate. It may be about anything: repetition decides."""
    return _RATE_WORDS.search(message_of(no)) is not None


def _transport(base_url: str, key: SecretStr, timeout: float) -> "Transport":
    from linkdash.api.http.transport import Transport

    return Transport(base_url, key, timeout=timeout)


def _may_be_done(status: int, error: ServiceError) -> bool:
    """Return whether a write that was answered like this may have been carried out all the same."""
    # A service that failed may have done so half-way; one that ran out of time may have gone on.
    broke_off = status >= 500 or status == 408
    if isinstance(error, NotAnAnswer):
        return broke_off or status < 300 or status in (302, 303)
    return broke_off and isinstance(error, Rejected)


def _failure(request: Request, departure: Departure, error: BaseException) -> BaseException:
    """The error of an exchange that gave no whole answer. Texts of the transport are not shown."""
    if not isinstance(error, TransportFailed | TimeoutError | NotAnAnswer):
        return error
    reason = error.reason if isinstance(error, TransportFailed) else "connection timed out"
    if not departure.left:
        return NotSent(f"The service could not be reached: {reason}.", "Check the address and the network.")
    if not request.is_read:
        return OutcomeUnknown("The answer to this change was lost.", _LOOK_BEFORE_REPEATING)
    if isinstance(error, NotAnAnswer):
        return error
    if isinstance(error, TimeoutError):
        return TimedOut("The service did not answer in time.", TRY_AGAIN)
    return AnswerLost("The connection broke before the answer was complete.", TRY_AGAIN)
