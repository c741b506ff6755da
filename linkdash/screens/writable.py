"""Making, changing and deleting records: forms inline beside the table, and never a doubt what happened."""

from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.containers import Container
from textual.message import Message

from linkdash.api.endpoints import Endpoints
from linkdash.api.errors import OutcomeUnknown, ServiceError
from linkdash.api.model import Body, Record, Unreadable
from linkdash.screens.actions import bindings
from linkdash.screens.confirm import ConfirmScreen
from linkdash.screens.list_actions import WRITABLE_ACTIONS
from linkdash.screens.patching import patched
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.writes import Creating, Deleting, Updating
from linkdash.store.database import StoreUnavailable
from linkdash.store.journal import Entry, Outcome, Write
from linkdash.store.journalled import JournalledSender, Purpose
from linkdash.store.settling import Verdict, verdict
from linkdash.widgets.details import Details
from linkdash.widgets.form import Draft, Form, Options, Preview

T = TypeVar("T", bound=Record)
Sending = Callable[[Endpoints], Awaitable[object]]
Ending = Callable[[JournalledSender, ServiceError | None], Message]

_LOOKED_THROUGH = 500  # entries of the journal, the newest first
DRAFT_DELAY = 0.5
"""Seconds without a key after which what was typed is kept."""


class WritableScreen(ResourceScreen[T], Generic[T]):
    """A resource whose records can be made, changed or deleted. A subclass says how."""

    ACTIONS = WRITABLE_ACTIONS
    BINDINGS = bindings(WRITABLE_ACTIONS)

    creating: ClassVar[Creating | None] = None
    updating: ClassVar[Updating | None] = None
    deleting: Deleting[T] | None = None

    class Ended(Message):
        """A write is over; `error` is None when it was done."""

        def __init__(self, purpose: Purpose, sender: JournalledSender, error: ServiceError | None) -> None:
            super().__init__()
            self.purpose, self.sender, self.error = purpose, sender, error

    class FormEnded(Ended):
        """The write of a form is over."""

        def __init__(
            self,
            purpose: Purpose,
            sender: JournalledSender,
            error: ServiceError | None,
            form: Form,
            body: Body,
        ) -> None:
            super().__init__(purpose, sender, error)
            self.form, self.body = form, body

    class DeleteEnded(Ended):
        """A delete is over."""

    # ---- what a subclass may say more of ----

    def options(self) -> Options:
        """Records of other resources that a form can refer to by name."""
        return {}

    def preview(self) -> Preview | None:
        """A look at what a form will make."""
        return None

    def name_of(self, record: T) -> str:
        """What a person calls a record."""
        return str(getattr(record, self.columns[1].name))

    async def losses(self, record: T) -> list[str]:
        """What goes with a deleted record, in sentences."""
        return [self.deleting.loses(record)] if self.deleting else []

    # ---- what actions need ----

    def missing_creating(self) -> str | None:
        return None if self.creating else super().missing_creating()

    def missing_updating(self) -> str | None:
        return None if self.updating else super().missing_updating()

    def missing_deleting(self) -> str | None:
        return None if self.deleting else super().missing_deleting()

    # ---- the form in the pane ----

    @property
    def form(self) -> Form | None:
        """The form that is open."""
        return next(iter(self.query(Form)), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of the list do nothing, and are not offered, while a form has the focus."""
        typing = self.form is not None and self.form.has_focus_within
        return False if action == "do" and typing else super().check_action(action, parameters)

    async def do_new(self) -> None:
        assert self.creating is not None
        await self.open_form(Draft.create(self.creating.model), f"New {self.singular}", None)

    async def do_edit(self) -> None:
        assert self.updating is not None
        if self.row is not None:
            draft = Draft.update(self.updating.model, values_of(self.row, self.updating.model))
            await self.open_form(draft, f"Edit {self.singular} {self.row.id}", self.row)

    async def open_form(self, draft: Draft, title: str, record: T | None) -> None:
        """Opens a form beside the table, with what was typed into it before and never saved."""
        if self.form is not None:
            self.notify("One form at a time: save or close this one first.", markup=False)
            return
        self._edited = record
        form = Form(
            draft, title=title, options=self.options(), preview=self.preview(), now=self.session.local_time
        )
        self.query_one("#details").display = False
        self.add_class("-editing")
        await self.query_one("#pane", Container).mount(form)
        kept = await self.session.kept_draft(self._draft_name)
        if kept is not None:
            await form.restore(kept.values)
            self.notify(
                "Cancel discards it.",
                title=f"What was typed at {kept.at.astimezone():%H:%M} was put back.",
                markup=False,
            )

    _edited: T | None = None

    @property
    def _draft_name(self) -> str:
        return f"{self.name_of_place}/{f'update/{self._edited.id}' if self._edited else 'create'}"

    @on(Form.Changed)
    def _keep_draft(self, message: Form.Changed) -> None:
        name, values = self._draft_name, message.values
        self.run_worker(
            self.session.keep_draft(name, values, DRAFT_DELAY),
            group="draft",
            exclusive=True,
            exit_on_error=False,
        )

    @on(Form.Closed)
    async def _discard(self) -> None:
        await self._close_form()

    async def _close_form(self, *, keep_draft: bool = False) -> None:
        form = self.form
        if form is None:
            return
        self.workers.cancel_group(self, "draft")
        if not keep_draft:
            await self.session.discard_draft(self._draft_name)
        await form.remove()
        self.remove_class("-editing")
        self.query_one("#details", Details).display = True
        self.table.focus()

    # ---- sending ----

    @on(Form.Saved)
    def _save(self, message: Form.Saved) -> None:
        record, body = self._edited, message.body
        if record is None:
            purpose = Purpose(f"make a {self.singular}", self.name_of_place)
            sending = self._creating_of(body)
        else:
            before = values_of(record, type(body))
            words = f"change {self.singular} {record.id} ({self.name_of(record)})"
            purpose = Purpose(words, self.name_of_place, record.id, {n: before.get(n) for n in body.given()})
            sending = self._updating_of(record.id, body)
        form = message.form
        self.write(purpose, sending, lambda sender, error: self.FormEnded(purpose, sender, error, form, body))

    def _creating_of(self, body: Body) -> Sending:
        creating = self.creating
        assert creating is not None
        return lambda endpoints: creating.send(endpoints, body)

    def _updating_of(self, id: int, body: Body) -> Sending:
        updating = self.updating
        assert updating is not None
        return lambda endpoints: updating.send(endpoints, id, body)

    def write(
        self,
        purpose: Purpose,
        sending: Sending,
        ended: Callable[[JournalledSender, ServiceError | None], Ended],
    ) -> None:
        """Sends a write once and posts how it ended. Leaving the screen does not take it back."""
        self.app.run_worker(self._write(purpose, sending, ended), group="writes", exit_on_error=False)

    async def _write(
        self,
        purpose: Purpose,
        sending: Sending,
        ended: Callable[[JournalledSender, ServiceError | None], Ended],
    ) -> None:
        endpoints, sender = self.session.writing(purpose)
        try:
            await sending(endpoints)
        except ServiceError as error:
            self.post_message(ended(sender, error))
        else:
            self.post_message(ended(sender, None))

    @on(FormEnded)
    async def _form_ended(self, message: FormEnded) -> None:
        record = self._edited
        if isinstance(message.error, OutcomeUnknown):
            await self._close_form(keep_draft=True)
            self._tell_unknown(message)
        elif message.error is not None:
            message.form.refuse(str(message.error))
        else:
            await self._close_form()
            self._show_saved(record, message)

    def _show_saved(self, record: T | None, message: FormEnded) -> None:
        after = patched(self.record_type, record.raw if record else None, message.body, message.sender.answer)
        if isinstance(after, Unreadable):
            self.notify("The service did not say its id; r shows it.", title="Made", markup=False)
            return
        self.listing.put(after)
        self.note(after.key, "changed" if record else "new")
        self.paint()
        self.table.move_to(after.key)
        self.notify(self.name_of(after), title="Changed" if record else "Made", markup=False)

    def _tell_unknown(self, message: Ended) -> None:
        if message.purpose.record_id is not None:
            self.note(message.purpose.record_id, "unknown")
        self.notify(
            f"{message.error} w shows it in the journal, where f finds out what happened.",
            title=f"Unknown: {message.purpose.words}",
            severity="warning",
            timeout=15,
            markup=False,
        )

    # ---- putting back and finding out ----

    async def do_undo(self) -> None:
        """Opens the form of the last change with the values before it; saving shows and sends them."""
        record, updating = self.row, self.updating
        if record is None or updating is None:
            return
        entry = await self._last_change(record.id)
        if entry is None:
            self.notify(f"No change of this {self.singular} was made from here.", markup=False)
            return
        before = {name: value for name, value in (entry.write.before or {}).items() if value is not None}
        if before.keys() < (entry.write.body or {}).keys():
            self.notify(
                "The service never showed what was there before, so it cannot be put back.", markup=False
            )
            return
        await self.do_edit()
        if self.form is not None:
            await self.form.restore(Draft.update(updating.model, before).values)
            self.form.action_save()

    async def _last_change(self, id: int) -> Entry | None:
        try:
            entries = await self.session.store.journal.recent(_LOOKED_THROUGH)
        except StoreUnavailable as error:
            self.tell(error)
            return None
        return next((entry for entry in entries if self._is_change(entry, id)), None)

    def _is_change(self, entry: Entry, id: int) -> bool:
        write = entry.write
        about = write.resource == self.name_of_place and write.record_id == id
        return about and write.method == "PUT" and entry.outcome is Outcome.DONE and bool(write.before)

    async def look(self, write: Write) -> Verdict:
        """What one read says about a write whose answer was lost. Raises ServiceError."""
        number = self.listing.page_of(write.record_id) if write.record_id is not None else 1
        page = await self._source.page(number or 1, self.page_size)
        complete = (page.maxpage or 1) <= 1
        return verdict(write, self.record_type, page.rows, complete=complete)

    # ---- deleting ----

    def do_delete(self) -> None:
        if self.row is not None:
            self.run_worker(self._ask_to_delete(self.row), group="ask", exclusive=True, exit_on_error=False)

    async def _ask_to_delete(self, record: T) -> None:
        """Asks, with what goes along named, and deletes this very record, wherever the cursor is by then."""
        assert self.deleting is not None
        name = self.name_of(record)
        question = ConfirmScreen(
            f"Delete {self.singular} {record.id}?",
            [name, *await self.losses(record), "A delete cannot be undone."],
            "Delete",
            typed=name if self.deleting.typed else None,
        )
        if not await self.app.push_screen_wait(question):
            return
        send = self.deleting.send
        purpose = Purpose(f"delete {self.singular} {record.id} ({name})", self.name_of_place, record.id)
        self.write(
            purpose,
            lambda endpoints: send(endpoints, record.id),
            lambda sender, error: self.DeleteEnded(purpose, sender, error),
        )

    @on(DeleteEnded)
    def _delete_ended(self, message: DeleteEnded) -> None:
        id = message.purpose.record_id
        assert id is not None
        if isinstance(message.error, OutcomeUnknown):
            self._tell_unknown(message)
            self.paint()
        elif message.error is not None:
            self.tell(message.error)
        else:
            self.listing.remove(id)
            self.paint()
            self.notify(message.purpose.words, title="Deleted", markup=False)


def values_of(record: Record, model: type[Body]) -> Mapping[str, object]:
    """What a record says of the members of a request model."""
    return {name: getattr(record, name) for name in model.model_fields if name in type(record).model_fields}
