"""The database: off the loop, whole or not at all, and alive on a bad day."""
# ruff: noqa: ASYNC220, ASYNC221, ASYNC240  (nothing else runs in the loops of these tests)

import asyncio
import contextlib
import gc
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkdash.api.http.secrecy import MASK
from linkdash.store import sqlite as database_module
from linkdash.store.database import (
    Database,
    DatabaseConnection,
    StoreBusy,
    StoreUnavailable,
    read_moment,
    stored_json,
    stored_moment,
)
from linkdash.store.sqlite import SqliteDatabase
from tests import prestarted
from tests.store.held import Held, cancel

NOTES = ("CREATE TABLE notes (text TEXT NOT NULL)",)
INSERT = "INSERT INTO notes VALUES (?)"
OURS = "PRAGMA application_id = 0x6C6E6B64"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "linkdash" / "notes.db"


async def texts(database: Database) -> list[str]:
    return [row["text"] for row in await database.select("SELECT text FROM notes ORDER BY rowid")]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_keeps_what_was_written(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        assert await database.execute(INSERT, ("one",)) == 1
    async with SqliteDatabase.open(path, NOTES) as database:
        assert await texts(database) == ["one"]
        assert database.notices == ()


async def test_the_loop_runs_while_the_database_works(path: Path) -> None:
    """The work ends only when the loop, which must be free for it, says so."""
    released = threading.Event()
    async with SqliteDatabase.open(path, NOTES) as database:
        work = asyncio.ensure_future(database.run(lambda _: released.wait(timeout=10)))
        await asyncio.sleep(0)
        released.set()
        assert await work is True


async def test_work_that_fails_leaves_nothing_behind(path: Path) -> None:
    def fail(connection: DatabaseConnection) -> None:
        connection.execute(INSERT, ("half",))
        raise KeyError("broken")

    async with SqliteDatabase.open(path, NOTES) as database:
        with pytest.raises(KeyError):
            await database.run(fail)
        await database.execute(INSERT, ("whole",))
        assert await texts(database) == ["whole"]


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("SELECT nothing FROM nowhere", ()),
        (INSERT, (2**63,)),
        (INSERT, (None,)),
        (INSERT, ("one", "too many")),
    ],
)
async def test_what_cannot_be_done_is_told_and_the_file_is_not_blamed(
    path: Path, statement: str, values: tuple[str | int | None, ...]
) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("kept",))
        with pytest.raises(StoreUnavailable, match=r"notes\.db: it cannot do this: "):
            await database.execute(statement, values)
        assert await texts(database) == ["kept"]
        assert database.notices == ()


async def test_what_was_handed_over_is_done_although_the_caller_is_cancelled(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        async with Held(database):
            await cancel(asyncio.create_task(database.execute(INSERT, ("kept",))))
        assert await texts(database) == ["kept"]


async def test_an_error_for_a_caller_who_was_cancelled_is_no_fault_of_the_program(path: Path) -> None:
    def fail(_: DatabaseConnection) -> None:
        raise StoreUnavailable("It failed.")

    unheard: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context["message"]))
    async with SqliteDatabase.open(path, NOTES) as database:
        async with Held(database):
            for waiting in (database.read(fail), database.run(fail), database.run_or_revoke(fail, print)):
                await cancel(asyncio.ensure_future(waiting))
        assert await texts(database) == []
    gc.collect()
    assert unheard == []


async def test_revocable_work_is_taken_back_when_the_caller_is_cancelled(path: Path) -> None:
    def insert(connection: DatabaseConnection) -> str:
        connection.execute(INSERT, ("revoked",))
        return "revoked"

    def delete(connection: DatabaseConnection, text: str) -> None:
        connection.execute("DELETE FROM notes WHERE text = ?", (text,))

    async with SqliteDatabase.open(path, NOTES) as database:
        async with Held(database):
            await cancel(asyncio.create_task(database.run_or_revoke(insert, delete)))
        assert await texts(database) == []
        assert await database.run_or_revoke(insert, delete) == "revoked"
        assert await texts(database) == ["revoked"]


async def test_a_closed_database_says_so(path: Path) -> None:
    database = SqliteDatabase.open(path, NOTES)
    await database.close()
    await database.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await texts(database)


# ---- who may read it ----


async def test_is_made_for_its_owner_only(tmp_path: Path) -> None:
    """So are the folders made on the way to it."""
    path = tmp_path / "state" / "linkdash" / "notes.db"
    before = os.umask(0)
    try:
        async with SqliteDatabase.open(path, NOTES) as database:
            await database.execute(INSERT, ("one",))
            files = sorted(path.parent.iterdir())
    finally:
        os.umask(before)
    assert {mode(folder) for folder in (path.parent, path.parent.parent)} == {0o700}
    assert [file.name for file in files] == ["notes.db", "notes.db-shm", "notes.db-wal"]
    assert mode(path) == 0o600


async def test_is_closed_again_to_others_if_it_was_open(path: Path) -> None:
    path.parent.mkdir(mode=0o755)
    path.touch(mode=0o644)
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("one",))
        assert mode(path) == 0o600
        assert mode(path.parent) == 0o700
        assert mode(path.with_name("notes.db-wal")) == 0o600


# ---- versions ----


async def test_an_older_file_is_brought_up_to_date(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("old",))
    newer = (*NOTES, "ALTER TABLE notes ADD COLUMN stars INTEGER NOT NULL DEFAULT 3")
    async with SqliteDatabase.open(path, newer) as database:
        rows = await database.select("SELECT text, stars FROM notes")
        assert [(row["text"], row["stars"]) for row in rows] == [("old", 3)]


async def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    async with SqliteDatabase.open(
        path, (*NOTES, "ALTER TABLE notes ADD COLUMN stars INTEGER", "no SQL")
    ) as database:
        with pytest.raises(StoreUnavailable, match="syntax error"):
            await texts(database)
        assert database.notices == ()
    async with SqliteDatabase.open(path, NOTES) as database:
        assert await texts(database) == []


async def test_a_file_of_a_newer_version_is_left_untouched(path: Path) -> None:
    async with SqliteDatabase.open(path, (*NOTES, "CREATE TABLE later (x)")) as database:
        await database.execute(INSERT, ("precious",))
    before = path.read_bytes()
    async with SqliteDatabase.open(path, NOTES) as database:
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="newer linkdash"):
                await database.execute(INSERT, ("more",))
        assert [str(path) in notice for notice in database.notices] == [True]
    assert path.read_bytes() == before


async def test_a_file_that_a_newer_version_changes_meanwhile_is_left_untouched(path: Path) -> None:
    newer = (*NOTES, "ALTER TABLE notes RENAME TO papers")
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("precious",))
        async with SqliteDatabase.open(path, newer) as upgraded:
            assert await upgraded.select("SELECT text FROM papers")
        with pytest.raises(StoreUnavailable, match="newer linkdash"):
            await texts(database)
        assert set_aside(path) == []


# ---- whose it is ----


def programs_own(path: Path, script: str) -> bytes:
    """Make a database as another program might, and return its bytes."""
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path.read_bytes()


@pytest.mark.parametrize(
    "script",
    [
        "PRAGMA application_id = 7",
        "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('https://example.org')",
        "CREATE TABLE notes (url TEXT); PRAGMA user_version = 1",
        f"{NOTES[0]}; CREATE TABLE more (x); PRAGMA user_version = 1",
    ],
)
async def test_a_database_of_another_program_is_left_untouched(path: Path, script: str) -> None:
    before = programs_own(path, script)
    async with SqliteDatabase.open(path, NOTES) as database:
        for _ in range(2):
            with pytest.raises(
                StoreUnavailable, match=r"another program and is left untouched\. Move it away"
            ):
                await database.execute(INSERT, ("mine",))
        assert database.notices == (f"{path} belongs to another program and is left untouched.",)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["notes.db"]


async def test_a_file_from_before_the_mark_is_ours_and_is_marked(path: Path) -> None:
    programs_own(path, f"{NOTES[0]}; INSERT INTO notes VALUES ('old'); PRAGMA user_version = 1")
    async with SqliteDatabase.open(path, NOTES) as database:
        assert await texts(database) == ["old"]
        (row,) = await database.select("PRAGMA application_id")
        assert row["application_id"] == 0x6C6E6B64


@pytest.mark.skipif(sys.platform == "win32", reason="links are POSIX")
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("link", [os.symlink, os.link])
async def test_a_link_is_not_followed(
    path: Path, tmp_path: Path, suffix: str, link: Callable[[Path, Path], None]
) -> None:
    target = tmp_path / "precious"
    target.write_text("of another program")
    target.chmod(0o644)
    path.parent.mkdir()
    link(target, path.with_name(path.name + suffix))
    async with SqliteDatabase.open(path, NOTES) as database:
        with pytest.raises(StoreUnavailable, match="link"):
            await database.execute(INSERT, ("mine",))
    assert (target.read_text(), mode(target)) == ("of another program", 0o644)


# ---- how sure it is ----


@pytest.mark.parametrize(("durable", "synchronous"), [(True, 2), (False, 1)])
async def test_what_is_durable_is_on_the_disk_before_it_is_told(
    path: Path, synchronous: int, *, durable: bool
) -> None:
    """2, FULL: the log is synced with every transaction; 1, NORMAL: a loss of power may take the last."""
    async with SqliteDatabase.open(path, NOTES, durable=durable) as database:
        for statement, value in (("synchronous", synchronous), ("fullfsync", int(durable))):
            (row,) = await database.select(f"PRAGMA {statement}")
            assert row[statement] == value
        (journal,) = await database.select("PRAGMA journal_mode")
        assert journal["journal_mode"] == "wal"


# ---- held by another program ----


@contextlib.contextmanager
def held(path: Path, locking: str) -> Iterator[None]:
    """The file in another program's hands: for writing, or, `EXCLUSIVE`, for reading too."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute(f"PRAGMA locking_mode = {locking}")
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute(INSERT, ("held",))
        yield
        holder.execute("ROLLBACK")


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_file_held_by_another_program_is_told_in_time_and_used_when_it_is_free(
    path: Path, *, is_open: bool
) -> None:
    """However much waits behind it: each piece of work counts from when it was handed over."""
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("before",))
    opened = [SqliteDatabase.open(path, NOTES)] if is_open else []
    for database in opened:
        assert await texts(database) == ["before"]
    with held(path, "NORMAL" if is_open else "EXCLUSIVE"):
        (database,) = opened or [SqliteDatabase.open(path, NOTES)]
        begun = time.monotonic()
        works = [database.execute(INSERT, (str(number),)) for number in range(8)]
        results = await asyncio.gather(*works, return_exceptions=True)
        took = time.monotonic() - begun
        assert {type(result) for result in results} == {StoreBusy}
        assert str(results[0]) == "notes.db: another program has locked it. Close that program or try again."
        assert took < 8 * database_module._PATIENCE / 2
        begun = time.monotonic()
        with pytest.raises(StoreBusy):
            await database.execute(INSERT, ("again",))
        assert time.monotonic() - begun < database_module._PATIENCE, "it is known to be held"
    await database.execute(INSERT, ("after",))
    assert await texts(database) == ["before", "after"]
    await database.close()


# ---- rows that cannot be read ----


async def test_a_row_that_cannot_be_read_is_left_out_and_told(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        for text in ("1", "one", "2"):
            await database.execute(INSERT, (text,))
        rows = await database.select("SELECT text FROM notes")
        for _ in range(2):
            assert database.decoded(rows, lambda row: int(row["text"]), "numbers") == [1, 2]
        assert database.notices == ("notes.db: some numbers cannot be read and are left out.",)


async def test_a_text_that_is_not_utf_8_hides_no_row(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute("INSERT INTO notes VALUES (CAST(X'61FF62' AS TEXT))")
        assert await texts(database) == ["a\ufffdb"]


# ---- damage ----


def set_aside(path: Path) -> list[Path]:
    """The damaged files that were kept, each perhaps with its write-ahead log beside it."""
    return [kept for kept in path.parent.glob("notes.db.corrupt-*") if not kept.name.endswith("-wal")]


def spoil(path: Path) -> None:
    """Make every page but the first unreadable, in place."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))


async def test_a_file_that_is_no_database_is_set_aside(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database at all " * 300)
    before = path.read_bytes()
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("new",))
        assert await texts(database) == ["new"]
        (aside,) = set_aside(path)
        assert aside.read_bytes() == before
        (notice,) = database.notices
        assert aside.name in notice
        assert mode(path) == 0o600


@pytest.mark.parametrize(
    "script",
    [
        "PRAGMA user_version = 1",
        "CREATE TABLE notes (text TEXT)",
        "CREATE TABLE notes (words TEXT); PRAGMA user_version = 1",
    ],
)
async def test_a_file_that_is_not_what_its_version_says_is_set_aside(path: Path, script: str) -> None:
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{OURS}; {script}")
    async with SqliteDatabase.open(path, NOTES) as database:
        assert await texts(database) == []
        await database.execute(INSERT, ("new",))
        assert await texts(database) == ["new"]
        (aside,) = set_aside(path)
        (notice,) = database.notices
        assert aside.name in notice


async def test_damage_found_while_running_is_set_aside_and_the_work_done_anew(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        for _ in range(3):
            await database.execute(INSERT, ("x" * 9000,))
    spoil(path)
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("after",))
        assert await texts(database) == ["after"]
        assert len(database.notices) == 1
        assert len(set_aside(path)) == 1


async def test_only_the_newest_of_many_damaged_files_are_kept(path: Path) -> None:
    path.parent.mkdir()
    for year in (2023, 2021, 2022, 2020):
        path.with_name(f"notes.db.corrupt-{year}").touch()
        path.with_name(f"notes.db.corrupt-{year}-wal").touch()
    path.write_bytes(b"this is no database at all " * 300)
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("new",))
    *older, newest = sorted(kept.name for kept in path.parent.glob("notes.db.corrupt-*"))
    assert older == [f"notes.db.corrupt-{name}" for name in ("2022", "2022-wal", "2023", "2023-wal")]
    assert path.with_name(newest).stat().st_size == 27 * 300


async def test_tidying_that_fails_stops_nothing(path: Path) -> None:
    def fail(connection: DatabaseConnection) -> None:
        connection.execute("DELETE FROM notes")
        connection.execute("DELETE FROM nowhere")

    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("kept",))
    async with SqliteDatabase.open(path, NOTES, tidy=fail) as database:
        assert await texts(database) == ["kept"]


async def test_two_who_find_the_same_damage_set_it_aside_once(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as writer:
        await writer.execute(INSERT, ("x" * 20_000,))
    async with SqliteDatabase.open(path, NOTES) as first, SqliteDatabase.open(path, NOTES) as second:
        assert await second.execute(INSERT, ("in the log",)) == 1
        assert await first.select("SELECT count(*) FROM notes")
        log = path.with_name("notes.db-wal").read_bytes()
        spoil(path)
        assert await texts(first) == []
        await first.execute(INSERT, ("from the first",))
        await second.execute(INSERT, ("from the second",))
        assert await texts(second) == ["from the first", "from the second"]
        (aside,) = set_aside(path)
        assert aside.with_name(aside.name + "-wal").read_bytes() == log, "the log may hold what can be saved"


async def test_damage_that_another_program_has_set_aside_meanwhile_is_not_set_aside_again(path: Path) -> None:
    """The other program is played by the work itself, between beginning and meeting the damage."""
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("x" * 20_000,))
    spoil(path)

    def meet_damage(connection: DatabaseConnection) -> list[str]:
        if not path.with_name("notes.db.corrupt-by-another").exists():
            path.rename(path.with_name("notes.db.corrupt-by-another"))
            shutil.copyfile(other, path)
        return [row["text"] for row in connection.execute("SELECT text FROM notes")]

    other = path.with_name("other.db")
    async with SqliteDatabase.open(other, NOTES) as database:
        await database.execute(INSERT, ("begun anew by another",))
    async with SqliteDatabase.open(path, NOTES) as database:
        assert await database.run(meet_damage) == ["begun anew by another"]
        assert [kept.name for kept in set_aside(path)] == ["notes.db.corrupt-by-another"]
        assert database.notices == ()


async def test_a_file_deleted_under_a_running_program_is_begun_anew(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("lost",))
        for file in path.parent.iterdir():
            file.unlink()
        await database.execute(INSERT, ("kept",))
    async with SqliteDatabase.open(path, NOTES) as database:
        assert await texts(database) == ["kept"]


# ---- no room, no right, no luck ----


async def test_a_full_disk_is_told_in_a_line_and_is_over_when_there_is_room(path: Path) -> None:
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("before",))
        await database.select("PRAGMA max_page_count = 2")
        with pytest.raises(
            StoreUnavailable, match=r"notes\.db: the disk is full\. Free some space\."
        ) as caught:
            await database.execute(INSERT, ("x" * 100_000,))
        assert "\n" not in str(caught.value)
        assert await texts(database) == ["before"]
        await database.select("PRAGMA max_page_count = 1000")
        await database.execute(INSERT, ("after",))
        assert await texts(database) == ["before", "after"]


FILE_SIZE_LIMIT = """
import asyncio, resource, sys
from pathlib import Path
from linkdash.store.database import StoreUnavailable
from linkdash.store.sqlite import SqliteDatabase

async def main():
    path = Path(sys.argv[1])
    async with SqliteDatabase.open(path, ("CREATE TABLE notes (text TEXT NOT NULL)",)) as database:
        await database.execute("INSERT INTO notes VALUES ('before')")
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, resource.RLIM_INFINITY))
        try:
            await database.execute("INSERT INTO notes VALUES (?)", ("x" * 200_000,))
        except StoreUnavailable as error:
            print(error)
        print(len(await database.select("SELECT * FROM notes")))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    async with SqliteDatabase.open(path.with_name("second.db"), ("CREATE TABLE t (x)",)) as database:
        try:
            await database.select("SELECT * FROM t")
        except StoreUnavailable as error:
            print(error)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file size are POSIX")
async def test_a_disk_that_refuses_to_be_written_is_told_in_a_line(path: Path) -> None:
    done = subprocess.run(
        [prestarted.program(FILE_SIZE_LIMIT), str(path)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    written, rows, opened = done.stdout.splitlines()
    assert written.startswith("notes.db: the disk")
    assert rows == "1"
    assert opened.startswith("second.db: ")


async def test_a_folder_that_cannot_be_made_is_told_and_used_once_it_can(path: Path) -> None:
    path.parent.write_text("a file where the folder should be")
    async with SqliteDatabase.open(path, NOTES) as database:
        with pytest.raises(StoreUnavailable, match=r"notes\.db"):
            await texts(database)
        path.parent.unlink()
        assert await texts(database) == []


async def test_another_program_that_writes_stops_writers_only(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_PATIENCE", 0.02)
    async with SqliteDatabase.open(path, NOTES) as database:
        await database.execute(INSERT, ("one",))
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="another program"):
            await database.execute(INSERT, ("two",))
        assert await texts(database) == ["one"]
        other.close()
        await database.execute(INSERT, ("three",))
        assert await texts(database) == ["one", "three"]


MANY_WRITERS = """
import asyncio, sys
from pathlib import Path
from linkdash.store.database import Database
from linkdash.store.sqlite import SqliteDatabase

async def main():
    sys.stdin.readline()
    async with SqliteDatabase.open(Path(sys.argv[1]), ("CREATE TABLE notes (text TEXT)",)) as database:
        for number in range(40):
            await database.execute("INSERT INTO notes VALUES (?)", (f"{sys.argv[2]} {number}",))

asyncio.run(main())
"""


async def test_several_programs_make_and_write_one_file_at_once(path: Path) -> None:
    """They wait for one another at the gate, so that all of them open a file that is not there yet."""
    writers = [
        subprocess.Popen(
            [prestarted.program(MANY_WRITERS), str(path), name],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in ("a", "b", "c")
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=30)[1] for writer in writers] == [b"", b"", b""]
    async with SqliteDatabase.open(path, NOTES) as database:
        assert sorted(await texts(database)) == sorted(f"{name} {n}" for name in "abc" for n in range(40))


# ---- how values stand in a file ----


@given(st.text(min_size=1, max_size=30))
def test_no_secret_stands_in_stored_json(secret: str) -> None:
    data = {"users": [{"id": 1, "apikey": secret}], "password": {"new": secret}, "name": "Ada"}
    assert stored_json(data) == stored_json(
        {"users": [{"id": 1, "apikey": MASK}], "password": MASK, "name": "Ada"}
    )


moments = st.datetimes(
    min_value=datetime(1970, 1, 2),
    max_value=datetime(2200, 1, 1),
    timezones=st.sampled_from(
        [UTC, timezone(timedelta(hours=-9, minutes=-30)), timezone(timedelta(hours=14))]
    ),
)


@given(moments, moments)
def test_stored_moments_read_back_and_sort_as_time_does(first: datetime, second: datetime) -> None:
    assert read_moment(stored_moment(first)) == first
    assert (stored_moment(first) < stored_moment(second)) == (first < second)
