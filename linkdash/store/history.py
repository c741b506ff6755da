"""The history of statistics: what the service only tells at the moment of asking, kept over time."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

from linkdash.store.changes import TOTALS, Change, Snapshot
from linkdash.store.database import Connection, Database, Row, returned_id
from linkdash.store.segments import Counts, Reading, Segment, is_full, pack, unpack, unpack_newest

SCHEMA = (
    # Each breakdown is here with its labels and once without: then the id says that the breakdown was there.
    """CREATE TABLE labels (
        id INTEGER PRIMARY KEY,
        breakdown TEXT NOT NULL,
        label TEXT,
        UNIQUE (breakdown, label)
    )""",
    # One row a code: its latest readings, in the segment that is still being filled.
    """CREATE TABLE series (
        id INTEGER PRIMARY KEY,
        profile TEXT NOT NULL,
        code_id INTEGER NOT NULL,
        first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        newest BLOB NOT NULL,
        steps BLOB NOT NULL,
        UNIQUE (profile, code_id)
    )""",
    # Full segments; written once, one after the other, so that the file stays dense.
    """CREATE TABLE segments (
        id INTEGER PRIMARY KEY,
        series_id INTEGER NOT NULL,
        first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        newest BLOB NOT NULL,
        steps BLOB NOT NULL
    )""",
    "CREATE INDEX segments_of_series ON segments (series_id, first_at, last_at)",
    """CREATE TABLE looks (
        profile TEXT NOT NULL,
        code_id INTEGER NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (profile, code_id)
    ) WITHOUT ROWID""",
)

_TOTAL_IDS = {name: -position for position, name in enumerate(TOTALS)}
"""Ids of the totals among those of the labels, which begin at 1."""

_BEGINNING = -(2**62)


class _Label(NamedTuple):
    breakdown: str
    text: str | None


_Labels: TypeAlias = Mapping[int, _Label]


class History:
    """The statistics of one profile's codes over time.

    Moments are kept in whole seconds. Readings that changed nothing take no room: they come back as the
    first and the last of their stretch. Several processes may record at once. Every method raises
    StoreUnavailable.
    """

    def __init__(self, database: Database, profile: str) -> None:
        self._database = database
        self._profile = profile

    async def record(self, code_id: int, snapshot: Snapshot) -> None:
        """Keeps one reading of a code's statistics."""
        await self._database.run(lambda connection: write(connection, self._profile, code_id, snapshot))

    async def snapshots(self, code_id: int, since: datetime | None = None) -> list[Snapshot]:
        """A code's readings from `since` on, in the order of time; of equal moments, as they were made."""
        start = _BEGINNING if since is None else _seconds(since)

        def read(connection: Connection) -> list[Snapshot]:
            labels = _labels(connection)
            asked = (self._profile, code_id, start)
            rows = [*connection.execute(_SEGMENTS, asked), *connection.execute(_OPEN_SEGMENT, asked)]
            found = [snapshot for row in rows for snapshot in _snapshots(_segment(row), labels, start)]
            return sorted(found, key=lambda snapshot: snapshot.at)

        return await self._database.read(read)

    async def latest(self) -> dict[int, Snapshot]:
        """The latest reading of every code, with the moment it was last seen so."""

        def read(connection: Connection) -> dict[int, Snapshot]:
            labels = _labels(connection)
            rows = connection.execute("SELECT * FROM series WHERE profile = ?", (self._profile,))
            return {row["code_id"]: _latest(row["newest"], labels) for row in rows}

        return await self._database.read(read)

    async def changes_since(
        self, moment: datetime, code_ids: Collection[int] | None = None
    ) -> dict[int, Change]:
        """What happened to each code, or to those of `code_ids`, from `moment` to its latest reading.

        The change begins with the numbers as they were known at `moment`, or with the first reading if
        that came later.
        """
        asked = _seconds(moment)

        def read(connection: Connection) -> dict[int, Change]:
            labels = _labels(connection)
            rows = connection.execute(_AS_OF, (asked, asked, self._profile))
            return {
                row["code_id"]: Change(_as_of(_segment(row), labels, asked), _latest(row["latest"], labels))
                for row in rows
                if code_ids is None or row["code_id"] in code_ids
            }

        return await self._database.read(read)

    async def mark_looked(self, code_id: int, at: datetime) -> None:
        """Keeps that a person looked at a code's statistics."""
        await self._database.run(lambda connection: write_look(connection, self._profile, code_id, at))

    async def last_look(self, code_id: int) -> datetime | None:
        """When a person last looked at a code's statistics; None if never."""
        rows = await self._database.select(
            "SELECT at FROM looks WHERE profile = ? AND code_id = ?", (self._profile, code_id)
        )
        return _moment(rows[0]["at"]) if rows else None


_LOOK = """
    INSERT INTO looks (profile, code_id, at) VALUES (?, ?, ?)
    ON CONFLICT (profile, code_id) DO UPDATE SET at = excluded.at
"""
_SEGMENTS = """
    SELECT segments.newest, segments.steps FROM series JOIN segments ON segments.series_id = series.id
    WHERE series.profile = ? AND series.code_id = ? AND segments.last_at >= ? ORDER BY segments.id
"""
_OPEN_SEGMENT = "SELECT newest, steps FROM series WHERE profile = ? AND code_id = ? AND last_at >= ?"
# Of each code the last segment that begins by the moment, else its first; and its latest reading.
_AS_OF = """
    SELECT
        series.code_id,
        coalesce(segments.newest, series.newest) AS newest,
        coalesce(segments.steps, series.steps) AS steps,
        series.newest AS latest
    FROM series LEFT JOIN segments ON series.first_at > ? AND segments.id = coalesce(
        (SELECT max(id) FROM segments WHERE series_id = series.id AND first_at <= ?),
        (SELECT min(id) FROM segments WHERE series_id = series.id)
    )
    WHERE series.profile = ?
"""
_SEAL = """
    INSERT INTO segments (series_id, first_at, last_at, newest, steps)
    SELECT id, first_at, last_at, newest, steps FROM series WHERE id = ?
"""
_UPDATE = "UPDATE series SET first_at = ?, last_at = ?, newest = ?, steps = ? WHERE id = ?"
_INSERT = "INSERT INTO series (first_at, last_at, newest, steps, profile, code_id) VALUES (?, ?, ?, ?, ?, ?)"


# ---- writing, in the database's thread ----


def write(connection: Connection, profile: str, code_id: int, snapshot: Snapshot) -> None:
    """Keeps one reading, as a part of a transaction."""
    connection.lock("history", profile)
    at, counts = _seconds(snapshot.at), _counts(connection, snapshot)
    row = connection.execute(
        "SELECT * FROM series WHERE profile = ? AND code_id = ?", (profile, code_id)
    ).fetchone()
    if row is None:
        connection.execute(_INSERT, (at, at, *pack(Segment.begun(at, counts)), profile, code_id))
        return
    first, last, segment = row["first_at"], row["last_at"], _segment(row)
    if is_full(row["newest"], row["steps"]) and not segment.holds(at, counts):
        connection.execute(_SEAL, (row["id"],))
        first, last, segment = at, at, Segment.begun(at, counts)
    else:
        segment = segment.followed_by(at, counts)
    connection.execute(_UPDATE, (min(at, first), max(at, last), *pack(segment), row["id"]))


def write_look(connection: Connection, profile: str, code_id: int, at: datetime) -> None:
    """Keeps that a person looked at a code, as a part of a transaction."""
    connection.execute(_LOOK, (profile, code_id, _seconds(at)))


def _counts(connection: Connection, snapshot: Snapshot) -> dict[int, int]:
    totals = {_TOTAL_IDS[name]: snapshot.total(name) for name in TOTALS}
    counts = {label_id: total for label_id, total in totals.items() if total is not None}
    for breakdown, by_label in snapshot.breakdowns.items():
        counts[_label_id(connection, breakdown, None)] = 0
        for text, count in by_label.items():
            counts[_label_id(connection, breakdown, text)] = count
    return counts


def _label_id(connection: Connection, breakdown: str, text: str | None) -> int:
    known = _known_label(connection, breakdown, text)
    if known is None:
        connection.lock("labels")
        known = _known_label(connection, breakdown, text)
    if known is None:
        insert = "INSERT INTO labels (breakdown, label) VALUES (?, ?) RETURNING id"
        return returned_id(connection.execute(insert, (breakdown, text)))
    return known


def _known_label(connection: Connection, breakdown: str, text: str | None) -> int | None:
    query = "SELECT id FROM labels WHERE breakdown = ? AND "
    if text is None:
        row = connection.execute(f"{query} label IS NULL", (breakdown,)).fetchone()
    else:
        row = connection.execute(f"{query} label = ?", (breakdown, text)).fetchone()
    return None if row is None else int(row["id"])


# ---- reading, in the database's thread ----


def _labels(connection: Connection) -> _Labels:
    rows = connection.execute("SELECT id, breakdown, label FROM labels")
    return {row["id"]: _Label(row["breakdown"], row["label"]) for row in rows}


def _segment(row: Row) -> Segment:
    return unpack(row["newest"], row["steps"])


def _snapshots(segment: Segment, labels: _Labels, start: int) -> Iterator[Snapshot]:
    """The readings of a segment from `start` on, in the order they were made."""
    for reading in reversed([*segment.backwards()]):
        first = _snapshot(reading, reading.at, labels)
        if reading.at >= start:
            yield first
        if reading.until > reading.at and reading.until >= start:
            yield replace(first, at=_moment(reading.until))


def _latest(newest: bytes, labels: _Labels) -> Snapshot:
    reading = unpack_newest(newest)
    return _snapshot(reading, reading.until, labels)


def _as_of(segment: Segment, labels: _Labels, moment: int) -> Snapshot:
    """The numbers as they were known at `moment`; the segment's first reading if that came later."""
    for reading in segment.backwards():
        if reading.at <= moment:
            return _snapshot(reading, min(reading.until, moment), labels)
    return _snapshot(reading, reading.at, labels)


def _snapshot(reading: Reading, at: int, labels: _Labels) -> Snapshot:
    clicks, unique, scans = (reading.counts.get(_TOTAL_IDS[name]) for name in TOTALS)
    return Snapshot(_moment(at), clicks, unique, scans, _Breakdowns(reading.counts, labels))


class _Breakdowns(Mapping[str, Mapping[str, int]]):
    """The breakdowns of a reading, put together when they are first asked for: most ask for totals only."""

    __slots__ = ("_counts", "_labels", "_read")

    def __init__(self, counts: Counts, labels: _Labels) -> None:
        self._counts = counts
        self._labels = labels
        self._read: dict[str, dict[str, int]] | None = None

    def _breakdowns(self) -> dict[str, dict[str, int]]:
        if self._read is None:
            self._read = {}
            for label_id, count in self._counts.items():
                if label_id > 0:
                    label = self._labels[label_id]
                    by_label = self._read.setdefault(label.breakdown, {})
                    if label.text is not None:
                        by_label[label.text] = count
        return self._read

    def __getitem__(self, breakdown: str) -> Mapping[str, int]:
        return self._breakdowns()[breakdown]

    def __iter__(self) -> Iterator[str]:
        return iter(self._breakdowns())

    def __len__(self) -> int:
        return len(self._breakdowns())

    def __repr__(self) -> str:
        return repr(self._breakdowns())


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
