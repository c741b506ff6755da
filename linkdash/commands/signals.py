"""The one handler of signals for verbs: what is under way ends, and a write that was sent is waited for."""

import asyncio
from collections.abc import Awaitable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from linkdash.commands.standard_streams import tell
from linkdash.interrupts import EndedBySignal, heard_signals

if TYPE_CHECKING:
    from linkdash.model.session import Session
    from linkdash.store.journal_entry import WriteIntent

T = TypeVar("T")


async def until_a_signal(work: Awaitable[int], session: "Session | None" = None) -> int:
    """Return the result of some work. Raises EndedBySignal where a signal ended it.

    The work is cancelled, but a job of `session` that is under way is stopped first, which ends the work.
    """
    stop, status = _Stop(session, asyncio.current_task()), 0
    try:
        with stop.listening():
            status = await work
    except asyncio.CancelledError:
        if not stop.number:
            raise
    if stop.number:
        raise EndedBySignal(stop.number)
    return status


class _Stop:
    """The end of a verb at a signal; a second one ends it without waiting for a change that was sent."""

    def __init__(self, session: "Session | None", task: "asyncio.Task[object] | None") -> None:
        self.number = 0
        """The number of the signal; 0 where none came."""
        self._session = session
        self._task = task

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear signals until the block ends."""
        loop = asyncio.get_running_loop()
        heard = heard_signals()
        with suppress(NotImplementedError):
            for number in heard:
                loop.add_signal_handler(number, self._came, number)
        try:
            yield
        finally:
            with suppress(NotImplementedError):
                for number in heard:
                    loop.remove_signal_handler(number)

    def _came(self, number: int) -> None:
        is_first, self.number = not self.number, number
        if is_first and self._session is not None and not self._session.jobs.is_over:
            self._session.jobs.stop()  # waits for the change that was sent
        elif self._task is not None:
            self._task.cancel()


async def to_its_end(
    session: "Session", write: Coroutine[object, object, T], intent: "WriteIntent | None" = None
) -> T:
    """Return the result of a write, or of the job that is run where there is no `intent`.

    What was sent is waited for even where a signal ends the verb, or an agent its call. A task group of AnyIO
    cancels what it holds again and again; that counts once.
    """
    sending = asyncio.ensure_future(write)
    try:
        return await asyncio.shield(sending)
    except asyncio.CancelledError:
        if intent is None:
            session.jobs.stop()
        elif any(one is intent for one in session.writes.sent):
            tell("Waiting for the answer to the change that was sent.")
        elif sending.cancel():  # else it is over
            tell("The queued change was not sent.")
        from anyio import CancelScope

        with CancelScope(shield=True):
            await asyncio.wait({sending})
        raise
