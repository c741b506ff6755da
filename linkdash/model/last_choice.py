"""The last choices: what was chosen of a list the last time is offered first."""

from collections.abc import Sequence

from linkdash.model.copy_choices import PickerChoice
from linkdash.model.session_services import SessionServices


def _name(question: str) -> str:
    return f"chosen/{question}"


async def last_first(
    session: SessionServices, question: str, choices: Sequence[PickerChoice]
) -> list[PickerChoice]:
    """The same choices, the one of the last time first."""
    last = await session.kept(session.store.preferences.load(_name(question)), None)
    return sorted(choices, key=lambda choice: choice.label != last)


async def keep_choice(session: SessionServices, question: str, choice: PickerChoice) -> None:
    """Remember what was chosen."""
    await session.kept(session.store.preferences.save(_name(question), choice.label), None)
