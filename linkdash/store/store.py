"""The store of one account: a cache that may be lost, a state and a history that may not."""

import contextlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from linkdash.store.alerts import Alerts
from linkdash.store.database import (
    SPOILT,
    DatabaseConnection,
    KnownAccount,
    StoreUnavailable,
    moment_of,
    read_moment,
    stored_moment,
)
from linkdash.store.drafts import Drafts
from linkdash.store.history import History
from linkdash.store.jobs import Jobs
from linkdash.store.journal import Journal
from linkdash.store.journal_entry import Author, Outcome
from linkdash.store.journal_table import made_or_meant
from linkdash.store.page_cache import Pages
from linkdash.store.preferences import Preferences
from linkdash.store.reading_claims import ReadingClaims
from linkdash.store.schemas import (
    CACHE_BELONGINGS,
    CACHE_SCHEMA,
    HISTORY_BELONGINGS,
    HISTORY_SCHEMA,
    STATE_BELONGINGS,
    STATE_SCHEMA,
)
from linkdash.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from linkdash.store.team import Team


KEPT_FOR = timedelta(days=90)
"""A question about a change comes within a quarter of a year; without an end every start would read more."""

_KNOWN = f"('{Outcome.DONE}', '{Outcome.REJECTED}', '{Outcome.NOT_SENT}')"
_OVER = f"('{Outcome.DONE}', '{Outcome.REJECTED}')"
_IS_OPEN = f"""NOT EXISTS (
        SELECT 1 FROM journal AS sent WHERE sent.origin = job_items.origin
        AND (sent.found = 1 OR (sent.found IS NULL AND sent.outcome IN {_OVER}))
    )"""
_PRUNE_JOURNAL = f"""
    DELETE FROM journal WHERE begun < ? AND kept = 0 AND (outcome IN {_KNOWN} OR settled IS NOT NULL)
    AND (origin IS NULL OR origin NOT IN (SELECT origin FROM job_items))"""
_GONE = f"""
    SELECT profile, resource, record_id FROM journal
    WHERE begun < ? AND action = 'delete' AND outcome = '{Outcome.DONE}'"""
_KEPT = "SELECT * FROM journal WHERE begun < ? AND kept <> 0"
_PRUNE_ITEMS = f"""
    DELETE FROM job_items WHERE job IN (SELECT id FROM jobs WHERE created < ?)
    AND job NOT IN (SELECT job FROM job_items WHERE {_IS_OPEN})"""
_PRUNE_JOBS = "DELETE FROM jobs WHERE created < ? AND id NOT IN (SELECT job FROM job_items)"


class Store:
    """The page snapshots, journal, drafts, jobs and the history of statistics of one profile.

    All of it lies in files, or, for a team, what is shared in its database. Opening is done in the
    background; what cannot be opened raises StoreUnavailable when it is used.
    """

    def __init__(
        self,
        state_folder: Path,
        cache_folder: Path,
        profile: str,
        *,
        team: str | None = None,
        team_password: str | None = None,
        author: Author | None = None,
    ) -> None:
        """`author` is who writes: without one, the user of this process.

        `profile` is the name that `address.profile_key` gives to an address and its key. `team` is the
        `postgresql://` address of a team's database, its password there or in `team_password`. Raises
        StoreUnavailable for an address that cannot be used.
        """
        self.state_folder = state_folder
        """The folder of files that must not be lost."""
        self.profile = profile
        """The name of the key."""
        self._account = KnownAccount()
        author = author or Author.here()
        cache, state = (one.owner(profile, self._account) for one in (CACHE_BELONGINGS, STATE_BELONGINGS))
        self._cache = SqliteDatabase.open(cache_folder / "cache.db", CACHE_SCHEMA, owner=cache)
        self._state = SqliteDatabase.open(
            state_folder / "state.db", STATE_SCHEMA, durable=True, tidy=prune, owner=state
        )
        self.pages = Pages(self._cache, cache.name)
        self.exports = Pages(self._state, state.name)
        """The records that files were made of, which cannot be loaded again."""
        self.drafts = Drafts(self._state, state.name)
        self.preferences = Preferences(self._state, state.name)
        self.team: Team | None = None
        """The team's shared store; None where everything lies in files."""
        self._history: SqliteDatabase | None = None
        self.journal: Journal
        self.jobs: Jobs
        self.history: History
        self.claims: ReadingClaims
        self.alerts: Alerts
        if team is not None:
            self.team = _team(team, team_password, state_folder, profile, author, self._account)
            self.journal, self.jobs = self.team.journal, self.team.jobs
            self.history, self.claims = self.team.history, self.team.claims
            self.alerts = self.team.alerts
            return
        history = HISTORY_BELONGINGS.owner(profile, self._account)
        self._history = SqliteDatabase.open(state_folder / "history.db", HISTORY_SCHEMA, owner=history)
        self.journal = Journal(self._state, state.name, author=author)
        self.jobs = Jobs(self._state, state.name, author=author)
        self.alerts = Alerts(self._state, state.name)
        self.history = History(self._history, history.name)
        self.claims = ReadingClaims(self._history, history.name)

    async def belong_to(self, account: str) -> None:
        """Keep that the key is of an account, by its name, and give it what was kept for the key.

        What cannot be written now is given over as soon as it can. Raises StoreUnavailable.
        """
        self._account.name = account
        await self._state.settle()
        if self.team is not None:
            await self.team.settle()
        if self._history is not None:
            await self._history.settle()
        await self._cache.settle()

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what the user should know of the files and the database, a sentence each."""
        shared = () if self.team is None else self.team.notices
        history = () if self._history is None else self._history.notices
        return self._cache.notices + self._state.notices + history + shared

    async def close(self) -> None:
        """End after what was handed over before."""
        await self._cache.close()
        await self._state.close()
        if self._history is not None:
            await self._history.close()
        if self.team is not None:
            await self.team.close()


def _team(
    address: str, password: str | None, state_folder: Path, key: str, author: Author, account: KnownAccount
) -> "Team":
    """Import the driver, which whoever has no team need not have. Raises StoreUnavailable."""
    with driver_needed():
        from linkdash.store.team import Team
        from linkdash.store.team_address import Address
    return Team(Address.read(address, password), state_folder, key, author, account=account, tidy=prune)


@contextlib.contextmanager
def driver_needed() -> Iterator[None]:
    """Raise StoreUnavailable where the imports in it fail for want of the driver for PostgreSQL."""
    try:
        yield
    except ImportError:
        raise StoreUnavailable(
            "A team's store needs the driver for PostgreSQL.", "Install it: pip install 'linkdash[team]'"
        ) from None


def prune(connection: DatabaseConnection, now: datetime | None = None) -> None:
    """Delete what is older than `KEPT_FOR` and settled: writes in the journal, and bulk jobs that are over.

    What has an unknown outcome stays, and so does what a job names; also what alone tells something of a
    record, as long as that is there.
    """
    before = stored_moment((now or _safe_now(connection)) - KEPT_FOR)
    _release(connection, before)
    # The journal, which knows which jobs are over, comes last.
    for statement in (_PRUNE_ITEMS, _PRUNE_JOBS, _PRUNE_JOURNAL):
        connection.execute(statement, (before,))


def _safe_now(connection: DatabaseConnection) -> datetime:
    """The moment, but none after the newest entry: a clock that is ahead must not empty the journal."""
    now = moment_of(connection.now())
    newest = connection.execute("SELECT max(begun) AS begun FROM journal").fetchall()
    with contextlib.suppress(*SPOILT):  # there may be none
        now = min([now, *(read_moment(row["begun"]) for row in newest)])
    return now


def _release(connection: DatabaseConnection, before: str) -> None:
    """Let those entries go that were kept for records that have been deleted."""
    rows = connection.execute(_GONE, (before,)).fetchall()
    gone = {(row["profile"], row["resource"], row["record_id"]) for row in rows}
    kept = connection.execute(_KEPT, (before,)).fetchall() if gone else ()
    released = [row["id"] for row in kept if (row["profile"], row["resource"], made_or_meant(row)) in gone]
    connection.executemany("UPDATE journal SET kept = 0 WHERE id = ?", [(id,) for id in released])
