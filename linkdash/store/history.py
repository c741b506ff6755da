"""The history of statistics: what the service only tells at the moment of asking, kept over time."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from operator import itemgetter
from typing import NamedTuple, TypeVar

from linkdash.store.database import Database, DatabaseConnection, DatabaseRow, Profile, moment_of, utc_now
from linkdash.store.history_writing import (
    SCANS_ID,
    TOTAL_IDS,
    owner_of_listed,
    seconds_of,
    write_look,
    write_readings,
)
from linkdash.store.packed_readings import (
    CLOCKS_APART,
    Counts,
    LabelValues,
    Segment,
    Stretch,
    unpack,
    unpack_newest,
    unpack_values,
)
from linkdash.store.reading import TOTALS, Reading, Scans

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

SUMMARIES = (
    "ALTER TABLE series ADD COLUMN scans BLOB",
    "ALTER TABLE segments ADD COLUMN scans BLOB",
)
"""The scans of each segment alone; missing where a segment was written before there were any."""

_LATER_THAN_NOW = (
    "some readings are dated later than now and are left out: the clock of this machine, or of another that"
    " read them, was or is wrong."
)
_A_DAY = 86_400
_CODES_AT_ONCE = 2_000
_BEGINNING = -(2**62)


T = TypeVar("T")


class _Label(NamedTuple):
    breakdown: str
    text: str | None


class _Labels(NamedTuple):
    """The labels that are known, by their ids; and the ids that tell that a breakdown was there."""

    by_id: Mapping[int, _Label]
    marks: Mapping[str, int]


_SIZES = """SELECT code_id, LENGTH(newest) + LENGTH(steps) + COALESCE((
    SELECT SUM(LENGTH(segments.newest) + LENGTH(segments.steps))
    FROM segments WHERE segments.series_id = series.id
), 0) AS bytes FROM series WHERE profile IN (?, ?)"""


class History:
    """The statistics of one profile's codes over time.

    Moments are kept in whole seconds. Readings that changed nothing take no room: they come back as the
    first and the last of their stretch. Readings that tell scans only, as the list of codes does, are kept
    in a series beside that of the full ones. Several processes may record at once. Every method raises
    StoreUnavailable.
    """

    def __init__(self, database: Database, profile: Profile) -> None:
        self._database = database
        self._profile = profile
        self.clock: Callable[[], datetime] = utc_now
        """What is later than this is left out of all that is read."""
        self._listed = owner_of_listed(profile)
        """The owner of the series that tell scans only."""

    async def size(self) -> tuple[int, int]:
        """Of how many codes readings are kept, and the bytes of those."""
        rows = await self._database.select(_SIZES, (self._listed, self._profile))
        return len({row["code_id"] for row in rows}), sum(int(row["bytes"]) for row in rows)

    async def record(self, code_id: int, reading: Reading) -> None:
        """Keep one reading of a code's statistics."""
        await self.record_all({code_id: [reading]})

    async def record_all(self, readings: Mapping[int, Sequence[Reading]]) -> None:
        """Keep readings of several codes, each code's in the order they were made."""
        await self._database.run(lambda connection: write_readings(connection, self._profile, readings))

    async def readings(self, code_id: int, since: datetime | None = None) -> list[Reading]:
        """A code's readings from `since` on, in the order of time; of equal moments, as they were made."""
        start = _BEGINNING if since is None else seconds_of(since)

        def read(connection: DatabaseConnection) -> list[Reading]:
            labels = _labels(connection)
            found = [
                reading
                for owner in (self._listed, self._profile)
                for query in (_SEGMENTS, _OPEN_SEGMENT)
                for part in self._decoded(
                    connection.execute(query, (owner, code_id, start)),
                    lambda row: [*_readings(_segment(row), labels, start)],
                )
                for reading in part
            ]
            return self._until_now(found)

        return await self._database.read(read)

    async def readings_of(self, code_ids: Iterable[int]) -> dict[int, list[Reading]]:
        """All readings of several codes, asked for together: each code's as `readings` gives them."""
        wanted = {*code_ids}

        def read(connection: DatabaseConnection) -> dict[int, list[Reading]]:
            labels, found = _labels(connection), dict[int, list[Reading]]()

            def listed(row: DatabaseRow) -> tuple[int, list[Reading]]:
                return row["code_id"], [*_listed_readings(row)]

            def full(row: DatabaseRow) -> tuple[int, list[Reading]]:
                return row["code_id"], [*_readings(_segment(row), labels, _BEGINNING)]

            for query in (_EVERY_SEGMENT, _EVERY_OPEN_SEGMENT):
                for owner, read_row in ((self._listed, listed), (self._profile, full)):
                    rows = (row for row in connection.execute(query, (owner,)) if row["code_id"] in wanted)
                    for code_id, readings in self._decoded(rows, read_row):
                        found.setdefault(code_id, []).extend(readings)
            return found

        found = await self._database.read(read)
        return {code_id: self._until_now(readings) for code_id, readings in found.items()}

    async def latest(self) -> dict[int, Reading]:
        """The latest full reading of every code, with the moment it was last seen so."""
        return await self._latest(self._profile)

    async def latest_in_outbox(self) -> tuple[dict[int, Reading], dict[int, Reading]]:
        """Of what waits to be handed in, the latest full reading of each code, and that of scans only."""
        return {}, {}

    async def latest_listed(self) -> dict[int, Reading]:
        """The latest reading of every code that told scans only."""
        return await self._latest(self._listed)

    async def _latest(self, owner: Profile) -> dict[int, Reading]:
        """The latest reading of each series; of one that goes beyond now, the latest before."""

        def read(connection: DatabaseConnection) -> dict[int, Reading]:
            rows = connection.execute("SELECT code_id, newest FROM series WHERE profile = ?", (owner,))
            labels, end = _labels(connection), seconds_of(self._end())

            def latest(row: DatabaseRow) -> tuple[int, Reading | None]:
                stretch = unpack_newest(row["newest"])
                if stretch.until <= end:
                    return row["code_id"], _reading(stretch, stretch.until, labels)
                readings = self._until_now(
                    reading
                    for query in (_SEGMENTS, _OPEN_SEGMENT)
                    for segment in connection.execute(query, (owner, row["code_id"], _BEGINNING)).fetchall()
                    for reading in _readings(_segment(segment), labels, _BEGINNING)
                )
                return row["code_id"], readings[-1] if readings else None

            found = self._decoded(rows.fetchall(), latest)
            return {code_id: reading for code_id, reading in found if reading is not None}

        return await self._database.read(read)

    def _end(self) -> datetime:
        return self.clock() + timedelta(seconds=CLOCKS_APART)

    def _until_now(self, readings: Iterable[Reading]) -> list[Reading]:
        """Readings in the order of time; those later than now are left out, which is told."""
        ordered, end = sorted(readings, key=lambda reading: reading.at), self._end()
        until = bisect_right(ordered, end, key=lambda reading: reading.at)
        if until < len(ordered):
            self._database.add_notice(f"{self._database.name}: {_LATER_THAN_NOW}")
        return ordered[:until]

    async def scans(self, since: datetime) -> dict[int, Scans]:
        """The scans of every code from `since` on, after what they were before.

        For that only the segments nearest to `since` are read: where one of them tells no scans, what comes
        first can be older than the last that was known then, or missing.
        """
        start = seconds_of(since)

        def read(connection: DatabaseConnection) -> dict[int, Scans]:
            found: dict[int, list[tuple[int, int]]] = {}
            for owner in (self._listed, self._profile):
                for part in _parts(connection, owner):
                    values = (*part, *part, start, start, *part, start, start)
                    rows = connection.execute(_SINCE, values)
                    for code_id, counts in self._decoded(
                        rows, lambda row: (row["code_id"], [*_scans(row, start)])
                    ):
                        found.setdefault(code_id, []).extend(counts)
            end = seconds_of(self._end())
            so_far = {code_id: [one for one in values if one[0] <= end] for code_id, values in found.items()}
            if any(len(so_far[code_id]) < len(values) for code_id, values in found.items()):
                self._database.add_notice(f"{self._database.name}: {_LATER_THAN_NOW}")
            return {code_id: _from(start, values) for code_id, values in so_far.items() if values}

        return await self._database.read(read)

    async def state(self) -> tuple[int, ...]:
        """Return a value that changes with each recording: how many series, when they end, their bytes."""
        (row,) = await self._database.select(_STATE, (self._listed, self._profile))
        return row["series"], row["ends"], row["bytes"]

    async def mark_looked(self, code_id: int, at: datetime) -> None:
        """Keep that the user looked at a code's statistics."""
        await self._database.run(lambda connection: write_look(connection, self._profile, code_id, at))

    async def last_look(self, code_id: int) -> datetime | None:
        """The user's last look at a code's statistics; None if never."""
        rows = await self._database.select(
            "SELECT at FROM looks WHERE profile = ? AND code_id = ?", (self._profile, code_id)
        )
        return next(iter(self._decoded(rows, lambda row: moment_of(row["at"]))), None)

    def _decoded(self, rows: Iterable[DatabaseRow], decode: Callable[[DatabaseRow], T]) -> list[T]:
        return self._database.decoded(rows, decode, "readings")


_STATE = """
    SELECT count(*) AS series, CAST(coalesce(sum(last_at), 0) AS BIGINT) AS ends,
    CAST(coalesce(sum(LENGTH(steps)), 0) AS BIGINT) AS bytes FROM series WHERE profile IN (?, ?)
"""
_SEGMENTS = """
    SELECT segments.newest, segments.steps FROM series JOIN segments ON segments.series_id = series.id
    WHERE series.profile = ? AND series.code_id = ? AND segments.last_at >= ? ORDER BY segments.id
"""
_OPEN_SEGMENT = "SELECT newest, steps FROM series WHERE profile = ? AND code_id = ? AND last_at >= ?"
_EVERY_SEGMENT = """
    SELECT series.code_id, segments.newest, segments.steps, segments.scans
    FROM series JOIN segments ON segments.series_id = series.id WHERE series.profile = ? ORDER BY segments.id
"""
_EVERY_OPEN_SEGMENT = "SELECT code_id, newest, steps, scans FROM series WHERE profile = ?"
_WHOLE = """
    CASE WHEN {table}.scans IS NULL THEN {table}.newest END AS newest,
    CASE WHEN {table}.scans IS NULL THEN {table}.steps END AS steps
"""
# Of some codes the open segment, every one that ends after the moment, and, where the open one begins after
# it, the last one that begins before.
_SINCE = """
    SELECT code_id, scans, {series} FROM series WHERE profile = ? AND code_id BETWEEN ? AND ?
    UNION ALL SELECT series.code_id, segments.scans, {segments}
    FROM series JOIN segments ON segments.series_id = series.id
    WHERE series.profile = ? AND series.code_id BETWEEN ? AND ? AND segments.last_at > ?
    UNION ALL SELECT series.code_id, segments.scans, {segments}
    FROM series JOIN segments ON segments.id = (
        SELECT id FROM segments WHERE series_id = series.id AND first_at <= ?
        ORDER BY first_at DESC, id DESC LIMIT 1
    )
    WHERE series.profile = ? AND series.code_id BETWEEN ? AND ? AND series.first_at > ?
        AND segments.last_at <= ?
""".format(**{table: _WHOLE.format(table=table) for table in ("series", "segments")})
# ---- in the database's thread ----


def _parts(connection: DatabaseConnection, owner: Profile) -> Iterator[tuple[Profile, int, int]]:
    """The codes of an owner in parts, the first and the last of each: no answer is large, or takes long."""
    query = "SELECT code_id FROM series WHERE profile = ? ORDER BY code_id"
    ids = [row["code_id"] for row in connection.execute(query, (owner,))]
    for start in range(0, len(ids), _CODES_AT_ONCE):
        part = ids[start : start + _CODES_AT_ONCE]
        yield owner, part[0], part[-1]


def _labels(connection: DatabaseConnection) -> _Labels:
    rows = connection.execute("SELECT id, breakdown, label FROM labels")
    by_id = {row["id"]: _Label(row["breakdown"], row["label"]) for row in rows}
    return _Labels(by_id, {label.breakdown: id for id, label in by_id.items() if label.text is None})


def _segment(row: DatabaseRow) -> Segment:
    return unpack(row["newest"], row["steps"])


def _readings(segment: Segment, labels: _Labels, start: int) -> Iterator[Reading]:
    """The readings of a segment from `start` on, in the order they were made."""
    for stretch in reversed([*segment.backwards()]):
        first = _reading(stretch, stretch.at, labels)
        if stretch.at >= start:
            yield first
        if stretch.until > stretch.at and stretch.until >= start:
            yield replace(first, at=moment_of(stretch.until))


def _listed_readings(row: DatabaseRow) -> Iterator[Reading]:
    """The readings of a segment that tell scans only, in the order they were made."""
    for at, until, count in reversed([*_values(row)]):
        yield Reading(moment_of(at), scans=count)
        if until > at:
            yield Reading(moment_of(until), scans=count)


def _scans(row: DatabaseRow, start: int) -> Iterator[tuple[int, int]]:
    """The scans in a segment from `start` on and one before, the newest first.

    A clock may have been set back meanwhile, by less than a day.
    """
    enough = start - _A_DAY
    for at, until, count in _values(row):
        if count is not None:
            yield until, count
            if until > at:
                yield at, count
            if at < enough:
                return


def _values(row: DatabaseRow) -> LabelValues:
    """The scans in a segment, the newest first."""
    return unpack_values(row["scans"]) if row["scans"] else _segment(row).values(SCANS_ID)


def _from(start: int, values: Iterable[tuple[int, int]]) -> Scans:
    """The values from `start` on in the order of time, and the last one before it."""
    ordered = sorted(values)
    first = bisect_right(ordered, start, key=itemgetter(0))
    return tuple((moment_of(at), count) for at, count in ordered[max(0, first - 1) :])


def _reading(stretch: Stretch, at: int, labels: _Labels) -> Reading:
    clicks, unique, scans = (stretch.counts.get(TOTAL_IDS[name]) for name in TOTALS)
    return Reading(moment_of(at), clicks, unique, scans, _Breakdowns(stretch.counts, labels))


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
                    label = self._labels.by_id.get(label_id)
                    if label is None:  # its row cannot be read any more
                        continue
                    by_label = self._read.setdefault(label.breakdown, {})
                    if label.text is not None:
                        by_label[label.text] = count
        return self._read

    def __contains__(self, breakdown: object) -> bool:
        mark = self._labels.marks.get(breakdown) if isinstance(breakdown, str) else None
        return mark is not None and mark in self._counts

    def __getitem__(self, breakdown: str) -> Mapping[str, int]:
        return self._breakdowns()[breakdown]

    def __iter__(self) -> Iterator[str]:
        return iter(self._breakdowns())

    def __len__(self) -> int:
        return len(self._breakdowns())

    def __repr__(self) -> str:
        return repr(self._breakdowns())
