"""The run of a verb on a session of its own, to its end or the first signal."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from linkdash.api.errors import LinkdashError
from linkdash.commands.progress_notes import tell_requests, tell_waits
from linkdash.commands.signals import until_a_signal
from linkdash.commands.standard_streams import Loudness, tell, tell_error
from linkdash.commands.verbs import Verb
from linkdash.model.humanize import counted

if TYPE_CHECKING:
    from linkdash.model.session import Session


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
    """The exit status of a verb. Raises LinkdashError, EndedBySignal."""
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
