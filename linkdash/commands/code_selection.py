"""The selection of QR codes that a verb is about."""

from collections.abc import Iterable

from linkdash.api.errors import CONCERN_EVERYTHING, ServiceError
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


async def read_if_due(code: CodeStatistics, reader: StatisticsReader) -> ServiceError | None:
    """Read a code unless that was done a moment ago, here or by another program; the error where that fails.

    Raises ServiceError for what concerns every code.
    """
    age = code.age(reader.now)
    if age is not None and age < SWEEP_FRESH and has_statistics(code.latest):
        return None
    try:
        await reader.read(code)
    except CONCERN_EVERYTHING:
        raise
    except ServiceError as error:
        return error
    return None
