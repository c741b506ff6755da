"""The table of the journal: what is written into it, and the entry that a row of it is."""

import json
from collections.abc import Mapping

from linkdash.api.fields import identifier_in
from linkdash.store.database import (
    DatabaseConnection,
    DatabaseRow,
    Profile,
    Value,
    read_moment,
    returned_id,
)
from linkdash.store.journal_entry import (
    Author,
    IntentFacts,
    JournalEntry,
    Outcome,
    Settlement,
    WriteIntent,
    read_facts,
)
from linkdash.store.team_outbox import OutboxEntry

SCHEMA = (
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY,
        profile TEXT NOT NULL,
        begun TEXT NOT NULL,
        method TEXT NOT NULL,
        path TEXT NOT NULL,
        purpose TEXT NOT NULL,
        resource TEXT NOT NULL,
        action TEXT NOT NULL,
        record_id INTEGER,
        other_id INTEGER,
        body TEXT NOT NULL,
        before TEXT NOT NULL,
        outcome TEXT,
        ended TEXT,
        message TEXT NOT NULL DEFAULT '',
        requests INTEGER NOT NULL DEFAULT 0,
        answer TEXT NOT NULL DEFAULT 'null',
        settled TEXT,
        found INTEGER,
        finding TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX journal_of_profile ON journal (profile, id)",
)

AUTHORS = (
    "ALTER TABLE journal ADD COLUMN user_name TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE journal ADD COLUMN host TEXT NOT NULL DEFAULT ''",
    # What makes an entry the same one wherever it is kept.
    "ALTER TABLE journal ADD COLUMN origin TEXT",
    "CREATE UNIQUE INDEX journal_by_origin ON journal (origin)",
    "CREATE INDEX journal_of_record ON journal (profile, resource, record_id)",
    # What was kept in an outbox is handed in later than what was written after it.
    "CREATE INDEX journal_by_time ON journal (profile, begun, id)",
)

PROGRAMS = (
    # Who waits for the answer.
    "ALTER TABLE journal ADD COLUMN program TEXT NOT NULL DEFAULT ''",
)

FACTS = (
    # The names of the records, and what is undone, as JSON; `purpose` has the words of earlier versions.
    "ALTER TABLE journal ADD COLUMN facts TEXT NOT NULL DEFAULT ''",
    # Not 0: what it has sent is shown by no list, so that it stays as long as its record.
    "ALTER TABLE journal ADD COLUMN kept INTEGER NOT NULL DEFAULT 0",
)

_TEXTS = ("method", "path", "purpose", "resource", "action", "message", "user_name", "host", "finding")

INTERRUPTED = "Interrupted: its outcome was never recorded."
"""The message of a write whose outcome was never recorded."""

UNREADABLE = "What was sent cannot be read any more."
"""Stands for what is spoilt in an entry."""

INSERTED, UPDATED = "journal entry", "journal entry changed"
"""The kinds of what an earlier version has kept of the journal in an outbox."""

UNFINISHED = {
    "outcome": None,
    "ended": None,
    "message": "",
    "requests": 0,
    "answer": "null",
    "settled": None,
    "found": None,
    "finding": "",
    "program": "",
}
"""What an entry has in its other columns until its write is over, unless it tells them."""

WITHOUT_FACTS = {"facts": "", "kept": 0}
"""What an earlier version has kept in an outbox."""

COLUMNS = (
    *("profile", "begun", "method", "path", "purpose", "resource", "action", "record_id", "other_id"),
    *("body", "before", "user_name", "host", "origin", "facts", "kept", *UNFINISHED),
)
"""What an entry has besides its id in this store."""
_MARKS = ", ".join("?" * len(COLUMNS))
INSERT_ONCE = f"INSERT INTO journal ({', '.join(COLUMNS)}) VALUES ({_MARKS}) ON CONFLICT (origin) DO NOTHING"
"""Writes an entry of all columns, unless it is there already."""
_IS_UNKNOWN = f"excluded.outcome = '{Outcome.UNKNOWN}'"
_KEEP = f"""
    INSERT INTO journal ({", ".join(COLUMNS)}) VALUES ({_MARKS}) ON CONFLICT (origin) DO UPDATE SET
    outcome = excluded.outcome, ended = excluded.ended, message = excluded.message,
    requests = excluded.requests, answer = excluded.answer,
    settled = CASE WHEN {_IS_UNKNOWN} THEN journal.settled END,
    found = CASE WHEN {_IS_UNKNOWN} THEN journal.found END,
    finding = CASE WHEN {_IS_UNKNOWN} THEN journal.finding ELSE '' END
    WHERE excluded.outcome IS NOT NULL AND journal.profile = excluded.profile"""


# ---- writing ----


def keep_entry(connection: DatabaseConnection, entry: Mapping[str, Value]) -> None:
    """Write an entry of all columns; of one that is there already its outcome, once that is known.

    What was found out of it meanwhile stays only where the outcome is unknown. A second time changes nothing.
    """
    connection.execute(_KEEP, [entry[name] for name in COLUMNS])


def hand_in(connection: DatabaseConnection, profile: Profile, written: OutboxEntry) -> None:
    """Do in the team's database what an earlier version has kept in the outbox; a second time is no change.

    Raises ValueError for what that has not kept there.
    """
    if not written.body.keys() <= {*COLUMNS}:
        raise ValueError("columns that the journal does not have")
    if written.kind == INSERTED:
        entry = {**WITHOUT_FACTS, **UNFINISHED, **written.body, "profile": profile}
        connection.execute(INSERT_ONCE, [entry[name] for name in COLUMNS])
    else:
        changes = {name: value for name, value in written.body.items() if name != "origin"}
        settings = ", ".join(f"{name} = ?" for name in changes)
        values = [*changes.values(), written.body["origin"]]
        connection.execute(f"UPDATE journal SET {settings} WHERE origin = ?", values)


def insert_entry(connection: DatabaseConnection, columns: Mapping[str, Value]) -> int:
    """Write a new entry, and return its id."""
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    insert = f"INSERT INTO journal ({names}) VALUES ({marks}) RETURNING id"
    return returned_id(connection.execute(insert, [*columns.values()]))


def withdraw_entry(connection: DatabaseConnection, entry_id: int) -> None:
    """Record that a write was not sent, because its sender was cancelled before it could send it."""
    connection.execute(
        "UPDATE journal SET outcome = ?, ended = begun, message = ? WHERE id = ?",
        (Outcome.NOT_SENT.value, "Cancelled before it was sent.", entry_id),
    )


# ---- reading ----


def decode_entry(row: DatabaseRow, *, under_way: bool) -> JournalEntry:
    """Return the entry that a row is.

    Raises what a spoilt value raises, except for what was sent: the rest still tells much.
    """
    if not all(isinstance(row[column], str) for column in _TEXTS):
        raise ValueError("a text that is none")
    params, before, answer = (_json(row[column]) for column in ("body", "before", "answer"))
    is_whole = isinstance(params, Mapping | None) and isinstance(before, Mapping | None)
    message = row["message"] if row["outcome"] or under_way else INTERRUPTED
    return JournalEntry(
        id=row["id"],
        begun=read_moment(row["begun"]),
        intent=WriteIntent(
            resource=row["resource"],
            action=row["action"],
            record_ids=tuple(int(id) for id in (row["record_id"], row["other_id"]) if id is not None),
            params=params if isinstance(params, Mapping) else {},
            before=before if isinstance(before, Mapping) else None,
            told=row["purpose"],
            **_facts(row["facts"]),
        ),
        method=row["method"],
        path=row["path"],
        outcome=_outcome(row["outcome"], under_way=under_way),
        ended=read_moment(row["ended"]) if row["ended"] else None,
        message=message if is_whole else f"{message} {UNREADABLE}".strip(),
        requests=int(row["requests"]),
        answer=answer,
        settlement=_settlement(row),
        author=Author(row["user_name"], row["host"]),
        origin=row["origin"] or "",
    )


def made_or_meant(row: DatabaseRow) -> object:
    """The id of the record that an entry is about, or has made."""
    return created_id_in(row["answer"]) if row["record_id"] is None else row["record_id"]


def created_id_in(answer: object) -> int | None:
    """The id of the record that an answer tells of, as it stands in its column."""
    return identifier_in(_json(answer))


def _facts(text: str) -> IntentFacts:
    """The facts of a column; none where it is spoilt: the rest still tells much."""
    try:
        return read_facts(text)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return read_facts("")


def _json(text: object) -> object:
    """The JSON of a column; `UNREADABLE` where it is spoilt."""
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return UNREADABLE


def _outcome(recorded: str | None, *, under_way: bool) -> Outcome | None:
    """Return the recorded outcome; a write without one that nothing here waits for is unknown."""
    if recorded is None:
        return None if under_way else Outcome.UNKNOWN
    return Outcome(recorded)


def _settlement(row: DatabaseRow) -> Settlement | None:
    if row["settled"] is None:
        return None
    return Settlement(read_moment(row["settled"]), bool(row["found"]), row["finding"])
