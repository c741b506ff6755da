"""What the screens of all writable resources share: sending one write, and what comes of it."""

import asyncio
from collections.abc import Mapping
from typing import ClassVar, Generic, TypeVar

from textual.message import Message

from linkdash.api.client import Endpoints
from linkdash.api.envelope import Members
from linkdash.api.errors import LinkdashError, OutcomeUnknown
from linkdash.api.model import Record, Unreadable
from linkdash.api.resource import Source
from linkdash.screens.listing import AT_ONCE
from linkdash.screens.resource import ResourceScreen
from linkdash.screens.session import Session
from linkdash.screens.writing.writer import Writer
from linkdash.screens.writing.writes import Creating, Deleting, Given, Giving, Updating
from linkdash.store.settling import Look, Verdict, verdict
from linkdash.store.tasks import Task
from linkdash.widgets.form import Form

T = TypeVar("T", bound=Record)

_DONE = {"create": "Made", "update": "Changed", "subscribe": "Subscribed"}


_MISTAKE = (
    "linkdash made a mistake while it sent this change.",
    "Look whether it happened before doing it again.",
)


class SendingScreen(ResourceScreen[T], Generic[T]):
    """A resource whose records can be written. A subclass says how."""

    creating: ClassVar[Creating | None] = None
    updating: ClassVar[Updating | None] = None
    deleting: Deleting[T] | None = None
    giving: Giving[T] | None = None
    given: ClassVar[Given | None] = None

    class Ended(Message):
        """A write is over; `error` is None when it was done. `form` is the one it came from, if any."""

        def __init__(
            self, task: Task, answer: Members, error: LinkdashError | None, form: Form | None
        ) -> None:
            super().__init__()
            self.task, self.answer, self.error, self.form = task, answer, error, form

    class Took(Message):
        """A task of another resource was done from here."""

        def __init__(self, task: Task, answer: Members) -> None:
            super().__init__()
            self.task, self.answer = task, answer

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.writer = Writer(
            self.name_of_place,
            self.singular,
            self.record_type,
            self.name_of,
            self.shown_of,
            creating=self.creating,
            updating=self.updating,
            deleting=self.deleting,
            giving=self.giving,
            given=self.given,
        )

    # ---- what a subclass may say more of ----

    def shown_of(self, task: Task) -> Mapping[str, object]:
        """What a task of this resource makes of its record, by the record's members."""
        return task.params

    def whole(self, endpoints: Endpoints) -> Source[T]:
        """Where all records of this resource come from."""
        return self.source(endpoints)

    # ---- what actions need ----

    def missing_creating(self) -> str | None:
        return None if self.creating else super().missing_creating()

    def missing_updating(self) -> str | None:
        return None if self.updating else super().missing_updating()

    def missing_deleting(self) -> str | None:
        return None if self.deleting else super().missing_deleting()

    def missing_giving(self) -> str | None:
        return None if self.giving else super().missing_giving()

    # ---- sending ----

    def write(self, task: Task, form: Form | None = None) -> None:
        """Sends a write once and posts how it ended. Leaving the screen does not take it back."""
        self.app.run_worker(self._write(task, form), name=task.words, group="writes", exit_on_error=False)

    async def _write(self, task: Task, form: Form | None) -> None:
        await self.pane.keep()
        endpoints, sender = self.session.writing(task)
        ended = None
        try:
            await self.writer.send(endpoints, task)
            ended = self.Ended(task, sender.answer, None, form)
        except LinkdashError as error:
            ended = self.Ended(task, {}, error, form)
        finally:  # whatever else went wrong, a form is never left locked
            self.post_message(ended or self.Ended(task, {}, OutcomeUnknown(*_MISTAKE), form))

    # ---- what came of it ----

    def took(self, task: Task, answer: Members) -> T | Unreadable | None:
        """Makes the lists show what a task has changed; the record after it, where there is one."""
        id = task.record_id
        held = [listing for listing in self.listings if id is not None and listing.page_of(id) is not None]
        if task.action == "delete" and id is not None:
            for listing in held:
                listing.remove(id)
            self._painted()
            return None
        record = next((row for listing in held for row in listing.loaded_rows() if row.key == id), None)
        if isinstance(record, Unreadable) or (record is None and id is not None):
            return record
        if task.action == "assign":
            return record
        after = self.writer.after(task, record, answer)
        if not isinstance(after, Unreadable):
            for listing in held or self.listings[:1]:
                listing.put(after)
            self._painted(after.id, "changed" if record else "new")
        return after

    def _painted(self, id: int | None = None, note: str = "") -> None:
        if self.is_mounted:
            if id is not None:
                self.note(id, note)
            self.paint()

    def show_done(self, task: Task, after: T | Unreadable | None) -> None:
        """Says that a task was done and goes to its record."""
        if isinstance(after, Unreadable):
            self.notify("The service did not say its id; r shows it.", title="Made", markup=False)
        elif after is None or task.action not in _DONE:
            self.notify(task.words, title="Done", markup=False)
        else:
            self.table.move_to(after.key)
            self.notify(self.name_of(after), title=_DONE[task.action], markup=False)

    def show_unknown(self, task: Task, error: LinkdashError) -> None:
        """Says that nobody knows whether a task was done, and how that can be found out."""
        if task.record_id is not None:
            self.note(task.record_id, "unknown")
        self.paint()
        self.notify(
            f"{error} w shows it in the journal, where f finds out what happened.",
            title=f"Unknown: {task.words}",
            severity="warning",
            timeout=15,
            markup=False,
        )

    # ---- for other screens ----

    async def names(self) -> list[tuple[int, str]]:
        """Id and name of every record that is loaded, or was kept of an earlier run; costs nothing."""
        if self.listing.page is None:
            self.listing.recalled(await self.reader.kept())
        found = []
        for count, row in enumerate(self.listing.loaded_rows(), 1):
            if not isinstance(row, Unreadable):
                found.append((row.id, self.name_of(row)))
            if count % AT_ONCE == 0:
                await asyncio.sleep(0)
        return found

    async def load(self) -> None:
        """Loads the first page for another screen. Raises ServiceError."""
        answered = await self.reader.read(1)
        self.listing.answered(answered)
        await self.reader.keep(answered)

    # ---- finding out ----

    async def look(self, task: Task) -> Verdict:
        """What one read says about a write whose answer was lost. Raises ServiceError."""
        endpoints = self.session.endpoints
        if self.given is not None and task.action in ("assign", "subscribe"):
            return await self.given.look(endpoints, task)
        await self.names()  # where a record stood among its neighbours tells more than the page alone
        number = self._page_of(task.record_id)
        known = self.listing.pages.get(number)
        before = [record.id for record in known.page.items] if known else []
        page = await self.whole(endpoints).page(number, self.reader.page_size)
        look = Look(page.rows, number == 1, number >= (page.maxpage or 1), before)
        return verdict(task, self.record_type, look, self.shown_of(task))

    def _page_of(self, id: int | None) -> int:
        """The page to look for a record on: its own, or for one that was made the page of the newest."""
        if id is not None:
            return self.listing.page_of(id) or 1
        page = self.listing.page
        ascends = page is not None and len(page) > 1 and page.items[0].id < page.items[-1].id
        return (page.maxpage or 1) if page is not None and ascends else 1
