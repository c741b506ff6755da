"""`linkdash report`: a report on codes over a period."""

import argparse
import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, timedelta

from linkdash.api.errors import LinkdashError
from linkdash.api.fields import fields_of
from linkdash.api.folded_text import folded
from linkdash.api.resources.qr import QrCode
from linkdash.commands.argument_types import LONGEST_DAYS, USUAL_DAYS
from linkdash.commands.exit_status import FINE, NotKept, WrongUsage
from linkdash.commands.output import put_csv
from linkdash.commands.standard_streams import put, say, say_text, tell
from linkdash.model.browser import has_browser, open_link
from linkdash.model.declaration import declaration
from linkdash.model.humanize import ago, counted
from linkdash.model.lists.filter import FilterError, parse
from linkdash.model.lists.known_facts import with_computed
from linkdash.model.local_time import local_moment
from linkdash.model.session import Session
from linkdash.model.statistics import report as reports
from linkdash.model.statistics.code_statistics import CodeStatistics, StatisticsReader, kept_codes
from linkdash.model.statistics.period import Period, between, period
from linkdash.model.statistics.report import Report
from linkdash.model.statistics.report.from_history import kept_report
from linkdash.store.files import save_text
from linkdash.store.folders import downloads_folder


async def report(session: Session, flags: argparse.Namespace) -> int:
    """`linkdash report [CODE ...]`: what was kept of codes, of all where none is named; no request."""
    over = _period(session, flags)
    known = {known.code.id: known.code for known in await kept_codes(session)}
    if not known:
        raise LinkdashError("No statistics are stored yet.", "linkdash collect reads them.")
    codes = await _matching(session, flags.filter, _chosen(known, [*flags.codes, *flags.qr]))
    made = await kept_report(session, codes, over, flags.sort)
    made = replace(made, most=flags.top, has_details=flags.detail)
    read = [code.readings[-1].at for code in made.codes if code.readings]
    tell(f"The newest reading was made {ago(max(0.0, session.now() - max(read).timestamp()))}.")
    form = flags.format or ("html" if flags.open else "markdown")
    if flags.open:
        if form != "html":
            raise WrongUsage("--open opens a page of html.", f"Leave --format {form} out.")
        await _open_page(made, session.settings.profile)
    else:
        _write(made, form, session.settings.profile)
    return FINE


def _write(made: Report, form: str, profile: str) -> None:
    match form:
        case "csv":
            put_csv(reports.csv(made))
        case "json":
            put(reports.json(made))
        case "html":
            say_text(reports.html(made, profile))
        case _:
            say_text(reports.markdown(made))


def _period(session: Session, flags: argparse.Namespace) -> Period:
    """The last whole days, or those from one day to another. Raises WrongUsage."""
    now = local_moment(session.now())
    if flags.first is None and flags.last is None:
        return period("own", now, days=flags.since or USUAL_DAYS)
    if flags.since is not None:
        raise WrongUsage("--since cannot be combined with --from or --to.", "Use one of them.")
    yesterday = now.date() - timedelta(days=1)
    last = flags.last or yesterday
    if flags.first is None:
        raise WrongUsage("--to needs --from.", "Write for example: --from 2026-10-01 --to 2026-10-31")
    if flags.first > last:
        raise WrongUsage(f"--from {flags.first} is after {last}.", "--from must not be after --to.")
    if last > yesterday:
        raise WrongUsage(f"{last} is not over yet.", f"The last whole day is {yesterday}.")
    if (last - flags.first).days >= LONGEST_DAYS:
        raise WrongUsage(f"That is more than {LONGEST_DAYS} days.", "Choose a shorter period.")
    return between(flags.first, last, now.tzinfo or UTC)


async def _open_page(made: Report, profile: str) -> None:
    """Save the report where the user finds it, and hand it to the browser. Raises NotSaved."""
    text = await asyncio.to_thread(reports.html, made, profile)
    path = save_text(downloads_folder(), f"{made.file_stem}-{made.at:%Y-%m-%d}", "html", text)
    say(str(path))
    if not has_browser():
        tell("No browser can open from here.")
        return
    await asyncio.to_thread(open_link, path.absolute().as_uri())


def _named(ids: Sequence[int]) -> str:
    noun = "QR code" if len(ids) == 1 else "QR codes"
    return f"{noun} {', '.join(map(str, ids))}"


def _chosen(known: Mapping[int, QrCode], words: Sequence[str]) -> list[QrCode]:
    """The codes that are named: by id, by name, or by a part of the name; all where none is.

    Raises NotKept, WrongUsage.
    """
    if not words:
        return [*known.values()]
    missing = [int(word) for word in words if word.isdecimal() and int(word) not in known]
    if missing:
        raise NotKept(
            f"Nothing is stored of {_named(missing)}.", "linkdash collect --qr, or linkdash stats, reads it."
        )
    found = dict[int, QrCode]()
    for word in words:
        codes = [known[int(word)]] if word.isdecimal() else _called(known.values(), word)
        if not codes:
            raise NotKept(f"No stored code is named {word!r}.", "linkdash list qr shows their names.")
        found.update((code.id, code) for code in codes)
    return [*found.values()]


def _called(codes: Iterable[QrCode], name: str) -> list[QrCode]:
    """Those with exactly this name; where there is none, those whose name has it in it."""
    wanted, every = folded(name), [*codes]
    exactly = [code for code in every if folded(code.name) == wanted]
    return exactly or [code for code in every if wanted in folded(code.name)]


async def _matching(session: Session, text: str | None, codes: Sequence[QrCode]) -> Sequence[QrCode]:
    """The codes that a filter finds. Raises WrongUsage, NotKept."""
    if not text:
        return codes
    try:
        columns = await with_computed(session, declaration("qr"))
        wanted = parse(text, fields_of(QrCode), session.local_time(), columns)
        matches = [(code, wanted.matches(code)) for code in codes]
    except FilterError as error:
        raise WrongUsage(f"{error.what}.", f"{error.advice}.") from None
    if not_known := sum(match is None for _, match in matches):
        tell(f"Left out {counted(not_known, 'code')}: what the filter asks for is not known of them.")
    found = [code for code, match in matches if match]
    if not found:
        raise NotKept(f"No code of {len(codes):,} matches the filter.", "")
    return found


def report_of(codes: Iterable[CodeStatistics], reader: StatisticsReader, days: int) -> Report:
    now = reader.now
    return reports.report([(code.code, code.readings) for code in codes], period("own", now, days=days), now)
