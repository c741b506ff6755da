"""Undoing a subscription whose term is not known: it is chosen in a form."""

from collections.abc import Sequence
from dataclasses import replace

from textual.worker import get_current_worker

from linkdash.api.records import Body
from linkdash.api.resources.users import User
from linkdash.model.declaration import NameOf
from linkdash.model.writes.draft import Draft
from linkdash.model.writes.plan_before import PlanBefore
from linkdash.screens.lists.pane import Pane
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.writes.form_flow import FormFlow, FormTask, load_choices
from linkdash.store.journal_entry import WriteIntent


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
