"""The words of the questions asked before a change."""

from collections.abc import Sequence
from datetime import datetime

from linkdash.api.budget.lanes import Lane
from linkdash.api.inert_text import inert
from linkdash.model.humanize import ago, counted, shortened
from linkdash.model.session import Session
from linkdash.model.writes.conflicts import Conflict
from linkdash.screens.frame_entries import is_production
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.store.journal_entry import JournalEntry

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_LONGEST_TYPED = 100
_HOST_CELLS = 60
NO_WAY_BACK = "A delete cannot be undone."
DELETE_ALL = "Delete all"
ONLY_BY_SUBSCRIBING = (
    "Undo can only subscribe to the plan before again: the service takes no subscription back."
)
TYPED_FROM = 5
"""Records from which on their number has to be typed before they are deleted."""


def deletion(title: str, losses: Sequence[str], session: Session, *, typed: str | None) -> ConfirmScreen:
    """Ask whether one record is to be deleted; `typed` has to be typed before, if anything."""
    lines = [*losses, NO_WAY_BACK, _where(session)]
    return ConfirmScreen(title, lines, "Delete", typed=typed, is_danger=True)


def _where(session: Session) -> str:
    return f"Profile {session.settings.profile} · {session.settings.host}"


def typable(name: str, id: int) -> str:
    """Return what is to be typed to mean a record: its name, or its id where that cannot be typed."""
    name = name.strip()
    return (
        name if 0 < len(name) <= _LONGEST_TYPED and name == inert(name) and _UNKNOWN not in name else str(id)
    )


def bulk(
    title: str,
    count: int,
    listed: Sequence[str],
    session: Session,
    lines: Sequence[str],
    *,
    yes: str,
    reads: int = 0,
    typed: bool = False,
    is_danger: bool = False,
) -> ConfirmScreen:
    """Ask whether so many writes are to be done: `listed` a line or several each, where and at what cost.

    The `reads` are those that it takes besides. Where `typed` says so, their number must be typed.
    """
    quote = session.gate.quote(count + reads, Lane.TASK)
    first = " Your own actions go first meanwhile." if quote.later else ""
    again = " What waits is read again before it is sent." if quote.later and reads else ""
    parts = f"{counted(count, 'change')}, {counted(reads, 'read')} · " if reads else ""
    cost = f"{parts}{quote}.{first}{again}"
    return ConfirmScreen(
        f"{title}?",
        [*lines, _where(session), cost],
        yes,
        typed=str(count) if typed else None,
        listed=listed,
        is_danger=is_danger or yes == DELETE_ALL,
    )


def subscribing(summary: str, changes: Sequence[str], session: Session, *, is_loss: bool) -> ConfirmScreen:
    """Ask whether a subscription that takes something away, or costs more, is to be sent."""
    title = f"{summary[0].upper()}{summary[1:]}?"
    lines = [*changes, ONLY_BY_SUBSCRIBING, _where(session)]
    return ConfirmScreen(title, lines, "Subscribe", is_danger=is_loss)


def resubscribing(name: str, changes: Sequence[str], session: Session) -> ConfirmScreen:
    """Ask whether a user is to be subscribed to the plan before again."""
    how = "The service takes no subscription back: this subscribes anew."
    lines = [*changes, f"{how} {session.gate.quote(1, Lane.WRITE)}.", _where(session)]
    return ConfirmScreen(f"Undo the subscription of {name}?", lines, "Undo")


def reading_many(what: str, count: int, session: Session) -> ConfirmScreen:
    """Ask whether so many reads are to be done at once."""
    lines = [f"{session.gate.quote(count, Lane.TASK)}.", "What was read before stays shown meanwhile."]
    return ConfirmScreen(f"Refresh {what}?", lines, "Refresh")


def reading_again(title: str, change: JournalEntry, now: datetime) -> ConfirmScreen:
    """Ask whether a record that another user has changed is to be read again before it is edited."""
    when = ago((now - change.begun).total_seconds())
    lines = [
        f"Changed by {change.author} {when}: {change.intent.summary}.",
        "The values shown are older. Reloading costs 1 request.",
    ]
    return ConfirmScreen(f"Reload {title}?", lines, "Reload", no="Edit anyway")


def overwriting(conflicts: Sequence[Conflict], updates: int) -> ConfirmScreen:
    """Ask whether updates, of so many, are to replace what others have changed."""
    sides = "Below: as it was → theirs → yours."
    if updates == 1:
        (conflict,) = conflicts
        lines = [f"{_sentence(conflict.cause)} {sides} What you left alone stays as it is now."]
        lines.append("2 requests: it is read once more before.")
        return ConfirmScreen("Save anyway?", lines, "Save", listed=[*map(str, conflict.clashes)])
    listed = [
        line
        for conflict in conflicts
        for line in (
            f"{conflict.intent.summary}: {conflict.cause}",
            *(f"    {clash}" for clash in conflict.clashes),
        )
    ]
    lines = [f"Others have changed {len(conflicts)} of {updates:,} since they were shown. {sides}"]
    return ConfirmScreen("Overwrite their changes?", lines, "Overwrite", no="Leave out", listed=listed)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def discarding(title: str, left: int) -> ConfirmScreen:
    """Ask whether a bulk job is to be discarded."""
    lines = [
        f"{counted(left, 'change')} of it will not be sent." if left else "Nothing of it is left to do.",
        "What was done stays done; the journal keeps it.",
    ]
    return ConfirmScreen(f"Discard the job: {title}?", lines, "Discard")


def opening(link: str, host: str) -> ConfirmScreen:
    """Ask whether a link is to be opened that does not plainly show where it leads."""
    return ConfirmScreen(
        f"Open {shortened(host, _HOST_CELLS)}?",
        ["The link does not clearly show where it leads:", link],
        "Open",
    )


def switching(name: str, host: str, typed: Sequence[str], left: int) -> ConfirmScreen | None:
    """Ask whether to switch to a profile; None where nothing is open and it is not in production.

    `typed` are the places with a form that is not saved; `left` items of a bulk job wait.
    """
    lines = [f"It is in production: {host}"] if is_production(name) else []
    if typed:
        lines.append("Forms that are not saved are kept as drafts, without passwords:")
    if left:
        lines.append(f"The bulk job stops with {counted(left, 'item')} left, and can be resumed later.")
    if not lines:
        return None
    return ConfirmScreen(f"Switch to {name}?", lines, "Switch", listed=typed)


def quitting(on_the_way: Sequence[str], left: int, lost: Sequence[str]) -> ConfirmScreen:
    """Ask whether to quit while something is on its way; `left` items of a bulk job wait.

    `lost` are the places with a form that is not saved, where nothing of it is kept.
    """
    lines = []
    if on_the_way:
        lines.append("Quitting does not take back what was sent; the journal will call its outcome unknown.")
    if left:
        lines.append(f"The bulk job stops with {counted(left, 'item')} left, and can be resumed later.")
    if lost:
        lines.append(f"What was typed and not saved is lost: {', '.join(lost)}.")
    return ConfirmScreen("Quit now?", lines, "Quit", listed=on_the_way)
