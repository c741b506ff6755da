"""`linkdash stats`: the statistics of codes."""

import argparse
import asyncio

from linkdash.api.errors import CONCERN_EVERYTHING, ServiceError
from linkdash.commands.exit_status import FINE, NotKept
from linkdash.commands.failures import tell_failure
from linkdash.commands.output import ProgressBar, put_csv, put_lines, write_rows
from linkdash.commands.report import report_of
from linkdash.commands.standard_streams import put, tell
from linkdash.model.humanize import ago, counted
from linkdash.model.session import Session
from linkdash.model.statistics import report as reports
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader, codes_of
from linkdash.model.statistics.collector import SWEEP_FRESH
from linkdash.model.statistics.readings import has_statistics
from linkdash.model.statistics.report import CodeReport, Report
from linkdash.model.statistics.sentences import plain

_TITLES = {
    "id": "Id",
    "name": "Name",
    "scans": "Scans",
    "clicks": "Clicks",
    "unique": "Unique",
    "read": "Read",
    "answer": "What happened",
}


# ---- the verbs ----


async def stats(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash stats ID ...`: 1 request a code, unless it was read a moment ago or with --cached.

    A code that cannot be read is told and the others go on; what concerns every code ends it.
    """
    reader = StatisticsReader(session)
    codes = await codes_of(session, dict.fromkeys(flags.ids))
    bar = ProgressBar(len(codes), "codes")
    found, status = list[CodeStatistics](), FINE
    try:
        for done, code in enumerate(codes):
            bar.show(done)
            read = await _read(code, reader, bar, flags)
            if read == FINE:
                found.append(code)
            else:
                status = read
    except asyncio.CancelledError:
        tell(f"{len(found)} of {counted(len(codes), 'code')} were read.")
        raise
    finally:
        bar.end()
        if found:
            _write_stats(report_of(found, reader, flags.since), flags.format)
    return status


async def _read(
    code: CodeStatistics, reader: StatisticsReader, bar: ProgressBar, flags: argparse.Namespace
) -> int:
    """Read a code where that is due; return the status of what became of it, which is told if it failed."""
    await reader.recall(code)
    if flags.cached:
        nothing = NotKept(f"Nothing is stored of QR code {code.code.id}.")
        return FINE if code.readings else tell_failure(nothing, flags)
    if (error := await read_if_due(code, reader)) is None:
        return FINE
    bar.end()
    return tell_failure(error, flags, f"QR code {code.code.id}")


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


# ---- what is written ----


def _write_stats(made: Report, form: str) -> None:
    """The codes in a format: json, jsonl and csv hold every number, a table the answer."""
    match form:
        case "json":
            put(reports.json(made))
        case "jsonl":
            put_lines(map(reports.members, made.codes))
        case "csv":
            put_csv(reports.csv(made))
        case _:
            write_rows(_TITLES, [_row(made, code) for code in made.codes], form)
            if gaps := sum(len(code.gaps) for code in made.codes):
                tell(f"{counted(gaps, 'gap')} without readings; --format json lists them.")


def _row(made: Report, code: CodeReport) -> dict[str, object]:
    row: dict[str, object] = {"id": code.code.id, "name": code.code.name}
    if code.latest is None:
        return {**row, "answer": "No statistics are known."}
    read = ago(max(0.0, (made.at - code.latest.at).total_seconds()))
    totals = {
        "scans": _count(code.latest.scans),
        "clicks": _count(code.latest.clicks),
        "unique": _count(code.latest.unique),
    }
    return {**row, **totals, "read": read, "answer": plain(code.answer.sentence)}


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
