"""A database in a SQLite file, used from one thread of its own."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TypeVar

from linkdash.store.database import (
    Database,
    DatabaseRows,
    Owner,
    OwnerName,
    StoreBusy,
    StoreUnavailable,
    Values,
    Work,
    storable,
)
from linkdash.store.files import close_to_others, private_file

T = TypeVar("T")


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
    sqlite3.SQLITE_BUSY: ("another program has locked it.", "Close that program or try again."),
    sqlite3.SQLITE_LOCKED: ("another program has locked it.", "Close that program or try again."),
    sqlite3.SQLITE_READONLY: ("it may not be written.", "Check the permissions of file and folder."),
    sqlite3.SQLITE_PERM: ("it may not be opened.", "Check the permissions of file and folder."),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened.", "Check the permissions of file and folder."),
    sqlite3.SQLITE_CORRUPT: ("it is damaged.", "Move it away to start a new one."),
    sqlite3.SQLITE_NOTADB: ("it is damaged.", "Move it away to start a new one."),
}


class SqliteDatabase(Database):
    """A SQLite file in WAL mode.

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
        owner: Owner | None = None,
    ) -> Self:
        """The database in `path`, which is made (0600, its folder 0700) if missing. Returns at once.

        `schema` is one SQL statement a migration, in the order they came to be; statements are only ever
        added at its end, and `user_version` counts how many a file has had. What a `durable` database has
        written survives a loss of power; without, only the death of the process. `tidy` is work to begin with
        that may as well be done the next time. `owner` is whose all is that is asked for by its name.
        """
        database = cls(path, schema, durable=durable)
        database._begin(tidy, owner)
        return database

    # ---- in the database's thread ----

    def _do_work(self, work: Work[T], writes: bool, handed_over: float) -> T:
        """Do the work, on a new file if the old one turns out to be damaged."""
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
        """Return whether the file says that it is linkdash's; False for a new one, or one without that mark.

        Raises StoreUnavailable where it is another program's, or a newer linkdash's.
        """
        (found,) = connection.execute("PRAGMA application_id").fetchone()
        if found == _APPLICATION_ID:
            self._refuse_newer(connection)
            return True
        if found or not self._is_sound(connection):
            notice = f"{self.path} belongs to another program and is left untouched."
            self.add_notice(notice)
            raise StoreUnavailable(notice, "Move it away to let linkdash start its own.")
        return False

    def _is_sound(self, connection: sqlite3.Connection) -> bool:
        """Return whether the file holds what its version says, nothing more and nothing less."""
        with contextlib.closing(sqlite3.connect(":memory:")) as sound:
            for statement in self._schema[: _sqlite_version(connection)]:
                sound.execute(statement)
            return _sqlite_contents(connection) == _sqlite_contents(sound)

    def _refuse_newer(self, connection: sqlite3.Connection) -> None:
        if _sqlite_version(connection) > len(self._schema):
            notice = f"{self.path} was written by a newer linkdash and is left untouched."
            self.add_notice(notice)
            raise StoreUnavailable(notice, "Upgrade linkdash to use it.")

    def _migrate(self, connection: sqlite3.Connection) -> None:
        for statement in self._schema[_sqlite_version(connection) :]:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(self._schema)}")

    def _is_damage(self, error: sqlite3.DatabaseError) -> bool:
        """Return whether the file is to blame: it is broken, or what it holds is not what its version says.

        Raises StoreUnavailable where another process has brought the file to a newer version meanwhile.
        """
        if _sqlite_code(error) != sqlite3.SQLITE_ERROR:
            return _sqlite_code(error) in _DAMAGED
        with contextlib.closing(sqlite3.connect(self.path, timeout=_PATIENCE_AFTER_BUSY)) as found:
            found.execute("BEGIN")  # version and contents of one moment
            self._refuse_newer(found)
            return not self._is_sound(found)

    def _set_aside(self) -> None:
        """Rename a damaged file, with what belongs to it, unless another process has done so."""
        if self._identity == _identity(self.path):
            aside = f"{self._aside}{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
            # The main file last: a new one must never meet the write-ahead log of the old.
            for suffix in ("-wal", ""):
                part = self.path.with_name(self.path.name + suffix)
                if part.exists():
                    part.rename(self.path.with_name(aside + suffix))
            self.path.with_name(self.path.name + "-shm").unlink(missing_ok=True)
            self.add_notice(f"{self.path} was damaged: it was moved to {aside}, and a new one was started.")
            self._drop_old_damage()
        self._disconnect()

    @property
    def _aside(self) -> str:
        """Return how the names of damaged files begin; what follows sorts as time does."""
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

    def execute(self, statement: str, values: Values = ()) -> DatabaseRows:
        return self._connection.execute(statement, storable(values))

    def executemany(self, statement: str, rows: Iterable[Values]) -> None:
        self._connection.executemany(statement, map(storable, rows))

    def lock(self, *names: str | int | OwnerName) -> None:
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
    """The file at `path` at this moment."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
