"""Questions before what cannot be taken back or is much: what will happen, to what, at what cost."""

from collections.abc import Sequence
from datetime import datetime

from linkdash.api.budget import Lane
from linkdash.api.gate import Gate
from linkdash.model.humanize import ago, counted, shortened
from linkdash.screens.frame import is_production
from linkdash.screens.windows import ConfirmScreen
from linkdash.store.journal import JournalEntry

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_LONGEST_TYPED = 100
_HOST_CELLS = 60
NO_WAY_BACK = "A delete cannot be undone."
DELETE_ALL = "Delete all"
TYPED_FROM = 5
"""Records from which on their number has to be typed before they are deleted."""


def deletion(title: str, losses: Sequence[str], *, typed: str | None) -> ConfirmScreen:
    """Asks whether one record is to be deleted; `typed` has to be typed before, if anything."""
    return ConfirmScreen(title, [*losses, NO_WAY_BACK], "Delete", typed=typed, is_danger=True)


def typable(name: str, id: int) -> str:
    """What is to be typed to mean a record: its name, or its id where nobody could type the name."""
    name = name.strip()
    return (
        name if 0 < len(name) <= _LONGEST_TYPED and name.isprintable() and _UNKNOWN not in name else str(id)
    )


def bulk(
    title: str,
    listed: Sequence[str],
    gate: Gate,
    lines: Sequence[str] = (),
    *,
    yes: str,
    typed: bool = False,
) -> ConfirmScreen:
    """Asks whether many writes are to be done: each of them `listed`, with the cost and the time of all.

    Where `typed` says so, their number must be typed.
    """
    cost = f"{gate.quote(len(listed), Lane.TASK)}. Your own actions take priority."
    return ConfirmScreen(
        f"{title}?",
        [*lines, cost],
        yes,
        typed=str(len(listed)) if typed else None,
        listed=listed,
        is_danger=yes == DELETE_ALL,
    )


def reading_again(title: str, change: JournalEntry, now: datetime) -> ConfirmScreen:
    """Asks whether a record that somebody else has changed is to be read again before it is edited."""
    when = ago((now - change.begun).total_seconds())
    lines = [
        f"Changed by {change.author} {when}: {change.intent.summary}.",
        "The values shown are older. Reloading costs 1 request.",
    ]
    return ConfirmScreen(f"Reload {title}?", lines, "Reload", no="Edit anyway")


def discarding(title: str, left: int) -> ConfirmScreen:
    """Asks whether a bulk job is to be discarded."""
    lines = [
        f"{counted(left, 'change')} of it will not be sent." if left else "Nothing of it is left to do.",
        "What was done stays done; the journal keeps it.",
    ]
    return ConfirmScreen(f"Discard the job: {title}?", lines, "Discard")


def opening(link: str, host: str) -> ConfirmScreen:
    """Asks whether a link is to be opened that does not plainly show where it leads."""
    return ConfirmScreen(
        f"Open {shortened(host, _HOST_CELLS)}?", ["The link looks like another:", link], "Open"
    )


def switching(name: str, host: str, typed: Sequence[str], left: int) -> ConfirmScreen | None:
    """Asks whether to switch to a profile; None where nothing is open and it is not in production.

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


def quitting(on_the_way: Sequence[str], left: int) -> ConfirmScreen:
    """Asks whether to quit while something is on its way; `left` items of a bulk job wait."""
    lines = ["Quitting does not take back what was sent; the journal will call its outcome unknown."]
    if left:
        lines.append(f"The bulk job stops with {counted(left, 'item')} left, and can be resumed later.")
    return ConfirmScreen("Quit now?", lines if on_the_way else lines[1:], "Quit", listed=on_the_way)
