"""PostgreSQL: one database that a team shares. Nothing here runs unless a profile names one."""

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from typing import Self, TypeVar

import psycopg
from psycopg import errors, sql
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row

from linkdash.store.database import (
    Database,
    DatabaseRows,
    Owner,
    OwnerName,
    StoreAway,
    StoreUnavailable,
    Values,
    Work,
    storable,
)
from linkdash.store.team_address import Address

T = TypeVar("T")

NAMESPACE = "linkdash"
"""The schema of the database in which linkdash keeps its tables."""

_OLDEST = 14
_PATIENCE = 0.7  # seconds that work waits for a connection that is being made
_STATEMENT_SECONDS = 3.0  # for one statement, after which the server counts as gone
_LOOK_SECONDS = 0.1  # until the next look whether one takes too long
_PAUSE = 5.0  # seconds between two attempts to connect

_CONNECT_FAILURES = (
    ("password authentication failed", "its password is wrong.", "Check the password of the team store."),
    ("no password supplied", "it asks for a password.", "Give the team store a password."),
    ("too many connections", "it has no connection left for this user.", "Raise the CONNECTION LIMIT there."),
    ("role", "unknown user.", "Check the user in the address of the team store."),
    ("no encryption", "it takes TLS connections only.", "Add ?sslmode=verify-full to its address."),
    (
        "does not support SSL",
        "it does not support TLS.",
        "Enable TLS on the server.",
    ),
    ("certificate verify failed", "its certificate is not trusted.", "Set its CA: ?sslrootcert=FILE."),
    ("does not match host name", "its certificate is for another name.", "Use the name it was made for."),
    ("no pg_hba.conf entry", "it does not allow this machine.", "Allow this machine in pg_hba.conf."),
    ("does not exist", "there is no such database.", "Check the name, or create it."),
    ("permission denied for database", "this user may not use it.", "Grant CONNECT to the user."),
    ("too many clients", "it has no connection left.", "Raise max_connections there."),
    ("remaining connection slots", "it has no connection left.", "Raise max_connections there."),
)
_STATEMENT_FAILURES: Mapping[str, tuple[str, str]] = {
    "42501": ("this user has no rights there.", "Grant CREATE on the database or its schema."),
    "25006": ("it can only be read.", "Use the primary server, not a replica."),
    "53100": ("its disk is full.", "Free some space there."),
    "42P01": ("its tables are not those of linkdash.", "Check the address of the team store."),
    "42703": ("its tables are not those of linkdash.", "Check the address of the team store."),
}


class TeamConnection(psycopg.Connection[DictRow]):
    """A connection whose rows are found by column, and whose server answers soon or counts as gone."""

    patience = _STATEMENT_SECONDS
    """Seconds in which each statement is to be answered."""

    def wait(self, gen: PQGen[T], interval: float = _LOOK_SECONDS, timeout: float | None = None) -> T:
        """Wait for an answer; where none comes in time, close the connection and raise OperationalError."""
        try:
            return super().wait(self._in_time(gen, timeout), interval)
        except psycopg.OperationalError:
            if self.info.transaction_status is TransactionStatus.ACTIVE:
                self.close()  # what comes late is no answer to what is asked next
            raise

    def _in_time(self, gen: PQGen[T], timeout: float | None) -> PQGen[T]:
        """An exchange with the server, which is looked after whenever nothing has come for a moment."""
        begun = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                patience = self.patience if timeout is None else timeout
                if not ready and time.monotonic() - begun > patience:
                    raise psycopg.OperationalError("the server does not answer")
                wanted = gen.send(ready)
        except StopIteration as done:
            answer: T = done.value
            return answer


class StoreTooNew(StoreUnavailable):
    """The tables are those of a newer linkdash; they are left alone."""


@dataclass(frozen=True, slots=True)
class DatabasePart:
    """Some tables in a team's database, with a version of their own."""

    address: Address
    name: str
    schema: tuple[str, ...]
    """Statements in the SQL of SQLite, one a migration."""

    def connect(self) -> TeamConnection:
        """A connection, in autocommit, whose tables are up to date. Waits; raises StoreUnavailable."""
        try:
            session = TeamConnection.connect(
                self.address.conninfo, autocommit=True, prepare_threshold=None, row_factory=dict_row
            )
        except psycopg.Error as error:
            raise self._refused(str(error)) from None
        try:
            self._prepare(session)
        except psycopg.Error as error:
            is_lost = session.broken
            session.close()
            raise self.away("it does not answer.") if is_lost else self.told(error) from None
        except BaseException:
            session.close()
            raise
        return session

    def _refused(self, said: str) -> StoreAway:
        """The reason why no connection was made, as far as the driver's hidden text reveals it."""
        for sign, cause, advice in _CONNECT_FAILURES:
            if sign in said:
                return self.away(cause, advice)
        return self.away("it cannot be reached.")

    def _prepare(self, session: TeamConnection) -> None:
        """Bring the tables up to date, however long that takes."""
        server = session.info.server_version // 10_000
        if server < _OLDEST:
            raise self.away(f"it is PostgreSQL {server}.", f"linkdash needs {_OLDEST} or newer.")
        session.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(NAMESPACE)))
        version = self._version(session)
        if version < len(self.schema):
            session.patience = math.inf
            version = self._migrate(session)
            session.patience = TeamConnection.patience
        if version > len(self.schema):
            raise StoreTooNew(
                f"{self.address.name} was written by a newer linkdash and is left untouched.",
                "Upgrade linkdash to use it.",
            )

    def _version(self, session: TeamConnection) -> int:
        """Return how many migrations this part has had. Raises StoreUnavailable for a foreign schema."""
        found = session.execute(
            "SELECT count(*) AS tables, count(*) FILTER (WHERE table_name = 'parts') AS parts"
            " FROM information_schema.tables WHERE table_schema = %s",
            (NAMESPACE,),
        ).fetchone()
        if found is None or not found["tables"]:
            return 0
        if not found["parts"]:
            raise StoreUnavailable(
                f"{self.address.name}: its schema {NAMESPACE} belongs to another program.",
                "Use another database.",
            )
        row = session.execute("SELECT version FROM parts WHERE part = %s", (self.name,)).fetchone()
        return 0 if row is None else int(row["version"])

    def _migrate(self, session: TeamConnection) -> int:
        """Bring the tables up to date, while others wait that want to, and return their version."""
        with session.transaction():
            session.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (NAMESPACE,))
            session.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(NAMESPACE)))
            version = self._version(session)
            session.execute(
                "CREATE TABLE IF NOT EXISTS parts (part TEXT PRIMARY KEY, version BIGINT NOT NULL)"
            )
            for statement in self.schema[version:]:
                session.execute(_migration(statement))
            session.execute(
                "INSERT INTO parts VALUES (%s, %s) ON CONFLICT (part) DO UPDATE"
                " SET version = greatest(parts.version, excluded.version)",
                (self.name, len(self.schema)),
            )
        return max(version, len(self.schema))

    def told(self, error: psycopg.Error) -> StoreUnavailable:
        """Return the reason that a statement has failed."""
        said = error.diag.message_primary or type(error).__name__
        cause, advice = _STATEMENT_FAILURES.get(error.sqlstate or "", (f"it cannot do this: {said}.", ""))
        return StoreUnavailable(f"{self.address.name}: {cause}", advice)

    def away(self, cause: str, advice: str = "What is written meanwhile is kept here.") -> StoreAway:
        """The database cannot be reached."""
        return StoreAway(f"{self.address.name}: {cause}", advice)


class PostgresqlDatabase(Database):
    """A part of a team's database, with a version of its own.

    While the server cannot be reached, work raises StoreAway at once; another attempt to reach it is made
    every few seconds, beside the work. It never waits longer than a second for a connection, nor longer
    than 3 s for an answer.

    The one thread has one connection, and no pool: that would keep to itself why no connection was made, wait
    for it each time anew, and leave alone a server that stands still in the midst of an answer.
    """

    def __init__(self, address: Address, part: str, schema: Sequence[str]) -> None:
        super().__init__(address.name)
        self._part = DatabasePart(address, part, tuple(schema))
        self._session: TeamConnection | None = None
        self._attempt: Future[TeamConnection] | None = None
        self._failure: StoreUnavailable | None = None
        self._next_attempt = 0.0

    @classmethod
    def open(
        cls,
        address: Address,
        part: str,
        schema: Sequence[str],
        *,
        tidy: Work[object] | None = None,
        owner: Owner | None = None,
    ) -> Self:
        """The tables of one part, which are made if they are missing. Returns at once.

        `schema` is one statement a migration in the SQL of SQLite, as for a file; each part counts its own.
        `tidy` is work to begin with that may as well be done the next time; `owner` as for a file.
        """
        database = cls(address, part, schema)
        database._begin(tidy, owner)
        return database

    @property
    def failure(self) -> StoreUnavailable | None:
        """The reason why the server could not be used when it was last needed; None if it could."""
        return self._failure

    async def close(self) -> None:
        """End after what was handed over before; the end waits no longer than a moment for the server."""
        closing = asyncio.ensure_future(super().close())
        _, waiting = await asyncio.wait({closing}, timeout=_PATIENCE)
        if waiting and self._session is not None:
            self._session.patience = 0
        await closing

    # ---- in the database's thread ----

    def _do_work(self, work: Work[T], writes: bool, handed_over: float) -> T:
        """Do the work; once more on a new connection if the old one was broken before it could commit."""
        for _ in range(2):
            session = self._connected()
            transaction = _Transaction(session, writes=writes)
            try:
                result = transaction.do(work)
                self._failure = None
                return result
            except (errors.SerializationFailure, errors.DeadlockDetected):
                continue
            except psycopg.Error as error:
                if not session.broken and not session.closed:
                    raise self._part.told(error) from None
                self._disconnect()
                if transaction.is_committing:
                    break
        self._failure = self._part.away("the connection was lost.")
        raise self._failure

    def _connected(self) -> TeamConnection:
        """The connection; made beside this thread, so that nothing waits long for a server that is silent."""
        if self._session is not None and not self._session.closed:
            return self._session
        if self._attempt is None:
            if self._failure is not None and time.monotonic() < self._next_attempt:
                raise self._failure
            self._attempt = _beside(self._part.connect)
        try:
            self._session = self._attempt.result(_PATIENCE)
        except TimeoutError:
            self._failure = self._part.away("it does not answer.")
            raise self._failure from None
        except StoreUnavailable as error:
            self._attempt, self._failure = None, error
            self._next_attempt = time.monotonic() + _PAUSE
            if isinstance(error, StoreTooNew):
                self.add_notice(error.what)
            raise
        self._attempt = self._failure = None
        return self._session

    def _disconnect(self) -> None:
        if self._attempt is not None:
            self._attempt.add_done_callback(_close_unwanted)
            self._attempt = None
        if self._session is not None:
            with contextlib.suppress(psycopg.Error):
                self._session.close()
            self._session = None


def _beside(connect: Callable[[], TeamConnection]) -> Future[TeamConnection]:
    """A connection to come, from a thread that no end of the program waits for."""
    attempt = Future[TeamConnection]()

    def run() -> None:
        try:
            attempt.set_result(connect())
        except Exception as error:  # noqa: BLE001  whoever waits for it is told
            attempt.set_exception(error)

    threading.Thread(target=run, name="team store", daemon=True).start()
    return attempt


def _close_unwanted(attempt: Future[TeamConnection]) -> None:
    if attempt.exception() is None:
        attempt.result().close()


class _Transaction:
    """A transaction, and whether it has come so far that it may have been committed."""

    def __init__(self, session: TeamConnection, *, writes: bool) -> None:
        self.is_committing = False
        self._session = session
        self._begin = "BEGIN" if writes else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    def do(self, work: Work[T]) -> T:
        self._session.execute(self._begin.encode())
        try:
            result = work(_Connection(self._session))
            self.is_committing = True
            self._session.execute("COMMIT")
        except BaseException:
            if not self._session.closed:
                with contextlib.suppress(psycopg.Error):
                    self._session.execute("ROLLBACK")
            raise
        return result


class _Connection:
    """A connection as a piece of work uses it."""

    def __init__(self, session: TeamConnection) -> None:
        self._session = session

    def execute(self, statement: str, values: Values = ()) -> DatabaseRows:
        return self._session.execute(_query(statement), storable(values), binary=True)

    def executemany(self, statement: str, rows: Iterable[Values]) -> None:
        self._session.cursor().executemany(_query(statement), map(storable, rows))

    def lock(self, *names: str | int | OwnerName) -> None:
        name = ":".join(map(str, (NAMESPACE, *names)))
        self._session.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))

    def now(self) -> float:
        row = self.execute("SELECT extract(epoch FROM clock_timestamp()) AS now").fetchone()
        return time.time() if row is None else float(row["now"])


@lru_cache
def _query(statement: str) -> bytes:
    """A statement as the driver wants it."""
    return statement.replace("%", "%%").replace("?", "%s").encode()


def _migration(statement: str) -> bytes:
    """A statement that makes tables, which is written for SQLite, as PostgreSQL reads it."""
    identity = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"
    for theirs, ours in (
        ("INTEGER PRIMARY KEY AUTOINCREMENT", identity),
        ("INTEGER PRIMARY KEY", identity),
        ("INTEGER", "BIGINT"),
        ("BLOB", "BYTEA"),
        (" WITHOUT ROWID", ""),
    ):
        statement = statement.replace(theirs, ours)
    return statement.encode()
