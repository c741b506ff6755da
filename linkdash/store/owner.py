"""Whose what is kept is: a key's until its account is known, and the account's from then on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from linkdash.store.database import DatabaseConnection


class Account:
    """The account of a key, as soon as a database or the service has told it."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name


class Table(NamedTuple):
    """A table of which each row belongs to somebody."""

    name: str
    same: Sequence[str] = ()
    """The columns in which no two rows of one owner are the same."""
    newest: str = ""
    """The column that tells which of two such rows stays; without one, that of the account."""
    endings: Sequence[str] = ("",)
    """What owners end with in it."""


TakeOver = Callable[["DatabaseConnection", str, str], None]
"""Gives what one owner has to another, where that needs more than a name."""


@dataclass(frozen=True, slots=True)
class Belongings:
    """What a database keeps for its owners."""

    accounts: str
    """The name of the table that says which account a key is of."""
    tables: Sequence[Table]
    first: TakeOver | None = None
    """What is taken over before the tables are."""

    @property
    def schema(self) -> tuple[str, ...]:
        return (f"CREATE TABLE {self.accounts} (profile TEXT PRIMARY KEY, account TEXT NOT NULL)",)

    def take_over(self, connection: "DatabaseConnection", old: str, new: str) -> None:
        """Give all that is kept for `old` to `new`; what both have stays once."""
        if self.first is not None:
            self.first(connection, old, new)
        for table in self.tables:
            for ending in table.endings:
                _take_over(connection, table, old + ending, new + ending)


def _take_over(connection: "DatabaseConnection", table: Table, old: str, new: str) -> None:
    name = table.name
    if table.same:
        same = " AND ".join(f"other.{column} = {name}.{column}" for column in table.same)
        is_double = f"EXISTS (SELECT 1 FROM {name} AS other WHERE other.profile = ? AND {same}"
        if table.newest:
            is_newer = f"AND other.{table.newest} > {name}.{table.newest}"
            connection.execute(
                f"DELETE FROM {name} WHERE profile = ? AND {is_double} {is_newer})", (new, old)
            )
        connection.execute(f"DELETE FROM {name} WHERE profile = ? AND {is_double})", (old, new))
    connection.execute(f"UPDATE {name} SET profile = ? WHERE profile = ?", (new, old))


class Owner:
    """The owner of what one database keeps for a key.

    Which account a key is of is kept in the same database, and what was kept for the key becomes the
    account's in the same transaction: no program ever sees, or writes, something between.
    """

    def __init__(self, key: str, account: Account, belongings: Belongings) -> None:
        self.key = key
        self.account = account
        self._belongings = belongings
        self._current = key
        self._settled: str | None = None

    @property
    def name(self) -> "OwnerName":
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

    def settle(self, connection: "DatabaseConnection", *, writes: bool) -> None:
        """Find the name, as the first part of a transaction; one that writes makes it the account's."""
        if writes:
            connection.lock("account", self.key)
        table = self._belongings.accounts
        row = connection.execute(f"SELECT account FROM {table} WHERE profile = ?", (self.key,)).fetchone()
        kept = None if row is None else str(row["account"])
        account = self.account.name = self.account.name or kept
        if writes and account is not None and account != kept:
            self._belongings.take_over(connection, self.key, account)
            upsert = "ON CONFLICT (profile) DO UPDATE SET account = excluded.account"
            connection.execute(f"INSERT INTO {table} VALUES (?, ?) {upsert}", (self.key, account))
            kept = account
        self._current = kept or self.key

    def committed(self) -> None:
        """The transaction that began with `settle` is over, and all of it is kept."""
        if self._current != self.key:
            self._settled = self._current


class OwnerName:
    """The name of an owner at the moment when a statement runs."""

    def __init__(self, owner: Owner, ending: str = "") -> None:
        self._owner, self._ending = owner, ending

    def __str__(self) -> str:
        return f"{self._owner.current}{self._ending}"

    def __add__(self, ending: str) -> "OwnerName":
        return OwnerName(self._owner, self._ending + ending)
