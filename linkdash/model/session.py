"""The session of an account: client, store, the collections of records, the way of writes, bulk jobs."""

from collections.abc import Callable, Sequence, Set
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from linkdash.api.budget.gate import SharedBudget
from linkdash.api.budget.shared_budget_file import FileSharedBudget
from linkdash.api.errors import LinkdashError
from linkdash.api.http.address import profile_key
from linkdash.api.paging import Page
from linkdash.api.records import Record
from linkdash.model.declaration import Verdict, declaration
from linkdash.model.lists.collection import AnyCollection
from linkdash.model.lists.collections import Collections
from linkdash.model.session_services import Recents, SessionServices
from linkdash.model.settings import Settings
from linkdash.model.writes.settling import SettlingRead, verdict
from linkdash.store.job import Job
from linkdash.store.journal_entry import JournalEntry, WriteIntent
from linkdash.store.store import Store

if TYPE_CHECKING:
    from linkdash.api.resources.users import User
    from linkdash.model.lists.record_search import Finder
    from linkdash.model.writes.one_write import Writes
    from linkdash.model.writes.runner import Runner
    from linkdash.store.team import Team

CHECKED_PAGES = 10
"""Pages of a list up to which all of it is read where one does not tell what became of a write."""


def opened_store(settings: Settings, state: Path, cache: Path) -> Store:
    """Open the store of the settings' address and key; what is shared, in their team's database.

    Raises StoreUnavailable for an address of a database that cannot be used.
    """
    address, key = settings.base_url, settings.api_key.get_secret_value()
    password = settings.store_password
    return Store(
        state,
        cache,
        profile_key(address, key),
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
    """True if finding its key may need the terminal."""
    settings: Callable[[], Settings]
    """The settings of a run with it. Raises Misconfigured."""
    open: "Callable[[Settings], Session]"


class Session(SessionServices):
    """The session that screens and commands ask; they hear of changes by `watch` of what they show."""

    @cached_property
    def collections(self) -> Collections:
        """The records of every resource, as far as they are loaded."""
        return Collections(self)

    @cached_property
    def recents(self) -> Recents:
        """The records that were opened and watched."""
        return Recents(self)

    @cached_property
    def writes(self) -> "Writes":
        """Every write of the session; made when one is first wanted."""
        from linkdash.model.writes.one_write import Writes

        return Writes(self, self.collections)

    @property
    def under_way(self) -> "Sequence[WriteIntent]":
        """The writes that are on their way."""
        return self.writes.under_way if "writes" in vars(self) else ()

    @cached_property
    def jobs(self) -> "Runner":
        """Runs bulk jobs; made when it is first wanted."""
        from linkdash.model.writes.runner import Runner

        return Runner(self, self.collections, self.writes)

    @property
    def begun_jobs(self) -> "Runner | None":
        """The runner of bulk jobs, if it was wanted yet."""
        return self.jobs if "jobs" in vars(self) else None

    async def interrupted_jobs(self) -> Sequence[Job]:
        """The bulk jobs with something left that nobody runs."""
        here = self.begun_jobs
        running = None if here is None or here.is_over else here.job
        found = await self.kept(self.store.jobs.unfinished(), [])
        return [job for job in found if job.left and not job.runner and (not running or job.id != running.id)]

    @cached_property
    def finder(self) -> "Finder":
        """The search among all records that are loaded or kept; made when it is first wanted."""
        from linkdash.model.lists.record_search import Finder

        return Finder(self.collections)

    def collection(self, resource: str, *part: str | int) -> AnyCollection:
        """The records of a resource, or of a part of it; the same object each time it is asked for."""
        return self.collections.of(declaration(resource), *part)

    async def own_user(self) -> "User | None":
        """The user that the account is, where that is known: only the list of users tells its plan."""
        account = next(iter(self.collection("account").records), None)
        if account is None or not account.username:
            return None
        users = self.collection("users")
        named = [id for id, name in await users.names() if name == account.username]
        user: User | None = users.listing.record(named[0]) if len(named) == 1 else None
        return user

    async def is_you(self, users: Set[int]) -> str:
        """`anna is you.`, if the account's own user is known to be among these; nothing else."""
        if not users:
            return ""
        await self.collection("account").recall()
        own = await self.own_user()
        return f"{own.username} is you." if own is not None and own.id in users else ""

    # ---- what became of a write ----

    async def check(self, entry: JournalEntry) -> Verdict:
        """Find out by a look at the service what became of a write of unknown outcome, and settle it.

        The journal keeps what was found, and with it the item of a job or the row of an import that the write
        was sent for is known. Raises ServiceError, StoreUnavailable.
        """
        found = await self._look(entry.intent)
        if found.happened is None:
            return found
        await self.store.journal.settle(
            entry.id, happened=found.happened, message=found.message, created=found.created
        )
        await self.jobs.find_out()
        await self.count_doubts()
        if found.happened:
            self.collections.apply_everywhere(entry.intent, {})
            await self._discard_draft(entry)
        return found

    async def _discard_draft(self, entry: JournalEntry) -> None:
        """Forget the draft that a write was sent from: of those it may be of, the last kept before it."""
        drafts = await self.kept(self.store.drafts.all(), [])
        sent = (one for one in drafts if one.at <= entry.begun and entry.intent.may_be_of(one.form))
        if (last := next(sent, None)) is not None:
            await self.kept(self.store.drafts.discard(last.form), None)

    async def entry_of(self, origin: str) -> JournalEntry:
        """The entry of the write that an item or a row was sent as.

        Raises LinkdashError where there is none, StoreUnavailable.
        """
        found = (await self.store.journal.of_origins([origin])).get(origin)
        if found is None:
            raise LinkdashError("The journal has no entry of this change.", "So it cannot be checked.")
        return found

    async def _look(self, intent: WriteIntent) -> Verdict:
        resource = declaration(intent.resource)
        if resource.assigning is not None and intent.action in ("assign", "subscribe"):
            return await resource.assigning.check(self.client, intent)
        collection = self.collections.of(resource)
        await collection.recall()  # where a record stood among its neighbours tells more than the page alone
        sent = resource.expected(intent, self.local_time(), None).sent
        others = {*await self.store.journal.created(resource.id)} if intent.record_id is None else set[int]()
        number = collection.page_to_check(intent.record_id)
        before = collection.listing.ids_on(number)
        page: Page[Record] = await collection.source.page(number, collection.page_size)
        pages, last = {number: page}, page.maxpage or 1
        look = SettlingRead(page.rows, number == 1, number >= last, before)
        found = verdict(intent, resource.record, look, sent, others)
        if last > CHECKED_PAGES:
            return found
        for number in range(1, last + 1):
            if found.happened is not None:
                return found
            if number not in pages:
                pages[number] = page = await collection.source.page(number, collection.page_size)
                look = SettlingRead(page.rows, number == 1, number == last)
                found = verdict(intent, resource.record, look, sent, others)
        whole = whole_list([pages[number] for number in sorted(pages)])
        return found if whole is None else verdict(intent, resource.record, whole, sent, others)


def whole_list(pages: Sequence[Page[Record]]) -> SettlingRead | None:
    """Pages that were read one after the other as one look; None where the list has moved meanwhile."""
    rows = [row for page in pages for row in page.rows]
    totals = {(page.result, page.maxpage) for page in pages}
    ids = [record.id for page in pages for record in page.items]
    is_whole = len(totals) == 1 and len(ids) == len({*ids}) and pages[0].result in (None, len(rows))
    return SettlingRead(rows) if is_whole else None
