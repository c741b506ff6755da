"""The export that a file comes from: known by what stands in it, whatever the file is called."""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from linkdash.api.errors import InvalidBody
from linkdash.api.records import Record
from linkdash.model.declaration import AnyResource
from linkdash.model.lists.collection import AnyCollection, Collection
from linkdash.model.lists.export import cell_of, record_members
from linkdash.model.session_services import SessionServices
from linkdash.model.writes.import_file import FileRow
from linkdash.model.writes.import_plan import given_id
from linkdash.model.writes.named_updates import Shown, shown_here
from linkdash.store.page_cache import Params

MOST_KEPT = 8
"""Exports of a list that are kept, the newest ones."""
_MOST_LOOKED_AT = 1_000  # rows that tell whether a file is of an export at all


async def keep_exported(context: SessionServices, collection: AnyCollection) -> None:
    """Keep what a file is made of: what is changed from now on is not undone when it is imported."""
    await _keep(context, collection, {"export": await asyncio.to_thread(_digest, collection.records)})
    kept = await context.kept(context.store.exports.kept(_place(collection)), [])
    for names in [names for names in kept if "export" in names][MOST_KEPT:]:
        await context.kept(context.store.exports.forget(_place(collection), names), None)


def _digest(records: Sequence[Record]) -> str:
    rows = [record.raw for record in records]
    return hashlib.sha256(json.dumps(rows, sort_keys=True, default=str).encode()).hexdigest()[:32]


class FileBasis(NamedTuple):
    """The records that the rows of a file are compared with."""

    seen: Mapping[int, Shown[Record]] = {}
    """As they were when the file was exported here, or else when its import was begun, by id."""
    exported: Mapping[int, Record] = {}
    """As the file had them when it was exported here; empty where it comes from elsewhere."""


async def basis_of_file(
    context: SessionServices, resource: AnyResource, file: Path, rows: Sequence[FileRow]
) -> FileBasis:
    """The records that a file was made of, as far as that is known."""
    collection: AnyCollection = Collection(context, resource)  # what others work with stays as it is
    kept = await context.kept(context.store.exports.kept(_place(collection)), [])
    exports = [await _load(context, collection, names) for names in kept if "export" in names]
    if (found := _export_of(rows, [one for one in exports if one])) is not None:
        return FileBasis(found, {id: record for id, (record, _) in found.items()})
    begun = _begun(file)
    if seen := await _load(context, collection, begun):
        return FileBasis(seen)
    shown = await shown_here(collection)
    await _keep(context, collection, begun)
    return FileBasis(shown)


def _begun(file: Path) -> Params:
    return {"begun": str(file.absolute())}


_Seen = Mapping[int, Shown[Record]]


def _export_of(rows: Sequence[FileRow], exports: Sequence[_Seen]) -> _Seen | None:
    """The export that a file is an edited copy of: most of it stands there; the newest of those alike."""
    filed = by_id(rows)
    some = [*filed.items()][:: max(1, len(filed) // _MOST_LOOKED_AT)]
    wanted = max(1, sum(len(row.filled) - 1 for _, row in some) / 2)
    likely = [one for one in exports if _agreeing(dict(some), one) >= wanted]
    if len(likely) < 2:
        return next(iter(likely), None)
    told_apart = {id: row for id, row in filed.items() if not _is_same_in_all(id, likely)}
    return max(likely, key=lambda one: _agreeing(told_apart, one))


def by_id(rows: Sequence[FileRow]) -> dict[int, FileRow]:
    """The rows about records, without those whose id is none."""
    found = {}
    for row in rows:
        with suppress(InvalidBody):
            if (id := given_id(row)) is not None:
                found[id] = row
    return found


def _is_same_in_all(id: int, exports: Sequence[_Seen]) -> bool:
    rows = [one[id][0].raw if id in one else None for one in exports]
    return all(row == rows[0] for row in rows)


def _agreeing(rows: Mapping[int, FileRow], export: _Seen) -> int:
    """The number of filled cells, beside ids, that stand there as they were exported."""
    return sum(_agreeing_cells(row, export[id][0]) for id, row in rows.items() if id in export)


def _agreeing_cells(row: FileRow, record: Record) -> int:
    if row.are_cells:
        return sum(
            cell in cell_of(record, name)
            for name, cell in row.filled.items()
            if name in type(record).model_fields and name != "id"
        )
    members = record_members(record)
    own = members if isinstance(members, dict) else {}
    return sum(name != "id" and name in own and own[name] == value for name, value in row.filled.items())


async def _keep(context: SessionServices, collection: AnyCollection, names: Params) -> None:
    model, listing = collection.resource.update, collection.listing
    if model is None or model.model_fields.keys().isdisjoint(collection.resource.record.model_fields):
        return
    rows = [record.raw for record in collection.records]
    moment = datetime.fromtimestamp(context.now() if listing.oldest_at is None else listing.oldest_at, UTC)
    await context.kept(context.store.exports.save(_place(collection), names, rows, moment), None)


async def _load(context: SessionServices, collection: AnyCollection, names: Params) -> _Seen:
    kept = await context.kept(context.store.exports.load(_place(collection), names), None)
    if kept is None:
        return {}
    return {record.id: (record, kept.at) for record in await collection.source.read(kept.payload)}


def _place(collection: AnyCollection) -> str:
    """Return the store's name for files of a list, apart from its pages."""
    return f"{collection.source.request(1).path} in files"
