"""Making, changing, deleting and assigning records: forms inline, and never a doubt what happened."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from textual import on
from textual.message import Message

from linkdash.api.errors import InvalidBody, LinkdashError, OutcomeUnknown, ServiceError
from linkdash.api.model import Body, Record
from linkdash.model import undo
from linkdash.model.bulk_edit import for_all, values_of
from linkdash.model.humanize import counted
from linkdash.model.lazy import Mapped
from linkdash.model.names import references
from linkdash.model.session import Session
from linkdash.screens.writing import questions
from linkdash.screens.writing.sending import SendingScreen
from linkdash.store.tasks import Task
from linkdash.widgets.form import Draft, Form, Options, Preview

T = TypeVar("T", bound=Record)
Plan = Callable[[Body], Sequence[Task]]
"""The writes that a form is for. Raises InvalidBody."""

_DOUBT = "It may have been sent already: w shows it, and f there finds out."
_LOOKED_AT = 100  # of the marked records, for what goes with them
ONE_BULK = "A bulk job is under way: one at a time. B shows it."


class WritableScreen(SendingScreen[T], Generic[T]):
    """A resource whose records can be written. A subclass says how."""

    class BulkWanted(Message):
        """A person has agreed to many writes."""

        def __init__(self, title: str, tasks: Sequence[Task]) -> None:
            super().__init__()
            self.title, self.tasks = title, tasks

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._options: Options = {}

    # ---- what a subclass may say more of ----

    def preview(self, model: type[Body]) -> Preview | None:
        """A look at what a form of this model will make."""
        return None

    async def losses(self, record: T) -> list[str]:
        """What goes with a deleted record, in sentences."""
        return [self.deleting.loses(record)] if self.deleting else []

    # ---- the form in the pane ----

    @property
    def form(self) -> Form | None:
        """The form that is open."""
        return self.pane.form

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of the list do nothing, and are not offered, while a form has the focus."""
        typing = self.form is not None and self.form.has_focus_within
        return False if action == "do" and typing else super().check_action(action, parameters)

    async def do_new(self) -> None:
        assert self.creating is not None
        draft = Draft.create(self.creating.model)
        await self._open_form(
            draft, f"New {self.singular}", "create", lambda body: [self.writer.creation(body)]
        )

    async def do_edit(self) -> None:
        records = self.targets
        if len(records) == 1:
            await self._edit(records[0])
            return
        assert self.updating is not None
        draft = Draft.create(for_all(self.updating.model, self.record_type))
        title = f"Set on {counted(len(records), self.singular)}"
        await self._open_form(
            draft, title, "update/marked", partial(self.writer.updates, records), "what is empty stays"
        )

    async def _edit(self, record: T) -> Form | None:
        assert self.updating is not None
        draft = Draft.update(self.updating.model, values_of(record, self.updating.model))
        title, name = f"Edit {self.title_of(record)}", f"update/{record.id}"
        return await self._open_form(draft, title, name, lambda body: [self.writer.update(record, body)])

    def do_assign(self) -> None:
        self.run_worker(self._assign(self.targets), group="ask", exclusive=True, exit_on_error=False)

    async def _assign(self, records: Sequence[T]) -> None:
        assert self.giving is not None
        if not await self._has_names(self.giving.model):
            return
        one = len(records) == 1
        whom = self.title_of(records[0]) if one else counted(len(records), self.singular)
        await self._open_form(
            Draft.create(self.giving.model),
            f"{self.giving.title} {whom}",
            f"assign/{records[0].id if one else 'marked'}",
            lambda body: self.writer.givings(records, body, self._named),
        )

    async def _has_names(self, model: type[Body]) -> bool:
        """Whether the records that a form refers to are loaded, maybe only now, after a question."""
        names = self.session.names
        for resource, known in (await names.of(references(model))).items():
            if known:
                continue
            if not await self.app.push_screen_wait(questions.loading(resource)):
                return False
            try:
                await names.load(resource)
            except ServiceError as error:
                self.tell(error)
                return False
        return True

    def _named(self, resource: str, id: int) -> str:
        name = dict(self._options.get(resource, ())).get(id)
        return f"{id} ({name})" if name else str(id)

    async def _open_form(
        self, draft: Draft, title: str, name: str, plan: Plan, hint: str = ""
    ) -> Form | None:
        """Opens a form beside the table, with what was typed into it before and never saved.

        None, and nothing was opened, where there is one already.
        """
        if self.form is not None:
            self.notify("One form at a time: save or close this one first.", markup=False)
            return None
        self._title_of_form, self._plan_of_form = title, plan
        self._options = await self.session.names.of(references(draft.model))
        form = Form(
            draft,
            title=f"{title} ({hint})" if hint else title,
            options=self._options,
            preview=self.preview(draft.model),
            now=self.session.local_time,
        )
        draft_name = f"{self.name_of_place}/{name}"
        if kept_at := await self.pane.open(form, draft_name):
            doubt = await self.session.is_in_doubt(draft_name)
            self.notify(
                _DOUBT if doubt else "Cancel discards it. Passwords are never kept.",
                title=f"What was typed at {kept_at} was put back.",
                severity="warning" if doubt else "information",
                markup=False,
            )
        return form

    _title_of_form: str
    _plan_of_form: Plan

    @on(Form.Closed)
    async def _discard(self) -> None:
        await self._close_form()

    async def _close_form(self, *, keep_draft: bool = False) -> None:
        await self.pane.close(keep_draft=keep_draft)
        self.table.focus()

    async def do_back(self) -> None:
        """Back into the form, where one is open; else one step."""
        if self.form is not None and not self.query_one("#filter").display:
            self.form.focus_step()
        else:
            await super().do_back()

    # ---- saving ----

    @on(Form.Saved)
    def _save(self, message: Form.Saved) -> None:
        try:
            tasks = self._plan_of_form(message.body)
        except InvalidBody as error:
            message.form.refuse(str(error))
            return
        if len(tasks) == 1:
            self.write(tasks[0], message.form)
            return
        if not self.session.bulk.is_over:
            message.form.refuse(ONE_BULK)
            return
        message.form.busy(False)
        lines = [f"{change.title}: {change.after}" for change in message.changes]
        self.run_worker(self._ask_for_all(tasks, lines), group="ask", exclusive=True, exit_on_error=False)

    async def _ask_for_all(self, tasks: Sequence[Task], lines: Sequence[str]) -> None:
        title = f"{self._title_of_form}: {counted(len(tasks), 'change')}"
        listed = [self.writer.told(task) for task in tasks]
        question = questions.bulk(title, listed, self.session.gate, lines, yes="Start")
        if await self.app.push_screen_wait(question):
            await self._close_form()
            self.post_message(self.BulkWanted(title, tasks))

    # ---- what came of it ----

    @on(SendingScreen.Ended)
    async def _ended(self, message: SendingScreen.Ended) -> None:
        task, error, form = message.task, message.error, message.form
        if error is None:
            if form is not None:
                await self._close_form()
            if task.resource == self.name_of_place:
                self.show_done(task, self.took(task, message.answer))
            else:
                self.post_message(self.Took(task, message.answer))
                self.show_done(task, None)
        elif isinstance(error, OutcomeUnknown):
            if form is not None:
                await self._close_form(keep_draft=True)
            self.show_unknown(task, error)
        elif form is not None:
            form.refuse(str(error))
        else:
            self.tell(error)

    # ---- putting back and finding out ----

    async def do_undo(self) -> None:
        """Opens the form of the last change with the values before it; saving shows and sends them."""
        record, updating = self.row, self.updating
        assert record is not None
        assert updating is not None
        try:
            entries = await self.session.store.journal.recent(undo.LOOKED_THROUGH)
        except LinkdashError as error:
            self.tell(error)
            return
        entry = undo.last_change(entries, self.name_of_place, record.id)
        before = undo.values_before(entry) if entry else None
        if entry is None:
            self.notify(f"No change of this {self.singular} was made from here.", markup=False)
        elif before is None:
            self.notify(
                "The service never showed what was there before: it cannot be put back.", markup=False
            )
        else:
            form = await self._edit(record)
            if form is not None:
                await form.restore(Draft.update(updating.model, before).values)
                form.action_save()

    # ---- deleting ----

    def do_delete(self) -> None:
        records = self.targets
        one = len(records) == 1
        if not one and not self.session.bulk.is_over:
            self.notify(ONE_BULK, severity="warning", markup=False)
            return
        asking = self._ask_to_delete(records[0]) if one else self._ask_to_delete_all(records)
        self.run_worker(asking, group="ask", exclusive=True, exit_on_error=False)

    async def _ask_to_delete(self, record: T) -> None:
        """Asks, with what goes along named, and deletes this very record, wherever the cursor is by then."""
        assert self.deleting is not None
        title, losses = f"Delete {self.title_of(record)}?", await self.losses(record)
        name, typed = self.name_of(record), self.deleting.typed
        question = questions.deletion(
            title, losses, typed=questions.typable(name, record.id) if typed else None
        )
        if await self.app.push_screen_wait(question):
            self.write(self.writer.deletion(record))

    async def _ask_to_delete_all(self, records: Sequence[T]) -> None:
        """Asks, with every record listed, and hands these very records on."""
        assert self.deleting is not None
        title = f"Delete {counted(len(records), self.singular)}"
        losses = dict.fromkeys(map(self.deleting.loses, records[:_LOOKED_AT]))
        lines = [*(losses if len(losses) == 1 else ()), questions.NO_WAY_BACK]
        tasks = Mapped(self.writer.deletion, records)
        words = Mapped(_words, tasks)
        gate, typed = self.session.gate, self.deleting.typed
        if await self.app.push_screen_wait(
            questions.bulk(title, words, gate, lines, yes="Delete all", typed=typed)
        ):
            self.post_message(self.BulkWanted(title, tasks))


def _words(task: Task) -> str:
    return task.words
