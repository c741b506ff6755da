"""The budget in words and signs: its level, and those that spend."""

from linkdash.widgets.styled_text import Tone

_LOW, _NEARLY_NONE = 1 / 3, 1 / 10  # of the limit


def level(remaining: int, limit: int) -> tuple[str, Tone]:
    """Return how much of a budget is left, in a word, and its tone."""
    if remaining <= 0:
        return "none", Tone.BAD
    if remaining <= limit * _NEARLY_NONE:
        return "almost none", Tone.BAD
    if remaining <= limit * _LOW:
        return "low", Tone.WARNING
    return ("enough" if remaining < limit else "full"), Tone.GOOD


SERIES = (
    ("●", Tone.TREND),
    ("■", Tone.SECOND),
    ("◆", Tone.THIRD),
    ("✚", Tone.FOURTH),
    ("◇", Tone.FIFTH),
)
"""The sign and the hue of each of several that spend."""
