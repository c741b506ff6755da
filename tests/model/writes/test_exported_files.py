"""The records that the rows of a file are compared with: as they were when it was exported here, or begun."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from linkdash.api.records import Record
from linkdash.demo.server import Running
from linkdash.model.declaration import declaration
from linkdash.model.writes.exported_files import basis_of_file, keep_exported
from linkdash.model.writes.import_file import FileRow
from tests.model.writes.conftest import Open

PIXELS = declaration("pixels")


def raw(records: Iterable[Record]) -> dict[int, Mapping[str, object]]:
    return {record.id: record.raw for record in records}


async def test_an_edited_copy_of_an_export_is_compared_with_what_was_exported(
    demo: Running, open_session: Open, tmp_path: Path
) -> None:
    session = open_session(demo)
    collection = session.collection("pixels")
    await collection.read(1)
    exported = raw(collection.records)
    rows = [FileRow(at, {**members, "tag": "1"}) for at, members in enumerate(exported.values(), 1)]
    await keep_exported(session, collection)
    await session.client.pixels.update(128, name="Since", tag="12345678")
    await collection.read(1)
    assert raw(collection.records) != exported
    basis = await basis_of_file(session, PIXELS, tmp_path / "copy.json", rows)
    assert raw(basis.exported.values()) == exported
    assert raw(record for record, _ in basis.seen.values()) == exported


async def test_a_file_from_elsewhere_is_compared_with_what_was_known_when_it_was_begun(
    demo: Running, open_session: Open, tmp_path: Path
) -> None:
    session = open_session(demo)
    collection = session.collection("pixels")
    await collection.read(1)
    known = raw(collection.records)
    rows = [FileRow(1, {"id": 128, "name": "From elsewhere"})]
    first = await basis_of_file(session, PIXELS, tmp_path / "a.json", rows)
    await session.client.pixels.update(128, name="Since", tag="12345678")
    await collection.read(1)
    again = await basis_of_file(session, PIXELS, tmp_path / "a.json", rows)
    other = await basis_of_file(session, PIXELS, tmp_path / "b.json", rows)
    assert first.exported == again.exported == other.exported == {}
    for basis in (first, again):
        assert raw(record for record, _ in basis.seen.values()) == known
    assert other.seen[128][0].raw["name"] == "Since"
