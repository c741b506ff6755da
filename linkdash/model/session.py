"""One account opened: client, store, the collections of records, the way of writes, bulk jobs."""

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from linkdash.api.connection import RETRIES
from linkdash.api.gate import FileSharedBudget, SharedBudget
from linkdash.config import Settings
from linkdash.model.collection import AnyCollection, Collections
from linkdash.model.context import AtHand, Context
from linkdash.model.resource import AnyResource, Look, Verdict, declaration, verdict
from linkdash.model.writes import JobRunner, Writes
from linkdash.store.files import former_profile_key, profile_key
from linkdash.store.journal import JournalEntry, WriteIntent
from linkdash.store.store import Store

if TYPE_CHECKING:
    from linkdash.api.users import User
    from linkdash.model.finding import Finder
    from linkdash.store.team import Team

# ---- the session ----


def opened_store(settings: Settings, state: Path, cache: Path) -> Store:
    """What is kept of the settings' address and key; what is shared, in their team's database.

    Raises StoreUnavailable for an address of a database that cannot be used.
    """
    address, key = settings.base_url, settings.api_key.get_secret_value()
    password = settings.store_password
    return Store(
        state,
        cache,
        profile_key(address, key),
        formerly=former_profile_key(address, key),
        team=settings.store or None,
        team_password=None if password is None else password.get_secret_value(),
    )


def shared_budget(settings: Settings, state: Path, team: "Team | None") -> SharedBudget:
    """The budget that is shared with every program on the key: of a team, or on this machine."""
    if team is not None:
        return team.shared_budget()
    return FileSharedBudget(state, settings.base_url, settings.api_key.get_secret_value())


class ProfileChoice(NamedTuple):
    """A profile that a run can switch to."""

    name: str
    host: str
    read_only: bool
    asks: bool
    """Whether finding its key may need the terminal."""
    settings: Callable[[], Settings]
    """What a run with it works with. Raises Misconfigured."""
    open: "Callable[[Settings], Session]"


class Session(Context):
    """What screens and commands ask; they hear of changes by `watch` of what they show."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        clock: Callable[[], float] = time.time,
        shared: SharedBudget | None = None,
        retries: int = RETRIES,
        reports: Path | None = None,
    ) -> None:
        """See `Context`."""
        super().__init__(settings, store, clock=clock, shared=shared, retries=retries, reports=reports)
        self.collections = Collections(self)
        self.writes = Writes(self, self.collections)
        self.at_hand = AtHand(self)
        self.jobs = JobRunner(self, self.collections, self.writes)

    @cached_property
    def finder(self) -> "Finder":
        """Finds records among all that are loaded or kept; made when it is first wanted."""
        from linkdash.model.finding import Finder

        return Finder(self.collections)

    def collection(self, resource: str, *part: str | int) -> AnyCollection:
        """The records of a resource, or of a part of it; the same object each time it is asked for."""
        return self.collections.of(declaration(resource), *part)

    def collection_of(self, resource: AnyResource, *part: str | int) -> AnyCollection:
        """The records of a resource that is declared, or of a part of it."""
        return self.collections.of(resource, *part)

    async def own_user(self) -> "User | None":
        """The user that the account is, where that is known: only the list of users tells its plan."""
        account = next(iter(self.collection("account").records), None)
        if account is None or not account.username:
            return None
        users = self.collection("users")
        named = [id for id, name in await users.names() if name == account.username]
        user: User | None = users.listing.record(named[0]) if len(named) == 1 else None
        return user

    # ---- what became of a write ----

    async def check(self, intent: WriteIntent, entry: JournalEntry | None = None) -> Verdict:
        """Finds out by one read what became of a write of unknown outcome, and keeps what was found.

        Raises ServiceError, StoreUnavailable.
        """
        found = await self._look(intent)
        if found.happened is not None:
            await self._settle(intent, entry, found, found.happened)
        return found

    async def _look(self, intent: WriteIntent) -> Verdict:
        resource = declaration(intent.resource)
        if resource.assigning is not None and intent.action in ("assign", "subscribe"):
            return await resource.assigning.check(self.client, intent)
        collection = self.collections.of(resource)
        await collection.recall()  # where a record stood among its neighbours tells more than the page alone
        number = collection.page_to_check(intent.record_id)
        before = collection.listing.ids_on(number)
        page = await collection.source.page(number, collection.page_size)
        look = Look(page.rows, number == 1, number >= (page.maxpage or 1), before)
        return verdict(intent, resource.record, look, resource.expected(intent, self.local_time()))

    async def _settle(
        self, intent: WriteIntent, entry: JournalEntry | None, found: Verdict, happened: bool
    ) -> None:
        unknown = await self.store.journal.unknown()
        entry = entry or next((e for e in unknown if e.intent.is_same(intent)), None)
        if entry is not None:
            await self.store.journal.settle(entry.id, happened=happened, message=found.message)
        await self.jobs.settle(intent, happened, found.message)
        if happened:
            self.collections.apply(intent, {})
            draft = await self.draft(intent.draft_name)
            if draft is not None and entry is not None and draft.at <= entry.begun:
                await self.kept(self.store.drafts.discard(intent.draft_name), None)
