"""A bulk job: many writes one after another, which can be paused, resumed and settled."""

import asyncio
import enum
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import MappingProxyType

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import (
    LinkdashError,
    NotSent,
)
from linkdash.model.declaration import declaration
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.collections import Collections
from linkdash.model.progress import Progress
from linkdash.model.session_services import SessionServices
from linkdash.model.writes.conflicts import ChangedElsewhere
from linkdash.model.writes.one_write import StopRule, WriteResult, Writes, is_retryable
from linkdash.model.writes.updating import Update, renewed, shows
from linkdash.store.database import StoreUnavailable
from linkdash.store.job import ItemState, Job, JobItem, state_after
from linkdash.store.jobs import HELD_SECONDS
from linkdash.store.journal_entry import Outcome, WriteIntent


class Phase(enum.StrEnum):
    """The phase of a bulk job."""

    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


class JobHeld(LinkdashError):
    """Another program runs the job at the moment; nothing was sent."""


Updates = Mapping[int, Update]
"""Updates of a job that were made anew, by the positions of their items."""
NO_UPDATES: Updates = MappingProxyType({})


def as_read(wanted: Sequence[WriteIntent]) -> Updates:
    """Return the updates of a job of the same writes, which were made of records read just now."""
    return {at: Update(intent) for at, intent in enumerate(wanted) if intent.read_at is not None}


def going_on_words(job: Job) -> str:
    """Return what the same writes are told that continue a job, rather than begin one."""
    begun = f"{job.created.astimezone():%Y-%m-%d %H:%M}"
    if job.left or job.is_unfinished:
        return f"Resuming what was started {begun}: {job.left} left."
    by = f" (sent by {' and '.join(map(str, job.senders))})" if {*job.senders} - {job.author} else ""
    done = f"All of it was done by what was begun {begun}{by}"
    return f"{done}, so nothing is sent; run it again to send all anew."


def _updates_to_do(job: Job) -> list[JobItem]:
    return [item for item in job.items if item.state is ItemState.PENDING and shows(item.intent)]


class _Taken(NotSent):
    """Another process has taken an item of the job."""


class JobRunner:
    """A runner of at most one job at a time. Each item is claimed before it is sent, so none is sent twice.

    An update is made anew of its record before it is sent, unless it was just read; what others have changed
    since the job was made is not replaced unless that is wanted. A write of unknown outcome is left alone;
    two in a row, and anything that no item is to blame for, pause the job.
    """

    def __init__(self, context: SessionServices, collections: Collections, writes: Writes) -> None:
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
        self._updates: dict[int, Update] = {}
        """Updates that were made anew in this run, by the positions of their items."""
        self._overwrites = False
        self._reads: dict[int, int] = {}
        """Requests that read the records of the jobs made in this run, by their ids."""
        self._changed = context.job_changes

    # ---- what is known ----

    @property
    def is_over(self) -> bool:
        """Return whether no job is under way."""
        return self.phase is Phase.OVER

    @property
    def is_paused(self) -> bool:
        """Return whether the job waits for the user to go on."""
        return self.phase is Phase.PAUSED

    def runs(self, job: Job) -> bool:
        """Return whether this very job is under way."""
        return self.job is not None and self.job.id == job.id and not self.is_over

    def current(self, job: Job) -> Job:
        """A job as it stands: the one of this run, if it is that one."""
        return self.job if self.job is not None and self.job.id == job.id else job

    @property
    def progress(self) -> Progress | None:
        """Return how far the job is; None where none is under way."""
        job = self.job
        if job is None or self.is_over:
            return None
        failed = job.counts[ItemState.FAILED]
        notes = (f"{failed} failed" if failed else "", "paused" if self.is_paused else "")
        return Progress(job.over, len(job.items), job.title, tuple(filter(None, notes)))

    def reads_of(self, job: Job) -> int | None:
        """Return how many requests have read the records of a job; None for one of another run."""
        return self._reads.get(job.id)

    async def known(self) -> list[Job]:
        """The job of this run, then those that earlier runs have left unfinished. Raises StoreUnavailable."""
        jobs = [self.job] if self.job is not None else []
        if not self.is_over:
            return jobs
        ids = {job.id for job in jobs}
        return jobs + [job for job in await self._context.store.jobs.unfinished() if job.id not in ids]

    # ---- what the user may do ----

    async def create(self, title: str, intents: Sequence[WriteIntent], reads: int = 0) -> Job:
        """Record a job before its first write; so many `reads` were made for it. Raises StoreUnavailable."""
        job = await self._context.store.jobs.create(title, intents, self._context.moment())
        self._reads[job.id] = reads
        return job

    async def begun(self, intents: Sequence[WriteIntent]) -> Job | None:
        """The job of these writes that was not all done, or not told here to be, to be gone on with.

        What was done stays done, and what was rejected is tried again. Raises StoreUnavailable.
        """
        jobs = self._context.store.jobs
        job = await jobs.to_go_on(intents)
        return None if job is None else await jobs.take_up(job)

    async def renewed(self, job: Job) -> Updates:
        """The updates that a job has left, made of their records as they are now, by their items' positions.

        They are read for it, mostly by one request a page. Raises ServiceError.
        """
        found: dict[int, Update] = {}
        items = _updates_to_do(job)
        for name in dict.fromkeys(item.intent.resource for item in items):
            planned = {item.position: item.intent for item in items if item.intent.resource == name}
            collection = self._collections.of(declaration(name))
            with self._counted_reads(job, collection):
                found |= await renewed(self._context, collection, planned, job.created)
        return found

    @contextmanager
    def _counted_reads(self, job: Job, collection: AnyCollection) -> Iterator[None]:
        """Count what is read of a collection meanwhile for a job."""
        before = collection.pages_reread
        try:
            yield
        finally:
            if job.id in self._reads:
                self._reads[job.id] += collection.pages_reread - before

    def pause(self) -> None:
        """Send nothing more until `resume`; what is on its way is waited for."""
        self._change(Phase.PAUSED)

    def resume(self, updates: Updates = NO_UPDATES, *, overwrite: bool = False) -> None:
        """Go on after a pause; the rest as in `run`."""
        self._updates |= updates
        self._overwrites = overwrite
        self._change(Phase.RUNNING)

    def stop(self) -> None:
        """End the job; what is left of it can be done by running it again."""
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
        """Forget a job that is over; its writes stay in the journal. Raises StoreUnavailable."""
        await self._context.store.jobs.discard(job.id)
        if self.is_over and self.job is not None and self.job.id == job.id:
            self.job = None
        self._changed()

    async def find_out(self) -> None:
        """Learn what the journal knows by now of items that were unknown. Raises StoreUnavailable."""
        if self.job is None or (known := await self._context.store.jobs.load(self.job.id)) is None:
            return
        for item in known.items:
            if self.job.items[item.position].state is ItemState.UNKNOWN:
                self.job = self.job.after(item.position, item.state, item.message)
        self._changed()

    # ---- running ----

    async def run(self, job: Job, updates: Updates = NO_UPDATES, *, overwrite: bool = False) -> None:
        """Do what is left of a job; return when nothing is, or it was stopped, or another is under way.

        `updates` are those that were just made of their records; the others are made anew. One that would
        replace what others have changed since the job was made is sent with `overwrite` only, and has failed
        otherwise. Raises JobHeld where
        another program runs it. Until the end no other can.
        """
        if self.phase is not Phase.OVER:
            return
        self.job, self.phase, self.trouble = job, Phase.RUNNING, ""
        self._updates, self._overwrites = dict(updates), overwrite
        rule = StopRule()
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
                result = await self._write_item(self.job, item)
                if result is None:
                    continue
                stops = rule.stops_after(result)
                if is_retryable(result.error):  # it will be tried again
                    result = replace(result, outcome=Outcome.NOT_SENT)
                await self._note_result(self.job, item, result)
                if stops:
                    self._pause_because(str(result.error))
        finally:
            self.phase = Phase.OVER
            self._changed()
            if holding is not None:
                holding.cancel()
                with suppress(StoreUnavailable):
                    await self._context.store.jobs.release(job.id)

    async def _hold(self, job: Job) -> None:
        """Keep a job to this program. Raises JobHeld; a store that cannot tell pauses the job."""
        jobs = self._context.store.jobs
        try:
            if await jobs.hold(job.id):
                return
            self.job = await jobs.load(job.id) or job
        except StoreUnavailable as error:
            self._pause_because(f"The job cannot be saved: {error}")
            return
        runner = self.job.runner or "Another linkdash"
        raise JobHeld(f"{runner} runs this job.", "It can be taken over here once that one is gone.")

    async def _keep_holding(self, job: Job) -> None:
        """Confirm that this program is still there, well before others take it for gone."""
        while True:
            await asyncio.sleep(HELD_SECONDS / 3)
            try:
                await self._hold(job)
            except JobHeld as error:
                self._pause_because(str(error))

    async def _write_item(self, job: Job, item: JobItem) -> WriteResult | None:
        """Return how the write of an item ended; None where it was withdrawn, or done by another process."""
        self._is_claimed = False
        self._sending = asyncio.create_task(self._sent(job, item))
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

    async def _sent(self, job: Job, item: JobItem) -> WriteResult:
        """Return how the write of an item ended."""
        try:
            intent = await self._present(item)
        except ChangedElsewhere as error:
            return WriteResult(item.intent, Outcome.REJECTED, error)
        except LinkdashError as error:
            told = NotSent(f"The record could not be read before: {error.what}", error.advice)
            return WriteResult(item.intent, Outcome.NOT_SENT, told)
        with self._counted_reads(job, self._collections.of(declaration(intent.resource))):
            return await self._writes.carry_out(
                intent,
                lane=Lane.TASK,
                claim=lambda origin: self._claim(item, origin),
                overwrite=self._overwrites,
            )

    async def _present(self, item: JobItem) -> WriteIntent:
        """The write of an item, an update made of its record as it was read for this run.

        Raises ChangedElsewhere where it would replace what others have changed, ServiceError.
        """
        if self.job is not None and shows(item.intent) and item.position not in self._updates:
            self._updates |= await self.renewed(self.job)
        update = self._updates.get(item.position, Update(item.intent))
        if update.conflict is not None and not self._overwrites:
            raise update.conflict.refusal
        return update.intent

    async def _claim(self, item: JobItem, origin: str) -> None:
        """Raise NotSent where the item is not to be had, or where that cannot be recorded."""
        if self.job is None:
            raise NotSent("The job is gone.")
        try:
            claimed = await self._context.store.jobs.claim(self.job.id, item, origin)
        except StoreUnavailable as error:
            raise NotSent(f"The job cannot be saved: {error.what}", error.advice) from None
        if not claimed:
            raise _Taken("Another linkdash has taken this one.")
        self._is_claimed = True
        self.job = self.job.after(item.position, ItemState.SENT, origin=origin)
        self._changed()

    async def _read_again(self) -> None:
        """Learn what another process has done of this job."""
        if self.job is None:
            return
        try:
            self.job = await self._context.store.jobs.load(self.job.id) or self.job
        except StoreUnavailable as error:
            self._pause_because(str(error))
        self._changed()

    async def _note_result(self, job: Job, item: JobItem, result: WriteResult) -> None:
        left = result.error is None or result.outcome is Outcome.NOT_SENT
        message = "" if left else str(result.error)
        job = self._set(job, item, state_after(result.outcome), message)
        if self._is_claimed or result.outcome is not Outcome.NOT_SENT:
            try:
                await self._context.store.jobs.finish_item(job.id, item.position, result.outcome, message)
            except StoreUnavailable as error:
                self._pause_because(f"The job cannot be saved: {error}")

    def _set(self, job: Job, item: JobItem, state: ItemState, message: str) -> Job:
        self.job = job.after(item.position, state, message)
        self._changed()
        return self.job

    def _pause_because(self, trouble: str) -> None:
        if self.phase is Phase.RUNNING:
            self.phase = Phase.PAUSED
        self.trouble = trouble
        self._changed()
