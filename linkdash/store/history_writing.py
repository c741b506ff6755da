"""Writing into the history of statistics, as a part of a transaction, in the database's thread."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from linkdash.store.database import (
    SPOILT,
    DatabaseConnection,
    DatabaseRow,
    Profile,
    Values,
    returned_id,
    storable_text,
)
from linkdash.store.packed_readings import NOTHING_PACKED, Packed, Segment, is_full, pack, unpack, until_full
from linkdash.store.reading import TOTALS, Reading

LISTED = "/list"
"""Ends the owner of a series that tells scans only; before it stands the profile."""

TOTAL_IDS = {name: -position for position, name in enumerate(TOTALS)}
"""Ids of the totals among those of the labels, which begin at 1."""
SCANS_ID = TOTAL_IDS["scans"]

_LOOK = """
    INSERT INTO looks (profile, code_id, at) VALUES (?, ?, ?)
    ON CONFLICT (profile, code_id) DO UPDATE SET at = excluded.at
"""
_SEAL = "INSERT INTO segments (series_id, first_at, last_at, newest, steps, scans) VALUES (?, ?, ?, ?, ?, ?)"
_UPDATE = "UPDATE series SET first_at = ?, last_at = ?, newest = ?, steps = ?, scans = ? WHERE id = ?"
_INSERT = """
    INSERT INTO series (first_at, last_at, newest, steps, scans, profile, code_id)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_AT_ONCE = 500


def write_readings(
    connection: DatabaseConnection, profile: Profile, readings: Mapping[int, Sequence[Reading]]
) -> None:
    """Keep readings of codes, each code's in the order they were made, as a part of a transaction."""
    connection.lock("history", profile)
    ids = _LabelIds(connection)
    for only_scans, owner in ((False, profile), (True, owner_of_listed(profile))):
        chosen = {
            code_id: [reading for reading in of_code if reading.tells_scans_only is only_scans]
            for code_id, of_code in readings.items()
        }
        _record(connection, owner, {code_id: of_code for code_id, of_code in chosen.items() if of_code}, ids)


def write_look(connection: DatabaseConnection, profile: Profile, code_id: int, at: datetime) -> None:
    """Keep that the user looked at a code, as a part of a transaction."""
    connection.execute(_LOOK, (profile, code_id, seconds_of(at)))


def _record(
    connection: DatabaseConnection,
    owner: Profile,
    readings: Mapping[int, Sequence[Reading]],
    ids: "_LabelIds",
) -> None:
    """Ask for all codes together and change them together: a database may be far away."""
    known = _series(connection, owner, [*readings])
    begun: list[Values] = []
    followed: list[Values] = []
    full: dict[int, list[Values]] = {}
    for code_id, of_code in readings.items():
        row = known.get(code_id)
        *sealed, newest = _segments(row, of_code, ids)
        if row is None:
            begun.append((*newest, owner, code_id))
        else:
            followed.append((*newest, row["id"]))
        if sealed:
            full[code_id] = sealed
    connection.executemany(_INSERT, begun)
    connection.executemany(_UPDATE, followed)
    known.update(_series(connection, owner, [code_id for code_id in full if code_id not in known]))
    connection.executemany(
        _SEAL, [(known[code_id]["id"], *segment) for code_id, sealed in full.items() for segment in sealed]
    )


def _series(
    connection: DatabaseConnection, owner: Profile, code_ids: Sequence[int]
) -> dict[int, DatabaseRow]:
    """The rows of those codes that have one."""
    found: dict[int, DatabaseRow] = {}
    for start in range(0, len(code_ids), _AT_ONCE):
        part = code_ids[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(part))
        query = f"SELECT * FROM series WHERE profile = ? AND code_id IN ({marks})"
        found.update((row["code_id"], row) for row in connection.execute(query, (owner, *part)))
    return found


def _segments(row: DatabaseRow | None, readings: Sequence[Reading], ids: "_LabelIds") -> Sequence[Values]:
    """A code's segments after some readings, the open one last and the full ones before it.

    Each is its first and last moment and what is packed; `row` is that of its open segment so far.
    """
    left = [(seconds_of(reading.at), ids.counts(reading)) for reading in readings]
    sealed: list[Values] = []
    try:
        known = None if row is None else _open_segment(row)
    except SPOILT:  # it stays as it is, and a new one begins
        known = None
        sealed += [] if row is None else [(left[0][0], left[0][0], row["newest"], row["steps"], None)]
    if known is None:
        first = last = left[0][0]
        segment, packed = Segment.begun(*left[0]), NOTHING_PACKED
    else:
        first, last, segment, packed = known
    while left:
        at, counts = left[0]
        if is_full(packed) and not segment.holds(at, counts):
            sealed.append((first, last, *packed))
            first, last, segment, taken = at, at, Segment.begun(at, counts), left[:1]
        else:
            taken = left[: until_full(packed, len(segment.steps))]
            segment = segment.followed_by(taken)
            moments = [at for at, _ in taken]
            first, last = min(first, *moments), max(last, *moments)
        left = left[len(taken) :]
        packed = pack(segment, SCANS_ID)
    return [*sealed, (first, last, *packed)]


def _open_segment(row: DatabaseRow) -> tuple[int, int, Segment, Packed]:
    """The first and last moment of a row's segment, and it. Raises what a spoilt value raises."""
    segment, scans = unpack(row["newest"], row["steps"]), row["scans"]
    is_whole = isinstance(scans, bytes) and scans
    packed = Packed(row["newest"], row["steps"], scans) if is_whole else pack(segment, SCANS_ID)
    return int(row["first_at"]), int(row["last_at"]), segment, packed


class _LabelIds:
    """The ids of labels, those of a breakdown looked up together; those that are not known yet get one."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self._connection = connection
        self._known: dict[tuple[str, str | None], int] = {}
        self._by_label: dict[str, dict[str, int]] = {}
        """By breakdown and label as readings have it, which is told far more often than it is new."""

    def counts(self, reading: Reading) -> dict[int, int]:
        """Return the counts of a reading, by the ids of totals and labels."""
        totals = zip(TOTAL_IDS.values(), (reading.clicks, reading.unique, reading.scans), strict=True)
        counts = {label_id: total for label_id, total in totals if total is not None}
        for breakdown, by_label in reading.breakdowns.items():
            ids = self._ids(breakdown, by_label)
            counts[self._known[breakdown, None]] = 0
            found = {ids[label]: count for label, count in by_label.items()}
            if len(found) < len(by_label):  # two labels that are stored as one text
                found = dict.fromkeys(found, 0)
                for label, count in by_label.items():
                    found[ids[label]] += count
            counts.update(found)
        return counts

    def _ids(self, breakdown: str, labels: Iterable[str]) -> Mapping[str, int]:
        """The ids of the labels of a breakdown, and of those that came before."""
        ids = self._by_label.setdefault(breakdown, {})
        if not ids or not all(map(ids.__contains__, labels)):
            texts = {label: storable_text(label) for label in labels}
            self._learn(breakdown, [None, *dict.fromkeys(texts.values())])
            ids.update((label, self._known[breakdown, text]) for label, text in texts.items())
        return ids

    def _learn(self, breakdown: str, texts: Sequence[str | None]) -> None:
        """Find, or make, the ids of those labels that are not known here yet."""
        if self._look_up(breakdown, texts):
            self._connection.lock("labels")
            for text in self._look_up(breakdown, texts):
                insert = "INSERT INTO labels (breakdown, label) VALUES (?, ?) RETURNING id"
                made = self._connection.execute(insert, (breakdown, text))
                self._known[breakdown, text] = returned_id(made)

    def _look_up(self, breakdown: str, texts: Sequence[str | None]) -> list[str | None]:
        """Ask for what is not known, and return what is still unknown."""
        missing = self._unknown(breakdown, texts)
        for start in range(0, len(missing), _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT id, label FROM labels WHERE breakdown = ? AND (label IS NULL OR label IN ({marks}))",
                (breakdown, *part),
            )
            self._known.update(((breakdown, row["label"]), int(row["id"])) for row in rows)
        return self._unknown(breakdown, texts)

    def _unknown(self, breakdown: str, texts: Sequence[str | None]) -> list[str | None]:
        return [text for text in texts if (breakdown, text) not in self._known]


def take_over_series(connection: DatabaseConnection, old: str, new: str) -> None:
    """Give the series of one owner to another; of a code of which both have one, they become one.

    Its open segment is that of the one that ends later, and that of the other is full.
    """
    connection.lock("history", old)
    connection.lock("history", new)
    for ending in ("", LISTED):
        owners = (old + ending, new + ending)
        for row in connection.execute(_OF_BOTH, owners).fetchall():
            ids = (row["old_id"], row["new_id"])
            left, kept = ids if row["old_last"] <= row["new_last"] else reversed(ids)
            connection.execute("UPDATE segments SET series_id = ? WHERE series_id = ?", (kept, left))
            connection.execute(_SEAL_OPEN, (kept, left))
            connection.execute("DELETE FROM series WHERE id = ?", (left,))
        connection.execute("UPDATE series SET profile = ? WHERE profile = ?", (owners[1], owners[0]))


_OF_BOTH = """
    SELECT old.id AS old_id, old.last_at AS old_last, new.id AS new_id, new.last_at AS new_last
    FROM series AS old JOIN series AS new ON new.code_id = old.code_id
    WHERE old.profile = ? AND new.profile = ?
"""
_SEAL_OPEN = """
    INSERT INTO segments (series_id, first_at, last_at, newest, steps, scans)
    SELECT CAST(? AS BIGINT), first_at, last_at, newest, steps, scans FROM series WHERE id = ?
"""


def owner_of_listed(profile: Profile) -> Profile:
    return profile + LISTED


def profile_of(owner: str) -> str:
    """The profile that a series belongs to."""
    return owner.removesuffix(LISTED)


def seconds_of(moment: datetime) -> int:
    return int(moment.timestamp())
