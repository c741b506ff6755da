"""The services that everything of a session works with: client, budget, store, clock, recents."""

import asyncio
import math
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from linkdash.api.budget.gate import Gate, SharedBudget
from linkdash.api.client import Client
from linkdash.api.endpoints import PAGE_SIZE
from linkdash.api.errors import AdminRequired, LinkdashError
from linkdash.api.http.address import account_key
from linkdash.api.http.request import Request
from linkdash.api.http.retries import RETRIES
from linkdash.api.observers import Observers
from linkdash.api.paging import Page
from linkdash.api.resources.account import ACCOUNT
from linkdash.model.fault_reports import FaultReports
from linkdash.model.humanize import lasting
from linkdash.model.local_time import distance_of
from linkdash.model.resources import PLACES
from linkdash.model.settings import Settings
from linkdash.store import recents
from linkdash.store.alerts import Alert
from linkdash.store.database import StoreUnavailable
from linkdash.store.drafts import SavedDraft
from linkdash.store.journal_entry import JournalEntry
from linkdash.store.page_cache import PageSnapshot
from linkdash.store.recents import KeptRecents, RecentRecord
from linkdash.store.spending import HEARD_EVERY, NOTED_AFTER, RunSpending, SpendingLog
from linkdash.store.store import Store

if TYPE_CHECKING:  # nothing is read of codes before a list or the overview asks
    from linkdash.model.statistics.scan_activity import Activity


T = TypeVar("T")

_CLOCKS_APART = timedelta(minutes=5)  # the most of two that are right
DISTANCE = "minutes from UTC"
"""The preference that keeps how far the service's own time is from UTC."""
_MOST_MINUTES = 14 * 60
_HAND_IN_EVERY = 3.0  # seconds
WAITING_SHOWN = 500
"""Changes that are shown of those that wait, the newest first."""
_LAST_HAND_IN = 0.5  # seconds that the end of the program waits for it


class SessionServices:
    """A profile at work. What the store cannot keep or recall is told in `notices`, and work goes on."""

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
        """`retries` is how often a read that failed in passing is asked again.

        `reports` is the folder for reports of faults, that of the store's state where none is given.
        `clock` gives seconds of the wall clock since 1970; with `shared`, which is closed with all else,
        programs share the budget.
        """
        self.settings = settings
        self.store = store
        self.now = clock
        store.history.clock = self.moment
        self._shared = shared
        self.gate = Gate(shared=shared, wall=shared.wall if shared is not None else time.time)
        self.client = Client(
            settings.base_url,
            settings.api_key,
            gate=self.gate,
            read_only=settings.read_only,
            retries=retries,
            safe_text=True,
        )
        self.faults = FaultReports(reports or store.state_folder, settings.secrets)
        self.admin_refusal: AdminRequired | None = None
        """The service's refusal of the key as no admin's, if there was one."""
        self.requests: dict[str, Request] = {}
        """The requests sent for the journal's entries in this run, by their origins."""
        self.job_changes = Observers()
        """Called when the bulk job is further than before."""
        self.program = "dashboard"
        """The program that spends the requests of this session."""
        self._run = secrets.token_hex(4)
        self.spending = SpendingLog(store.state_folder, store.profile)
        self.distance: timedelta | None = None
        """How far the service's own time is from UTC; None as long as no record made here has told."""
        self._distance_at = datetime.min.replace(tzinfo=UTC)
        """When the record was made that has told it in this run."""
        self.clock_trouble = ""
        """That this machine's clock is wrong, by the last answer whose moment was kept."""
        self.in_doubt = 0
        """Changes of unknown outcome in the journal, as they were counted last."""
        self.store_trouble: StoreUnavailable | None = None
        """Why nothing is kept or recalled at the moment."""

    # ---- what it is ----

    @property
    def read_only(self) -> bool:
        """Return whether nothing may be changed in this run."""
        return self.settings.read_only

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what the user should know of the files, a sentence each: set aside, left alone, unusable."""
        team = self.store.team
        away = None if team is None else team.failure
        told = (*self.settings.notices, *self.store.notices, *filter(None, (self.clock_trouble,)))
        troubles = [error for error in (self.store_trouble, away) if error and error.what not in told]
        return (*told, *dict.fromkeys(map(str, troubles)))

    @property
    def team_trouble(self) -> str:
        """That the team's store is away, why, and what waits here for it; empty while it is there."""
        team = self.store.team
        if team is None or team.failure is None:
            return ""
        cause = team.failure.what.removeprefix(f"{team.name}: ").removesuffix(".")
        return f"Team store away: {cause}, {team.kept} kept here"

    def local_time(self, moment: datetime | None = None) -> datetime:
        """A moment, or now, as the service's own moments are, without a zone: it names none, nor do we.

        As long as no record has told how far that is from UTC, it is what the clock on the wall shows.
        """
        moment = moment or self.moment()
        told = moment.astimezone() if self.distance is None else moment + self.distance
        return told.replace(tzinfo=None)

    def wall_time(self) -> datetime:
        """Now as the user's clock on the wall shows it."""
        return self.moment().astimezone().replace(tzinfo=None)

    async def know_distance(self) -> None:
        """Recall how far the service's own time is from UTC, where that was learned."""
        minutes = await self.kept(self.store.preferences.load(DISTANCE), None)
        if isinstance(minutes, int) and abs(minutes) <= _MOST_MINUTES:
            self.distance = timedelta(minutes=minutes)

    async def learn_distance(self, resource: str, page: Page[Any]) -> bool:
        """Learn it from the dates of records that were made here; True if it is another than before.

        The latest of all tells it: those from before a change of the clocks tell another.
        """
        before = self.distance
        created = await self.kept(self.store.journal.created(resource), {})
        made = page.with_ids(created)
        for at, id in sorted((created[id], id) for id in made):
            date = getattr(made[id], "date", None)
            found = distance_of(at, date) if isinstance(date, datetime) else None
            if found is not None and at >= self._distance_at:
                self.distance, self._distance_at = found, at
        if self.distance is None or self.distance == before:
            return False
        await self.kept(self.store.preferences.save(DISTANCE, self.distance // timedelta(minutes=1)), None)
        return True

    def moment(self) -> datetime:
        """Now, in UTC."""
        return datetime.fromtimestamp(self.now(), UTC)

    def moment_of_answer(self, at: float) -> datetime:
        """The moment to keep for what has just been answered, `at` by this machine's clock.

        Where that clock is wrong, which is told, it is the moment that the answer itself names.
        """
        moment, answer = datetime.fromtimestamp(at, UTC), self.client.connection
        since = timedelta(seconds=time.monotonic() - answer.answered_since)
        ahead = timedelta() if answer.answered_at is None else self.moment() - since - answer.answered_at
        if abs(ahead) <= _CLOCKS_APART:
            return moment
        self.clock_trouble = (
            f"This machine's clock is {lasting(abs(ahead).total_seconds())}"
            f" {'ahead of' if ahead > timedelta() else 'behind'} the service's: readings are dated by that."
        )
        return moment - ahead

    # ---- what is kept ----

    async def kept(self, work: Awaitable[T], otherwise: T) -> T:
        """Return what the store says; `otherwise` where it is not usable, which is told in the notices."""
        try:
            return await work
        except StoreUnavailable as error:
            self.store_trouble = error
            return otherwise

    async def recall_all(self, request: Request, since: float = -math.inf) -> list[tuple[int, PageSnapshot]]:
        """Return what was kept of the list that `request` is about, by page; nothing from before `since`."""
        begun = None if math.isinf(since) else datetime.fromtimestamp(since, UTC)
        kept = await self.kept(self.store.pages.all_pages(request.path, begun), [])
        asked = {**request.params, "page": 0}
        same = (found for found in kept if {**found.params, "page": 0} == asked)
        return [(int(found.params.get("page", 1)), found) for found in same]

    async def page_size(self, path: str) -> int:
        """The number of records to ask for at once: as many as the service was found to give of a list."""
        return (await self.kept(self.store.pages.page_sizes(), {})).get(path) or PAGE_SIZE

    async def keep(self, request: Request, payload: object, at: float) -> None:
        """Keep the answer to a list request for the next run; `at` is when it came, in seconds."""
        if request.path == ACCOUNT.path:
            for account in (await self.client.account.source.read(payload)).items:
                await self.know_account(account.id)
        moment = datetime.fromtimestamp(at, UTC)
        saving = self.store.pages.save(
            request.path, request.params, payload, moment, in_haste=self.program != "dashboard"
        )
        await self.kept(saving, None)

    async def know_account(self, account: int) -> None:
        """Keep all for this account from now on, since the service has said that it is that of the key."""
        await self.kept(self.store.belong_to(account_key(self.settings.base_url, account)), None)

    async def last_change(self, resource: str) -> float:
        """The last change of a record by what the journal has, in seconds since 1970."""
        moment = await self.kept(self.store.journal.last_change(resource), None)
        return -math.inf if moment is None else moment.timestamp()

    async def draft(self, form: str) -> SavedDraft | None:
        """Return what was typed into a form and never saved."""
        return await self.kept(self.store.drafts.load(form), None)

    async def waiting(self, user: str | None = None, host: str | None = None) -> list[JournalEntry]:
        """The changes that wait to be handed in to the team's store, or those of a person or a machine.

        The newest first.
        """
        if (team := self.store.team) is None:
            return []
        return await self.kept(team.journal.waiting.recent(WAITING_SHOWN, user=user, host=host), [])

    async def count_doubts(self) -> int:
        """Count the changes of unknown outcome."""
        self.in_doubt = len(await self._unknown())
        return self.in_doubt

    async def is_in_doubt(self, form: str) -> bool:
        """Return whether the outcome of what was typed into a form is unknown."""
        return any(entry.intent.may_be_of(form) for entry in await self._unknown())

    async def _unknown(self) -> list[JournalEntry]:
        """The changes of unknown outcome, also of those that are not handed in yet."""
        unknown = await self.kept(self.store.journal.unknown(), [])
        return [entry for entry in await self.waiting() if entry.is_open] + unknown

    async def keep_handing_in(self) -> None:
        """Hand in what was kept while the team's store was away, as soon as it is back; never ends."""
        while self.store.team is not None:
            with suppress(StoreUnavailable):
                await self.store.team.hand_in()
            await asyncio.sleep(_HAND_IN_EVERY)

    def failure(self, error: BaseException) -> LinkdashError:
        """A fault of the program itself, for the user; its report is written."""
        path = self.faults.write(error)
        report = f"Please send the report to its developers: {path}" if path is not None else ""
        return LinkdashError(f"linkdash failed here ({type(error).__name__}).", report)

    async def keep_noting_spending(self) -> None:
        """Tell other programs what this one spends, as long as it runs; never ends."""
        told, told_at = 0, -math.inf
        while True:
            await asyncio.sleep(NOTED_AFTER)
            spent = self._spent()
            if spent != told or time.monotonic() >= told_at + HEARD_EVERY:
                told, told_at = spent, time.monotonic()
                await asyncio.to_thread(self._note_spending, spent, is_over=False)

    def _spent(self) -> int:
        return len(self.gate.ledger.entries(self.gate.now()))

    def _note_spending(self, requests: int, *, is_over: bool) -> None:
        if requests:
            with suppress(OSError):  # it is for people to look at, and nothing hangs on it
                self.spending.note(RunSpending(self.now(), self.program, requests, self._run, is_over))

    async def close(self) -> None:
        """Close what was opened."""
        self._note_spending(self._spent(), is_over=True)
        await self.client.close()
        self.gate.close()
        if self._shared is not None:
            self._shared.close()
        team = self.store.team
        if team is not None and team.failure is None:
            with suppress(StoreUnavailable, TimeoutError):
                async with asyncio.timeout(_LAST_HAND_IN):
                    await team.hand_in()
        await self.store.close()


MOST = 12
"""Records that are remembered."""


class Recents:
    """Records that were opened and watched, also from run to run."""

    def __init__(self, context: SessionServices) -> None:
        self._context = context
        self._is_recalled = False
        self.recent: tuple[RecentRecord, ...] = ()
        """The records that were opened, the latest first, each once."""
        self.watched: Mapping[int, str] = {}
        """The codes that were watched last, by id, with their names."""
        self.activities: Mapping[int, Activity] = {}
        """The scans of codes, as they were read last."""
        self.activities_of: tuple[date, tuple[int, ...]] | None = None
        """The day, and the state of the history, that they are of."""
        self.alerts: Sequence[Alert] = ()
        """The alerts that stood when they were looked for last."""
        self.alerts_at = -math.inf
        """When that was, in seconds since the epoch."""

    async def opened(self, resource: str, id: int, name: str) -> None:
        """A record was opened."""
        self._remember(RecentRecord(resource=resource, id=id, name=name), *self.recent)
        await self._keep()

    async def watch(self, codes: Sequence[tuple[int, str]]) -> None:
        """These codes are watched, and no others."""
        self.watched = dict(codes)
        await self._keep()

    async def recall(self) -> None:
        """Add what was opened and watched in earlier runs; later calls do nothing."""
        if not self._is_recalled:
            self._is_recalled = True
            found = await self._context.kept(recents.load(self._context.store.preferences), KeptRecents())
            known = {place.id for place in PLACES}  # another version may have others
            self._remember(*self.recent, *(one for one in found.recent if one.resource in known))
            self.watched = self.watched or found.watched

    def _remember(self, *recent: RecentRecord) -> None:
        by_record: dict[tuple[str, int], RecentRecord] = {}
        for one in recent:
            by_record.setdefault((one.resource, one.id), one)
        self.recent = tuple(by_record.values())[:MOST]

    async def _keep(self) -> None:
        await self.recall()
        kept = KeptRecents(recent=self.recent, watched=dict(self.watched))
        await self._context.kept(recents.save(self._context.store.preferences, kept), None)
