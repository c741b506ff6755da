"""The scans of a watched code: a strip of the last hour, the last week, and what happened. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from linkdash.model.humanize import ScanStrip, Trend, lasting
from linkdash.model.statistics.chart_data import label_text
from linkdash.model.statistics.period_comparison import Track, added
from linkdash.model.statistics.readings import ReadingChange
from linkdash.model.statistics.scan_activity import REACH, activities
from linkdash.store.reading import Reading, Total

HOUR = timedelta(hours=1)
"""The reach of a strip."""
_TOTALS: tuple[tuple[Total, str], ...] = (("scans", "scan"), ("clicks", "click"))
_COUNTRIES = 2  # that are named beside a change
_QUIET = 3  # scans or clicks at most, between two readings an hour apart or less


def hour_strip(readings: Sequence[Reading], began: datetime, now: datetime, cells: int) -> ScanStrip:
    """The scans of the last hour in so many steps, the running one last; `began` is when the watch did.

    `readings` are in the order of time. Between two of them the scans are spread evenly.
    """
    step = HOUR / cells
    end = datetime.fromtimestamp((now.timestamp() // step.total_seconds() + 1) * step.total_seconds(), UTC)
    track = Track(_within(readings, end - HOUR))
    starts = [end - step * (cells - index) for index in range(cells)]
    amounts = [added([track], "scans", start, start + step) for start in starts]
    live = sum(start + step > began for start in starts)
    return ScanStrip(tuple(None if amount is None else amount.value for amount in amounts), live)


def new_scans(readings: Sequence[Reading], began: datetime) -> int | None:
    """The scans since a watch began, as its events tell them; None where nothing was read since.

    They are counted from the last reading before that, or else from the first of the watch. `readings` are in
    the order of time, to the second.
    """
    counted = [(reading.at, reading.scans) for reading in readings if reading.scans is not None]
    before = sum(at < began.replace(microsecond=0) for at, _ in counted)
    if before == len(counted):
        return None
    return counted[-1][1] - counted[max(0, before - 1)][1]


def _within(readings: Sequence[Reading], start: datetime) -> list[Reading]:
    """The readings from a moment on that tell scans, after the last one before it."""
    telling = [reading for reading in readings if reading.scans is not None]
    before = sum(reading.at < start for reading in telling)
    return telling[max(0, before - 1) :]


def week_trend(code_id: int, readings: Sequence[Reading], now: datetime) -> Trend | None:
    """The last whole days and how the week changed, as lists of codes tell it."""
    scans = tuple(
        (reading.at, reading.scans) for reading in _within(readings, now - REACH) if reading.scans is not None
    )
    found = activities({code_id: scans}, now).get(code_id)
    return None if found is None else found.trend


class WatchNews(NamedTuple):
    """A change of a watched code from one reading to the next."""

    at: datetime
    code_id: int
    words: str
    """`+12 scans, +14 clicks in 15 min: Germany 4`"""


def news_of(code_id: int, readings: Sequence[Reading], now: datetime) -> list[WatchNews]:
    """The events of a code, the newest first; `readings` are in the order of time.

    The quiet ones that follow one another on a day are one event, but for those of the last hour.
    """
    told: list[WatchNews] = []
    for day, run in groupby(_changes(readings), lambda change: _quiet_on(change, now)):
        following = [*run]
        each = [
            WatchNews(change.after.at, code_id, words)
            for change in following
            if (words := change_words(change))
        ]
        whole = ReadingChange(following[0].before, following[-1].after)
        folded = change_words(whole) if day is not None and len(each) > 1 else ""
        told += [WatchNews(following[-1].after.at, code_id, folded)] if folded else each
    return told[::-1]


def _changes(readings: Iterable[Reading]) -> Iterator[ReadingChange]:
    """The changes from each reading to the next; where lists were read in between, of clicks since before."""
    full: Reading | None = None
    before: Reading | None = None
    for reading in readings:
        is_full = not reading.tells_scans_only
        after = reading if is_full or full is None else replace(full, at=reading.at, scans=reading.scans)
        if before is not None:
            yield ReadingChange(replace(before, at=full.at) if is_full and full else before, after)
        full, before = reading if is_full else full, after


def _quiet_on(change: ReadingChange, now: datetime) -> date | None:
    """The day of a change that is next to nothing; None of another, and of one in the last hour."""
    is_short = change.after.at - change.before.at <= HOUR
    deltas = (change.total(name) for name, _ in _TOTALS)
    is_small = all(delta is None or abs(delta.by) <= _QUIET for delta in deltas)
    is_quiet = is_short and is_small and change.after.at <= now - HOUR
    return change.after.at.astimezone(now.tzinfo).date() if is_quiet else None


def change_words(change: ReadingChange) -> str:
    """A change in one line: what was added in which time, and from where; "" where nothing was.

    Countries that together have more than what is told beside them are named without their numbers.
    """
    totals: list[tuple[int, str]] = []
    for name, unit in _TOTALS:
        delta = change.total(name)
        if delta is not None and delta.by:
            totals.append((delta.by, f"{delta.by:+,} {unit}{'' if abs(delta.by) == 1 else 's'}"))
    if not totals:
        return ""
    risen = [(label, delta.by) for label, delta in change.labels("countries").items() if delta.by > 0]
    risen.sort(key=lambda item: (-item[1], item[0]))
    lasted = change.after.at - change.before.at
    minutes = lasted // timedelta(minutes=1)
    time = f"{minutes} min" if minutes % 60 and HOUR < lasted < 3 * HOUR else lasting(lasted.total_seconds())
    told = ", ".join(words for _, words in totals)
    return f"{told} in {time}{_from_where(risen[:_COUNTRIES], max(totals)[0])}"


def _from_where(countries: Sequence[tuple[str, int]], total: int) -> str:
    """`: Germany 4, Spain 1`, with numbers where these are not more than the total."""
    is_more = sum(by for _, by in countries) > total
    words = [label_text(label) + ("" if is_more else f" {by:,}") for label, by in countries]
    return f": {', '.join(words)}" if words else ""
