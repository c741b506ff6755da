"""The few ways in which endpoints touch a table. Names of tables and columns never come from a request."""

import sqlite3
from collections.abc import Mapping

from linkdash.demo.answers import Refusal

LARGEST_ID = 2**63 - 1


def find(db: sqlite3.Connection, table: str, record_id: int, label: str) -> sqlite3.Row:
    """The record, or a 404 Refusal that calls it by its label."""
    row: sqlite3.Row | None = None
    if abs(record_id) <= LARGEST_ID:
        row = db.execute(f"SELECT * FROM {table} WHERE id = ?", (record_id,)).fetchone()
    if row is None:
        raise Refusal(404, f"{label} {record_id} was not found.")
    return row


def taken(db: sqlite3.Connection, table: str, columns: Mapping[str, object], except_id: int = 0) -> bool:
    """Whether another record has these very values."""
    where = " AND ".join(f"{column} = ?" for column in columns)
    query = f"SELECT 1 FROM {table} WHERE {where} AND id <> ?"
    return db.execute(query, (*columns.values(), except_id)).fetchone() is not None


def insert(db: sqlite3.Connection, table: str, values: Mapping[str, object]) -> int:
    """Add a record and return its id."""
    marks = ", ".join("?" * len(values))
    cursor = db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", (*values.values(),))
    return cursor.lastrowid or 0


def update(db: sqlite3.Connection, table: str, record_id: int, values: Mapping[str, object]) -> None:
    """Change the given columns of a record; none given changes nothing."""
    if values:
        changes = ", ".join(f"{column} = ?" for column in values)
        db.execute(f"UPDATE {table} SET {changes} WHERE id = ?", (*values.values(), record_id))


def remove(db: sqlite3.Connection, table: str, record_id: int, label: str) -> sqlite3.Row:
    """Delete a record and return what it was; a 404 Refusal when there is none."""
    row = find(db, table, record_id, label)
    db.execute(f"DELETE FROM {table} WHERE id = ?", (record_id,))
    return row
