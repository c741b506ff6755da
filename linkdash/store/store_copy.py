"""Copying what is kept from files to a team's server, or back.

What is there already is left, so that a copy can be begun again.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from linkdash.store import history_writing, journal_table
from linkdash.store.belongings import Belongings
from linkdash.store.database import (
    Database,
    DatabaseConnection,
    DatabaseRow,
    KnownAccount,
    StoreUnavailable,
    returned_id,
)
from linkdash.store.history import History
from linkdash.store.reading import Reading
from linkdash.store.schemas import (
    HISTORY_BELONGINGS,
    HISTORY_SCHEMA,
    STATE_BELONGINGS,
    STATE_SCHEMA,
    TEAM_STATE_BELONGINGS,
    TEAM_STATE_SCHEMA,
)
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.store import driver_needed

_COPIED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class SharedStore:
    """A store as far as it can be shared."""

    name: str
    state: Database
    history: Database
    belongings: Belongings
    """What the state keeps."""


@dataclass(frozen=True, slots=True)
class Copied:
    """The number of entries of one kind, and how many of them are in the other store now."""

    kind: str
    """The name of the kind, in the plural."""
    there: int
    here: int

    @property
    def is_complete(self) -> bool:
        """Return whether nothing is missing."""
        return self.here == self.there


@asynccontextmanager
async def open_shared(
    place: str, password: str | None, *, must_exist: bool = False
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
        raise StoreUnavailable(f"{folder} contains no store.", "Use the folder that contains state.db.")
    state = SqliteDatabase.open(path / "state.db", STATE_SCHEMA, durable=True)
    history = SqliteDatabase.open(path / "history.db", HISTORY_SCHEMA)
    return SharedStore(folder, state, history, STATE_BELONGINGS)


def _on_server(url: str, password: str | None) -> SharedStore:
    """Import the driver, which whoever has no team need not have."""
    with driver_needed():
        from linkdash.store.postgresql import PostgresqlDatabase
        from linkdash.store.team_address import Address
    address = Address.read(url, password)
    state = PostgresqlDatabase.open(address, "state", TEAM_STATE_SCHEMA)
    history = PostgresqlDatabase.open(address, "history", HISTORY_SCHEMA)
    return SharedStore(address.name, state, history, TEAM_STATE_BELONGINGS)


async def copy_shared(
    source: SharedStore, target: SharedStore, tell: Callable[[str], object]
) -> list[Copied]:
    """Copy what can be shared of every profile, and compare what is there then.

    `tell` is given a line now and then. Raises StoreUnavailable.
    """
    await _agree_on_accounts(
        (source.state, source.belongings),
        (target.state, target.belongings),
        (source.history, HISTORY_BELONGINGS),
        (target.history, HISTORY_BELONGINGS),
    )
    return [
        await _copy_journal(source.state, target.state, tell),
        await _copy_jobs(source.state, target.state),
        await _copy_history(source.history, target.history, tell),
        await _copy_moments(source.history, target.history, "looks"),
        await _copy_moments(source.history, target.history, "turns"),
        await _copy_alerts(source.state, target.state),
    ]


async def _agree_on_accounts(*databases: tuple[Database, Belongings]) -> None:
    """Have all keep for accounts what is kept for keys, of each key of which one knows its account."""
    known: dict[str, str] = {}
    for database, belongings in databases:
        rows = await database.select(f"SELECT profile, account FROM {belongings.accounts}")
        known.update((row["profile"], row["account"]) for row in rows)
    for key, account in known.items():
        for database, belongings in databases:
            owner = belongings.owner(key, KnownAccount(account))
            await database.run(partial(owner.settle, writes=True))


# ---- the journal ----


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


def _entry_columns(row: DatabaseRow) -> dict[str, str | int | None]:
    """An entry without its id; one of an earlier version gets what makes it the same wherever it is."""
    columns = {name: row[name] for name in journal_table.COLUMNS}
    if columns["origin"] is None:
        columns["origin"] = uuid.uuid5(uuid.NAMESPACE_OID, f"{row['profile']} {row['begun']} {row['id']}").hex
    return columns


def _insert_entries(connection: DatabaseConnection, entries: Sequence[dict[str, str | int | None]]) -> int:
    connection.executemany(journal_table.INSERT_ONCE, [[*entry.values()] for entry in entries])
    origins = [entry["origin"] for entry in entries]
    query = f"SELECT count(*) AS number FROM journal WHERE origin IN ({', '.join('?' * len(origins))})"
    return _counted(connection, query, origins)


# ---- the jobs ----

_JOB = ("profile", "title", "created", "user_name", "host")
_ITEM = (
    *("position", "resource", "action", "record_ids", "params", "words", "before"),
    *("origin", "facts", "row_key"),
)


async def _copy_jobs(source: Database, target: Database) -> Copied:
    found = await source.select("SELECT * FROM jobs ORDER BY id")
    here = 0
    for job in found:
        items = await source.select("SELECT * FROM job_items WHERE job = ? ORDER BY position", (job["id"],))
        here += await target.run(partial(_insert_job, job=job, items=items))
    return Copied("bulk jobs", len(found), here)


def _insert_job(connection: DatabaseConnection, job: DatabaseRow, items: Sequence[DatabaseRow]) -> bool:
    """Return whether the job is there whole, now or already."""
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


# ---- the alerts ----

_ALERT = ("profile", "rule", "subject", "message", "since")


async def _copy_alerts(source: Database, target: Database) -> Copied:
    """Those that are raised; one that is raised in both stays as it is told in the other."""
    rows = await source.select(f"SELECT {', '.join(_ALERT)} FROM alerts")
    insert = f"INSERT INTO alerts ({', '.join(_ALERT)}) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    query = "SELECT count(*) AS number FROM alerts WHERE profile = ? AND rule = ? AND subject = ?"

    def write(connection: DatabaseConnection) -> int:
        values = [[row[name] for name in _ALERT] for row in rows]
        connection.executemany(insert, values)
        return sum(_counted(connection, query, value[:3]) for value in values)

    return Copied("alerts", len(rows), await target.run(write))


# ---- the history ----


async def _copy_history(source: Database, target: Database, tell: Callable[[str], object]) -> Copied:
    series = await source.select("SELECT profile, code_id FROM series")
    codes = sorted({(history_writing.profile_of(row["profile"]), row["code_id"]) for row in series})
    there = here = 0
    for number, (profile, code_id) in enumerate(codes, start=1):
        readings = await History(source, profile).readings(code_id)
        kept = History(target, profile)
        missing = await _missing_readings(readings, kept, code_id)
        for start in range(0, len(missing), _COPIED_AT_ONCE):
            part = missing[start : start + _COPIED_AT_ONCE]
            await kept.record_all({code_id: part})
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


async def _copy_moments(source: Database, target: Database, table: str) -> Copied:
    """Of each code the latest look, or turn, of the two stores."""
    rows = await source.select(f"SELECT profile, code_id, at FROM {table} ORDER BY profile, code_id")
    upsert = (
        f"INSERT INTO {table} (profile, code_id, at) VALUES (?, ?, ?)"
        f" ON CONFLICT (profile, code_id) DO UPDATE SET at = excluded.at WHERE excluded.at > {table}.at"
    )
    query = f"SELECT count(*) AS number FROM {table} WHERE profile = ? AND code_id = ? AND at >= ?"

    def write(connection: DatabaseConnection) -> int:
        values = [(row["profile"], row["code_id"], row["at"]) for row in rows]
        connection.executemany(upsert, values)
        return sum(_counted(connection, query, value) for value in values)

    return Copied(table, len(rows), await target.run(write))


def _counted(connection: DatabaseConnection, query: str, values: Sequence[str | int | None]) -> int:
    row = connection.execute(query, values).fetchone()
    if row is None:
        raise StoreUnavailable("The store did not count.")
    return int(row["number"])
