"""What one run of the app works with: the profile, the endpoints behind their gate, the store, the clock."""

import asyncio
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from linkdash.api.budget import Lane
from linkdash.api.endpoints import Endpoints
from linkdash.api.envelope import Members
from linkdash.api.errors import AdminRequired
from linkdash.api.gate import Gate, SharedBudget
from linkdash.api.request import Request
from linkdash.config import Settings
from linkdash.model.jobs import Bulk
from linkdash.model.journalled import Claim, JournalledSender
from linkdash.model.names import Names
from linkdash.store.database import StoreUnavailable
from linkdash.store.drafts import SavedDraft
from linkdash.store.journal import WriteIntent
from linkdash.store.pages import PageSnapshot
from linkdash.store.store import Store

if TYPE_CHECKING:
    from linkdash.api.connection import Connection


class Session:
    """One profile at work."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        clock: Callable[[], float] = time.time,
        shared: SharedBudget | None = None,
    ) -> None:
        """`clock` gives seconds of the wall clock since 1970; with `shared`, programs share the budget."""
        self.settings = settings
        self.store = store
        self.now = clock
        self.gate = Gate(shared=shared)
        self._opener = _Opener(settings, self.gate)
        self.endpoints = Endpoints(self._opener)
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
        self, task: WriteIntent, lane: Lane | None = None, claim: Claim | None = None
    ) -> tuple[Endpoints, JournalledSender]:
        """Endpoints whose write is recorded in the journal as that of `task`, and their sender.

        Every write goes through here. `lane` is None for a person's.
        """
        sender = JournalledSender(self._opener, self.store.journal, task, claim)
        return Endpoints(sender, lane), sender

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

    async def kept_draft(self, form: str) -> SavedDraft | None:
        """What was typed into a form and never saved."""
        try:
            return await self.store.drafts.load(form)
        except StoreUnavailable as error:
            self.store_trouble = error
            return None

    async def is_in_doubt(self, form: str) -> bool:
        """Whether nobody knows if what was typed into a form was carried out."""
        try:
            return any(entry.intent.draft_name == form for entry in await self.store.journal.unknown())
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
        await self._opener.close()
        self.gate.close()
        await self.store.close()


class _Opener:
    """Opens the connection when the first request is sent, so that nothing of it delays the first paint."""

    def __init__(self, settings: Settings, gate: Gate) -> None:
        self._settings = settings
        self._gate = gate
        self._connection: Connection | None = None
        self._opening = asyncio.Lock()

    async def send(self, request: Request, lane: Lane) -> Members:
        async with self._opening:
            if self._connection is None:
                self._connection = await asyncio.to_thread(_connect, self._settings, self._gate)
        return await self._connection.send(request, lane)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()


def _connect(settings: Settings, gate: Gate) -> "Connection":
    """A new connection; importing what it needs and loading certificates take a while."""
    from linkdash.api.connection import Connection

    return Connection(settings.base_url, settings.api_key, gate=gate)
