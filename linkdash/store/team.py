"""The store of a team in one database: history, turns, journal, jobs, alerts and the budget of its key.

What is written while the database is away waits in a file on this machine until it is handed in.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeAlias

from linkdash.store import history_writing, journal_table
from linkdash.store.alerts import Alerts
from linkdash.store.database import (
    DatabaseConnection,
    KnownAccount,
    Profile,
    StoreAway,
    StoreUnavailable,
    Work,
    read_moment,
    stored_moment,
)
from linkdash.store.history import History
from linkdash.store.jobs import Jobs
from linkdash.store.journal_entry import Author
from linkdash.store.postgresql import PostgresqlDatabase
from linkdash.store.reading import Reading
from linkdash.store.reading_claims import ReadingClaims
from linkdash.store.schemas import (
    HISTORY_BELONGINGS,
    HISTORY_SCHEMA,
    OUTBOX_BELONGINGS,
    OUTBOX_SCHEMA,
    TEAM_STATE_BELONGINGS,
    TEAM_STATE_SCHEMA,
)
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.team_address import Address
from linkdash.store.team_budget import TeamSharedBudget
from linkdash.store.team_journal import TeamJournal, WaitingJournal
from linkdash.store.team_outbox import Outbox, OutboxEntry

_AT_ONCE = 200
_READING, _LOOK = "reading", "look"
_FINISHED = "job item"  # by an earlier version

HandIn: TypeAlias = Callable[[DatabaseConnection, Profile, OutboxEntry], object]


class TeamHistory(History):
    """The history a team shares; what is read while it is away is kept in the outbox."""

    def __init__(self, database: PostgresqlDatabase, profile: Profile, kept: Outbox) -> None:
        super().__init__(database, profile)
        self._kept = kept

    async def record_all(self, readings: Mapping[int, Sequence[Reading]]) -> None:
        try:
            await super().record_all(readings)
        except StoreAway:
            for code_id, of_code in readings.items():
                for reading in of_code:
                    await self._kept.add(_READING, _reading_body(code_id, reading))

    async def latest_in_outbox(self) -> tuple[dict[int, Reading], dict[int, Reading]]:
        full, scans_only = dict[int, Reading](), dict[int, Reading]()
        for written in await self._kept.of_kind(_READING):
            reading = _reading_in_outbox(written)
            of_kind = scans_only if reading.tells_scans_only else full
            of_kind[written.body["code_id"]] = reading
        return full, scans_only

    async def mark_looked(self, code_id: int, at: datetime) -> None:
        try:
            await super().mark_looked(code_id, at)
        except StoreAway:
            await self._kept.add(_LOOK, {"code_id": code_id, "at": stored_moment(at)})


class Team:
    """A team's database as one program uses it, with what waits for it on this machine.

    While the database is away, what is written is kept in a file; `hand_in` brings it over. Bulk jobs and
    alerts wait: only the database can say that no other program runs, or has told, them.
    """

    def __init__(
        self,
        address: Address,
        state_folder: Path,
        key: str,
        author: Author,
        *,
        account: KnownAccount,
        tidy: Work[object] | None = None,
    ) -> None:
        state, history, outbox = (
            belongings.owner(key, account)
            for belongings in (TEAM_STATE_BELONGINGS, HISTORY_BELONGINGS, OUTBOX_BELONGINGS)
        )
        self._state = PostgresqlDatabase.open(address, "state", TEAM_STATE_SCHEMA, tidy=tidy, owner=state)
        self._history = PostgresqlDatabase.open(address, "history", HISTORY_SCHEMA, owner=history)
        self._file = SqliteDatabase.open(state_folder / "spool.db", OUTBOX_SCHEMA, durable=True, owner=outbox)
        self._outbox = Outbox(self._file, outbox.name)
        self._address = address
        self._key = key
        self._profile = state.name
        self._handing_in = asyncio.Lock()
        self.name = address.name
        self.kept = 0
        """The number of entries that waited to be handed in when they were last counted."""
        self._handed_in = 0
        waiting = WaitingJournal(self._file, outbox.name, author=author)
        self.journal = TeamJournal(self._state, state.name, author, waiting)
        self.jobs = Jobs(self._state, state.name, author=author)
        self.history = TeamHistory(self._history, history.name, self._outbox)
        self.claims = ReadingClaims(self._history, history.name)
        self.alerts = Alerts(self._state, state.name)

    def shared_budget(self) -> "TeamSharedBudget":
        """The budget of the profile's key, shared with every machine; who asks for it closes it."""
        return TeamSharedBudget(self._address, self._key)

    @property
    def failure(self) -> StoreUnavailable | None:
        """The reason why the database could not be used when it was last needed; None if it could."""
        return self._state.failure

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what the user should know of the database and the outbox, a sentence each."""
        return self._state.notices + self._history.notices + self._file.notices

    async def server(self) -> str:
        """Return the database server: `PostgreSQL 18.1`. Raises StoreUnavailable."""
        (row,) = await self._state.select("SELECT current_setting('server_version') AS version")
        return f"PostgreSQL {row['version'].split()[0]}"

    async def waiting(self) -> int:
        """Return how much is still to be handed in. Raises StoreUnavailable."""
        self.kept = await self._outbox.count() + await self.journal.waiting.count()
        return self.kept

    @property
    def handed_in(self) -> int:
        """The number of entries that this program has handed in."""
        return self._handed_in + self.journal.handed_in

    async def hand_in(self) -> int:
        """Hand in what was kept meanwhile, once and in order; return how much.

        Raises StoreUnavailable; StoreAway while the database is still away.
        """
        before = self.handed_in
        async with self._handing_in:
            if await self.waiting() or self.failure:
                await self._state.select("SELECT 1")
                await self._history.select("SELECT 1")  # its tables have to be there, too
            while written := await self._outbox.oldest(_AT_ONCE):
                await self._hand_in(written)
                self._handed_in += len(written)
            await self.journal.hand_in()
            await self.waiting()
        return self.handed_in - before

    async def _hand_in(self, written: Sequence[OutboxEntry]) -> None:
        name = await self._outbox.name()
        try:
            await self._state.run(partial(_hand_in, name=name, profile=self._profile, written=written))
        except StoreAway:
            raise
        except (StoreUnavailable, ValueError, LookupError, TypeError) as error:
            if len(written) > 1:
                for one in written:
                    await self._hand_in([one])
                return
            await self._outbox.refuse(written[0].id, str(error))
        else:
            ids = [one.id for one in written]
            await self._outbox.drop(ids)
            await self._state.run(partial(_forget, name=name, ids=ids))

    async def settle(self) -> None:
        """Give what is kept for the key to its account; the outbox last, from which the rest is handed in.

        Raises StoreUnavailable.
        """
        await self._state.settle()
        await self._history.settle()
        await self._file.settle()

    async def close(self) -> None:
        """End after what was handed over before."""
        await asyncio.gather(self._state.close(), self._history.close())
        await self._file.close()


def _hand_in(
    connection: DatabaseConnection, *, name: str, profile: Profile, written: Sequence[OutboxEntry]
) -> None:
    """Do what was written, but for what the database has already from a program that was killed.

    That is remembered of each entry until the outbox has dropped it.
    """
    connection.lock("spool", name)
    ids = [one.id for one in written]
    query = f"SELECT id FROM handed_in_entries WHERE spool = ? AND id IN ({', '.join('?' * len(ids))})"
    known = {row["id"] for row in connection.execute(query, (name, *ids))}
    left = [one for one in written if one.id not in known]
    for one in left:
        _HAND_INS[one.kind](connection, profile, one)
    connection.executemany("INSERT INTO handed_in_entries VALUES (?, ?)", [(name, one.id) for one in left])


def _forget(connection: DatabaseConnection, *, name: str, ids: Sequence[int]) -> None:
    forget = "DELETE FROM handed_in_entries WHERE spool = ? AND id = ?"
    connection.executemany(forget, [(name, id) for id in ids])


def _reading_body(code_id: int, reading: Reading) -> Mapping[str, object]:
    return {
        "code_id": code_id,
        "at": stored_moment(reading.at),
        "clicks": reading.clicks,
        "unique": reading.unique,
        "scans": reading.scans,
        "breakdowns": {name: dict(counts) for name, counts in reading.breakdowns.items()},
    }


def _reading_in_outbox(written: OutboxEntry) -> Reading:
    body = written.body
    return Reading(
        at=read_moment(body["at"]),
        clicks=body["clicks"],
        unique=body["unique"],
        scans=body["scans"],
        breakdowns=body["breakdowns"],
    )


def _hand_in_reading(connection: DatabaseConnection, profile: Profile, written: OutboxEntry) -> None:
    readings = {written.body["code_id"]: [_reading_in_outbox(written)]}
    history_writing.write_readings(connection, profile, readings)


def _hand_in_look(connection: DatabaseConnection, profile: Profile, written: OutboxEntry) -> None:
    at = read_moment(written.body["at"])
    history_writing.write_look(connection, profile, written.body["code_id"], at)


def _hand_in_nothing(connection: DatabaseConnection, profile: Profile, written: OutboxEntry) -> None:
    """Leave what an earlier version has kept of a job: it has kept the same of the journal."""


_HAND_INS: Mapping[str, HandIn] = {
    # What earlier versions have kept.
    journal_table.INSERTED: journal_table.hand_in,
    journal_table.UPDATED: journal_table.hand_in,
    _FINISHED: _hand_in_nothing,
    _READING: _hand_in_reading,
    _LOOK: _hand_in_look,
}
