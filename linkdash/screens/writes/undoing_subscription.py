"""Undoing the last subscription of a user: one question, and the plan, term and end from before again."""

from collections.abc import Mapping

from linkdash.api.records import Unreadable
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.users import User
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.resources.plans import difference, resubscription
from linkdash.screens.windows import questions
from linkdash.screens.writes.single_writes import SingleWrites
from linkdash.store.journal_entry import Outcome, WriteIntent


async def undo_subscription(
    single: SingleWrites[User], user: User, known: Mapping[str, object], term_now: str
) -> bool:
    """Subscribe a user to the plan before again, where the user agrees, with what is `known` of it.

    `term_now` is the term that the user has, as it was sent from here; empty where that is not known.
    False where its term is not known: it has to be chosen.
    """
    screen = single.records.screen
    session, now = screen.session, screen.session.local_time()
    plans = {plan.id: plan for plan in await session.collection_of(PLANS).known_records()}
    plan = next((plan for id, plan in plans.items() if id == known["plan_id"]), None)
    intent = None if plan is None else resubscription(user, plan, known, now)
    if plan is None or intent is None:
        return False
    lines = [*difference(intent, user, plans, now, term_now).lines, *_term_words(intent, plan, known)]
    if await screen.app.push_screen_wait(questions.resubscribing(user.username, lines, session)):
        result = await single.make(intent)
        if result.outcome is Outcome.DONE and plan.free:
            _show_free(single, user, plan)
    return True


def _term_words(intent: WriteIntent, plan: Plan, known: Mapping[str, object]) -> list[str]:
    """The term that is sent; nothing of a plan that costs nothing."""
    if plan.free:
        return []
    guessed = "" if "type" in known else ", the shortest that fits: the service does not tell the one before"
    return [f"Term: {intent.params['type']}{guessed}"]


def _show_free(single: SingleWrites[User], user: User, plan: Plan) -> None:
    """Show the user as free, without an end (reference: account and user)."""
    members = user.raw if isinstance(user.raw, Mapping) else {}
    after = User.read({**members, "planid": plan.id, "expires": None, "status": "free"})
    if not isinstance(after, Unreadable):
        single.records.collection.put(after, "changed")
