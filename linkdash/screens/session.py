"""What one run of the app works with: the profile, the endpoints behind their gate, the store, the clock."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from linkdash.api.budget import Lane
from linkdash.api.client import Client, Endpoints
from linkdash.api.connection import RETRIES
from linkdash.api.errors import AdminRequired
from linkdash.api.exchange import Request
from linkdash.api.gate import Gate, SharedBudget
from linkdash.config import Settings
from linkdash.screens.writing.bulk import Bulk
from linkdash.screens.writing.names import Names
from linkdash.store.database import StoreUnavailable
from linkdash.store.drafts import Draft
from linkdash.store.journalled import Claim, JournalledSender
from linkdash.store.pages import PageSnapshot
from linkdash.store.store import Store
from linkdash.store.tasks import Task


class Session:
    """One profile at work."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        clock: Callable[[], float] = time.time,
        shared: SharedBudget | None = None,
        retries: int = RETRIES,
    ) -> None:
        """`retries` is how often a read that failed in passing is asked again.

        `clock` gives seconds of the wall clock since 1970; with `shared`, programs share the budget.
        """
        self.settings = settings
        self.store = store
        self.now = clock
        self.gate = Gate(shared=shared)
        self.endpoints = Client(
            settings.base_url, settings.api_key, gate=self.gate, read_only=settings.read_only, retries=retries
        )
        self.bulk = Bulk(store.jobs, self.writing)
        self.names = Names()
        self.admin_refusal: AdminRequired | None = None
        """How the service said that the key is no admin's, if it did."""
        self.store_trouble: StoreUnavailable | None = None
        """Why nothing is kept or recalled at the moment."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of the files, a sentence each: set aside, left alone, not usable now."""
        trouble = self.store_trouble
        told = self.store.notices
        return told if trouble is None or trouble.what in told else (*told, str(trouble))

    @property
    def host(self) -> str:
        """Where the service is, as a person says it."""
        return self.settings.host

    @property
    def read_only(self) -> bool:
        """Whether nothing may be changed in this run."""
        return self.settings.read_only

    def local_time(self) -> datetime:
        """Now as the clock on the wall shows it."""
        return datetime.fromtimestamp(self.now())  # noqa: DTZ006  the service names no zone, nor do we

    def writing(
        self, task: Task, lane: Lane | None = None, claim: Claim | None = None
    ) -> tuple[Endpoints, JournalledSender]:
        """Endpoints whose write is recorded in the journal as that of `task`, and their sender.

        Every write goes through here. `lane` is None for a person's.
        """
        sender = JournalledSender(self.endpoints.connection, self.store.journal, task, claim, lane)
        return Endpoints(sender), sender

    async def recall_all(self, request: Request) -> list[tuple[int, PageSnapshot]]:
        """What was kept of the list that `request` is about, by page; the app goes on without a store."""
        try:
            snapshots = await self.store.pages.all_pages(request.path)
        except StoreUnavailable as error:
            self.store_trouble = error
            return []
        asked = {**request.params, "page": 0}
        same = (found for found in snapshots if {**found.params, "page": 0} == asked)
        return [(int(found.params.get("page", 1)), found) for found in same]

    async def page_size(self, path: str) -> int | None:
        """How large a page the service gives of a list, where that was learned."""
        try:
            return await self.store.pages.learned_cap(path)
        except StoreUnavailable as error:
            self.store_trouble = error
            return None

    async def learn_page_size(self, path: str, size: int) -> None:
        """Remembers how large a page the service gives of a list."""
        try:
            await self.store.pages.learn_cap(path, size)
        except StoreUnavailable as error:
            self.store_trouble = error

    async def keep(self, request: Request, payload: object, at: float) -> None:
        """Keeps the answer to a list request for the next run."""
        try:
            await self.store.pages.save(
                request.path, request.params, payload, datetime.fromtimestamp(at, UTC)
            )
        except StoreUnavailable as error:
            self.store_trouble = error

    async def kept_draft(self, form: str) -> Draft | None:
        """What was typed into a form and never saved."""
        try:
            return await self.store.drafts.load(form)
        except StoreUnavailable as error:
            self.store_trouble = error
            return None

    async def is_in_doubt(self, form: str) -> bool:
        """Whether nobody knows if what was typed into a form was carried out."""
        try:
            return any(entry.write.task.draft_name == form for entry in await self.store.journal.unknown())
        except StoreUnavailable as error:
            self.store_trouble = error
            return False

    async def keep_draft(self, form: str, values: Mapping[str, str]) -> None:
        """Keeps what was typed into a form."""
        try:
            await self.store.drafts.save(form, values, datetime.fromtimestamp(self.now(), UTC))
        except StoreUnavailable as error:
            self.store_trouble = error

    async def discard_draft(self, form: str) -> None:
        """Forgets what was typed into a form."""
        try:
            await self.store.drafts.discard(form)
        except StoreUnavailable as error:
            self.store_trouble = error

    async def close(self) -> None:
        """Closes what was opened."""
        await self.endpoints.close()
        self.gate.close()
        await self.store.close()
