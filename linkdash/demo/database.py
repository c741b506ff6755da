"""The database of the demo, in memory: its tables, and the records it starts with.

They are made from a seed and believable as of now. Addresses lie in domains reserved for examples.
"""

import sqlite3

from linkdash.demo import DemoSettings
from linkdash.demo.resources import RESOURCES
from linkdash.demo.sample_records import fill

META = "CREATE TABLE meta (seed INTEGER NOT NULL, made REAL NOT NULL);"
TABLES = "".join((META, *(resource.TABLES for resource in RESOURCES)))


def open_database(settings: DemoSettings) -> sqlite3.Connection:
    """The service's records. The connection belongs to the thread that opens it."""
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    if settings.records is not None:
        db.deserialize(settings.records)
    else:
        db.executescript(TABLES)
        fill(db, settings.seed, settings.clock())
    db.commit()
    db.execute("PRAGMA foreign_keys=ON")
    return db


def origin_of(db: sqlite3.Connection) -> tuple[int, float]:
    """The seed the records were made from, and when that was, in epoch seconds."""
    row = db.execute("SELECT seed, made FROM meta").fetchone()
    return int(row["seed"]), float(row["made"])
