"""Comparison of what was added in a period with the period before. Pure.

The service tells totals at the moment of asking only (reference: QR code). What was added between two
moments is the difference of the totals there; where no reading was made at such a moment, the total lies on
a straight line between its neighbours. Where that line is long for what is asked, the amount is an estimate,
and where the history does not reach, it is partial. Neither is ever hidden.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from linkdash.model.humanize import TELLING_COUNT, TELLING_PERCENT, CountChange
from linkdash.model.statistics.period import Period
from linkdash.model.statistics.readings import Step, in_order
from linkdash.store.reading import Reading, Total

Key: TypeAlias = Total | tuple[str, str]
"""The key of a count: a total, or a breakdown and one of its labels."""

_LONG_GAP = 4
_RHYTHM: Mapping[Step, int] = {"hour": 24, "day": 7}
"""The steps after which day and night or a weekend come again."""


class _Known(NamedTuple):
    """A count at a moment, and how far the readings around it are apart where it lies between them."""

    value: float
    gap: timedelta


class Track:
    """The numbers of one code over time, to be asked at any moment within its readings."""

    def __init__(self, readings: Iterable[Reading]) -> None:
        self._readings = [(reading.at.astimezone(UTC), reading) for reading in in_order(readings)]
        self._full = [(at, reading) for at, reading in self._readings if not reading.tells_scans_only]
        self._telling: dict[str, tuple[list[datetime], list[Reading]]] = {}
        self._added: dict[tuple[Key, datetime, datetime], Amount | None] = {}

    def span(self, key: Key) -> tuple[datetime, datetime] | None:
        """The first and the last reading that tells it; None without any."""
        times, _ = self._tell(key)
        return (times[0], times[-1]) if times else None

    def quiet_since(self, key: Total) -> datetime | None:
        """The last reading that told more than the one before it, or the first; None without any."""
        times, readings = self._tell(key)
        counts = [_count(reading, key) for reading in readings]
        rises = (at for at in range(len(counts) - 1, 0, -1) if counts[at] > counts[at - 1])
        return times[next(rises, 0)] if times else None

    def labels(self, breakdown: str, moment: datetime) -> dict[str, int] | None:
        """The counts by label in the last reading up to a moment; None if none tells the breakdown."""
        times, readings = self._tell((breakdown, ""))
        index = bisect_right(times, moment.astimezone(UTC))
        return dict(readings[index - 1].breakdowns[breakdown]) if index else None

    def tells_in(self, breakdown: str, period: Period) -> bool:
        """Return whether some of the period lies between two readings that tell the breakdown."""
        span = self.span((breakdown, ""))
        return span is not None and max(span[0], period.start) < min(span[1], period.end)

    def known(self, key: Key, moment: datetime) -> _Known | None:
        """The count at a moment; None outside of the readings."""
        moment = moment.astimezone(UTC)
        times, readings = self._tell(key)
        after = bisect_left(times, moment)
        if after == len(times) or (after == 0 and times[0] != moment):
            return None
        high = _count(readings[after], key)
        if times[after] == moment:
            return _Known(high, timedelta())
        low, start = _count(readings[after - 1], key), times[after - 1]
        gap = times[after] - start
        value = low + (high - low) * ((moment - start) / gap)
        return _Known(value, gap if high != low else timedelta())

    def added(self, key: Key, start: datetime, end: datetime) -> "Amount | None":
        """Return what was added between two moments, in UTC; None where no reading tells.

        It is kept: a whole asks again for what its parts have asked for.
        """
        asked = key, start, end
        if asked not in self._added:
            self._added[asked] = self._difference(key, start, end)
        return self._added[asked]

    def _difference(self, key: Key, start: datetime, end: datetime) -> "Amount | None":
        span = self.span(key)
        if span is None:
            return None
        covered_start, covered_end = max(start, span[0]), min(end, span[1])
        if covered_start >= covered_end:
            return None
        first, last = self.known(key, covered_start), self.known(key, covered_end)
        if first is None or last is None:
            return None
        is_estimate = max(first.gap, last.gap) > (end - start) / _LONG_GAP
        is_partial = covered_start > start or covered_end < end
        # Both ends are rounded, so that amounts of neighbouring times add up.
        return Amount(round(last.value) - round(first.value), is_estimate, is_partial)

    def _tell(self, key: Key) -> tuple[list[datetime], list[Reading]]:
        name = key if isinstance(key, str) else key[0]
        if name not in self._telling:
            among = self._readings if name == "scans" else self._full
            told = [(at, reading) for at, reading in among if _tells(reading, key)]
            self._telling[name] = ([at for at, _ in told], [reading for _, reading in told])
        return self._telling[name]


def _tells(reading: Reading, key: Key) -> bool:
    return reading.total(key) is not None if isinstance(key, str) else key[0] in reading.breakdowns


def _count(reading: Reading, key: Key) -> int:
    if isinstance(key, str):
        return reading.total(key) or 0
    return reading.breakdowns[key[0]].get(key[1], 0)


# ---- what was added ----


@dataclass(frozen=True, slots=True)
class Amount:
    """The amount added in some time."""

    value: int
    is_estimate: bool = False
    """True if a reading is missing near its beginning or end, so that a good part of it is interpolated."""
    is_partial: bool = False
    """True if the history covers only a part of the time."""

    @property
    def sign(self) -> str:
        """Return what stands before the number so that it claims no more than the readings."""
        return "≥" if self.is_partial else "≈" if self.is_estimate else ""

    def __str__(self) -> str:
        return f"{self.sign}{self.value:,}"


def added(tracks: Sequence[Track], key: Key, start: datetime, end: datetime) -> Amount | None:
    """Return what was added between two moments, summed over the tracks; None where no reading tells.

    Amounts of neighbouring times add up to the amount of the whole.
    """
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if len(tracks) == 1:  # most often
        return tracks[0].added(key, start, end)
    return sum_amounts([track.added(key, start, end) for track in tracks])


def sum_amounts(amounts: Sequence[Amount | None]) -> Amount | None:
    """Amounts together; partial where one is not known, None where none is."""
    known = [amount for amount in amounts if amount is not None]
    if not known:
        return None
    return Amount(
        sum(amount.value for amount in known),
        any(amount.is_estimate for amount in known),
        len(known) < len(amounts) or any(amount.is_partial for amount in known),
    )


class Comparison(NamedTuple):
    """The amount added in a period, and in the one before; None where no reading tells it."""

    now: Amount | None
    before: Amount | None

    @property
    def is_whole(self) -> bool:
        """Return whether the history tells both periods from beginning to end."""
        return all(amount is not None and not amount.is_partial for amount in self)

    @property
    def change(self) -> CountChange | None:
        """Both amounts; None where one of them is not wholly known."""
        if self.now is None or self.before is None or not self.is_whole:
            return None
        return CountChange(self.now.value, self.before.value)

    @property
    def percent(self) -> int | None:
        """By how many percent more or less; None where one of them is not wholly known, or nothing was."""
        share = None if self.change is None else self.change.share
        return None if share is None else round(share * 100)

    @property
    def difference(self) -> int:
        """By how many more or fewer; 0 where one of both is not known."""
        return 0 if self.now is None or self.before is None else self.now.value - self.before.value

    @property
    def sign(self) -> str:
        """Return the sign that `words` begin with or stand for; nothing where one of both is not known."""
        return "" if self.change is None else self.change.sign

    @property
    def direction(self) -> int:
        """1 for a rise, -1 for a fall that are more than noise, else 0."""
        return 0 if self.change is None else self.change.direction

    @property
    def is_telling(self) -> bool:
        """Return whether the change is more than noise."""
        return self.direction != 0

    @property
    def words(self) -> str:
        """`▼ 81 %`, `= 0 %`, `+1`; empty where there is nothing to compare."""
        return "" if self.change is None else self.change.words


def compared(tracks: Sequence[Track], key: Key, period: Period) -> Comparison:
    """Return what was added in a period against the one before."""
    return Comparison(
        added(tracks, key, period.start, period.end),
        added(tracks, key, period.start_before, period.start),
    )


def in_steps(tracks: Sequence[Track], key: Key, period: Period) -> list[Amount | None]:
    """Return what was added in each step of the period before and of the period itself."""
    return [added(tracks, key, start, end) for start, end in period.steps]


# ---- since when ----

_MISSED = 10
"""From how many scans on that would have come at the pace of before, their absence is more than chance."""


def silence(tracks: Sequence[Track], key: Total, period: Period) -> datetime | None:
    """The moment after which nothing was added up to the end of a period, where that is more than chance.

    None where a track is not read up to the end.
    """
    if any(track.known(key, period.end) is None for track in tracks):
        return None
    moments = [moment for track in tracks if (moment := track.quiet_since(key)) is not None]
    since = max(moments, default=period.end)
    if since <= period.start:
        return since
    before = added(tracks, key, period.start_before, since) if since < period.end else None
    if before is None:
        return None
    missed = before.value * ((period.end - since) / (since - period.start_before))
    return since if missed >= _MISSED else None


@dataclass(frozen=True, slots=True)
class Turn:
    """The step from which on less or more was added than before."""

    index: int
    """Among the steps of both periods."""
    at: datetime
    before: int
    """The amount of the step before it."""
    after: int
    mean_before: int
    mean_after: int
    is_of_like_steps: bool = False
    """Whether the means are of the same weekdays, or the same hours, on both sides of it."""

    @property
    def is_fall(self) -> bool:
        """Return whether less was added from then on."""
        return self.mean_after < self.mean_before


def turn(amounts: Sequence[Amount | None], period: Period) -> Turn | None:
    """Return where both periods, as far as they are known, fall into a lower and a higher part; or None.

    That is the cut after which the means differ most for how long they last. Two days, and two weeks of days,
    are compared hour by hour, and day by day: a night or a weekend is no turn.
    """
    known = _last_known(amounts)
    untold = len(amounts) - len(known)
    if len(known) < 4 or sum(known) < TELLING_COUNT:
        return None
    rhythm = _RHYTHM.get(period.step, 0)
    has_rounds = len(known) == 2 * rhythm
    cut = _cut_of_rounds(known, rhythm) if has_rounds else _cut_of_means(known, rhythm, untold)
    if cut is None or abs(cut.after - cut.before) * 100 < TELLING_PERCENT * max(cut.before, cut.after):
        return None
    start = period.steps[untold + cut.place][0]
    means = round(cut.before), round(cut.after)
    return Turn(untold + cut.place, start, known[cut.place - 1], known[cut.place], *means, has_rounds)


class _Cut(NamedTuple):
    """A place where values may turn, and the means before it and from it on."""

    place: int
    before: float
    after: float


def _cut_of_means(values: Sequence[int], rhythm: int, untold: int) -> _Cut | None:
    """Return the cut after which the means differ most; None where nights or weekends may be why."""
    best = max(range(2, len(values) - 1), key=lambda cut: _contrast(values, cut))
    before, after = _mean(values[:best]), _mean(values[best:])
    best = _sharpest(values, best, falling=after < before)
    if (untold and best < rhythm) or (rhythm and _is_as_before(values, best, rhythm)):
        return None
    return _Cut(best, before, after)


def _cut_of_rounds(values: Sequence[int], rhythm: int) -> _Cut | None:
    """Return the cut that explains best how a round differs from the one before; None if it explains little.

    What lies on both sides of it in the two rounds differs by one factor then, and all else not at all.
    """
    pairs = [*zip(values[:rhythm], values[rhythm:], strict=True)]
    unexplained = sum((after - before) ** 2 for before, after in pairs)
    cuts = [(_unexplained(pairs, cut), cut) for cut in range(2, len(values) - 1)]
    least, best = min(cuts)
    if least > unexplained / 2:
        return None
    crossing = _crossing(pairs, best)
    return _Cut(best, _mean([before for before, _ in crossing]), _mean([after for _, after in crossing]))


def _crossing(pairs: Sequence[tuple[int, int]], cut: int) -> Sequence[tuple[int, int]]:
    """Those of the pairs of two rounds that a cut lies between."""
    return pairs[max(0, cut - len(pairs)) : cut]


def _unexplained(pairs: Sequence[tuple[int, int]], cut: int) -> float:
    """The squares of what a cut of the first round leaves of the differences between the two."""
    crossing = _crossing(pairs, cut)
    factor = sum(after for _, after in crossing) / (sum(before for before, _ in crossing) or 1)
    others = [*pairs[: max(0, cut - len(pairs))], *pairs[cut:]]
    return sum((after - before * factor) ** 2 for before, after in crossing) + sum(
        (after - before) ** 2 for before, after in others
    )


def _last_known(amounts: Sequence[Amount | None]) -> list[int]:
    """The last of the amounts, up to the first before them that is not wholly known."""
    whole = takewhile(lambda amount: amount is not None and not amount.is_partial, reversed(amounts))
    return [amount.value for amount in whole if amount is not None][::-1]


def _contrast(values: Sequence[int], cut: int) -> float:
    difference = _mean(values[cut:]) - _mean(values[:cut])
    return difference * difference * cut * (len(values) - cut)


def _is_as_before(values: Sequence[int], cut: int, rhythm: int) -> bool:
    """Return whether the values from a cut on, a rhythm at most, are about those of the rhythm before."""
    if cut < rhythm:
        return False
    now, before = sum(values[cut : cut + rhythm]), sum(values[cut - rhythm : len(values) - rhythm][:rhythm])
    return abs(now - before) * 100 < TELLING_PERCENT * max(now, before)


def _sharpest(values: Sequence[int], cut: int, *, falling: bool) -> int:
    """The largest step in the direction of the turn, at the cut or beside it."""
    near = [index for index in (cut - 1, cut, cut + 1) if 1 <= index < len(values)]
    direction = -1 if falling else 1
    return max(near, key=lambda index: (direction * (values[index] - values[index - 1]), index == cut))


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)


# ---- breakdowns ----


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label of a breakdown: what was added in the period, or all there ever was."""

    label: str
    count: int
    share: float | None
    comparison: Comparison
    is_new: bool = False
    """True if it was first seen in the period."""
    was: int | None = None
    """The count that it had come to before it vanished; None where it is still there."""


def breakdown(
    tracks: Sequence[Track], name: str, period: Period | None, now: datetime
) -> list[LabelRow] | None:
    """The labels of a breakdown, the largest first and those that vanished last; None where it is not told.

    With a period, counts are what was added in it; without one, all there is.
    """
    told = telling(tracks, name, period, now)
    latest = _summed([track.labels(name, now) for track in told])
    if latest is None:
        return None
    starts = [(track, track.labels(name, period.start)) for track in told] if period else []
    start = _summed([labels for _, labels in starts]) or {}
    comparable = [track.labels(name, now) for track, labels in starts if labels is not None]
    new = (_summed(comparable) or {}).keys() - start.keys()
    rows = [_label_row(tracks, name, label, latest, start, period) for label in {**latest, **start}]
    whole = sum(row.count for row in rows if row.count > 0)
    rows = [replace(row, share=row.count / whole if whole else None, is_new=row.label in new) for row in rows]
    return sorted(rows, key=lambda row: (row.was is not None, -row.count, row.label))


def telling(tracks: Sequence[Track], name: str, period: Period | None, now: datetime) -> list[Track]:
    """The tracks that tell a breakdown, in a period or at all; its counts are of these alone."""
    return [
        track
        for track in tracks
        if (track.labels(name, now) is not None if period is None else track.tells_in(name, period))
    ]


def _label_row(
    tracks: Sequence[Track],
    name: str,
    label: str,
    latest: dict[str, int],
    start: dict[str, int],
    period: Period | None,
) -> LabelRow:
    was = start.get(label) if label not in latest else None
    if period is None:
        return LabelRow(label, latest.get(label, 0), None, Comparison(None, None), was=was)
    comparison = compared(tracks, (name, label), period)
    count = 0 if was is not None or comparison.now is None else comparison.now.value
    return LabelRow(label, count, None, comparison, was=was)


def _summed(counts: Sequence[dict[str, int] | None]) -> dict[str, int] | None:
    told = [one for one in counts if one is not None]
    if not told:
        return None
    labels = dict.fromkeys(label for one in told for label in one)
    return {label: sum(one.get(label, 0) for one in told) for label in labels}
