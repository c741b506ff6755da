"""What changed from one reading of statistics to another. Pure.

Totals can fall, because services forget what is old; readings and parts of them can be missing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from linkdash.store.history import TOTALS, Reading, Total

RETENTION = (
    "A number that falls usually means that the service keeps its oldest entries no longer (retention)."
)

_BLANK_LABEL = "(blank)"


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

    before: Reading
    after: Reading

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


def has_news(before: Reading | None, after: Reading | None) -> bool:
    """Whether a reading says anything that the one before it did not."""
    if before is None or after is None:
        return before is not after
    return not Change(before, after).is_nothing


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
