"""The tables of a database that belong to owners, and how one owner takes over from another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from linkdash.store.database import DatabaseConnection, KnownAccount, Owner, TakeOver


class OwnedTable(NamedTuple):
    """A table of which each row belongs to somebody."""

    name: str
    same: Sequence[str] = ()
    """The columns in which no two rows of one owner are the same."""
    newest: str = ""
    """The column that tells which of two such rows stays; without one, that of the account."""
    endings: Sequence[str] = ("",)
    """What owners end with in it."""


@dataclass(frozen=True, slots=True)
class Belongings:
    """The tables of a database that belong to owners."""

    accounts: str
    """The name of the table that says which account a key is of."""
    tables: Sequence[OwnedTable]
    first: TakeOver | None = None
    """What is taken over before the tables are."""

    @property
    def schema(self) -> tuple[str, ...]:
        return (f"CREATE TABLE {self.accounts} (profile TEXT PRIMARY KEY, account TEXT NOT NULL)",)

    def owner(self, key: str, account: KnownAccount) -> Owner:
        """The owner of what the database keeps for a key."""
        return Owner(key, account, self.accounts, self.take_over)

    def take_over(self, connection: DatabaseConnection, old: str, new: str) -> None:
        """Give all that is kept for `old` to `new`; what both have stays once."""
        if self.first is not None:
            self.first(connection, old, new)
        for table in self.tables:
            for ending in table.endings:
                _take_over(connection, table, old + ending, new + ending)


def _take_over(connection: DatabaseConnection, table: OwnedTable, old: str, new: str) -> None:
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
