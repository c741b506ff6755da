"""Short summaries of QR codes over a period, made beside everything else."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from linkdash.api.records import as_sent
from linkdash.commands.mcp.answers import CodeSummaries, CodeSummary, LabelCount, NotRead, TotalChange
from linkdash.commands.mcp.call import tell_progress
from linkdash.model.statistics import report as reports
from linkdash.model.statistics.code_statistics import CodeStatistics
from linkdash.model.statistics.period import Period, period
from linkdash.model.statistics.period_comparison import LabelRow
from linkdash.model.statistics.report import CodeReport
from linkdash.model.statistics.report.content import difference
from linkdash.model.statistics.sentences import plain

_TOP = 5
"""Labels of a breakdown that are named."""


class Summaries(NamedTuple):
    """Codes over a period."""

    period: Period
    codes: Sequence[CodeReport]

    def moved(self, direction: Literal["fell", "rose"]) -> "Summaries":
        """Only the codes whose scans fell, or rose; the largest change first."""
        sign = -1 if direction == "fell" else 1
        moved = [code for code in self.codes if sign * difference(code.totals["scans"]) > 0]
        moved.sort(key=lambda code: -sign * difference(code.totals["scans"]))
        return self._replace(codes=moved)

    async def answer(
        self, *, total: int, not_read: Sequence[NotRead] = (), next_offset: int | None = None
    ) -> CodeSummaries:
        """The same as an answer."""
        return CodeSummaries(
            start=self.period.start.isoformat(),
            end=self.period.end.isoformat(),
            codes=await asyncio.to_thread(lambda: [_summary(code) for code in self.codes]),
            not_read=[*not_read],
            total=total,
            next_offset=next_offset,
        )


async def summaries(codes: Sequence[CodeStatistics], days: int, now: datetime) -> Summaries:
    """Compare codes one by one in a thread, so that others are answered and a call can be ended."""
    of = await asyncio.to_thread(period, "own", now, days=days)
    made = list[CodeReport]()
    for number, code in enumerate(codes):
        await tell_progress(number, len(codes), "Comparing")
        report = await asyncio.to_thread(reports.report, [(code.code, code.readings)], of, now)
        made.extend(report.codes)
    return Summaries(of, made)


def _summary(code: CodeReport) -> CodeSummary:
    told, sent = reports.members(code), as_sent(code.code)
    return CodeSummary(
        id=sent.id,
        name=sent.name,
        link=sent.link,
        read_at=None if code.latest is None else code.latest.at.isoformat(),
        answer=plain(code.answer.sentence),
        totals={
            str(name): TotalChange.model_validate(total) for name, total in _dict(told["totals"]).items()
        },
        top={name: [_label(row) for row in (rows or ())[:_TOP]] for name, rows in code.breakdowns.items()},
    )


def _dict(value: object) -> dict[object, object]:
    return value if isinstance(value, dict) else {}


def _label(row: LabelRow) -> LabelCount:
    now, before = row.comparison.now, row.comparison.before
    return LabelCount(
        label=row.label,
        count=row.count,
        added=now.value if now else None,
        before=before.value if before else None,
    )
