"""Sending the writes of a verb: one, or many as a job; dry run, agreement, exit status."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Sequence, Sized
from contextlib import suppress

from linkdash.api.budget.lanes import Lane
from linkdash.commands.exit_status import FAILED, FINE, REFUSED, UNKNOWN, NotAgreed, WrongUsage, of_error
from linkdash.commands.failures import tell_failure
from linkdash.commands.output import ProgressBar
from linkdash.commands.run_verb import to_its_end
from linkdash.commands.standard_streams import ask, tell
from linkdash.commands.write_output import OutcomeOutput, put_result, show, tell_end_of_many
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.writes.bulk_job import NO_UPDATES, Updates, as_read, going_on_words
from linkdash.model.writes.conflicts import ChangedElsewhere, Clash, Conflict
from linkdash.model.writes.updating import Update, renewed, shows
from linkdash.model.writes.write_words import summary_of
from linkdash.store.database import StoreAway, StoreUnavailable
from linkdash.store.job import ItemState, Job, JobItem
from linkdash.store.journal_entry import Outcome, WriteIntent

STATUSES = {
    Outcome.DONE: FINE,
    Outcome.NOT_SENT: FAILED,
    Outcome.REJECTED: REFUSED,
    Outcome.UNKNOWN: UNKNOWN,
}
"""The exit status that an outcome is."""


# ---- one write ----


async def send_one(
    session: Session, intent: WriteIntent, flags: argparse.Namespace, *, overwrite: bool = False
) -> int:
    """Send a write and say how it ended; with --dry-run it is only shown.

    With `overwrite` also an update that replaces what others change while it waits for its turn.
    """
    doubts = doubts_about([intent])
    if flags.dry_run:
        for doubt in doubts:
            tell(doubt)
        await show([intent], flags.format)
        return 0
    if doubts and not flags.yes:
        agree(session, summary_of(intent), 1, doubts)
    return await to_its_end(session, _sent(session, intent, flags, overwrite=overwrite))


async def _sent(session: Session, intent: WriteIntent, flags: argparse.Namespace, *, overwrite: bool) -> int:
    result = await session.writes.carry_out(intent, overwrite=overwrite)
    put_result(result, flags)
    return FINE if result.error is None else of_error(result.error)


# ---- what others have changed ----


async def agreed_update(
    made: Update, make_again: Callable[[], Awaitable[Update]], flags: argparse.Namespace
) -> Update:
    """An update that replaces what others have changed only where the user agrees, or with --overwrite.

    It is made again after the question, and asked about again where others have changed more meanwhile.
    Raises ChangedElsewhere.
    """
    agreed: Sequence[Clash] = ()
    while made.conflict is not None and made.conflict.clashes != agreed and not flags.overwrite:
        _agree_to_overwrite(made.conflict, flags)
        agreed = made.conflict.clashes
        made = await make_again()
    return made


def _agree_to_overwrite(conflict: Conflict, flags: argparse.Namespace) -> None:
    """Ask the user. Raises ChangedElsewhere for a no, and without a terminal."""
    yours = ", ".join(f"{clash.title} {clash.yours}" for clash in conflict.clashes)
    if sys.stdin.isatty() and not flags.dry_run:
        tell(f"{conflict}.")
        if ask(f"Overwrite it with {yours}? Type yes:").lower() == "yes":
            return
        raise ChangedElsewhere("Not overwritten.", NOTHING_SENT)
    raise ChangedElsewhere(f"{conflict}.", f"--overwrite sends {yours}. {NOTHING_SENT}")


# ---- many writes ----


def status_with_conflicts(
    conflicts: Sized, what: str, sent: str, status: int, flags: argparse.Namespace
) -> int:
    """The status of many writes, with those told that were left out as others have changed their records."""
    if not conflicts:
        return status
    left_out = f"{counted(len(conflicts), what)} changed elsewhere, not sent."
    error = ChangedElsewhere(left_out, f"--overwrite sends {sent}.")
    if not status:
        return tell_failure(error, flags)
    tell(str(error))
    return status


def job_title(verb: str, resource: AnyResource, wanted: Sequence[WriteIntent]) -> str:
    """Writes of one kind as a question names them: `delete pixel 3`, `delete 40 pixels`."""
    return summary_of(wanted[0]) if len(wanted) == 1 else f"{verb} {counted(len(wanted), resource.singular)}"


async def send_all(
    session: Session,
    wanted: Sequence[WriteIntent],
    title: str,
    flags: argparse.Namespace,
    *,
    overwrite: bool = False,
) -> int:
    """Send writes, several as a job; ask before, unless --yes says that there is no need.

    With `overwrite` also updates that replace what others change while they wait for their turn.
    """
    if flags.dry_run:
        await show(wanted, flags.format)
        return 0
    doubts = doubts_about(wanted)
    if flags.yes or (len(wanted) == 1 and wanted[0].action != "delete" and not doubts):
        return await send_agreed(session, wanted, title, flags, overwrite=overwrite)
    agree(session, title, len(wanted), doubts)
    updates = await _read_again(session, wanted)  # others may have changed them meanwhile
    return await send_agreed(session, wanted, title, flags, updates, overwrite=overwrite)


async def send_agreed(
    session: Session,
    wanted: Sequence[WriteIntent],
    title: str,
    flags: argparse.Namespace,
    updates: Updates | None = None,
    *,
    overwrite: bool = False,
) -> int:
    """Send writes that were agreed to, as a job that can be resumed; the rest as in `send_all`.

    `updates` are those that were made anew after the question, by their positions.
    """
    updates = as_read(wanted) if updates is None else updates
    try:
        job = await session.jobs.begun(wanted)
    except StoreAway:
        if len(wanted) > 1:
            raise
        return await to_its_end(session, _sent(session, wanted[0], flags, overwrite=overwrite))
    if job is not None:
        tell(going_on_words(job))
    else:
        job = await session.jobs.create(title, wanted)
    return await run_job(session, job, flags, updates, overwrite=overwrite)


async def _read_again(session: Session, wanted: Sequence[WriteIntent]) -> Updates:
    """Return the updates among writes of one resource, made of their records as they are now."""
    planned = {at: intent for at, intent in enumerate(wanted) if shows(intent)}
    return await renewed(session, session.collection(wanted[0].resource), planned, session.moment())


def doubts_about(wanted: Sequence[WriteIntent]) -> list[str]:
    """Return what is asked about before writes are sent, each once."""
    doubts = (declaration(intent.resource).doubt(intent) for intent in wanted)
    return [*dict.fromkeys(filter(None, doubts))]


def agree(session: Session, title: str, requests: int, changes: Sequence[str] = ()) -> None:
    """Ask the user, with what changes. Raises WrongUsage without a terminal, NotAgreed for a no."""
    if not sys.stdin.isatty():
        what = "; ".join((title, *changes))
        raise WrongUsage(f"Confirmation is needed to {what}.", "Add --yes. Nothing was sent.")
    for change in changes:
        tell(change)
    question = f"{title[0].upper()}{title[1:]}? {session.gate.quote(requests, Lane.TASK)}. Type yes:"
    if ask(question).lower() != "yes":
        raise NotAgreed("Nothing was sent.")


async def run_job(
    session: Session,
    job: Job,
    flags: argparse.Namespace,
    updates: Updates = NO_UPDATES,
    *,
    overwrite: bool = False,
) -> int:
    """Do what is left of a job, and write the outcome of each of its writes as it ends."""
    bar, told, output = ProgressBar(len(job.items), job.title), set[int](), OutcomeOutput(flags)
    trouble = ""

    def changed() -> None:
        nonlocal trouble
        current = session.jobs.current(job)
        for item in current.items:
            if item.position not in told and item.state not in (ItemState.PENDING, ItemState.SENT):
                told.add(item.position)
                bar.end()
                output.add(_item_line(item))
        bar.show(current.over)
        if session.jobs.is_paused:  # there is no one to resume it
            trouble = session.jobs.trouble
            session.jobs.stop()

    unwatch = session.job_changes.watch(changed)
    try:
        await session.jobs.run(job, updates, overwrite=overwrite)
    finally:
        unwatch()
        bar.end()
        output.end()
    over = session.jobs.current(job)
    if over.left == len(over.items):  # nothing of it was sent, so there is nothing to go on from
        with suppress(StoreUnavailable):
            await session.jobs.discard(over)
    return _told_status(over, trouble, flags)


def _word(state: ItemState) -> str:
    """Return the outcome of an item, in the words of a single write."""
    return Outcome.REJECTED.value if state is ItemState.FAILED else state.value


def _item_line(item: JobItem) -> dict[str, object]:
    line: dict[str, object] = {"outcome": _word(item.state), "what": summary_of(item.intent)}
    return {**line, "message": item.message} if item.message else line


def _told_status(job: Job, trouble: str, flags: argparse.Namespace) -> int:
    counts = job.counts
    parts = [f"{counts[ItemState.DONE]} done"]
    bad = (ItemState.FAILED, ItemState.UNKNOWN)
    parts += [f"{counts[state]} {_word(state)}" for state in bad if counts[state]]
    parts += [f"{job.left} left"] if job.left else []
    advice = ["Run the same command again to continue."] if job.left else []
    if counts[ItemState.UNKNOWN]:
        advice = [
            "linkdash journal --check checks those of unknown outcome; then run the same command again."
        ]
    outcome = _worst(job)
    told = f"{trouble} Finished: {', '.join(parts)}.".strip()
    tell_end_of_many(outcome, STATUSES[outcome], told, " ".join(advice), flags)
    return STATUSES[outcome]


def _worst(job: Job) -> Outcome:
    """Return the outcome that decides the status of a job."""
    if job.counts[ItemState.UNKNOWN]:
        return Outcome.UNKNOWN
    if job.counts[ItemState.FAILED]:
        return Outcome.REJECTED
    return Outcome.NOT_SENT if job.left else Outcome.DONE
