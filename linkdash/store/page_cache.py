"""Page snapshots: the last answer to each list request, so that the next look costs no request."""

import asyncio
import json
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from pydantic_core import to_json

from linkdash.api.http.secrecy import masked
from linkdash.store.database import (
    Database,
    DatabaseConnection,
    DatabaseRow,
    Profile,
    read_moment,
    stored_moment,
)

PAGES_SCHEMA = (
    """CREATE TABLE pages (
        profile TEXT NOT NULL,
        resource TEXT NOT NULL,
        params TEXT NOT NULL,
        at TEXT NOT NULL,
        used INTEGER NOT NULL,
        size INTEGER NOT NULL,
        listed INTEGER NOT NULL,
        payload BLOB NOT NULL,
        UNIQUE (profile, resource, params)
    )""",
)
SCHEMA = (
    *PAGES_SCHEMA,
    """CREATE TABLE page_caps (
        profile TEXT NOT NULL,
        resource TEXT NOT NULL,
        cap INTEGER NOT NULL,
        PRIMARY KEY (profile, resource)
    ) WITHOUT ROWID""",
)

CAPACITY = 50_000_000
"""Bytes of snapshots kept in one file, of all profiles together; the least recently used go first."""

_UNPACKED_BYTES = 64_000_000
"""The most that one snapshot may unpack to: a small file must not fill the memory."""

_ROWS_AT_ONCE = 300
"""Rows turned into JSON in one go: a millisecond in which no other thread runs."""
_BETWEEN_PARTS = 0.002
"""Seconds in which every other thread runs before the next part: what is kept can wait."""
_UNPACKED_AT_ONCE = 1_000_000  # bytes

Params = Mapping[str, str | int]


class PageSnapshot(NamedTuple):
    """The answer of the service to one list request."""

    params: Params
    payload: object
    """The `data` member of the answer, its secrets masked."""
    at: datetime


class Pages:
    """The page snapshots of one profile. Secrets are masked before they reach the file.

    Every method raises StoreUnavailable.
    """

    def __init__(self, database: Database, profile: Profile, capacity: int = CAPACITY) -> None:
        self._database = database
        self._profile = profile
        self._capacity = capacity
        # Uses wait here for the next write, so that reading needs no room on the disk.
        self._used: dict[tuple[str, str], None] = {}

    async def save(
        self, resource: str, params: Params, payload: object, at: datetime, *, in_haste: bool = False
    ) -> None:
        """Keep the `data` of an answer in place of the last one to the same request.

        `in_haste` is for who waits for it alone: no other thread gets its turn meanwhile.
        `payload` must not change while this runs. One larger than the capacity, or than 64 MB of JSON, is not
        kept.
        """
        packed = await asyncio.to_thread(_packed, payload, 0 if in_haste else _BETWEEN_PARTS)
        key = (self._profile, resource, _params_key(params))
        values = (*key, stored_moment(at), len(packed or b""), isinstance(payload, list), packed)
        touched, self._used = [*self._used], {}

        def insert(connection: DatabaseConnection) -> None:
            for used_resource, used_params in touched:
                _touch(connection, (self._profile, used_resource, used_params))
            connection.execute("DELETE FROM pages WHERE profile = ? AND resource = ? AND params = ?", key)
            if packed is not None and len(packed) <= self._capacity:
                connection.execute(f"INSERT INTO pages VALUES (?, ?, ?, ?, {_NEXT_USE}, ?, ?, ?)", values)
                _evict(connection, self._capacity)

        await self._database.run(insert)

    async def load(self, resource: str, params: Params) -> PageSnapshot | None:
        """The last answer to a request, if it is kept."""
        found = await self._select(resource, "AND params = ?", _params_key(params))
        return found[0] if found else None

    async def all_pages(self, resource: str, since: datetime | None) -> list[PageSnapshot]:
        """Every snapshot of a resource, by page number; those from before `since` are not unpacked."""
        begun = "" if since is None else stored_moment(since)
        snapshots = await self._select(resource, "AND at > ? ORDER BY params", begun)
        return sorted(snapshots, key=_page_number)

    async def kept(self, resource: str) -> list[Params]:
        """The requests to a resource whose answers are kept, the newest first."""
        query = "SELECT params FROM pages WHERE profile = ? AND resource = ? ORDER BY at DESC, used DESC"
        rows = await self._database.select(query, (self._profile, resource))
        return self._database.decoded(rows, lambda row: dict(json.loads(row["params"])), "pages")

    async def forget(self, resource: str, params: Params) -> None:
        """Keep no answer to a request any more."""
        await self._database.execute(
            "DELETE FROM pages WHERE profile = ? AND resource = ? AND params = ?",
            (self._profile, resource, _params_key(params)),
        )

    async def learn_page_size(self, resource: str, size: int) -> None:
        """Keep the largest page the service gives of a resource."""
        await self._database.execute(
            "INSERT OR REPLACE INTO page_caps VALUES (?, ?, ?)", (self._profile, resource, size)
        )

    async def page_sizes(self) -> dict[str, int]:
        """The largest pages the service gives, by resource, as far as they were learned."""
        query = "SELECT resource, cap FROM page_caps WHERE profile = ? ORDER BY resource"
        rows = await self._database.select(query, (self._profile,))
        return dict(
            self._database.decoded(rows, lambda row: (row["resource"], int(row["cap"])), "page sizes")
        )

    async def size(self) -> tuple[int, int]:
        """The number of answers kept, and their bytes."""
        query = "SELECT COUNT(*) AS pages, COALESCE(SUM(size), 0) AS bytes FROM pages WHERE profile = ?"
        (row,) = await self._database.select(query, (self._profile,))
        return int(row["pages"]), int(row["bytes"])

    async def _select(self, resource: str, rest: str, *values: str) -> list[PageSnapshot]:
        rows = await self._database.select(
            f"SELECT * FROM pages WHERE profile = ? AND resource = ? {rest}",
            (self._profile, resource, *values),
        )
        self._used.update({(resource, row["params"]): None for row in rows})
        return await asyncio.to_thread(self._database.decoded, rows, _snapshot, "pages")


_NEXT_USE = "(SELECT coalesce(max(used), 0) + 1 FROM pages)"


def _touch(connection: DatabaseConnection, key: tuple[Profile, str, str]) -> None:
    connection.execute(
        f"UPDATE pages SET used = {_NEXT_USE} WHERE profile = ? AND resource = ? AND params = ?", key
    )


def _evict(connection: DatabaseConnection, capacity: int) -> None:
    """Delete what was least recently used until the rest fits."""
    connection.execute(
        """DELETE FROM pages WHERE rowid IN (
            SELECT page FROM (SELECT rowid AS page, sum(size) OVER (ORDER BY used DESC) AS total FROM pages)
            WHERE total > ?
        )""",
        (capacity,),
    )


def _params_key(params: Params) -> str:
    return json.dumps(dict(params), sort_keys=True)


def _snapshot(row: DatabaseRow) -> PageSnapshot:
    """Raise what a spoilt value raises."""
    payload = _unpacked(row["payload"], listed=bool(row["listed"]))
    snapshot = PageSnapshot(
        params=dict(json.loads(row["params"])), payload=payload, at=read_moment(row["at"])
    )
    _page_number(snapshot)
    return snapshot


def _page_number(snapshot: PageSnapshot) -> int:
    return int(snapshot.params.get("page", 0))


def _packed(payload: object, pause: float) -> bytes | None:
    """Compressed lines of JSON: one for a map, one for every few hundred rows of a list; None if too many."""
    compressor = zlib.compressobj(level=3)
    packed, size = [], 0
    for part in _parts(payload):
        line = _line(masked(part))
        size += len(line)
        if size > _UNPACKED_BYTES:
            return None
        packed.append(compressor.compress(line))
        if pause:
            time.sleep(pause)
    return b"".join((*packed, compressor.flush()))


def _line(part: object) -> bytes:
    with suppress(ValueError):  # halves of characters, which the quick way does not write
        return to_json(part, inf_nan_mode="constants") + b"\n"
    return json.dumps(part, separators=(",", ":")).encode() + b"\n"


def _parts(payload: object) -> Iterator[object]:
    if not isinstance(payload, list):
        yield payload
        return
    for start in range(0, len(payload), _ROWS_AT_ONCE):
        yield payload[start : start + _ROWS_AT_ONCE]


def _unpacked(packed: bytes, *, listed: bool) -> object:
    """Return the unpacked value. Raises ValueError or zlib.error for what `_packed` cannot have made."""
    if not listed:
        (payload,) = map(json.loads, _lines(packed))
        return payload
    rows: list[object] = []
    for line in _lines(packed):
        part = json.loads(line)
        if isinstance(part, dict):  # what earlier versions kept: the values of each member in a list
            part = [dict(zip(part, values, strict=True)) for values in zip(*part.values(), strict=True)]
        if not isinstance(part, list):
            raise ValueError("no rows")
        rows += part
    return rows


def _lines(packed: bytes) -> Iterator[bytes]:
    """The lines of a long text, unpacked some at a time, and not more than a snapshot may have."""
    unpacker, rest, size = zlib.decompressobj(), b"", 0
    while packed and not unpacker.eof:
        some = unpacker.decompress(packed, _UNPACKED_AT_ONCE)
        size += len(some)
        if size > _UNPACKED_BYTES:
            raise ValueError("more than a snapshot may unpack to")
        *lines, rest = (rest + some).split(b"\n")
        packed = unpacker.unconsumed_tail
        yield from lines
    if not unpacker.eof:
        raise zlib.error("the end is missing")
    yield from (rest + unpacker.flush()).splitlines()
