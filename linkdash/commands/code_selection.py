"""The reading of QR codes that a verb is about."""

from linkdash.api.errors import CONCERN_EVERYTHING, ServiceError
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader
from linkdash.model.statistics.collector import SWEEP_FRESH
from linkdash.model.statistics.readings import has_statistics


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
