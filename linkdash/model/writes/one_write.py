"""A write: recorded in the journal, sent once, and its outcome applied to what is shown."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from linkdash.api.budget.lanes import Lane
from linkdash.api.client import Endpoints
from linkdash.api.endpoints import Done, body_of
from linkdash.api.errors import (
    CONCERN_EVERYTHING,
    InvalidBody,
    LinkdashError,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ReadOnly,
)
from linkdash.api.http.request import Answer, Members, Options, Request
from linkdash.api.records import Body, Record, Unreadable
from linkdash.model.declaration import declaration
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.collections import Collections
from linkdash.model.session_services import SessionServices
from linkdash.model.writes.guard import ChangedElsewhere, Overwrite, as_it_is_now, is_outdated
from linkdash.model.writes.write_words import summary_of
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal_entry import OpenEntry, Outcome, WriteIntent, new_origin

# ---- one write ----

Claim = Callable[[str], Awaitable[None]]
"""Awaited with the write's origin when it is recorded; raises NotSent where it may not be sent any more."""


@dataclass(frozen=True)
class WriteResult:
    """The end of a write."""

    intent: WriteIntent
    outcome: Outcome
    error: LinkdashError | None = None
    """The error that it raised; None where it was done."""
    record: Record | Unreadable | None = None
    """The record as it is now; None where there is none, or it is not loaded here."""
    answer: Members = field(default_factory=dict, repr=False)


class Writes:
    """Every write of a session."""

    def __init__(self, context: SessionServices, collections: Collections) -> None:
        self._context = context
        self._collections = collections
        self._under_way: list[_Recording] = []

    @property
    def under_way(self) -> Sequence[WriteIntent]:
        """The writes whose outcome is awaited."""
        return tuple(write.intent for write in self._under_way)

    @property
    def sent(self) -> Sequence[WriteIntent]:
        """Of these, the writes that may have left."""
        return tuple(write.intent for write in self._under_way if not write.is_queued)

    def is_queued(self, intent: WriteIntent) -> bool:
        """Return whether a write still waits for its turn."""
        return any(write.is_queued for write in self._under_way if write.intent is intent)

    def take_back(self, intent: WriteIntent) -> bool:
        """Take back a write that waits for its turn, which ends as not sent; False where it is too late."""
        return any(write.take_back() for write in self._under_way if write.intent is intent)

    async def carry_out(
        self,
        intent: WriteIntent,
        *,
        lane: Lane | None = None,
        claim: Claim | None = None,
        overwrite: Overwrite = False,
    ) -> WriteResult:
        """Send a write once, record it, and show what it did in every collection of its resource.

        At its turn it is made anew of its record, which is read for it where it was made of one that was
        shown. Where it would replace or delete what others have changed since, it ends as not sent, with
        ChangedElsewhere, unless that is in `overwrite`.

        The journal's entry is written between the write's turn and its leaving. The way to the bytes and
        back: .github/CONTRIBUTING.md, "Routes".

        `lane` is None for the user's. Raises nothing of the service's: how it ended is in the result.
        """
        recording = _Recording(self._context, intent, lane, claim)
        sending = self._recorded(intent, recording, overwrite)
        recording.sending = asyncio.ensure_future(sending)
        self._under_way.append(recording)
        try:
            return await recording.sending
        except asyncio.CancelledError:
            if not recording.is_taken_back:
                raise
            error = NotSent("Cancelled while it was queued.", "Nothing was sent.")
            return WriteResult(intent, Outcome.NOT_SENT, error)
        finally:
            self._under_way.remove(recording)

    async def _recorded(
        self, intent: WriteIntent, recording: "_Recording", overwrite: Overwrite
    ) -> WriteResult:
        collection = self._collections.of(declaration(intent.resource))
        try:
            done = await self._sent(intent, collection, recording, overwrite)
        except LinkdashError as error:
            outcome = outcome_of(error)
            if isinstance(error, InvalidBody):
                await recording.note_refusal()
            await recording.note_outcome(outcome, str(error))
            if outcome is Outcome.UNKNOWN:
                await self._context.count_doubts()
            return WriteResult(recording.sent, outcome, error)
        except BaseException:  # a cancellation or a fault of ours: the outcome is unknown
            await asyncio.shield(recording.note_outcome(Outcome.UNKNOWN, "Cancelled in progress."))
            raise
        finally:
            collection.sent_about(intent.record_id)
        answer = done.raw if isinstance(done.raw, Mapping) else {}
        sent = recording.sent
        try:
            await recording.note_outcome(Outcome.DONE, answer=answer)
        finally:
            record = self._collections.apply_everywhere(sent, answer)
        return WriteResult(sent, Outcome.DONE, None, record, answer)

    async def _sent(
        self, intent: WriteIntent, collection: AnyCollection, recording: "_Recording", overwrite: Overwrite
    ) -> Done:
        """Send a write, made of its record as it is at its turn: one that has to wait is made anew once more.

        Raises ChangedElsewhere, InvalidBody, ServiceError.
        """
        endpoints = self._context.client.over(recording.send_recorded)
        recording.sent = await as_it_is_now(self._context, collection, intent, overwrite)
        try:
            return await write_through(endpoints, recording.sent)
        except _Outdated:
            recording.sent = await as_it_is_now(self._context, collection, intent, overwrite, has_waited=True)
            recording.is_made_anew = True
            return await write_through(endpoints, recording.sent)


class _Outdated(InvalidBody):
    """A write's turn came so late that others may have changed its record since it was read; not sent."""


class _Recording:
    """A write in the journal, from the moment at which its turn has come."""

    def __init__(
        self, context: SessionServices, intent: WriteIntent, lane: Lane | None, claim: Claim | None
    ) -> None:
        self.intent = intent
        """The write as it was asked for."""
        self.sent = intent
        """The same as it is sent."""
        self.sending: asyncio.Future[WriteResult] | None = None
        self.is_made_anew = False
        """True if its turn came late once: it is not made anew a second time."""
        self.is_taken_back = False
        self._context = context
        self._journal = context.store.journal
        self._lane = lane
        self._claim = claim
        self._has_begun = False
        self._opened: OpenEntry | None = None

    @property
    def is_queued(self) -> bool:
        """Return whether it still waits for its turn; False from when on it may have been sent."""
        return not self._has_begun and self.sending is not None

    def take_back(self) -> bool:
        """End the waiting; False from when on it may have been sent."""
        if self._has_begun or self.sending is None:
            return False
        self.is_taken_back = self.sending.cancel()
        return self.is_taken_back

    async def send_recorded(self, request: Request, options: Options) -> Answer:
        """The answer to the write, recorded when its turn has come. Raises ServiceError, ReadOnly."""
        connection = self._context.client.connection
        return await connection.send(request, options._replace(lane=self._lane), at_turn=self._at_turn)

    async def _at_turn(self, request: Request) -> None:
        """Record the write.

        Raises NotSent where it may not be sent or cannot be recorded, _Outdated where others may have changed
        what it was made of.
        """
        self._has_begun = True
        if not self.is_made_anew and await is_outdated(self._context, self.sent):
            self._has_begun = False
            raise _Outdated("The record was read some time ago.", "Nothing was sent.")
        origin = new_origin()
        try:
            self._opened = await self._journal.open_entry(self.sent, request.method, request.path, origin)
            self._context.requests[origin] = request
        except StoreUnavailable as error:
            raise NotSent(
                f"The journal cannot be written, so this change was not sent: {error.what}", error.advice
            ) from None
        await self._claim_as(origin)

    async def _claim_as(self, origin: str) -> None:
        """Claim the item for the entry that was opened; one that is not had was not sent. Raises NotSent."""
        if self._claim is None:
            return
        try:
            await self._claim(origin)
        except BaseException as error:
            words = str(error) if isinstance(error, NotSent) else "Cancelled before it was sent."
            await asyncio.shield(self.note_outcome(Outcome.NOT_SENT, words))
            self._opened = None
            raise

    async def note_refusal(self) -> None:
        """Give an item of a job, which was refused before it could be sent, the entry that tells so."""
        if self._claim is None or self._opened is not None:
            return
        origin = new_origin()
        try:
            self._opened = await self._journal.open_entry(self.sent, "", "", origin)
            await self._claim_as(origin)
        except StoreUnavailable as error:
            self._context.store_trouble = error
        except NotSent:
            return  # another program has it

    async def note_outcome(self, outcome: Outcome, message: str = "", answer: Members | None = None) -> None:
        """Record an outcome. Where that fails, the entry reads as interrupted, which is true."""
        if self._opened is None:
            return
        requests = 1 if self._has_begun and outcome is not Outcome.NOT_SENT else 0
        closed = self._journal.close_entry(self._opened, outcome, message, requests=requests, answer=answer)
        await self._context.kept(closed, None)


def outcome_of(error: LinkdashError) -> Outcome:
    """Return the outcome of a write that raised `error`."""
    if isinstance(error, NotSent | ReadOnly | ChangedElsewhere):
        return Outcome.NOT_SENT
    return Outcome.UNKNOWN if isinstance(error, OutcomeUnknown) else Outcome.REJECTED


class _Writable(Protocol):
    """A namespace of the client whose records can be created, updated, deleted."""

    async def create(self, body: Body, /) -> Done: ...

    async def update(self, id: int, body: Body, /) -> Done: ...

    async def delete(self, id: int, /) -> Done: ...


class _SingleWritable(Protocol):
    """A namespace of the client with one record that can be updated."""

    async def update(self, body: Body, /) -> Done: ...


async def write_through(endpoints: Endpoints, intent: WriteIntent) -> Done:
    """Call the endpoint of a write. Raises InvalidBody, ServiceError."""
    resource = declaration(intent.resource)
    if resource.is_single and intent.action == "update":
        single: _SingleWritable = getattr(endpoints, resource.id)
        return await single.update(_body(intent, resource.update))
    namespace: _Writable = getattr(endpoints, resource.id)
    match intent.action:
        case "create":
            return await namespace.create(_body(intent, resource.create))
        case "update":
            return await namespace.update(intent.record_ids[0], _body(intent, resource.update))
        case "delete":
            return await namespace.delete(intent.record_ids[0])
    if resource.assigning is None:
        raise InvalidBody(f"There is no way to {summary_of(intent)}.", "Nothing was sent.")
    return await resource.assigning.assign(endpoints, intent)


def _body(intent: WriteIntent, model: type[Body] | None) -> Body:
    """The body as the form has validated it; read again where it comes from the store."""
    if model is None:
        raise InvalidBody(f"There is no way to {summary_of(intent)}.", "Nothing was sent.")
    if isinstance(intent.body, model):
        return intent.body
    return body_of(model, intent.params)


# ---- many writes ----


def is_retryable(error: LinkdashError | None) -> bool:
    """Return whether a write cannot help that it failed: all others would fail now, and later succeed."""
    return isinstance(error, (*CONCERN_EVERYTHING, RateLimited))


class StopRule:
    """The rule that stops many writes: two of unknown outcome in a row, or what concerns them all."""

    def __init__(self) -> None:
        self._unknown = 0

    def stops_after(self, result: WriteResult) -> bool:
        """Count how a write ended, and tell whether it was the last."""
        self._unknown = self._unknown + 1 if result.outcome is Outcome.UNKNOWN else 0
        concerns_all = is_retryable(result.error) and not isinstance(result.error, RateLimited)
        return self._unknown > 1 or concerns_all
