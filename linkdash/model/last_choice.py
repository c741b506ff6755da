"""The last answers to questions: what was chosen of a list the last time is offered first."""

from collections.abc import Sequence

from linkdash.model.copy_choices import PickerChoice
from linkdash.model.session_services import SessionServices


def _name(question: str) -> str:
    return f"chosen/{question}"


async def last_first(
    session: SessionServices, question: str, choices: Sequence[PickerChoice]
) -> list[PickerChoice]:
    """The same choices, the one of the last time first."""
    last = await last_answer(session, question)
    return sorted(choices, key=lambda choice: choice.label != last)


async def keep_choice(session: SessionServices, question: str, choice: PickerChoice) -> None:
    """Remember what was chosen."""
    await keep_answer(session, question, choice.label)


async def last_answer(session: SessionServices, question: str) -> str:
    """The answer of the last time; "" where there was none."""
    kept = await session.kept(session.store.preferences.load(_name(question)), None)
    return kept if isinstance(kept, str) else ""


async def keep_answer(session: SessionServices, question: str, answer: str) -> None:
    """Remember what was answered."""
    await session.kept(session.store.preferences.save(_name(question), answer), None)
