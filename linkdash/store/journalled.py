"""Writes that are recorded before they are sent and again when their outcome is known."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from linkdash.api.budget import Lane
from linkdash.api.envelope import Members
from linkdash.api.errors import NotSent, OutcomeUnknown, ServiceError
from linkdash.api.request import Request, Sender
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal import Journal, Outcome, Write


@dataclass(frozen=True)
class Purpose:
    """What a write is for, as the journal tells it."""

    words: str
    """What it does: `rename the campaign Spring`."""
    resource: str
    record_id: int | None = None
    """The record it is about; None for one that is to be made."""
    before: Mapping[str, object] | None = None
    """The members that will be changed, as they were."""


def outcome_of(error: ServiceError) -> Outcome:
    """What became of a write that raised `error`."""
    if isinstance(error, NotSent):
        return Outcome.NOT_SENT
    return Outcome.UNKNOWN if isinstance(error, OutcomeUnknown) else Outcome.REJECTED


class JournalledSender:
    """Sends writes for one purpose through another sender, each with its entry in the journal.

    A write that cannot be recorded is not sent.
    """

    def __init__(self, sender: Sender, journal: Journal, purpose: Purpose) -> None:
        self._sender = sender
        self._journal = journal
        self._purpose = purpose
        self.entry_id: int | None = None
        """The journal's entry of the last write; None before the first."""
        self.answer: Members = {}
        """The members of the last write's answer."""

    async def send(self, request: Request, lane: Lane) -> Members:
        """The members of the answer. Raises ServiceError: NotSent also where nothing can be recorded."""
        if request.is_read:
            return await self._sender.send(request, lane)
        entry = self.entry_id = await self._begin(request)
        try:
            members = await self._sender.send(request, lane)
        except ServiceError as error:
            await self._finish(entry, outcome_of(error), str(error))
            raise
        except asyncio.CancelledError:
            await asyncio.shield(
                self._finish(entry, Outcome.UNKNOWN, "It was given up while it was under way.")
            )
            raise
        self.answer = members
        await self._finish(entry, Outcome.DONE, answer=members)
        return members

    async def _begin(self, request: Request) -> int:
        purpose = self._purpose
        write = Write(
            method=request.method,
            path=request.path,
            purpose=purpose.words,
            resource=purpose.resource,
            record_id=purpose.record_id,
            body=request.body,
            before=purpose.before,
        )
        try:
            return await self._journal.begin(write)
        except StoreUnavailable as error:
            raise NotSent(
                f"The journal cannot be written, so this change was not sent: {error.what}", error.advice
            ) from None

    async def _finish(
        self, entry: int, outcome: Outcome, message: str = "", answer: Members | None = None
    ) -> None:
        """Records an outcome. Where that fails, the entry reads as interrupted, which is true."""
        requests = 0 if outcome is Outcome.NOT_SENT else 1
        try:
            await self._journal.finish(entry, outcome, message, requests=requests, answer=answer)
        except StoreUnavailable:
            return
