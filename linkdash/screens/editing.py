"""Creating, editing, assigning and deleting records: each flow asks, sends, and shows the outcome.

It asks in the pane beside the table, where a form takes the place of the record in full and never loses what
was typed.

From `e` to the open form: HostScreen.action_do → ResourceScreen.perform → run_action →
ResourceScreen.do_edit → HostScreen.begin → Editing.edit → _fill_in → _open → Pane.open: 9 functions, 5 files.

From `ctrl+s` to the write: Form.action_save → Form._submit → Editing._fill_in, which awaited the answer →
_answered → _renewed, which reads the record again → _saved → _write → Writes.carry_out, where the rest is
told. Back: _fill_in → Pane.close → Editing._show, which puts the cursor on the row.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from textual.worker import get_current_worker

from linkdash.api.errors import LinkdashError, NotSent
from linkdash.api.fields import fields_of
from linkdash.api.records import Body, Record, Unreadable
from linkdash.model.as_command import write_commands
from linkdash.model.copying import PickerChoice
from linkdash.model.humanize import counted, numbered
from linkdash.model.lists.collection import Collection
from linkdash.model.lists.rows import MappedSequence
from linkdash.model.writes import planned_changes
from linkdash.model.writes.conflicts import CLOCKS_APART, Clash, Shown
from linkdash.model.writes.draft import Draft, FieldChange, Options
from linkdash.model.writes.one_write import WriteResult
from linkdash.model.writes.undo import Undone, undone
from linkdash.model.writes.updating import Update, checked, shown, shows
from linkdash.screens.bulk_job import run_job
from linkdash.screens.pane import Pane
from linkdash.screens.previews import preview_of
from linkdash.screens.record_actions import copy_one
from linkdash.screens.record_list import RecordList
from linkdash.screens.windows import questions
from linkdash.screens.windows.picker import PickerScreen
from linkdash.store.journal import JournalEntry, Outcome, WriteIntent
from linkdash.widgets.form.form import Form, Submission

T = TypeVar("T", bound=Record)
Plan = Callable[[Body], Sequence[WriteIntent]]
"""The writes that a form is for. Raises InvalidBody."""

_DONE = {"create": "Created", "update": "Saved", "subscribe": "Subscribed", "assign": "Assigned"}
_REFUSED = (Outcome.REJECTED, Outcome.NOT_SENT)


@dataclass(frozen=True)
class _Task(Generic[T]):
    """A form to fill in, and what is made of it."""

    draft: Draft
    title: str
    name: str
    """Of the draft that is kept, within its resource."""
    plan: Plan
    hint: str = ""
    seen: Mapping[int, Shown[T]] = field(default_factory=dict)
    """The records that are changed, as they were shown, by id."""
    several: int = 0
    """The number of records, if not one."""


class _Ended(NamedTuple):
    """A form that is done with: how its write ended, None where a bulk job makes its writes."""

    result: WriteResult | None


class Editing(Generic[T]):
    """The flows of a list's screen that change records."""

    def __init__(self, records: RecordList[T], pane: Pane) -> None:
        self._records, self._pane = records, pane
        self._screen, self._resource = records.screen, records.resource
        self._session = records.screen.session
        self._options: Options = {}
        self._known: Options = {}
        """Choices that are no resource of their own."""
        self._reading: asyncio.Future[dict[int, T]] | None = None
        """The records that are read before the form sends anything."""
        self._saving: WriteIntent | None = None
        """The write that the form sends."""

    def _unknown_references(self, model: type[Body]) -> list[str]:
        return [resource for resource in _references(model) if resource not in self._known]

    @property
    def _collection(self) -> Collection[T]:
        """The collection on the screen now: part of the records, or all."""
        return self._records.collection

    # ---- forms ----

    async def new(self) -> None:
        """A form for a new record."""
        if (model := self._resource.create) is not None:
            plan = self._one(partial(planned_changes.creation, self._resource))
            title = f"New {self._resource.singular}"
            await self._fill_in(_Task(Draft.create(model), title, "create", plan))

    async def edit(self, records: Sequence[T]) -> None:
        """A form for a record; or for what all of several are to get."""
        resource = self._resource
        if (model := resource.update) is None:
            return
        if len(records) == 1:
            record = await self._read_again_if_changed(records[0])
            entries = await self._session.kept(
                self._session.store.journal.recent(planned_changes.UNDO_REACHES), []
            )
            sent = planned_changes.sent_content(entries, resource.id, record.id, model)
            draft = Draft.update(model, {**sent, **planned_changes.values_of(record, model)})
            plan = self._one(partial(planned_changes.update, resource, record))
            title, name = f"Edit {resource.title_of(record)}", f"update/{record.id}"
            await self._fill_in(_Task(draft, title, name, plan, seen=self._seen([record])))
        else:
            draft = Draft.create(planned_changes.for_all(model, resource.record))
            title = f"Edit {counted(len(records), resource.singular)}"
            for_all = partial(planned_changes.updates, resource, model, records)
            hint, seen = "blank = unchanged", self._seen(records)
            await self._fill_in(
                _Task(draft, title, "update/selected", for_all, hint, seen, several=len(records))
            )

    def _seen(self, records: Sequence[T]) -> Mapping[int, Shown[T]]:
        """Records as they are shown here, by id."""
        now = self._session.moment()
        return {record.id: shown(self._collection, record) or Shown(record, now) for record in records}

    async def _read_again_if_changed(self, record: T) -> T:
        """The record as it is now, if another user has changed it since and the user wants to see that."""
        session, listing = self._session, self._collection.listing
        read_at, page = listing.read_at(record.id), listing.page_of(record.id)
        if read_at is None or page is None:
            return record
        since = datetime.fromtimestamp(read_at, UTC) - CLOCKS_APART
        change = await session.kept(
            session.store.journal.changed_by_others(self._resource.id, record.id, since), None
        )
        if change is None or not await self._screen.app.push_screen_wait(
            questions.reading_again(self._resource.title_of(record), change, session.moment())
        ):
            return record
        await self._collection.read(page)
        return listing.record(record.id) or record

    async def assign(self, records: Sequence[T], given: Mapping[str, object] | None = None) -> None:
        """A form for what records are assigned to, or what is assigned to them, with `given` filled in."""
        assignment = self._resource.assignment
        if assignment is None:
            return
        one = len(records) == 1
        whom = self._resource.title_of(records[0]) if one else counted(len(records), self._resource.singular)
        self._known = {}
        if assignment.known is not None:
            self._known = await assignment.known(self._session.collections)
        for resource in self._unknown_references(assignment.model):
            collection = self._session.collection(resource)
            if not await collection.names():
                await collection.read(1)
        task: _Task[T] = _Task(
            Draft.create(assignment.model, {**assignment.start(records), **(given or {})}),
            f"{assignment.title} {whom}",
            f"assign/{records[0].id if one else 'selected'}",
            lambda body: [i for record in records for i in assignment.intents(record, body, self._name_of)],
            several=0 if one else len(records),
        )
        await self._fill_in(task)

    async def undo(self, records: Sequence[T]) -> None:
        """Give records the values that they had before their last edit: ask, with each of them shown."""
        entries = await self._session.store.journal.recent(planned_changes.UNDO_REACHES)
        if len(records) == 1 and (changed := self._changed_with(records[0], entries)):
            alone = PickerChoice("This one", self._resource.title_of(records[0]))
            choices = [alone, PickerChoice("The whole job", counted(len(changed), self._resource.singular))]
            chosen = await self._screen.app.push_screen_wait(PickerScreen("Undo", choices))
            if chosen is None:
                return
            records = records if chosen == alone else changed
        changes = undone(self._resource, records, entries)
        if changes:
            await self._undo(records, changes)
        elif len(records) > 1:
            self._screen.say("None of them was edited from here, or nothing is known from before.")
        elif planned_changes.last_change(entries, self._resource.id, records[0].id) is None:
            self._screen.say(f"This {self._resource.singular} was not edited from here.")
        else:
            self._screen.say("The previous values are not known, so this cannot be undone.")

    def _changed_with(self, record: T, entries: Sequence[JournalEntry]) -> Sequence[T]:
        """The records that the bulk job has edited which edited this one last; none where there was none."""
        job, resource = self._session.jobs.job, self._resource.id
        last = planned_changes.last_change(entries, resource, record.id)
        origins = {item.origin for item in job.items if item.origin} if job is not None else set()
        if last is None or last.origin not in origins:
            return ()
        ids = {entry.intent.record_id for entry in entries if entry.origin in origins}
        known = [self._collection.listing.record(id) for id in ids if id is not None]
        found = [
            one
            for one in known
            if one is not None
            and (entry := planned_changes.last_change(entries, resource, one.id)) is not None
            and entry.origin in origins
        ]
        return found if len(found) > 1 else ()

    async def _undo(self, records: Sequence[T], changes: Mapping[int, Undone[T]]) -> None:
        """Show what an undo gives back, and send it where the user agrees."""
        resource, wanted = self._resource, [one.intent for one in changes.values()]
        if len(wanted) > 1 and not self._session.jobs.is_over:
            self._screen.warn(self.one_job())
            return
        seen = {id: one.shown for id, one in changes.items()}
        whom = counted(len(wanted), resource.singular)
        title = f"Undo the last edit of {whom if len(wanted) > 1 else resource.title_of(records[0])}"
        lines = []
        if left := len(records) - len(wanted):
            lines.append(f"{left} of {len(records)} selected cannot be undone and stay as they are.")
        reads = self._collection.rereads(seen) * (2 if len(wanted) > 1 else 1)
        listed = [line for intent in wanted for line in planned_changes.described(intent, resource.update)]
        question = questions.bulk(title, len(wanted) + reads, listed, self._session, lines, yes="Undo")
        if not await self._screen.app.push_screen_wait(question):
            return
        agreed = await self._as_they_are(None, wanted, seen)
        if len(agreed) > 1:
            await run_job(self._screen, title, agreed)
        elif agreed:
            self._show(await self._session.writes.carry_out(agreed[0]))

    async def _fill_in(self, task: _Task[T]) -> None:
        """Open the form; await its answers until it is done with."""
        form = await self._open(task)
        ended: _Ended | None = None
        while ended is None and (answer := await form.answer()) is not None:
            ended = await self._answered(form, task, answer)
        self._screen.hold_keys(get_current_worker())  # the next key is for the table
        result = ended.result if ended is not None else None
        await self._pane.close(keep_draft=result is not None and result.outcome is Outcome.UNKNOWN)
        self._records.table.focus()
        if result is not None:
            self._show(result)

    async def _answered(self, form: Form, task: _Task[T], answer: Submission) -> _Ended | None:
        """Do what an answer of the form asks for; None where the form stays open, or was refused."""
        try:
            wanted = task.plan(answer.body)
            if answer.is_to_be_sent and task.seen:
                wanted = await self._renewed(form, task, answer.body, wanted)
        except LinkdashError as error:
            form.refuse(str(error))
            return None
        if not answer.is_to_be_sent:
            await self._copy(task.title, wanted)
            return None
        if len(wanted) == 1 and await self._agrees_to_lose(wanted[0]):
            return await self._saved(form, wanted[0])
        if len(wanted) > 1 and await self._start(task.title, wanted, answer.changes):
            return _Ended(None)
        form.busy(False)
        form.focus_step()
        return None

    async def _saved(self, form: Form, intent: WriteIntent) -> _Ended | None:
        """Make the one write of the form; a refusal leads back to it."""
        form.say_saving()
        self._saving = intent
        result = await self._write(intent)
        if result.outcome in _REFUSED:
            form.refuse(str(result.error))
            return None
        return _Ended(result)

    async def _renewed(
        self, form: Form, task: _Task[T], body: Body, wanted: Sequence[WriteIntent]
    ) -> Sequence[WriteIntent]:
        """The updates, made of the records as they are now. Raises as `_as_they_are`."""
        form.say_saving()
        await self._pane.keep()
        return await self._as_they_are(body, wanted, task.seen)

    async def _agrees_to_lose(self, intent: WriteIntent) -> bool:
        """Ask before an assignment that takes something away."""
        assignment, session = self._resource.assignment, self._session
        if assignment is None or intent.action != "subscribe":
            return True
        losses = await assignment.takes(intent, session.collections, session.local_time())
        return not losses or await self._screen.app.push_screen_wait(questions.losing(intent.summary, losses))

    async def _as_they_are(
        self, body: Body | None, wanted: Sequence[WriteIntent], seen: Mapping[int, Shown[T]]
    ) -> Sequence[WriteIntent]:
        """The same updates of the records as they are now, read for it; none where the person goes back.

        Those that replace what others have changed only where the person agrees; then a single one is read
        once more, and asked about again where others have changed it during the question. A job reads all of
        them at its start. `body` is what all of several get; None where each gets its own.
        Raises InvalidBody, NotSent, ServiceError.
        """
        agreed: Sequence[Clash] = ()
        while True:
            updates = await self._updates_now(body, wanted, seen)
            conflicts = [update.conflict for update in updates if update.conflict is not None]
            if not conflicts or conflicts[0].clashes == agreed:
                return [update.intent for update in updates]
            if not await self._screen.app.push_screen_wait(questions.overwriting(conflicts, len(updates))):
                return [update.intent for update in updates if update.conflict is None]
            if len(updates) > 1:
                return [update.intent for update in updates]
            agreed = conflicts[0].clashes

    async def _updates_now(
        self, body: Body | None, wanted: Sequence[WriteIntent], seen: Mapping[int, Shown[T]]
    ) -> Sequence[Update]:
        """The updates of the records as they are now, with what they would replace; raises as above."""
        resource, model, session = self._resource, self._resource.update, self._session
        if model is None:
            return [Update(intent) for intent in wanted]
        read_at = session.moment()
        now = await self._read_for(wanted, seen)
        if gone := [one.record for id, one in seen.items() if id not in now]:
            what = resource.title_of(gone[0]) if len(gone) == 1 else counted(len(gone), resource.singular)
            self._screen.warn(f"Not found: {what}. Perhaps deleted; nothing was sent for it.")
        if not now:
            return ()
        if body is None or len(seen) == 1:
            by_id = {intent.record_id: intent for intent in wanted}
            renewed = [
                planned_changes.rebased(resource, model, record, by_id[id]) for id, record in now.items()
            ]
        else:
            renewed = planned_changes.updates(resource, model, [*now.values()], body)
        return [
            await checked(session, resource, seen[id], now[id], replace(intent, read_at=read_at))
            for intent in renewed
            for id in intent.record_ids
        ]

    async def _read_for(self, wanted: Sequence[WriteIntent], seen: Mapping[int, Shown[T]]) -> Mapping[int, T]:
        """The records as they are now, where anything of them is named or sent along; as seen where not."""
        shown_members = self._resource.record.model_fields.keys()
        if all(intent.params.keys().isdisjoint(shown_members) for intent in wanted):
            return {id: one.record for id, one in seen.items()}
        self._reading = asyncio.ensure_future(self._collection.reread(seen, is_shown=True))
        try:
            return await self._reading
        except asyncio.CancelledError:
            if (flow := asyncio.current_task()) is not None and flow.cancelling():
                raise
            raise NotSent("It was cancelled in the request queue.", "Nothing was sent.") from None
        finally:
            self._reading = None

    def _cost(self, task: _Task[T]) -> str:
        """The cost of saving: the writes, and the pages that are read for them.

        Several are read to show what will be changed, and when their job starts.
        """
        fields = task.draft.model.model_fields
        is_shown = not fields.keys().isdisjoint(self._resource.record.model_fields)
        reads = self._collection.rereads(task.seen) if task.seen and is_shown else 0
        reads *= 2 if task.several else 1
        cost = counted((task.several or 1) + reads, "request")
        told = f"up to {cost}" if task.several else cost
        return f"{told}, {reads} to read first" if reads else told

    async def _open(self, task: _Task[T]) -> Form:
        """Open a form beside the table, with what was typed into it before and never saved."""
        cost = self._cost(task)
        names = await self._session.collections.names(self._unknown_references(task.draft.model))
        self._options = {**names, **self._known}
        form = Form(
            task.draft,
            options=self._options,
            preview=preview_of(task.draft.model, self._session.local_time),
            cost=cost,
            now=self._session.local_time,
            take_back=self._take_back,
        )
        title = f"{task.title} ({task.hint})" if task.hint else task.title
        draft_name = f"{self._resource.id}/{task.name}"
        kept_at = await self._pane.open(form, title, draft_name)
        if kept_at is not None:
            restored = f"Draft from {kept_at.astimezone():%H:%M} restored."
            if await self._session.is_in_doubt(draft_name):
                self._screen.warn(f"It may have been sent already: {self._how_to_check()}", restored)
            else:
                self._screen.say("Cancel discards it. Passwords are never kept.", restored)
        return form

    async def _copy(self, title: str, wanted: Sequence[WriteIntent]) -> None:
        """Offer what a form would send as commands."""
        commands = await write_commands(self._session.settings.base_url, wanted)
        await copy_one(self._screen, title, commands)

    def _how_to_check(self) -> str:
        keys = self._screen.key_of
        return f"{keys('journal')} shows it; {keys('check')} there checks the outcome."

    @staticmethod
    def _one(make: Callable[[Body], WriteIntent]) -> Plan:
        return lambda body: [make(body)]

    def _name_of(self, resource: str, id: int) -> str:
        name = dict(self._options.get(resource, ())).get(id)
        return numbered(id, name or "")

    # ---- sending ----

    async def _write(self, intent: WriteIntent) -> WriteResult:
        """Make one write, with what was typed for it kept before."""
        await self._pane.keep()
        return await self._session.writes.carry_out(intent)

    def _take_back(self) -> bool:
        """Stop what the form reads, or send if that still waits for its turn."""
        if self._reading is not None:
            return self._reading.cancel()
        return self._saving is not None and self._session.writes.take_back(self._saving)

    def _show(self, result: WriteResult) -> None:
        """Say how a write ended, and go to its record."""
        screen, intent, record = self._screen, result.intent, result.record
        if result.outcome is Outcome.UNKNOWN:
            if intent.record_id is not None:
                self._collection.note(intent.record_id, "unknown")
            screen.warn(f"{result.error} {self._how_to_check()}", f"Unknown: {intent.summary}")
        elif result.error is not None:
            screen.tell(result.error)
        elif isinstance(record, Unreadable):
            refresh = screen.key_of("refresh")
            screen.say(f"Created, but the service returned no id. {refresh} refreshes the list.")
        elif isinstance(record, self._resource.record) and intent.action in _DONE:
            self._records.table.move_to(record.key)
            name = self._resource.name_of(record) or self._resource.title_of(record)
            screen.done(name, _DONE[intent.action])
        else:
            screen.done(intent.summary, "Done")

    async def _start(self, title: str, wanted: Sequence[WriteIntent], changes: Sequence[FieldChange]) -> bool:
        """Ask whether many writes are to be done, and start them as a job; False where they are not."""
        if not self._session.jobs.is_over:
            self._screen.warn(self.one_job())
            return False
        lines = [f"{change.title}: {change.after}" for change in changes]
        listed = [
            line for intent in wanted for line in planned_changes.described(intent, self._resource.update)
        ]
        title = f"{title}: {counted(len(wanted), 'change')}"
        reads = self._collection.rereads(intent.record_ids[0] for intent in wanted if shows(intent))
        question = questions.bulk(title, len(wanted) + reads, listed, self._session, lines, yes="Start")
        if not await self._screen.app.push_screen_wait(question):
            return False
        await run_job(self._screen, title, wanted)
        return True

    def one_job(self) -> str:
        """The reason why no bulk job can begin now."""
        return f"A bulk job is already running. {self._screen.key_of('bulk')} shows it."

    # ---- deleting ----

    async def delete(self, records: Sequence[T]) -> None:
        """Ask, with what goes along named, and delete these very records, wherever the cursor is then."""
        if len(records) == 1:
            await self._delete(records[0])
        elif not self._session.jobs.is_over:
            self._screen.warn(self.one_job())
        else:
            await self._delete_all(records)

    async def _delete(self, record: T) -> None:
        deletion, title = self._resource.delete, self._resource.title_of(record)
        typed = deletion is not None and deletion.typed
        name = questions.typable(self._resource.name_of(record), record.id) if typed else None
        losses = await self._losses(record)
        if await self._screen.app.push_screen_wait(
            questions.deletion(f"Delete {title}?", losses, typed=name)
        ):
            self._show(await self._write(planned_changes.deletion(self._resource, record)))

    async def _losses(self, record: T) -> Sequence[str]:
        deletion, session = self._resource.delete, self._session
        return await deletion.losses(record, session.client, session.collections) if deletion else ()

    async def _delete_all(self, records: Sequence[T]) -> None:
        resource, deletion = self._resource, self._resource.delete
        if deletion is None:
            return
        title = f"Delete {counted(len(records), resource.singular)}"
        lines = [deletion.loses_all.format(f"{len(records):,}"), questions.NO_WAY_BACK]
        if hidden := self._collection.hidden_selected:
            lines.insert(0, f"{hidden} of them hidden by the filter.")
        wanted = MappedSequence(partial(planned_changes.deletion, resource), records)
        listed = MappedSequence(_summary, wanted)
        typed = deletion.typed or len(records) >= questions.TYPED_FROM
        question = questions.bulk(
            title, len(wanted), listed, self._session, lines, yes=questions.DELETE_ALL, typed=typed
        )
        if await self._screen.app.push_screen_wait(question):
            await run_job(self._screen, title, wanted)


def _summary(intent: WriteIntent) -> str:
    return intent.summary


def _references(model: type[Body]) -> list[str]:
    """The resources that a request model refers to."""
    return [field.reference for field in fields_of(model) if field.reference is not None]
