"""Creating, editing, assigning and deleting records: each flow asks, sends, and shows the outcome.

It asks in the pane beside the table, where a form takes the place of the record in full and never loses what
was typed.

From `e` to the open form: HostScreen.action_do → ResourceScreen.perform → perform → ResourceScreen.do_edit →
HostScreen.begin → Editing.edit → Editing._fill_in → Editing._open → Pane.open.
From `ctrl+s` to the request: Form.action_save → Form._send → Editing._fill_in, which awaited the answer →
Editing.send → Writes.send, where the rest is told.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from linkdash.api.errors import InvalidBody
from linkdash.api.fields import fields_of
from linkdash.api.model import Body, Record, Unreadable
from linkdash.model import intents
from linkdash.model.as_text import Choice, write_commands
from linkdash.model.collection import Collection
from linkdash.model.forms import Change, Draft, Options
from linkdash.model.humanize import ago, counted, numbered
from linkdash.model.resource import Deletion
from linkdash.model.rows import Mapped, Steps, in_turns
from linkdash.model.session import Session
from linkdash.model.writes import WriteResult
from linkdash.screens import windows
from linkdash.screens.host import HostScreen
from linkdash.screens.job import run_job
from linkdash.screens.record_actions import copy_one
from linkdash.screens.windows import ConfirmScreen, PickerScreen
from linkdash.store.journal import Outcome, WriteIntent
from linkdash.widgets.form import Form, Preview
from linkdash.widgets.inputs import FilterHelp
from linkdash.widgets.panel import Panel
from linkdash.widgets.pieces import Piece, Tone
from linkdash.widgets.table import RecordTable
from linkdash.widgets.values import Details

# ---- the pane ----

DRAFT_DELAY = 0.8
"""Seconds after the first unsaved key at which what was typed is kept."""


class Pane(Panel):
    """Shows details, or a form whose draft is kept under a name until it is saved or discarded."""

    def __init__(self, session: Session, *beneath: Widget) -> None:
        """`beneath` is what stands below the fields of the record."""
        super().__init__(title="Details", id="pane")
        self._record = (Details(id="details"), *beneath)
        self._session = session
        self._draft_name = ""
        self._timer: Timer | None = None
        self.form: Form | None = None
        """The form that is open."""

    def compose(self) -> ComposeResult:
        yield from self._record
        yield FilterHelp()

    def on_mount(self) -> None:
        self.query_one(FilterHelp).display = False

    # ---- help for the filter ----

    def show_help(self, examples: Sequence[tuple[str, str]]) -> None:
        """Shows what can be typed into a filter, in the place of the record; never over a form."""
        if self.form is None:
            self.query_one(FilterHelp).show(examples)
            self._show_help(True)

    def hide_help(self) -> None:
        """Shows the record again."""
        if self.form is None:
            self._show_help(False)

    def _show_help(self, is_shown: bool) -> None:
        self.query_one(FilterHelp).display = is_shown
        self._show_record(not is_shown)
        self.say("Filter" if is_shown else "Details")

    # ---- a form ----

    async def open(self, form: Form, title: str, draft_name: str) -> datetime | None:
        """Shows a form, with what was kept of it put back; the moment of that, if anything was."""
        self._draft_name = draft_name
        self._show_record(False)
        self.query_one(FilterHelp).display = False
        self.screen.add_class("-editing")
        self.form = form
        self.say(title)
        await self.mount(form)
        kept = await self._session.draft(draft_name)
        if kept is None:
            return None
        await form.restore(kept.values)
        return kept.at

    async def close(self, *, keep_draft: bool = False) -> None:
        """Takes the form away; without `keep_draft`, what was typed into it is forgotten."""
        if self.form is None:
            return
        self._stop_timer()
        if not keep_draft:
            await self._discard()
        await self.form.remove()
        self.form = None
        self.say("Details", above=())
        self.screen.remove_class("-editing")
        self._show_record(True)

    def _show_record(self, is_shown: bool) -> None:
        """Shows what is known of the record, where style sheets have room for it, or nothing of it."""
        for part in self._record:
            part.styles.display = None if is_shown else "none"

    async def keep(self) -> None:
        """Keeps what was typed so far; nothing, where it is what the form began with."""
        self._stop_timer()
        if self.form is None:
            return
        values = self.form.storable_values() if self.form.changed else {}
        if values:
            drafts, now = self._session.store.drafts, self._session.moment()
            await self._session.kept(drafts.save(self._draft_name, values, now), None)
        else:
            await self._discard()

    async def _discard(self) -> None:
        await self._session.kept(self._session.store.drafts.discard(self._draft_name), None)

    @on(Form.Changed)
    def _keep_soon(self) -> None:
        changed = self.form is not None and self.form.changed
        self.say(above=[Piece("✎ not saved", Tone.WARNING)] if changed else ())
        if self._timer is None:
            self._timer = self.set_timer(DRAFT_DELAY, self.keep)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


# ---- the flows ----

T = TypeVar("T", bound=Record)
Plan = Callable[[Body], Sequence[WriteIntent]]
"""The writes that a form is for. Raises InvalidBody."""

_DONE = {"create": "Created", "update": "Saved", "subscribe": "Subscribed", "assign": "Assigned"}
_LOOK = Choice("Reload it first", "1 request")
_SAVE = Choice("Save anyway", "")
_CLOCKS_APART = timedelta(seconds=5)  # of two machines at the most
_LOSSES_OF = 100  # of many selected records, for what goes with them
_REFUSED = (Outcome.REJECTED, Outcome.NOT_SENT)


class Editing(Generic[T]):
    """The flows of one screen that change records.

    `preview` looks at what a form of a model will make, None for nothing. `losses` tells in sentences what
    goes with a deleted record.
    """

    def __init__(
        self,
        screen: HostScreen,
        collection: Callable[[], Collection[T]],
        pane: Pane,
        preview: Callable[[type[Body]], Preview | None],
        losses: Callable[[T], Awaitable[list[str]]],
    ) -> None:
        self._screen = screen
        self._session = screen.session
        self._collection_now = collection
        self._resource = collection().resource
        self._pane = pane
        self._preview = preview
        self._losses = losses
        self._options: Options = {}
        self._known: Options = {}
        """What can be chosen that is no resource of its own."""
        self._saving: WriteIntent | None = None
        """What the form sends."""

    def _unknown_references(self, model: type[Body]) -> list[str]:
        return [resource for resource in _references(model) if resource not in self._known]

    @property
    def _collection(self) -> Collection[T]:
        """What the screen shows now: part of the records, or all."""
        return self._collection_now()

    @property
    def _table(self) -> RecordTable[T]:
        return self._screen.query_one("#records", RecordTable)

    # ---- forms ----

    async def new(self) -> None:
        """A form for a new record."""
        if (model := self._resource.create) is not None:
            plan = self._one(partial(intents.creation, self._resource))
            await self._fill_in(Draft.create(model), f"New {self._resource.singular}", "create", plan)

    async def edit(self, records: Sequence[T], restored: Draft | None = None) -> None:
        """A form for a record, with `restored` put over its values; or for what all of several are to get."""
        resource = self._resource
        if (model := resource.update) is None:
            return
        if len(records) == 1:
            if restored is None:
                records = [await self._read_again_if_changed(records[0])]
            draft = Draft.update(model, intents.values_of(records[0], model))
            plan = self._one(partial(intents.update, resource, records[0]))
            title, name = f"Edit {resource.title_of(records[0])}", f"update/{records[0].id}"
            await self._fill_in(draft, title, name, plan, restored=restored, record=records[0])
        else:
            draft = Draft.create(intents.for_all(model, resource.record))
            title = f"Edit {counted(len(records), resource.singular)}"
            for_all = partial(intents.updates, resource, model, records)
            await self._fill_in(
                draft, title, "update/selected", for_all, "blank = unchanged", several=len(records)
            )

    async def _read_again_if_changed(self, record: T) -> T:
        """The record as it is now, if somebody else has changed it since and a person wants to see that."""
        session, listing = self._session, self._collection.listing
        read_at, page = listing.read_at(record.id), listing.page_of(record.id)
        if read_at is None or page is None:
            return record
        since = datetime.fromtimestamp(read_at, UTC) - _CLOCKS_APART
        change = await session.kept(
            session.store.journal.changed_by_others(self._resource.id, record.id, since), None
        )
        if change is None or not await self._screen.app.push_screen_wait(
            windows.reading_again(self._resource.title_of(record), change, session.moment())
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
        await self._fill_in(
            Draft.create(assignment.model, {**assignment.start(records), **(given or {})}),
            f"{assignment.title} {whom}",
            f"assign/{records[0].id if one else 'selected'}",
            lambda body: [i for record in records for i in assignment.intents(record, body, self._name_of)],
            several=0 if one else len(records),
        )

    async def undo(self, record: T) -> None:
        """The form of a record's last edit, with the values before it; saving shows and sends them."""
        singular, model = self._resource.singular, self._resource.update
        entries = await self._session.store.journal.recent(intents.UNDO_REACHES)
        entry = intents.last_change(entries, self._resource.id, record.id)
        before = intents.values_before(entry) if entry else None
        if entry is None or model is None:
            self._screen.say(f"This {singular} was not edited from here.")
        elif before is None:
            self._screen.say("The service never showed the values from before, so this cannot be undone.")
        else:
            await self.edit([record], Draft.update(model, before))

    async def _fill_in(
        self,
        draft: Draft,
        title: str,
        name: str,
        plan: Plan,
        hint: str = "",
        restored: Draft | None = None,
        record: T | None = None,
        several: int = 0,
    ) -> None:
        """Awaits the form, awaits the outcome, shows it; a refusal leads back to the form.

        `record` is the one that is changed, if there is one; `several` is how many, if there are more.
        """
        read_at = self._collection.listing.read_at(record.id) if record is not None else None
        cost = "1 request" if not several else f"up to {counted(several, 'request')}"
        form = await self._open(draft, f"{title} ({hint})" if hint else title, name, cost)
        if restored is not None:
            await form.restore(restored.values)
            form.action_save()
        result: WriteResult | None = None
        while (answer := await form.answer()) is not None:
            try:
                wanted = plan(answer.body)
            except InvalidBody as error:
                form.refuse(str(error))
                continue
            if not answer.is_to_be_sent:
                await self._copy(title, wanted)
                continue
            if len(wanted) > 1:
                if await self._start(title, wanted, answer.changes):
                    break
                form.busy(False)
                continue
            intent: WriteIntent | None = wanted[0]
            if record is not None:
                intent = await self._looked_again(record, read_at, wanted[0])
            if intent is None:
                form.busy(False)
                form.focus_step()
                continue
            form.say_saving()
            self._saving = intent
            result = await self.send(intent)
            if result.outcome not in _REFUSED:
                break
            form.refuse(str(result.error))
        await self._pane.close(keep_draft=result is not None and result.outcome is Outcome.UNKNOWN)
        self._table.focus()
        if result is not None and answer is not None:
            self._show(result)

    async def _looked_again(
        self, record: T, read_at: float | None, intent: WriteIntent
    ) -> WriteIntent | None:
        """The write of a record that was read at a moment, after a look at what it is now; None to go back.

        The look costs nothing where the list was read again meanwhile. Raises ServiceError.
        """
        listing, model, app = self._collection.listing, self._resource.update, self._screen.app
        page, known_at = listing.page_of(record.id), listing.read_at(record.id)
        if page is None or known_at is None or model is None:
            return intent
        if (age := self._session.now() - known_at) > intents.OLD:
            choice = await app.push_screen_wait(
                PickerScreen(f"{self._resource.title_of(record)} was read {ago(age)}", [_LOOK, _SAVE])
            )
            if choice is not _LOOK:
                return intent if choice is _SAVE else None
            await self._collection.read(page)
        if listing.read_at(record.id) == read_at:
            return intent
        if (now := listing.record(record.id)) is None:
            self._screen.warn("It is not where it was: it may have been deleted.")
            return None
        if not (sides := intents.three_sides(model, record, now, intent)):
            return intent
        lines = ["Others changed it since it was read. What you left alone stays as it is now."]
        question = ConfirmScreen("Save anyway?", lines, "Save", listed=sides)
        agreed = await app.push_screen_wait(question)
        return intents.rebased(self._resource, model, now, intent) if agreed else None

    async def _open(self, draft: Draft, title: str, name: str, cost: str) -> Form:
        """Opens a form beside the table, with what was typed into it before and never saved."""
        names = await self._session.collections.names(self._unknown_references(draft.model))
        self._options = {**names, **self._known}
        form = Form(
            draft,
            options=self._options,
            preview=self._preview(draft.model),
            cost=cost,
            now=self._session.local_time,
            take_back=self._take_back,
        )
        draft_name = f"{self._resource.id}/{name}"
        kept_at = await self._pane.open(form, title, draft_name)
        if kept_at is not None:
            restored = f"Draft from {kept_at.astimezone():%H:%M} restored."
            if await self._session.is_in_doubt(draft_name):
                self._screen.warn(f"It may have been sent already: {self._how_to_check()}", restored)
            else:
                self._screen.say("Cancel discards it. Passwords are never kept.", restored)
        return form

    async def _copy(self, title: str, wanted: Sequence[WriteIntent]) -> None:
        """Offers what a form would send as commands."""
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

    async def send(self, intent: WriteIntent) -> WriteResult:
        """Sends one write, with what was typed for it kept before."""
        await self._pane.keep()
        return await self._session.writes.send(intent)

    def _take_back(self) -> bool:
        """Stops what the form sends if that still waits for its turn."""
        return self._saving is not None and self._session.writes.take_back(self._saving)

    def _show(self, result: WriteResult) -> None:
        """Says how a write ended, and goes to its record."""
        screen, intent, record = self._screen, result.intent, result.record
        if result.outcome is Outcome.UNKNOWN:
            if intent.record_id is not None:
                self._collection.note(intent.record_id, "unknown")
            screen.warn(f"{result.error} {self._how_to_check()}", f"Unknown: {intent.summary}")
        elif result.error is not None:
            screen.tell(result.error)
        elif isinstance(record, Unreadable):
            refresh = screen.key_of("refresh")
            screen.say(f"Created, but no id came back. {refresh} refreshes the list.")
        elif isinstance(record, self._resource.record) and intent.action in _DONE:
            self._table.move_to(record.key)
            name = self._resource.name_of(record) or self._resource.title_of(record)
            screen.done(name, _DONE[intent.action])
        else:
            screen.done(intent.summary, "Done")

    async def _start(self, title: str, wanted: Sequence[WriteIntent], changes: Sequence[Change]) -> bool:
        """Asks whether many writes are to be done, and starts them as a job; False where they are not."""
        if not self._session.jobs.is_over:
            self._screen.warn(self.one_job())
            return False
        lines = [f"{change.title}: {change.after}" for change in changes]
        listed = [line for intent in wanted for line in intents.described(intent, self._resource.update)]
        title = f"{title}: {counted(len(wanted), 'change')}"
        question = windows.bulk(title, len(wanted), listed, self._session.gate, lines, yes="Start")
        if not await self._screen.app.push_screen_wait(question):
            return False
        await run_job(self._screen, title, wanted)
        return True

    def one_job(self) -> str:
        """Why no bulk job can begin now."""
        return f"A bulk job is under way, and there is one at a time. {self._screen.key_of('bulk')} shows it."

    # ---- deleting ----

    async def delete(self, records: Sequence[T], hidden: int) -> None:
        """Asks, with what goes along named, and deletes these very records, wherever the cursor is then."""
        if len(records) == 1:
            await self._delete(records[0])
        elif not self._session.jobs.is_over:
            self._screen.warn(self.one_job())
        else:
            await self._delete_all(records, hidden)

    async def _delete(self, record: T) -> None:
        deletion, title = self._resource.delete, self._resource.title_of(record)
        typed = deletion is not None and deletion.typed
        name = windows.typable(self._resource.name_of(record), record.id) if typed else None
        losses = await self._losses(record)
        if await self._screen.app.push_screen_wait(windows.deletion(f"Delete {title}?", losses, typed=name)):
            self._show(await self.send(intents.deletion(self._resource, record)))

    async def _delete_all(self, records: Sequence[T], hidden: int) -> None:
        resource, deletion = self._resource, self._resource.delete
        if deletion is None:
            return
        title = f"Delete {counted(len(records), resource.singular)}"
        losses = await in_turns(_losses(deletion, records))
        lines = [*(losses if len(losses) == 1 else ()), windows.NO_WAY_BACK]
        if hidden:
            lines.insert(0, f"{hidden} of them hidden by the filter.")
        wanted = Mapped(partial(intents.deletion, resource), records)
        listed = Mapped(_summary, wanted)
        typed = deletion.typed or len(records) >= windows.TYPED_FROM
        question = windows.bulk(
            title, len(wanted), listed, self._session.gate, lines, yes=windows.DELETE_ALL, typed=typed
        )
        if await self._screen.app.push_screen_wait(question):
            await run_job(self._screen, title, wanted)


def _losses(deletion: Deletion[T], records: Sequence[T]) -> Steps[Sequence[str]]:
    """What goes with the first of these records, each sentence once."""
    losses: dict[str, None] = {}
    for index in range(min(len(records), _LOSSES_OF)):
        losses[deletion.loses(records[index])] = None
        yield
    return list(losses)


def _summary(intent: WriteIntent) -> str:
    return intent.summary


def _references(model: type[Body]) -> list[str]:
    """The resources that a request model refers to."""
    return [field.reference for field in fields_of(model) if field.reference is not None]
