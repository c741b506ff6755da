"""A collection: the records of a resource, or a part of it, loaded, kept, filtered, ordered and selected."""

import asyncio
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from typing import Any, Generic, TypeAlias, TypeVar

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.quote import Quote
from linkdash.api.endpoints import PAGE_SIZE, Source
from linkdash.api.errors import AdminRequired, LinkdashError
from linkdash.api.fields import fields_of
from linkdash.api.http.request import Members
from linkdash.api.observers import Observers
from linkdash.api.paging import Rows
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import Slices, in_slices
from linkdash.model.declaration import Resource
from linkdash.model.lists.arrangement import Arrangement
from linkdash.model.lists.filter import FilterError
from linkdash.model.lists.later_changes import LaterChanges
from linkdash.model.lists.load_all import LoadAll, PageFit
from linkdash.model.lists.loaded_pages import AT_ONCE, Answered, LoadedPages, State
from linkdash.model.lists.page_source import PageSource
from linkdash.model.lists.patching import as_expected
from linkdash.model.lists.reread_pages import RereadPages
from linkdash.model.lists.selection import Selection
from linkdash.model.session_services import SessionServices
from linkdash.store.journal_entry import WriteIntent

T = TypeVar("T", bound=Record)
Taken = TypeVar("Taken")

Part = tuple[str | int, ...]
"""A part of a resource's records, such as one class of users; () for all of them."""


class ReadFault(LinkdashError):
    """linkdash itself failed while it read a page."""

    def __init__(self) -> None:
        super().__init__("linkdash failed while it read this list.", "Please report it with what you did.")


class Collection(Generic[T]):
    """The records of a resource, or of a part of it."""

    def __init__(self, context: SessionServices, resource: Resource[T], part: Part = ()) -> None:
        self.resource = resource
        self.part = part
        self.listing: LoadedPages[T] = LoadedPages()
        self.arrangement: Arrangement[T] = Arrangement(resource.columns, fields_of(resource.record))
        self.selection: Selection[T] = Selection()
        self.notes: Mapping[Hashable, str] = {}
        self._made: dict[Hashable, float] = {}
        """The note on a row since the last refresh, by its key: "new", "changed", "unknown"."""
        self.deleted: dict[int, T] = {}
        """The records as they were that were asked to be deleted alone in this run, by their ids."""
        self.load: LoadAll | None = None
        """The progress of loading all pages; None where that is not under way."""
        self._context = context
        self._later: LaterChanges[T] = LaterChanges()
        self._pages: PageSource[T] = PageSource(context, resource.source(context.client, *part), self._later)
        self._recalled = False
        self._was_recalled = False
        self._recalling = asyncio.Lock()
        self._hidden_of: tuple[Rows[T], int] = (), 0
        self._hidden = 0
        self._reread: RereadPages[T] = RereadPages(context, self._pages, self.listing)
        self._changed = Observers()

    # ---- who shows it ----

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever something changed; the result ends that."""
        return self._changed.watch(listener)

    @property
    def state(self) -> State:
        """The state a screen that shows this is in."""
        return self.listing.state(self._context.now())

    @property
    def total(self) -> int | None:
        """The number of records that the service has, where it said so."""
        return self.listing.total

    @property
    def source(self) -> Source[T]:
        """Return the source of its records."""
        return self._pages.source

    @property
    def page_size(self) -> int:
        """Return the number of records that are asked for at once."""
        return self._pages.size

    # ---- opening ----

    async def open(self) -> None:
        """Show what was kept, and ask for a page where nothing is there or what is there is old.

        Raises ServiceError.
        """
        if self.resource.for_admins and self.listing.page is None and self._context.admin_refusal:
            self.listing.failed(self._context.admin_refusal)
            self._changed()
            return
        await self.recall()
        if self.is_due or await self._is_outdated():
            await self.read(self.listing.wanted)

    async def _is_outdated(self) -> bool:
        """Return whether what was recalled is from before a change by an earlier run or another program.

        It is looked up once: what is changed here is shown at once.
        """
        age, was_recalled = self.listing.age(self._context.now()), self._was_recalled
        self._was_recalled = False
        if not was_recalled or age is None or self.listing.loading or self.listing.error is not None:
            return False
        return self._context.now() - age <= await self._context.last_change(self.resource.id)

    @property
    def is_due(self) -> bool:
        """Return whether a page should be asked for by itself: never while one is on its way, and not
        after a failure, which would only be repeated."""
        settled = self.listing.loading or self.listing.error is not None
        return self.listing.is_due(self._context.now()) and not settled

    @property
    def has_been_emptied(self) -> bool:
        """Return whether all that was loaded was deleted here, and there is more to be asked for."""
        return self.is_due and self.listing.outdated and not self.listing.loaded_rows()

    async def is_fresh(self) -> bool:
        """Return whether all that is loaded was read lately, and since the last change of such a record."""
        changed, now = await self._context.last_change(self.resource.id), self._context.now()
        pages = self.listing.pages.values()
        return bool(pages) and all(changed < loaded.at and not loaded.is_old(now) for loaded in pages)

    async def is_fresh_and_complete(self) -> bool:
        """Return whether every record is loaded, as it was a moment ago."""
        return self.listing.complete and await self.is_fresh()

    async def recall(self, max_age: float = math.inf) -> None:
        """Show what the store has of this list, once, where nothing newer is there.

        Pages that are older than `max_age` seconds stay where they are, and with a `max_age` also those that
        were read before the last change of a record of this resource.
        """
        async with self._recalling:  # who comes second must know the size of a page, too
            if self._recalled or self.listing.page is not None:
                return
            now = self._context.now()
            begun = now - max_age
            if max_age < math.inf:
                begun = max(begun, await self._context.last_change(self.resource.id))
            pages = await self._pages.recalled(begun)
            if max_age < math.inf:
                pages = [page for page in pages if page.at <= now]
            self._recalled = True
            if self.listing.page is None and pages:  # the service was not quicker
                self.listing.recalled(pages)
                self._was_recalled = True
                self._changed()

    @property
    def is_waiting(self) -> bool:
        """Return whether the page asked for last waits for its turn, so that cancelling it is free."""
        return self._pages.is_waiting

    # ---- reading a page ----

    async def read(self, number: int) -> None:
        """Ask for a page, show and keep it; what is there stays meanwhile. Raises ServiceError."""
        self.listing.asked(number)
        self.arrangement.forget()
        self._changed()
        try:
            answered = await self._pages.ask(number)
        except asyncio.CancelledError:
            self.withdraw()
            raise
        except BaseException as error:  # whatever it is, nothing is being loaded any more
            self._failed(error if isinstance(error, LinkdashError) else ReadFault())
            raise
        self._context.admin_refusal = None if self.resource.for_admins else self._context.admin_refusal
        if await self._context.learn_distance(self.resource.id, answered.page):
            now = self._context.local_time()  # `<1h` is of that time
            self.arrangement.filter(self.arrangement.text, now)
        self.listing.answered(answered)
        later = self._take_later(answered)
        self.notes = {key: note for key, note in self.notes.items() if key in later}
        self._changed()
        if self.selection:
            self.selection.renew(self.listing.loaded_rows())
        await self._pages.keep(answered)

    async def reread(
        self,
        ids: Iterable[int],
        *,
        max_age: float = -math.inf,
        elsewhere: bool = True,
    ) -> dict[int, T]:
        """These records as the service has them now, by id; one that is on no page is left out.

        Each page where one of them was last seen is read once, and others, the nearest first, only for what
        has moved or was never seen, and only if `elsewhere`. A page that was read for this less than
        `max_age` seconds ago serves again. Where nobody watches these pages, they are not kept either: what
        is kept is what the user has seen. Raises ServiceError.
        """
        found = dict[int, T]()
        async for answered, here in self._reread.with_records(ids, max_age, elsewhere=elsewhere):
            found |= here
            if self._changed:
                self._add(answered)
                self._changed()
                await self._pages.keep(answered)
        return found

    def serve_writes(self) -> None:
        """Let what was just loaded serve the writes that are made of it: it is not read for them again."""
        self._reread.take(self.listing.pages.values())

    def forget_reads(self) -> None:
        """Let what was read for writes serve no more: it is older than an answer that was waited for."""
        self._reread.forget()

    def _add(self, answered: Answered[T]) -> None:
        self.listing.added(answered)
        self._take_later(answered)

    def _take_later(self, answered: Answered[T]) -> Set[int]:
        """Show what was told of since a page was asked for, which it cannot have; the ids of these."""
        later = {} if answered.asked is None else self._later.since(answered.asked.changes)
        for id, record in later.items():
            if record is None:
                self.listing.remove(id)
            elif self.listing.record(id) is not None or self.is_new(record):
                self.listing.put(record)
        return later.keys()

    def sent_about(self, id: int | None) -> None:
        """A write about a record was sent from here, whatever came of it."""
        if id is not None:
            self._reread.outdate(id)

    def rereads(self, ids: Iterable[int]) -> Sequence[int]:
        """Return the pages that `reread` asks for where no record has moved to another."""
        return self._reread.numbers(ids)

    @property
    def pages_reread(self) -> int:
        """Return how many requests `reread` has cost, in all."""
        return self._reread.asked

    def _failed(self, error: LinkdashError) -> None:
        if isinstance(error, AdminRequired):
            self._context.admin_refusal = error
        self.listing.failed(error)
        self._changed()

    def withdraw(self) -> None:
        """The page that was asked for is not wanted any more."""
        self.listing.withdrawn()
        self._changed()

    # ---- loading all ----

    def plan(self) -> LoadAll | None:
        """Return how all that is missing can be loaded; None if the service does not tell the number."""
        page, total = self.listing.page, self.listing.total
        if page is None or not page.perpage or total is None:
            return None
        known = page.perpage != self.page_size or self.page_size != PAGE_SIZE
        return LoadAll(total, page.perpage, self.listing.pages, size_is_known=known)

    def quote(self, plan: LoadAll) -> Quote:
        """Return what loading the rest costs in time."""
        return self._context.gate.quote(plan.missing, Lane.TASK)

    async def load_all(self, plan: LoadAll, *, until: int | None = None) -> None:
        """Ask for every page that is missing and show each as it comes. Raises ServiceError.

        It ends at the page that has the record with the id `until`.
        """
        self.load = plan
        try:
            async for answered, fit in self._pages.missing(plan, until):
                if fit is PageFit.INSTEAD:
                    self.listing.begin_anew(answered)
                    self._take_later(answered)
                else:
                    self._add(answered)
                self._changed()
        except LinkdashError as error:
            self._failed(error)
            raise
        finally:
            self.load = None
            self.listing.settle()
            self.listing.whole = self.listing.complete
            self._changed()

    async def load_following(self) -> None:
        """Ask for page after page where the number is not known. Raises ServiceError."""
        async for answered in self._pages.following(max(self.listing.pages, default=0)):
            self._add(answered)
            await self._pages.keep(answered)
        self.listing.whole = True
        self._changed()

    # ---- turning pages ----

    def turn_to(self, number: int) -> bool:
        """Make a page that is loaded the current one; False where it is not loaded."""
        turned = self.listing.turned_to(number)
        if turned:
            self._changed()
        return turned

    # ---- filter and order ----

    def filter(self, text: str) -> None:
        """Show only what matches; a text without meaning is an error, and the filter before it stays."""
        self.arrangement.filter(text, self._context.local_time())
        self._rearranged()

    async def prepare_filter(self) -> None:
        """Look many records through while the first letter of a filter is still being thought of."""
        rows = self.listing.loaded_rows()
        if len(rows) > AT_ONCE:
            await in_slices(self.arrangement.prepare(rows))

    async def finds(self, text: str) -> int | None:
        """Return how many of the loaded records a filter finds; None for one without meaning."""
        rows, now = self.listing.loaded_rows(), self._context.local_time()
        try:
            return await in_slices(self.arrangement.found(rows, text, now))
        except FilterError:
            return None

    def sort_by_next(self, passed_over: Set[str]) -> None:
        """Sort by the next column, some of them passed over; then comes the service's own order."""
        self.arrangement.sort_by_next(passed_over)
        self._rearranged()

    def sort_by(self, column: str) -> None:
        """Sort by a column; the one already sorted by is reversed."""
        self.arrangement.sort_by(column)
        self._rearranged()

    def order_by(self, orders: Sequence[tuple[str, bool]]) -> None:
        """Sort by several columns, the most important first."""
        self.arrangement.order_by(orders)
        self._rearranged()

    def reverse(self) -> bool:
        """Turn the order around; False where there is none."""
        if not self.arrangement.orders:
            return False
        self.arrangement.reverse()
        self._rearranged()
        return True

    def adopt(self, arrangement: Arrangement[T]) -> None:
        """Show its records with the filter and the order of another part of them."""
        self.arrangement = arrangement
        self._rearranged()

    def _rearranged(self) -> None:
        arrange = self.arrangement.apply if self.arrangement else None
        self.listing.rearranged(arrange, self.arrangement.text if self.arrangement.filtering else "")
        self._changed()

    async def arrange(self, work: Slices[Rows[T]]) -> None:
        """Filter and order many rows beside everything else; what was shown before stays meanwhile."""
        rows = await in_slices(work)
        if work is self.listing.work:
            self.listing.arranged(rows)
            self._changed()

    # ---- selection ----

    @property
    def targets_selection(self) -> bool:
        """Return whether what is done now is done to the selected records."""
        return bool(self.selection) and not self.resource.one_at_a_time

    def targets(self, row: T | None) -> Sequence[T]:
        """The selected records, as they are known now; where none is, the one under the cursor."""
        if self.targets_selection:
            return self.selection.as_known(self.listing.records_by_key)
        return [row] if row is not None else []

    def toggle(self, record: T) -> None:
        """Select a record, or take it out of the selection."""
        self.selection.toggle(record)
        self._changed()

    def select(self, records: Iterable[T]) -> None:
        """Select these records and no others."""
        self.selection.replace(records)
        self._changed()

    def toggle_all(self) -> None:
        """Select all rows shown, or take all of them out."""
        self.selection.toggle_all(self.listing.rows)
        self._changed()

    def clear_selection(self) -> None:
        """Take every record out of the selection."""
        self.selection.clear()
        self._changed()

    @property
    def hidden_selected(self) -> int:
        """Return how many selected records the filter hides."""
        if not self.selection or not self.listing.filter_text:
            return 0
        rows = self.listing.rows
        if self._hidden_of[0] is not rows or self._hidden_of[1] != self.selection.changes:
            self._hidden_of = rows, self.selection.changes
            self._hidden = len(self.selection.keys - {row.key for row in rows})
        return self._hidden

    # ---- what a write does to it ----

    def apply_write(self, intent: WriteIntent, answer: Members) -> T | Unreadable | None:
        """Show what a write has done to its record; the record after it, where there is one here."""
        id = intent.record_id
        if intent.action == "delete":
            self._removed(id)
            return None
        known = None if id is None else self.listing.record(id)
        if intent.action == "assign" or (known is None and id is not None):
            return known
        raw = known.raw if known is not None else None
        made = known if known is not None and self.is_new(known) else None
        expected = self.resource.expected(intent, self._context.local_time(), made)
        after = as_expected(self.resource.record, raw, expected, answer)
        if not isinstance(after, Unreadable):
            self.put(after, "changed" if known is not None and made is None else "new")
        return after

    def is_new(self, record: T) -> bool:
        """Return whether a record was made here since the list was read."""
        return self.notes.get(record.key) == "new"

    def made_ago(self, record: T) -> float:
        """Return how many seconds ago a record was made here."""
        now = self._context.now()
        return now - self._made.get(record.key, now)

    def _removed(self, id: int | None) -> None:
        if id is not None:
            self._later.tell(id, None)
            self.listing.remove(id)
            self.selection.remove(id)
            self._changed()

    def put(self, record: T, note: str = "") -> None:
        """Show a record as it is known now, with a sign on its row until the next refresh."""
        self._later.tell(record.id, record)
        self.listing.put(record)
        if note == "new":
            self._made.setdefault(record.key, self._context.now())
        if note:
            self.notes = {**self.notes, record.key: note}
        self._changed()

    def mark_outdated(self) -> None:
        """Show that there are other records by now, which have to be read."""
        self.listing.outdated = True
        self._changed()

    def note(self, key: Hashable, note: str) -> None:
        """Put a sign on a row until the next refresh."""
        self.notes = {**self.notes, key: note}
        self._changed()

    def page_to_check(self, id: int | None) -> int:
        """The page to look for a record on: its own, or for one that was created the page of the newest."""
        if id is not None:
            return self.listing.page_of(id) or 1
        page = self.listing.page
        ascends = page is not None and len(page) > 1 and page.items[0].id < page.items[-1].id
        return (page.maxpage or 1) if page is not None and ascends else 1

    # ---- for forms elsewhere ----

    async def names(self) -> list[tuple[int, str]]:
        """Id and name of every record that is loaded, or was kept of an earlier run; costs nothing."""
        await self.recall()
        return await in_slices(self._of_each(lambda record: (record.id, self.resource.name_of(record))))

    async def known_records(self) -> list[T]:
        """Every record that is loaded, or was kept of an earlier run; costs nothing."""
        await self.recall()
        return await in_slices(self._of_each(lambda record: record))

    def _of_each(self, take: Callable[[T], Taken]) -> Slices[list[Taken]]:
        found = []
        for count, row in enumerate(self.listing.loaded_rows(), 1):
            if not isinstance(row, Unreadable):
                found.append(take(row))
            if count % AT_ONCE == 0:
                yield
        return found

    @property
    def records(self) -> Sequence[T]:
        """The records that are loaded."""
        return [row for row in self.listing.loaded_rows() if not isinstance(row, Unreadable)]


AnyCollection: TypeAlias = Collection[Any]
"""The records of one of the resources, whichever."""
