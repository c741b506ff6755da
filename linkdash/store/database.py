"""A database, owned by one thread, so that no query ever holds the event loop; and SQLite, its usual kind."""

import asyncio
import contextlib
import json
import os
import sqlite3
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, Self, TypeAlias, TypeVar

from linkdash.api.errors import LinkdashError
from linkdash.api.secrecy import masked
from linkdash.store.files import close_to_others, private_file

# ---- any database ----

T = TypeVar("T")
Value: TypeAlias = str | int | bytes | None
Values: TypeAlias = Sequence[Value]

_UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError, zlib.error)
"""What reading a spoilt value raises."""


class StoreUnavailable(LinkdashError):
    """The store cannot be read or written now; nothing was stored, and the program goes on without it."""


class StoreBusy(StoreUnavailable):
    """Another program holds the file; nothing was stored, and the next try may succeed."""


class StoreAway(StoreUnavailable):
    """The database of the team cannot be reached; whether the last thing was stored may not be known."""


class Row(Protocol):
    """A row of an answer, its values by column."""

    def __getitem__(self, column: str, /) -> Any:  # as the engines have it: a value of any kind
        ...


class Rows(Protocol):
    """What a statement has answered."""

    @property
    def rowcount(self) -> int:
        """How many rows it has changed."""
        ...

    def fetchone(self) -> Row | None:
        """The next row."""
        ...

    def fetchall(self) -> Sequence[Row]:
        """All rows that are left."""
        ...

    def __iter__(self) -> Iterator[Row]:
        """The rows that are left, one after the other."""
        ...


class Connection(Protocol):
    """What a piece of work does its statements with, in SQL that both engines read, `?` for each value."""

    def execute(self, statement: str, values: Values = ()) -> Rows:
        """Runs one statement."""
        ...

    def executemany(self, statement: str, rows: Iterable[Values]) -> None:
        """Runs one statement for each of the rows."""
        ...

    def lock(self, *names: str | int) -> None:
        """Keeps every other program that locks the same names waiting until this transaction has ended."""
        ...

    def now(self) -> float:
        """Seconds since 1970 by the clock that all programs share which use this database."""
        ...


Work: TypeAlias = Callable[[Connection], T]


class Database(ABC):
    """A database that several programs may use at once.

    Opening happens in the database's own thread and is tried again with each piece of work, so that a store
    that was unavailable comes back by itself.
    """

    def __init__(self, name: str) -> None:
        """`name` is how messages call it."""
        self.name = name
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._notices: list[str] = []
        self._closed = False

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of the database, a sentence each."""
        return tuple(self._notices)

    async def run(self, work: Work[T]) -> T:
        """The result of `work`, done in one write transaction: wholly, or not at all if it raises.

        What was handed over is done even if the caller is cancelled meanwhile. Raises StoreUnavailable.
        """
        return await _result(self._submit(work, writes=True))

    async def run_or_revoke(self, work: Work[T], revoke: Callable[[Connection, T], object]) -> T:
        """Like `run`; but if the caller is cancelled meanwhile, `revoke` undoes what `work` has done.

        `revoke` is given the result of `work`, and is not waited for.
        """
        done = self._submit(work, writes=True)
        try:
            return await _result(done)
        except asyncio.CancelledError:
            with contextlib.suppress(StoreUnavailable):
                self._submit(lambda connection: revoke(connection, done.result()), writes=True)
            raise

    async def read(self, work: Work[T]) -> T:
        """The result of `work`, which only reads, and so waits for no other program.

        Raises StoreUnavailable.
        """
        return await _result(self._submit(work, writes=False))

    async def execute(self, statement: str, values: Values = ()) -> int:
        """Runs one statement that changes rows and returns how many. Raises StoreUnavailable."""
        return await self.run(lambda connection: connection.execute(statement, values).rowcount)

    async def select(self, query: str, values: Values = ()) -> Sequence[Row]:
        """The rows of one query. Raises StoreUnavailable."""
        return await self.read(lambda connection: connection.execute(query, values).fetchall())

    def decoded(self, rows: Iterable[Row], decode: Callable[[Row], T], what: str) -> list[T]:
        """What `decode` makes of each row; one it cannot read is left out, and a notice names `what`."""
        found = []
        for row in rows:
            try:
                found.append(decode(row))
            except _UNREADABLE:
                self._notice(f"{self.name}: some {what} cannot be read and are left out.")
        return found

    async def close(self) -> None:
        """Ends the thread after what was handed over before. The database cannot be used afterwards."""
        if not self._closed:
            self._closed = True
            await _result(self._thread.submit(self._disconnect))
            self._thread.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _submit(self, work: Work[T], *, writes: bool) -> Future[T]:
        if self._closed:
            raise StoreUnavailable(f"{self.name} is closed: the program is ending.")
        return self._thread.submit(self._perform, work, writes, time.monotonic())

    def _notice(self, text: str) -> None:
        if text not in self._notices:
            self._notices.append(text)

    # ---- what an engine does, in the database's thread ----

    @abstractmethod
    def _perform(self, work: Work[T], writes: bool, handed_over: float) -> T:
        """Does the work in a transaction, which may write or only reads. Raises StoreUnavailable.

        `handed_over` is when it was asked for, on the monotonic clock.
        """

    @abstractmethod
    def _disconnect(self) -> None:
        """Closes what was opened."""


async def _result(done: Future[T]) -> T:
    """What the database's thread has come to; who stops waiting for it stops nothing."""
    result = asyncio.wrap_future(done)
    result.add_done_callback(_take_note)
    return await asyncio.shield(result)


def _take_note(result: asyncio.Future[T]) -> None:
    """Whoever waited may have left: an error is then nobody's, where asyncio would take it for forgotten."""
    if not result.cancelled():
        result.exception()


def returned_id(rows: Rows) -> int:
    """The id that `INSERT … RETURNING id` has answered."""
    row = rows.fetchone()
    if row is None:
        raise StoreUnavailable("The store gave no id.")
    return int(row["id"])


# ---- how values stand in a database ----


def storable(values: Values) -> Values:
    """The values with what no database takes in a text, NUL and halves of characters, made visible."""
    return [storable_text(value) if isinstance(value, str) else value for value in values]


def storable_text(text: str) -> str:
    """A text with what no database takes, NUL and halves of characters, made visible."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def stored_json(data: object) -> str:
    """JSON-like `data` as it goes into a file: without its secrets."""
    return json.dumps(masked(data), separators=(",", ":"))


def stored_moment(moment: datetime) -> str:
    """A moment as text that sorts as time does. `moment` has a zone."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def read_moment(text: str) -> datetime:
    """The moment that `stored_moment` wrote, in UTC."""
    return datetime.fromisoformat(text)


def utc_now() -> datetime:
    """This moment by the machine's clock."""
    return datetime.now(UTC)


# ---- SQLite: one file on this machine ----

_APPLICATION_ID = 0x6C6E6B64  # "lnkd": says in a file's header whose it is
_PATIENCE = 2.0  # seconds that work waits for another program, from when it was handed over
_PATIENCE_AFTER_BUSY = 0.2
_WAL_BYTES_KEPT = 4_000_000
_SET_ASIDE_KEPT = 3  # damaged files: enough to save something from, and a failing disk is not filled
_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite puts beside a file
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_CAUSES = {
    sqlite3.SQLITE_FULL: ("the disk is full.", "Free some space."),
    sqlite3.SQLITE_IOERR: ("the disk refuses it.", "Check free space, quota and the disk itself."),
    sqlite3.SQLITE_BUSY: ("another program holds it.", "Close that program or try again."),
    sqlite3.SQLITE_LOCKED: ("another program holds it.", "Close that program or try again."),
    sqlite3.SQLITE_READONLY: ("it may not be written.", "Check the permissions of file and folder."),
    sqlite3.SQLITE_PERM: ("it may not be opened.", "Check the permissions of file and folder."),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened.", "Check the permissions of file and folder."),
    sqlite3.SQLITE_CORRUPT: ("it is damaged.", "Move it away; it is begun anew."),
    sqlite3.SQLITE_NOTADB: ("it is damaged.", "Move it away; it is begun anew."),
}


class SqliteDatabase(Database):
    """One SQLite file in WAL mode.

    A damaged file is set aside and begun anew; one of another program or of a newer linkdash is left alone.
    Where another program holds the file, work waits 2 s from when it was handed over and then raises
    StoreBusy; until some succeeds again, it waits for less.
    """

    def __init__(self, path: Path, schema: Sequence[str], *, durable: bool) -> None:
        super().__init__(path.name)
        self.path = path
        self._schema = tuple(schema)
        self._synchronous = "FULL" if durable else "NORMAL"
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._was_busy = False

    @classmethod
    def open(
        cls,
        path: Path,
        schema: Sequence[str],
        *,
        durable: bool = False,
        tidy: Work[object] | None = None,
    ) -> Self:
        """The database in `path`, which is made (0600, its folder 0700) if missing. Returns at once.

        `schema` is one SQL statement a migration, in the order they came to be; statements are only ever
        added at its end, and `user_version` counts how many a file has had. What a `durable` database has
        written survives a loss of power; without, only the death of the process. `tidy` is work to begin with
        that may as well be done the next time.
        """
        database = cls(path, schema, durable=durable)
        # A failure stays in this future: the first piece of work meets and reports it.
        database._submit(tidy or _nothing, writes=tidy is not None)
        return database

    # ---- in the database's thread ----

    def _perform(self, work: Work[T], writes: bool, handed_over: float) -> T:
        """Does the work, on a new file if the old one turns out to be damaged."""
        deadline = handed_over + (_PATIENCE_AFTER_BUSY if self._was_busy else _PATIENCE)
        try:
            result = self._done(work, "BEGIN IMMEDIATE" if writes else "BEGIN", deadline)
        except (sqlite3.Error, OverflowError) as error:
            cause, advice = _CAUSES.get(_sqlite_code(error), (f"it cannot do this: {error}.", ""))
            self._was_busy = _sqlite_code(error) in _BUSY
            kind = StoreBusy if self._was_busy else StoreUnavailable
            raise kind(f"{self.name}: {cause}", advice) from error
        except OSError as error:
            raise StoreUnavailable(
                f"{self.name}: {error.strerror or 'it cannot be opened'}.", f"Check {self.path.parent}."
            ) from None
        self._was_busy = False
        return result

    def _done(self, work: Work[T], begin: str, deadline: float) -> T:
        try:
            return self._transacted(work, begin, deadline)
        except sqlite3.DatabaseError as error:
            if not self._is_damage(error):
                raise
            self._set_aside()
            return self._transacted(work, begin, deadline)

    def _transacted(self, work: Work[T], begin: str, deadline: float) -> T:
        connection = self._opened(deadline)
        return _transaction(connection, lambda: work(_SqliteConnection(connection)), begin)

    def _opened(self, deadline: float) -> sqlite3.Connection:
        """The connection, made anew if another file, or none, lies in the old one's place."""
        patience = max(0.0, deadline - time.monotonic())
        if self._connection is not None and self._identity != _identity(self.path):
            self._disconnect()
        if self._connection is None:
            private_file(self.path)
            for suffix in _BESIDE:
                with contextlib.suppress(FileNotFoundError):
                    close_to_others(self.path.with_name(self.path.name + suffix))
            self._identity = _identity(self.path)
            self._connection = self._connect(patience)
        self._connection.execute(f"PRAGMA busy_timeout = {patience * 1000:.0f}")
        return self._connection

    def _connect(self, patience: float) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=patience, isolation_level=None)
        connection.row_factory = sqlite3.Row
        connection.text_factory = _sqlite_text
        try:
            is_ours = _transaction(connection, lambda: self._is_ours(connection), "BEGIN")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            # On macOS only this reaches the disk itself; elsewhere it changes nothing.
            connection.execute(f"PRAGMA fullfsync = {int(self._synchronous == 'FULL')}")
            connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES_KEPT}")
            if not is_ours or _sqlite_version(connection) < len(self._schema):
                _transaction(connection, lambda: self._migrate(connection), "BEGIN IMMEDIATE")
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        """Whether the file says that it is linkdash's; False for one that is new, or older than that mark.

        Raises StoreUnavailable where it is another program's, or a newer linkdash's.
        """
        (found,) = connection.execute("PRAGMA application_id").fetchone()
        if found == _APPLICATION_ID:
            self._refuse_newer(connection)
            return True
        if found or not self._is_sound(connection):
            notice = f"{self.path} belongs to another program and is left untouched."
            self._notice(notice)
            raise StoreUnavailable(notice, "Move it away to have linkdash begin its own.")
        return False

    def _is_sound(self, connection: sqlite3.Connection) -> bool:
        """Whether the file holds what its version says, nothing more and nothing less."""
        with contextlib.closing(sqlite3.connect(":memory:")) as sound:
            for statement in self._schema[: _sqlite_version(connection)]:
                sound.execute(statement)
            return _sqlite_contents(connection) == _sqlite_contents(sound)

    def _refuse_newer(self, connection: sqlite3.Connection) -> None:
        if _sqlite_version(connection) > len(self._schema):
            notice = f"{self.path} was written by a newer linkdash and is left untouched."
            self._notice(notice)
            raise StoreUnavailable(notice, "Upgrade linkdash to use it.")

    def _migrate(self, connection: sqlite3.Connection) -> None:
        for statement in self._schema[_sqlite_version(connection) :]:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(self._schema)}")

    def _is_damage(self, error: sqlite3.DatabaseError) -> bool:
        """Whether the file is to blame: it is broken, or what it holds is not what its version says.

        Raises StoreUnavailable where another process has brought the file to a newer version meanwhile.
        """
        if _sqlite_code(error) != sqlite3.SQLITE_ERROR:
            return _sqlite_code(error) in _DAMAGED
        with contextlib.closing(sqlite3.connect(self.path, timeout=_PATIENCE_AFTER_BUSY)) as found:
            found.execute("BEGIN")  # version and contents of one moment
            self._refuse_newer(found)
            return not self._is_sound(found)

    def _set_aside(self) -> None:
        """Renames a damaged file, with what belongs to it, unless another process has done so."""
        if self._identity == _identity(self.path):
            aside = f"{self._aside}{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
            # The main file last: a new one must never meet the write-ahead log of the old.
            for suffix in ("-wal", ""):
                part = self.path.with_name(self.path.name + suffix)
                if part.exists():
                    part.rename(self.path.with_name(aside + suffix))
            self.path.with_name(self.path.name + "-shm").unlink(missing_ok=True)
            self._notice(f"{self.path} was damaged: it is kept as {aside}, and a new one is begun.")
            self._drop_old_damage()
        self._disconnect()

    @property
    def _aside(self) -> str:
        """How the names of damaged files begin; what follows sorts as time does."""
        return f"{self.path.name}.corrupt-"

    def _drop_old_damage(self) -> None:
        found = {path.name.removesuffix("-wal") for path in self.path.parent.glob(f"{self._aside}*")}
        for name in sorted(found)[:-_SET_ASIDE_KEPT]:
            for suffix in ("-wal", ""):
                with contextlib.suppress(OSError):  # it only takes room
                    self.path.with_name(name + suffix).unlink()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class _SqliteConnection:
    """A connection as a piece of work uses it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Values = ()) -> Rows:
        return self._connection.execute(statement, storable(values))

    def executemany(self, statement: str, rows: Iterable[Values]) -> None:
        self._connection.executemany(statement, map(storable, rows))

    def lock(self, *names: str | int) -> None:
        """Nothing to do: a file is written by one program at a time."""

    def now(self) -> float:
        return time.time()


def _transaction(connection: sqlite3.Connection, work: Callable[[], T], begin: str) -> T:
    connection.execute(begin)
    try:
        result = work()
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has ended the transaction by itself after some failures.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _nothing(_: Connection) -> None:
    """Work that only opens the file."""


def _sqlite_text(raw: bytes) -> str:
    """Text of a file as it can be read: one spoilt byte must not hide a row."""
    return raw.decode("utf-8", "replace")


def _sqlite_version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _sqlite_contents(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """The tables, indexes and triggers there are, each with the SQL that makes it."""
    query = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
    return [(name, sql) for name, sql in connection.execute(query)]


def _sqlite_code(error: Exception) -> int:
    """SQLite's primary result code; its generic one for errors that are not SQLite's own."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file lies at `path` at this moment."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
