"""The database of the demo: its tables, in memory or in a file, and the records it starts with.

They are made from a seed and believable as of now. Addresses lie in domains reserved for examples.
"""

import os
import sqlite3
import stat
from pathlib import Path

from linkdash.demo import DemoError, DemoSettings
from linkdash.demo.resources import RESOURCES
from linkdash.demo.sample_records import fill

MARK = 0x4C4B4453
"""SQLite's application_id of our files, so that no other database is ever written to."""

META = "CREATE TABLE meta (seed INTEGER NOT NULL, made REAL NOT NULL);"
TABLES = "".join((META, *(resource.TABLES for resource in RESOURCES)))


def open_database(settings: DemoSettings) -> sqlite3.Connection:
    """The service's records: from the file if it has them, else made from the seed.

    The connection belongs to the thread that opens it. Raises DemoError when the file cannot be used.
    """
    path = settings.data_file
    try:
        if path is not None:
            _make_private(path)
        db = sqlite3.connect(path or ":memory:", timeout=0)
    except (OSError, sqlite3.Error) as error:
        raise DemoError(f"The demo data file {path} cannot be opened: {error}.") from error
    try:
        _prepare(db, settings)
    except sqlite3.Error as error:
        db.close()
        raise DemoError(f"The demo data file {path} cannot be used: {error}.") from error
    except DemoError:
        db.close()
        raise
    return db


def _make_private(path: Path) -> None:
    """A file of this user's own, open to no one else: it holds keys. Raises OSError."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise OSError("it is no file of its own")
        if os.name == "posix":
            if status.st_uid != os.getuid():
                raise OSError("it belongs to another user")
            os.fchmod(file, 0o600)
    finally:
        os.close(file)


def _prepare(db: sqlite3.Connection, settings: DemoSettings) -> None:
    db.row_factory = sqlite3.Row
    # One service at a time, and no flush to the disk: after a power cut these records can be made again.
    db.executescript("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON;")
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    (tables,) = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    if mark == MARK:
        db.execute("BEGIN EXCLUSIVE")
        if "made" not in {row["name"] for row in db.execute("PRAGMA table_info(meta)")}:
            db.execute(f"ALTER TABLE meta ADD COLUMN made REAL NOT NULL DEFAULT {settings.clock():.0f}")
        db.commit()
    elif tables:
        raise DemoError(f"The file {settings.data_file} is another program's database; it was left alone.")
    else:
        db.executescript(f"BEGIN EXCLUSIVE; {TABLES} PRAGMA application_id={MARK};")
        fill(db, settings.seed, settings.clock())
        db.commit()


def origin_of(db: sqlite3.Connection) -> tuple[int, float]:
    """The seed the records were made from, and when that was, in epoch seconds."""
    row = db.execute("SELECT seed, made FROM meta").fetchone()
    return int(row["seed"]), float(row["made"])
