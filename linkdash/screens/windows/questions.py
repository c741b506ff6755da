"""The words of the questions asked before a change."""

from collections.abc import Collection, Sequence

from linkdash.api.budget.lanes import Lane
from linkdash.api.inert_text import MARKS
from linkdash.model.declaration import Taken
from linkdash.model.humanize import counted, shortened, with_article
from linkdash.model.session import Session
from linkdash.model.writes.guard import ChangedElsewhere
from linkdash.model.writes.write_words import record_of, subject, summary_of
from linkdash.screens.frame_entries import is_production
from linkdash.screens.windows.confirm import ConfirmScreen
from linkdash.store.journal_entry import WriteIntent
from linkdash.widgets.panel import PanelText
from linkdash.widgets.styled_text import Piece, Tone

_LONGEST_TYPED = 100
_HOST_CELLS = 60
_BELOW = "    "
NO_WAY_BACK = "A delete cannot be undone."
DELETE = "Delete"
ONLY_BY_SUBSCRIBING = (
    "Undo can only subscribe to the previous plan again: the service cannot cancel a subscription."
)
ANEW = "The service cannot cancel a subscription: this subscribes again."
TYPED_FROM = 5
"""Records from which on their number has to be typed before they are deleted."""


def deletion(
    title: str, losses: Sequence[str], way_back: str, session: Session, *, typed: str | None
) -> ConfirmScreen:
    """Ask whether one record is to be deleted; `typed` has to be typed before, if anything."""
    lines: list[Piece | str] = [*map(lost, losses), way_back]
    return ConfirmScreen(title, lines, DELETE, facts=_where(session), typed=typed, is_danger=True)


def lost(words: str) -> Piece:
    """A line about what is lost."""
    return Piece(words, Tone.BAD, bold=True)


def _where(session: Session) -> dict[str, str]:
    return {"Profile": f"{session.settings.profile} · {session.settings.host}"}


def typable(name: str, id: int) -> str:
    """Return what is to be typed to mean a record: its name, or its id where that cannot be typed."""
    name = name.strip()
    return name if 0 < len(name) <= _LONGEST_TYPED and MARKS.isdisjoint(name) else str(id)


def bulk(
    title: str,
    count: int,
    listed: Sequence[str],
    session: Session,
    lines: PanelText,
    *,
    yes: str,
    reads: int = 0,
    typed: bool = False,
    lost: Collection[str] = (),
) -> ConfirmScreen:
    """Ask whether so many writes are to be done: `listed` a line or several each, where and at what cost.

    The `reads` are those that it takes besides. Where `typed` says so, their number must be typed. Those of
    the lines that are `lost` tell of a loss, which is a danger.
    """
    quote = session.gate.quote(count + reads, Lane.TASK)
    first = " Your own actions go first meanwhile." if quote.later else ""
    again = " What is queued is read again before it is sent." if quote.later and reads else ""
    parts = f"{counted(count, 'change')}, {counted(reads, 'read')} · " if reads else ""
    cost = f"{parts}{quote}.{first}{again}"
    return ConfirmScreen(
        f"{title}?",
        lines,
        f"{yes} {count:,}" if yes == DELETE else yes,
        facts={**_where(session), "Cost": cost},
        typed=str(count) if typed else None,
        listed=listed,
        lost=lost,
        is_danger=bool(lost) or yes == DELETE,
    )


def nameless(singular: str, session: Session) -> ConfirmScreen:
    """Ask whether a record is to be created without a name."""
    title = f"Create {with_article(singular)} without a name?"
    return ConfirmScreen(title, ["The service names it."], "Create", facts=_where(session))


def doubtful(intent: WriteIntent, doubt: str, session: Session) -> ConfirmScreen:
    """Ask whether to send what may not be meant."""
    title = f"{_sentence(summary_of(intent))[:-1]}?"
    return ConfirmScreen(title, [Piece(doubt, Tone.WARNING)], "Send", facts=_where(session))


def subscribing(taken: Taken, session: Session, is_you: Sequence[str]) -> ConfirmScreen:
    """Ask whether a subscription that takes something away, or costs more, is to be sent."""
    intent, listed = taken.intent, _in_columns(taken.changes)
    title = f"{_sentence(summary_of(intent))[:-1]}?"
    if intent.is_undo:
        title = _undo_title(record_of(intent).called)
    lines = zip(taken.changes, listed, strict=True)
    return ConfirmScreen(
        title,
        [*map(lost, is_you), ANEW if intent.is_undo else ONLY_BY_SUBSCRIBING],
        "Undo" if intent.is_undo else "Subscribe",
        facts=_where(session),
        listed=listed,
        lost={line for change, line in lines if change in taken.losses},
        is_danger=bool(taken.losses),
    )


def _in_columns(changes: Sequence[str]) -> list[str]:
    """Changes, `Plan: Pro → Starter`, with what is changed in a column of its own."""
    parts = [change.partition(": ") for change in changes]
    room = max((len(label) for label, is_told, _ in parts if is_told), default=0) + 2
    return [f"{_BELOW}{label + is_told:<{room}}{value}" for label, is_told, value in parts]


def resubscribing(
    name: str, changes: Sequence[str], session: Session, before: Sequence[str]
) -> ConfirmScreen:
    """Ask whether a user is to be subscribed to the plan before again; the lines `before` are told first."""
    lines = [*before, ANEW]
    facts = {**_where(session), "Cost": str(session.gate.quote(2, Lane.WRITE))}  # the user is read before
    return ConfirmScreen(_undo_title(name), lines, "Undo", facts=facts, listed=_in_columns(changes))


def _undo_title(user: str) -> str:
    return f"Undo the subscription of {user}?"


def reading_many(what: str, count: int, session: Session) -> ConfirmScreen:
    """Ask whether so many reads are to be done at once."""
    lines = ["What was read before stays shown meanwhile."]
    cost = {"Cost": str(session.gate.quote(count, Lane.TASK))}
    return ConfirmScreen(f"Refresh {what}?", lines, "Refresh", facts=cost)


def overwriting(refused: Sequence[ChangedElsewhere], writes: int, session: Session) -> ConfirmScreen:
    """Ask whether writes, of so many, are to replace what others have changed."""
    sides = Piece("As it was → theirs → yours:", Tone.MUTED)
    if writes == 1:
        (one,) = refused
        left = "What you left alone stays as it is now."
        facts = {**_where(session), "Cost": "2 requests: it is read once more before"}
        return ConfirmScreen(
            f"Save {subject(one.intent)} anyway?",
            [_warned(_sentence(one.cause)), left, sides],
            "Save",
            facts=facts,
            listed=[f"{_BELOW}{clash}" for clash in one.clashes],
        )
    listed = [
        line
        for one in refused
        for line in (f"{subject(one.intent)}: {one.cause}", *(f"{_BELOW}{clash}" for clash in one.clashes))
    ]
    changed = _warned(f"Others have changed {len(refused)} of {writes:,} since they were shown.")
    return ConfirmScreen(
        "Overwrite their changes?",
        [changed, sides],
        "Overwrite",
        no="Leave out",
        facts=_where(session),
        listed=listed,
    )


def _warned(words: str) -> Piece:
    return Piece(words, Tone.WARNING, bold=True)


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
        ["The link does not clearly show where it leads:", Piece(link, Tone.LINK)],
        "Open",
    )


def switching(name: str, host: str, typed: Sequence[str], left: int) -> ConfirmScreen | None:
    """Ask whether to switch to a profile; None where nothing is open and it is not in production.

    `typed` are the places with a form that is not saved; `left` items of a bulk job wait.
    """
    lines: list[Piece | str] = [_warned(f"It is in production: {host}")] if is_production(name) else []
    if typed:
        lines.append("Forms that are not saved are kept as drafts, without passwords:")
    if left:
        lines.append(f"The bulk job stops with {counted(left, 'item')} left, and can be resumed later.")
    if not lines:
        return None
    return ConfirmScreen(f"Switch to {name}?", lines, "Switch", listed=typed)


def quitting(sent: Sequence[str], queued: Sequence[str], left: int, typed: Sequence[str]) -> ConfirmScreen:
    """Ask whether to quit while changes are on their way or `queued`; `left` items of a bulk job wait.

    `typed` are the places with a form that is not saved, where nothing of it is kept.
    """
    lines: list[Piece | str] = [f"Not sent yet, and not sent any more: {one}." for one in queued]
    if left:
        lines.append(f"The bulk job stops with {counted(left, 'item')} left, and can be resumed later.")
    if typed:
        lines.append(lost(f"What was typed and not saved is lost: {', '.join(typed)}."))
    if sent:
        lines.append("Quitting does not take back what was sent; the journal will call its outcome unknown.")
    return ConfirmScreen("Quit now?", lines, "Quit", listed=sent)
