"""Writes that are recorded before they are sent and again when their outcome is known."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from linkdash.api.budget import Lane
from linkdash.api.envelope import Members
from linkdash.api.errors import NotSent, OutcomeUnknown, ServiceError
from linkdash.api.exchange import NO_OPTIONS, Answer, Options, Request, Sender
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal import Journal, Outcome, Write
from linkdash.store.tasks import Task

Claim = Callable[[], Awaitable[None]]
"""Awaited when the turn of a write has come; raises NotSent where it may not be sent any more."""


def outcome_of(error: ServiceError) -> Outcome:
    """What became of a write that raised `error`."""
    if isinstance(error, NotSent):
        return Outcome.NOT_SENT
    return Outcome.UNKNOWN if isinstance(error, OutcomeUnknown) else Outcome.REJECTED


class JournalledSender:
    """Sends the write of one task through another sender, with an entry in the journal.

    The entry is made when the budget has let the write through, so that one that only waited for its turn
    is never thought to have been sent. A write that cannot be recorded is not sent.
    """

    def __init__(
        self,
        sender: Sender,
        journal: Journal,
        task: Task,
        claim: Claim | None = None,
        lane: Lane | None = None,
    ) -> None:
        """`lane` is None for a person's."""
        self._sender = sender
        self._lane = lane
        self._journal = journal
        self._task = task
        self._claim = claim
        self._entry_id: int | None = None
        self.answer: Members = {}
        """The members of the write's answer."""

    @property
    def has_begun(self) -> bool:
        """Whether the write was recorded, and so may have been sent."""
        return self._entry_id is not None

    async def send(self, request: Request, options: Options = NO_OPTIONS) -> Answer:
        """The answer. Raises ServiceError: NotSent also where nothing can be recorded."""
        if request.is_read:
            return await self._sender.send(request, options)
        lane = options.lane if self._lane is None else self._lane
        try:
            answer = await self._sender.send(request, replace(options, lane=lane, on_admit=self._begin))
        except ServiceError as error:
            await self._finish(outcome_of(error), str(error))
            raise
        except asyncio.CancelledError:
            given_up = self._finish(Outcome.UNKNOWN, "It was given up while it was under way.")
            await asyncio.shield(given_up)
            raise
        self.answer = answer.members
        await self._finish(Outcome.DONE, answer=answer.members)
        return answer

    async def _begin(self, request: Request) -> None:
        if self._claim is not None:
            await self._claim()
        try:
            write = Write.of(self._task, request.method, request.path)
            self._entry_id = await self._journal.begin(write)
        except StoreUnavailable as error:
            raise NotSent(
                f"The journal cannot be written, so this change was not sent: {error.what}", error.advice
            ) from None

    async def _finish(self, outcome: Outcome, message: str = "", answer: Members | None = None) -> None:
        """Records an outcome. Where that fails, the entry reads as interrupted, which is true."""
        if self._entry_id is None:
            return
        requests = 0 if outcome is Outcome.NOT_SENT else 1
        try:
            await self._journal.finish(self._entry_id, outcome, message, requests=requests, answer=answer)
        except StoreUnavailable:
            return
