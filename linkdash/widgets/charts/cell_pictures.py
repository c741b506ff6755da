"""Pictures of a few cells: gauge, change, time left, badge."""

from collections.abc import Mapping

from linkdash.model.humanize import (
    ATTENTION,
    ESTIMATED,
    LATER,
    SOON,
    Badge,
    CountChange,
    Ending,
    TermEnd,
    TimeLeft,
)
from linkdash.widgets.styled_text import DIRECTION_TONES, Piece, Tone, fit_text

HEAVY, HALF, LIGHT = "━", "╸", "─"
MORE, LESS, NONE = "▲", "▼", "–"
EDGE = "▔"
"""The line of an axis and of its ticks, at the top of their cells: where columns begin and end."""
CHANGE_CELLS = 8


def gauge(part: float, total: float, cells: int) -> tuple[str, str]:
    """The heavy and the light part of a line; full only when all of it is, empty only when nothing is."""
    if total <= 0 or part <= 0:
        return "", LIGHT * cells
    halves = cells * 2 if part >= total else max(1, min(cells * 2 - 1, round(cells * 2 * part / total)))
    heavy = HEAVY * (halves // 2) + HALF * (halves % 2)
    return heavy, LIGHT * (cells - len(heavy))


def change_pieces(change: CountChange, width: int) -> tuple[Piece, ...]:
    """A change in words and sign, right-aligned in `width` cells."""
    return (Piece(fit_text(change.words, width, "right"), DIRECTION_TONES[change.direction]),)


def time_left_pieces(left: TimeLeft, width: int) -> tuple[Piece, ...]:
    """Return how long something still lasts, right-aligned in `width` cells; what is near stands out."""
    if left.time is None:
        tone = Tone.FAINT
    elif left.is_over:
        tone = Tone.BAD
    else:
        tone = Tone.WARNING if left.is_within(LATER) else Tone.GOOD
    soon = left.is_over or left.is_within(SOON)
    return (Piece(fit_text(time_left_words(left), width, "right"), tone, bold=soon),)


def time_left_words(left: TimeLeft) -> str:
    """`! 11 h`, `! 2 d` within a month, `✓ 88 d` later, `✗ 3 d ago`, `never`; `! ≈ 29 d` of an estimate."""
    if left.time is None:
        return "never"
    estimate = f"{ESTIMATED} " if left.is_estimate else ""
    span = estimate + left.length.replace("days", "d")
    if left.is_over:
        return f"✗ {span} ago"
    return f"{ATTENTION if left.is_within(LATER) else '✓'} {span}"


def badge_pieces(badge: Badge, width: int) -> tuple[Piece, ...]:
    """A word with the sign of its rank, in `width` cells."""
    sign, tone = _RANKS[badge.rank]
    return (Piece(fit_text(f"{sign} {badge.word}", width), tone),)


_RANKS = {"low": ("○", Tone.MUTED), "usual": ("●", Tone.LINK), "high": ("◆", Tone.ICON)}

ENDINGS: Mapping[Ending, tuple[str, Tone]] = {
    "done": ("✓", Tone.GOOD),
    "failed": ("✗", Tone.BAD),
    "unknown": ("?", Tone.WARNING),
    "under way": ("▶", Tone.KEY),
    "waiting": ("·", Tone.MUTED),
}
"""The sign and the tone of each way to end."""


def ended_pieces(value: TermEnd, width: int) -> tuple[Piece, ...]:
    """Return how something ended: a sign, and the words."""
    sign, tone = ENDINGS[value.how]
    return (Piece(fit_text(f"{sign} {value.words}", width), tone),)
