"""A collection: the records of a resource, or a part of it, loaded, kept, filtered, ordered and selected."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from linkdash.api.budget.lanes import Lane
from linkdash.api.budget.quote import Quote
from linkdash.api.endpoints import Source
from linkdash.api.errors import AdminRequired, LinkdashError
from linkdash.api.fields import fields_of
from linkdash.api.http.request import Members, Options
from linkdash.api.observers import Observers
from linkdash.api.records import Record, Unreadable
from linkdash.model.declaration import AnyResource, Resource, declaration
from linkdash.model.lists.arrangement import Arrangement
from linkdash.model.lists.load_all import LoadAll, PageFit
from linkdash.model.lists.loaded_pages import AT_ONCE, STALE_AFTER, Answered, LoadedPages, State
from linkdash.model.lists.rows import RowsOf, keys, ready_to_show
from linkdash.model.session_services import SessionServices
from linkdash.model.slices import Slices, at_once, in_slices
from linkdash.store.journal_entry import WriteIntent

if TYPE_CHECKING:  # lists are shown without forms
    from linkdash.model.writes.draft import Options as Names

from linkdash.model.lists.patching import patched
from linkdash.model.lists.selection import Selection

T = TypeVar("T", bound=Record)
Taken = TypeVar("Taken")

Part = tuple[str | int, ...]
"""A part of a resource's records, such as one class of users; () for all of them."""

PAGE_SIZE = 100
"""Records asked for at once: a page costs one request however long it is."""


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
        """The note on a row since the last refresh, by its key: "new", "changed", "unknown"."""
        self.page_size = PAGE_SIZE
        self.load: LoadAll | None = None
        """The progress of loading all pages; None where that is not under way."""
        self.is_selecting = False
        """True while all rows are being selected, or deselected."""
        self._context = context
        self._learned = PAGE_SIZE
        self._asked_for = ""
        self._recalled = False
        self._was_recalled = False
        self._recalling = asyncio.Lock()
        self._hidden_of, self._hidden = (0, 0), 0
        self._reread: dict[int, tuple[float, Answered[T]]] = {}
        self._sent: dict[int, float] = {}
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
        return self.resource.source(self._context.client, *self.part)

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
        return self.listing.is_old(self._context.now()) and not settled

    async def is_fresh(self) -> bool:
        """Return whether all that is loaded was read lately, and since the last change of such a record."""
        moments = [loaded.at for loaded in self.listing.pages.values()]
        begun = max(self._context.now() - STALE_AFTER, await self._context.last_change(self.resource.id))
        return bool(moments) and min(moments) > begun

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
            begun = self._context.now() - max_age
            if max_age < math.inf:
                begun = max(begun, await self._context.last_change(self.resource.id))
            pages = await self._kept_pages(begun)
            self._recalled = True
            if self.listing.page is None and pages:  # the service was not quicker
                self.listing.recalled(pages)
                self._was_recalled = True
                self._changed()

    async def _kept_pages(self, since: float) -> list[Answered[T]]:
        context, source = self._context, self.source
        learned = await context.page_size(source.request(1).path)
        self.page_size = self._learned = learned or PAGE_SIZE
        kept = await context.recall_all(source.request(1, self.page_size), since)
        return [Answered(number, source.read(found.payload), found.at.timestamp()) for number, found in kept]

    # ---- reading a page ----

    async def read(self, number: int) -> None:
        """Ask for a page, show and keep it; what is there stays meanwhile. Raises ServiceError."""
        self.listing.asked(number)
        self.arrangement.forget()
        self._changed()
        try:
            answered = await self._page(number)
        except asyncio.CancelledError:
            self.withdraw()
            raise
        except BaseException as error:  # whatever it is, nothing is being loaded any more
            self._failed(error if isinstance(error, LinkdashError) else ReadFault())
            raise
        self._context.admin_refusal = None if self.resource.for_admins else self._context.admin_refusal
        self.listing.answered(answered)
        self.notes = {}
        self._changed()
        if self.selection and len(answered.page.rows) > AT_ONCE:
            await in_slices(self.selection.renew(self.listing.loaded_rows()))
        await self._keep(answered)

    async def reread(
        self,
        ids: Iterable[int],
        *,
        is_shown: bool,
        max_age: float = -math.inf,
        elsewhere: bool = True,
    ) -> dict[int, T]:
        """These records as the service has them now, by id; one that is on no page is left out.

        Each page where one of them was last seen is read once, and others, the nearest first, only for what
        has moved or was never seen, and only if `elsewhere`. A page that was read for this less than
        `max_age` seconds ago serves again. Where these pages are not shown, they are not kept either: what is
        kept is what the user has seen. Raises ServiceError.
        """
        missing, found, read = set(ids), dict[int, T](), set[int]()
        numbers = sorted({self.listing.page_of(id) or 1 for id in missing})
        while missing and numbers:
            number = numbers.pop(0)
            answered = self._just_reread(number, missing, max_age)
            if answered is None:
                asked_at = self._context.now()
                answered = await self._page(number)
                self._reread[number] = asked_at, answered
            page = answered.page
            read.add(number)
            if is_shown:
                self.listing.added(answered)
                self._changed()
                await self._keep(answered)
            here = {row.id: row for row in page.rows.with_ids(missing) if not isinstance(row, Unreadable)}
            found |= here
            missing -= here.keys()
            if not numbers and elsewhere:
                last = (page.maxpage or page.nextpage or number) if page.rows else number - 1
                numbers = [*islice((n for n in _outward(number, last) if n not in read), 1)]
        return found

    def _just_reread(self, number: int, ids: Iterable[int], max_age: float) -> Answered[T] | None:
        """The page as `reread` has read it lately; None where what is sent from here may have changed it."""
        asked_at, answered = self._reread.get(number, (-math.inf, None))
        lately = max((self._sent.get(id, -math.inf) for id in ids), default=-math.inf)
        age = self._context.now() - asked_at  # below 0 where the clock was set back: then it tells nothing
        return answered if 0 <= age < max_age and asked_at > lately else None

    def sent_about(self, id: int | None) -> None:
        """A write about a record was sent from here, whatever came of it."""
        if id is not None:
            self._sent[id] = self._context.now()

    def rereads(self, ids: Iterable[int]) -> int:
        """Return how many requests `reread` costs where no record has moved to another page."""
        return len({self.listing.page_of(id) or 1 for id in ids})

    async def _page(self, number: int) -> Answered[T]:
        source = self.source
        self._asked_for = str(source.request(number, self.page_size))
        page = await source.page(number, self.page_size)
        now = self._context.now()
        if len(page.rows) > AT_ONCE and self._changed:  # somebody will show them
            await in_slices(ready_to_show(page.rows))
        return Answered(number, page, now)

    def _failed(self, error: LinkdashError) -> None:
        if isinstance(error, AdminRequired):
            self._context.admin_refusal = error
        self.listing.failed(error)
        self._changed()

    async def _keep(self, answered: Answered[T], asked: int | None = None) -> None:
        """Keep a page, `asked` records of which were asked for, where the next run will look for it."""
        limit = asked or self.page_size
        size = min(answered.page.perpage or limit, limit)
        request = self.source.request(answered.number, size)
        await self._context.keep(request, answered.page.raw, answered.at)
        if size != self._learned:
            self._learned = size
            await self._context.learn_page_size(request.path, size)

    @property
    def is_waiting(self) -> bool:
        """Return whether the page asked for last waits for its turn, so that cancelling it is free."""
        return self._asked_for in {waiting.label for waiting in self._context.gate.state.queued}

    def withdraw(self) -> None:
        """The page that was asked for is not wanted any more."""
        self.listing.withdrawn()
        self._changed()

    # ---- loading all ----

    def plan(self) -> LoadAll | None:
        """Return how all that is missing can be loaded; None if the service does not tell the number."""
        page, total = self.listing.page, self.listing.total
        if page is None or not page.maxpage or not page.perpage or total is None:
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
            async for answered, fit in self._missing(plan, until):
                if fit is PageFit.INSTEAD:
                    self.listing.begin_anew(answered)
                else:
                    self.listing.added(answered)
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
        number = max(self.listing.pages, default=0)
        async for page in self.source.pages(self.page_size, number + 1, options=Options(lane=Lane.TASK)):
            number += 1
            answered = Answered(number, page, self._context.now())
            self.listing.added(answered)
            await self._keep(answered)
        self.listing.whole = True
        self._changed()

    async def _missing(self, plan: LoadAll, until: int | None) -> AsyncIterator[tuple[Answered[T], PageFit]]:
        source, options = self.source, Options(lane=Lane.TASK)
        while (ask := plan.next()) is not None:
            page = await source.page(ask.number, ask.limit, options=options)
            answered = Answered(ask.number, page, self._context.now())
            fit = plan.answered(ask, page)
            if fit is PageFit.INSTEAD:
                self.page_size = plan.size
            if fit is not PageFit.NOT:
                yield answered, fit
                await self._keep(answered, ask.limit)
            if until is not None and page.rows.position(until) is not None:
                return

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

    def sort_by_next(self) -> None:
        """Sort by the next column; after the last one comes the service's own order."""
        self.arrangement.sort_by_next()
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
        if self.arrangement.order is None:
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

    async def arrange(self, work: Slices[RowsOf[T]]) -> None:
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
            return self.selection.as_known([self.listing])
        return [row] if row is not None else []

    def toggle(self, record: T) -> None:
        """Select a record, or take it out of the selection."""
        self.selection.toggle(record)
        self._changed()

    def select(self, records: Iterable[T]) -> None:
        """Select these records and no others."""
        self.selection.replace(records)
        self._changed()

    async def toggle_all(self) -> None:
        """Select all rows shown, or take all of them out; many are read beside everything else."""
        toggling = self.selection.toggle_all(self.listing.rows)
        try:
            if len(self.listing.rows) <= AT_ONCE:
                at_once(toggling)
            else:
                await in_slices(toggling)
        finally:
            self.note_selecting(False)

    def note_selecting(self, is_under_way: bool) -> None:
        """Say whether all rows are being selected."""
        self.is_selecting = is_under_way
        self._changed()

    def clear_selection(self) -> None:
        """Take every record out of the selection."""
        self.selection.clear()
        self._changed()

    def deselect(self, key: Hashable) -> None:
        """Take a record out of the selection, if it is in it."""
        if self.selection.remove(key):
            self._changed()

    @property
    def hidden_selected(self) -> int:
        """Return how many selected records the filter hides."""
        if not self.selection or not self.listing.filter_text:
            return 0
        rows = self.listing.rows
        if self._hidden_of != (id(rows), len(self.selection)):
            self._hidden_of = (id(rows), len(self.selection))
            self._hidden = len(self.selection.keys - set(at_once(keys(rows))))
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
        sent = self.resource.expected(intent, self._context.local_time())
        after = patched(self.resource.record, raw, sent, answer)
        if not isinstance(after, Unreadable):
            self.put(after, "changed" if known else "new")
        return after

    def _removed(self, id: int | None) -> None:
        if id is not None:
            self.listing.remove(id)
            self.selection.remove(id)
            self._changed()

    def put(self, record: T, note: str = "") -> None:
        """Show a record as it is known now, with a sign on its row until the next refresh."""
        self.listing.put(record)
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


def _outward(start: int, last: int) -> Iterator[int]:
    """The numbers of pages up to the last one, from those beside a page outward."""
    for distance in range(1, max(start, last)):
        yield from (number for number in (start + distance, start - distance) if 1 <= number <= last)


AnyCollection: TypeAlias = Collection[Any]
"""The records of one of the resources, whichever."""


class Collections:
    """Every collection of a session, each made when it is first asked for."""

    def __init__(self, context: SessionServices) -> None:
        self._context = context
        self._known: dict[tuple[AnyResource, Part], AnyCollection] = {}

    def of(self, resource: Resource[T], *part: str | int) -> Collection[T]:
        """The records of a resource, or of a part of it; the same object each time it is asked for."""
        name = (resource, part)
        if name not in self._known:
            self._known[name] = Collection(self._context, resource, part)
        return self._known[name]

    def known(self, id: str) -> AnyCollection | None:
        """All records of a resource, if they were asked for before; nothing is imported or asked for it."""
        return next((c for (known, part), c in self._known.items() if known.id == id and not part), None)

    def apply_write(self, intent: WriteIntent, answer: Members) -> Record | Unreadable | None:
        """Make every collection of a resource show what a write has done; the record after it, if known."""
        resource = declaration(intent.resource)
        is_assigned = intent.action == "assign" and resource.assigning is not None
        holder = resource.assigning.holder(intent) if is_assigned and resource.assigning else None
        for (known, part), collection in tuple(self._known.items()):
            if (known.id, part) == holder:
                collection.mark_outdated()
            if known is resource and part and collection.listing.record(intent.record_id) is not None:
                collection.apply_write(intent, answer)
        return self.of(resource).apply_write(intent, answer)

    async def names(self, resources: Iterable[str]) -> "Names":
        """Id and name of the records of these resources that are loaded, or kept of an earlier run."""
        return {resource: await self.of(declaration(resource)).names() for resource in resources}
