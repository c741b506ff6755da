"""Everything that is kept of one profile: a cache that may be lost, and a state that may not."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from linkdash.store import drafts, history, jobs, journal, pages, turns
from linkdash.store.database import Connection, stored_moment, utc_now
from linkdash.store.drafts import Drafts
from linkdash.store.history import History
from linkdash.store.jobs import ItemState, Jobs
from linkdash.store.journal import Author, Journal, Outcome
from linkdash.store.pages import Pages
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.turns import Turns

# What a file has had is counted: a later statement goes to the end of its tuple, never between.
CACHE_SCHEMA = pages.SCHEMA
STATE_SCHEMA = (*journal.SCHEMA, *drafts.SCHEMA, *jobs.SCHEMA, *journal.AUTHORS, *jobs.RUNNERS)
HISTORY_SCHEMA = (*history.SCHEMA, *turns.SCHEMA)

KEPT = timedelta(days=90)
"""A question about a change comes within a quarter of a year; without an end every start would read more."""

_OVER = f"('{ItemState.DONE}', '{ItemState.FAILED}')"
_KNOWN = f"('{Outcome.DONE}', '{Outcome.REJECTED}', '{Outcome.NOT_SENT}')"
_UNFINISHED = f"""
    SELECT profile, min(created) AS since FROM jobs JOIN job_items ON job = id
    WHERE state NOT IN {_OVER} GROUP BY profile"""
_PRUNE_JOURNAL = f"""
    WITH unfinished AS MATERIALIZED ({_UNFINISHED})
    DELETE FROM journal WHERE begun < ? AND (outcome IN {_KNOWN} OR settled IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM unfinished WHERE profile = journal.profile AND since <= begun)"""
_PRUNE_ITEMS = f"""
    DELETE FROM job_items WHERE job IN (SELECT id FROM jobs WHERE created < ?)
    AND job NOT IN (SELECT job FROM job_items WHERE state NOT IN {_OVER})"""
_PRUNE_JOBS = "DELETE FROM jobs WHERE created < ? AND id NOT IN (SELECT job FROM job_items)"


class Store:
    """The page snapshots, journal, drafts, jobs and the history of statistics of one profile.

    Opening is done in the background; what cannot be opened raises StoreUnavailable when it is used.
    """

    def __init__(
        self, state_folder: Path, cache_folder: Path, profile: str, *, formerly: str | None = None
    ) -> None:
        """`profile` is the name that `files.profile_key` gives to an address and its key.

        What is kept under the name `formerly` becomes its.
        """

        def tidy_cache(connection: Connection) -> None:
            _rename(connection, ("pages", "page_caps"), formerly, profile)

        def tidy_state(connection: Connection) -> None:
            _rename(connection, ("journal", "drafts", "jobs"), formerly, profile)
            prune(connection)

        def tidy_history(connection: Connection) -> None:
            _rename(connection, ("series", "looks", "turns"), formerly, profile)

        self.state_folder = state_folder
        """Where the files lie that must not be lost."""
        author = Author.here()
        self._cache = SqliteDatabase.open(cache_folder / "cache.db", CACHE_SCHEMA, tidy=tidy_cache)
        self._state = SqliteDatabase.open(
            state_folder / "state.db", STATE_SCHEMA, durable=True, tidy=tidy_state
        )
        self._history = SqliteDatabase.open(state_folder / "history.db", HISTORY_SCHEMA, tidy=tidy_history)
        self.pages = Pages(self._cache, profile)
        self.journal = Journal(self._state, profile, author=author)
        self.drafts = Drafts(self._state, profile)
        self.jobs = Jobs(self._state, profile, author=author)
        self.history = History(self._history, profile)
        self.turns = Turns(self._history, profile)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of the files, a sentence each."""
        return self._cache.notices + self._state.notices + self._history.notices

    async def close(self) -> None:
        """Ends after what was handed over before."""
        await self._cache.close()
        await self._state.close()
        await self._history.close()


def _rename(connection: Connection, tables: Sequence[str], old: str | None, new: str) -> None:
    """Gives what is kept of the profile `old` to `new`, which keeps what it has of the same."""
    if old is not None:
        for table in tables:
            connection.execute(f"UPDATE OR IGNORE {table} SET profile = ? WHERE profile = ?", (new, old))


def prune(connection: Connection, now: datetime | None = None) -> None:
    """Deletes what is older than `KEPT` and settled: writes in the journal, and bulk jobs that are over.

    What nobody knows the outcome of stays, and so does everything since the oldest unfinished job began.
    """
    before = stored_moment((now or utc_now()) - KEPT)
    for statement in (_PRUNE_JOURNAL, _PRUNE_ITEMS, _PRUNE_JOBS):
        connection.execute(statement, (before,))
