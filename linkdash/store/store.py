"""Everything that is kept of one profile: a cache that may be lost, a state that may not; and copying it."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from linkdash.store import alerts, history, jobs, journal, pages
from linkdash.store.alerts import Alerts
from linkdash.store.at_hand import DRAFTS_SCHEMA, PREFERENCES_SCHEMA, Drafts, Preferences
from linkdash.store.database import (
    Connection,
    Database,
    Row,
    SqliteDatabase,
    StoreUnavailable,
    Work,
    returned_id,
    stored_moment,
    utc_now,
)
from linkdash.store.history import History, Reading, Turns
from linkdash.store.jobs import ItemState, Jobs
from linkdash.store.journal import Author, Journal, Outcome
from linkdash.store.pages import Pages

if TYPE_CHECKING:
    from linkdash.store.team import Team

# What a file has had is counted: a later statement goes to the end of its tuple, never between.
CACHE_SCHEMA = pages.SCHEMA
STATE_SCHEMA = (
    *journal.SCHEMA,
    *DRAFTS_SCHEMA,
    *jobs.SCHEMA,
    *journal.AUTHORS,
    *jobs.RUNNERS,
    *alerts.SCHEMA,
    *PREFERENCES_SCHEMA,
)
HISTORY_SCHEMA = (*history.SCHEMA, *history.TURNS_SCHEMA, *history.SUMMARIES)

KEPT_FOR = timedelta(days=90)
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

    All of it lies in files, or, for a team, what is shared in its database. Opening is done in the
    background; what cannot be opened raises StoreUnavailable when it is used.
    """

    def __init__(
        self,
        state_folder: Path,
        cache_folder: Path,
        profile: str,
        *,
        formerly: str | None = None,
        team: str | None = None,
        team_password: str | None = None,
        author: Author | None = None,
    ) -> None:
        """`author` is who writes: without one, the user of this process.

        `profile` is the name that `files.profile_key` gives to an address and its key.

        What is kept in files under the name `formerly` becomes its. `team` is the `postgresql://` address of
        a team's database, its password there or in `team_password`. Raises StoreUnavailable for an address
        that cannot be used.
        """
        self.state_folder = state_folder
        """Where the files lie that must not be lost."""
        author = author or Author.here()
        self._cache = SqliteDatabase.open(
            cache_folder / "cache.db", CACHE_SCHEMA, tidy=_tidying(formerly, profile, "pages", "page_caps")
        )
        self._state = SqliteDatabase.open(
            state_folder / "state.db",
            STATE_SCHEMA,
            durable=True,
            tidy=_tidying(
                formerly, profile, "journal", "drafts", "jobs", "alerts", "preferences", then=prune
            ),
        )
        self.pages = Pages(self._cache, profile)
        self.drafts = Drafts(self._state, profile)
        self.preferences = Preferences(self._state, profile)
        self.team = None if team is None else _team(team, team_password, state_folder, profile, author)
        """What a team shares; None where everything lies in files."""
        self._history: SqliteDatabase | None = None
        self.journal: Journal
        self.jobs: Jobs
        self.history: History
        self.turns: Turns
        self.alerts: Alerts
        if self.team is not None:
            self.journal, self.jobs = self.team.journal, self.team.jobs
            self.history, self.turns = self.team.history, self.team.turns
            self.alerts = self.team.alerts
            return
        self._history = SqliteDatabase.open(
            state_folder / "history.db",
            HISTORY_SCHEMA,
            tidy=_tidying(formerly, profile, "series", "looks", "turns"),
        )
        self.journal = Journal(self._state, profile, author=author)
        self.jobs = Jobs(self._state, profile, author=author)
        self.alerts = Alerts(self._state, profile)
        self.history = History(self._history, profile)
        self.turns = Turns(self._history, profile)

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of the files and the database, a sentence each."""
        shared = () if self.team is None else self.team.notices
        history = () if self._history is None else self._history.notices
        return self._cache.notices + self._state.notices + history + shared

    async def close(self) -> None:
        """Ends after what was handed over before."""
        await self._cache.close()
        await self._state.close()
        if self._history is not None:
            await self._history.close()
        if self.team is not None:
            await self.team.close()


def _team(address: str, password: str | None, state_folder: Path, profile: str, author: Author) -> "Team":
    """Imports the driver, which whoever has no team need not have. Raises StoreUnavailable."""
    with _driver_needed():
        from linkdash.store.postgresql import Address
        from linkdash.store.team import Team
    return Team(Address.read(address, password), state_folder, profile, author, tidy=prune)


@contextlib.contextmanager
def _driver_needed() -> Iterator[None]:
    """Raises StoreUnavailable where the imports in it fail for want of the driver for PostgreSQL."""
    try:
        yield
    except ImportError:
        raise StoreUnavailable(
            "A team's store needs the driver for PostgreSQL.", "Install it: pip install 'linkdash[team]'"
        ) from None


def _tidying(old: str | None, new: str, *tables: str, then: Work[object] | None = None) -> Work[None]:
    """Work that gives what is kept of the profile `old` to `new`, which keeps what it has of the same."""

    def tidy(connection: Connection) -> None:
        for table in tables if old is not None else ():
            for ending in ("", history.LISTED):
                names = (f"{new}{ending}", f"{old}{ending}")
                connection.execute(f"UPDATE OR IGNORE {table} SET profile = ? WHERE profile = ?", names)
        if then is not None:
            then(connection)

    return tidy


def prune(connection: Connection, now: datetime | None = None) -> None:
    """Deletes what is older than `KEPT_FOR` and settled: writes in the journal, and bulk jobs that are over.

    What nobody knows the outcome of stays, and so does everything since the oldest unfinished job began.
    """
    before = stored_moment((now or utc_now()) - KEPT_FOR)
    for statement in (_PRUNE_JOURNAL, _PRUNE_ITEMS, _PRUNE_JOBS):
        connection.execute(statement, (before,))


# ---- copying to another store: what is there already is left, so that a copy can be begun again ----

_COPIED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class SharedStore:
    """A store as far as it can be shared."""

    name: str
    state: Database
    history: Database


@dataclass(frozen=True, slots=True)
class Copied:
    """How much of one kind there was, and how much of it is in the other store now."""

    kind: str
    """What a person calls it, in the plural."""
    there: int
    here: int

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return self.here == self.there


@asynccontextmanager
async def open_shared(
    place: str, password: str | None = None, *, must_exist: bool = False
) -> AsyncIterator[SharedStore]:
    """The store in a folder of files, or at a `postgresql://` address.

    Raises StoreUnavailable, with `must_exist` also for a folder without a store.
    """
    is_server = place.startswith(("postgresql:", "postgres:"))
    found = _on_server(place, password) if is_server else _in_files(place, must_exist=must_exist)
    try:
        yield found
    finally:
        await found.state.close()
        await found.history.close()


def _in_files(folder: str, *, must_exist: bool) -> SharedStore:
    path = Path(folder).expanduser()
    if must_exist and not (path / "state.db").exists():
        raise StoreUnavailable(f"{folder} holds no store.", "Name the folder that state.db lies in.")
    state = SqliteDatabase.open(path / "state.db", STATE_SCHEMA, durable=True)
    return SharedStore(folder, state, SqliteDatabase.open(path / "history.db", HISTORY_SCHEMA))


def _on_server(url: str, password: str | None) -> SharedStore:
    """Imports the driver, which whoever has no team need not have."""
    with _driver_needed():
        from linkdash.store import team
        from linkdash.store.postgresql import Address, PostgresqlDatabase
    address = Address.read(url, password)
    state = PostgresqlDatabase.open(address, "state", team.STATE_SCHEMA)
    return SharedStore(address.name, state, PostgresqlDatabase.open(address, "history", team.HISTORY_SCHEMA))


async def copy_shared(
    source: SharedStore, target: SharedStore, tell: Callable[[str], object] = lambda _: None
) -> list[Copied]:
    """Copies what can be shared of every profile, and compares what is there then.

    `tell` is given a line now and then. Raises StoreUnavailable.
    """
    return [
        await _copy_journal(source.state, target.state, tell),
        await _copy_jobs(source.state, target.state),
        await _copy_history(source.history, target.history, tell),
        await _copy_moments(source.history, target.history, "looks"),
        await _copy_moments(source.history, target.history, "turns"),
        await _copy_alerts(source.state, target.state),
    ]


# ---- copying: the journal ----


async def _copy_journal(source: Database, target: Database, tell: Callable[[str], object]) -> Copied:
    there = here = last = 0
    while rows := await source.select(
        "SELECT * FROM journal WHERE id > ? ORDER BY id LIMIT ?", (last, _COPIED_AT_ONCE)
    ):
        entries = [_entry_columns(row) for row in rows]
        here += await target.run(partial(_insert_entries, entries=entries))
        there, last = there + len(rows), rows[-1]["id"]
        tell(f"journal: {there} entries")
    return Copied("journal entries", there, here)


_ENTRY = (
    *("profile", "begun", "method", "path", "purpose", "resource", "action", "record_id", "other_id", "body"),
    *("before", "outcome", "ended", "message", "requests", "answer", "settled", "found", "finding"),
    *("user_name", "host", "origin"),
)


def _entry_columns(row: Row) -> dict[str, str | int | None]:
    """An entry without its id; one of an earlier version gets what makes it the same wherever it is."""
    columns = {name: row[name] for name in _ENTRY}
    if columns["origin"] is None:
        columns["origin"] = uuid.uuid5(uuid.NAMESPACE_OID, f"{row['profile']} {row['begun']} {row['id']}").hex
    return columns


def _insert_entries(connection: Connection, entries: Sequence[dict[str, str | int | None]]) -> int:
    insert = (
        f"INSERT INTO journal ({', '.join(_ENTRY)}) VALUES ({', '.join('?' * len(_ENTRY))})"
        " ON CONFLICT (origin) DO NOTHING"
    )
    connection.executemany(insert, [[*entry.values()] for entry in entries])
    origins = [entry["origin"] for entry in entries]
    query = f"SELECT count(*) AS number FROM journal WHERE origin IN ({', '.join('?' * len(origins))})"
    return _counted(connection, query, origins)


# ---- copying: the jobs ----

_JOB = ("profile", "title", "created", "user_name", "host")
_ITEM = (*("position", "resource", "action", "record_ids", "params", "words", "before", "state", "message"),)


async def _copy_jobs(source: Database, target: Database) -> Copied:
    found = await source.select("SELECT * FROM jobs ORDER BY id")
    here = 0
    for job in found:
        items = await source.select("SELECT * FROM job_items WHERE job = ? ORDER BY position", (job["id"],))
        here += await target.run(partial(_insert_job, job=job, items=items))
    return Copied("bulk jobs", len(found), here)


def _insert_job(connection: Connection, job: Row, items: Sequence[Row]) -> bool:
    """Whether the job is there whole, now or already."""
    columns = [job[name] for name in _JOB]
    connection.lock("jobs", *map(str, columns))
    same = " AND ".join(f"{name} = ?" for name in _JOB)
    found = connection.execute(f"SELECT id FROM jobs WHERE {same}", columns).fetchone()
    if found is None:
        made = connection.execute(
            f"INSERT INTO jobs ({', '.join(_JOB)}) VALUES (?, ?, ?, ?, ?) RETURNING id", columns
        )
        job_id = returned_id(made)
        connection.executemany(
            f"INSERT INTO job_items (job, {', '.join(_ITEM)}) VALUES ({', '.join('?' * (len(_ITEM) + 1))})",
            [(job_id, *(item[name] for name in _ITEM)) for item in items],
        )
    else:
        job_id = int(found["id"])
    return _counted(connection, "SELECT count(*) AS number FROM job_items WHERE job = ?", [job_id]) == len(
        items
    )


# ---- copying: the alerts ----

_ALERT = ("profile", "rule", "subject", "message", "since")


async def _copy_alerts(source: Database, target: Database) -> Copied:
    """Those that are raised; one that is raised in both stays as it is told in the other."""
    rows = await source.select(f"SELECT {', '.join(_ALERT)} FROM alerts")
    insert = f"INSERT INTO alerts ({', '.join(_ALERT)}) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    query = "SELECT count(*) AS number FROM alerts WHERE profile = ? AND rule = ? AND subject = ?"

    def write(connection: Connection) -> int:
        values = [[row[name] for name in _ALERT] for row in rows]
        connection.executemany(insert, values)
        return sum(_counted(connection, query, value[:3]) for value in values)

    return Copied("alerts", len(rows), await target.run(write))


# ---- copying: the history ----


async def _copy_history(source: Database, target: Database, tell: Callable[[str], object]) -> Copied:
    series = await source.select("SELECT profile, code_id FROM series")
    codes = sorted({(history.profile_of(row["profile"]), row["code_id"]) for row in series})
    there = here = 0
    for number, (profile, code_id) in enumerate(codes, start=1):
        readings = await History(source, profile).readings(code_id)
        kept = History(target, profile)
        missing = await _missing_readings(readings, kept, code_id)
        for start in range(0, len(missing), _COPIED_AT_ONCE):
            part = missing[start : start + _COPIED_AT_ONCE]
            await target.run(partial(_write_readings, profile=profile, code_id=code_id, readings=part))
        if missing:
            missing = await _missing_readings(readings, kept, code_id)
        there, here = there + len(readings), here + len(readings) - len(missing)
        tell(f"history: {number} of {len(codes)} codes")
    return Copied("readings", there, here)


async def _missing_readings(readings: Sequence[Reading], kept: History, code_id: int) -> list[Reading]:
    """The readings that a history does not have, in their order."""
    by_moment: dict[datetime, list[Reading]] = {}
    for reading in await kept.readings(code_id):
        by_moment.setdefault(reading.at, []).append(reading)
    await asyncio.sleep(0)
    return [reading for reading in readings if reading not in by_moment.get(reading.at, ())]


def _write_readings(connection: Connection, profile: str, code_id: int, readings: Sequence[Reading]) -> None:
    history.write(connection, profile, {code_id: readings})


async def _copy_moments(source: Database, target: Database, table: str) -> Copied:
    """Of each code the latest look, or turn, of the two stores."""
    rows = await source.select(f"SELECT profile, code_id, at FROM {table} ORDER BY profile, code_id")
    upsert = (
        f"INSERT INTO {table} (profile, code_id, at) VALUES (?, ?, ?)"
        f" ON CONFLICT (profile, code_id) DO UPDATE SET at = excluded.at WHERE excluded.at > {table}.at"
    )
    query = f"SELECT count(*) AS number FROM {table} WHERE profile = ? AND code_id = ? AND at >= ?"

    def write(connection: Connection) -> int:
        values = [(row["profile"], row["code_id"], row["at"]) for row in rows]
        connection.executemany(upsert, values)
        return sum(_counted(connection, query, value) for value in values)

    return Copied(table, len(rows), await target.run(write))


def _counted(connection: Connection, query: str, values: Sequence[str | int | None]) -> int:
    row = connection.execute(query, values).fetchone()
    if row is None:
        raise StoreUnavailable("The store did not count.")
    return int(row["number"])
