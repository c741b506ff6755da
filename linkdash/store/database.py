"""A database of any kind, owned by one thread, so that no query ever holds the event loop."""

import asyncio
import contextlib
import json
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol, Self, TypeAlias, TypeVar

from linkdash.api.errors import LinkdashError
from linkdash.api.http.secrecy import masked

# ---- any database ----

T = TypeVar("T")


class OwnerName:
    """The name of an owner at the moment when a statement runs."""

    def __init__(self, owner: "Owner", ending: str = "") -> None:
        self._owner, self._ending = owner, ending

    def __str__(self) -> str:
        return f"{self._owner.current}{self._ending}"

    def __add__(self, ending: str) -> "OwnerName":
        return OwnerName(self._owner, self._ending + ending)


Value: TypeAlias = str | int | bytes | OwnerName | None
Values: TypeAlias = Sequence[Value]
Profile: TypeAlias = str | OwnerName
"""The name under which something is kept."""

SPOILT = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError, zlib.error)
"""The exceptions that reading a spoilt value raises."""


class StoreUnavailable(LinkdashError):
    """The store cannot be read or written now; nothing was stored, and the program goes on without it."""


class StoreBusy(StoreUnavailable):
    """Another program holds the file; nothing was stored, and the next try may succeed."""


class StoreAway(StoreUnavailable):
    """The database of the team cannot be reached; whether the last thing was stored may not be known."""


class DatabaseRow(Protocol):
    """A row of an answer, its values by column."""

    def __getitem__(self, column: str, /) -> Any:  # as the engines have it: a value of any kind
        ...


class DatabaseRows(Protocol):
    """The rows that a statement has answered."""

    @property
    def rowcount(self) -> int:
        """Return how many rows it has changed."""
        ...

    def fetchone(self) -> DatabaseRow | None:
        """The next row."""
        ...

    def fetchall(self) -> Sequence[DatabaseRow]:
        """All rows that are left."""
        ...

    def __iter__(self) -> Iterator[DatabaseRow]:
        """The rows that are left, one after the other."""
        ...


class DatabaseConnection(Protocol):
    """The statements of one piece of work, in SQL that both engines read, `?` for each value."""

    def execute(self, statement: str, values: Values = ()) -> DatabaseRows:
        """Run one statement."""
        ...

    def executemany(self, statement: str, rows: Iterable[Values]) -> None:
        """Run one statement for each of the rows."""
        ...

    def lock(self, *names: str | int | OwnerName) -> None:
        """Keep every other program that locks the same names waiting until this transaction has ended."""
        ...

    def now(self) -> float:
        """Seconds since 1970 by the clock that all programs share which use this database."""
        ...


Work: TypeAlias = Callable[[DatabaseConnection], T]


class KnownAccount:
    """The account of a key, as soon as a database or the service has told it."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name


TakeOver: TypeAlias = Callable[[DatabaseConnection, str, str], object]
"""Gives all that is kept for one owner to another."""


class Owner:
    """The owner of what one database keeps for a key.

    Which account a key is of is kept in the same database, and what was kept for the key becomes the
    account's in the same transaction: no program ever sees, or writes, something between.
    """

    def __init__(self, key: str, account: KnownAccount, accounts: str, take_over: TakeOver) -> None:
        self.key = key
        self.account = account
        self._accounts = accounts
        self._take_over = take_over
        self._current = key
        self._settled: str | None = None

    @property
    def name(self) -> OwnerName:
        """The name under which things are kept, as it is when a statement runs."""
        return OwnerName(self)

    @property
    def current(self) -> str:
        """The name in the transaction that runs."""
        return self._current

    @property
    def is_settled(self) -> bool:
        """Return whether the database is known to keep all under the account's name."""
        return self._settled is not None and self._settled == self.account.name

    def settle(self, connection: DatabaseConnection, *, writes: bool) -> None:
        """Find the name, as the first part of a transaction; one that writes makes it the account's."""
        if writes:
            connection.lock("account", self.key)
        row = connection.execute(
            f"SELECT account FROM {self._accounts} WHERE profile = ?", (self.key,)
        ).fetchone()
        kept = None if row is None else str(row["account"])
        account = self.account.name = self.account.name or kept
        if writes and account is not None and account != kept:
            self._take_over(connection, self.key, account)
            upsert = "ON CONFLICT (profile) DO UPDATE SET account = excluded.account"
            connection.execute(f"INSERT INTO {self._accounts} VALUES (?, ?) {upsert}", (self.key, account))
            kept = account
        self._current = kept or self.key

    def committed(self) -> None:
        """The transaction that began with `settle` is over, and all of it is kept."""
        if self._current != self.key:
            self._settled = self._current


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
        self._owner: Owner | None = None

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what the user should know of the database, a sentence each."""
        return tuple(self._notices)

    async def run(self, work: Work[T]) -> T:
        """The result of `work`, done in one write transaction: wholly, or not at all if it raises.

        What was handed over is done even if the caller is cancelled meanwhile. Raises StoreUnavailable.
        """
        return await _result(self._submit(work, writes=True))

    async def run_or_revoke(self, work: Work[T], revoke: Callable[[DatabaseConnection, T], object]) -> T:
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

    async def settle(self) -> None:
        """Give what is kept for the key to its account, unless it has it. Raises StoreUnavailable."""
        if self._owner is None or not self._owner.is_settled:
            await self.run(_nothing)

    async def execute(self, statement: str, values: Values = ()) -> int:
        """Run one statement that changes rows and return how many. Raises StoreUnavailable."""
        return await self.run(lambda connection: connection.execute(statement, values).rowcount)

    async def select(self, query: str, values: Values = ()) -> Sequence[DatabaseRow]:
        """The rows of one query. Raises StoreUnavailable."""
        return await self.read(lambda connection: connection.execute(query, values).fetchall())

    def decoded(self, rows: Iterable[DatabaseRow], decode: Callable[[DatabaseRow], T], what: str) -> list[T]:
        """Return what `decode` makes of each row; unreadable ones are left out, and a notice names `what`."""
        found = []
        for row in rows:
            try:
                found.append(decode(row))
            except SPOILT:
                self.add_notice(f"{self.name}: some {what} cannot be read and are left out.")
        return found

    async def close(self) -> None:
        """End the thread after what was handed over before. The database cannot be used afterwards."""
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
        return self._thread.submit(self._do_owned, work, writes, time.monotonic())

    def _do_owned(self, work: Work[T], writes: bool, handed_over: float) -> T:
        """Do the work, in whose transaction the name is found, or settled, under which all is kept."""
        owner = self._owner
        if owner is None or owner.is_settled:
            return self._do_work(work, writes, handed_over)

        def settle_and_do(connection: DatabaseConnection, *, settles: bool) -> T:
            owner.settle(connection, writes=settles)
            return work(connection)

        if owner.account.name is not None and not writes:
            with contextlib.suppress(StoreUnavailable):  # what cannot be written may still be read
                return self._committed(owner, partial(settle_and_do, settles=True), True, handed_over)
        return self._committed(owner, partial(settle_and_do, settles=writes), writes, handed_over)

    def _committed(self, owner: Owner, work: Work[T], writes: bool, handed_over: float) -> T:
        result = self._do_work(work, writes, handed_over)
        owner.committed()
        return result

    def _begin(self, tidy: Work[object] | None, owner: Owner | None) -> None:
        """Open it beside everything else, and do the first work. A failure meets the next piece of work.

        `owner` is whose all is that is asked for by its name.
        """
        self._owner = owner
        self._submit(tidy or _nothing, writes=tidy is not None)

    def add_notice(self, text: str) -> None:
        """Tell the user something of the database, once."""
        if text not in self._notices:
            self._notices.append(text)

    # ---- what an engine does, in the database's thread ----

    @abstractmethod
    def _do_work(self, work: Work[T], writes: bool, handed_over: float) -> T:
        """Do the work in a transaction, which may write or only reads. Raises StoreUnavailable.

        `handed_over` is when it was asked for, on the monotonic clock.
        """

    @abstractmethod
    def _disconnect(self) -> None:
        """Close what was opened."""


async def _result(done: Future[T]) -> T:
    """Return the result of the database's thread; a caller who stops waiting for it stops nothing."""
    result = asyncio.wrap_future(done)
    result.add_done_callback(_take_note)
    return await asyncio.shield(result)


def _nothing(_: DatabaseConnection) -> None:
    """Work that only opens the database."""


def _take_note(result: asyncio.Future[T]) -> None:
    """Whoever waited may have left: an error is then no one's, where asyncio would take it for forgotten."""
    if not result.cancelled():
        result.exception()


def returned_id(rows: DatabaseRows) -> int:
    """The id that `INSERT … RETURNING id` has answered."""
    row = rows.fetchone()
    if row is None:
        raise StoreUnavailable("The store gave no id.")
    return int(row["id"])


# ---- how values stand in a database ----


def storable(values: Values) -> Values:
    """The values with what no database takes in a text, NUL and halves of characters, made visible."""
    return [storable_text(str(value)) if isinstance(value, str | OwnerName) else value for value in values]


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
    """The moment that `stored_moment` wrote, in UTC. Raises what a spoilt value raises."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a moment without a zone")
    return moment_of(moment.timestamp())


def moment_of(seconds: float) -> datetime:
    """The moment so many seconds after 1970 began, in UTC. Raises what a spoilt value raises."""
    if not 0 <= seconds < _LATEST:
        raise ValueError("a moment in no year that every clock can tell")
    return datetime.fromtimestamp(seconds, UTC)


_LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def utc_now() -> datetime:
    """This moment by the machine's clock."""
    return datetime.now(UTC)
