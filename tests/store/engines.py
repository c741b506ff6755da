"""The databases that the tests of the store run over: a file, and a schema on a real PostgreSQL server."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from linkdash.store import postgresql as postgresql_module
from linkdash.store.database import Database
from linkdash.store.postgresql import PostgresqlDatabase, TeamConnection
from linkdash.store.sqlite import SqliteDatabase
from linkdash.store.team_address import Address
from tests.postgres import PostgresServer

# A machine under load must not look like a server that is gone.
postgresql_module._PATIENCE = TeamConnection.patience = 60.0


@dataclass(frozen=True)
class Engine:
    """A database; each opening of it is as another program's."""

    place: str
    """A path, or a `postgresql://` address with the name of a schema behind `#`."""

    @classmethod
    def in_file(cls, path: Path) -> "Engine":
        return cls(str(path))

    @classmethod
    def on_server(cls, server: PostgresServer) -> "Engine":
        return cls(server.url(server.new_database()))

    @property
    def is_file(self) -> bool:
        return not self.place.startswith("postgresql:")

    def open(self, schema: Sequence[str]) -> Database:
        if self.is_file:
            return SqliteDatabase.open(Path(self.place), schema, durable=True)
        return PostgresqlDatabase.open(Address.read(self.place), "tests", schema)
