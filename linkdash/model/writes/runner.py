"""The runner of many writes: one after another, as a job that can be paused, resumed and settled."""

import asyncio
import enum
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import NotSent
from linkdash.api.fields import identifier_in
from linkdash.model.declaration import declaration
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.collections import Collections
from linkdash.model.progress import Progress
from linkdash.model.session_services import SessionServices
from linkdash.model.writes.guard import ChangedElsewhere, shows
from linkdash.model.writes.one_write import StopRule, WriteResult, Writes, is_retryable
from linkdash.store.database import StoreUnavailable
from linkdash.store.job import ItemState, Job, JobHeld, JobItem, state_after
from linkdash.store.jobs import HELD_SECONDS, held_by
from linkdash.store.journal_entry import WriteIntent


class Phase(enum.StrEnum):
    """The phase of a bulk job."""

    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


def going_on_words(job: Job) -> str:
    """Return what the same writes are told that continue a job, rather than begin one."""
    begun = f"{job.created.astimezone():%Y-%m-%d %H:%M}"
    if job.left or job.is_unfinished:
        return f"Resuming what was started {begun}: {job.left} left."
    by = f" (sent by {' and '.join(map(str, job.senders))})" if {*job.senders} - {job.author} else ""
    done = f"All of it was done by what was begun {begun}{by}"
    return f"{done}, so nothing is sent; run it again to send all anew."


class _Taken(NotSent):
    """Another process has taken an item of the job."""


class Runner:
    """A runner of at most one job at a time. Each item is claimed before it is sent, so none is sent twice.

    What would replace what others have changed is left out of a run, and the rest goes on; the caller asks
    about all of these at the end. A write of unknown outcome is left alone; two in a row, and anything that
    no item is to blame for, pause the job.
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
        self._claimed = ""
        self.clashes: dict[int, ChangedElsewhere] = {}
        """What the last run has left out, as others have changed what it would replace; by position."""
        self._has_come_to_its_end = False
        self._overwrite: bool | Mapping[int, ChangedElsewhere] = False
        self._lane = Lane.TASK
        self._is_attended = True
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
    def to_ask(self) -> Mapping[int, ChangedElsewhere]:
        """Return what to ask about after a run: what it has left out, unless it was ended before."""
        return self.clashes if self._has_come_to_its_end else {}

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

    async def create(self, title: str, intents: Sequence[WriteIntent]) -> Job:
        """Record a job before its first write. Raises InvalidBody if one holds a secret, StoreUnavailable."""
        job = await self._context.store.jobs.create(title, intents, self._context.moment())
        self._reads[job.id] = 0
        return job

    async def begun_or_new(self, title: str, intents: Sequence[WriteIntent]) -> tuple[Job, bool]:
        """The job of these writes that is gone on with, and True; or a new one.

        Of one to go on with what was done stays done, and what was rejected is tried again. One of which all
        is done by now, as it was found out or by others, is told so once. Raises StoreUnavailable.
        """
        jobs = self._context.store.jobs
        if (job := await jobs.to_go_on(intents)) is None:
            return await self.create(title, intents), False
        if job.is_done:
            with suppress(JobHeld):  # then it is told once more
                await jobs.discard(job.id)
        wanted = zip(job.items, intents, strict=True)  # made of the records as they are now
        items = tuple(replace(item, intent=intent) for item, intent in wanted)
        return replace(job, items=items).with_refused_to_do(), True

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

    def resume(self) -> None:
        """Go on after a pause."""
        self._change(Phase.RUNNING)

    def stop(self) -> None:
        """End the job; what is left of it can be done by running it again."""
        self._change(Phase.OVER)

    def _change(self, phase: Phase) -> None:
        if self.is_over:
            return
        self.phase, self.trouble = phase, ""
        if phase is not Phase.RUNNING and self._sending is not None and not self._claimed:
            self._sending.cancel()
        self._wake.set()
        self._changed()

    async def discard(self, job: Job) -> None:
        """Forget a job that is over; its writes stay in the journal. Raises JobHeld, StoreUnavailable."""
        await self._context.store.jobs.discard(job.id)
        if self.is_over and self.job is not None and self.job.id == job.id:
            self.job = None
        self._changed()

    async def discard_unsent(self, job: Job) -> None:
        """Forget a job of which nothing was sent: there is nothing to go on from."""
        if job.left == len(job.items):
            with suppress(JobHeld, StoreUnavailable):
                await self.discard(job)

    async def find_out(self) -> bool:
        """Learn what the journal knows by now of items that were unknown; False where the job is gone.

        Raises StoreUnavailable.
        """
        if self.job is None:
            return False
        known = await self._context.store.jobs.load(self.job.id)
        self.job = self.job.as_known(known)
        self._changed()
        return known is not None

    # ---- running ----

    async def run(
        self,
        job: Job,
        *,
        overwrite: bool | Mapping[int, ChangedElsewhere] = False,
        lane: Lane = Lane.TASK,
        is_attended: bool = True,
    ) -> None:
        """Do what is left of a job; return when nothing is, or it was stopped, or another is under way.

        What would replace what others have changed since the job was made is sent with `overwrite` only; else
        it is left, and told in `clashes`. Where that is what `to_ask` has told and was agreed to, these alone
        are done. What would pause a job ends one that is not `is_attended`: nobody could resume it. Raises
        JobHeld where another program runs it. Until the end no other can.
        """
        if self.phase is not Phase.OVER:
            return
        if job.next_item() is None:
            self.job, self.clashes = job, {}
            self._changed()
            return
        self.job, self.phase, self.trouble = job, Phase.RUNNING, ""
        self.clashes, self._overwrite, self._lane = {}, overwrite, lane
        self._has_come_to_its_end, self._is_attended = False, is_attended
        others = set() if isinstance(overwrite, bool) else {*range(len(job.items))} - overwrite.keys()
        rule = StopRule()
        self._changed()
        holding: asyncio.Task[None] | None = None
        try:
            await self._hold(job)
            holding = asyncio.create_task(self._keep_holding(job))
            while not self.is_over and (item := self.job.next_item({*others, *self.clashes})) is not None:
                if self.is_paused:
                    self._wake.clear()
                    await self._wake.wait()
                    continue
                result = await self._write_item(self.job, item)
                if result is None:
                    continue
                stops = rule.stops_after(result)
                await self._note_result(self.job, item, result)
                if stops:
                    self._pause_because(str(result.error))
            self._has_come_to_its_end = not self.is_over
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
            self.job = job.as_known(await jobs.load(job.id))
        except StoreUnavailable as error:
            self._pause_because(f"The job cannot be saved: {error}")
            return
        raise held_by(self.job.runner or "Another linkdash")

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
        self._claimed = ""
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
        intent, agreed = item.intent, self._overwrite
        if shows(intent) and intent.read_at is None:  # it comes from the store
            intent = replace(intent, read_at=job.created)
        with self._counted_reads(job, self._collections.of(declaration(intent.resource))):
            return await self._writes.carry_out(
                intent,
                lane=self._lane,
                claim=lambda origin: self._claim(item, origin),
                overwrite=agreed if isinstance(agreed, bool) else agreed.get(item.position, False),
            )

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
        self._claimed = origin
        self.job = self.job.after(item.position, ItemState.SENT, origin=origin)
        self._changed()

    async def _read_again(self) -> None:
        """Learn what another process has done of this job."""
        try:
            if not await self.find_out():
                self._pause_because("The job was discarded.")
        except StoreUnavailable as error:
            self._pause_because(str(error))

    async def _note_result(self, job: Job, item: JobItem, result: WriteResult) -> None:
        """Show how the write of an item ended; the journal has it."""
        if isinstance(result.error, ChangedElsewhere):
            self.clashes[item.position] = result.error
        origin, jobs = self._claimed, self._context.store.jobs
        jobs.ended(origin)
        if is_retryable(result.error):
            self.job = job.with_item(item)
            self._changed()
            if origin:
                try:
                    await jobs.give_back(job.id, item, origin)
                except StoreUnavailable as error:
                    self._pause_because(f"The job cannot be saved: {error}")
            return
        message = "" if result.error is None else str(result.error)
        made = identifier_in(result.answer) if result.intent.action == "create" else None
        self.job = job.after(item.position, state_after(result.outcome), message, created_id=made)
        self._changed()

    def _pause_because(self, trouble: str) -> None:
        if self.phase is Phase.RUNNING:
            self.phase = Phase.PAUSED if self._is_attended else Phase.OVER
        self.trouble = trouble
        self._changed()
