"""The used share of an allowance as a sign and a tone."""

from linkdash.model.humanize import ATTENTION
from linkdash.model.insight.allowances import PlanAllowance
from linkdash.widgets.styled_text import Tone


def allowance_sign(one: PlanAllowance) -> tuple[str, Tone]:
    """Return the sign, empty where enough is left, and the tone of it and of the gauge."""
    if one.is_used_up:
        return "✗", Tone.BAD
    return (ATTENTION, Tone.WARNING) if one.is_nearly_used else ("", Tone.GOOD)
