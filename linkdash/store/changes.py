"""The arithmetic of history: what changed between readings of statistics, and how they run over time.

The service tells totals at the moment of asking only (reference: QR code), so a history is a row of
readings. Totals can fall, because services forget what is old; readings and parts of them can be missing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple, TypeAlias

Total: TypeAlias = Literal["clicks", "unique", "scans"]
TOTALS: tuple[Total, ...] = ("clicks", "unique", "scans")
Step: TypeAlias = Literal["hour", "day", "week"]
Since: TypeAlias = Literal["last look", "yesterday", "last week"]

RETENTION = (
    "A number that falls usually means that the service keeps its oldest entries no longer (retention)."
)

_BACK = {"yesterday": timedelta(days=1), "last week": timedelta(days=7)}
_BLANK_LABEL = "(blank)"
_MOMENT = "%Y-%m-%d %H:%M"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One reading of a code's statistics; None and a missing breakdown are what the service did not say."""

    at: datetime
    """Aware: when it was read, by the local clock."""
    clicks: int | None = None
    unique: int | None = None
    scans: int | None = None
    breakdowns: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Counts by label of "countries", "referrers", "browsers", "systems", "social"."""

    def total(self, name: Total) -> int | None:
        """The total of this name."""
        return {"clicks": self.clicks, "unique": self.unique, "scans": self.scans}[name]


class Delta(NamedTuple):
    """A number before and after; None where it was not there."""

    before: int | None
    after: int | None

    @property
    def by(self) -> int:
        """What was added, negative for a drop; what was not there counts as nothing."""
        return (self.after or 0) - (self.before or 0)

    @property
    def is_drop(self) -> bool:
        """Whether the number fell or went away."""
        return self.by < 0

    def words(self) -> str:
        """The delta for a person: "+12, first seen", "−3, dropped", "gone (was 4)", "unchanged"."""
        if self.after is None:
            return f"gone (was {self.before or 0:,})"
        if self.before is None:
            return f"+{self.after:,}, first seen"
        if self.is_drop:
            return f"−{-self.by:,}, dropped"
        return f"+{self.by:,}" if self.by else "unchanged"


@dataclass(frozen=True, slots=True)
class Change:
    """What happened between two readings. Changes add up: a to b plus b to c is a to c."""

    before: Snapshot
    after: Snapshot

    def __add__(self, later: "Change") -> "Change":
        """This change and the one that follows it. Raises ValueError if it does not begin where this ends."""
        if later.before != self.after:
            raise ValueError("the second change does not begin where the first one ends")
        return Change(self.before, later.after)

    def total(self, name: Total) -> Delta | None:
        """The change of a total; None unless both readings have it."""
        delta = Delta(self.before.total(name), self.after.total(name))
        return None if None in delta else delta

    def labels(self, breakdown: str) -> dict[str, Delta]:
        """The change of each label, unchanged ones too; nothing unless both readings have the breakdown."""
        before, after = self.before.breakdowns.get(breakdown), self.after.breakdowns.get(breakdown)
        if before is None or after is None:
            return {}
        return {label: Delta(before.get(label), after.get(label)) for label in {**before, **after}}

    @property
    def breakdowns(self) -> list[str]:
        """The breakdowns that both readings have."""
        return [name for name in self.after.breakdowns if name in self.before.breakdowns]

    @property
    def has_drops(self) -> bool:
        """Whether any total or label fell."""
        return any(delta.is_drop for delta in self._deltas())

    @property
    def is_nothing(self) -> bool:
        """Whether every number that both readings have is the same."""
        return all(delta.before == delta.after for delta in self._deltas())

    def _deltas(self) -> Iterator[Delta]:
        for name in TOTALS:
            if delta := self.total(name):
                yield delta
        for breakdown in self.breakdowns:
            yield from self.labels(breakdown).values()


def difference(before: Snapshot, after: Snapshot) -> Change:
    """What happened from one reading to another."""
    return Change(before, after)


def describe(change: Change) -> list[str]:
    """The change in lines for a person, the largest first; a word about retention if something fell."""
    lines = []
    for name in TOTALS:
        delta = change.total(name)
        if delta is not None and delta.by:
            lines.append(f"{name} {delta.words()} ({delta.before:,} → {delta.after:,})")
    for breakdown in change.breakdowns:
        deltas = change.labels(breakdown).items()
        changed = [(label, delta) for label, delta in deltas if delta.before != delta.after]
        changed.sort(key=lambda item: (-abs(item[1].by), item[0]))
        lines += [f"{breakdown}: {label or _BLANK_LABEL} {delta.words()}" for label, delta in changed]
    if not lines:
        return ["nothing changed"]
    return [*lines, RETENTION] if change.has_drops else lines


class Point(NamedTuple):
    """A value at the beginning of an hour, day or week; None for a time without readings."""

    at: datetime
    value: int | None


def series(snapshots: Iterable[Snapshot], name: Total, step: Step, tz: tzinfo) -> list[Point]:
    """The last known value in each hour, day or week of the zone, in the order of time.

    However long nothing was read, one None stands for it. Readings may come in any order, as they do after
    a clock was set back; of two at the same moment the later given counts.
    """
    values = {start: known[-1] for start, known in _buckets(snapshots, name, step, tz).items()}
    return list(_with_gaps(values, step, tz))


def increments(snapshots: Iterable[Snapshot], name: Total, step: Step, tz: tzinfo) -> list[Point]:
    """What was added in each hour, day or week; together exactly the last reading less the first.

    What was added while nothing was read belongs to the next reading. A drop is negative.
    """
    values = {}
    before: int | None = None
    for start, known in _buckets(snapshots, name, step, tz).items():
        values[start] = known[-1] - (known[0] if before is None else before)
        before = known[-1]
    return list(_with_gaps(values, step, tz))


def in_order(snapshots: Iterable[Snapshot]) -> list[Snapshot]:
    """The readings in the order of time, one a moment: of several the one given last."""
    by_moment = {snapshot.at.astimezone(UTC): snapshot for snapshot in snapshots}
    return [by_moment[moment] for moment in sorted(by_moment)]


def _buckets(snapshots: Iterable[Snapshot], name: Total, step: Step, tz: tzinfo) -> dict[datetime, list[int]]:
    """The known values of each hour, day or week, by its beginning in UTC, all in the order of time."""
    buckets: dict[datetime, list[int]] = {}
    for snapshot in in_order(snapshots):
        value = snapshot.total(name)
        if value is not None:
            start = _STARTS[step](snapshot.at.astimezone(tz))
            buckets.setdefault(start.astimezone(UTC), []).append(value)
    return buckets


def _with_gaps(values: Mapping[datetime, int], step: Step, tz: tzinfo) -> Iterator[Point]:
    expected: datetime | None = None
    for start, value in values.items():
        if expected is not None and start > expected:
            yield Point(expected.astimezone(tz), None)
        yield Point(start.astimezone(tz), value)
        expected = _next_start(start, step, tz)


def _hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def _week(moment: datetime) -> datetime:
    return _day(moment - timedelta(days=moment.weekday()))


_STARTS: dict[Step, Callable[[datetime], datetime]] = {"hour": _hour, "day": _day, "week": _week}
# Longer than any one of them, however the clocks change, and shorter than two.
_PAST_ONE = {"hour": timedelta(minutes=90), "day": timedelta(hours=36), "week": timedelta(days=10)}


def _next_start(start: datetime, step: Step, tz: tzinfo) -> datetime:
    """The beginning of the next hour, day or week, in UTC."""
    return _STARTS[step]((start + _PAST_ONE[step]).astimezone(tz)).astimezone(UTC)


class Baseline(NamedTuple):
    """The reading to compare with; None if there is none. `words` say honestly which one it is."""

    snapshot: Snapshot | None
    words: str
    is_as_asked: bool = True
    """False where history does not reach back to the moment asked for."""


def baseline(
    snapshots: Iterable[Snapshot], now: datetime, since: Since, last_look: datetime | None = None
) -> Baseline:
    """The last reading at or before the moment asked for, else the first there is.

    `now` is aware, in the zone of the person: yesterday is the same time of the day before in it.
    """
    ordered = _until(in_order(snapshots), now)
    if not ordered:
        return Baseline(None, "history begins now")
    asked = last_look if since == "last look" else now - _BACK[since]
    before = [] if asked is None else _until(ordered, asked)
    if before:
        return Baseline(before[-1], f"since {_written(before[-1].at, now)}")
    return Baseline(ordered[0], f"since {_written(ordered[0].at, now)}", is_as_asked=False)


class Growth(NamedTuple):
    """How much a total grew, and since when."""

    by: int
    since: datetime


def growth(
    snapshots: Iterable[Snapshot], now: datetime, window: timedelta, name: Total = "scans"
) -> Growth | None:
    """How much a total grew over the window, or since history began if that is later.

    None if fewer than two readings tell it, which is not a growth of zero.
    """
    known = [snapshot for snapshot in in_order(snapshots) if snapshot.total(name) is not None]
    known = _until(known, now)
    first = (_until(known, now - window) or known[:1])[-1:]
    if not first or first[0] is known[-1]:
        return None
    delta = Delta(first[0].total(name), known[-1].total(name))
    return Growth(delta.by, first[0].at)


def _until(ordered: Sequence[Snapshot], moment: datetime) -> list[Snapshot]:
    """The readings up to a moment; compared in UTC, for two times of one zone compare by the wall clock."""
    return [snapshot for snapshot in ordered if snapshot.at.astimezone(UTC) <= moment.astimezone(UTC)]


def _written(moment: datetime, now: datetime) -> str:
    return moment.astimezone(now.tzinfo).strftime(_MOMENT)
