"""The selection of QR codes that a verb is about."""

from collections.abc import Iterable

from linkdash.api.resources.qr import QrCode
from linkdash.model.resources.qr import RESOURCE as CODES
from linkdash.model.session import Session
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader
from linkdash.model.statistics.collector import SWEEP_FRESH
from linkdash.model.statistics.readings import has_statistics


async def codes_of(session: Session, ids: Iterable[int]) -> list[CodeStatistics]:
    """Codes with the name and the link that the list told when it was last read."""
    collection = session.collection_of(CODES)
    await collection.recall()
    known = {record.id: record for record in collection.records}
    return [CodeStatistics(known.get(id) or QrCode(id=id)) for id in ids]


def is_fresh(code: CodeStatistics, reader: StatisticsReader) -> bool:
    """Return whether it was read a moment ago, here or by another program."""
    age = code.age(reader.now)
    return age is not None and age < SWEEP_FRESH and has_statistics(code.latest)
