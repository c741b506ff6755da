"""Undoing the last subscription of users: one question, and the plan, term and end from before again."""

from collections.abc import Sequence
from dataclasses import replace

from textual.worker import get_current_worker

from linkdash.api.records import Body
from linkdash.api.resources.users import User
from linkdash.model.declaration import NameOf
from linkdash.model.humanize import counted, first_of
from linkdash.model.resources.plans import RESOURCE as PLANS
from linkdash.model.session import Session
from linkdash.model.writes.draft import Draft
from linkdash.model.writes.plan_before import Again, PlanBefore, again, plan_before, term_sent
from linkdash.model.writes.write_words import summary_of
from linkdash.screens.lists.pane import Pane
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.writes.bulk_job import can_start_job, run_job
from linkdash.screens.writes.form_flow import FormFlow, FormTask, load_choices
from linkdash.screens.writes.single_writes import SingleWrites
from linkdash.store.journal_entry import JournalEntry, WriteIntent

_MOST_NAMED = 10


async def undo_subscription(
    single: SingleWrites[User],
    user: User,
    before: PlanBefore,
    term_now: str,
    told_before: Sequence[str] = (),
) -> bool:
    """Subscribe a user to the plan before again, where the user agrees.

    `term_now` is the term that the user has, as it was sent from here; empty where that is not known. The
    lines `told_before` stand above.
    False where its term is not known: it has to be chosen.
    """
    screen = single.records.screen
    found = await _again(screen.session, user, before, term_now)
    if found is None:
        return False
    told = [*told_before, *before.end_words]
    question = questions.resubscribing(user.username, found.lines, screen.session, told)
    if await screen.app.push_screen_wait(question):
        await single.make(found.intent)
    return True


async def choose_term(records: RecordList[User], pane: Pane, user: User, before: PlanBefore) -> None:
    """Subscribe a user to the plan before again in a form, where its term is not known.

    Another plan that is chosen there is a subscription like any other.
    """
    if (assignment := records.resource.assignment) is None:
        return
    pane.flow = get_current_worker()  # its choices may have to be read first

    def planned(body: Body, name_of: NameOf) -> Sequence[WriteIntent]:
        wanted = assignment.intents(user, body, name_of)
        return [_as_undo(one, before) if one.record_ids[1:] == (before.plan_id,) else one for one in wanted]

    task: FormTask[User] = FormTask(
        Draft.create(assignment.model),
        f"Undo the subscription of {user.username}",
        "undo",
        planned,
        of=user.id,
        about=[user],
        known=await load_choices(assignment, records.screen.session),
        filled_in=Draft.create(assignment.model, before.filled_in).values,
    )
    await FormFlow(records, pane, task).fill_in()


def _as_undo(intent: WriteIntent, before: PlanBefore) -> WriteIntent:
    """The same, chosen with a term of which nobody knows whether it is that from before."""
    return replace(intent, undoes=before.undoes, estimated=frozenset({"type"}))


async def undo_subscriptions(
    records: RecordList[User], users: Sequence[User], entries: Sequence[JournalEntry]
) -> None:
    """Subscribe users to the plans before again as a job, where the user agrees.

    `entries` have the newest first. Whose plan before or its term is not known is left out.
    """
    screen, session = records.screen, records.screen.session
    if not can_start_job(screen):
        return
    now = session.local_time()
    known = [(user, before) for user in users if (before := plan_before(entries, user.id, now)) is not None]
    found = [await _again(session, user, before, term_sent(entries, user)) for user, before in known]
    made = [one for one in found if one is not None]
    if not made:
        screen.say("Their previous plans, or the terms of these, are not known.", "Nothing can be undone")
        return
    title = f"Undo the last subscription of {counted(len(made), 'user')}"
    lines = [questions.ANEW]
    ids = {one.intent.record_id for one in made}
    if left := [user.username for user in users if user.id not in ids]:
        named = first_of(left, _MOST_NAMED)
        lines.append(f"Stays as it is, the previous plan, or its term, is not known: {named}")
    listed = [
        line for one in made for line in (summary_of(one.intent), *(f"    {told}" for told in one.lines))
    ]
    question = questions.bulk(title, len(made), listed, session, lines, yes="Undo")
    if await screen.app.push_screen_wait(question):
        await run_job(screen, title, [one.intent for one in made])
        records.collection.clear_selection()


async def _again(session: Session, user: User, before: PlanBefore, term_now: str) -> Again | None:
    plans = {plan.id: plan for plan in await session.collection_of(PLANS).known_records()}
    return again(user, before, plans, session.local_time(), term_now)
