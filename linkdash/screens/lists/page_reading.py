"""The pages of a list on a screen: opened, turned, read again, loaded altogether."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

from textual.worker import Worker, WorkerError

from linkdash.api.errors import LinkdashError
from linkdash.api.records import Record
from linkdash.model.lists.export import NotLoaded
from linkdash.model.lists.load_all import LoadAll
from linkdash.screens.actions import Flow
from linkdash.screens.lists.arranging import Arranging
from linkdash.screens.lists.record_list import RecordList

T = TypeVar("T", bound=Record)

_READ, _LOAD_ALL = "read", "load-all"
"""Groups of workers."""


class PageReading(Generic[T]):
    """The reads of a list's pages; what is on the screen stays there meanwhile."""

    def __init__(self, records: RecordList[T], arranging: Arranging[T]) -> None:
        self._records, self._arranging = records, arranging
        self._page_read: Worker[None] | None = None
        self._page_begun = False
        self._page_ended = 0.0  # by the monotonic clock

    # ---- one page ----

    def open(self, *, exclusive: bool = False) -> None:
        """Show what is kept, and ask for a page where nothing is, or what is kept is old."""
        self._run_read(self._open, exclusive=exclusive)

    async def _open(self) -> None:
        collection = self._records.collection
        await self._arranging.recall()
        await collection.recall()
        if self._records.screen.is_current:
            await collection.open()

    def next(self) -> None:
        """Show the next page."""
        self._turn_to(self._records.collection.listing.next_page, "This is the last page.")

    def previous(self) -> None:
        """Show the previous page."""
        self._turn_to(self._records.collection.listing.previous_page, "This is the first page.")

    def _turn_to(self, number: int | None, otherwise: str) -> None:
        """Show a page, loaded or not; say `otherwise` where there is none."""
        records = self._records
        if number is None:
            records.screen.say(otherwise)
        elif records.collection.turn_to(number):
            records.table.move_cursor(0)
        else:
            self._ask_for(number)

    def refresh(self) -> None:
        """Ask for the current page again."""
        self._ask_for(self._records.collection.listing.wanted)

    def _ask_for(self, number: int) -> None:
        """Ask for a page, unless one is on its way or came after the key was pressed."""
        read, screen = self._page_read, self._records.screen
        about_to = read is not None and not read.is_finished and not self._page_begun
        if about_to or self._records.collection.listing.loading:
            screen.say("A page is already loading.")
            return
        if screen.services.type_ahead.pressed_at < self._page_ended:
            screen.say("A page was loaded since that key was pressed.")
            return
        self._page_begun = False
        self._page_read = self._run_read(partial(self._page, number))

    async def _page(self, number: int) -> None:
        self._page_begun = True
        collection = self._records.collection
        turned = number != collection.listing.current
        try:
            await collection.read(number)
        finally:
            self._page_ended = time.monotonic()
        if turned:
            self._records.table.move_cursor(0)

    # ---- all pages ----

    def load_all(self) -> None:
        """Say what it costs, and load every page that is missing."""
        records, screen = self._records, self._records.screen
        collection = records.collection
        plan, stops = collection.plan(), f"{screen.key_of('back')} stops"
        if collection.load is not None:
            screen.say(f"All pages are being loaded; {stops} that.")
        elif plan is not None and plan.missing:
            screen.say(str(collection.quote(plan)), f"Loading all; {stops} it")
            screen.run_worker(collection.load_all(plan), group=_LOAD_ALL, exit_on_error=False)
        elif plan is not None or collection.listing.next_page is None:
            screen.say(f"All {records.resource.title} are loaded.")
        else:
            next_page = f"{screen.key_of('next-page')} loads the next page."
            screen.say(next_page, "The service does not say how many there are")

    def missing(self) -> NotLoaded | None:
        """The part of the list that is not loaded, and how it can be; None where there is none known."""
        collection = self._records.collection
        plan, total = collection.plan() if collection.load is None else None, collection.listing.total
        if plan is None or total is None or not plan.missing:
            return None
        count = total - len(collection.listing.loaded_rows())
        return NotLoaded(count, str(collection.quote(plan)), partial(self._load_rest, plan))

    async def _load_rest(self, plan: LoadAll) -> bool:
        """Load every page that is missing, as the key for it does; False where that was stopped or failed."""
        screen, collection = self._records.screen, self._records.collection
        screen.say(str(collection.quote(plan)), f"Loading all; {screen.key_of('back')} stops it")
        load: Worker[None] = screen.run_worker(
            collection.load_all(plan), group=_LOAD_ALL, exit_on_error=False
        )
        with suppress(WorkerError):
            await load.wait()
        return collection.listing.complete

    def stop_loading_all(self) -> None:
        """Stop loading every page; those that came stay."""
        screen = self._records.screen
        screen.workers.cancel_group(screen, _LOAD_ALL)
        screen.say(f"Loaded pages are kept; {screen.key_of('load-all')} continues.", "Stopped loading")

    # ---- reads ----

    def _run_read(self, read: Callable[[], Flow], *, exclusive: bool = True) -> Worker[None]:
        """Run a read. What it raises is shown in the place of the rows; where rows are, it is said."""
        return self._records.screen.run_worker(
            self._read(read), group=_READ, exclusive=exclusive, exit_on_error=False
        )

    async def _read(self, read: Callable[[], Flow]) -> None:
        try:
            await read()
        except LinkdashError as error:
            if self._records.collection.listing.page is not None:
                self._records.screen.tell(error)

    def take_back(self) -> None:
        """Withdraw the request for a page, if it was not sent yet."""
        collection = self._records.collection
        if collection.listing.loading and collection.is_waiting:
            self.cancel()

    def cancel(self) -> None:
        """End every read."""
        self._records.screen.workers.cancel_group(self._records.screen, _READ)

    async def wait(self) -> None:
        """Wait until no read is under way."""
        screen = self._records.screen
        reading = [worker for worker in screen.workers if worker.node is screen and worker.group == _READ]
        with suppress(WorkerError):  # one that was taken back; what it had to say it has said
            for worker in reading:
                await worker.wait()
