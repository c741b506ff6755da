"""A report of what was kept of codes; no request is sent for it."""

import asyncio
from collections.abc import Sequence

from linkdash.api.resources.qr import QrCode
from linkdash.model.local_time import local_moment
from linkdash.model.session import Session
from linkdash.model.statistics.period import Period
from linkdash.model.statistics.report.content import Report, Sort, ordered, report


async def kept_report(
    session: Session, codes: Sequence[QrCode], period: Period, sort: Sort | None = "change"
) -> Report:
    """Return what happened to codes in a period, as far as the history tells; without `sort` in their order.

    Raises StoreUnavailable.
    """
    readings = await session.store.history.readings_of(code.id for code in codes)
    histories = [(code, readings.get(code.id, [])) for code in codes]
    now = local_moment(session.now())
    made = await asyncio.to_thread(report, histories, period, now)
    return made if sort is None else ordered(made, sort)
