"""`linkdash stats`, `report`, `collect`: what codes were scanned, now, as kept, or read to be kept."""

import argparse
import asyncio
from collections.abc import Iterable, Sequence
from functools import partial

from linkdash.api.errors import AdminRequired, KeyRefused, NotSent, ServiceError
from linkdash.api.qr import QrCode
from linkdash.commands.output import ProgressBar, json_line, write_rows
from linkdash.commands.running import FAILED, FINE, REFUSED, NotFound, of_error
from linkdash.commands.streams import put, tell
from linkdash.model.alerts import look
from linkdash.model.humanize import ago, counted
from linkdash.model.session import Session
from linkdash.model.statistics import report as reports
from linkdash.model.statistics.answers import plain
from linkdash.model.statistics.code_statistics import (
    SWEEP_FRESH,
    SWEEP_LIST_AGE,
    CodeStatistics,
    Collected,
    Collector,
    StatisticsReader,
)
from linkdash.model.statistics.periods import period
from linkdash.model.statistics.readings import has_statistics
from linkdash.model.statistics.report import CodeReport, Report, markdown

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
            await reader.recall(code)
            try:
                if not flags.cached and not is_fresh(code, reader):
                    await reader.read(code)
            except (KeyRefused, AdminRequired, NotSent):
                raise
            except ServiceError as error:
                bar.end()
                tell(f"QR code {code.code.id}: {error}")
                status = of_error(error)
                continue
            if code.readings or not flags.cached:
                found.append(code)
            else:
                tell(f"Nothing is stored of QR code {code.code.id}.")
                status = REFUSED
    except asyncio.CancelledError:
        tell(f"{len(found)} of {counted(len(codes), 'code')} were read.")
        raise
    finally:
        bar.end()
        if found:
            _write_stats(report_of(found, reader, flags.since), flags.format)
    return status


async def report(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash report [ID ...]`: what was kept of codes, of all where none is named; no request."""
    reader, history = StatisticsReader(session), session.store.history
    known = await history.latest_listed() | await history.latest()
    if not known:
        raise NotFound("No statistics are kept yet.", "linkdash collect reads them.")
    if missing := [id for id in flags.ids if id not in known]:
        raise NotFound(
            f"Nothing is kept of {_named(missing)}.", "linkdash collect --qr, or linkdash stats, reads it."
        )
    codes = await codes_of(session, dict.fromkeys(flags.ids) or sorted(known))
    for code in codes:
        await reader.recall(code)
    newest = max(reading.at for reading in known.values())
    tell(f"The newest reading was made {ago(max(0.0, session.now() - newest.timestamp()))}.")
    made = report_of(codes, reader, flags.since)
    write = {"markdown": markdown, "csv": reports.csv, "json": reports.json}
    put(write[flags.format](made))
    return FINE


def _named(ids: Sequence[int]) -> str:
    noun = "QR code" if len(ids) == 1 else "QR codes"
    return f"{noun} {', '.join(map(str, ids))}"


# ---- codes ----


async def codes_of(session: Session, ids: Iterable[int]) -> list[CodeStatistics]:
    """Codes with the name and the link that the list told when it was last read."""
    collection = session.collection("qr")
    await collection.recall()
    known = {record.id: record for record in collection.records}
    return [CodeStatistics(known.get(id) or QrCode(id=id)) for id in ids]


def is_fresh(code: CodeStatistics, reader: StatisticsReader) -> bool:
    """Whether it was read a moment ago, here or by another program."""
    age = code.age(reader.now)
    return age is not None and age < SWEEP_FRESH and has_statistics(code.latest)


def report_of(codes: Iterable[CodeStatistics], reader: StatisticsReader, days: int) -> Report:
    now = reader.now
    return reports.report([(code.code, code.readings) for code in codes], period("own", now, days=days), now)


# ---- what is written ----


def _write_stats(made: Report, form: str) -> None:
    """The codes in a format: json, jsonl and csv hold every number, a table the answer."""
    match form:
        case "json":
            put(reports.json(made))
        case "jsonl":
            put("".join(f"{json_line(reports.members(code))}\n" for code in made.codes))
        case "csv":
            put(reports.csv(made))
        case _:
            write_rows(_TITLES, [_row(made, code) for code in made.codes], form)
            if gaps := sum(len(code.gaps) for code in made.codes):
                tell(f"{counted(gaps, 'gap')} without readings; --format json tells them.")


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


# ---- into the history ----


async def collect(session: Session, flags: argparse.Namespace) -> int:
    """Says a line a code on standard output, the summary on standard error. Raises StoreUnavailable."""
    if flags.every is None:
        return _status(await _round(session, Collector(session, _say, flags.budget), flags))
    return await _stay(session, flags)


_say = partial(print, flush=True)


async def _round(session: Session, collector: Collector, flags: argparse.Namespace) -> Collected:
    """One sweep, its summary, and the alerts that come of it."""
    try:
        result = await collector.run(flags.qr)
    except asyncio.CancelledError:
        tell(f"{collector.result}. What was read is kept.")
        raise
    tell(str(result))
    if session.settings.alerts:
        await look(session, tell)
    return result


async def _stay(session: Session, flags: argparse.Namespace) -> int:
    """A round again and again, until a signal comes or the key is refused; then the sum of them all."""
    loop, rounds = asyncio.get_running_loop(), list[Collected]()
    list_age = min(SWEEP_LIST_AGE, flags.every / 2)
    try:
        while True:
            next_at = loop.time() + flags.every
            collector = Collector(session, _say, flags.budget, list_age=list_age)
            rounds.append(collector.result)
            result = await _round(session, collector, flags)
            if isinstance(result.ended_by, KeyRefused | AdminRequired):
                return _status(result)
            await asyncio.sleep(max(0.0, next_at - loop.time()))
    finally:
        read, requests = sum(one.read for one in rounds), sum(one.requests for one in rounds)
        tell(f"{counted(len(rounds), 'round')}: {counted(read, 'reading')}, {counted(requests, 'request')}.")


def _status(result: Collected) -> int:
    if result.ended_by is not None:
        return of_error(result.ended_by)
    return FAILED if result.failed else FINE
