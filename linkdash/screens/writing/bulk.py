"""The bulk job under way: its items one after the other, behind whatever a person does meanwhile."""

import asyncio
import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from linkdash.api.budget import Lane
from linkdash.api.client import Endpoints
from linkdash.api.envelope import Members
from linkdash.api.errors import AdminRequired, InvalidBody, KeyRefused, NotSent, RateLimited, ServiceError
from linkdash.store.database import StoreUnavailable
from linkdash.store.jobs import Item, Job, Jobs, State, state_after
from linkdash.store.journal import Outcome
from linkdash.store.journalled import Claim, JournalledSender, outcome_of
from linkdash.store.tasks import Task
from linkdash.widgets.progress import Progress

Send = Callable[[Endpoints, Task], Awaitable[object]]
Ended = Callable[[Item, Members], None]
"""Called with an item that is over and the members of its answer, if it was done."""


class Writing(Protocol):
    """Gives endpoints whose writes are recorded, and their sender."""

    def __call__(
        self, task: Task, lane: Lane | None = None, claim: Claim | None = None
    ) -> tuple[Endpoints, JournalledSender]: ...


class Phase(enum.StrEnum):
    """What a bulk job is doing."""

    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


class _Taken(NotSent):
    """Another process has taken an item of the job."""


@dataclass(frozen=True)
class _End:
    """How the write of one item ended."""

    outcome: Outcome
    message: str = ""
    answer: Members | None = None
    trouble: str = ""
    """Why the items after it would end like it; empty where they need not."""


class Bulk:
    """Runs at most one job at a time. Each item is claimed when its turn has come, so none is sent twice.

    A write of unknown outcome is left alone; two in a row, and anything that no item is to blame for, pause
    the job.
    """

    def __init__(self, jobs: Jobs, writing: Writing) -> None:
        self.job: Job | None = None
        """The job of this run, also when it is over."""
        self.phase = Phase.OVER
        self.trouble = ""
        """Why it has paused by itself."""
        self._jobs = jobs
        self._writing = writing
        self._wake = asyncio.Event()
        self._sending: asyncio.Task[_End] | None = None
        self._is_claimed = False
        self._listeners: list[Callable[[], None]] = []

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` whenever something changed; the result ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    @property
    def is_over(self) -> bool:
        """Whether no job is under way."""
        return self.phase is Phase.OVER

    @property
    def is_paused(self) -> bool:
        """Whether the job waits for a person to go on."""
        return self.phase is Phase.PAUSED

    @property
    def progress(self) -> Progress | None:
        """How far the job is, for the line that every screen has; None where none is under way."""
        job = self.job
        if job is None or self.is_over:
            return None
        failed = job.counts[State.FAILED]
        notes = (f"{failed} failed" if failed else "", "paused" if self.is_paused else "", "B shows it")
        return Progress(job.over, len(job.items), job.title, tuple(filter(None, notes)))

    # ---- what a person may do ----

    def pause(self) -> None:
        """Sends nothing more until `go_on`; what is on its way is waited for."""
        self._change(Phase.PAUSED)

    def go_on(self) -> None:
        """Goes on after a pause."""
        self._change(Phase.RUNNING)

    def stop(self) -> None:
        """Ends the job; what is left of it can be done by running it again."""
        self._change(Phase.OVER)

    def _change(self, phase: Phase) -> None:
        if self.is_over:
            return
        self.phase = phase
        self.trouble = ""
        if phase is not Phase.RUNNING and self._sending is not None and not self._is_claimed:
            self._sending.cancel()
        self._wake.set()
        self._tell()

    def settled(self, job: Job) -> None:
        """Takes over a job that was looked at and found to stand otherwise, if it is the one of this run."""
        if self.job is not None and self.job.id == job.id:
            self.job = job
            self._tell()

    def forget(self, job_id: int) -> None:
        """Shows a job no more that is over."""
        if self.is_over and self.job is not None and self.job.id == job_id:
            self.job = None
            self._tell()

    # ---- running ----

    async def run(self, job: Job, send: Send, ended: Ended) -> None:
        """Does what is left of a job and returns when nothing is, or when it was stopped."""
        assert self.phase is Phase.OVER
        self.job, self.phase, self.trouble = job, Phase.RUNNING, ""
        lost = 0
        self._tell()
        try:
            while not self.is_over and (item := self.job.next_item) is not None:
                if self.is_paused:
                    self._wake.clear()
                    await self._wake.wait()
                    continue
                end = await self._attempt(item, send)
                if end is None:
                    continue
                lost = lost + 1 if end.outcome is Outcome.UNKNOWN else 0
                await self._take(item, end, ended)
                if end.trouble or lost > 1:
                    self._pause_because(end.trouble or end.message)
        finally:
            self.phase = Phase.OVER
            self._tell()

    async def _attempt(self, item: Item, send: Send) -> _End | None:
        """How the write of an item ended; None where it was withdrawn, or done by another process."""
        self._is_claimed = False
        self._sending = asyncio.create_task(self._send(item, send))
        try:
            await asyncio.wait({self._sending})
        finally:
            self._sending.cancel()
        if self._sending.cancelled():
            return None
        try:
            return self._sending.result()
        except _Taken:
            await self._read_again()
            return None

    async def _read_again(self) -> None:
        """Learns what another process has done of this job."""
        assert self.job is not None
        try:
            self.job = await self._jobs.load(self.job.id) or self.job
        except StoreUnavailable as error:
            self._pause_because(str(error))
        self._tell()

    async def _send(self, item: Item, send: Send) -> _End:
        endpoints, sender = self._writing(item.task, Lane.BACKGROUND, lambda: self._claim(item))
        try:
            await send(endpoints, item.task)
        except _Taken:
            raise
        except RateLimited:
            return _End(Outcome.NOT_SENT)
        except (NotSent, KeyRefused, AdminRequired) as error:
            return _End(Outcome.NOT_SENT, trouble=str(error))
        except ServiceError as error:
            return _End(outcome_of(error), str(error))
        except InvalidBody as error:
            return _End(Outcome.REJECTED, str(error))
        return _End(Outcome.DONE, answer=sender.answer)

    async def _claim(self, item: Item) -> None:
        """Raises NotSent where the item is not to be had, or where that cannot be recorded."""
        assert self.job is not None
        try:
            claimed = await self._jobs.claim(self.job.id, item.position)
        except StoreUnavailable as error:
            raise NotSent(f"The job cannot be kept: {error.what}", error.advice) from None
        if not claimed:
            raise _Taken("Another linkdash has taken this one.")
        self._is_claimed = True
        self._set(item, State.SENT)

    async def _take(self, item: Item, end: _End, ended: Ended) -> None:
        self._set(item, state_after(end.outcome), end.message)
        assert self.job is not None
        if self._is_claimed or end.outcome is not Outcome.NOT_SENT:
            try:
                await self._jobs.finish(self.job.id, item.position, end.outcome, end.message)
            except StoreUnavailable as error:
                self._pause_because(f"The job cannot be kept: {error}")
        ended(self.job.items[item.position], end.answer or {})

    def _set(self, item: Item, state: State, message: str = "") -> None:
        assert self.job is not None
        self.job = self.job.after(item.position, state, message)
        self._tell()

    def _pause_because(self, trouble: str) -> None:
        if self.phase is Phase.RUNNING:
            self.phase = Phase.PAUSED
        self.trouble = trouble
        self._tell()

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()
