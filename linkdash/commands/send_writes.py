"""The one way of a verb's writes: dry run, question, progress, summary, exit status."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from linkdash.api.budget.lanes import Lane
from linkdash.api.errors import InvalidBody
from linkdash.commands.exit_status import FAILED, FINE, REFUSED, UNKNOWN, NotAgreed, WrongUsage, of_error
from linkdash.commands.failures import tell_failure
from linkdash.commands.output import ProgressBar, RowOutput
from linkdash.commands.signals import to_its_end
from linkdash.commands.standard_streams import says_yes, tell, tell_error
from linkdash.commands.verbs import VERBS
from linkdash.commands.write_output import outcome_form, put_result, show, tell_end_of_many
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

STATUSES = {Outcome.DONE: FINE, Outcome.NOT_SENT: FAILED, Outcome.REJECTED: REFUSED, Outcome.UNKNOWN: UNKNOWN}
"""The exit status that an outcome is."""


# ---- what a verb wants to send ----


@dataclass(frozen=True)
class PlannedWrites:
    """The writes of a verb, and what is to be known before they are sent."""

    writes: Sequence[WriteIntent]
    title: str = ""
    """The writes as the question names them."""
    doubts: Sequence[str] = ()
    """What is asked about: what is lost by them, and what looks wrong."""
    is_many: bool = False
    """True if there can be many: their outcomes are a list, and running it again goes on with them."""
    goes_on: bool = False
    """True if a single one, too, is gone on with."""
    begin: Callable[[], Awaitable[tuple[Job, Mapping[int, int]]]] | None = None
    """The job of an import, and the rows of its file, by the positions of their items."""


def planned_one(intent: WriteIntent, losses: Sequence[str] = (), *, goes_on: bool = False) -> PlannedWrites:
    """A single write, and what is lost by it."""
    return PlannedWrites([intent], summary_of(intent), [*losses, *doubts_about([intent])], goes_on=goes_on)


def planned_many(verb: str, resource: AnyResource, writes: Sequence[WriteIntent]) -> PlannedWrites:
    """Writes of one kind: `delete pixel 3`, `delete 40 pixels`."""
    one = len(writes) == 1
    title = summary_of(writes[0]) if one else f"{verb} {counted(len(writes), resource.singular)}"
    return PlannedWrites(writes, title, doubts_about(writes), is_many=True)


NOTHING = PlannedWrites((), is_many=True)
"""There is nothing to send, which was said."""


def doubts_about(wanted: Sequence[WriteIntent]) -> list[str]:
    """Return what is asked about before writes are sent, each once."""
    doubts = (declaration(intent.resource).doubt(intent) for intent in wanted)
    return [*dict.fromkeys(filter(None, doubts))]


# ---- the one way of all of them ----


async def send_planned(
    plans: Callable[[Session, argparse.Namespace], Awaitable[PlannedWrites]],
    session: Session,
    flags: argparse.Namespace,
) -> int:
    """Send what a verb plans, and say how it ended; with --dry-run it is only shown.

    Before many writes it asks, and where there is doubt, unless --yes says that there is no need. What it
    would replace of others it replaces where the user agrees, or with --overwrite. Raises LinkdashError.
    """
    plan = await plans(session, flags)
    if not plan.writes:
        if plan.is_many:
            RowOutput(outcome_form(flags)).end()
        return FINE
    if flags.dry_run:
        for doubt in plan.doubts:
            tell(doubt)
        await show(plan.writes, flags)
        return FINE
    if not flags.yes and (VERBS[flags.command].asks or len(plan.writes) > 1 or plan.doubts):
        _agree(session, plan)
    if not (plan.is_many or plan.goes_on):
        return await to_its_end(session, _sent(session, plan.writes[0], flags), plan.writes[0])
    try:
        job, rows = await _begun(session, plan)
    except StoreAway:
        if len(plan.writes) > 1 or plan.begin is not None:
            raise
        return await to_its_end(session, _sent(session, plan.writes[0], flags), plan.writes[0])
    return await _run_job(session, job, flags, rows, is_many=plan.is_many)


def _agree(session: Session, plan: PlannedWrites) -> None:
    """Ask the user. Raises WrongUsage without a terminal, NotAgreed for a no."""
    if not sys.stdin.isatty():
        what = "; ".join((plan.title, *plan.doubts))
        raise WrongUsage(f"Confirmation is needed to {what}.", "Add --yes. Nothing was sent.")
    for doubt in plan.doubts:
        tell(doubt)
    requests = len(plan.writes) + reads_for(session.collections, plan.writes)
    title = f"{plan.title[0].upper()}{plan.title[1:]}"
    if not says_yes(f"{title}? {session.gate.quote(requests, Lane.TASK)}."):
        raise NotAgreed("Nothing was sent.")
    session.collections.forget_reads()


async def _begun(session: Session, plan: PlannedWrites) -> tuple[Job, Mapping[int, int] | None]:
    """The job of these writes: one that is gone on with, or a new one."""
    if plan.begin is not None:
        return await plan.begin()
    job, is_begun = await session.jobs.begun_or_new(plan.title, plan.writes)
    if is_begun:
        tell(going_on_words(job))
    return job, None


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
    if not says_yes(f"{f'Overwrite it with {yours}' if yours else 'Send it'}?"):
        raise LeftOut("Not overwritten.", NOTHING_SENT)


def _agree_to_overwrite_all(refused: Collection[ChangedElsewhere], writes: int) -> bool:
    """Tell all that was left out of many writes, and ask once; False without a terminal."""
    for one in refused:
        tell_error(one.what)
    return says_yes(f"Others have changed {len(refused)} of {writes}. Send all the same?")


# ---- many writes ----


class LeftOut(InvalidBody):
    """A write, or some of many, was not sent, as others have changed its record."""


async def _run_job(
    session: Session, job: Job, flags: argparse.Namespace, rows: Mapping[int, int] | None, *, is_many: bool
) -> int:
    """Do what is left of a job, and write the outcome of each of its writes as it ends.

    What others have changed is asked about at the end, once for all that was left out. `rows` are the rows
    of a file that are left, by the positions of their items.
    """
    jobs = session.jobs
    bar, output = ProgressBar(len(job.items), job.title), RowOutput(outcome_form(flags), is_list=is_many)
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
        while (asked := jobs.to_ask) and _agree_to_overwrite_all(asked.values(), len(job.items)):
            await jobs.run(jobs.current(job), overwrite=asked, is_attended=False)
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
