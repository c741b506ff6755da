"""The used share of an allowance as a sign and a tone."""

from linkdash.model.humanize import ATTENTION
from linkdash.model.insight.allowances import PlanAllowance
from linkdash.widgets.styled_text import Tone


def allowance_sign(one: PlanAllowance) -> tuple[str, Tone]:
    """Return the sign, empty where enough is left, and the tone of it and of the gauge."""
    if one.is_used_up:
        return "✗", Tone.BAD
    return (ATTENTION, Tone.WARNING) if one.is_nearly_used else ("", Tone.GOOD)


def plan_advice(is_admin: bool, plans: str, users: str) -> str:
    """Words on how the account's plan gets known, which only the lists of plans and users tell."""
    if not is_admin:
        return "Only an admin's key can load it."
    return f"{plans} and {users} load it with an admin's key, 2 requests."
