"""The plan that a user had before a subscription, as far as the journal tells it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import dropwhile

from linkdash.api.fields import read_moment, write_moment
from linkdash.api.resources.plans import Plan
from linkdash.api.resources.users import User
from linkdash.model.resources.plans import difference, resubscription
from linkdash.model.writes.planned_changes import last_change
from linkdash.store.journal_entry import JournalEntry, WriteIntent


@dataclass(frozen=True, slots=True)
class PlanBefore:
    """A subscription that another one has replaced."""

    plan_id: int
    end: datetime | None
    """Its end, without a zone, where that is still to come: one that has passed is not sent again."""
    passed_end: datetime | None
    term: str
    """The term as it was sent from here; empty where it was not."""
    undoes: str
    """The origin of the subscription that has replaced it."""

    @property
    def is_known(self) -> bool:
        """Return whether its term is known, and its end is still to come or it has none."""
        has_no_end = self.term == "lifetime" and self.passed_end is None
        return bool(self.term) and (self.end is not None or has_no_end)

    @property
    def filled_in(self) -> Mapping[str, object]:
        """The values with which a form subscribes to it again."""
        end = write_moment(self.end) if self.end is not None else ""
        return {"plan_id": self.plan_id, "expiration": end, "type": self.term}

    @property
    def end_words(self) -> Sequence[str]:
        """A sentence about an end that has passed, if it has."""
        if self.passed_end is None:
            return []
        return [f"It had ended on {self.passed_end:%Y-%m-%d}; that end does not come back."]


def plan_replaced(entries: Sequence[JournalEntry], entry: JournalEntry, now: datetime) -> PlanBefore | None:
    """The plan before one subscription, which is among the `entries`."""
    before = entry.intent.before or {}
    plan, end = before.get("planid"), read_moment(str(before.get("expires") or ""))
    if not plan or not isinstance(plan, int):
        return None
    older = [*dropwhile(lambda one: one.id != entry.id, entries)][1:]
    term = term_sent(older, entry.intent.record_ids[0], plan)
    has_passed = end is not None and end <= now
    return PlanBefore(plan, None if has_passed else end, end if has_passed else None, term, entry.origin)


def again(
    user: User, before: PlanBefore, plans: Mapping[int, Plan], now: datetime, term_now: str
) -> tuple[WriteIntent, Sequence[str]] | None:
    """The plan before again, and what it makes of the user, in lines; None where it or its term is not known.

    `term_now` is the term that the user has, as it was sent from here; empty where that is not known.
    """
    plan = plans.get(before.plan_id)
    intent = None if plan is None else resubscription(user, plan, before.term, before.end, now)
    if plan is None or intent is None:
        return None
    is_whole = bool(plan.free) or before.is_known
    estimated = frozenset() if is_whole else frozenset({"expiration" if before.term else "type"})
    lines = [*difference(intent, user, plans, now, term_now).lines, *_term_words(intent, plan, before)]
    return replace(intent, undoes=before.undoes, estimated=estimated), lines


def _term_words(intent: WriteIntent, plan: Plan, before: PlanBefore) -> list[str]:
    """The term that is sent; nothing of a plan that costs nothing."""
    if plan.free:
        return []
    guessed = ", the shortest that fits: the service does not show the previous one"
    return [f"Term: {intent.params['type']}{'' if before.term else guessed}"]


def is_as_before(user: User, entry: JournalEntry) -> bool:
    """Return whether a user has what one subscription has replaced."""
    before = entry.intent.before or {}
    if "expires" not in before or not user.tells("expires"):
        return False
    end = write_moment(user.expires) if user.expires is not None else None
    return (user.planid, end) == (before.get("planid"), before["expires"])


def term_sent(entries: Sequence[JournalEntry], user: int, plan: int | None) -> str:
    """The term that was last sent for a user, with this plan; empty where that was another one.

    `entries` have the newest first.
    """
    last = last_change(entries, "users", user)
    if last is None or last.intent.record_ids[1:] != (plan,):
        return ""
    return str(last.intent.params["type"])
