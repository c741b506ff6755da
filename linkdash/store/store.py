"""Everything that is kept of one profile: a cache that may be lost, and a state that may not."""

from pathlib import Path

from linkdash.store import drafts, history, jobs, journal, pages, turns
from linkdash.store.database import Database
from linkdash.store.drafts import Drafts
from linkdash.store.history import History
from linkdash.store.jobs import Jobs
from linkdash.store.journal import Journal
from linkdash.store.pages import Pages
from linkdash.store.pruning import prune
from linkdash.store.turns import Turns

# What a file has had is counted: a later statement goes to the end of its tuple, never between.
CACHE_SCHEMA = pages.SCHEMA
STATE_SCHEMA = (*journal.SCHEMA, *drafts.SCHEMA, *jobs.SCHEMA)
HISTORY_SCHEMA = (*history.SCHEMA, *turns.SCHEMA)


class Store:
    """The page snapshots, journal, drafts, jobs and the history of statistics of one profile.

    Opening is done in the background; what cannot be opened raises StoreUnavailable when it is used.
    """

    def __init__(self, state_folder: Path, cache_folder: Path, profile: str) -> None:
        """`profile` is the name that `paths.profile_key` gives to an address and its key."""
        self._cache = Database.open(cache_folder / "cache.db", CACHE_SCHEMA)
        self._state = Database.open(state_folder / "state.db", STATE_SCHEMA, durable=True, tidy=prune)
        self._history = Database.open(state_folder / "history.db", HISTORY_SCHEMA)
        self.pages = Pages(self._cache, profile)
        self.journal = Journal(self._state, profile)
        self.drafts = Drafts(self._state, profile)
        self.jobs = Jobs(self._state, profile)
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
