"""A form beside the table, from its opening until what was filled in is saved or discarded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from textual.worker import get_current_worker

from linkdash.api.errors import LinkdashError
from linkdash.api.fields import fields_of
from linkdash.api.records import Body, Record
from linkdash.model.as_command import write_commands
from linkdash.model.declaration import Assignment, NameOf, Taken
from linkdash.model.humanize import counted, first_of
from linkdash.model.session import Session
from linkdash.model.writes import planned_changes
from linkdash.model.writes.draft import Draft, FieldChange, Options
from linkdash.model.writes.guard import reads_for
from linkdash.model.writes.kept_members import kept_of
from linkdash.model.writes.one_write import WriteResult
from linkdash.model.writes.undo import not_known, unknown_before
from linkdash.screens.lists.pane import Pane
from linkdash.screens.lists.record_actions import copy_one
from linkdash.screens.lists.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.writes.bulk_job import can_start_job, run_job
from linkdash.screens.writes.outcomes import how_to_check, show_outcome
from linkdash.screens.writes.previews import preview_of
from linkdash.screens.writes.single_writes import carry_out_asking
from linkdash.store.journal_entry import Outcome, WriteIntent, draft_name
from linkdash.widgets.form.form import Form, Submission
from linkdash.widgets.styled_text import Piece, Tone

T = TypeVar("T", bound=Record)
Plan = Callable[[Body, NameOf], Sequence[WriteIntent]]
"""The writes that a form is for. Raises InvalidBody."""

_MOST_NAMED = 10
_BELOW = "    "
_REFUSED = (Outcome.REJECTED, Outcome.NOT_SENT)


@dataclass(frozen=True)
class FormTask(Generic[T]):
    """A form to fill in, and what is made of it."""

    draft: Draft
    title: str
    form: str
    """`create`, `update`, `assign` or `undo`: its draft is kept by this, and by what it is of."""
    plan: Plan
    of: int | str | None = None
    """The record that it is of, or `selected`; None for a new one."""
    hint: str = ""
    updated: Sequence[T] = ()
    """The records that are updated."""
    several: int = 0
    """The number of records, if not one."""
    about: Sequence[Record] = ()
    """The records that are edited, assigned, or assigned to."""
    facts: Sequence[str] = ()
    """What is known of them and no field of it."""
    known: Options = field(default_factory=dict)
    """Choices that are no resource of their own."""
    filled_in: Mapping[str, str] = field(default_factory=dict)
    """What is typed into it already, by path, which is the user's to lose as if they had typed it."""


class _Ended(NamedTuple):
    """A form that is done with: how its write ended, None where a bulk job makes its writes."""

    result: WriteResult | None


def references_of(model: type[Body], known: Options) -> list[str]:
    """The resources that a request model refers to, but for those whose choices are known."""
    references = (field.reference for field in fields_of(model))
    return [resource for resource in references if resource is not None and resource not in known]


async def load_choices(assignment: Assignment[T, Any], session: Session) -> Options:
    """The choices of an assignment's form that are no resource of their own; a page of those that are.

    That page is read only where nothing of it is known. Raises ServiceError.
    """
    known = await assignment.known(session.collections) if assignment.known is not None else {}
    for resource in references_of(assignment.model, known):
        collection = session.collection(resource)
        if not await collection.names():
            await collection.read(1)
    return known


class FormFlow(Generic[T]):
    """A task that is filled in and sent; nothing that was typed is lost on the way."""

    def __init__(self, records: RecordList[T], pane: Pane, task: FormTask[T]) -> None:
        self._records, self._pane, self._task = records, pane, task
        self._screen, self._resource = records.screen, records.resource
        self._session = records.screen.session
        self._options: Options = {}
        self._saving: WriteIntent | None = None

    async def fill_in(self) -> None:
        """Open the form; await its answers until it is done with; show what became of it."""
        self._pane.flow = get_current_worker()
        form = await self._open_form()
        ended: _Ended | None = None
        while ended is None and (answer := await form.answer()) is not None:
            ended = await self._act_on(form, answer)
        self._screen.hold_keys(get_current_worker())  # the next key is for the table
        result = ended.result if ended is not None else None
        if ended is not None and (self._task.several or self._task.form == "create"):
            self._records.collection.clear_selection()  # the next key is for the record under the cursor
        await self._pane.close_form(keep_draft=result is not None and result.outcome is Outcome.UNKNOWN)
        self._records.table.focus()
        if ended is None:
            self._screen.close_message()  # what was said was about the form
        if result is not None:
            await show_outcome(self._records, result)

    # ---- opening ----

    async def _open_form(self) -> Form:
        """Open the form beside the table, with what was typed into it before and never saved."""
        task, session = self._task, self._session
        named = await session.collections.names(references_of(task.draft.model, task.known))
        self._options = {**named, **task.known}
        form = Form(
            task.draft,
            title=f"{task.title} ({task.hint})" if task.hint else task.title,
            facts=task.facts,
            options=self._options,
            preview=await preview_of(task.draft.model, task.about, session),
            cost=self._cost(),
            now=session.local_time,
            take_back=self._take_back,
        )
        if task.filled_in:
            await form.restore(task.filled_in)
        name = draft_name(self._resource.id, task.form, *([] if task.of is None else [task.of]))
        kept_at = await self._pane.open_form(form, name)
        if kept_at is not None:
            restored = f"Draft from {kept_at.astimezone():%H:%M} restored."
            if await session.is_in_doubt(name):
                self._screen.warn(f"It may have been sent already: {how_to_check(self._screen)}", restored)
            else:
                self._screen.say("Cancel discards it. Passwords are never kept.", restored)
        return form

    def _cost(self) -> str:
        """The cost of saving: the writes, and the pages that are read for them."""
        task = self._task
        fields = task.draft.model.model_fields
        is_shown = not fields.keys().isdisjoint(self._resource.record.model_fields)
        ids = [record.id for record in task.updated]
        reads = len(self._records.collection.rereads(ids)) if ids and is_shown else 0
        cost = counted(reads + (task.several or 1), "request")
        return f"up to {cost}" if task.several else cost

    # ---- saving ----

    async def _act_on(self, form: Form, answer: Submission) -> _Ended | None:
        """Do what an answer of the form asks for; None where the form stays open, or was refused."""
        try:
            return await self._done_of(form, answer)
        except LinkdashError as error:
            form.refuse(str(error))
            return None

    async def _done_of(self, form: Form, answer: Submission) -> _Ended | None:
        """The same. Raises LinkdashError."""
        wanted = self._task.plan(answer.body, self._name_of)
        if not answer.is_to_be_sent:
            await self._copy(wanted)
            return None
        taken = await self._taken(wanted)
        is_one = len(taken) == 1 and not self._task.several  # what changes of several is asked about
        if is_one and await self._agrees_to(taken[0]):
            return await self._send_one(form, taken[0].intent)
        if taken and not is_one and await self._start_job(taken, answer.changes):
            return _Ended(None)
        form.busy(False)
        form.focus_step()
        return None

    def _name_of(self, resource: str, id: int) -> str:
        return dict(self._options.get(resource, ())).get(id) or ""

    async def _copy(self, wanted: Sequence[WriteIntent]) -> None:
        """Offer what the form would send as commands."""
        commands = await write_commands(self._session.settings.base_url, wanted)
        await copy_one(self._screen, self._task.title, commands)
        if doubts := [*dict.fromkeys(filter(None, map(self._resource.doubt, wanted)))]:
            self._screen.warn(" ".join(doubts), "The command sends it without asking")

    async def _taken(self, wanted: Sequence[WriteIntent]) -> Sequence[Taken]:
        """The writes with what each of them takes away or costs."""
        assignment, session = self._resource.assignment, self._session
        if assignment is None or any(intent.action != "subscribe" for intent in wanted):
            return [*map(Taken, wanted)]
        return await assignment.takes(wanted, session.collections, session.local_time())

    async def _agrees_to(self, taken: Taken) -> bool:
        """Ask before an assignment that takes something away or costs something, and about what is odd."""
        if doubt := self._resource.doubt(taken.intent):
            question = questions.doubtful(taken.intent, doubt, self._session)
        elif taken.changes:
            question = questions.subscribing(taken, self._session, await self._is_you([taken]))
        elif planned_changes.is_nameless(self._resource, taken.intent):
            question = questions.nameless(self._resource.singular, self._session)
        else:
            return True
        return await self._screen.app.push_screen_wait(question)

    async def _is_you(self, taken: Sequence[Taken]) -> list[str]:
        """Say that the account's own user is among those who lose something, as far as that is known."""
        told = await self._session.is_you({one.intent.record_ids[0] for one in taken if one.losses})
        return [told] if told else []

    async def _send_one(self, form: Form, intent: WriteIntent) -> _Ended | None:
        """Make the one write of the form, with what was typed kept before; a refusal leads back to it."""
        form.say_saving()
        self._saving = intent
        await self._pane.keep()
        result = await carry_out_asking(self._screen, intent)
        if result.outcome in _REFUSED:
            form.refuse(str(result.error))
            return None
        return _Ended(result)

    def _take_back(self) -> bool:
        """Stop what the form sends, or reads for it, if that still waits for its turn."""
        return self._saving is not None and self._session.writes.take_back(self._saving)

    def _spared(self, wanted: Sequence[WriteIntent]) -> Sequence[str]:
        """Those of several records that have already what all are to get."""
        sent = {intent.record_id for intent in wanted}
        spared = [record for record in self._task.updated if record.id not in sent]
        names = [self._resource.name_of(record) or str(record.id) for record in spared]
        return [f"Already so, not changed: {first_of(names, _MOST_NAMED)}"] if names else []

    async def _start_job(self, taken: Sequence[Taken], changes: Sequence[FieldChange]) -> bool:
        """Ask whether many writes are to be done, and start them as a job; False where they are not."""
        if not can_start_job(self._screen):
            return False
        wanted = [one.intent for one in taken]
        lines: list[Piece | str] = [f"{change.title}: {change.after}" for change in changes]
        lines += [Piece(told, Tone.WARNING) for told in planned_changes.made_alike(self._resource, wanted)]
        doubts = dict.fromkeys(filter(None, map(self._resource.doubt, wanted)))
        lines += [Piece(doubt, Tone.WARNING) for doubt in doubts]
        lines += map(questions.lost, await self._is_you(taken))
        if losing := sum(bool(one.losses) for one in taken):
            told = questions.lost(f"{losing:,} of {len(taken):,} would lose something.")
            lines += [told, questions.ONLY_BY_SUBSCRIBING]
        lines += self._spared(wanted)
        if all(intent.action in planned_changes.UNDOABLE for intent in wanted):
            lines.append(await self._way_back(wanted))
        is_one_each = len(wanted) == self._task.several
        title = self._task.title if is_one_each else f"{self._task.title}: {counted(len(wanted), 'change')}"
        listed = [line for one in taken for line in self._described(one)]
        question = questions.bulk(
            title,
            len(wanted),
            listed,
            self._session,
            lines,
            yes="Start",
            reads=reads_for(self._session.collections, wanted),
            lost={f"{_BELOW}{line}" for one in taken for line in one.losses},
        )
        if not await self._screen.app.push_screen_wait(question):
            return False
        await run_job(self._screen, title, wanted)
        return True

    async def _way_back(self, wanted: Sequence[WriteIntent]) -> str:
        """Say whether undo gives back what these changes replace."""
        undo, model = self._screen.key_of("undo"), self._resource.update
        edits = [intent for intent in wanted if intent.action == "update"]
        if model is None or not edits:
            return f"{undo} undoes them afterwards."
        journal = self._session.store.journal.recent(planned_changes.UNDO_REACHES)
        entries = await self._session.kept(journal, [])
        kept = [kept_of(entries, self._resource, intent.record_ids[0]) for intent in edits]
        replaced = [unknown_before(intent, one, model) for intent, one in zip(edits, kept, strict=True)]
        titles = [*dict.fromkeys(title for of_one in replaced for title in of_one)]
        return (
            f"{undo} cannot undo them: {not_known(titles)}." if titles else f"{undo} undoes them afterwards."
        )

    def _described(self, taken: Taken) -> Sequence[str]:
        """A write, with what it changes, takes away and costs below it."""
        below = (f"{_BELOW}{change}" for change in taken.changes)
        return [*planned_changes.described(taken.intent, self._resource.update), *below]
