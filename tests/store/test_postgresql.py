"""A team's database: every refusal is one clear line, no secret is told, and nobody waits for the dead."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest
from psycopg import errors

from linkdash.store import postgresql as postgresql_module
from linkdash.store.database import DatabaseConnection, StoreAway, StoreUnavailable
from linkdash.store.postgresql import PostgresqlDatabase, TeamConnection
from linkdash.store.team_address import Address
from tests.postgres import PASSWORD, PostgresServer

NOTES = ("CREATE TABLE notes (text TEXT NOT NULL)",)
INSERT = "INSERT INTO notes VALUES (?)"


@pytest.fixture
def address(postgresql: PostgresServer) -> Address:
    """The address of an empty database."""
    return Address.read(postgresql.url(postgresql.new_database()))


@pytest.fixture
async def database(address: Address) -> AsyncIterator[PostgresqlDatabase]:
    async with opened(address) as database:
        yield database


def opened(address: Address, schema: tuple[str, ...] = NOTES) -> PostgresqlDatabase:
    return PostgresqlDatabase.open(address, "notes", schema)


async def texts(database: PostgresqlDatabase) -> list[str]:
    return [row["text"] for row in await database.select("SELECT text FROM notes ORDER BY text")]


async def refusal(address: Address) -> str:
    """The one line that is said where a database cannot be used, without what it begins and ends with."""
    async with opened(address) as database:
        with pytest.raises(StoreUnavailable) as caught:
            await texts(database)
        assert "\n" not in str(caught.value)
        assert PASSWORD not in f"{caught.value} {caught.value!r} {database.notices}"
        assert database.failure is caught.value
    return caught.value.what.partition(": ")[2]


# ---- refusals ----


@pytest.mark.parametrize(
    ("user", "password", "query", "said"),
    [
        ("plain", "wrong", "", "its password is wrong."),
        ("plain", None, "", "it asks for a password."),
        ("nobody", PASSWORD, "?sslmode=disable", "it takes TLS connections only."),
        ("plain", PASSWORD, "?sslmode=require", "it does not support TLS."),
        ("plain", PASSWORD, "", "this user has no rights there."),
        ("tlsonly", PASSWORD, "?sslmode=disable", "it takes TLS connections only."),
    ],
)
async def test_a_refusal_over_the_network_is_one_clear_line(
    postgresql: PostgresServer, user: str, password: str | None, query: str, said: str
) -> None:
    assert await refusal(Address.read(postgresql.tcp_url(user, query=query), password)) == said


async def test_what_is_not_there_is_told(postgresql: PostgresServer) -> None:
    nowhere = Address.read(postgresql.url("nowhere"))
    assert await refusal(nowhere) == "there is no such database."
    stranger = Address.read(postgresql.url().replace("postgres@", "stranger@"))
    assert await refusal(stranger) == "unknown user."
    with postgresql.connect() as session:
        session.execute("CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
    crowded = Address.read(postgresql.url().replace("postgres@", "crowded@"))
    assert await refusal(crowded) == "it has no connection left for this user."
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        closed = Address.read(f"postgresql://me@127.0.0.1:{taken.getsockname()[1]}/linkdash")
        assert await refusal(closed) == "it cannot be reached."


async def test_a_server_that_is_too_old_is_told(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql_module, "_OLDEST", 99)
    said = await refusal(address)
    assert said.startswith("it is PostgreSQL ")


async def test_another_programs_schema_is_left_untouched(postgresql: PostgresServer) -> None:
    name = postgresql.new_database()
    with postgresql.connect(name) as session:
        session.execute("CREATE SCHEMA linkdash")
        session.execute("CREATE TABLE linkdash.bookmarks (url TEXT)")
    said = await refusal(Address.read(postgresql.url(name)))
    assert said == "its schema linkdash belongs to another program."
    with postgresql.connect(name) as session:
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'linkdash'"
        assert session.execute(query).fetchall() == [("bookmarks",)]


async def test_a_newer_schema_is_left_untouched(database: PostgresqlDatabase, address: Address) -> None:
    await database.execute(INSERT, ("precious",))
    async with opened(address, (*NOTES, "ALTER TABLE notes RENAME TO papers")) as newer:
        assert len(await newer.select("SELECT text FROM papers")) == 1
    async with opened(address) as older:
        with pytest.raises(StoreUnavailable, match="newer linkdash and is left untouched"):
            await older.execute(INSERT, ("more",))
        assert len(older.notices) == 1
    with pytest.raises(StoreUnavailable, match="tables are not those of linkdash"):
        await texts(database)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://me@[db/linkdash", "malformed"),
        ("postgresql://me@db.example.org/linkdash?nonsense=1", "malformed"),
        ("postgresql://me@db.example.org/linkdash?sslmode=disable", "would not protect"),
        ("postgresql://me@db.example.org/linkdash?sslmode=prefer", "would not protect"),
        ("postgresql://me@192.0.2.7/linkdash?sslmode=require", "would not protect"),
        ("postgresql://me@localhost/linkdash?hostaddr=192.0.2.7&sslmode=disable", "would not protect"),
        ("postgresql://me@/linkdash?host=/tmp,db.example.org&sslmode=disable", "would not protect"),
        ("postgresql:///linkdash?service=elsewhere&sslmode=disable", "would not protect"),
    ],
)
def test_an_address_that_cannot_be_used_safely_is_refused(address: str, said: str) -> None:
    with pytest.raises(StoreUnavailable, match=said):
        Address.read(address, PASSWORD)


@pytest.mark.parametrize(
    ("address", "mode"),
    [
        ("postgresql://me@db.example.org/linkdash", "sslmode=verify-full"),
        (
            "postgresql://me@db.example.org/linkdash?sslmode=verify-ca&sslrootcert=/ca.pem",
            "sslmode=verify-ca",
        ),
        ("postgresql://me@localhost/linkdash", ""),
        ("postgresql://me@127.0.0.2/linkdash", ""),
        ("postgresql://me@/linkdash?host=/run/postgresql", ""),
    ],
)
def test_nothing_goes_over_a_network_without_a_verified_certificate(address: str, mode: str) -> None:
    read = Address.read(address, PASSWORD)
    assert mode in read.conninfo
    assert ("sslmode" in read.conninfo) is bool(mode)
    assert PASSWORD in read.conninfo
    assert PASSWORD not in repr(read)


@pytest.mark.parametrize(
    ("name", "value"), [("PGHOST", "db.example.org"), ("PGHOSTADDR", "192.0.2.7"), ("PGSERVICE", "elsewhere")]
)
def test_an_address_that_the_environment_completes_is_not_taken_for_a_local_one(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert "sslmode=verify-full" in Address.read("postgresql:///linkdash").conninfo


# ---- migrations ----


async def test_several_programs_make_the_tables_at_once(address: Address) -> None:
    databases = [opened(address) for _ in range(4)]
    await asyncio.gather(*(each.execute(INSERT, (str(n),)) for n, each in enumerate(databases)))
    assert await texts(databases[0]) == ["0", "1", "2", "3"]
    for each in databases:
        await each.close()


async def test_older_tables_are_brought_up_to_date_and_a_failure_changes_nothing(
    database: PostgresqlDatabase, address: Address
) -> None:
    await database.execute(INSERT, ("old",))
    stars = "ALTER TABLE notes ADD COLUMN stars INTEGER DEFAULT 3"
    async with opened(address, (*NOTES, stars, "no SQL")) as broken:
        with pytest.raises(StoreUnavailable, match="syntax error"):
            await texts(broken)
    assert await texts(database) == ["old"]
    async with opened(address, (*NOTES, stars)) as newer:
        (row,) = await newer.select("SELECT text, stars FROM notes")
        assert (row["text"], row["stars"]) == ("old", 3)


async def test_a_migration_may_take_long(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TeamConnection, "patience", 0.1)
    async with opened(address, (*NOTES, "SELECT pg_sleep(0.5)")) as database:
        assert await texts(database) == []


# ---- work ----


async def test_work_that_fails_leaves_nothing_behind(database: PostgresqlDatabase) -> None:
    def fail(connection: DatabaseConnection) -> None:
        connection.execute(INSERT, ("half",))
        raise KeyError("broken")

    with pytest.raises(KeyError):
        await database.run(fail)
    await database.execute(INSERT, ("100 % \0 \ud800",))
    assert await texts(database) == ["100 % \ufffd ?"]


async def test_what_only_reads_cannot_write(database: PostgresqlDatabase) -> None:
    with pytest.raises(StoreUnavailable, match="can only be read"):
        await database.read(lambda connection: connection.execute(INSERT, ("sly",)))
    assert await texts(database) == []


async def test_those_who_lock_the_same_names_wait_for_one_another(address: Address) -> None:
    """Each adds one to what it has read: without waiting, additions would be lost."""

    def add(connection: DatabaseConnection) -> None:
        connection.lock("notes", 7)
        row = connection.execute("SELECT count(*) AS number FROM notes").fetchone()
        assert row is not None
        connection.execute(INSERT, (f"{row['number']:03}",))

    databases = [opened(address) for _ in range(3)]
    await asyncio.gather(*(each.run(add) for each in databases for _ in range(10)))
    assert await texts(databases[0]) == [f"{number:03}" for number in range(30)]
    for each in databases:
        await each.close()


# ---- away ----


async def test_a_connection_that_was_cut_is_made_anew(postgresql: PostgresServer, address: Address) -> None:
    async with opened(address) as database:
        await database.execute(INSERT, ("before",))
        postgresql.cut()
        await database.execute(INSERT, ("after",))
        assert await texts(database) == ["after", "before"]
        assert database.failure is None


async def test_a_server_that_stands_still_is_given_up_once_and_used_when_it_goes_on(
    postgresql: PostgresServer, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_module, "_PAUSE", 0.0)
    monkeypatch.setattr(TeamConnection, "patience", 3.0)  # which a connection is made with
    async with opened(address) as database:
        await database.execute(INSERT, ("before",))
        with postgresql.paused(), monkeypatch.context() as impatient:
            impatient.setattr(TeamConnection, "patience", 0.1)
            impatient.setattr(postgresql_module, "_PATIENCE", 0.01)
            for _ in range(5):
                with pytest.raises(StoreAway, match=r"does not answer|lost"):
                    await database.execute(INSERT, ("lost",))
        while True:
            try:
                await database.execute(INSERT, ("after",))
                break
            except StoreAway:
                await asyncio.sleep(0.01)
        assert await texts(database) == ["after", "before"]


@pytest.mark.nightly
async def test_a_server_that_was_killed_is_told_at_once_and_used_when_it_is_back(
    postgresql: PostgresServer, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(address) as database:
        await database.execute(INSERT, ("before",))
        postgresql.kill()
        with pytest.raises(StoreAway):
            await texts(database)
        begun = time.monotonic()
        for _ in range(20):
            with pytest.raises(StoreAway, match="cannot be reached"):
                await texts(database)
        assert time.monotonic() - begun < postgresql_module._PAUSE, "it is not asked again and again"
        postgresql.start()
        monkeypatch.setattr(postgresql_module, "_PAUSE", 0.0)
        database._next_attempt = 0.0
        assert await texts(database) == ["before"]
        assert database.failure is None


# ---- who has no team ----


def test_a_store_in_files_needs_no_driver() -> None:
    script = "import sys, linkdash.store.store, linkdash.store.sqlite; print('psycopg' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


async def test_work_that_is_done_again_leaves_no_failure(database: PostgresqlDatabase) -> None:
    def clash(_: DatabaseConnection) -> None:
        raise errors.DeadlockDetected

    with pytest.raises(StoreAway):
        await database.run(clash)
    assert await texts(database) == []
    assert database.failure is None
