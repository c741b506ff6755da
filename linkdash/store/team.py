"""What a team shares in one database: history, turns, journal, jobs, alerts and the budget of its key.

What is written while the database is away goes into the spool. The budget is one row, for programs on many
machines: the one who changes it holds the row's lock from reading it until its change is committed; all
others are told then what it has become. That is done in a thread of its own, which calls whoever asked for
the row when it is held: so nothing waits, and nobody asks often.
"""

import asyncio
import contextlib
import enum
import hashlib
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeAlias

import psycopg
from psycopg import sql

from linkdash.store import alerts, history, jobs, journal, spool
from linkdash.store.alerts import Alerts
from linkdash.store.database import (
    Connection,
    SqliteDatabase,
    StoreAway,
    StoreUnavailable,
    Work,
    read_moment,
    stored_moment,
)
from linkdash.store.history import History, Reading, Turns
from linkdash.store.jobs import Jobs
from linkdash.store.journal import Author, Journal
from linkdash.store.postgresql import NAMESPACE, Address, Part, PostgresqlDatabase, Session
from linkdash.store.spool import Spool, Spooled

# What a database has had is counted: a later statement goes to the end, never between.
STATE_SCHEMA = (
    *journal.SCHEMA,
    *jobs.SCHEMA,
    *journal.AUTHORS,
    *jobs.RUNNERS,
    "CREATE TABLE handed_in (spool TEXT PRIMARY KEY, last_id INTEGER NOT NULL)",
    *alerts.SCHEMA,
)
HISTORY_SCHEMA = (*history.SCHEMA, *history.TURNS_SCHEMA, *history.SUMMARIES)

_AT_ONCE = 200
_READING, _LOOK = "reading", "look"

HandIn: TypeAlias = Callable[[Connection, str, Spooled], object]


class TeamHistory(History):
    """The history a team shares; what is read while it is away is kept in the spool."""

    def __init__(self, database: PostgresqlDatabase, profile: str, kept: Spool) -> None:
        super().__init__(database, profile)
        self._kept = kept

    async def record_all(self, readings: Mapping[int, Sequence[Reading]]) -> None:
        try:
            await super().record_all(readings)
        except StoreAway:
            for code_id, of_code in readings.items():
                for reading in of_code:
                    await self._kept.add(_READING, _reading_body(code_id, reading))

    async def mark_looked(self, code_id: int, at: datetime) -> None:
        try:
            await super().mark_looked(code_id, at)
        except StoreAway:
            await self._kept.add(_LOOK, {"code_id": code_id, "at": stored_moment(at)})


class Team:
    """A team's database as one program uses it, with the spool on this machine.

    While the database is away, writes go into the spool and are seen from there; `hand_in` brings them over.
    Bulk jobs and alerts wait: only the database can say that nobody else runs, or has told, them.
    """

    def __init__(
        self,
        address: Address,
        state_folder: Path,
        profile: str,
        author: Author,
        *,
        tidy: Work[object] | None = None,
        namespace: str = NAMESPACE,
    ) -> None:
        self._state = PostgresqlDatabase.open(address, "state", STATE_SCHEMA, namespace=namespace, tidy=tidy)
        self._history = PostgresqlDatabase.open(address, "history", HISTORY_SCHEMA, namespace=namespace)
        self._file = SqliteDatabase.open(state_folder / "spool.db", spool.SCHEMA, durable=True)
        self._spool = Spool(self._file, profile)
        self._address, self._namespace = address, namespace
        self._profile = profile
        self._handing_in = asyncio.Lock()
        self.name = address.name
        self.kept = 0
        """How much waited to be handed in when that was last counted."""
        self.journal = Journal(self._state, profile, author=author, spool=self._spool)
        self.jobs = Jobs(self._state, profile, author=author, spool=self._spool)
        self.history = TeamHistory(self._history, profile, self._spool)
        self.turns = Turns(self._history, profile)
        self.alerts = Alerts(self._state, profile)

    def shared_budget(self) -> "TeamSharedBudget":
        """The budget of the profile's key, shared with every machine; who asks for it closes it."""
        return TeamSharedBudget(self._address, self._profile, namespace=self._namespace)

    @property
    def failure(self) -> StoreUnavailable | None:
        """Why the database could not be used when it was last needed; None if it could."""
        return self._state.failure

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of the database and the spool, a sentence each."""
        return self._state.notices + self._history.notices + self._file.notices

    async def server(self) -> str:
        """What the database runs on: `PostgreSQL 18.1`. Raises StoreUnavailable."""
        (row,) = await self._state.select("SELECT current_setting('server_version') AS version")
        return f"PostgreSQL {row['version'].split()[0]}"

    async def waiting(self) -> int:
        """How much is still to be handed in. Raises StoreUnavailable."""
        self.kept = await self._spool.count()
        return self.kept

    async def hand_in(self) -> int:
        """Hands in what was kept meanwhile, once and in order; returns how much.

        Raises StoreUnavailable; StoreAway while the database is still away.
        """
        handed_in = 0
        async with self._handing_in:
            if await self.waiting() or self.failure:
                await self._state.select("SELECT 1")
                await self._history.select("SELECT 1")  # its tables have to be there, too
            while written := await self._spool.oldest(_AT_ONCE):
                await self._hand_in(written)
                handed_in += len(written)
                await self.waiting()
        return handed_in

    async def _hand_in(self, written: Sequence[Spooled]) -> None:
        name = await self._spool.name()
        try:
            await self._state.run(partial(_hand_in, name=name, profile=self._profile, written=written))
        except StoreAway:
            raise
        except (StoreUnavailable, ValueError, LookupError, TypeError) as error:
            if len(written) > 1:
                for one in written:
                    await self._hand_in([one])
                return
            await self._spool.refuse(written[0].id, str(error))
        else:
            await self._spool.drop([one.id for one in written])

    async def close(self) -> None:
        """Ends after what was handed over before."""
        await asyncio.gather(self._state.close(), self._history.close())
        await self._file.close()


def _hand_in(connection: Connection, *, name: str, profile: str, written: Sequence[Spooled]) -> None:
    """Does what was written, but for what the database has already from a program that was killed."""
    connection.lock("spool", name)
    row = connection.execute("SELECT last_id FROM handed_in WHERE spool = ?", (name,)).fetchone()
    last_id = 0 if row is None else int(row["last_id"])
    for one in written:
        if one.id > last_id:
            _HAND_INS[one.kind](connection, profile, one)
    connection.execute(_REMEMBER, (name, max(last_id, written[-1].id)))


_REMEMBER = """
    INSERT INTO handed_in (spool, last_id) VALUES (?, ?)
    ON CONFLICT (spool) DO UPDATE SET last_id = excluded.last_id
"""


def _reading_body(code_id: int, reading: Reading) -> Mapping[str, object]:
    return {
        "code_id": code_id,
        "at": stored_moment(reading.at),
        "clicks": reading.clicks,
        "unique": reading.unique,
        "scans": reading.scans,
        "breakdowns": {name: dict(counts) for name, counts in reading.breakdowns.items()},
    }


def _hand_in_reading(connection: Connection, profile: str, written: Spooled) -> None:
    body = written.body
    reading = Reading(
        at=read_moment(body["at"]),
        clicks=body["clicks"],
        unique=body["unique"],
        scans=body["scans"],
        breakdowns=body["breakdowns"],
    )
    history.write(connection, profile, {body["code_id"]: [reading]})


def _hand_in_look(connection: Connection, profile: str, written: Spooled) -> None:
    at = read_moment(written.body["at"])
    history.write_look(connection, profile, written.body["code_id"], at)


_HAND_INS: Mapping[str, HandIn] = {
    journal.INSERTED: journal.hand_in,
    journal.UPDATED: journal.hand_in,
    jobs.FINISHED: jobs.hand_in,
    _READING: _hand_in_reading,
    _LOOK: _hand_in_look,
}


# ---- the budget of a key ----

BUDGET_SCHEMA = ("CREATE TABLE budgets (profile TEXT PRIMARY KEY, known TEXT NOT NULL)",)

_HELD = 0.1  # seconds that the row is held for a program which has asked for it and does not come back
_PAUSE = 5.0  # seconds between two attempts to reach the database
_LONGEST = 1  # seconds that a turn may take before the database counts as away; half of it at first
_LOOKS_EVERY = 10.0  # seconds; what others change is heard at once
_REMEMBERED = 0.9  # of a wait for the row, from one turn to the next
_LONGEST_NEWS = 7_999  # bytes that PostgreSQL hands on with a notification


class _Turn(enum.Enum):
    """How far the exchange under way is."""

    NONE = enum.auto()
    WANTED = enum.auto()
    """The thread is to get hold of the row."""
    HELD = enum.auto()
    """The row is held, and what is in it known: whoever asks next may change it."""
    CHANGED = enum.auto()
    """The thread is to commit what was changed."""


class TeamSharedBudget:
    """Shares through a row that is found by the profile; neither it nor anything in it tells the key.

    While the database is away nothing is shared, and the budget goes by the service's headers; when it is
    back, sharing goes on by itself.
    """

    def __init__(self, address: Address, profile: str, *, namespace: str = NAMESPACE) -> None:
        self._part = Part(address, "budget", BUDGET_SCHEMA, namespace)
        self._profile = profile
        self._channel = f"budget_{hashlib.sha256(f'{namespace} {profile}'.encode()).hexdigest()[:32]}"
        self._reason: str | None = None
        self._has_answered = False
        """Whether the database was there since this began: only then it is waited for as long as may be."""
        self._ahead = 0.0
        self._known: str | None = None
        self._new = ""
        self._turn = _Turn.NONE
        self._wanted_at = time.monotonic()
        self._waited = 0.0
        """Seconds that the row was waited for; a long wait is forgotten slowly."""
        self._closed = False
        self._changed = threading.Condition()
        self._news: list[str] = []
        self._heard: Callable[[str | None], None] = lambda _: None
        self._bell, self._ring = socket.socketpair()
        self._ring.setblocking(False)
        self._thread = threading.Thread(target=self._run, name="shared budget", daemon=True)
        self._thread.start()

    @property
    def sharing(self) -> str | None:
        """Why nothing is shared at the moment, or None while it is."""
        return self._reason

    @property
    def looks_every(self) -> float:
        """Seconds after which a program that waits looks by itself, should it have heard nothing."""
        return _LOOKS_EVERY

    @property
    def spread(self) -> float:
        """Twice what the row was waited for of late: with few machines, that is next to nothing."""
        return 2 * self._waited

    def watch(self, heard: Callable[[str | None], None]) -> None:
        """Calls `heard` in another thread: with what others have changed, with None when it is our turn."""
        self._heard = heard

    def wall(self) -> float:
        """Seconds since 1970 by the clock of the database, which all machines have in common."""
        return time.time() + self._ahead

    def exchange(self, change: Callable[[str | None], str]) -> bool:
        """Hand `change` what is shared (None if it is new) and keep what it returns.

        Returns False if `change` was not called: the row is not held for this program yet, or nothing is
        shared. In the first case it is told when to ask again.
        """
        with self._changed:
            if self._reason is not None or self._closed:
                return False
            if self._turn is _Turn.HELD:
                self._new = change(self._known)
                self._turn = _Turn.CHANGED
                self._changed.notify_all()
                return True
            if self._turn is _Turn.NONE:
                self._turn, self._wanted_at = _Turn.WANTED, time.monotonic()
                self._wake()
            elif time.monotonic() - self._wanted_at > (_LONGEST if self._has_answered else _LONGEST / 2):
                self._reason = f"{self._part.address.name} does not answer"
            return False

    def close(self) -> None:
        """Ends the sharing after what was changed is committed; waits for that no longer than a moment."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._wake()
        self._thread.join(timeout=_HELD)

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # the bell rings already, or nobody is there any more
            self._ring.send(b"!")

    # ---- in the thread ----

    def _run(self) -> None:
        with self._bell, self._ring:
            while not self._closed:
                try:
                    with contextlib.closing(self._connected()) as session:
                        self._share(session)
                except (psycopg.Error, StoreUnavailable) as error:
                    lost = (
                        error.what
                        if isinstance(error, StoreUnavailable)
                        else f"{self._part.address.name} was lost"
                    )
                    self._stop_sharing(lost)
                    with self._changed:
                        self._changed.wait_for(lambda: self._closed, _PAUSE)

    def _connected(self) -> Session:
        session = self._part.connect()
        try:
            self._begin(session)
        except BaseException:
            session.close()
            raise
        return session

    def _begin(self, session: Session) -> None:
        """Makes sure that the row is there, and learns how far the clock of the database is ahead."""
        session.execute(f"SET lock_timeout = '{_LONGEST}s'".encode())
        # A program that stands still, or a machine that is gone, must not hold the row from all others.
        session.execute(f"SET idle_in_transaction_session_timeout = '{_LONGEST}s'".encode())
        # What a crash of the database takes with it, the headers of the next answer tell again.
        session.execute("SET synchronous_commit = off")
        session.execute(
            "INSERT INTO budgets (profile, known) VALUES (%s, '') ON CONFLICT DO NOTHING", (self._profile,)
        )
        session.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
        begun = time.time()
        row = session.execute("SELECT extract(epoch FROM clock_timestamp()) AS now").fetchone()
        if row is not None:
            self._ahead = float(row["now"]) - (begun + time.time()) / 2
        with self._changed:
            self._reason, self._has_answered = None, True
        self._heard(None)

    def _stop_sharing(self, why: str) -> None:
        with self._changed:
            self._reason, self._turn = why, _Turn.NONE
        self._heard(None)

    def _share(self, session: Session) -> None:
        news, us = self._news, session.info.backend_pid
        session.add_notify_handler(lambda told: news.append(told.payload) if told.pid != us else None)
        while not self._closed:
            if self._turn is _Turn.WANTED:
                with session.pipeline(), session.transaction():  # BEGIN and the question go together
                    self._exchange(session)
                with self._changed:
                    self._reason = None  # it answers, however late
            else:
                self._listen(session)
            if news:
                self._heard(news[-1] or None)
                news.clear()

    def _listen(self, session: Session) -> None:
        """Waits until this program wants the row, or another one has changed it."""
        server, bell = session.fileno(), self._bell.fileno()
        ready, _, _ = select.select([server, bell], [], [])
        if bell in ready:
            self._bell.recv(1_000)
        if server in ready:
            session.execute("")  # what has come is given to the handler

    def _exchange(self, session: Session) -> None:
        """One turn: the row is locked when this begins to wait, and free when the transaction ends."""
        row = session.execute(
            "SELECT known FROM budgets WHERE profile = %s FOR UPDATE", (self._profile,)
        ).fetchone()
        self._news.clear()  # what was told before is in what was just read
        with self._changed:
            self._known, self._turn = (row["known"] or None) if row else None, _Turn.HELD
            self._reason = None
            self._waited = max(time.monotonic() - self._wanted_at, _REMEMBERED * self._waited)
        self._heard(None)
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._turn is _Turn.CHANGED, _HELD)
            is_changed, new = self._turn is _Turn.CHANGED, self._new
            if not is_changed:
                self._turn = _Turn.NONE
        if is_changed:
            if new != self._known:
                session.execute("UPDATE budgets SET known = %s WHERE profile = %s", (new, self._profile))
                news = new if len(new.encode()) <= _LONGEST_NEWS else ""
                session.execute("SELECT pg_notify(%s, %s)", (self._channel, news))
            with self._changed:
                self._turn = _Turn.NONE
