"""The run of a verb: on a session of its own, to its end or the first signal; and its exit status."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from linkdash.api.errors import LinkdashError
from linkdash.commands.progress_notes import tell_requests, tell_waits
from linkdash.commands.standard_streams import (
    EndedBySignal,
    Loudness,
    heard_signals,
    tell,
    tell_end,
    tell_error,
)
from linkdash.commands.verbs import Verb
from linkdash.model.humanize import counted

if TYPE_CHECKING:
    from linkdash.model.session import Session


T = TypeVar("T")

Call = Callable[["Session", argparse.Namespace], Awaitable[int]]
"""What a verb does; it returns the exit status, and raises LinkdashError."""


def function_of(verb: Verb) -> Call:
    """Return what a verb that needs a session does."""
    if not verb.writes:
        call: Call = verb.function()
        return call
    from linkdash.commands.send_writes import send_planned

    return partial(send_planned, verb.function())


async def run_verb(call: Call, open_session: Callable[[], "Session"], flags: argparse.Namespace) -> int:
    """The exit status of a verb; 128+n where signal n ended it. Raises LinkdashError."""
    session = open_session()
    session.program = flags.command
    if Loudness.verbose:
        tell_requests(session)
    work = (session.keep_handing_in(), session.keep_noting_spending(), tell_waits(session.gate))
    beside = [asyncio.create_task(one) for one in work]
    raised = ""
    try:
        await session.know_distance()
        return await until_a_signal(call(session, flags), session)
    except LinkdashError as error:
        raised = str(error)
        raise
    finally:
        for task in beside:
            task.cancel()
        await session.close()
        team = session.store.team
        if team is not None and team.handed_in:
            entries = counted(team.handed_in, "entry", "entries")
            tell(f"Handed in to the team's store: {entries} kept here while it was away.")
        for notice in session.notices:
            if notice != raised:
                tell_error(notice)


async def until_a_signal(work: Awaitable[int], session: "Session | None" = None) -> int:
    """Return the result of some work; 128+n, and a line that says so, where signal n ended it.

    The work is cancelled, but a job of `session` that is under way is stopped first, which ends the work.
    """
    stop, status = _Stop(session, asyncio.current_task()), 0
    try:
        with stop.listening():
            status = await work
    except EndedBySignal as ended:
        stop.status = ended.status
    except asyncio.CancelledError:
        if not stop.status:
            raise
    if stop.status:
        tell_end(stop.status)
    return stop.status or status


class _Stop:
    """The end of a verb at a signal; a second one ends it without waiting for a change that was sent."""

    def __init__(self, session: "Session | None", task: "asyncio.Task[object] | None") -> None:
        self.status = 0
        """128 + the number of the signal; 0 where none came."""
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
        is_first, self.status = not self.status, 128 + number
        if is_first and self._session is not None and not self._session.jobs.is_over:
            self._session.jobs.stop()  # waits for the change that was sent
        elif self._task is not None:
            self._task.cancel()


async def to_its_end(session: "Session", write: Coroutine[object, object, T]) -> T:
    """Return the result of a write. One that was sent is waited for even where a signal ends the verb.

    A task group of AnyIO cancels what it holds again and again; that counts once.
    """
    sending = asyncio.ensure_future(write)
    try:
        return await asyncio.shield(sending)
    except asyncio.CancelledError:
        if (jobs := session.begun_jobs) is not None and not jobs.is_over:
            jobs.stop()  # waits for the change that was sent
        elif session.gate.state.queued:
            sending.cancel()
            tell("The queued change was not sent.")
        else:
            tell("Waiting for the answer to the change that was sent.")
        from anyio import CancelScope

        with CancelScope(shield=True):
            await asyncio.wait({sending})
        raise
