"""The way of a write: intent, journal, budget, request, outcome, and what it makes of the records here.

A person's writes and the items of bulk jobs go the same way. It is recorded when the budget lets it through,
so that one that only waited for its turn is never thought to have been sent; what cannot be recorded is not
sent. Nothing is ever sent twice by itself.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from linkdash.api.budget import Lane
from linkdash.api.client import Client
from linkdash.api.envelope import Members
from linkdash.api.errors import InvalidBody, LinkdashError, NotSent, OutcomeUnknown, ReadOnly
from linkdash.api.exchange import Options, Request
from linkdash.api.model import Body, Record, Unreadable
from linkdash.api.resource import Done, body_of
from linkdash.model.collection import Collections
from linkdash.model.context import Context
from linkdash.model.resources import declaration
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal import Outcome, WriteIntent

Claim = Callable[[], Awaitable[None]]
"""Awaited when the turn of a write has come; raises NotSent where it may not be sent any more."""


@dataclass(frozen=True)
class WriteResult:
    """How a write ended."""

    intent: WriteIntent
    outcome: Outcome
    error: LinkdashError | None = None
    """What it raised; None where it was done."""
    record: Record | Unreadable | None = None
    """The record as it is now; None where there is none, or it is not loaded here."""
    answer: Members = field(default_factory=dict, repr=False)


class Writes:
    """Every write of a session."""

    def __init__(self, context: Context, collections: Collections) -> None:
        self._context = context
        self._collections = collections
        self._under_way: list[WriteIntent] = []

    @property
    def under_way(self) -> Sequence[WriteIntent]:
        """The writes whose outcome is awaited."""
        return tuple(self._under_way)

    async def send(
        self, intent: WriteIntent, *, lane: Lane | None = None, claim: Claim | None = None
    ) -> WriteResult:
        """Sends a write once, records it, and shows what it did in every collection of its resource.

        The way from here: _exchange → request_of → the client's method, such as Pixels.update → Caller.do →
        Caller.write → Connection.send, which awaits `_Recording.begin` when the budget lets it through.

        `lane` is None for a person's. Raises nothing of the service's: how it ended is in the result.
        """
        self._under_way.append(intent)
        try:
            return await self._exchange(intent, _Recording(self._context, intent, claim), lane)
        finally:
            self._under_way.remove(intent)

    async def _exchange(self, intent: WriteIntent, recording: "_Recording", lane: Lane | None) -> WriteResult:
        options = Options(lane=lane, on_admit=recording.begin)
        try:
            done = await request_of(self._context.client, intent, options)
        except LinkdashError as error:
            outcome = outcome_of(error)
            await recording.finish(outcome, str(error))
            return WriteResult(intent, outcome, error)
        except BaseException:  # a cancellation or a fault of ours: nobody knows what became of it
            await asyncio.shield(recording.finish(Outcome.UNKNOWN, "It was given up while it was under way."))
            raise
        answer = done.raw if isinstance(done.raw, Mapping) else {}
        await recording.finish(Outcome.DONE, answer=answer)
        return WriteResult(intent, Outcome.DONE, None, self._collections.apply(intent, answer), answer)


class _Recording:
    """One write in the journal."""

    def __init__(self, context: Context, intent: WriteIntent, claim: Claim | None) -> None:
        self._context = context
        self._journal = context.store.journal
        self._intent = intent
        self._claim = claim
        self._entry_id: int | None = None

    async def begin(self, request: Request) -> None:
        """Records the write. Raises NotSent where it may not be sent or cannot be recorded."""
        if self._claim is not None:
            await self._claim()
        try:
            self._entry_id = await self._journal.begin(self._intent, request.method, request.path)
            self._context.requests[self._entry_id] = request
        except StoreUnavailable as error:
            raise NotSent(
                f"The journal cannot be written, so this change was not sent: {error.what}", error.advice
            ) from None

    async def finish(self, outcome: Outcome, message: str = "", answer: Members | None = None) -> None:
        """Records an outcome. Where that fails, the entry reads as interrupted, which is true."""
        if self._entry_id is None:
            return
        requests = 0 if outcome is Outcome.NOT_SENT else 1
        try:
            await self._journal.finish(self._entry_id, outcome, message, requests=requests, answer=answer)
        except StoreUnavailable as error:
            self._context.store_trouble = error


def created_id(result: WriteResult) -> int | None:
    """The id of the record that a write has created, if the service said it."""
    if isinstance(result.record, Record):
        return result.record.id
    id = result.answer.get("id")
    return id if isinstance(id, int) else None


def outcome_of(error: LinkdashError) -> Outcome:
    """What became of a write that raised `error`."""
    if isinstance(error, NotSent | ReadOnly):
        return Outcome.NOT_SENT
    return Outcome.UNKNOWN if isinstance(error, OutcomeUnknown) else Outcome.REJECTED


class _Namespace(Protocol):
    """A namespace of the client whose records can be created, updated, deleted."""

    async def create(self, body: Body, /, *, options: Options) -> Done: ...

    async def update(self, *ids_and_body: int | Body, options: Options) -> Done: ...

    async def delete(self, id: int, /, *, options: Options) -> Done: ...


async def request_of(client: Client, intent: WriteIntent, options: Options) -> Done:
    """Calls the client's method for a write. Raises InvalidBody, ServiceError."""
    resource = declaration(intent.resource)
    namespace: _Namespace = getattr(client, resource.id)
    match intent.action:
        case "create":
            return await namespace.create(_body(intent, resource.create), options=options)
        case "update" if resource.is_single:
            return await namespace.update(_body(intent, resource.update), options=options)
        case "update":
            return await namespace.update(
                intent.record_ids[0], _body(intent, resource.update), options=options
            )
        case "delete":
            return await namespace.delete(intent.record_ids[0], options=options)
    if resource.assigning is None:
        raise InvalidBody(f"There is no way to {intent.summary}.", "Nothing was sent.")
    return await resource.assigning.send(client, intent, options)


def _body(intent: WriteIntent, model: type[Body] | None) -> Body:
    """The body as the form has validated it; read again where it comes from the store."""
    if model is None:
        raise InvalidBody(f"There is no way to {intent.summary}.", "Nothing was sent.")
    if isinstance(intent.body, model):
        return intent.body
    return body_of(model, intent.params)
