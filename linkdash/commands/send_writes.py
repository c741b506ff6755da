"""Sending the writes of a verb: one, or many as a job; dry run, agreement, exit status."""

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import InvalidBody
from linkdash.commands.exit_status import FAILED, FINE, REFUSED, UNKNOWN, NotAgreed, WrongUsage, of_error
from linkdash.commands.failures import tell_failure
from linkdash.commands.output import ProgressBar
from linkdash.commands.run_verb import to_its_end
from linkdash.commands.standard_streams import ask, tell, tell_error
from linkdash.commands.write_output import OutcomeOutput, put_result, show, tell_end_of_many
from linkdash.model.declaration import AnyResource, declaration
from linkdash.model.file_text import NOTHING_SENT
from linkdash.model.humanize import counted
from linkdash.model.session import Session
from linkdash.model.writes.guard import ChangedElsewhere, reads_for
from linkdash.model.writes.runner import going_on_words
from linkdash.model.writes.write_words import summary_of
from linkdash.store.database import StoreAway
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


async def send_one(session: Session, intent: WriteIntent, flags: argparse.Namespace) -> int:
    """Send a write and say how it ended; with --dry-run it is only shown.

    What it would replace of others it replaces where the user agrees, or with --overwrite. Raises
    ChangedElsewhere.
    """
    doubts = doubts_about([intent])
    if flags.dry_run:
        for doubt in doubts:
            tell(doubt)
        await show([intent], flags.format)
        return 0
    if doubts and not flags.yes:
        agree(session, summary_of(intent), 1, doubts)
    return await to_its_end(session, _sent(session, intent, flags))


async def _sent(session: Session, intent: WriteIntent, flags: argparse.Namespace) -> int:
    result = await session.writes.carry_out(intent, overwrite=_overwrites(flags))
    while isinstance(refusal := result.error, ChangedElsewhere):
        _agree_to_overwrite(refusal, flags)
        result = await session.writes.carry_out(intent, overwrite=refusal)
    put_result(result, flags)
    return FINE if result.error is None else of_error(result.error)


# ---- what others have changed ----


def _overwrites(flags: argparse.Namespace) -> bool:
    """Return whether the verb has --overwrite, and it is given."""
    return bool(getattr(flags, "overwrite", False))


def _agree_to_overwrite(refusal: ChangedElsewhere, flags: argparse.Namespace) -> None:
    """Ask the user. Raises ChangedElsewhere for a no, and without a terminal."""
    yours = ", ".join(f"{clash.title} {clash.yours}" for clash in refusal.clashes if clash.yours)
    if not sys.stdin.isatty():
        if yours and hasattr(flags, "overwrite"):
            refusal.advice = f"--overwrite sends {yours}. {NOTHING_SENT}"
        raise refusal
    tell(refusal.what)
    if ask(f"{f'Overwrite it with {yours}' if yours else 'Send it'}? Type yes:").lower() != "yes":
        raise LeftOut("Not overwritten.", NOTHING_SENT)


def _agree_to_overwrite_all(refused: Collection[ChangedElsewhere], writes: int) -> bool:
    """Tell all that was left out of many writes, and ask once; False without a terminal."""
    for one in refused:
        tell_error(one.what)
    question = f"Others have changed {len(refused)} of {writes}. Send all the same? Type yes:"
    return sys.stdin.isatty() and ask(question).lower() == "yes"


# ---- many writes ----


class LeftOut(InvalidBody):
    """A write, or some of many, was not sent, as others have changed its record."""


def job_title(verb: str, resource: AnyResource, wanted: Sequence[WriteIntent]) -> str:
    """Writes of one kind as a question names them: `delete pixel 3`, `delete 40 pixels`."""
    return summary_of(wanted[0]) if len(wanted) == 1 else f"{verb} {counted(len(wanted), resource.singular)}"


async def send_all(
    session: Session, wanted: Sequence[WriteIntent], title: str, flags: argparse.Namespace
) -> int:
    """Send writes as a job that can be resumed; ask before, unless --yes says that there is no need."""
    doubts = doubts_about(wanted)
    if flags.dry_run:
        await show(wanted, flags.format)
        return 0
    if not flags.yes and (len(wanted) > 1 or wanted[0].action == "delete" or doubts):
        agree(session, title, len(wanted) + reads_for(session.collections, wanted), doubts)
    try:
        job, is_begun = await session.jobs.begun_or_new(title, wanted)
    except StoreAway:
        if len(wanted) > 1:
            raise
        return await to_its_end(session, _sent(session, wanted[0], flags))
    if is_begun:
        tell(going_on_words(job))
    return await run_job(session, job, flags)


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
    session.collections.forget_reads()


async def run_job(
    session: Session, job: Job, flags: argparse.Namespace, rows: Mapping[int, int] | None = None
) -> int:
    """Do what is left of a job, and write the outcome of each of its writes as it ends.

    What others have changed is asked about at the end, once for all that was left out. `rows` are the rows
    of a file that are left, by the positions of their items.
    """
    jobs = session.jobs
    bar, output = ProgressBar(len(job.items), job.title), OutcomeOutput(flags)
    told = set[int]() if rows is None else {*range(len(job.items))} - rows.keys()

    def changed() -> None:
        current = jobs.current(job)
        for item in current.items:
            if item.position not in told and item.state not in (ItemState.PENDING, ItemState.SENT):
                told.add(item.position)
                bar.end()
                output.add(_with_row(item_line(item), item, rows))
        bar.show(current.over)

    unwatch = session.job_changes.watch(changed)
    try:
        await jobs.run(job, overwrite=_overwrites(flags), is_attended=False)
        bar.end()
        if jobs.clashes and _agree_to_overwrite_all(jobs.clashes.values(), len(job.items)):
            await jobs.run(jobs.current(job), overwrite=True, is_attended=False)
    finally:
        unwatch()
        bar.end()
        for item in jobs.current(job).items:
            if item.position in jobs.clashes:
                output.add(_with_row(item_line(item), item, rows))
        output.end()
    over = jobs.current(job)
    await jobs.discard_unsent(over)
    return _told_status(over, len(jobs.clashes), jobs.trouble, flags)


def _word(state: ItemState) -> str:
    """Return the outcome of an item, in the words of a single write."""
    words = {ItemState.FAILED: Outcome.REJECTED, ItemState.PENDING: Outcome.NOT_SENT}
    return words[state].value if state in words else state.value


def item_line(item: JobItem) -> dict[str, object]:
    """Return the outcome of a write of a job, as a line of JSON lines."""
    line: dict[str, object] = {"outcome": _word(item.state), "what": summary_of(item.intent)}
    if (id := item.created_id) is not None:
        line["id"] = id
    return {**line, "message": item.message} if item.message else line


def _with_row(line: dict[str, object], item: JobItem, rows: Mapping[int, int] | None) -> dict[str, object]:
    return line if rows is None else {"row": rows[item.position], **line}


def _told_status(job: Job, clashes: int, trouble: str, flags: argparse.Namespace) -> int:
    """Say how a job ended, of which so many writes were left out as others have changed their records."""
    counts, left = job.counts, job.left - clashes
    parts = [f"{counts[ItemState.DONE]} done"]
    bad = (ItemState.FAILED, ItemState.UNKNOWN)
    parts += [f"{counts[state]} {_word(state)}" for state in bad if counts[state]]
    parts += [f"{left} left"] if left else []
    advice = ["Run the same command again to continue."] if left else []
    if counts[ItemState.UNKNOWN]:
        advice = [
            "linkdash journal --check checks those of unknown outcome; then run the same command again."
        ]
    outcome = _worst(counts, left)
    told = f"{trouble} Finished: {', '.join(parts)}.".strip()
    tell_end_of_many(outcome, STATUSES[outcome], told, " ".join(advice), flags)
    return _told_clashes(job, clashes, STATUSES[outcome], flags)


def _told_clashes(job: Job, clashes: int, status: int, flags: argparse.Namespace) -> int:
    """The status of a job, with how many were left out as others have changed their records."""
    if not clashes:
        return status
    what = counted(clashes, declaration(job.items[0].intent.resource).singular)
    again = (
        "--overwrite sends your values" if hasattr(flags, "overwrite") else "The same command compares anew"
    )
    error = LeftOut(f"{what} changed elsewhere, not sent.", f"{again}.")
    if not status:
        return tell_failure(error, flags)
    tell(str(error))
    return status


def _worst(counts: Mapping[ItemState, int], left: int) -> Outcome:
    """Return the outcome that decides the status of a job."""
    if counts[ItemState.UNKNOWN]:
        return Outcome.UNKNOWN
    if counts[ItemState.FAILED]:
        return Outcome.REJECTED
    return Outcome.NOT_SENT if left else Outcome.DONE
