"""The way of a write: intent, journal, budget, request, outcome, and what it makes of the records here.

A person's writes and the items of bulk jobs go the same way. It is recorded when the budget lets it through,
so that one that only waited for its turn is never thought to have been sent; what cannot be recorded is not
sent. Nothing is ever sent twice by itself.
"""

import asyncio
import enum
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from linkdash.api.budget import Lane
from linkdash.api.client import Client
from linkdash.api.errors import (
    AdminRequired,
    InvalidBody,
    KeyRefused,
    LinkdashError,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ReadOnly,
)
from linkdash.api.exchange import Members, Options, Request
from linkdash.api.model import Body, Record, Unreadable
from linkdash.api.resource import Done, body_of
from linkdash.api.signal import Signal
from linkdash.model.collection import Collections
from linkdash.model.context import Context
from linkdash.model.resource import declaration
from linkdash.model.rows import Progress
from linkdash.store.database import StoreUnavailable
from linkdash.store.jobs import HELD_SECONDS, ItemState, Job, JobItem, state_after
from linkdash.store.journal import Outcome, WriteIntent

# ---- one write ----

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
        self._under_way: list[_Recording] = []

    @property
    def under_way(self) -> Sequence[WriteIntent]:
        """The writes whose outcome is awaited."""
        return tuple(write.intent for write in self._under_way)

    def take_back(self, intent: WriteIntent) -> bool:
        """Takes back a write that waits for its turn, which ends as not sent; False where it is too late."""
        return any(write.take_back() for write in self._under_way if write.intent is intent)

    async def send(
        self, intent: WriteIntent, *, lane: Lane | None = None, claim: Claim | None = None
    ) -> WriteResult:
        """Sends a write once, records it, and shows what it did in every collection of its resource.

        The way from here: _exchange → request_of → the client's method, such as Pixels.update → Caller.do →
        Caller.write → Connection.send, which awaits `_Recording.begin` when the budget lets it through.

        `lane` is None for a person's. Raises nothing of the service's: how it ended is in the result.
        """
        recording = _Recording(self._context, intent, claim)
        recording.sending = asyncio.ensure_future(self._exchange(intent, recording, lane))
        self._under_way.append(recording)
        try:
            return await recording.sending
        except asyncio.CancelledError:
            if not recording.is_taken_back:
                raise
            error = NotSent("It was taken back while it waited for its turn.", "Nothing was sent.")
            return WriteResult(intent, Outcome.NOT_SENT, error)
        finally:
            self._under_way.remove(recording)

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
    """One write in the journal, from the moment at which its turn has come."""

    def __init__(self, context: Context, intent: WriteIntent, claim: Claim | None) -> None:
        self.intent = intent
        self.sending: asyncio.Future[WriteResult] | None = None
        self.is_taken_back = False
        self._context = context
        self._journal = context.store.journal
        self._claim = claim
        self._has_begun = False
        self._entry_id: int | None = None

    def take_back(self) -> bool:
        """Ends the waiting; False from when on it may have been sent."""
        if self._has_begun or self.sending is None:
            return False
        self.is_taken_back = self.sending.cancel()
        return self.is_taken_back

    async def begin(self, request: Request) -> None:
        """Records the write. Raises NotSent where it may not be sent or cannot be recorded."""
        self._has_begun = True
        if self._claim is not None:
            await self._claim()
        try:
            self._entry_id = await self._journal.begin(self.intent, request.method, request.path)
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


# ---- bulk jobs: their items one after the other, within the budget ----


class Phase(enum.StrEnum):
    """What a bulk job is doing."""

    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


class JobHeld(LinkdashError):
    """Another program runs the job at the moment; nothing was sent."""


class _Taken(NotSent):
    """Another process has taken an item of the job."""


class JobRunner:
    """Runs at most one job at a time. Each item is claimed when its turn has come, so none is sent twice.

    A write of unknown outcome is left alone; two in a row, and anything that no item is to blame for, pause
    the job.
    """

    def __init__(self, context: Context, collections: Collections, writes: Writes) -> None:
        self.job: Job | None = None
        """The job of this run, also when it is over."""
        self.phase = Phase.OVER
        self.trouble = ""
        """Why it has paused by itself."""
        self._context = context
        self._collections = collections
        self._writes = writes
        self._wake = asyncio.Event()
        self._sending: asyncio.Task[WriteResult] | None = None
        self._is_claimed = False
        self._changed = Signal()

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` whenever something changed; the result ends that."""
        return self._changed.watch(listener)

    # ---- what is known ----

    @property
    def is_over(self) -> bool:
        """Whether no job is under way."""
        return self.phase is Phase.OVER

    @property
    def is_paused(self) -> bool:
        """Whether the job waits for a person to go on."""
        return self.phase is Phase.PAUSED

    def runs(self, job: Job) -> bool:
        """Whether this very job is under way."""
        return self.job is not None and self.job.id == job.id and not self.is_over

    def current(self, job: Job) -> Job:
        """A job as it stands: the one of this run, if it is that one."""
        return self.job if self.job is not None and self.job.id == job.id else job

    @property
    def progress(self) -> Progress | None:
        """How far the job is; None where none is under way."""
        job = self.job
        if job is None or self.is_over:
            return None
        failed = job.counts[ItemState.FAILED]
        notes = (f"{failed} failed" if failed else "", "paused" if self.is_paused else "")
        return Progress(job.over, len(job.items), job.title, tuple(filter(None, notes)))

    async def known(self) -> list[Job]:
        """The job of this run, then those that earlier runs have left unfinished. Raises StoreUnavailable."""
        jobs = [self.job] if self.job is not None else []
        if not self.is_over:
            return jobs
        ids = {job.id for job in jobs}
        return jobs + [job for job in await self._context.store.jobs.unfinished() if job.id not in ids]

    # ---- what a person may do ----

    async def create(self, title: str, intents: Sequence[WriteIntent]) -> Job:
        """Records a job before its first write. Raises StoreUnavailable."""
        return await self._context.store.jobs.create(title, intents, self._context.moment())

    def pause(self) -> None:
        """Sends nothing more until `resume`; what is on its way is waited for."""
        self._change(Phase.PAUSED)

    def resume(self) -> None:
        """Goes on after a pause."""
        self._change(Phase.RUNNING)

    def stop(self) -> None:
        """Ends the job; what is left of it can be done by running it again."""
        self._change(Phase.OVER)

    def _change(self, phase: Phase) -> None:
        if self.is_over:
            return
        self.phase, self.trouble = phase, ""
        if phase is not Phase.RUNNING and self._sending is not None and not self._is_claimed:
            self._sending.cancel()
        self._wake.set()
        self._changed()

    async def discard(self, job: Job) -> None:
        """Forgets a job that is over; its writes stay in the journal. Raises StoreUnavailable."""
        await self._context.store.jobs.discard(job.id)
        if self.is_over and self.job is not None and self.job.id == job.id:
            self.job = None
        self._changed()

    async def settle(self, intent: WriteIntent, happened: bool, message: str) -> None:
        """What became of a write is known now: its items are done, or to do again.

        Raises StoreUnavailable.
        """
        jobs = self._context.store.jobs
        for job in await jobs.unfinished():
            for item in job.items:
                if item.state is ItemState.UNKNOWN and item.intent.is_same(intent):
                    await jobs.settle(job.id, item.position, happened=happened, message=message)
            if self.job is not None and self.job.id == job.id:
                self.job = await jobs.load(job.id) or self.job
        self._changed()

    # ---- running ----

    async def run(self, job: Job) -> None:
        """Does what is left of a job; returns when nothing is, or it was stopped, or another is under way.

        Raises JobHeld where another program runs it. Until the end nobody else can.
        """
        if self.phase is not Phase.OVER:
            return
        self.job, self.phase, self.trouble = job, Phase.RUNNING, ""
        unknown = 0
        self._changed()
        holding: asyncio.Task[None] | None = None
        try:
            await self._hold(job)
            holding = asyncio.create_task(self._keep_holding(job))
            while not self.is_over and (item := self.job.next_item) is not None:
                if self.is_paused:
                    self._wake.clear()
                    await self._wake.wait()
                    continue
                result = await self._attempt(item)
                if result is None:
                    continue
                unknown = unknown + 1 if result.outcome is Outcome.UNKNOWN else 0
                if is_blameless(result.error):  # it will be tried again
                    result = replace(result, outcome=Outcome.NOT_SENT)
                await self._finish(self.job, item, result)
                if unknown > 1 or (is_blameless(result.error) and not isinstance(result.error, RateLimited)):
                    self._pause_because(str(result.error))
        finally:
            self.phase = Phase.OVER
            self._changed()
            if holding is not None:
                holding.cancel()
                with suppress(StoreUnavailable):
                    await self._context.store.jobs.release(job.id)

    async def _hold(self, job: Job) -> None:
        """Keeps a job to this program. Raises JobHeld; a store that cannot tell pauses the job."""
        jobs = self._context.store.jobs
        try:
            if await jobs.hold(job.id):
                return
            self.job = await jobs.load(job.id) or job
        except StoreUnavailable as error:
            self._pause_because(f"The job cannot be kept: {error}")
            return
        runner = self.job.runner or "Another linkdash"
        raise JobHeld(f"{runner} runs this job.", "It can be taken over here once that one is gone.")

    async def _keep_holding(self, job: Job) -> None:
        """Confirms that this program is still there, well before others take it for gone."""
        while True:
            await asyncio.sleep(HELD_SECONDS / 3)
            try:
                await self._hold(job)
            except JobHeld as error:
                self._pause_because(str(error))

    async def _attempt(self, item: JobItem) -> WriteResult | None:
        """How the write of an item ended; None where it was withdrawn, or done by another process."""
        self._is_claimed = False
        sending = self._writes.send(item.intent, lane=Lane.TASK, claim=lambda: self._claim(item))
        self._sending = asyncio.create_task(sending)
        try:
            await asyncio.wait({self._sending})
        finally:
            self._sending.cancel()
        if self._sending.cancelled():
            return None
        result = self._sending.result()
        if isinstance(result.error, _Taken):
            await self._read_again()
            return None
        return result

    async def _claim(self, item: JobItem) -> None:
        """Raises NotSent where the item is not to be had, or where that cannot be recorded."""
        if self.job is None:
            raise NotSent("The job is gone.")
        try:
            claimed = await self._context.store.jobs.claim(self.job.id, item.position)
        except StoreUnavailable as error:
            raise NotSent(f"The job cannot be kept: {error.what}", error.advice) from None
        if not claimed:
            raise _Taken("Another linkdash has taken this one.")
        self._is_claimed = True
        self._set(self.job, item, ItemState.SENT)

    async def _read_again(self) -> None:
        """Learns what another process has done of this job."""
        if self.job is None:
            return
        try:
            self.job = await self._context.store.jobs.load(self.job.id) or self.job
        except StoreUnavailable as error:
            self._pause_because(str(error))
        self._changed()

    async def _finish(self, job: Job, item: JobItem, result: WriteResult) -> None:
        left = result.error is None or result.outcome is Outcome.NOT_SENT
        message = "" if left else str(result.error)
        job = self._set(job, item, state_after(result.outcome), message)
        if self._is_claimed or result.outcome is not Outcome.NOT_SENT:
            try:
                await self._context.store.jobs.finish(job.id, item.position, result.outcome, message)
            except StoreUnavailable as error:
                self._pause_because(f"The job cannot be kept: {error}")
        if result.outcome is Outcome.DONE:
            self._deselect(job, item)

    def _deselect(self, job: Job, item: JobItem) -> None:
        """A record stays selected while anything of it failed or is left."""
        id, resource = item.intent.record_id, item.intent.resource
        same = (other for other in job.items if other.intent.record_id == id)
        if id is not None and all(other.state is ItemState.DONE for other in same):
            self._collections.of(declaration(resource)).deselect(id)

    def _set(self, job: Job, item: JobItem, state: ItemState, message: str = "") -> Job:
        self.job = job.after(item.position, state, message)
        self._changed()
        return self.job

    def _pause_because(self, trouble: str) -> None:
        if self.phase is Phase.RUNNING:
            self.phase = Phase.PAUSED
        self.trouble = trouble
        self._changed()


def is_blameless(error: LinkdashError | None) -> bool:
    """Whether an item cannot help that it failed: all after it would end so, and it may succeed later."""
    return isinstance(error, NotSent | KeyRefused | AdminRequired | RateLimited)
